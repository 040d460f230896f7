#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the Go tests as programs for linux/arm64, under QEMU, without cgo. The arguments are those of go test.
#
# The programs see no arm64 library but those of Debian's libc6, which is unpacked in a folder here. Needs apt-get and
# qemu-user-static; as nothing is installed, it needs no rights.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/root

command -v qemu-aarch64-static >/dev/null || {
	echo "$0: qemu-aarch64-static is missing: it comes with Debian's qemu-user-static" >&2
	exit 1
}
if [ ! -e "$root/lib/aarch64-linux-gnu/libc.so.6" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	: >"$work/status"
	apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Acquire::Languages=none -o APT::Sandbox::User=
		-o Dir::State="$work" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache")
	"${apt[@]}" update
	(cd "$work" && "${apt[@]}" download libc6)
	rm -rf "$root" "$root.new"
	dpkg -x "$work"/libc6_*.deb "$root.new"
	mv "$root.new" "$root" # so that it is there in full or not at all
fi
GOOS=linux GOARCH=arm64 CGO_ENABLED=0 exec go test -exec "$here/exec.sh" "$@"
