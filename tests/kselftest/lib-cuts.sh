# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# Helpers of scripts that cut the power of a mirror again and again, after lib-ianus.sh; the drives are
# those of cut-drives.c.  A script sets MEMBER_MB, JOURNAL_KIB, NOTED_BYTE, LIFE_LEAST_MS and LIFE_MOST_MS, and has
#
#	begins		the mirror is there again after a cut, or is new; cuts_begin does it
#	looks		what the cut has left is right
#	all_agree	all members have the same
#	mended		that was so, when all had been copied
#	goes_on		somebody writes; sets WRITERS to processes
#	ends		the power is cut
#	leaves		nobody uses the mirror any more
#
# The kernel's arguments say how often, and of what (tests/powercut/run).

MEMBER_COUNT=3
META_KIB=64
NOTES_KIB=4
# Members, the metadata device, the mirror's journal, and what writers note of what they were promised.
DRIVES=$((MEMBER_COUNT + 3))
SWITCH_MS=100
NOTED_MS=200
# Looking costs more than waiting.
WAIT_STEP_S=0.1
# What copies all in seconds, so that power is cut meanwhile.
SLOW_MB_S=2
READ=/tmp/read
WRITERS=

# $1: cuts, unless there are to be others
cuts_arguments() {
	SEED=$(argument seed 1)
	DICE=$SEED
	CUTS=$(argument cuts "$1")
	DURABILITIES=$(argument what strict,journal,volatile | tr , ' ')
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
	cut_facts="$cut_facts $power_cached $power_lost"
}
# All members have what is in READ.
all_same() {
	echo "same $SET $MEMBER_COUNT $READ" >&7
	read -r same_words <&8
	[ "$same_words" = same ] || { echo "$same_words"; return 1; }
}
# What is read is left there.  $1: device
read_all() { dd if="$1" of="$READ" bs=128k iflag=direct 2>/dev/null; }
# Nothing may stay in the page cache, to be written when there is something else.  $1: device, $2: its size in KiB
blank() { dd if=/dev/zero of="$1" bs=4k count=$(($2 / 4)) oflag=direct conv=fsync; }

# ---- lives ----

# The rest: keys and values
mirror() {
	[ "$WHAT" != journal ] || set -- journal "$JOURNAL" "$@"
	ianus_create durability "$WHAT" switch_ms "$SWITCH_MS" cache_kib 1024 region_kib 64 "$@"
}
cuts_begin() { mirror rebuild_mb_s $((SLOW * SLOW_MB_S)); }
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

# With a journal all members have all when the mirror begins, but for those that are away: nobody would be copied to
# in most lives.  So in half of those that copy slowly a member fails and joins.
draw_event() {
	draw "$NR_EVENTS"
	lives_event=$DRAWN
	[ "$WHAT$SLOW" = journal1 ] || return 0
	draw 2
	[ "$DRAWN" = 0 ] || lives_event=1
}

# Notes what was found of the life before, if there was one.  $1: the script's own numbers
cut_noted() { [ "$LIFE" -eq 1 ] || echo "$cut_facts $(gauge m stale_regions) $1" >>/results/cuts; }
lives() {
	goes_on || return
	draw $((LIFE_MOST_MS - LIFE_LEAST_MS))
	lives_ms=$((LIFE_LEAST_MS + DRAWN))
	sleep_ms $((lives_ms / 2))
	draw_event
	draw "$MEMBER_COUNT"
	happens "$lives_event" "$DRAWN" || return
	sleep_ms $((lives_ms / 2))
	cut_facts="$WHAT $LIFE $lives_ms $lives_event $(gauge m cache_used_blocks) $(gauge m stale_regions)"
	ends && leaves && dm_remove m
}
# All is copied, and is as it was looked at.
mends() { dmsetup message m 0 rebuild_mb_s 0 && wait_for is_whole && suspended_all_agree && mended; }
suspended_all_agree() {
	dmsetup suspend m || return
	all_agree
	agree_status=$?
	dmsetup resume m && return "$agree_status"
}
stops() {
	for stops_writer in $WRITERS; do
		kill -KILL "$stops_writer" 2>/dev/null
		wait "$stops_writer"
	done
	WRITERS=
}
life() {
	use_set "$SET"
	draw 2
	SLOW=$DRAWN
	begins && looks || return
	# half of those that are copied to slowly are cut while they are
	draw 2
	[ $((SLOW * DRAWN)) = 1 ] || mends || return
	[ "$LIFE" -gt "$CUTS" ] || lives || return
	SET=$((!SET))
}
# A new mirror, and its cuts.  $1: durability, $2: words for it
cuts_of() {
	WHAT=$1
	SET=0
	use_set "$SET"
	check "$2: metadata of a new mirror" blank "$META" "$META_KIB"
	check "$2: journal of a new mirror" blank "$JOURNAL" "$JOURNAL_KIB"
	cuts_failed=$KTAP_FAILED
	for LIFE in $(seq 1 $((CUTS + 1))); do
		check "$2: life $LIFE" life
		[ "$KTAP_FAILED" -eq "$cuts_failed" ] || break
	done
	leaves
	dm_remove m
}
