# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# One emulated drive, or mirrors of two of them, as /dev/mapper/top.

# shellcheck source=tests/campaign/guest/ianus-lib.sh
. "${0%/*}/ianus-lib.sh"

sectors=$((DRIVE_MB * SECTORS_PER_MB))

# $1: name
drive_starts() {
	null_blk_create "$DRIVE_MB" && eval "null_dir_$1=\$null_dir" &&
		flash_create "$1" "$NULL_BLK" preset "$PRESET" aged_pct 100 seed "$SEED"
}
drive_ends() {
	eval "drive_dir=\$null_dir_$1"
	# shellcheck disable=SC2154 # set by eval
	dm_remove "$1" && null_blk_remove "$drive_dir"
}
drives_start() { drive_starts a && drive_starts b; }
drives_end() { drive_ends a && drive_ends b; }

one_starts() { drive_starts a && dm_create top "0 $sectors linear /dev/mapper/a 0"; }
one_ends() { dm_remove top && drive_ends a; }
# $1: table line
mirror_starts() { drives_start && dm_create top "0 $sectors $1"; }
mirror_ends() { dm_remove top && drives_end; }

raid1_starts() { kernels_mirrors_load && mirror_starts "$(raid1_line /dev/mapper/a /dev/mapper/b)"; }
raid1_ends() { mirror_ends; }
dm_mirror_starts() { kernels_mirrors_load && mirror_starts "$(dm_mirror_line /dev/mapper/a /dev/mapper/b)"; }
dm_mirror_ends() { mirror_ends; }
# $1: idle_ms
turns_start() {
	null_blk_create "$META_MB" memory_backed && meta_dir=$null_dir && meta=$NULL_BLK &&
		mirror_starts "$(ianus_line /dev/mapper/a /dev/mapper/b "$meta" switch_ms "$SWITCH_MS" idle_ms "$1" cache_kib "$CACHE_KIB")"
}
ianus_starts() { turns_start 0; }
# shellcheck disable=SC2154 # contender is set by who reads this
ianus_ends() { dmsetup status top >"$OUT/$contender-status" && mirror_ends && null_blk_remove "$meta_dir"; }
ianus_idle_starts() { turns_start "$IDLE_MS"; }
ianus_idle_ends() { ianus_ends; }
