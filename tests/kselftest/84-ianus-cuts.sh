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
# shellcheck source=tests/kselftest/lib-cuts.sh
. "${0%/*}/lib-cuts.sh"

MEMBER_MB=4
JOURNAL_KIB=600
NR_PARTS=3
PARTS=$(seq "$NR_PARTS")
PART_SECTORS=2048
# Two turns, each of which lasts until that has been written what was there before.
MOMENT_MS=$((6 * SWITCH_MS))
# Nobody waits for the end of it.
LONG_S=1000
# Of a journal of trim-model: how many operations the last flush was for.
NOTED_BYTE=32
LIFE_LEAST_MS=50
LIFE_MOST_MS=350

# ---- data ----

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
# All members have what was read when the life began; in what was discarded they may differ.
all_agree() {
	if [ "$DISCARDS" = 1 ]; then
		members_have_all
	else
		all_same
	fi
}
# In the first lives one part after the other becomes known; later those that rest have to
# keep what they have.
goes_on() {
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

begins() {
	# what others have left is not taken for one's own
	WRITER=$((WRITER + NR_PARTS))
	cuts_begin
}
# $1: word after a number; sums that up
found() { awk -v word="$1" '{ for (i = 3; i <= NF; i++) if ($i == word) n += $(i - 1) } END { print n + 0 }' /tmp/found; }
# What the last cut has left.
looks() {
	read_all "$M" || return
	settles
	has_all "$M" || return
	cut_noted "$DISCARDS $(found sectors) $(found operations,) $(found unpromised,) $(found undone,)"
}
mended() { :; }
ends() {
	lives_plain=$(is_plain && echo 1 || echo 0)
	power_cut
	notes_losses "$lives_plain" "$(is_plain && echo 1 || echo 0)" $(($(gauge m switches) - goes_switches))
}
leaves() { stops; }
# $1: durability, $2: discards come, too
cuts() {
	DISCARDS=$2
	rm -f /tmp/may_lose*
	cuts_of "$1" "$1$([ "$DISCARDS" = 0 ] || echo ", discards")"
}

require_target ssdqos-ianus
require_module nbd
cuts_arguments 4
WRITER=0
check "drives" drives_begin
for what in $DURABILITIES; do
	cuts "$what" 0
	cuts "$what" 1
done
ktap_done
