#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Fills a warehouse folder with the test tables, without Docker. Needs Java 17, Maven and Python 3.9 to 3.11.
#
#   run.sh WAREHOUSE            fill an empty folder, then verify it
#   run.sh --verify WAREHOUSE   verify only
#   run.sh --fetch              only fetch Spark and Paimon into the cache
#
# JAVA_HOME chooses the JDK, PYTHON the interpreter, PAIMON_SPARK_CACHE the cache (default: .cache beside this script).
set -euo pipefail

PAIMON_VERSION=0.9.0
PAIMON_SHA256=e9e8a90a630a1440dfd869bb568c8fc916d6de23bc162922cc0c2684ed6fa15b
MAVEN_DEPENDENCY_PLUGIN=org.apache.maven.plugins:maven-dependency-plugin:3.8.1

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${PAIMON_SPARK_CACHE:-$here/.cache}
venv=$cache/venv
jar=$cache/paimon-spark-3.5-$PAIMON_VERSION.jar

die() {
    echo "run.sh: $*" >&2
    exit 1
}

# sha256 FILE prints the digest of a file.
sha256() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

fetch_spark() {
    # The copy of the requirements is written last, so a venv without it is one that was never finished.
    cmp -s "$here/requirements.txt" "$venv/requirements.txt" && return
    local python=${PYTHON:-python3}
    "$python" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 11))' ||
        die "Spark 3.5 needs Python 3.9 to 3.11; name one in PYTHON"
    echo "fetching Spark (370 MB installed)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/requirements.txt"
}

fetch_paimon() {
    local log digest
    if [ ! -f "$jar" ]; then
        command -v mvn >/dev/null || die "Maven is needed to fetch Paimon"
        echo "fetching Paimon $PAIMON_VERSION (42 MB)"
        log=$(mvn --batch-mode "$MAVEN_DEPENDENCY_PLUGIN:copy" -DoutputDirectory="$cache" \
            -Dartifact="org.apache.paimon:paimon-spark-3.5:$PAIMON_VERSION" 2>&1) || die "Maven failed: $log"
    fi
    digest=$(sha256 "$jar")
    [ "$digest" = "$PAIMON_SHA256" ] || die "$jar has SHA-256 $digest, expected $PAIMON_SHA256; remove it and run again"
}

check_java() {
    local java=${JAVA_HOME:+$JAVA_HOME/bin/}java
    local version
    version=$("$java" -version 2>&1) || die "no Java found; install Java 17 or set JAVA_HOME"
    [[ $version =~ version\ \"17[.\"] ]] || die "Spark 3.5 is run here with Java 17 only; set JAVA_HOME to one"
}

case ${1-} in
    --fetch) [ $# -eq 1 ] || die "usage: run.sh --fetch" ;;
    --verify) [ $# -eq 2 ] || die "usage: run.sh --verify WAREHOUSE" ;;
    -* | '') die "usage: run.sh [--verify] WAREHOUSE | --fetch" ;;
    *) [ $# -eq 1 ] || die "usage: run.sh WAREHOUSE" ;;
esac

check_java
mkdir -p "$cache"
fetch_spark
fetch_paimon
[ "$1" != --fetch ] || exit 0

# An installation of Spark named by the caller's environment must not take the place of the pinned one.
unset SPARK_HOME SPARK_CONF_DIR PYSPARK_SUBMIT_ARGS SPARK_LOCAL_DIRS
export SPARK_LOCAL_IP=127.0.0.1
export PAIMON_SPARK_JAR=$jar
exec "$venv/bin/python" -B "$here/provision.py" "$@"
