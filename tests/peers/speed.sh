#!/usr/bin/env bash
# Compares the speed of `pmh harvest` with that of the harvester `oaipmh-scythe`: the same records, from the same
# static server on loopback, one after the other. Outside CI, because it installs packages and compiles for minutes.
#
# usage: tests/peers/speed.sh [RECORDS]        default 100000
set -euo pipefail

peers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
records=${1:-100000}
[[ $records =~ ^[1-9][0-9]*$ ]] || { echo "error: expected a number of records, found \`$records\`" >&2; exit 2; }

tmp=$(mktemp -d)
server=
clean_up() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cd "$peers/../.."
built=$(cargo bench --locked --bench speed --no-run --message-format=json)
# executable NAME: the program of that name that cargo has just built.
executable() {
    grep -o '"executable":"[^"]*"' <<<"$built" | cut -d'"' -f4 | grep -E "/$1(-[0-9a-f]+)?\$" | tail -n 1
}
speed=$(executable speed)
pmh=$(executable pmh)
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$peers/requirements.txt"
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1

# cost COMMAND…: prints wall and CPU microseconds and the peak of memory in KiB.
cost() {
    "$speed" measure "$@" >"$tmp/output" 2>"$tmp/cost" ||
        { echo "error: failed: $*" >&2; cat "$tmp/output" "$tmp/cost" >&2; exit 1; }
    sed -n 's/^measured //p' "$tmp/cost"
}

# row NAME WALL CPU KIB BASELINE-WALL
row() {
    awk -v name="$1" -v wall="$2" -v cpu="$3" -v kib="$4" -v baseline="$5" -v records="$records" 'BEGIN {
        printf "  %-26s %10.0f records/s %8.2f CPU s/1M %7.1f MiB   %.1f times scythe\n",
            name, records * 1e6 / wall, cpu / records, kib / 1024, baseline / wall
    }'
}

for page_size in 100 1000; do
    "$speed" serve --records "$records" --page-size "$page_size" >"$tmp/url" &
    server=$!
    for _ in {1..600}; do
        [[ -s $tmp/url ]] && break
        kill -0 "$server" 2>/dev/null || { echo "error: the server ended" >&2; exit 1; }
        sleep 0.1
    done
    url=$(<"$tmp/url")
    read -r scythe cpu kib <<<"$(cost "$tmp/venv/bin/python" -I "$peers/scythe_to_file.py" "$url" "$tmp/scythe.out")"
    printf '\n%s records in pages of %s\n' "$records" "$page_size"
    row "scythe, to one file" "$scythe" "$cpu" "$kib" "$scythe"
    for which in "pmh, first" "pmh, all unchanged"; do
        read -r wall cpu kib <<<"$(cost "$pmh" harvest "$url" --store "$tmp/$page_size.sqlite" --json)"
        row "$which" "$wall" "$cpu" "$kib" "$scythe"
    done
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
    rm -f "$tmp"/*.sqlite* "$tmp/scythe.out" "$tmp/url"
done
