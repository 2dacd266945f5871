"""Whether what is known of these harvesters shows in a report. usage: facts.py FACTS REPORT"""

import json
import sys

with open(sys.argv[2], encoding="utf-8") as file:
    cells = {(one["scenario"], one["harvester"]): one for one in json.load(file)["results"]}
known = {harvester for _, harvester in cells}
looked_for = absent = 0
with open(sys.argv[1], encoding="utf-8") as file:
    facts = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
for scenario, harvester, standing, said in facts:
    if harvester not in known:
        continue
    looked_for += 1
    cell = cells.get((scenario, harvester))
    if cell is None or cell["standing"] != standing or said not in cell["verdict"]:
        absent += 1
        found = "was not played" if cell is None else f"{cell['standing']}:\n{cell['verdict']}"
        print(f"{scenario} × {harvester}: expected {standing}, `{said}`; {found}")
print(f"{looked_for} known facts looked for: {looked_for - absent} shown, {absent} absent")
sys.exit(1 if absent or not looked_for else 0)
