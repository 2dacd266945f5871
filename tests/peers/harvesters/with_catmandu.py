"""The program `catmandu` with its importer for OAI, which prints a JSON object per record. It retries three times."""

import json
import subprocess
import sys

from shelf import Shelf, options

asked = options()
shelf = Shelf(asked)
given = {"url": asked.base_url, "metadataPrefix": asked.prefix, "set": asked.set, **shelf.dates(asked)}
arguments = [word for name, value in given.items() if value for word in (f"--{name}", value)]
words = ["catmandu", "convert", "OAI", *arguments, "--handler", "raw", "--max_retries", "3"]
with subprocess.Popen([*words, "to", "JSON", "--line_delimited", "1"], stdout=subprocess.PIPE) as program:
    for line in program.stdout:
        record = json.loads(line)
        deleted = record["_status"] == "deleted"
        shelf.put(record["_id"], record["_datestamp"], deleted, record.get("_metadata"))
if program.returncode:
    sys.exit(program.returncode)
shelf.whole()
