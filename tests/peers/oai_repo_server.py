"""A repository on the package `oai-repo`.

The package writes no `status`, so it cannot say that a record is withdrawn, and drops a record without metadata from its
page; but it counts what it is told there is. So this one holds only live records and keeps no deletions, or, with
`--with-withdrawn`, counts the withdrawn ones too.
"""

from lxml import etree
from oai_repo import DataInterface, Identify, MetadataFormat, OAIRepository, RecordHeader, Set

import holdings
from loopback import arguments_of, respond, serve


class Data(DataInterface):
    """The records, under the method names that the package calls."""

    limit = holdings.PAGE_SIZE

    def __init__(self, base_url, with_withdrawn):
        self.base_url = base_url
        self.held = {held.identifier: held for held in holdings.holdings() if with_withdrawn or not held.deleted}

    def get_identify(self):
        return Identify(
            repository_name="Peer",
            base_url=self.base_url,
            admin_email=["peer@example.org"],
            earliest_datestamp=holdings.holding(0).stamp,
            deleted_record="no",
            granularity="YYYY-MM-DDThh:mm:ssZ",
        )

    def is_valid_identifier(self, identifier):
        return identifier in self.held

    def get_metadata_formats(self, identifier=None):
        return [MetadataFormat("oai_dc", holdings.DC_SCHEMA, holdings.DC_NAMESPACE)]

    def get_record_header(self, identifier):
        held = self.held[identifier]
        return RecordHeader(identifier, held.stamp, [held.set])

    def get_record_metadata(self, identifier, metadataprefix):
        held = self.held[identifier]
        return None if held.deleted else etree.fromstring(holdings.dublin_core(held))

    def get_record_abouts(self, identifier):
        return []

    def list_set_specs(self, identifier=None, cursor=0):
        specs = list(holdings.SETS)
        return specs, len(specs), None

    def get_set(self, setspec):
        return Set(setspec, holdings.SETS[setspec], [])

    def list_identifiers(self, metadataprefix, filter_from=None, filter_until=None, filter_set=None, cursor=0):
        found = [
            held.identifier
            for held in self.held.values()
            if filter_set in (None, held.set)
            and (filter_from is None or held.datestamp >= filter_from.replace(tzinfo=None))
            and (filter_until is None or held.datestamp <= filter_until.replace(tzinfo=None))
        ]
        return found[cursor : cursor + self.limit], len(found), None


def make_application(base_url, options):
    repository = OAIRepository(Data(base_url, options.with_withdrawn))
    return lambda environ, start: respond(start, bytes(repository.process(dict(arguments_of(environ)))))


if __name__ == "__main__":
    serve(make_application, "--with-withdrawn")
