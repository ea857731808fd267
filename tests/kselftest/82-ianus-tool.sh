#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# python: tools/ssdqos:/opt/ssdqos
# timeout: 400
# The command-line tool with mirrors: nobody loses data by mistake, what is shown is the
# kernel's, another disk in place of a member never serves what it does not have, and all
# come back from what was saved.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"
# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

require_target ssdqos-ianus
require_cmd python3 blkid mkfs.ext4

ETC=/tmp/etc
MEMBER_MB=16
PATTERN_BYTES=1048576
# A member is copied in a quarter of a minute at this rate, longer than what is looked at meanwhile.
SLOW_MB_S=1

tool() { PYTHONPATH=/opt python3 -m ssdqos "$@"; }
# $1: what is to be said, the rest: words of "ssdqos mirror"
says() {
	says_words=$1
	shift
	answers 0 "$says_words" tool mirror "$@"
}
refuses() {
	refuses_words=$1
	shift
	answers 2 "^ssdqos: .*($refuses_words)" tool mirror "$@"
}
# shellcheck disable=SC2046 # words
create() { tool mirror create m $(member 0) $(member 1) --meta "$META" --set switch_ms=100 --set cache_kib=8192 "$@"; }
refuses_create() {
	refuses_words=$1
	shift
	# shellcheck disable=SC2046 # words
	refuses "$refuses_words" create m $(member 0) $(member 1) --meta "$META" "$@"
}
# $1: key; as the tool's JSON has it
told() { tool mirror status m --json | sed -n "s/^ *\"$1\": \"*\([^,\"]*\).*/\1/p" | head -n 1; }
is_kernels() {
	for key in regions cache_blocks flushes failures v; do
		[ "$(told "$key")" = "$(gauge m "$key")" ] || { echo "$key: $(told "$key"), the kernel says $(gauge m "$key")"; return 1; }
	done
}
has_metric() { tool metrics | grep -qE "^ssdqos_mirror_$1"; }
pattern() { yes "$1" | head -c "$PATTERN_BYTES"; }
put_pattern() { pattern "$1" | dd of="$M" bs=64k oflag=direct iflag=fullblock conv=notrunc 2>/dev/null; }
read_pattern() { dd if="$M" bs=64k count=$((PATTERN_BYTES >> 16)) iflag=direct 2>/dev/null; }
has_pattern() { [ "$(read_pattern | md5sum -)" = "$(pattern "$1" | md5sum -)" ]; }
# $1: MB, $2: word, $3: device
fill() { yes "$2" | head -c $(($1 << 20)) | dd of="$3" bs=1M oflag=direct iflag=fullblock conv=notrunc 2>/dev/null; }
fill_member() { fill "$MEMBER_MB" "$@"; }
# Whoever is asked, each member several times: two read at a time
reads_stay() {
	for reads_turn in 1 2 3 4 5 6; do
		has_pattern "$1" || { echo "read $reads_turn is of something else"; return 1; }
	done
}
# What was on the first member can be read while the others are copied to.
whole_sum() { dd if="$M" bs=1M iflag=direct 2>/dev/null | md5sum -; }
# Sets NEW: a disk that is full of something else
new_disk() { null_blk_create "$MEMBER_MB" memory_backed discard=1 && NEW=$NULL_BLK && fill_member other "$NEW"; }
# In the row of members
new_member() {
	# shellcheck disable=SC2086 # words
	set -- $1 $MEMBERS
	case $1 in 0) MEMBERS=" $NEW 0 $4 $5" ;; 1) MEMBERS=" $2 $3 $NEW 0" ;; esac
}
# $1: member
replace() { tool mirror replace m "$1" "$NEW" --dir "$ETC" && new_member "$1"; }
# The file is shown where it doesn't
saved_has() {
	grep -q "$1" "$ETC/m.conf" && return
	cat "$ETC/m.conf"
	return 1
}
stops() { dm_remove m; }
comes_back() { tool restore m --dir "$ETC"; }
slow() { dmsetup message m 0 rebuild_mb_s "$SLOW_MB_S"; }
fast() { dmsetup message m 0 rebuild_mb_s 0; }

check "members and a metadata device" members_create 2
check "the first member has data" fill_member first "$(member 0)"
check "no mirrors" says "^no mirrors$" status
check "a member twice" refuses "are the same device" create m "$(member 0)" "$(member 0)" --meta "$META"
check "metadata on a member" refuses "are the same device" create m "$(member 0)" "$(member 1)" --meta "$(member 1)"
check "one member" refuses "2 to 8 members, and 1 are given" create m "$(member 0)" --meta "$META"
check "what is no device" refuses "is no block device" create m "$(member 0)" /tmp --meta "$META"
check "a dry run prints the table line" answers 0 \
	"0 $((MEMBER_MB * SECTORS_PER_MB)) ssdqos-ianus 2 $(member 0) 0 $(member 1) 0 $META 4 switch_ms 100 cache_kib 8192" \
	create --dry-run
check "and makes nothing" refuses "m cannot be asked" status m
check "a parameter that can't be" refuses_create "depth: '0' is not a number from 1 to 64" --set depth=0
check "a file system on the second member" mkfs.ext4 -q "$(member 1)"
check "is not overwritten" refuses_create "is ext4, which would be written over with the data of $(member 0): --yes"
check "something on the metadata device" fill "$META_MB" x "$META"
check "is not overwritten either" refuses_create "something that is no mirror's: --yes if that may go" --same
check "but with consent" create --yes --set region_kib=64 --set "rebuild_mb_s=$SLOW_MB_S"
first=$(whole_sum)
check "the second member is copied to" answers 1 "member 1 is being rebuilt, [0-9.]+ % done" tool mirror status
check_equal "the data are the first member's" "$(dd if="$(member 0)" bs=1M iflag=direct 2>/dev/null | md5sum -)" "$first"
check "members may not leave while one has all" refuses "no member but 0 has all" replace m 0 "$(member 1)"
fast
check "it is whole" wait_for is_whole
check "and the tool says so" says "^m: .*durability strict" status m
check "what is told is the kernel's" is_kernels
check "the live view has it" answers 0 "^mirror m: 0 [a-z]+, 1 [a-z]+; " tool top --count 1
check "of one, too" answers 0 "^member1=" tool top m --once
check "and metrics" has_metric 'member_state{device="m",member="1",state="failed"} 0$'
check "a used member is not taken again" refuses "is in use by" create n "$(member 0)" "$(member 1)" --meta "$META"
check "it is saved" answers 0 "m.conf$" tool save m --dir "$ETC"
check "with its parameters" saved_has "^region_kib = 64$"

check "it is written" put_pattern here
check "a member is given up" says "member 1 is given up" fail m 1
check "that is told" answers 1 "member 1 has failed" tool mirror status m
check "one that is not there" refuses "m has no member 2" fail m 2
check "the last one stays" refuses "member 0 is the last one" fail m 0
check "it is written meanwhile" put_pattern there
check "it joins" says "member 1 is back" join m 1
check "and is whole again" wait_for is_whole
check "all have the same" suspended_agree

slow
check "another disk, full of something else" new_disk
check "a dry run of its coming" answers 0 "lacks everything" tool mirror replace m 1 "$NEW" --dry-run
check "takes the place of member 1" replace 1
check "it is being rebuilt" is_state 1 rebuilding
check "what is read is what was written" reads_stay there
check "the file for the boot has it" saved_has "^device = $NEW$"
check "it is stopped in the middle" stops
check "and begins again" comes_back
check "still it is being rebuilt" is_state 1 rebuilding
check "and reads are right" reads_stay there
fast
check "it is whole" wait_for is_whole
check "all have the same" suspended_agree
check "another disk" new_disk
check "member 0 fails" says "member 0 is given up" fail m 0
check "and the other disk takes its place" replace 0
check "what is read is what was written" reads_stay there
fast
check "it is whole, too" wait_for is_whole
check "all have the same" suspended_agree

check "it goes" says "m.conf stays" remove m --dir "$ETC"
check "with the first member gone" sed -i "s|^device = $(member 0)\$|device = /dev/gone|" "$ETC/m.conf"
check "it waits for that" answers 2 "member 0, /dev/gone, is not there, and may have what is newest" \
	tool restore m --dir "$ETC"
check "in silence at boot" answers 0 "^$" tool restore --all --dir "$ETC"
check "unless somebody says that it goes without" sed -i "s|/dev/gone|-|" "$ETC/m.conf"
check "then it begins" comes_back
check "degraded" answers 1 "member 0 has failed" tool mirror status m
check "with all data" has_pattern there
check "it is written without" put_pattern alone
check "the disk is there again" sed -i "s|^device = -|device = $(member 0)|" "$ETC/m.conf"
check "and joins" answers 0 "member 0 is $(member 0) now" tool restore m --dir "$ETC"
check "reads are right" reads_stay alone
check "it is whole" wait_for is_whole
check "all have the same" suspended_agree
check "it is forgotten" says "m.conf is gone" remove m --forget --dir "$ETC"
check "its metadata are known" refuses_create "what is known of a mirror of 2 members and $MEMBER_MB MiB: --yes"
check "it goes on with them" create --again --set region_kib=64
check "with all data" has_pattern alone
check "it goes" dm_remove m
ktap_done
