"""A harvester on the package `Sickle`, as its manual shows it, with three retries."""

from shelf import Shelf, options
from sickle import Sickle
from sickle.oaiexceptions import NoRecordsMatch

asked = options()
shelf = Shelf(asked)
sickle = Sickle(asked.base_url, max_retries=3, default_retry_after=1, timeout=10)
arguments = {"metadataPrefix": asked.prefix, **shelf.dates(asked)}
if asked.set:
    arguments["set"] = asked.set
try:
    for record in sickle.ListRecords(ignore_deleted=False, **arguments):
        header = record.header
        shelf.put(header.identifier, header.datestamp, header.deleted, None if header.deleted else record.raw)
except NoRecordsMatch:
    pass
shelf.whole()
