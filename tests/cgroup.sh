#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts the native threads within half a processor and 256 MiB of memory, as a container has them, and then on one processor of
# several. It makes control groups of either version, so it must be root, and
# outside of a container whose own group has processes in it.
set -euo pipefail
cd "$(dirname "$0")"

binary=$(mktemp)
groups=()
cleanup() {
	rm -f "$binary"
	for group in "${groups[@]}"; do
		[ ! -d "$group" ] || rmdir "$group"
	done
	[ -z "${added-}" ] || echo "${added//+/-}" >"$root/cgroup.subtree_control"
}
trap cleanup EXIT
go test -c -o "$binary" .

name=paimon-test-$$
root=/sys/fs/cgroup
if [ -e $root/cgroup.controllers ]; then
	enabled=" $(cat "$root/cgroup.subtree_control") " added=
	for controller in cpu memory; do
		[[ $enabled == *" $controller "* ]] || added+="+$controller "
	done
	[ -z "$added" ] || echo "$added" >"$root/cgroup.subtree_control"
	groups=("$root/$name")
	mkdir "${groups[@]}"
	echo '50000 100000' >"$root/$name/cpu.max"
	echo 256M >"$root/$name/memory.max"
else
	groups=("$root/cpu/$name" "$root/memory/$name")
	mkdir "${groups[@]}"
	echo 100000 >"$root/cpu/$name/cpu.cfs_period_us"
	echo 50000 >"$root/cpu/$name/cpu.cfs_quota_us"
	echo 256M >"$root/memory/$name/memory.limit_in_bytes"
fi

echo "== half a processor and 256 MiB, by ${groups[*]}"
(
	for group in "${groups[@]}"; do echo "$BASHPID" >"$group/cgroup.procs"; done
	exec "$binary" -test.v -test.run '^TestNativeThreads$' -processors 1
)
echo "== one processor of $(nproc)"
first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
taskset -c "$first" "$binary" -test.v -test.run '^TestNativeThreads$'
