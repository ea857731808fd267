#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
# A mirror with a journal: a write is answered when the journal has it, and is there after a
# power cut, whatever members had; a torn tail, a journal that is full, fails or is lost.
#
# Power is cut this way: all devices below stop answering at one moment, become ones that
# fail, the mirror is removed, and then they are what they were at that moment.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

require_target ssdqos-ianus
require_cmd fio

MEMBER_MB=32
JOURNAL_MB=4
BLOCK_BYTES=4096
# Superblocks of a journal.
JOURNAL_FIRST=2
# Answered before the power is cut.
LOAD_WRITES=20
LOAD_S=120
# Metadata would have been written since.
NOTES_MS=500
ALL_LEGS="leg0 leg1 legm legj"
J=/dev/mapper/legj

# The rest: keys and values
with_journal() { echo durability journal journal "$J" switch_ms 100 cache_kib 8192 rebuild_mb_s 0 "$@"; }
mirror() {
	# shellcheck disable=SC2046 # words
	ianus_create $(with_journal)
}
reload() {
	# shellcheck disable=SC2046 # words
	ianus_reload $(with_journal "$@")
}
refuse() { ianus_refused "$1" dmsetup create x --table "0 65536 ssdqos-ianus 2$MEMBERS $META $2"; }

# ---- devices ----

# A leg on a disk of its own.  $1: name, $2: size in MB, $3: in sectors, if it is less
own_leg() {
	null_blk_create "$2" memory_backed && dm_create "$1" "0 ${3:-$(sectors "$NULL_BLK")} linear $NULL_BLK 0"
}
devices() {
	legs_create 2 && own_leg legm "$META_MB" && own_leg legj "$JOURNAL_MB" && JOURNAL_DISK=$NULL_BLK || return
	META=/dev/mapper/legm
	for leg in $ALL_LEGS; do dmsetup table "$leg" >"/tmp/$leg.table"; done
}
freeze() { for leg in "$@"; do dmsetup suspend --noflush --nolockfs "$leg" || return; done; }
thaw() { for leg in "$@"; do dmsetup resume "$leg" || return; done; }
# What they are from the next resume on.  $1: table but for the length, the rest: legs
become_line() { echo "0 $(sectors "/dev/mapper/$2") $1"; }
fail_legs() {
	for leg in "$@"; do dmsetup reload "$leg" --table "$(become_line error "$leg")" || return; done
}
mend_legs() { for leg in "$@"; do dmsetup reload "$leg" --table "$(cat "/tmp/$leg.table")" || return; done; }
swap_legs() { freeze "$@" && thaw "$@"; }
power_cut() {
	# shellcheck disable=SC2086 # words
	set -- $ALL_LEGS
	freeze "$@" && fail_legs "$@" || return
	# without its journal the mirror goes on as strict for a moment, and answers what is lost then
	cp /tmp/answered /tmp/promised 2>/dev/null
	thaw "$@" || return
	# the last member fails when it is written, and nobody waits for anything any more
	put 0 lost
	dm_remove m && mend_legs "$@" && swap_legs "$@"
}

# ---- data ----

blank() { dd if=/dev/zero of="$1" bs=1M count="$2" oflag=direct 2>/dev/null; }
fresh() { blank "$META" "$META_MB" && blank "$J" "$JOURNAL_MB"; }
fio_job() { fio_run --filename="$M" --verify=crc32c --bsrange=4k-64k --blockalign=4k --serialize_overlap=1 --size=16m --rw=randwrite --randseed=7 "$@"; }
# $1: seed
writes() { fio_job --randseed="$1" --iodepth=16 --do_verify=0; }
has_written() { fio_job --randseed="$1" --verify_only=1 --verify_fatal=1; }
verifies() { fio_job --do_verify=1 --verify_fatal=1 --iodepth=16 "$@"; }
# A block that says what it is.  $1: word
block() { yes "$1" | head -c "$BLOCK_BYTES"; }
# $1: number, $2: word
put() { block "$2" | dd of="$M" bs="$BLOCK_BYTES" seek="$1" oflag=direct iflag=fullblock conv=notrunc 2>/dev/null; }
get() { dd if="$M" bs="$BLOCK_BYTES" skip="$1" count=1 iflag=direct 2>/dev/null | head -c "${#2}"; }
has() { [ "$(get "$1" "$2")" = "$2" ]; }
journal_is() { [ "$(gauge m journal)" = "$1" ]; }
at_least() { [ "$(gauge m "$1")" -ge "$2" ]; }
replayed() { at_least journal_replayed 1; }

# ---- checks ----

foreign_on() { block other | dd of="$1" bs="$BLOCK_BYTES" conv=notrunc oflag=direct iflag=fullblock 2>/dev/null; }
refuses_foreign() { foreign_on "$J" && ianus_refused "nor 8 KiB of zeroes" mirror; }
# A table with the journal of somebody else is refused before the one that is there has ended.
refuses_other_journal() {
	own_leg tiny 1 && foreign_on /dev/mapper/tiny && put 3 kept &&
		ianus_refused "nor 8 KiB of zeroes" dmsetup reload m --table "$(ianus_line durability journal journal /dev/mapper/tiny)" &&
		has 3 kept && journal_is on && blank /dev/mapper/tiny 1
}
refuses_no_members() {
	! dmsetup reload m --table "0 $(sectors "$M") ssdqos-ianus 2 - 0 - 0 $META 4 durability journal journal $J" && has 3 kept
}
keeps_foreign() { [ "$(head -c 5 "$J")" = other ]; }
same_line() { [ "$(dmsetup table m)" = "$1" ]; }
survives_cut() { power_cut && mirror && has_written "$1"; }

# Nobody but the journal can be written.
answers_without_members() { freeze leg0 leg1 && put 1 one && put 2 two && put 2 three; }
# The journal had nothing else, so its last block is the last one's data.
last_block() { echo $((JOURNAL_FIRST + $(gauge m journal_used_blocks) - 1)); }
tear() { dd if=/dev/zero of="$JOURNAL_DISK" bs="$BLOCK_BYTES" seek="$1" count=1 oflag=direct conv=notrunc 2>/dev/null; }
members_lack() { ! head -c "$((3 * BLOCK_BYTES))" "$(leg_disk "$1")" | grep -qE "one|two|three"; }
reads_all() { has 1 one && has 2 three; }
reads_but_last() { has 1 one && has 2 two; }

# Writes one block after the other, in order, until it can't, beside a load elsewhere; a line is
# in /tmp/answered for each that was answered.
writer() {
	number=0
	while put "$number" "block-$number-" && echo "$number"; do number=$((number + 1)); done >/tmp/answered
}
loads() {
	: >/tmp/answered
	fio_job --offset=16m --iodepth=16 --do_verify=0 --loops=100 >/tmp/load.out 2>&1 &
	writer 2>/dev/null &
	LOADER=$!
	wait_for -t "$LOAD_S" answered "$LOAD_WRITES"
}
answered() { [ "$(wc -l </tmp/answered)" -ge "$1" ]; }
cut_under_load() { loads && power_cut && wait "$LOADER"; promised "$LOAD_WRITES"; }
promised() { [ "$(wc -l </tmp/promised)" -ge "$1" ]; }
has_answered() {
	while read -r number; do has "$number" "block-$number-" || return; done </tmp/promised
}

clean_members_agree() { dm_remove m && members_agree; }
strict() { ianus_create switch_ms 100 cache_kib 8192; }
# Its device stays, as when a table of before was there.
loads_strict() { dmsetup create m --notable && dmsetup load m --table "$(ianus_line)" && dmsetup resume m; }
sum_of_meta() { bytes_of "$META" | md5sum -; }
# It knows nothing of its members yet, so it has nothing to note.
refuses_messages() {
	sum=$(sum_of_meta)
	for message in "fail 1" "scrub start"; do
		# shellcheck disable=SC2086 # words
		ianus_refused "${message% *}: the mirror has not begun" dmsetup message m 0 $message || return
	done
	dmsetup message m 0 depth 8 && sleep_ms "$NOTES_MS" && [ "$(sum_of_meta)" = "$sum" ]
}
# $1: legs to fail
journal_fails() { fail_legs legj && swap_legs legj; }
journal_mends() { mend_legs legj && swap_legs legj; }
fails_under_load() {
	verifies --fsync=8 --loops=3 >/tmp/load.out 2>&1 &
	LOADER=$!
	wait_for at_least journal_records 20 && journal_fails && wait "$LOADER" && journal_is lost
}
told_of_loss() { dmesg | grep -q "can't be written: from now on durability is strict"; }
cut_without_journal() { writes 5 && dd if=/dev/null of="$M" conv=notrunc,fsync 2>/dev/null && power_cut; }
# All members are here, and writes are safe: only the metadata could not say so.
meta_fails() { fail_legs legm && swap_legs legm && wait_for -t 60 notices meta_failed 1; }
meta_mends() { mend_legs legm && swap_legs legm && wait_for -t 60 notices meta_failed 0; }
# The metadata die as the mirror rests: nobody could be told that the journal is needed again.
goes_on_without() {
	fail_legs legm && swap_legs legm && dmsetup suspend m && dmsetup resume m && put 4 without && has 4 without &&
		journal_is lost && fsync_m
}
with_it_again() { mend_legs legm && swap_legs legm && reload && journal_is on && has 4 without && wait_for is_whole; }
# The old journal says that none of it is needed.
cut_without() { goes_on_without && power_cut && mirror && has 4 without; }
notices() { put 4 noticed && [ "$(gauge m "$1")" = "$2" ]; }
without() { ianus_create durability journal journal - switch_ms 100 cache_kib 8192 rebuild_mb_s 0; }
set_while_lost() { dmsetup message m 0 switch_ms 50 && verifies --fsync=8 && journal_is lost; }
both_fail() {
	put 9 before && fail_legs legj legm && swap_legs legj legm && ! { put 9 after && fsync_m; }
}
# They die as the mirror rests.  A resume must not leave it suspended: who waits for it would, for ever.
rests_without_both() {
	put 4 rested && fail_legs legj legm && swap_legs legj legm && dmsetup suspend m && dmsetup resume m && has 4 rested &&
		at_least broken 1 && ! put 4 after && ! fsync_m && has 4 rested
}
begins_with_both() { mend_legs legj legm && swap_legs legj legm && reload && has 4 rested && put 4 again && has 4 again; }
fsync_m() { dd if=/dev/null of="$M" conv=notrunc,fsync 2>/dev/null; }
storms_pass() {
	verifies --loops=3 --fsync=16 >/tmp/load.out 2>&1 &
	LOADER=$!
	for round in 1 2 3 4 5; do
		dmsetup suspend m && dmsetup resume m && reload cache_kib $((4096 * round)) && journal_is on || return
	done
	wait "$LOADER"
}
fails_and_returns() {
	dmsetup message m 0 fail 1 && verifies && wait_for dmsetup message m 0 join 1 && wait_for is_whole && journal_is on
}

check "members, metadata and a journal" devices
check "without a device it is refused" refuse "durability: 'journal' needs a device for it" "2 durability journal"
check "a device without that durability, too" refuse "of use with durability journal only" "2 journal $J"
check "and one that is not there" refuse "journal: '/dev/nothing' can't be opened" "4 durability journal journal /dev/nothing"
check "a member" refuse "journal: .* is member 1" "4 durability journal journal $(member 1)"
check "the metadata device" refuse "journal: .* is the metadata device" "4 durability journal journal $META"
check "two of them" refuse "is the second one" "6 durability journal journal $J journal -"
check "one that is too small" own_leg small 1 1024
check "is refused with the size" refuse "has 128 blocks of 4 KiB, and 131 are needed" \
	"4 durability journal journal /dev/mapper/small"
check "one with something else on it" refuses_foreign
check "which is left alone" keeps_foreign

check "a new journal" fresh
check "and a mirror with it" mirror
check "which is whole" wait_for is_whole
check "uses it" journal_is on
check "the table line makes the same mirror" same_line "$(dmsetup table m)"
check "random writes, and what was written is read" verifies --loops=2
check "with flushes in between" verifies --fsync=4
check "several writes share a record" [ "$(gauge m journal_data_blocks)" -gt "$(gauge m journal_records)" ]

check "writes" writes 1
check "are there after a power cut" survives_cut 1
check "and members have the same" suspended_agree
check "and again" writes 2
check "and again, after a power cut" survives_cut 2

check "a journal of its own for two blocks" reload
check "a write is answered though members can't be written" answers_without_members
LAST=$(last_block)
check "they don't have it" members_lack 0
check "when power is cut" power_cut
check "nor then" members_lack 1
cp "$JOURNAL_DISK" /tmp/journal
check "the journal has it" mirror
check "in records" replayed
check "all of it" reads_all
check "the mirror goes" dm_remove m
check "with members that have the same" members_agree

check "the same again" mirror
check "with other data" put 2 none
check "on members only" reload
check "two blocks" answers_without_members
LAST=$(last_block)
check "and the last one is torn" power_cut
check "in the journal" tear "$LAST"
check "the mirror begins" mirror
check "with what was before" reads_but_last
check "and works" verifies

check "power is cut under load" cut_under_load
diag "$(wc -l </tmp/promised) writes were answered"
check "durability strict is refused then" ianus_refused "was not stopped in order" loads_strict
check "who could not begin does nothing that he is told, and leaves the metadata alone" refuses_messages
check "the device that could not begin goes" dm_remove m
check "the mirror begins with its journal" mirror
check "and has all that was answered" has_answered

check "suspend, resume and other tables under load" storms_pass
check "a member fails and returns" fails_and_returns
check "a journal with something else on it is refused when it is loaded" refuses_other_journal
check "a table without members, too" refuses_no_members
check "the metadata device fails, which is noticed without a flush" meta_fails
check "and that it is back" meta_mends
check "it fails while the mirror rests, which goes on without a journal" goes_on_without
check "and with it, when another table begins" with_it_again
check "without it, when power is cut" cut_without
J=/dev/mapper/tiny
check "a journal that is in the cache's way: less of it" reload
check "is full under load, and gets on" verifies --loops=4
check "writes have waited" at_least journal_waits 1
check "superblocks made room" at_least journal_tails 1
J=/dev/mapper/legj
check "the mirror is stopped in order" clean_members_agree
check "durability strict is right then" strict
check "and works" verifies
check "back to a journal" reload

check "the journal fails under load" fails_under_load
check "which is told" told_of_loss
check "a parameter changes nothing of that" set_while_lost
check "what was flushed then" cut_without_journal
check "the old journal is not replayed" mirror
check "and it is there" has_written 5

check "a power cut" cut_under_load
check "and no journal any more: all is copied" without
check "to the other member" wait_for is_whole
check "as strict" journal_is absent
check "the mirror works" verifies
check "and members have the same" suspended_agree
check "with the journal again" reload
check "journal and metadata fail while it rests: it goes on, reads are right, and writes fail" rests_without_both
check "another table begins with them" begins_with_both
check "journal and metadata fail: writes do, too" both_fail
check "power is cut" power_cut
check "what was answered before" mirror
check "is there" has 9 before
ktap_done
