#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that implementations of Paimon agree on tables, row by row and value by value.
#
#   check.sh                        what ./tests/interop/write writes with this package is read by the
#                                   others, and what Java writes (java/src/Provision.java, and the golden
#                                   tables) by this package
#   check.sh WAREHOUSE EXPECTED     check tables that exist already: the others read them
#   check.sh venv                   only make .venv, with pypaimon and pypaimon-rust, as make bench needs it
#
# The others are Paimon Java, pypaimon and pypaimon-rust, all three of which must give the expected
# rows, save that pypaimon has no MULTISET and pypaimon-rust no tags. EXPECTED holds one NAME.jsonl per table, in the format that
# java/src/Dump.java defines, which says what a name is. Every table of the warehouse needs one.
# Nothing is skipped: what is missing is a failure.
# Needs a JDK (17 or later), Maven and python3 (3.10 to 3.13, or set PYTHON), and Go for the first form; the last one Python only.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$here/.venv

fail() {
    echo "check.sh: $*" >&2
    exit 1
}

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || fail "$tool is not installed"
    done
}

# Makes the virtual environment anew unless it has what requirements.txt asks for.
build_python() {
    local python=${PYTHON:-python3}
    need "$python"
    if cmp -s "$here/requirements.txt" "$venv/installed.txt" && "$venv/bin/python" -c 'pass'; then
        return
    fi
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "$python is older than 3.10"
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
        -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/installed.txt"
}

# dump READER WAREHOUSE OUTDIR NAME...
dump() {
    case $1 in
    java) "$here/java/run.sh" dump "${@:2}" ;;
    *) "$venv/bin/python" "$here/dump.py" "$@" ;;
    esac
}

# lacks READER WAREHOUSE NAME: whether the reader has no way at all to read this.
lacks() {
    local table=${3#*.}
    case $1 in
    python) grep -qs '"MULTISET' "$2/${3%%.*}.db/${table%%[@$]*}"/schema/schema-* ;;
    rust) [[ $3 = *@* ]] ;;
    *) false ;;
    esac
}

# check_tables WAREHOUSE EXPECTED
check_tables() {
    local schema table database file name reader names=() failed=0
    for schema in "$1"/*.db/*/schema; do
        [[ -d $schema ]] || continue
        table=${schema%/schema} database=${schema%.db/*}
        name=${database##*/}.${table##*/}
        if [[ ! -f $2/$name.jsonl ]]; then
            echo "FAIL $name: no expected rows"
            failed=$((failed + 1))
        fi
    done
    for file in "$2"/*.jsonl; do
        [[ -f $file ]] || fail "no expected rows at all"
        LC_ALL=C sort -c "$file" || fail "$file is not sorted by bytes"
        names+=("$(basename "$file" .jsonl)")
    done
    for reader in java python rust; do
        local out=$work/$reader readable=()
        rm -rf "$out"
        mkdir "$out"
        for name in "${names[@]}"; do
            lacks "$reader" "$1" "$name" || readable+=("$name")
        done
        dump "$reader" "$1" "$out" "${readable[@]}" || true # what it could not read is missing
        for name in "${readable[@]}"; do
            if [[ ! -f $out/$name.jsonl ]]; then
                echo "FAIL $reader $name: cannot be read"
            elif ! diff -u --label expected --label "read by $reader" "$2/$name.jsonl" "$out/$name.jsonl" >"$work/diff.txt"; then
                echo "FAIL $reader $name: $(wc -l <"$2/$name.jsonl") rows expected, $(wc -l <"$out/$name.jsonl") read"
                head -n 40 "$work/diff.txt"
            else
                echo "ok $reader $name $(wc -l <"$out/$name.jsonl") rows"
                continue
            fi
            failed=$((failed + 1))
        done
    done
    [[ $failed -eq 0 ]] || fail "failures: $failed, tables: ${#names[@]}"
}

# read_with_go DIRECTORY, which has warehouse and expected
read_with_go() {
    (cd "$here/../.." && PAIMON_TEST_INTEROP=$1 go test -count=1 -tags interop -run '^TestInterop$' ./tests)
}

if [[ $# -eq 1 && $1 = venv ]]; then
    build_python
    exit
fi
need java javac mvn diff sort
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $# in
0)
    need go
    ;;
2)
    [[ -d $1 && -d $2 ]] || fail "$1 and $2 must be directories"
    ;;
*)
    sed -n 's/^#   //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac

"$here/java/run.sh" build
build_python

if [[ $# -eq 2 ]]; then
    check_tables "$(cd "$1" && pwd)" "$(cd "$2" && pwd)"
    exit
fi
mkdir -p "$work/go/warehouse" "$work/go/expected"
(cd "$here/../.." && go run ./tests/interop/write "$work/go/warehouse" "$work/go/expected")
check_tables "$work/go/warehouse" "$work/go/expected"
read_with_go "$work/go"
"$here/java/run.sh" provision "$work/provision"
read_with_go "$work/provision"
read_with_go "$here/../testdata"
