#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# python: tests/kselftest/zone-append.py:/usr/bin/zone-append
# Appends to zones under a lifetime: they are stopped, and delayed only before
# they go.  An NVMe target on the stream hands them on: zonefs of 6.1 takes its
# own ones for misplaced, also on a bare null_blk.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

DISK_MB=256
ZONE_MB=64
ZONE_SECTORS=$((ZONE_MB * SECTORS_PER_MB))
LOAD_BYTES=1048576
PIECE_BYTES=4096
SECTOR_BYTES=512
NVMET=/sys/kernel/config/nvmet
NQN=ssdqos-zones
PORT=4420
NAMESPACE=

# A target whose namespace is the stream, and a drive of it.
target_start() {
	ip link set lo up && mkdir "$NVMET/subsystems/$NQN" "$NVMET/subsystems/$NQN/namespaces/1" "$NVMET/ports/1" || return
	on_exit target_stop
	echo 1 >"$NVMET/subsystems/$NQN/attr_allow_any_host"
	printf /dev/mapper/w >"$NVMET/subsystems/$NQN/namespaces/1/device_path"
	echo 1 >"$NVMET/subsystems/$NQN/namespaces/1/enable" || return
	echo ipv4 >"$NVMET/ports/1/addr_adrfam"
	echo tcp >"$NVMET/ports/1/addr_trtype"
	echo 127.0.0.1 >"$NVMET/ports/1/addr_traddr"
	echo "$PORT" >"$NVMET/ports/1/addr_trsvcid"
	ln -s "$NVMET/subsystems/$NQN" "$NVMET/ports/1/subsystems/$NQN" &&
		echo "transport=tcp,traddr=127.0.0.1,trsvcid=$PORT,nqn=$NQN" >/dev/nvme-fabrics && wait_for namespace_appears
}
target_stop() {
	for stop_file in /sys/class/nvme/nvme*/subsysnqn; do
		! grep -q "$NQN" "$stop_file" || echo 1 >"${stop_file%/*}/delete_controller"
	done
	rm "$NVMET/ports/1/subsystems/$NQN"
	rmdir "$NVMET/ports/1"
	echo 0 >"$NVMET/subsystems/$NQN/namespaces/1/enable"
	rmdir "$NVMET/subsystems/$NQN/namespaces/1" "$NVMET/subsystems/$NQN"
}

# Sets NAMESPACE.
namespace_appears() {
	for subsystem in /sys/class/nvme-subsystem/*; do
		! grep -q "$NQN" "$subsystem/subsysnqn" || NAMESPACE=/dev/$(basename "$subsystem"/ng*n1)
	done
	[ -c "$NAMESPACE" ]
}

# Appends the data, and notes where.  $1: zone
append() { zone-append "$NAMESPACE" $(($1 * ZONE_SECTORS)) "$PIECE_BYTES" /tmp/data >/tmp/sector; }
is_there() {
	dd if=/dev/mapper/w bs="$PIECE_BYTES" skip=$(($(cat /tmp/sector) * SECTOR_BYTES / PIECE_BYTES)) \
		count=$((LOAD_BYTES / PIECE_BYTES)) iflag=direct 2>/dev/null | cmp - /tmp/data
}

# Appends until delays hold.
is_delayed() { append 0 && [ "$(life w delay_ns)" -gt 0 ]; }

require_module null_blk nvmet-tcp nvme-tcp
require_cmd zone-append
null_blk_create "$DISK_MB" memory_backed zoned=1 zone_size="$ZONE_MB" || skip_all "null_blk has no zones"
# shellcheck disable=SC2086 # words
check "a stream on zones" qos_create w "$NULL_BLK" 0 "$DISK_MB" $ZONED_LIFE
check "a target on it" target_start
head -c "$LOAD_BYTES" /dev/urandom >/tmp/data

check "a fixed rate" dmsetup message w 0 drive_throttle static
check "appends" append 0
check "are stopped" counter_is_above w stopped 10
check "are where they belong" is_there
diag "$(ready_stats w)"

check "a policy that delays" dmsetup message w 0 drive_throttle ready_pes
check "appends" wait_for is_delayed
dmsetup message w 0 reset_stats
check "more of them" append 1
check_equal "are not delayed" 0 "$(counter w delayed)"
check "are where they belong" is_there
diag "$(ready_stats w)"

check "delays before they go" dmsetup message w 0 drive_delay_at submission
dmsetup message w 0 reset_stats
check "are for appends" append 2
check "too" counter_is_above w delayed 10
check "which are where they belong" is_there
diag "$(ready_stats w)"

check "nothing is left" dmsetup message w 0 drive_used_mb 1000
append 1 &
APPENDS=$!
check "appends wait" wait_for some_wait w
check "reads don't" dd if=/dev/mapper/w of=/dev/null bs=64k count=4 iflag=direct
check "they still wait" some_wait w
check "no policy" dmsetup message w 0 drive_throttle none
check "no wait" wait "$APPENDS"
check "they are where they belong" is_there
ktap_done
