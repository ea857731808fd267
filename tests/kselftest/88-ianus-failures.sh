#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# python: tools/ssdqos:/opt/ssdqos
# program: tests/kselftest/trim-model.c:/usr/bin/trim-model
# What may fail below a mirror fails at random moments while it is written and read: members in
# several ways, all but one at once, again and again in quick succession, the metadata device,
# the journal; and a member is replaced by another disk.  Nobody reads a wrong byte, nobody
# waits longer than a bound, what is copied is what was missed, and all members have the same
# in the end.  Then all members fail at once, which clients are told, and return.
# /results/rebuilds has KIND MS STALE_REGIONS COPIED_BLOCKS, /results/probe.json what a client
# had to wait.  The campaign (./run campaign ianus failures) does more of it.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

DURABILITY=journal
SEED=1
EVENTS=9
# shellcheck disable=SC1091 # written by the host
[ ! -r "${0%/*}/ianus-settings.sh" ] || . "${0%/*}/ianus-settings.sh"

MEMBER_MB=32
# What each client has for itself, and what is left is nobody's.
PART_MB=8
PART_SECTORS=$((PART_MB * SECTORS_PER_MB))
MODEL_SECTORS=4096
MODEL=1
PROBE=2
PARTS="0 $MODEL $PROBE"
# The first behind them.
NOBODYS_REGION=384
REGION_KIB=64
REGION_BLOCKS=16
# No request may take longer.
BOUND_S=30
# Of copying or comparing all.
LIMIT_S=60
PAUSE_MOST_MS=300
FLAPS=8
# What leaves time to look what has to be copied.
SLOW_MB_S=1
OVER=/tmp/over
# Legs beside the members'.
META_LEG=3
JOURNAL_LEG=4
QUIET_REGIONS=5
LONG_S=100000

require_target ssdqos-ianus
require_cmd fio python3

# ---- devices ----

# Members are on these legs, in their order; SPARE is a disk that can be put in their place.
members_are_on() {
	LEGS="$*"
	MEMBERS=
	MEMBER_COUNT=$#
	for leg in "$@"; do MEMBERS="$MEMBERS /dev/mapper/leg$leg 0"; done
}
# $1: member
leg_of() {
	# shellcheck disable=SC2086 # words
	set -- $(($1 + 1)) $LEGS
	shift "$1"
	echo "$1"
}
devices() {
	legs_create 6 irqmode=2 completion_nsec=20000 || return
	META=/dev/mapper/leg$META_LEG
	SPARE=5
	members_are_on 0 1 2
}
has_journal() { [ "$DURABILITY" = journal ]; }
# Keys and values of the mirror
words() {
	echo durability "$DURABILITY" switch_ms 100 cache_kib 2048 region_kib "$REGION_KIB" rebuild_mb_s 0
	! has_journal || echo journal "/dev/mapper/leg$JOURNAL_LEG"
}
# shellcheck disable=SC2046 # words
mirror() { ianus_create assume_same on $(words); }
# shellcheck disable=SC2046 # words
reload() { ianus_reload $(words); }
part() { dm_create "part$1" "0 $PART_SECTORS linear $M $(($1 * PART_SECTORS))"; }

# ---- clients ----

storms() { [ ! -e "$OVER" ]; }
verifies() {
	fio_run --filename=/dev/mapper/part0 --rw=randrw --bsrange=4k-64k --blockalign=4k --iodepth=8 --size=2M --fsync=32 \
		--rate_iops=400 --verify=crc32c --verify_fatal=1 --do_verify=1 --max_latency="${BOUND_S}s"
}
model() { trim-model -d -a 8 -n 2000 "/dev/mapper/part$MODEL" "$MODEL_SECTORS" "$((SEED + turns))"; }
# What somebody waits who reads, writes and flushes now and then.
probe_begin() {
	fio --name=probe --filename="/dev/mapper/part$PROBE" --ioengine=psync --direct=1 --thread --rw=randrw --bs=4k --fsync=2 \
		--rate_iops=20,20 --time_based --runtime="$LONG_S" --randseed="$SEED" --max_latency="${BOUND_S}s" \
		--output-format=json --output=/results/probe.json >/tmp/probe 2>&1 &
	PROBER=$!
}
probe_end() { kill -TERM "$PROBER" && wait "$PROBER"; [ -s /results/probe.json ] && ! grep -q '"error" : [1-9]' /results/probe.json; }

# ---- what happens ----

# $1: first region, $2: how many
writes_regions() {
	dd if=/dev/urandom of="$M" bs="${REGION_KIB}k" seek="$1" count="$2" oflag=direct conv=notrunc,fsync 2>/dev/null
}

tool() { PYTHONPATH=/opt python3 -m ssdqos "$@"; }
pauses() { draw "$PAUSE_MOST_MS" && sleep_ms "$DRAWN"; }
# Sets WHO to a member
one() { draw "$MEMBER_COUNT" && WHO=$DRAWN; }
another() { draw $((MEMBER_COUNT - 1)) && OTHER=$(((WHO + 1 + DRAWN) % MEMBER_COUNT)); }
is_in() { ! is_state "$1" failed; }
has_failed() { is_state "$1" failed; }
is_copied() { wait_for -t "$LIMIT_S" is_whole; }
is_told() { [ "$(gauge m "$1")" = "$2" ]; }
joins() { dmsetup message m 0 join "$1"; }
fails() { dmsetup message m 0 fail "$1"; }
# Prints how many regions have to be copied, and how many blocks have been, at one moment.
copies() {
	dmsetup status m | tr ' ' '\n' |
		awk -F= '/^stale_regions[0-9]/ { n += $2 } $1 == "copied_blocks" { done = $2 } END { print n, done }'
}
# All members here are told what they missed, but copied to slowly meanwhile.  The rest: members
come_back() {
	dmsetup message m 0 rebuild_mb_s "$SLOW_MB_S" || return
	for back in "$@"; do
		wait_for joins "$back" && wait_for is_in "$back" || return
	done
	# shellcheck disable=SC2046 # two numbers
	set -- $(copies) && dmsetup message m 0 rebuild_mb_s 0 && is_copied || return
	echo "$KIND $(($(now_ms) - happens_begun)) $1 $(($(gauge m copied_blocks) - $2))" >>/results/rebuilds
}
# $1: kind of leg_becomes
breaks() {
	one && leg_becomes "$(leg_of "$WHO")" "$1" && wait_for has_failed "$WHO" && pauses &&
		leg_becomes "$(leg_of "$WHO")" linear && come_back "$WHO"
}
happens_message() { one && fails "$WHO" && pauses && come_back "$WHO"; }
happens_error() { breaks error; }
happens_writes() { breaks "flakey 0 1 1 error_writes"; }
# Who is copied to may fail again, and who alone has all stays.
happens_flapping() {
	flaps_left=$FLAPS
	while [ "$flaps_left" -gt 0 ]; do
		flaps_left=$((flaps_left - 1))
		one
		fails "$WHO" 2>/dev/null || ! has_failed "$WHO" || return
		! has_failed "$WHO" || wait_for joins "$WHO" || return
	done
	is_copied
}
happens_all_but_one() {
	one && another && leg_becomes "$(leg_of "$WHO")" error && leg_becomes "$(leg_of "$OTHER")" error &&
		wait_for has_failed "$WHO" && wait_for has_failed "$OTHER" && pauses &&
		leg_becomes "$(leg_of "$WHO")" linear && leg_becomes "$(leg_of "$OTHER")" linear &&
		come_back "$OTHER" "$WHO"
}
# Something has to be noted, or nobody sees it: with a journal that is who has failed.
notes_something() {
	if has_journal; then
		one && fails "$WHO"
	else
		writes_regions $((NOBODYS_REGION + event)) 1
	fi
}
happens_metadata() {
	leg_becomes "$META_LEG" error && notes_something && wait_for is_told meta_failed 1 && pauses &&
		leg_becomes "$META_LEG" linear && wait_for is_told meta_failed 0 || return
	! has_journal || come_back "$WHO"
}
happens_journal() {
	has_journal || return 0
	leg_becomes "$JOURNAL_LEG" error && wait_for is_told journal lost && pauses && leg_becomes "$JOURNAL_LEG" linear &&
		reload && wait_for is_told journal on
}
happens_replace() {
	one && replaced=$(leg_of "$WHO") && tool mirror replace m "$WHO" "/dev/mapper/leg$SPARE" --yes --dir /tmp/etc || return
	new_legs=
	for leg in $LEGS; do
		[ "$leg" != "$replaced" ] || leg=$SPARE
		new_legs="$new_legs $leg"
	done
	# shellcheck disable=SC2086 # words
	SPARE=$replaced && members_are_on $new_legs && is_copied
}
# It fails while nobody can see it.
happens_suspend() { one && dmsetup suspend m && fails "$WHO" && pauses && dmsetup resume m && come_back "$WHO"; }
KINDS="message error writes flapping all_but_one metadata journal replace suspend"

# $1: kind
happens() {
	KIND=$1
	happens_begun=$(now_ms)
	pauses
	"happens_$1" || { dmsetup status m; return 1; }
	echo "$1 $(($(now_ms) - happens_begun))" >>/results/events
}
# Each kind as often as the others.
all_happens() {
	# shellcheck disable=SC2086 # words
	set -- $KINDS
	for event in $(seq "$EVENTS"); do
		check "$event: $1" happens "$1"
		[ "$KTAP_FAILED" -eq 0 ] || return
		set -- "$@" "$1"
		shift
	done
}

# ---- with nobody else ----

misses_some() {
	fails 2 && writes_regions 3 "$QUIET_REGIONS" && before=$(gauge m copied_blocks) && wait_for joins 2 && is_copied
}
copied() { echo $(($(gauge m copied_blocks) - before)); }
put() { yes "$1" | head -c 4096 | dd of="$M" bs=4k seek=7 oflag=direct conv=notrunc,fsync iflag=fullblock 2>/dev/null; }
has() { [ "$(dd if="$M" bs=4k skip=7 count=1 iflag=direct 2>/dev/null | head -n 1)" = "$1" ]; }
legs_become() { for leg in $LEGS; do leg_becomes "$leg" "$1" || return; done; }
# The last member's errors go up; what the journal has is answered, as it is safe.
everybody_fails() {
	put before && legs_become error || return
	MAY_HAVE="later told before"
	! put told || MAY_HAVE="later told"
	wait_for is_told broken 1 && ! put later
}
everybody_returns() {
	legs_become linear && reload && is_copied || return
	for word in $MAY_HAVE; do ! has "$word" || return 0; done
	return 1
}

DICE=$SEED
diag "seed $SEED"
mkdir -p /tmp/etc
check "devices" devices
check "a mirror" mirror
for n in $PARTS; do check "part $n" part "$n"; done
for what in verifies model; do storm_job "$what" "$what"; done
probe_begin
all_happens
# what is left behind would fail all that follows
[ "$KTAP_FAILED" -eq 0 ] || ktap_done
touch "$OVER"
storm_end
check "nobody waited too long" probe_end
check "all is whole" is_copied
check "all members have the same" suspended_agree
check "they are compared" scrub -t "$LIMIT_S"
check_equal "nothing differs, nothing was lost" "0 0 0" \
	"$(gauge m differing_blocks) $(gauge m lost_regions) $(gauge m broken)"
for n in $PARTS; do check "part $n goes" dm_remove "part$n"; done
check "a member misses some regions" misses_some
check_equal "and they are all that is copied" $((QUIET_REGIONS * REGION_BLOCKS)) "$(copied)"
check "all members fail at once, and clients and the status say so" everybody_fails
check "they return, with what there was" everybody_returns
check "all members have the same again" suspended_agree
ktap_done
