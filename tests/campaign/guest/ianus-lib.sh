# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034 # variables are for those who read this
# A mirror whose members take turns and the kernel's own, on two devices each.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/ianus-settings.sh"
require_virtual_clock
require_target ssdqos-ianus

OUT=/results
META_MB=2
# Regions of dm-raid and dm-mirror, in sectors: 512 KiB.
REGION_SECTORS=1024

kernels_mirrors_load() { modprobe raid1 && modprobe dm-raid && modprobe dm-mirror; }
# Table lines without the begin and the length.  $1, $2: devices
raid1_line() { echo "raid raid1 3 0 region_size $REGION_SECTORS 2 - $1 - $2"; }
dm_mirror_line() { echo "mirror core 2 $REGION_SECTORS nosync 2 $1 0 $2 0"; }
# $3: of the metadata, the rest: keys and values
ianus_line() {
	line_members="$1 0 $2 0 $3"
	shift 3
	echo "ssdqos-ianus 2 $line_members $(($# + 2)) assume_same on $*"
}
