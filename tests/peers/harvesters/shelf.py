"""What the harvesters here keep: one JSON line per delivery of a record, and how far they got.

The latest line of an identifier counts. The next run asks from the latest datestamp that a whole run has seen, because
`from` is inclusive; a run that was cut short leaves that date where it was, so its list is read again.
"""

import argparse
import json
from pathlib import Path
from urllib.parse import quote


class Shelf:
    def __init__(self, options):
        folder = Path(options.work)
        # Each set of each format has got somewhere else.
        self.mark = folder / quote(f"since {options.prefix} {options.set or ''}", safe="")
        self.since = self.mark.read_text().strip() if self.mark.exists() else None
        self.latest = self.since or ""
        self.lines = open(folder / "records.jsonl", "a", encoding="utf-8")

    def put(self, identifier, datestamp, deleted, metadata=None):
        row = {"identifier": identifier, "datestamp": datestamp, "deleted": bool(deleted), "metadata": metadata}
        self.lines.write(json.dumps(row) + "\n")
        self.lines.flush()
        self.latest = max(self.latest, datestamp or "")

    def whole(self):
        """The list came to its end."""
        if self.latest:
            self.mark.write_text(self.latest)

    def dates(self, options):
        """The span to ask for, as arguments of the protocol."""
        asked = {"from": options.since or (None if options.until else self.since), "until": options.until}
        return {name: value for name, value in asked.items() if value}


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("base_url")
    parser.add_argument("work")
    parser.add_argument("--prefix", default="oai_dc")
    parser.add_argument("--set")
    parser.add_argument("--from", dest="since")
    parser.add_argument("--until")
    return parser.parse_args()
