"""Carries HTTP on loopback to a WSGI application."""

import argparse
import os
from pathlib import Path
from urllib.parse import parse_qsl
from wsgiref.simple_server import WSGIRequestHandler, make_server

BODY_BYTES_MAX = 64 * 1024


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        """Says nothing: standard error is kept for failures."""


def arguments_of(environ):
    """The arguments of a request; the body of a POST can be read only once."""
    query = environ["QUERY_STRING"]
    if environ["REQUEST_METHOD"] == "POST":
        length = min(int(environ.get("CONTENT_LENGTH") or 0), BODY_BYTES_MAX)
        query = environ["wsgi.input"].read(length).decode("ascii", "replace")
    return parse_qsl(query, keep_blank_values=True)


def respond(start_response, body):
    start_response("200 OK", [("Content-Type", "text/xml; charset=utf-8"), ("Content-Length", str(len(body)))])
    return [body]


def serve(make_application, *flags):
    """Serves `make_application(base_url, options)` on a free port until it is ended, as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="what the server may fill; absolute")
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    with make_server("127.0.0.1", 0, None, handler_class=Quiet) as http:
        http.set_app(make_application(f"http://127.0.0.1:{http.server_port}/oai", options))
        # Written beside and renamed: a reader never sees half a number.
        partial = options.port_file.with_suffix(".partial")
        partial.write_text(f"{http.server_port}\n")
        os.replace(partial, options.port_file)
        http.serve_forever()
