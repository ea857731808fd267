# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034 # variables are for those who read this
# What the machine with the mirror and the one with its far member agree on.

NEAR_ADDRESS=10.1.1.1
FAR_ADDRESS=10.1.1.2
PREFIX_BITS=24
PORT=4420
NQN=nqn.2026-01.test:far
# The same after each boot: the other machine knows the drive again by them.
FAR_UUID=5d3e1fae-2b8f-4a63-9d0a-0e6c5a1f7b21
FAR_SERIAL=ssdqosfar

# $1: address
network_begins() {
	require_module virtio_pci virtio_net
	wait_for [ -e /sys/class/net/eth0 ] || return
	ip link set eth0 mtu "$(cat /sys/class/net/eth0/mtu)" up && ip addr add "$1/$PREFIX_BITS" dev eth0
}

# ---- disks of the machine itself ----

# By its serial number, since disks are found in any order.  $1: number
disk() {
	for disk_serial in /sys/block/vd*/serial; do
		[ "$(cat "$disk_serial")" = "ssdqos-disk$1" ] || continue
		disk_found=${disk_serial#/sys/block/}
		echo "/dev/${disk_found%%/*}"
		return
	done
	return 1
}
# Those of the host's are there when the first one is.
disks_begin() {
	require_module virtio_pci virtio_blk
	wait_for disk 0 >/dev/null
}
