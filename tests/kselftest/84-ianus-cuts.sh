#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 200
# program: tests/kselftest/trim-model.c:/usr/bin/trim-model
# program: tests/kselftest/cut-drives.c:/usr/bin/cut-drives
# The power of a mirror is cut again and again, and with it go the caches of its drives, in part
# or in whole.  With durability strict, all is there that had been flushed; with journal, all that
# had been answered, though the journal is smaller than the cache; with volatile, what there was
# at a moment, some turns before the cut at most: who is asked does not matter, a member alone has
# it, too, and the half of the cuts that is without discards leaves members that have the same,
# byte by byte.  tests/powercut/run does more of it; the kernel's arguments say how often, and of
# what.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

MEMBER_COUNT=3
MEMBER_MB=4
META_KIB=64
JOURNAL_KIB=600
NOTES_KIB=4
# Members, the metadata device, the mirror's journal, and what trim-model notes.
DRIVES=$((MEMBER_COUNT + 3))
NR_PARTS=3
PARTS=$(seq "$NR_PARTS")
PART_SECTORS=2048
SWITCH_MS=100
# Two turns, each of which lasts until that has been written what was there before.
MOMENT_MS=$((6 * SWITCH_MS))
LIFE_LEAST_MS=50
LIFE_MOST_MS=350
# Nobody waits for the end of it.
LONG_S=1000
# Looking costs more than waiting.
WAIT_STEP_S=0.1
# What copies all in seconds, so that power is cut meanwhile.
SLOW_MB_S=2
# Of a journal of trim-model: how many operations the last flush was for.
NOTED_BYTE=32
NOTED_MS=200
DEFAULT_CUTS=4
READ=/tmp/read

# $1: name of an argument of the kernel's, $2: if there is none
argument() {
	argument_found=$(tr ' ' '\n' </proc/cmdline | sed -n "s/^powercut_$1=//p")
	echo "${argument_found:-$2}"
}

# ---- drives ----

# The device of a drive.  $1: set, $2: number
drive() { echo "/dev/nbd$(($1 * DRIVES + $2))"; }
has_size() { [ "$(sectors "$1" 2>/dev/null)" -gt 0 ]; }
drives_begin() {
	drives="$(yes $((MEMBER_MB * 1024)) | head -n "$MEMBER_COUNT") $META_KIB $JOURNAL_KIB stable:$NOTES_KIB"
	modprobe nbd nbds_max=$((2 * DRIVES)) max_part=0 || return
	mkfifo /tmp/told /tmp/says || return
	# shellcheck disable=SC2086 # words
	cut-drives 0 "$SEED" $drives </tmp/told >/tmp/says &
	on_exit "kill $!"
	exec 7>/tmp/told 8</tmp/says
	for i in $(seq 0 $((2 * DRIVES - 1))); do
		wait_for has_size "/dev/nbd$i" || return
	done
}
# The members and so on are those of a set.  $1: which
use_set() {
	MEMBERS=
	for i in $(seq 0 $((MEMBER_COUNT - 1))); do
		MEMBERS="$MEMBERS $(drive "$1" "$i") 0"
	done
	META=$(drive "$1" "$MEMBER_COUNT")
	JOURNAL=$(drive "$1" $((MEMBER_COUNT + 1)))
	NOTES=$(drive "$1" $((MEMBER_COUNT + 2)))
}
# From now on the other set has what is left.  Half of the cuts come when somebody has just noted
# that a flush has ended, if that is soon.
power_cut() {
	draw "$DRAW_MOST"
	power_words="cut $SET $DRAWN"
	draw 2
	[ "$DRAWN" = 1 ] || power_words="$power_words $((MEMBER_COUNT + 2)) $NOTED_BYTE $NOTED_MS"
	echo "$power_words" >&7
	read -r power_words power_cached power_words power_lost <&8
}

# ---- data ----

mirror() {
	[ "$WHAT" != journal ] || set -- journal "$JOURNAL" "$@"
	ianus_create durability "$WHAT" switch_ms "$SWITCH_MS" cache_kib 1024 region_kib 64 "$@"
}
# What may be lost of a part, as options of trim-model.  $1: part
PROMISED="-w"
MOMENT="-m $MOMENT_MS"
LOOSE="-w -m $MOMENT_MS"
may_lose() { cat "/tmp/may_lose$1"; }
# $1: device, $2: part, the rest: options
model() {
	model_device=$1
	model_part=$2
	shift 2
	[ "$WHAT" != volatile ] || set -- -z "$@"
	[ "$DISCARDS" = 1 ] || set -- -d "$@"
	# the parts differ in how often they flush
	set -- -y $((1 << (2 * model_part - 2))) "$@"
	${model_prefix-} trim-model -a 8 -u -o $(((model_part - 1) * PART_SECTORS)) -j "$NOTES:$model_part" "$@" \
		"$model_device" "$PART_SECTORS" $((WRITER + model_part))
}
# shellcheck disable=SC2046 # options
has() { model "$1" "$2" -c $(may_lose "$2"); }
# All parts that were ever written have what they must.  $1: device
has_all() {
	: >/tmp/found
	for i in $PARTS; do
		[ "$LIFE" -gt "$i" ] || continue
		has "$1" "$i" >>/tmp/found || { cat /tmp/found; return 1; }
	done
}
members_have_all() {
	for n in $(seq 0 $((MEMBER_COUNT - 1))); do
		has_all "$(member "$n")" || { echo "member $n"; return 1; }
	done
}
# What is read is left in a file.  $1: file
read_all() { dd if="$M" of="$1" bs=128k iflag=direct 2>/dev/null; }
# All members have what was read when the life began; in what was discarded they may differ.
all_agree() {
	if [ "$DISCARDS" = 1 ]; then
		members_have_all
	else
		echo "same $SET $MEMBER_COUNT $READ" >&7
		read -r agree_words <&8
		[ "$agree_words" = same ] || { echo "$agree_words"; return 1; }
	fi
}
suspended_all_agree() {
	dmsetup suspend m || return
	all_agree
	agree_status=$?
	dmsetup resume m && return "$agree_status"
}
# In the first lives one part after the other becomes known; later those that rest have to
# keep what they have.
goes_on() {
	WRITERS=
	draw $(((1 << NR_PARTS) - 1))
	goes_mask=$((DRAWN + 1))
	[ "$LIFE" -gt "$NR_PARTS" ] || goes_mask=$((1 << (LIFE - 1)))
	for i in $PARTS; do
		[ $((goes_mask >> (i - 1) & 1)) = 1 ] || continue
		# so that it is trim-model that is killed
		# shellcheck disable=SC2086 # options
		{ model_prefix="exec"; model "$M" "$i" -s "$LONG_S" $MOMENT >/dev/null; } &
		WRITERS="$WRITERS $!"
	done
	goes_switches=$(gauge m switches)
}
# All members are written: durability volatile is strict.
is_plain() { dmsetup status m | grep -qE '=(both|rebuilding) '; }
# If it changed from one to the other, the state is that of a moment, or what came later is there
# in part: no promise, but no loss of what is older, either.
settles() {
	[ "$WHAT" = volatile ] || return 0
	for i in $PARTS; do
		[ "$LIFE" -gt "$i" ] || continue
		[ -z "$(may_lose "$i")" ] || continue
		echo "$MOMENT" >"/tmp/may_lose$i"
		has "$M" "$i" >/dev/null || echo "$LOOSE" >"/tmp/may_lose$i"
	done
}
# What the cut may have taken from those that were written.  $1, $2: whether members were plain before and
# after it, $3: turns that began in this life
notes_losses() {
	for i in $PARTS; do
		[ $((goes_mask >> (i - 1) & 1)) = 1 ] || continue
		case $WHAT,$1$2,$3 in
		strict,* | volatile,11,0) echo "$PROMISED" ;;
		volatile,00,*) echo "$MOMENT" ;;
		*) echo ;;
		esac >"/tmp/may_lose$i"
	done
}

# ---- lives ----

is_in() { ! is_state "$1" failed; }
fails() { dmsetup message m 0 fail "$1" || is_in "$1"; }
joins() { dmsetup message m 0 join "$1" || is_in "$1"; }
# Something that may happen in a life, in its middle; who alone has all does not fail.
# $1: number, $2: member
happens() {
	case $1 in
	0) fails "$2" ;;
	1) fails "$2" && wait_for joins "$2" ;;
	2) dmsetup suspend m && dmsetup resume m ;;
	esac
}
# Half of the time nothing does.
NR_EVENTS=6

begins() { mirror rebuild_mb_s $((SLOW * SLOW_MB_S)); }
# $1: word after a number; sums that up
found() { awk -v word="$1" '{ for (i = 3; i <= NF; i++) if ($i == word) n += $(i - 1) } END { print n + 0 }' /tmp/found; }
# What the last cut has left.
looks() {
	read_all "$READ" || return
	settles
	has_all "$M" || return
	[ "$LIFE" -eq 1 ] || echo "$WHAT $DISCARDS $cut_facts $(gauge m stale_regions) $(found sectors) $(found operations,)" \
		"$(found unpromised,)" "$(found undone,)" >>/results/cuts
}
# All is copied, and is as it was looked at.
mends() { dmsetup message m 0 rebuild_mb_s 0 && wait_for is_whole && suspended_all_agree; }
lives() {
	goes_on
	draw $((LIFE_MOST_MS - LIFE_LEAST_MS))
	lives_ms=$((LIFE_LEAST_MS + DRAWN))
	sleep_ms $((lives_ms / 2))
	draw "$NR_EVENTS"
	lives_event=$DRAWN
	draw "$MEMBER_COUNT"
	happens "$lives_event" "$DRAWN" || return
	sleep_ms $((lives_ms / 2))
	cut_facts="$LIFE $lives_ms $lives_event $(gauge m cache_used_blocks) $(gauge m stale_regions)"
	lives_plain=$(is_plain && echo 1 || echo 0)
	power_cut
	cut_facts="$cut_facts $power_cached $power_lost"
	notes_losses "$lives_plain" "$(is_plain && echo 1 || echo 0)" $(($(gauge m switches) - goes_switches))
	# shellcheck disable=SC2086 # words
	kill -KILL $WRITERS
	# shellcheck disable=SC2086 # words
	wait $WRITERS
	dm_remove m
}
life() {
	use_set "$SET"
	# what others have left is not taken for one's own
	WRITER=$((WRITER + NR_PARTS))
	draw 2
	SLOW=$DRAWN
	begins && looks || return
	# half of those that are copied to slowly are cut while they are
	draw 2
	[ $((SLOW * DRAWN)) = 1 ] || mends || return
	[ "$LIFE" -gt "$CUTS" ] || lives || return
	SET=$((!SET))
}

# Nothing may stay in the page cache, to be written when there is something else.  $1: device, $2: its size in KiB
blank() { dd if=/dev/zero of="$1" bs=4k count=$(($2 / 4)) oflag=direct conv=fsync; }
# $1: durability, $2: discards come, too
cuts() {
	WHAT=$1
	DISCARDS=$2
	SET=0
	words="$WHAT$([ "$DISCARDS" = 0 ] || echo ", discards")"
	use_set "$SET"
	rm -f /tmp/may_lose*
	check "$words: metadata of a new mirror" blank "$META" "$META_KIB"
	check "$words: journal of a new mirror" blank "$JOURNAL" "$JOURNAL_KIB"
	for LIFE in $(seq 1 $((CUTS + 1))); do
		check "$words: life $LIFE" life
		[ "$KTAP_FAILED" -eq 0 ] || break
	done
	# shellcheck disable=SC2086 # words
	kill -KILL $WRITERS 2>/dev/null
	dm_remove m
}

require_target ssdqos-ianus
require_module nbd
SEED=$(argument seed 1)
CUTS=$(argument cuts "$DEFAULT_CUTS")
DICE=$SEED
WRITER=0
check "drives" drives_begin
for what in $(argument what strict,journal,volatile | tr , ' '); do
	cuts "$what" 0
	cuts "$what" 1
done
ktap_done
