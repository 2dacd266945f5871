#!/usr/bin/env bash
# The matrix: the shipped harvester, harvesters on four packages of other people, two loops of our own and three that
# are wrong on purpose, over all scenarios. Outside CI, because it installs packages. Reports land in the folder OUT.
#
# usage: tests/peers/harvesters/matrix.sh OUT [PMH] [-- ARGUMENTS OF pmh prove]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=${1:?usage: matrix.sh OUT [PMH] [-- ARGUMENTS]}
shift
pmh=$root/target/release/pmh
if [[ $# -gt 0 && $1 != -- ]]; then
    pmh=$1
    shift
fi
[[ ${1-} != -- ]] || shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
pmh=$(cd "$(dirname "$pmh")" && pwd)/$(basename "$pmh")

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
# `oaipmh` and `pyoai` bring a module of the same name: each has an environment of its own.
python3 -m venv "$tmp/one"
"$tmp/one/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
python3 -m venv "$tmp/two"
"$tmp/two/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements-pyoai.txt"
for pair in python:one python-pyoai:two; do
    # A link would not find its packages.
    printf '#!/bin/sh\nexec "%s/bin/python" "$@"\n' "$tmp/${pair#*:}" >"$tmp/bin/${pair%:*}"
    chmod +x "$tmp/bin/${pair%:*}"
done

cd "$here"
status=0
PYTHONDONTWRITEBYTECODE=1 PATH=$tmp/bin:$PATH "$pmh" prove --jobs 2 \
    --harvester pmh --harvester sickle --harvester scythe --harvester oaipmh --harvester pyoai \
    --harvester urllib --harvester curl \
    --harvester specimen:sound --harvester specimen:token-beside-arguments --harvester specimen:never-counts \
    --report "markdown=$out/matrix.md,html=$out/matrix.html,json=$out/matrix.json,junit=$out/matrix.xml,tap=$out/matrix.tap" \
    "$@" >"$out/matrix.txt" || status=$?
tail -12 "$out/matrix.txt"
# Others fail some of them: that is what the matrix is for.
[[ $status -eq 0 || $status -eq 4 || $status -eq 5 ]]
