#!/usr/bin/env bash
# Proves `pmh` against OAI-PMH programs that other people wrote: its harvester against a repository on the package
# `oaipmh`, its mock repository against the harvester `oaipmh-scythe`. Outside CI, because it installs packages.
#
# usage: tests/peers/run.sh [PMH]        the binary; default $PMH, else target/release/pmh
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mark=0

peer() {
    timeout --foreground "$seconds_max" "$tmp/venv/bin/python" -I "$peers/$1" "${@:2}" 2>"$tmp/${1%.py}.output" ||
        fail "$1 failed"
}

# harvest WHICH: one run of `pmh harvest`. Afterwards `requests` prints the list requests that it sent.
harvest() {
    mark=$(wc -l <"$tmp/requests")
    # A second must pass, or a row that was written again would carry the same `harvested_at`.
    sleep 1.1
    local status=0
    "${isolated[@]}" timeout --foreground "$seconds_max" "$pmh" harvest "$base" --store "$store" >"$tmp/harvest.output" 2>&1 ||
        status=$?
    [[ $status -eq 0 ]] || fail "the $1 harvest ended with exit code $status, expected 0"
    hold "the $1 harvest ends with exit code 0"
}

requests() {
    tail -n "+$((mark + 1))" "$tmp/requests" | grep -w 'verb=ListRecords' || true
}

# incremental WHICH: the run asked for one list, from a date on, in the repository's granularity.
incremental() {
    local sent
    sent=$(requests)
    [[ $sent =~ ^from=[0-9-]{10}T[0-9:]{8}Z\ metadataPrefix=oai_dc\ verb=ListRecords$ ]] ||
        fail "the $1 harvest: expected one list request with a from in seconds, found
$sent"
    hold "the $1 harvest asks for one list, from a date on"
}

"$python" -m venv "$tmp/venv"
"$tmp/venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$peers/requirements.txt"

"$tmp/venv/bin/python" -I "$peers/server.py" --port-file "$tmp/server.port" --log "$tmp/requests" \
    >"$tmp/server.output" 2>&1 &
await_port "$tmp/server.port" $!
base=http://127.0.0.1:$port/oai
store=$tmp/store.sqlite

# 1. A first harvest: 347 records in seven pages.
harvest first
expect "the first harvest asks for seven pages and gives every token back as it came" "$(
    echo 'metadataPrefix=oai_dc verb=ListRecords'
    for offset in 50 100 150 200 250 300; do
        echo "resumptionToken=metadataPrefix%3Doai_dc%26cursor%3D$offset verb=ListRecords"
    done
)" "$(requests)"
counts=$(peer store.py "$store" --rows "$tmp/store.1" --all "$tmp/all.1")
expect "the store holds what the repository has" '{"live": 335, "deleted": 12}' "$counts"
counts=$(peer scythe.py "$base" --rows "$tmp/scythe.1")
expect "scythe counts the same" '{"live": 335, "deleted": 12}' "$counts"
same "the store holds the records that scythe reads" "$tmp/scythe.1" "$tmp/store.1"

# 2. Nothing new: the repository answers noRecordsMatch.
harvest second
incremental second
peer store.py "$store" --all "$tmp/all.2" >/dev/null
same "the second harvest changes no row" "$tmp/all.1" "$tmp/all.2"

# 3. Seven records are withdrawn and three are added.
changed=$("$tmp/venv/bin/python" -I -c \
    'import sys, urllib.request as r; print(r.urlopen(r.Request(sys.argv[1], b"", method="POST"), timeout=10).read().decode())' \
    "http://127.0.0.1:$port/change")
expect "the repository withdraws seven records and adds three" '{"live": 331, "deleted": 19}' "$changed"
harvest third
incremental third
counts=$(peer store.py "$store" --rows "$tmp/store.3" --all "$tmp/all.3")
expect "the store follows the changes" '{"live": 331, "deleted": 19}' "$counts"
peer scythe.py "$base" --rows "$tmp/scythe.3" >/dev/null
same "the store holds the records that scythe reads now" "$tmp/scythe.3" "$tmp/store.3"

# The windows overlap, so the same ten records are delivered once more.
harvest fourth
incremental fourth
peer store.py "$store" --all "$tmp/all.4" >/dev/null
same "records delivered again change no row" "$tmp/all.3" "$tmp/all.4"

# 4. The other way round: scythe reads the mock repository.
"${isolated[@]}" "$pmh" mock --records 350 --page-size 50 --seed 1 --port-file "$tmp/mock.port" >"$tmp/mock.output" 2>&1 &
await_port "$tmp/mock.port" $!
counts=$(peer scythe.py "http://127.0.0.1:$port/oai")
[[ $counts =~ ^\{\"live\":\ ([0-9]+),\ \"deleted\":\ ([0-9]+)\}$ ]] || fail "scythe.py printed \`$counts\`"
expect "scythe reads every record of the mock repository" 350 $((BASH_REMATCH[1] + BASH_REMATCH[2]))

# 5. The fixture for pytest: a project's own test, with the mock beside it.
"$tmp/venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$peers/requirements-pytest.txt"
mkdir "$tmp/bin"
ln -s "$(cd "$(dirname "$pmh")" && pwd)/$(basename "$pmh")" "$tmp/bin/pmh"
PATH=$tmp/bin:$PATH timeout --foreground "$seconds_max" "$tmp/venv/bin/python" -B -m pytest -q -p no:cacheprovider \
    "$peers/pytest" >"$tmp/pytest.output" 2>&1 || fail "the example for pytest failed"
grep -q '^1 passed' "$tmp/pytest.output" || fail "the example for pytest ran another number of tests than one"
hold "the example for pytest passes"

printf '%d expectations held\n' "$held"
