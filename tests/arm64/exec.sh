#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs an arm64 program for run.sh. A script takes the program's place, so that it can start itself by its name.
set -eu
program=$1
shift
case $program in
/*) ;;
*) program=$PWD/$program ;;
esac
[ -e "$program.arm64" ] || {
	mv "$program" "$program.arm64"
	printf '#!/bin/sh\nexec "%s" -L "%s" -0 "$0" "$0.arm64" "$@"\n' "$(command -v qemu-aarch64-static)" "$(dirname "$(readlink -f "$0")")/root" >"$program"
	chmod +x "$program"
}
exec "$program" "$@"
