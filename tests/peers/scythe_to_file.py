"""Reads a whole repository with the package `oaipmh-scythe` into one file, synced once at the end.

The least that a user of the package can do: no cursor, no rows, nothing to go on from.
"""

import os
import sys

from oaipmh_scythe import Scythe


def main():
    base_url, path = sys.argv[1:]
    with Scythe(base_url) as scythe, open(path, "w", encoding="utf-8") as out:
        for record in scythe.list_records(metadata_prefix="oai_dc"):
            out.write(record.raw)
            out.write("\n")
        out.flush()
        os.fsync(out.fileno())


if __name__ == "__main__":
    main()
