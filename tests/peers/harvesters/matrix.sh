#!/usr/bin/env bash
# The matrix: the shipped harvester, harvesters on packages of other people and three that are wrong on purpose (one of
# them only by name), over all scenarios, RUNS times. Reports land in the folder OUT, and a verdict that differs from
# one run to the next is an error. Outside CI, because it fetches packages.
#
# usage: tests/peers/harvesters/matrix.sh OUT [PMH] [-- ARGUMENTS OF pmh prove]
#   RUNS=3    how often                       JOBS=4    scenarios side by side
#   PEERS=    a folder that setup.sh filled [default: a temporary one, filled here]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:?usage: matrix.sh OUT [PMH] [-- ARGUMENTS]}
shift
pmh=$here/../../../target/release/pmh
if [[ $# -gt 0 && $1 != -- ]]; then
    pmh=$1
    shift
fi
[[ ${1-} != -- ]] || shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
pmh=$(cd "$(dirname "$pmh")" && pwd)/$(basename "$pmh")

peers=${PEERS-}
if [[ -z $peers ]]; then
    peers=$(mktemp -d)
    trap 'rm -rf "$peers"' EXIT
    "$here/setup.sh" "$peers"
fi
harvesters=(--harvester pmh)
while read -r name; do
    harvesters+=(--harvester "$name")
done <"$peers/names"
for name in sound token-beside-arguments never-counts; do
    harvesters+=(--harvester "specimen:$name")
done

cd "$here"
for run in $(seq "${RUNS:-3}"); do
    status=0
    PYTHONDONTWRITEBYTECODE=1 PATH=$peers/bin:$PATH "$pmh" prove --jobs "${JOBS:-4}" "${harvesters[@]}" \
        --report "markdown=$out/matrix.$run.md,html=$out/matrix.$run.html,json=$out/matrix.$run.json" \
        "$@" >"$out/matrix.$run.txt" || status=$?
    # Others fail some of them: that is what the matrix is for.
    [[ $status -eq 0 || $status -eq 4 || $status -eq 5 ]] || exit "$status"
    tail -n 1 "$out/matrix.$run.txt"
done
cp "$peers/versions" "$out/versions"
python3 compare.py "$out"/matrix.*.json
python3 facts.py facts.tsv "$out/matrix.1.json"
python3 table.py "$out/versions" "$out/matrix.1.json" >"$out/matrix.md"
