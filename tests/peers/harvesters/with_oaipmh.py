"""A harvester on the package `oaipmh`, or on `pyoai`, whose module has the same name."""

from datetime import datetime

from lxml import etree
from oaipmh.client import Client
from oaipmh.error import NoRecordsMatchError
from oaipmh.metadata import MetadataRegistry
from shelf import Shelf, options


def as_it_is(element):
    return etree.tostring(element, encoding="unicode")


def date(text):
    return datetime.fromisoformat(text.rstrip("Z"))


asked = options()
shelf = Shelf(asked)
registry = MetadataRegistry()
registry.registerReader(asked.prefix, as_it_is)
# `pyoai` has no such option. The default is to wait two minutes where a busy server names no time.
is_new = "custom_retry_policy" in Client.__init__.__code__.co_varnames
client = Client(asked.base_url, registry, **({"custom_retry_policy": {"wait-default": 1}} if is_new else {}))
# The manual: dates are sent as the repository's granularity has them.
client.updateGranularity()
arguments = {name + "_" if name == "from" else name: date(value) for name, value in shelf.dates(asked).items()}
if asked.set:
    arguments["set"] = asked.set
try:
    for header, metadata, _ in client.listRecords(metadataPrefix=asked.prefix, **arguments):
        stamp = header.datestamp()
        shelf.put(header.identifier(), stamp and stamp.strftime("%Y-%m-%dT%H:%M:%SZ"), header.isDeleted(), metadata)
except NoRecordsMatchError:
    pass
shelf.whole()
