"""What people write in an afternoon, and with some care: the standard library, a loop, retries, Retry-After."""

import sys
import time
import xml.etree.ElementTree as ET
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from shelf import Shelf, options

OAI = "{http://www.openarchives.org/OAI/2.0/}"
TRIES = 4
PAGES_MAX = 1000


def page(base_url, arguments):
    for turn in range(TRIES):
        try:
            with urlopen(f"{base_url}?{urlencode(arguments)}", timeout=10) as answer:
                return ET.fromstring(answer.read())
        except HTTPError as error:
            if error.code not in (429, 500, 502, 503, 504) or turn + 1 == TRIES:
                raise
            wait = error.headers.get("Retry-After") or "1"
            time.sleep(int(wait) if wait.isdigit() else 1)
        except (URLError, OSError, ET.ParseError):
            if turn + 1 == TRIES:
                raise
    raise AssertionError("every turn returns or raises")


def harvest(asked, shelf):
    opening = {"verb": "ListRecords", "metadataPrefix": asked.prefix, **shelf.dates(asked)}
    if asked.set:
        opening["set"] = asked.set
    arguments, restarts, seen = opening, 0, set()
    for _ in range(PAGES_MAX):
        tree = page(asked.base_url, arguments)
        error = tree.find(f"{OAI}error")
        if error is not None:
            code = error.get("code")
            if code == "noRecordsMatch" and arguments is opening:
                return
            if code == "badResumptionToken" and restarts < 3:
                arguments, restarts, seen = opening, restarts + 1, set()
                continue
            sys.exit(f"the repository answers {code}: {error.text}")
        for record in tree.iter(f"{OAI}record"):
            header = record.find(f"{OAI}header")
            metadata = record.find(f"{OAI}metadata")
            deleted = header.get("status") == "deleted"
            text = None if deleted or metadata is None or not len(metadata) else ET.tostring(metadata[0], "unicode")
            shelf.put(header.findtext(f"{OAI}identifier"), header.findtext(f"{OAI}datestamp"), deleted, text)
        token = (tree.findtext(f".//{OAI}resumptionToken") or "").strip()
        if not token:
            return
        if token in seen:
            sys.exit(f"repeated token {token}")
        seen.add(token)
        arguments = {"verb": "ListRecords", "resumptionToken": token}
    sys.exit(f"no end after {PAGES_MAX} pages")


asked = options()
shelf = Shelf(asked)
harvest(asked, shelf)
shelf.whole()
