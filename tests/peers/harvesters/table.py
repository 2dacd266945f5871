"""The matrix as a page of Markdown: counts, and a row per scenario. usage: table.py VERSIONS REPORT…"""

import json
import sys
from collections import Counter
from datetime import date

SIGNS = {
    "held": ("●", "everything that could be judged is as it must be"),
    "failed": ("✖", "something was lost, invented, asked for without end, or a rule of the protocol broken"),
    "gave-up": ("◐", "it should have brought everything, stopped before, and said so"),
    "vacuous": ("◌", "nothing failed, but what was to go wrong did not happen to it"),
    "timed-out": ("⧗", "it neither asked nor ended any more, and was stopped by the clock"),
    "left-out": ("–", "the scenario cannot be asked of this harvester"),
}


def standing(one):
    return "timed-out" if "stopped by the clock" in one["verdict"] else one["standing"]


with open(sys.argv[1], encoding="utf-8") as file:
    versions = [line.strip() for line in file if line.strip()]
reports = []
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        reports.append(json.load(file))
harvesters = reports[0]["harvesters"]
rows = {}
counts = {name: Counter() for name in harvesters}
for one in (one for report in reports for one in report["results"]):
    rows.setdefault(one["scenario"], {"title": one["title"]})[one["harvester"]] = standing(one)
    counts[one["harvester"]][standing(one)] += 1

print(f"""# The matrix

Of {date.today().isoformat()}, {reports[0]["program"]}, {", ".join(versions)}; the last three are wrong on purpose, the first of them
with nothing wrong. Made by `matrix.sh`. What is proved of a package is the few lines of `with_*.py` on it,
with the retries that its manual shows: other lines may do better.
""")
for sign, meaning in SIGNS.values():
    print(f"- {sign} {meaning}")
print("\n| harvester |", " | ".join(SIGNS), "|")
print("|---|" + "---:|" * len(SIGNS))
for name in harvesters:
    print(f"| {name} |", " | ".join(str(counts[name][word]) for word in SIGNS), "|")
print("\n| scenario |", " | ".join(harvesters), "| what must be true |")
print("|---|" + ":-:|" * len(harvesters) + "---|")
for scenario, row in rows.items():
    title = row["title"].replace("|", "\\|")
    print(f"| {scenario} |", " | ".join(SIGNS[row[name]][0] for name in harvesters), f"| {title} |")
