# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Helpers for tests of zoned devices, by zonefs: a file for each zone.

LOAD_BYTES=1048576
PIECE_BYTES=4096
# The superblock of zonefs: magic number and checksum, all else is 0.
ZONEFS_HEAD='SFOZ\005\253\277\131'
ZONEFS_BYTES=4096

zonefs_make() {
	{ printf '%b' "$ZONEFS_HEAD"; cat /dev/zero; } | head -c "$ZONEFS_BYTES" >/tmp/super &&
		dd if=/tmp/super of="$1" bs="$ZONEFS_BYTES" oflag=direct 2>/dev/null
}
zonefs_mount() { mount -t zonefs "$1" /mnt && on_exit umount /mnt; }

zone_size() { stat -c %s "/mnt/seq/$1"; }
zone_reset() { : >"/mnt/seq/$1"; }

# Several at a time, which zonefs sends as writes.  $1: zone, the rest: options
zone_write() {
	write_zone=$1
	shift
	fio --name=zone --filename="/mnt/seq/$write_zone" --rw=write --ioengine=libaio --direct=1 --bs="$PIECE_BYTES" --iodepth=8 \
		--size="$LOAD_BYTES" --create_on_open=0 --allow_file_create=0 --file_append=1 --unlink=0 --fallocate=none "$@"
}

# Zone 0 is written anew, reads back, and is as long as what was written.
zone_again() { zone_reset 0 && zone_write 0 --verify=crc32c --do_verify=1 && [ "$(zone_size 0)" = "$LOAD_BYTES" ]; }
