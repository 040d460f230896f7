#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that other implementations of Paimon read what this package wrote: Paimon Java and
# pypaimon-rust must give exactly the expected rows of every table.
#
#   check.sh                        run ./tests/interop/write and check the tables that it writes
#   check.sh WAREHOUSE EXPECTED     check tables that exist already
#
# EXPECTED holds one DATABASE.TABLE.jsonl per table, in the format that java/src/Dump.java defines.
# Every table of the warehouse needs one. Nothing is skipped: what is missing is a failure.
# Needs a JDK (17 or later), Maven and python3 (3.10 or later, or set PYTHON), and Go for the first form.
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

read_with_java() {
    "$here/java/run.sh" dump "$@"
}

read_with_rust() {
    "$venv/bin/python" "$here/dump.py" "$@"
}

# check_table READER WAREHOUSE DATABASE TABLE EXPECTED_FILE
check_table() {
    local label="$1 $3.$4" got=$work/got.jsonl
    if ! "read_with_$1" "$2" "$3" "$4" >"$got"; then
        echo "FAIL $label: cannot be read"
        return 1
    fi
    if ! diff -u --label expected --label "read by $1" "$5" "$got" >"$work/diff.txt"; then
        echo "FAIL $label: $(wc -l <"$5") rows expected, $(wc -l <"$got") read"
        head -n 40 "$work/diff.txt"
        return 1
    fi
    echo "ok $label $(wc -l <"$got") rows"
}

need java javac mvn diff sort
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $# in
0)
    need go
    warehouse=$work/warehouse expected=$work/expected
    mkdir "$warehouse" "$expected"
    (cd "$here/../.." && go run ./tests/interop/write "$warehouse" "$expected")
    ;;
2)
    [[ -d $1 && -d $2 ]] || fail "$1 and $2 must be directories"
    warehouse=$(cd "$1" && pwd) expected=$(cd "$2" && pwd)
    ;;
*)
    sed -n 's/^#   //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac

"$here/java/run.sh" build
build_python

failed=0 tables=0
for schema in "$warehouse"/*.db/*/schema; do
    [[ -d $schema ]] || continue
    table=${schema%/schema} database=${schema%.db/*}
    name=${database##*/}.${table##*/}
    if [[ ! -f $expected/$name.jsonl ]]; then
        echo "FAIL $name: no expected rows"
        failed=$((failed + 1))
    fi
done
for file in "$expected"/*.jsonl; do
    [[ -f $file ]] || fail "no expected rows at all"
    name=$(basename "$file" .jsonl)
    tables=$((tables + 1))
    if ! LC_ALL=C sort -c "$file"; then
        echo "FAIL $name: expected rows are not sorted by bytes"
        failed=$((failed + 1))
        continue
    fi
    for reader in java rust; do
        check_table "$reader" "$warehouse" "${name%%.*}" "${name#*.}" "$file" || failed=$((failed + 1))
    done
done
[[ $failed -eq 0 ]] || fail "failures: $failed, tables: $tables"
