#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# python: tools/ssdqos:/opt/ssdqos
# timeout: 400
# The tool makes a mirror larger and gives it members, under load.  What can't be is refused in a
# sentence and changes nothing; if the metadata can't be written, it goes on as it was.  Its map gets
# a block more where the tool keeps which disk is which member: disks that change their names
# are put in order after that, too.  Members are mapped devices, whose uuid stays.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"
# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

require_target ssdqos-ianus
require_cmd fio python3 mkfs.ext4

ETC=/tmp/etc
# 4,032 masks of 64 KiB are a block of the map: up to 252 MiB, and two up to 504.
SMALL_MB=250
LARGE_MB=256
MEMBER_MB=520
# Of the metadata device: the superblock; a block of masks, twice, and what the tool keeps; one more of both.
SUPER_SECTORS=16
META_SECTORS=48
LARGE_META_SECTORS=64
PATTERN_BYTES=1048576

tool() { PYTHONPATH=/opt python3 -m ssdqos "$@"; }
grow() { tool mirror grow m --dir "$ETC" "$@"; }
# $1: what it says, the rest: options of grow
refuses() {
	refuses_words=$1
	shift
	answers 2 "^ssdqos: .*($refuses_words)" grow "$@" && is_as_it_was
}
says() {
	says_words=$1
	shift
	answers 0 "$says_words" grow "$@"
}
# $1: name, $2: which disk, $3: MB
plug_line() { echo "0 $(($3 * SECTORS_PER_MB)) linear $(member "$2") 0"; }
plug() { dmsetup create "$1" --uuid "DISK-$2" --table "$(plug_line "$@")" && on_exit "dm_remove $1"; }
unplug() { for gone in "$@"; do dmsetup remove "$gone" || return; done; }
# As lvextend does.
extend() { dmsetup reload "$1" --table "$(plug_line "$@")" && dmsetup resume "$1"; }
# $1: sectors, $2: "broken" if the superblock can't be written
meta_lines() {
	case ${2-} in
	broken) echo "0 $SUPER_SECTORS flakey $META_DISK 0 0 1 1 error_writes" ;;
	*) echo "0 $SUPER_SECTORS linear $META_DISK 0" ;;
	esac
	echo "$SUPER_SECTORS $(($1 - SUPER_SECTORS)) linear $META_DISK $SUPER_SECTORS"
}
meta_becomes() {
	meta_lines "$@" | dmsetup reload meta && dmsetup suspend --noflush --nolockfs meta && dmsetup resume meta
}
is_mb() { [ "$(blockdev --getsz "$M")" = "$(($1 * SECTORS_PER_MB))" ]; }
# Without what is said at first only, and so without how many words there are.
table_words() { dmsetup table m | sed -E 's/ assume_same on//; s/ [0-9]+( switch_ms)/\1/'; }
as_it_is() {
	table_words
	dmsetup info m | grep -E "State|Tables"
	cat "$ETC/m.conf"
}
remember() { AS_IT_WAS=$(as_it_is); }
is_as_it_was() { [ "$(as_it_is)" = "$AS_IT_WAS" ] || { as_it_is; return 1; }; }
saved_has() { grep -q "$1" "$ETC/m.conf"; }
pattern() { yes "$1" | head -c "$PATTERN_BYTES"; }
# $1: what, $2: MB
put() { pattern "$1" | dd of="$M" bs=1M seek="$2" oflag=direct iflag=fullblock conv=notrunc,fsync 2>/dev/null; }
# Whoever is asked: two read at a time.
has() {
	for asked in 1 2 3 4; do
		[ "$(dd if="$M" bs=1M skip="$2" count=1 iflag=direct 2>/dev/null | md5sum -)" = "$(pattern "$1" | md5sum -)" ] ||
			{ echo "read $asked is of something else"; return 1; }
	done
}
# From the second MB on, again and again, until the file is there.
begin_load() {
	rm -f /tmp/enough
	while [ ! -e /tmp/enough ]; do
		fio_run --filename="$M" --rw=randwrite --bs=4k --iodepth=16 --offset=1m --size=12m --verify=crc32c --verify_fatal=1 \
			--do_verify=1 || exit
	done >/tmp/load 2>&1 &
	LOAD=$!
	load_began=$(gauge m writes)
	wait_for has_writes
}
has_writes() { [ "$(gauge m writes)" -gt $((load_began + 500)) ]; }
end_load() {
	kill -0 "$LOAD" && touch /tmp/enough
	wait "$LOAD" || { cat /tmp/load; return 1; }
}
# $1: word, that member 1 does not get
member_1_lacks() { tool mirror fail m 1 && put "$1" 0; }
# The names of members 0, 1 and so on, as somebody writes them
named() {
	named_n=0
	for named_name in "$@"; do
		sed -i "/^\[member $named_n\]/,/^offset/s|^device = .*|device = /dev/mapper/$named_name|" "$ETC/m.conf"
		named_n=$((named_n + 1))
	done
}
stops() { dm_remove m; }
comes_back() { tool restore m --dir "$ETC"; }
# Disks of the members in their order
are_disks() {
	are_seen=
	for are_number in $(dmsetup table m | tr ' ' '\n' | grep :); do
		are_uuid=$(dmsetup info -c --noheadings -o uuid -j "${are_number%:*}" -m "${are_number#*:}")
		# the metadata device has none
		[ -z "$are_uuid" ] || are_seen="$are_seen ${are_uuid#DISK-}"
	done
	[ "$are_seen" = " $*" ] || { echo "$are_seen"; return 1; }
}
# As much of the disks as the mirror has.
three_are_same() {
	same_bytes /dev/mapper/x /dev/mapper/y "$LARGE_MB" && same_bytes /dev/mapper/x /dev/mapper/z "$LARGE_MB"
}
three_agree() {
	dmsetup suspend m || return
	three_are_same
	three_status=$?
	dmsetup resume m && return "$three_status"
}

check "disks" members_create 4
META_DISK=$META
check "a member" plug x 0 "$SMALL_MB"
check "another one" plug y 1 "$SMALL_MB"
check "a metadata device" dm_create meta "$(meta_lines "$META_SECTORS")"
check "a mirror of what is empty" tool mirror create m /dev/mapper/x /dev/mapper/y --meta /dev/mapper/meta \
	--set region_kib=64 --set switch_ms=100 --set cache_kib=4096 --set rebuild_mb_s=0 --same
check "that comes back at boot" tool save m --dir "$ETC"
check "by names that can change" named x y
check "it has data" put first 0
check "up to its end" put end $((SMALL_MB - 1))
remember

check "no mirror" answers 2 "^ssdqos: n cannot be asked" tool mirror grow n
check "nothing to do" refuses "m has $SMALL_MB MiB and 2 members already"
check "members that are too small" refuses "dm-[0-9]+ has room for 262144000 bytes, 268435456 are needed" --size 256m
check "one that is larger now" extend x 0 "$MEMBER_MB"
check "is not enough" refuses "m has $SMALL_MB MiB and 2 members already"
check "both are" extend y 1 "$MEMBER_MB"
check "not smaller" refuses "cannot become smaller" --size 32m
check "no half of a block" refuses "is no multiple of 4096 bytes" --size 268435968
check "a metadata device that is too small" refuses "dm-[0-9]+ has 24 KiB, 32768 bytes are needed for the metadata" --size 510m
check "a disk that is in use" refuses "is in use by dm-" --add "$(member 0)"
check "one that is a member" refuses "are the same device" --add /dev/mapper/x
check "one that is too small" refuses "meta has room for 24576 bytes|are the same device" --add /dev/mapper/meta
check "too many" refuses "at most 8 members, and m would have 9" --add 1 2 3 4 5 6 7
check "a disk of another one" plug z 2 "$LARGE_MB"
check "with a file system" mkfs.ext4 -q /dev/mapper/z
check "is refused" refuses "z is ext4, which would be written over with the data of the mirror: --yes" --add /dev/mapper/z
check "a small disk" plug small 3 "$((SMALL_MB - 1))"
check "too small" refuses "small has room for 261095424 bytes, 262144000 are needed" --add /dev/mapper/small
check "a dry run says what would be" says "becomes 256 MiB on 3" --size 256m --add /dev/mapper/z --yes --dry-run
check "and that nobody would know the disks" says "/dev/dm-[0-9]+ is too small to keep which disk is which" --size 256m --dry-run
check "and changes nothing" is_as_it_was

check "the superblock can't be written" meta_becomes "$LARGE_META_SECTORS" broken
check "so it does not become larger" refuses "can't be written" --size 256m
check "it can be again" meta_becomes "$LARGE_META_SECTORS"
check "data are there" has first 0
check "up to the end" has end $((SMALL_MB - 1))
check "members have the same" is_whole
check "member 1 lacks something" member_1_lacks second
check "it is stopped" stops
check "and its disks are gone" unplug x y
check "one has the other one's name" plug x 1 "$MEMBER_MB"
check "both have" plug y 0 "$MEMBER_MB"
check "it begins again" comes_back
check "in its order, as the tool knows disks still" are_disks 0 1
check "what is read is what was written last" has second 0
check "member 1 joins" wait_for is_whole
check "by the names of today" named y x

check "there is load" begin_load
check "it becomes larger" says "/dev/mapper/m: 256 MiB on 2 members; " --size 256m
check "as it says" is_mb "$LARGE_MB"
check "load saw nothing" end_load
check "the file has it" saved_has "^length_bytes = 268435456$"
check "members have the same in the end" wait_for is_whole
check "data are there" has second 0
check "up to the old end" has end $((SMALL_MB - 1))
check "there is room behind it" put behind $((LARGE_MB - 1))
check "by the names of today" named y x
check "member 1 lacks something" member_1_lacks third
check "it is stopped" stops
check "and its disks are gone" unplug x y
check "their names change again" plug x 0 "$MEMBER_MB"
check "both" plug y 1 "$MEMBER_MB"
check "it begins again" comes_back
check "in its order: the tool knows disks after it has grown" are_disks 0 1
check "what is read is what was written last" has third 0
check "member 1 joins" wait_for is_whole

check "there is load" begin_load
check "it gets a third member" says "/dev/mapper/m: 256 MiB on 3 members; .*member 2 is being rebuilt" --add /dev/mapper/z --yes
check "load saw nothing" end_load
check "the file has it" saved_has "^\[member 2\]$"
check "all have the same in the end" wait_for -t 120 is_whole
check "byte by byte" three_agree
check "data are there" has third 0
check "old and new" has behind $((LARGE_MB - 1))
check "by the names of today" named x y z
check "member 1 lacks something" member_1_lacks fourth
check "it is stopped" stops
check "and two disks are gone" unplug y z
check "their names change" plug y 2 "$MEMBER_MB"
check "both" plug z 1 "$MEMBER_MB"
check "it begins again" comes_back
check "in its order, with the new one" are_disks 0 1 2
check "what is read is what was written last" has fourth 0
check "it goes" stops
ktap_done
