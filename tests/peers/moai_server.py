"""A repository on the package `moai-iplweb`: its application over its own SQLite database."""

from moai.database import SQLDatabase
from moai.server import FeedConfig, Server
from moai.wsgi import MOAIWSGIApp

import holdings
from loopback import serve


def make_application(base_url, options):
    database = SQLDatabase(f"sqlite:///{options.folder / 'moai.sqlite'}")
    for held in holdings.holdings():
        described = {"title": [held.title], "identifier": [held.identifier]}
        sets = {held.set: {"name": holdings.SETS[held.set], "description": f"The set {held.set}"}}
        database.update_record(held.identifier, held.datestamp, held.deleted, sets, described)
    database.flush()
    config = FeedConfig("Peer", base_url, admin_emails=["peer@example.org"], batch_size=holdings.PAGE_SIZE)
    return MOAIWSGIApp(Server(base_url, database, config))


if __name__ == "__main__":
    serve(make_application)
