"""The fixture: a repository that misbehaves as a scenario says, for as long as one test. `pmh` must be on PATH."""

from subprocess import PIPE, Popen

import pytest


@pytest.fixture
def base_url(tmp_path):
    with Popen(["pmh", "mock", "token/ends-early", f"--port-file={tmp_path}/port"], stdout=PIPE) as mock:
        yield mock.stdout.readline() and f"http://127.0.0.1:{(tmp_path / 'port').read_text()}/oai"
        mock.terminate()
