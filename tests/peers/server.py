"""A small repository behind the server class of the package `oaipmh`, for `pmh harvest` to read.

The package decides everything about the protocol: envelopes, resumption tokens, error codes. This file only owns the
records and carries HTTP to it (wsgiref: HTTP/1.0, one connection a request). `POST /change` withdraws 7 records and
adds 3. Every OAI-PMH request is written to the log file, one line of decoded arguments each.
"""

import argparse
import json
import os
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.parse import parse_qsl
from wsgiref.simple_server import WSGIRequestHandler, make_server

from oaipmh import common, error, metadata
from oaipmh.server import NS_OAIDC, Server, oai_dc_writer

RECORDS = 347
PAGE_SIZE = 50
# Every 29th record is a tombstone from the start: 12 of 347.
DELETED_EVERY = 29
EARLIEST = datetime(2024, 1, 1, 6, 30, 0)
BODY_BYTES_MAX = 64 * 1024


class Repository:
    """The records, under the method names that the package calls."""

    def __init__(self, base_url):
        self.base_url = base_url
        self.headers = {}
        self.titles = {}
        for number in range(RECORDS):
            # Ten neighbours share a second, so that page borders fall between equal datestamps.
            self._put(number, EARLIEST + timedelta(hours=number // 10), number % DELETED_EVERY == 7)

    def _put(self, number, datestamp, deleted):
        identifier = f"oai:peer.example:{number:04}"
        self.headers[identifier] = common.Header(None, identifier, datestamp, [], deleted)
        # A character outside ASCII, and two that XML must escape.
        self.titles[identifier] = f"Über record {number} <first> & last"

    def change(self):
        """Withdraws the first 7 live records and adds 3 new ones, all dated now."""
        now = datetime.now(timezone.utc).replace(tzinfo=None, microsecond=0)
        live = [number for number, header in enumerate(self.headers.values()) if not header.isDeleted()]
        for number in live[:7]:
            self._put(number, now, True)
        for number in range(len(self.headers), len(self.headers) + 3):
            self._put(number, now, False)

    def counts(self):
        deleted = sum(header.isDeleted() for header in self.headers.values())
        return {"live": len(self.headers) - deleted, "deleted": deleted}

    def identify(self):
        return common.Identify(
            repositoryName="Peer",
            baseURL=self.base_url,
            protocolVersion="2.0",
            adminEmails=["peer@example.org"],
            earliestDatestamp=EARLIEST,
            deletedRecord="persistent",
            granularity="YYYY-MM-DDThh:mm:ssZ",
            compression=["identity"],
        )

    def listMetadataFormats(self, identifier=None):
        if identifier is not None:
            self._header(identifier)
        return [("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", NS_OAIDC)]

    def listSets(self):
        raise error.NoSetHierarchyError("This repository has no sets.")

    def getRecord(self, metadataPrefix, identifier):
        self._refuse_unknown(metadataPrefix)
        return self._record(self._header(identifier))

    def listIdentifiers(self, metadataPrefix, set=None, from_=None, until=None):
        self._refuse_unknown(metadataPrefix, set)
        listed = [
            header
            for header in self.headers.values()
            if (from_ is None or header.datestamp() >= from_) and (until is None or header.datestamp() <= until)
        ]
        return sorted(listed, key=lambda header: (header.datestamp(), header.identifier()))

    def listRecords(self, metadataPrefix, set=None, from_=None, until=None):
        return [self._record(header) for header in self.listIdentifiers(metadataPrefix, set, from_, until)]

    def _refuse_unknown(self, metadata_prefix, set_spec=None):
        if metadata_prefix != "oai_dc":
            raise error.CannotDisseminateFormatError(f"No metadata in the format {metadata_prefix}.")
        if set_spec is not None:
            raise error.NoSetHierarchyError("This repository has no sets.")

    def _header(self, identifier):
        if identifier not in self.headers:
            raise error.IdDoesNotExistError(f"There is no record {identifier}.")
        return self.headers[identifier]

    def _record(self, header):
        title = self.titles[header.identifier()]
        described = common.Metadata(None, {"title": [title], "identifier": [header.identifier()], "type": ["Text"]})
        return header, described, None


class Application:
    """Carries WSGI requests to the package and its answers back."""

    def __init__(self, repository, log):
        registry = metadata.MetadataRegistry()
        registry.registerWriter("oai_dc", oai_dc_writer)
        self.repository = repository
        self.server = Server(repository, metadata_registry=registry, resumption_batch_size=PAGE_SIZE)
        self.log = log

    def __call__(self, environ, start_response):
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if (method, path) == ("POST", "/change"):
            self.repository.change()
            answer = json.dumps(self.repository.counts()).encode()
            return respond(start_response, "200 OK", "application/json", answer)
        if path != "/oai" or method not in ("GET", "POST"):
            return respond(start_response, "404 Not Found", "text/plain", b"OAI-PMH is at /oai\n")
        arguments = parse_qsl(query_of(environ), keep_blank_values=True)
        # Sorted, because the order of arguments means nothing.
        print(*sorted(f"{name}={value}" for name, value in arguments), file=self.log, flush=True)
        return respond(start_response, "200 OK", "text/xml; charset=utf-8", self.answer(arguments))

    def answer(self, arguments):
        # The package takes a dict, in which a repeated argument could not be seen; the protocol forbids it.
        names = [name for name, _ in arguments]
        if len(set(names)) == len(names):
            return self.server.handleRequest(dict(arguments))
        try:
            raise error.BadArgumentError("An argument is repeated.")
        except error.BadArgumentError:
            return self.server.handleException({}, sys.exc_info())


def query_of(environ):
    if environ["REQUEST_METHOD"] == "GET":
        return environ["QUERY_STRING"]
    length = min(int(environ.get("CONTENT_LENGTH") or 0), BODY_BYTES_MAX)
    return environ["wsgi.input"].read(length).decode("ascii", "replace")


def respond(start_response, status, content_type, body):
    start_response(status, [("Content-Type", content_type), ("Content-Length", str(len(body)))])
    return [body]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        """Says nothing: the log file has the arguments, and standard error is kept for failures."""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    with options.log.open("a") as log, make_server("127.0.0.1", 0, None, handler_class=Quiet) as http:
        repository = Repository(f"http://127.0.0.1:{http.server_port}/oai")
        http.set_app(Application(repository, log))
        # Written beside and renamed: a reader never sees half a number.
        partial = options.port_file.with_suffix(".partial")
        partial.write_text(f"{http.server_port}\n")
        os.replace(partial, options.port_file)
        http.serve_forever()


if __name__ == "__main__":
    main()
