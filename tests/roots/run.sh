#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Starts programs in the roots and under the conditions that services run in, and says what happened. Each check fails where
# it sees anything else than it should. Needs root (for mounts, in a namespace of their own), Debian on amd64 (musl comes from its packages), Go, gcc.
set -euo pipefail
if [ "${1-}" != inside ]; then
	[ "$(id -u)" = 0 ] || {
		echo 'this needs root, to mount and to change the root' >&2
		exit 1
	}
	exec unshare --mount --propagation private "$0" inside
fi
cd "$(dirname "$0")/../.."
unset PAIMON_LIBRARY_PATH PAIMON_CACHE_DIR XDG_CACHE_HOME TMPDIR

work=$(mktemp -d)
mount -t tmpfs -o mode=755 tmpfs "$work" # with all that is mounted below it is gone when this ends
trap 'umount --recursive --lazy "$work"; rmdir "$work"' EXIT

check() { printf '\n== %s\n' "$*"; }
fail() {
	printf 'FAILED: %s\n' "$*" >&2
	exit 1
}
# says PATTERN COMMAND...: the command succeeds and prints something like the pattern.
says() {
	local out
	out=$("${@:2}" 2>&1) || fail "$out"
	printf '  %s\n' "$out"
	grep -qE -- "$1" <<<"$out" || fail "this is not like: $1"
}
# refuses PATTERN... -- COMMAND...: the command fails, without a crash, and its message is like all of the patterns.
refuses() {
	local patterns=() out
	while [ "$1" != -- ]; do
		patterns+=("$1")
		shift
	done
	out=$("${@:2}" 2>&1) && fail "it started: $out"
	printf '  %s\n' "$out"
	for pattern in "${patterns[@]}" ; do
		grep -qE -- "$pattern" <<<"$out" || fail "this is not like: $pattern"
	done
	! grep -qE 'goroutine |SIG(SEGV|BUS|ABRT)' <<<"$out" || fail 'a crash'
}
# holds FOLDER NAME...: there are these files and no others below the folder.
holds() {
	local folder=$1 found
	shift
	found=$(find "$folder" -xdev -mindepth 1 ! -type d -printf '%P\n' | sort)
	printf '  in %s: %s\n' "${folder#"$work"/}" "${found:-nothing}"
	[ "$(sed -E 's/^(.*libpaimon_c)-.*\.so$/\1/' <<<"$found")" = "$(printf '%s\n' "$@")" ] || fail 'other files'
}
fresh() { # a clean environment
	env -i PATH="$PATH" "$@"
}

for cgo in 0 1; do
	CGO_ENABLED=$cgo go build -o "$work/quickstart-$cgo" ./examples/quickstart
	CGO_ENABLED=$cgo go build -o "$work/start-$cgo" ./tests/start
done

# musl, unpacked and not installed: where it is, other programs take the machine for one that runs on it.
mkdir "$work/musl-packages"
(
	cd "$work/musl-packages"
	apt-get update -qq
	apt-get -qq -o APT::Sandbox::User=root download musl musl-dev musl-tools
	for package in *.deb; do
		dpkg --extract "$package" .
	done
	cp lib/x86_64-linux-musl/libc.so usr/lib/x86_64-linux-musl/ # where it is when /lib is /usr/lib
	sed -i "s#/usr/#$PWD/usr/#g" usr/lib/x86_64-linux-musl/musl-gcc.specs
)
CGO_ENABLED=1 CC="gcc -specs $work/musl-packages/usr/lib/x86_64-linux-musl/musl-gcc.specs" go build -o "$work/start-musl" ./tests/start
go run ./examples/quickstart >"$work/expected"

# root NAME: a root with nothing but what the C library consists of, our programs, /tmp and an empty /proc.
glibc=$(dirname "$(ldconfig -p | sed -nE 's/.*libc\.so\.6 \(.*x86-64.*\) => //p' | head -1)")
root() {
	root=$work/$1
	mkdir -p "$root"/{bin,proc,tmp,home/app,lib64} "$root$glibc"
	chmod 1777 "$root/tmp"
	cp "$(readlink -f /lib64/ld-linux-x86-64.so.2)" "$root/lib64/ld-linux-x86-64.so.2"
	for name in c m dl pthread rt; do
		cp -L "$glibc/lib$name".so.? "$root$glibc/"
	done
	cp "$work"/{quickstart,start}-? "$root/bin/"
}

for cgo in 0 1; do
	check "nothing but glibc, no libffi, cgo $cgo, without /proc"
	root "glibc-$cgo"
	(cd "$root" && find . -type f | sort | sed 's/^/  /')
	diff "$work/expected" <(fresh chroot "$root" "/bin/quickstart-$cgo") || fail 'the quickstart'
	echo '  the quickstart ran'
	holds "$root/tmp" paimon-go-0/libpaimon_c
	rm -r "$root/tmp/paimon-go-0"

	check "nothing but glibc, no libffi, cgo $cgo, with /proc"
	mount -t proc proc "$root/proc"
	diff "$work/expected" <(fresh chroot "$root" "/bin/quickstart-$cgo") || fail 'the quickstart'
	echo '  the quickstart ran'
	holds "$root/tmp" ''
	says '"Library":"/memfd:libpaimon_c' fresh chroot "$root" "/bin/start-$cgo" -once
done

check 'a read-only root, with /proc and without'
root read-only
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
fresh PAIMON_CACHE_DIR=/baked chroot "$root" /bin/start-0 -once >/dev/null
mount -o remount,ro,bind "$root"
says '"Library":"/baked/libpaimon_c' fresh PAIMON_CACHE_DIR=/baked chroot "$root" /bin/start-0 -once
says '"Library":"/memfd:libpaimon_c' fresh HOME=/home/app chroot "$root" /bin/start-0 -once
says '"Library":"/memfd:libpaimon_c' fresh HOME=/home/app PAIMON_CACHE_DIR=/home/app/cache chroot "$root" /bin/start-1 -once
umount "$root/proc"
echo '  without /proc too, not even libffi can be loaded:'
out=$(fresh HOME=/home/app chroot "$root" /bin/start-0 -once 2>&1) && fail "it started: $out"
printf '  %s\n' "$(head -1 <<<"$out")"
grep -q 'panic: paimon: the system has no libffi.so.8 (package libffi8 or libffi)' <<<"$out" || fail 'the panic does not say why'

# From here on there is a libffi, so that errors can be seen where there is no place.
check 'folders from which nothing may be executed'
root noexec
cp -L "$glibc/libffi.so.8" "$root$glibc/"
mount -t tmpfs -o noexec tmpfs "$root/tmp"
mount -t tmpfs -o noexec,mode=700 tmpfs "$root/home/app"
refuses '/home/app/.cache/paimon-go: nothing in it may be executed.*noexec|/home/app/.cache/paimon-go: .*failed to map' 'memory: /proc is not mounted' \
	'/tmp/paimon-go-0: .*(noexec|failed to map)' PAIMON_CACHE_DIR SetNativeCache -- fresh HOME=/home/app chroot "$root" /bin/start-0 -once
rm -rf "$root"/tmp/* "$root"/home/app/.cache
mount -t proc proc "$root/proc"
says '"Library":"/memfd:libpaimon_c' fresh HOME=/home/app chroot "$root" /bin/start-0 -once
says '"Library":"/memfd:libpaimon_c' fresh PAIMON_CACHE_DIR=/tmp/cache chroot "$root" /bin/start-0 -once
holds "$root/tmp" ''
holds "$root/home/app" ''
mkdir "$root/exec"
says '"Library":"/exec/cache/libpaimon_c' fresh PAIMON_CACHE_DIR=/exec/cache chroot "$root" /bin/start-0 -once

check 'a full disk'
root full
cp -L "$glibc/libffi.so.8" "$root$glibc/"
mount -t tmpfs -o size=1m tmpfs "$root/tmp"
mount -t tmpfs -o size=1m,mode=700 tmpfs "$root/home/app"
refuses '/home/app/.cache/paimon-go: no space left on device' '/tmp/paimon-go-0: no space left on device' 'memory: /proc is not mounted' PAIMON_CACHE_DIR \
	-- fresh HOME=/home/app chroot "$root" /bin/start-0 -once
holds "$root/tmp" ''
mount -t proc proc "$root/proc"
says '"Library":"/memfd:libpaimon_c' fresh HOME=/home/app chroot "$root" /bin/start-0 -once
holds "$root/home/app" ''

check 'a user without a home'
user=(setpriv --reuid 12345 --regid 12345 --clear-groups)
chmod 755 "$work"
cd / # which the user can read
says '"Library":"/memfd:libpaimon_c' fresh "${user[@]}" "$work/start-0" -once
says '"Library":"/memfd:libpaimon_c' fresh HOME=/nonexistent TMPDIR=/nonexistent "${user[@]}" "$work/start-0" -once
install -d -m 700 "$work/another's"
says '"Library":"/memfd:libpaimon_c' fresh HOME="$work/another's" "${user[@]}" "$work/start-1" -once
install -d -o 12345 "$work/home"
says "\"Library\":\"$work/home/.cache/paimon-go/libpaimon_c" fresh HOME="$work/home" "${user[@]}" "$work/start-0" -once
echo '  root in the home of this user leaves nothing there:'
rm -r "$work/home/.cache"
says '"Library":"/memfd:libpaimon_c' fresh HOME="$work/home" "$work/start-0" -once
holds "$work/home" ''

check 'a set-uid program listens to none of its caller'
install -m 4755 "$work/start-0" "$work/start-setuid"
echo '#include <stdlib.h>
#include <stdio.h>
__attribute__((constructor)) static void planted(void) { puts("PLANTED"); exit(0); }' >"$work/planted.c"
gcc -shared -fPIC -o "$work/planted.so" "$work/planted.c"
says PLANTED fresh PAIMON_LIBRARY_PATH="$work/planted.so" "${user[@]}" "$work/start-0" -once # it would show
says '"Library":"/memfd:libpaimon_c' fresh PAIMON_LIBRARY_PATH="$work/planted.so" HOME="$work/home" "${user[@]}" "$work/start-setuid" -once
cd "$OLDPWD"

check "another user's folder, file and link"
plant() { # the folder, and whose it is
	rm -rf "$1"
	install -d -o "$2" -m "$3" "$1"
	install -o "$2" -m 755 "$work/planted.so" "$1/$copy"
}
PAIMON_CACHE_DIR=$work/cache "$work/start-0" -once >/dev/null
copy=$(cd "$work/cache" && ls)
plant "$work/cache" 12345 700
says '"Library":"/memfd:libpaimon_c' env PAIMON_CACHE_DIR="$work/cache" "$work/start-0" -once
plant "$work/cache" 12345 755
says '"Library":"/memfd:libpaimon_c' env PAIMON_CACHE_DIR="$work/cache" "$work/start-0" -once
plant "$work/cache" 0 777
says '"Library":"/memfd:libpaimon_c' env PAIMON_CACHE_DIR="$work/cache" "$work/start-0" -once
ln -s cache "$work/link"
chown -h 12345 "$work/link"
says '"Library":"/memfd:libpaimon_c' env PAIMON_CACHE_DIR="$work/link" "$work/start-0" -once
echo '  a file of theirs in a folder of ours is replaced:'
plant "$work/cache" 0 700
chown 12345 "$work/cache/$copy"
says "\"Library\":\"$work/cache/libpaimon_c" env PAIMON_CACHE_DIR="$work/cache" "$work/start-0" -once
echo '  in the folder for temporary files, which is the last resort:'
root planted
cp -L "$glibc/libffi.so.8" "$root$glibc/"
plant "$root/tmp/paimon-go-0" 12345 700
refuses '/tmp/paimon-go-0: it belongs to user 12345, and this process is user 0' -- fresh chroot "$root" /bin/start-0 -once
rm -r "$root/tmp/paimon-go-0"
ln -s /home/app "$root/tmp/paimon-go-0"
refuses '/tmp/paimon-go-0: it is a symbolic link' -- fresh chroot "$root" /bin/start-0 -once

check 'two processes at once, 20 times, nothing unpacked yet'
for _ in $(seq 20); do
	rm -rf "$work/cache"
	for _ in 1 2; do
		PAIMON_CACHE_DIR=$work/cache "$work/start-0" -once >>"$work/pairs" &
	done
	wait -n
	wait -n
done
[ "$(grep -c "\"Library\":\"$work/cache/libpaimon_c" "$work/pairs")" = 40 ] || fail "$(cat "$work/pairs")"
echo '  40 starts, all from the folder'
holds "$work/cache" libpaimon_c

# killed PROGRAM...: kill it 100 times, at any time of a first start, which is mostly unpacking.
killed() {
	local killed=0 began=${EPOCHREALTIME/./} took
	"$@" >/dev/null
	took=$((${EPOCHREALTIME/./} - began))
	for i in $(seq 100); do
		rm -f "${cache:?}"/libpaimon_c*.so # or nothing would be unpacked
		"$@" >/dev/null 2>&1 &
		sleep "$(printf '0.%06d' $((took * i / 100)))"
		! kill -9 $! 2>/dev/null || killed=$((killed + 1))
		wait $! 2>/dev/null || true
	done
	rm -f "${cache:?}"/libpaimon_c*.so
	echo "  killed $killed of 100, within $((took / 1000)) ms"
	[ "$killed" -ge 30 ] || fail 'too few were still running'
}
check 'kill -9 while unpacking, 100 times: nothing is left'
cache=$work/killed
mkdir -m 700 "$cache"
killed env PAIMON_CACHE_DIR="$cache" "$work/start-0" -once
holds "$cache" ''

check 'the same where files cannot be made without a name (no /proc): the next start clears up'
root killed
cp -L "$glibc/libffi.so.8" "$root$glibc/"
cache=$root/home/app/cache
mkdir -m 700 "$cache"
killed fresh PAIMON_CACHE_DIR=/home/app/cache chroot "$root" /bin/start-0 -once
find "$cache" -type f -printf '  left: %f, %s bytes\n'
fresh PAIMON_CACHE_DIR=/home/app/cache chroot "$root" /bin/start-0 -once >/dev/null
holds "$cache" libpaimon_c

check 'a kernel that keeps files in memory from being executable (vm.memfd_noexec = 2)'
if [ -e /proc/sys/vm/memfd_noexec ]; then
	says '"Library":"/memfd:libpaimon_c' unshare --pid --fork --mount-proc env PAIMON_CACHE_DIR=off \
		sh -c 'echo 2 >/proc/sys/vm/memfd_noexec && exec "$0" -once' "$work/start-0"
else
	echo '  this kernel has no such setting'
fi

check 'musl in place of glibc'
root=$work/musl
mkdir -p "$root"/{bin,lib,tmp,proc}
cp -L "$work/musl-packages/lib/ld-musl-x86_64.so.1" "$root/lib/"
cp "$work"/start-* "$root/bin/"
mount -t proc proc "$root/proc"
echo '  built on glibc: the kernel finds no dynamic loader, so nothing of the program runs'
for cgo in 0 1; do
	refuses 'No such file or directory' -- fresh chroot "$root" "/bin/start-$cgo" -once
done
echo '  built on musl:'
refuses 'the C library of this program is not glibc' 'Platforms in README' -- fresh chroot "$root" /bin/start-musl -once

check 'a glibc older than a library needs'
echo 'void newer(void) {}' >"$work/libc.c"
echo 'GLIBC_9.99 { newer; };' >"$work/libc.map"
echo 'void newer(void); void paimon_old(void) { newer(); }' >"$work/old.c"
gcc -shared -fPIC -nostdlib -Wl,-soname,libc.so.6 -Wl,--version-script="$work/libc.map" -o "$work/libc-newer.so" "$work/libc.c"
gcc -shared -fPIC -nostdlib -o "$work/old.so" "$work/old.c" "$work/libc-newer.so"
refuses "version .GLIBC_9.99. not found" "the system's glibc is older than the library needs" -- env PAIMON_LIBRARY_PATH="$work/old.so" "$work/start-0" -once

check 'start times'
"$work/start-0" -n 11

check 'the Go tests without a C compiler' # last, since nothing brings it back
touch "$work/no-compiler"
{ type -ap cc c++ gcc g++ clang clang++ tcc musl-gcc || true; } | xargs readlink -f | sort -u | while read -r compiler; do
	mount --bind "$work/no-compiler" "$compiler"
done
choice=(env -u CC -u CXX -u CGO_ENABLED) # what else Go is told, such as where its modules are, stays
[ "$("${choice[@]}" go env CGO_ENABLED)" = 0 ] || fail 'Go finds a C compiler'
"${choice[@]}" go test -short -count=1 ./...
printf '\n== all roots passed\n'
