#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the C ABI: each target for so many seconds, or only the ones named. What breaks it is left in artifacts/; what is new in the
# target folder. `run.sh pack` puts the smallest inputs that reach as much into corpus/.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/../target}"
seconds="${1:-20}"
shift || true
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=(arrow files names predicate schema splits)
cp ../Cargo.lock .
RUSTC_WRAPPER="$PWD/rustc.sh" cargo build
mkdir -p artifacts
# In memory where that can be.
PAIMON_FUZZ_DIR="$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)"
export PAIMON_FUZZ_DIR
trap 'rm -rf "$PAIMON_FUZZ_DIR"' EXIT
for target in "${targets[@]}"; do
	found="$CARGO_TARGET_DIR/fuzz-corpus/$target"
	mkdir -p "$found"
	tar -xzf "corpus/$target.tar.gz" -C "$found"
	fuzzer="$CARGO_TARGET_DIR/debug/$target"
	if [ "$seconds" = pack ]; then
		small="$(mktemp -d)"
		"$fuzzer" -set_cover_merge=1 -timeout=60 "$small" "$found"
		tar -C "$small" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - . | gzip -n9 >"corpus/$target.tar.gz"
		rm -r "$small"
		continue
	fi
	more=()
	[ "$target" != schema ] || more=(-dict=json.dict)
	log="$PAIMON_FUZZ_DIR/log"
	"$fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=60 -rss_limit_mb=4096 -artifact_prefix=artifacts/ "${more[@]}" "$found" \
		>"$log" 2>&1 || {
		grep -av '^#\|^"' "$log"
		echo "$target failed; its input is in $PWD/artifacts"
		exit 1
	}
	echo "$target: $(grep -a '^Done' "$log")"
done
