#!/usr/bin/env bash
# Lays the programs that are proved here into FOLDER, and nothing anywhere else: packages of PyPI in two environments, those
# of Debian unpacked and not installed. Afterwards FOLDER/bin, at the head of PATH, has all that pmh.toml calls, and
# FOLDER/names and FOLDER/versions say who is there. What cannot be had is said and left out.
#
# usage: tests/peers/harvesters/setup.sh FOLDER
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "${1:?usage: setup.sh FOLDER}/bin"
folder=$(cd "$1" && pwd)
log=$folder/setup.log
: >"$folder/names"
: >"$folder/versions"
: >"$log"

# there NAME VERSION
there() {
    printf '%s\n' "$1" >>"$folder/names"
    printf '%s %s\n' "$1" "$2" | tee -a "$folder/versions"
}

absent() {
    printf '%s: not found: %s\n' "$1" "$2" >&2
}

# environment NAME REQUIREMENTS: `oaipmh` and `pyoai` bring a module of the same name, so each has one of its own.
environment() {
    python3 -m venv "$folder/$1" >>"$log" 2>&1 &&
        "$folder/$1/bin/pip" install --quiet --disable-pip-version-check -r "$here/$2" >>"$log" 2>&1 || return
    # A link would not find its packages.
    printf '#!/bin/sh\nexec "%s/bin/python" "$@"\n' "$folder/$1" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}

# pinned PACKAGE REQUIREMENTS: its version
pinned() {
    sed -n "s/^$1==//p" "$here/$2"
}

if environment python requirements.txt; then
    there sickle "$(pinned Sickle requirements.txt)"
    there scythe "$(pinned oaipmh-scythe requirements.txt)"
    there oaipmh "$(pinned oaipmh requirements.txt)"
else
    absent "sickle, scythe, oaipmh" "$(tail -n 1 "$log")"
fi
if environment python-pyoai requirements-pyoai.txt; then
    there pyoai "$(pinned pyoai requirements-pyoai.txt)"
else
    absent pyoai "$(tail -n 1 "$log")"
fi

debian() {
    mkdir -p "$folder/debs/partial" "$folder/debian"
    apt-get install --yes --no-install-recommends --download-only -o "Dir::Cache::archives=$folder/debs" \
        libhttp-oai-perl libcatmandu-oai-perl >>"$log" 2>&1 || return
    local package program compiled
    for package in "$folder"/debs/*.deb; do
        dpkg -x "$package" "$folder/debian" || return
    done
    compiled=$(perl -MConfig -e 'print $Config{vendorarch}') || return
    for program in oai_pmh catmandu; do
        printf '#!/bin/sh\nPERL5LIB="%s" exec perl "%s" "$@"\n' "$folder/debian/usr/share/perl5:$folder/debian$compiled" \
            "$folder/debian/usr/bin/$program" >"$folder/bin/$program"
        chmod +x "$folder/bin/$program"
    done
    "$folder/bin/catmandu" version >>"$log" 2>&1
}

# version MODULE
version() {
    PERL5LIB=$folder/debian/usr/share/perl5:$folder/debian$(perl -MConfig -e 'print $Config{vendorarch}') \
        perl "-M$1" -e "print \$$1::VERSION"
}

# The wrappers around both are Python.
if [[ -x $folder/bin/python ]] && debian; then
    there http-oai "$(version HTTP::OAI)"
    there catmandu "$(version Catmandu::Importer::OAI)"
else
    absent "http-oai, catmandu" "$(tail -n 1 "$log")"
fi

# Go programs cannot be fetched here, and a profile that was never tried proves nothing.
absent metha "not fetched, and no profile of it is kept"
