"""Reads a whole repository with the package `oaipmh-scythe` and prints how much of it is live and deleted, as JSON.

With `--rows FILE`, writes one line per record: identifier, datestamp and 0 (live) or 1 (deleted), sorted.
"""

import argparse
import json
import sys
from pathlib import Path

from oaipmh_scythe import Scythe

# The package follows tokens for ever; a list that never ends must not.
RECORDS_MAX = 100_000


def read(base_url, prefix):
    held = {}
    with Scythe(base_url) as scythe:
        for record in scythe.list_records(metadata_prefix=prefix):
            header = record.header
            if header.identifier in held:
                sys.exit(f"identifier `{header.identifier}` was delivered twice in one list")
            if not record.deleted and not record.metadata:
                sys.exit(f"live record `{header.identifier}` came without metadata")
            held[header.identifier] = (header.datestamp, int(record.deleted))
            if len(held) > RECORDS_MAX:
                sys.exit(f"the list did not end after {RECORDS_MAX} records")
    return held


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base_url")
    parser.add_argument("--prefix", default="oai_dc")
    parser.add_argument("--rows", type=Path)
    options = parser.parse_args()
    held = read(options.base_url, options.prefix)
    if options.rows:
        lines = [f"{identifier}\t{stamp}\t{deleted}\n" for identifier, (stamp, deleted) in sorted(held.items())]
        options.rows.write_text("".join(lines), encoding="utf-8")
    deleted = sum(deleted for _, deleted in held.values())
    print(json.dumps({"live": len(held) - deleted, "deleted": deleted}))


if __name__ == "__main__":
    main()
