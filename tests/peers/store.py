"""Reads a `pmh` store with plain SQL, as a stranger would, and prints how much of it is live and deleted, as JSON.

With `--rows FILE`, writes identifier, datestamp and deleted of every record, sorted, in the form of `scythe.py`.
With `--all FILE`, writes the number of rows, the latest `harvested_at`, and every column of every row.
"""

import argparse
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--all", type=Path)
    options = parser.parse_args()
    # Read-only: looking must not create a store that is missing.
    with closing(sqlite3.connect(f"{options.store.resolve().as_uri()}?mode=ro", uri=True)) as store:
        counts = dict(store.execute("SELECT deleted, count(*) FROM catalog_record GROUP BY deleted"))
        if not counts.keys() <= {0, 1}:
            sys.exit(f"`deleted` must be 0 or 1, found {sorted(counts, key=str)}")
        if options.rows:
            rows = store.execute("SELECT identifier, datestamp, deleted FROM catalog_record ORDER BY identifier")
            lines = ["\t".join(map(str, row)) + "\n" for row in rows]
            options.rows.write_text("".join(lines), encoding="utf-8")
        if options.all:
            summary = store.execute("SELECT count(*), max(harvested_at) FROM catalog_record")
            rows = store.execute("SELECT * FROM catalog_record ORDER BY endpoint, metadata_prefix, identifier")
            lines = [f"{row!r}\n" for row in [*summary, *rows]]
            options.all.write_text("".join(lines), encoding="utf-8")
    print(json.dumps({"live": counts.get(0, 0), "deleted": counts.get(1, 0)}))


if __name__ == "__main__":
    main()
