#!/usr/bin/env bash
# Proves `pmh` against OAI-PMH programs that other people wrote: its harvester against a repository on the package
# `oaipmh`, its mock repository against the harvester `oaipmh-scythe`. Outside CI, because it installs packages.
#
# usage: tests/peers/run.sh [PMH]        the binary; default $PMH, else target/release/pmh
set -euo pipefail

peers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pmh=${1:-${PMH:-$peers/../../target/release/pmh}}
seconds_max=120

tmp=$(mktemp -d)
mark=0
held=0

# Ends only what this script started: the shell lists its own children that still run, so no pid is taken for another's.
clean_up() {
    local pid tries
    for pid in $(jobs -rp); do
        kill "$pid" 2>/dev/null || true
    done
    for tries in {1..50}; do
        [[ -n $(jobs -rp) ]] || break
        sleep 0.1
    done
    for pid in $(jobs -rp); do
        kill -KILL "$pid" 2>/dev/null || true
    done
    rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    printf 'error: %s\n' "$1" >&2
    local file
    for file in "$tmp"/*.output; do
        [[ -s $file ]] && printf -- '--- last lines of %s\n%s\n' "${file##*/}" "$(tail -n 20 "$file")" >&2
    done
    exit 1
}

hold() {
    held=$((held + 1))
    printf 'held: %s\n' "$1"
}

# expect WHAT WANTED FOUND
expect() {
    [[ $2 == "$3" ]] || fail "$1: expected
$2
found
$3"
    hold "$1"
}

# same WHAT WANTED-FILE FOUND-FILE
same() {
    cmp -s "$2" "$3" || fail "$1: differs
$(diff "$2" "$3" | head -n 20)"
    hold "$1"
}

# The environment of `pmh` is built, not inherited, so that no setting of the person who runs this takes part.
isolated=(env -i PATH="$PATH" HOME="$tmp" TZ=UTC LC_ALL=C)

peer() {
    timeout --foreground "$seconds_max" "$tmp/venv/bin/python" -I "$peers/$1" "${@:2}" 2>"$tmp/${1%.py}.output" ||
        fail "$1 failed"
}

# await_port FILE PID: sets `port`
await_port() {
    local tries
    for tries in {1..100}; do
        if [[ -s $1 ]] && port=$(<"$1") && [[ $port =~ ^[0-9]+$ ]]; then
            return
        fi
        kill -0 "$2" 2>/dev/null || fail "the program that should have written ${1##*/} has ended"
        sleep 0.1
    done
    fail "${1##*/} was not written within 10 s, or does not hold a port number: $(cat "$1" 2>/dev/null)"
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

[[ -f $pmh && -x $pmh ]] || fail "no program at \`$pmh\`; build it with \`cargo build --release\`, or name it"
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "the peers need Python 3.11 or later"
"$python" -m venv "$tmp/venv"
"$tmp/venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$peers/requirements.txt"
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1

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

printf '%d expectations held\n' "$held"
