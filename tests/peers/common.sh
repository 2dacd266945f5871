# What the scripts in this folder share: expectations, throw-away folders, programs that are ended again.
# Sourced, not run; $1 may be the program to prove.

peers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pmh=${1:-${PMH:-$peers/../../target/release/pmh}}
seconds_max=120

tmp=$(mktemp -d)
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

# await_port FILE PID: sets `port`
await_port() {
    local tries
    for tries in {1..300}; do
        if [[ -s $1 ]] && port=$(<"$1") && [[ $port =~ ^[0-9]+$ ]]; then
            return
        fi
        kill -0 "$2" 2>/dev/null || fail "the program that should have written ${1##*/} has ended"
        sleep 0.1
    done
    fail "${1##*/} was not written within 30 s, or does not hold a port number: $(cat "$1" 2>/dev/null)"
}

[[ -f $pmh && -x $pmh ]] || fail "no program at \`$pmh\`; build it with \`cargo build --release\`, or name it"
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "the peers need Python 3.11 or later"
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
