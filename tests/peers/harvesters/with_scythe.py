"""A harvester on the package `oaipmh-scythe`, as its manual shows it, with three retries."""

from oaipmh_scythe import Scythe
from oaipmh_scythe.config import RetryConfig
from oaipmh_scythe.exceptions import NoRecordsMatch
from shelf import Shelf, options

asked = options()
shelf = Shelf(asked)
dates = {name + "_": value for name, value in shelf.dates(asked).items()}
if "until_" in dates:
    dates["until"] = dates.pop("until_")
retry = RetryConfig(max_retries=3, default_retry_after=1)
with Scythe(asked.base_url, retry_config=retry) as scythe:
    try:
        records = scythe.list_records(metadata_prefix=asked.prefix, set_=asked.set, **dates)
        for record in records:
            header = record.header
            shelf.put(header.identifier, header.datestamp, record.deleted, None if record.deleted else str(record))
    except NoRecordsMatch:
        pass
shelf.whole()
