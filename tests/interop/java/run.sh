#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the programs in src/ with Paimon Java: needs a JDK (17 or later) and Maven.
#
#   run.sh build                            resolve the class path and compile; the others do it too
#   run.sh golden OUTDIR                    write OUTDIR/warehouse and OUTDIR/expected, see src/Golden.java
#   run.sh provision OUTDIR                 the same with many more tables, see src/Provision.java
#   run.sh matrix DIR WAREHOUSE             write the tables that DIR describes, see src/Matrix.java
#   run.sh dump WAREHOUSE OUTDIR NAME...    write the rows of tables to OUTDIR, see src/Dump.java
#
# The class path and the classes are kept in target/ until pom.xml or a source changes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/target
classpath_file=$target/classpath.txt

usage() {
    sed -n 's/^#   //p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# Succeeds when the saved class path is newer than pom.xml and all of its jars are there.
classpath_is_current() {
    [[ -f $classpath_file && ! $here/pom.xml -nt $classpath_file ]] || return 1
    local jars jar
    IFS=: read -ra jars <"$classpath_file"
    for jar in "${jars[@]}"; do
        [[ -f $jar ]] || return 1
    done
}

build() {
    mkdir -p "$target"
    if ! classpath_is_current; then
        mvn -B -q -f "$here/pom.xml" dependency:build-classpath "-Dmdep.outputFile=$classpath_file.new"
        echo >>"$classpath_file.new" # read wants a whole line
        mv "$classpath_file.new" "$classpath_file"
    fi
    local source
    for source in "$here"/src/*.java "$classpath_file"; do
        if [[ ! -f $target/compiled || $source -nt $target/compiled ]]; then
            rm -rf "$target/classes"
            javac -encoding UTF-8 --release 17 -Xlint:all,-classfile,-path,-processing,-try -Werror \
                -d "$target/classes" -cp "$(<"$classpath_file")" "$here"/src/*.java
            touch "$target/compiled"
            break
        fi
    done
}

java_main() {
    # The locale decides how Java spells file names, and with them partitions, in bytes.
    # The serial collector starts fastest, and the tables are small.
    LC_ALL=C.UTF-8 java -XX:+UseSerialGC -cp "$target/classes:$(<"$classpath_file")" "$@"
}

case ${1-} in
build)
    [[ $# -eq 1 ]] || usage
    build
    ;;
golden | provision)
    [[ $# -eq 2 ]] || usage
    build
    java_main "interop.${1^}" "$2"
    ;;
matrix)
    [[ $# -eq 3 ]] || usage
    build
    java_main interop.Matrix "$2" "$3"
    ;;
dump)
    [[ $# -ge 3 ]] || usage
    build
    java_main interop.Dump "${@:2}"
    ;;
*)
    usage
    ;;
esac
