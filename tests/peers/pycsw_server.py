"""The catalogue server `pycsw` in its OAI-PMH mode, over its own SQLite repository of ISO 19139 records.

It keeps no deletions, so it holds only the live records. Its base URL ends in `?mode=oaipmh`.
"""

import configparser
import os

from pycsw import wsgi
from pycsw.core import admin, config

import holdings
from loopback import serve

TABLE = "records"


def make_application(base_url, options):
    database = f"sqlite:///{options.folder / 'pycsw.sqlite'}"
    records = options.folder / "records"
    records.mkdir()
    for held in holdings.holdings():
        if not held.deleted:
            (records / f"{held.number:04}.xml").write_text(holdings.iso19139(held), encoding="utf-8")
    admin.setup_db(database, TABLE, str(options.folder))
    admin.load_records(config.StaticContext(), database, TABLE, str(records))

    settings = configparser.ConfigParser()
    settings["server"] = {
        "url": base_url,
        "encoding": "UTF-8",
        "language": "en-US",
        "maxrecords": str(holdings.PAGE_SIZE),
        "profiles": "apiso",
    }
    settings["manager"] = {"transactions": "false"}
    settings["metadata:main"] = {
        name: "peer@example.org" if name == "contact_email" else "Peer"
        for name in (
            "identification_title identification_abstract identification_keywords identification_keywords_type "
            "identification_fees identification_accessconstraints provider_name provider_url contact_name "
            "contact_position contact_address contact_city contact_stateorprovince contact_postalcode "
            "contact_country contact_phone contact_fax contact_email contact_url contact_hours "
            "contact_instructions contact_role"
        ).split()
    }
    settings["metadata:inspire"] = {"enabled": "false"}
    settings["repository"] = {"database": database, "table": TABLE}
    path = options.folder / "pycsw.cfg"
    with path.open("w", encoding="utf-8") as file:
        settings.write(file)
    os.environ["PYCSW_CONFIG"] = str(path)
    return wsgi.application


if __name__ == "__main__":
    serve(make_application)
