"""What every repository of `servers.sh` holds, so that one expectation fits all of them. Run, it prints it: as JSON, or with
`--rows` in the form of `store.py`: identifier, datestamp and 0 (live) or 1 (deleted), sorted.

347 records, 12 of them withdrawn, in two sets. Ten neighbours share a datestamp, so that page borders fall between
equal ones, and every title has a character outside ASCII and two that XML must escape.
"""

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from xml.sax.saxutils import escape

RECORDS = 347
PAGE_SIZE = 50
EARLIEST = datetime(2024, 1, 1, 6, 30, 0)
# Every 29th record is a tombstone from the start: 12 of 347.
DELETED_EVERY = 29
# Every third record is in the first set, the others are in the second: 116 and 231.
SETS = {"maps": "Maps", "texts": "Texts & letters"}

DC_NAMESPACE = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC_SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
ISO_NAMESPACE = "http://www.isotc211.org/2005/gmd"
ISO_SCHEMA = "http://www.isotc211.org/2005/gmd/gmd.xsd"


@dataclass(frozen=True)
class Holding:
    number: int
    stamp: str
    deleted: bool
    set: str
    title: str

    @property
    def identifier(self):
        return f"oai:peer.example:{self.number:04}"

    @property
    def datestamp(self):
        """Without a time zone, as the packages want it; the protocol means UTC."""
        return datetime.strptime(self.stamp, "%Y-%m-%dT%H:%M:%SZ")


def holding(number):
    stamp = EARLIEST + timedelta(hours=number // 10)
    return Holding(
        number,
        stamp.strftime("%Y-%m-%dT%H:%M:%SZ"),
        number % DELETED_EVERY == 7,
        "maps" if number % 3 == 0 else "texts",
        f"Über record {number} <first> & last",
    )


def holdings():
    return [holding(number) for number in range(RECORDS)]


def dublin_core(held):
    return f"""<oai_dc:dc xmlns:oai_dc="{DC_NAMESPACE}" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:title>{escape(held.title)}</dc:title>
  <dc:identifier>{held.identifier}</dc:identifier>
</oai_dc:dc>"""


def iso19139(held):
    return f"""<gmd:MD_Metadata xmlns:gmd="{ISO_NAMESPACE}" xmlns:gco="http://www.isotc211.org/2005/gco">
  <gmd:fileIdentifier><gco:CharacterString>{held.identifier}</gco:CharacterString></gmd:fileIdentifier>
  <gmd:language><gco:CharacterString>eng</gco:CharacterString></gmd:language>
  <gmd:hierarchyLevel>
    <gmd:MD_ScopeCode codeList="http://www.isotc211.org/2005/resources/codeList.xml#MD_ScopeCode"
        codeListValue="dataset">dataset</gmd:MD_ScopeCode>
  </gmd:hierarchyLevel>
  <gmd:dateStamp><gco:DateTime>{held.stamp}</gco:DateTime></gmd:dateStamp>
  <gmd:identificationInfo>
    <gmd:MD_DataIdentification>
      <gmd:citation>
        <gmd:CI_Citation>
          <gmd:title><gco:CharacterString>{escape(held.title)}</gco:CharacterString></gmd:title>
          <gmd:date>
            <gmd:CI_Date>
              <gmd:date><gco:DateTime>{held.stamp}</gco:DateTime></gmd:date>
              <gmd:dateType>
                <gmd:CI_DateTypeCode codeList="http://www.isotc211.org/2005/resources/codeList.xml#CI_DateTypeCode"
                    codeListValue="publication">publication</gmd:CI_DateTypeCode>
              </gmd:dateType>
            </gmd:CI_Date>
          </gmd:date>
        </gmd:CI_Citation>
      </gmd:citation>
      <gmd:abstract><gco:CharacterString>Abstract of {held.number}</gco:CharacterString></gmd:abstract>
    </gmd:MD_DataIdentification>
  </gmd:identificationInfo>
</gmd:MD_Metadata>"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--set", choices=SETS)
    parser.add_argument("--live", action="store_true", help="without the withdrawn ones")
    options = parser.parse_args()
    listed = [
        held for held in holdings() if options.set in (None, held.set) and not (options.live and held.deleted)
    ]
    if options.rows:
        for held in listed:
            print(held.identifier, held.stamp, int(held.deleted), sep="\t")
    else:
        json.dump([asdict(held) | {"identifier": held.identifier} for held in listed], sys.stdout)


if __name__ == "__main__":
    main()
