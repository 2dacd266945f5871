"""Whether several proofs found the same: each cell's standing and what failed. Other words are shown, and are no difference:
how far somebody had come when it was killed is a race."""

import json
import re
import sys


def cells(path):
    with open(path, encoding="utf-8") as file:
        results = json.load(file)["results"]
    return {(one["scenario"], one["harvester"]): (one["standing"], one["failed"], said(one)) for one in results}


def said(one):
    """What a clock has a part in is never the same twice: how often somebody had asked when it ended, how long
    somebody waited, and what time it was."""
    if "stopped by the clock" in one["verdict"]:
        return ""
    waited = re.sub(r"\b[0-9]+ ms\b", "N ms", one["verdict"])
    return re.sub(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT", "DATE", waited)


paths = sys.argv[1:]
first = cells(paths[0])
unstable = reworded = 0
for path in paths[1:]:
    other = cells(path)
    for key in sorted(first.keys() | other.keys()):
        here, there = first.get(key), other.get(key)
        if here == there:
            continue
        is_other = not here or not there or here[:2] != there[:2]
        unstable, reworded = unstable + is_other, reworded + (not is_other)
        print(f"{key[0]} × {key[1]}: differs in {path}")
        for cell in (here, there):
            print("  nothing" if cell is None else f"  {cell[0]} {' '.join(cell[1])}")
        if not is_other:
            lines = zip(here[2].splitlines(), there[2].splitlines())
            print("".join(f"  - {one}\n  + {two}\n" for one, two in lines if one != two), end="")
print(f"{len(paths)} proofs of {len(first)} cells: {unstable} differ, {reworded} more in their words")
sys.exit(1 if unstable else 0)
