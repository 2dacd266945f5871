#!/usr/bin/env bash
# What people write in ten minutes: curl, sed, a loop. It asks for everything each time.
# usage: with_curl.sh BASE_URL WORK PREFIX
set -u
pages=$2/pages
mkdir -p "$pages"
run=$(($(find "$pages" -name '*-0001.xml' | wc -l) + 1))
number=1
arguments=(--data-urlencode verb=ListRecords --data-urlencode "metadataPrefix=$3")
while :; do
    file=$(printf '%s/%04d-%04d.xml' "$pages" "$run" "$number")
    curl -sSf --max-time 10 --retry 3 -G "${arguments[@]}" "$1" -o "$file" || exit 1
    token=$(sed -n 's/.*<resumptionToken[^>]*>\([^<]*\)<.*/\1/p' "$file" | tail -1)
    [[ -n $token ]] || exit 0
    arguments=(--data-urlencode verb=ListRecords --data-urlencode "resumptionToken=$token")
    number=$((number + 1))
done
