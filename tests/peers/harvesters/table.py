"""The matrix as a page of Markdown: counts, and a row per scenario. usage: table.py VERSIONS REPORT"""

import json
import sys
from datetime import date

SIGNS = {
    "held": ("●", "everything that could be judged is as it must be"),
    "failed": ("✖", "something was lost, invented, asked for without end, or a rule of the protocol broken"),
    "gave-up": ("◐", "it should have brought everything, stopped before, and said so"),
    "vacuous": ("◌", "nothing failed, but what was to go wrong did not happen to it"),
    "left-out": ("–", "the scenario cannot be asked of this harvester"),
}

with open(sys.argv[1], encoding="utf-8") as file:
    versions = [line.strip() for line in file if line.strip()]
with open(sys.argv[2], encoding="utf-8") as file:
    report = json.load(file)
harvesters = report["harvesters"]
rows = {}
for one in report["results"]:
    rows.setdefault(one["scenario"], {"title": one["title"]})[one["harvester"]] = one["standing"]

print(f"""# The matrix

Of {date.today().isoformat()}, {report["program"]}, {", ".join(versions)}; the last three are wrong on purpose, the first of them
with nothing wrong. Made by `matrix.sh`. What is proved of a package is the few lines of `with_*.py` on it,
with the retries that its manual shows: other lines may do better.
""")
for sign, meaning in SIGNS.values():
    print(f"- {sign} {meaning}")
print("\n| harvester |", " | ".join(SIGNS), "|")
print("|---|" + "---:|" * len(SIGNS))
for name in harvesters:
    counts = [report["summary"][name].get(word, 0) for word in SIGNS]
    print(f"| {name} |", " | ".join(map(str, counts)), "|")
print("\n| scenario |", " | ".join(harvesters), "| what must be true |")
print("|---|" + ":-:|" * len(harvesters) + "---|")
for scenario, row in rows.items():
    title = row["title"].replace("|", "\\|")
    print(f"| {scenario} |", " | ".join(SIGNS[row[name]][0] for name in harvesters), f"| {title} |")
