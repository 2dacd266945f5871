"""The program `oai_pmh` of Perl's HTTP::OAI. It prints a head, an empty line and the payload of each record, and a form feed."""

import subprocess
import sys

from shelf import Shelf, options

asked = options()
shelf = Shelf(asked)
arguments = [f"--{name}={value}" for name, value in shelf.dates(asked).items()]
if asked.set:
    arguments.append(f"--set={asked.set}")
words = ["oai_pmh", "-X", "ListRecords", f"--metadataPrefix={asked.prefix}", *arguments, asked.base_url]
with subprocess.Popen(words, stdout=subprocess.PIPE) as program:
    rest = ""
    for piece in program.stdout:
        *records, rest = (rest + piece.decode("utf-8", "replace")).split("\f")
        for record in records:
            head, _, payload = record.partition("\n\n")
            fields = dict(line.partition(": ")[::2] for line in head.lstrip().split("\n"))
            deleted = fields.get("status") == "deleted"
            shelf.put(fields.get("identifier"), fields.get("datestamp"), deleted, payload or None)
if program.returncode:
    sys.exit(program.returncode)
shelf.whole()
