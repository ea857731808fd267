#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# A developer's disk: unpack a source tree, search it, compile it, change
# something, compile again, remove it (the file system discards).

# shellcheck source=tests/kselftest/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/traces/disk.sh
. "${0%/*}/disk.sh"

MEMORY_MB=48
SOURCE_DIRS='libbb coreutils findutils'
# Most of it is within the reach of tcc; a few files use extensions of gcc.
COMPILED_MIN=150

unpack() { mkdir -p "/mnt/$1" && tar -xf /root/tree.tar -C "/mnt/$1"; }

# $1: tree
compile() {
	cd "/mnt/$1/busybox" || return
	compiled=0
	# shellcheck disable=SC2086 # a list of directories
	for source in $(find $SOURCE_DIRS -name '*.c' | sort); do
		tcc -c -nostdinc -isystem /usr/lib/x86_64-linux-gnu/tcc/include \
			-isystem ../sysroot/include/x86_64-linux-gnu -isystem ../sysroot/include \
			-Iinclude -Ilibbb -include include/autoconf.h -D_GNU_SOURCE -DNDEBUG \
			'-DBB_VER="1.35.0"' '-DKBUILD_BASENAME="x"' '-DKBUILD_MODNAME="x"' \
			"$source" -o "${source%.c}.o" 2>/dev/null && compiled=$((compiled + 1))
	done
	cd / && echo "compiled $compiled" && [ "$compiled" -ge "$COMPILED_MIN" ]
}

search() { find "/mnt/$1" -type f -print0 | xargs -0 cat | grep -c bb_error_msg_and_die; }
touch_headers() { sed -i 's/libbb/libbb/' "/mnt/$1"/busybox/include/*.h; }
remove_objects() { find "/mnt/$1" -name '*.o' -exec rm -f {} +; }
remove() { rm -rf "/mnt/${1:?}"; }

require_cmd tcc blktrace mkfs.ext4
ktap_plan 11
check "recording starts" recording_start "$MEMORY_MB"
check "unpack" unpack first
forget_cache
check "search" search first
check "compile" compile first
check "unpack a second tree" unpack second
check "change" touch_headers first
check "remove the objects" remove_objects first
SOURCE_DIRS='coreutils'
COMPILED_MIN=50
check "compile a part again" compile first
check "search again" search second
check "remove" remove first
sync
check "recording stops" recording_stop
ktap_done
