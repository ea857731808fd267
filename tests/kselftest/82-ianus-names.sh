#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# python: tools/ssdqos:/opt/ssdqos
# timeout: 120
# Disks of a mirror come back under other names, in another order, and others in their place, while
# one member lacks what was written last.  The tool puts them in order or refuses; what is read is
# always what was written.  Disks are mapped devices whose uuid stays when their name does not.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"
# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

require_target ssdqos-ianus
require_cmd python3

ETC=/tmp/etc
MEMBER_MB=8

tool() { PYTHONPATH=/opt python3 -m ssdqos "$@"; }
# $1: name, $2: which disk
plug() {
	dmsetup create "$1" --uuid "DISK-$2" --table "0 $((MEMBER_MB * SECTORS_PER_MB)) linear $(member "$2") 0" &&
		on_exit "dm_remove $1"
}
unplug() { for gone in "$@"; do dmsetup remove "$gone" || return; done; }
put() { yes "$1" | head -c 4096 | dd of="$M" bs=4k seek=7 oflag=direct conv=notrunc,fsync iflag=fullblock 2>/dev/null; }
# Whoever is asked: two read at a time.
has() {
	for asked in 1 2 3 4 5 6; do
		[ "$(dd if="$M" bs=4k skip=7 count=1 iflag=direct 2>/dev/null | head -n 1)" = "$1" ] || { echo "$asked: another"; return 1; }
	done
}
# $1: word, that member 1 does not get
member_1_lacks() { tool mirror fail m 1 && put "$1"; }
# Names as somebody writes them.  $1: of member 0, $2: of member 1
named() {
	sed -i -e "/^\[member 0\]/,/^offset/s|^device = .*|device = /dev/mapper/$1|" \
		-e "/^\[member 1\]/,/^offset/s|^device = .*|device = /dev/mapper/$2|" "$ETC/m.conf"
}
stops() { dm_remove m; }
comes_back() { tool restore m --dir "$ETC"; }
again() { tool mirror create m "$@" --meta "$META" --again --set region_kib=64 --set rebuild_mb_s=0; }

check "disks, and one that is none of the mirror's" members_create 3
check "a disk" plug x 0
check "and another" plug y 1
on_exit "dm_remove m"
check "a mirror" tool mirror create m /dev/mapper/x /dev/mapper/y --meta "$META" --set region_kib=64
check "is whole" wait_for is_whole
check "is saved" tool save m --dir "$ETC"
check "by the names that disks have today" named x y
check "it is written" put first
check "and once more without member 1" member_1_lacks second
check "it is stopped" stops
check "it is without its disks" unplug x y
check "each comes back with the other one's name" plug x 1
check "the other one, too" plug y 0
check "it begins, each disk in its place" comes_back
check "what is read is what was written last" has second
check "member 1 joins" wait_for is_whole

check "member 1 lacks something" member_1_lacks third
check "it is stopped" stops
check "disks that are given in the wrong order" again /dev/mapper/x /dev/mapper/y
check "are put in the right one" has third
check "member 1 joins" wait_for is_whole

check "member 1 lacks something" member_1_lacks fourth
check "it is stopped" stops
check "its first disk goes" unplug y
check "and comes back with a new name" plug z 0
check "it begins with that" comes_back
check "what is read is what was written last" has fourth
check "member 1 joins" wait_for is_whole

check "it is stopped" stops
check "its second disk goes" unplug x
check "and another one has its name" plug y 2
check "it does not begin" answers 2 "ssdqos: member 1 is the disk DISK-1, and /dev/mapper/y is DISK-2" comes_back
ktap_done
