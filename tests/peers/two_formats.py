"""A repository on the server class of the package `oaipmh`, with sets and with iso19139 beside oai_dc."""

from lxml import etree
from oaipmh import common, error, metadata
from oaipmh.server import Server

import holdings
from loopback import arguments_of, respond, serve

FORMATS = {
    "oai_dc": (holdings.DC_SCHEMA, holdings.DC_NAMESPACE, holdings.dublin_core),
    "iso19139": (holdings.ISO_SCHEMA, holdings.ISO_NAMESPACE, holdings.iso19139),
}


class Repository:
    """The records, under the method names that the package calls."""

    def __init__(self, base_url):
        self.base_url = base_url
        self.held = holdings.holdings()

    def identify(self):
        return common.Identify(
            repositoryName="Peer",
            baseURL=self.base_url,
            protocolVersion="2.0",
            adminEmails=["peer@example.org"],
            earliestDatestamp=holdings.EARLIEST,
            deletedRecord="persistent",
            granularity="YYYY-MM-DDThh:mm:ssZ",
            compression=["identity"],
        )

    def listMetadataFormats(self, identifier=None):
        return [(prefix, schema, namespace) for prefix, (schema, namespace, _) in FORMATS.items()]

    def listSets(self):
        return [(spec, name, None) for spec, name in holdings.SETS.items()]

    def getRecord(self, metadataPrefix, identifier):
        for held in self.held:
            if held.identifier == identifier:
                return record(held)
        raise error.IdDoesNotExistError(f"There is no record {identifier}.")

    def listIdentifiers(self, metadataPrefix, set=None, from_=None, until=None):
        return [found[0] for found in self.listRecords(metadataPrefix, set, from_, until)]

    def listRecords(self, metadataPrefix, set=None, from_=None, until=None):
        return [
            record(held)
            for held in self.held
            if set in (None, held.set)
            and (from_ is None or held.datestamp >= from_)
            and (until is None or held.datestamp <= until)
        ]


def record(held):
    header = common.Header(None, held.identifier, held.datestamp, [held.set], held.deleted)
    return header, common.Metadata(None, {"held": [held]}), None


def writer(render):
    return lambda element, described: element.append(etree.fromstring(render(described.getField("held")[0])))


def make_application(base_url, _options):
    registry = metadata.MetadataRegistry()
    for prefix, (_, _, render) in FORMATS.items():
        registry.registerWriter(prefix, writer(render))
    server = Server(Repository(base_url), metadata_registry=registry, resumption_batch_size=holdings.PAGE_SIZE)
    return lambda environ, start: respond(start, server.handleRequest(dict(arguments_of(environ))))


if __name__ == "__main__":
    serve(make_application)
