#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 100000
# include: tests/kselftest/lib.sh:/tests/lib.sh
# include: tests/kselftest/lib-flash.sh:/tests/lib-flash.sh
# include: tests/kselftest/lib-ianus.sh:/tests/lib-ianus.sh
# include: tests/machines/heard.sh:/tests/heard.sh
# include: tests/machines/noted.py:/tests/noted.py
# program: tests/kselftest/trim-model.c:/usr/bin/trim-model
# python: tools/ssdqos:/opt/ssdqos
# A mirror with one member here and one in another machine, over NVMe/TCP.  Its link is cut, is
# slow, the other machine stops, or is killed, while clients write, read and verify.  Lines that
# begin with "# ask" are for who holds the cable (tests/machines/run); /results/figures has a line
# for each phase, and fio's results are beside it.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"
# shellcheck source=tests/machines/lib-machines.sh
. "${0%/*}/lib-machines.sh"

MEMBER_MB=32
MEMBER_COUNT=2
NEAR=0
FAR=1
FAR_DISK=/dev/disk/by-id/nvme-uuid.$FAR_UUID
HEARD=/tmp/heard
ETC=/etc/ssdqos
# As docs/ssdqos-ianus.rst says; so long that a machine that does other things as well is not taken for a dead one.
DEFAULT_KEEP_ALIVE_S=5
FAST_FAIL_S=2
RECONNECT_S=2
# Much longer than these on a machine that does other things as well; nothing is judged by it.
LIMIT_S=240
REGION_KIB=64
REGION_BLOCKS=$((REGION_KIB / 4))
# Each client has the part of the mirror to itself.  What is left, nobody writes.
PART_MB=8
PART_SECTORS=$((PART_MB * SECTORS_PER_MB))
MODEL_SECTORS=4096
MODEL_BEGIN=$PART_SECTORS
BLOCKS_PER_MB=256
MODEL_BLOCKS=$((MODEL_SECTORS / 8))
RATE=100
# Nobody waits for the end of it.
LONG_S=100000
SLOW_MS=10
# Of a load that is measured, and not only gone on with.
MEASURED_S=10
# Longest that is waited before something happens; a cut that long is not noticed, or just so.
LAST_MS=2000
DEFAULT_CUTS=2

# $1: name of an argument of the kernel's, $2: if there is none
argument() {
	argument_found=$(tr ' ' '\n' </proc/cmdline | sed -n "s/^machines_$1=//p")
	echo "${argument_found:-$2}"
}
rests() {
	draw "$LAST_MS"
	sleep "$((DRAWN / 1000)).$(printf %03d $((DRAWN % 1000)))"
}
# What is checked has its output taken.
exec 9>&1
ask() { echo "# ask $*" >&9; }
tool() { PYTHONPATH=/opt python3 -m ssdqos "$@"; }

# ---- the mirror ----

disks() {
	disks_begin && LEG_DISKS=" $(disk 0)" && META=$(disk 1) && JOURNALS=$(disk 2) &&
		MEMBER_SECTORS=$((MEMBER_MB * SECTORS_PER_MB)) &&
		dm_create leg0 "$(leg_line 0 linear)" && MEMBERS=" /dev/mapper/leg0 0 $FAR_DISK 0"
}
listens() {
	uevent "${0%/*}/heard.sh" &
	on_exit "kill $!"
}
connects() {
	echo "transport=tcp,traddr=$FAR_ADDRESS,trsvcid=$PORT,nqn=$NQN,nr_io_queues=1,keep_alive_tmo=$KEEP_ALIVE_S,\
fast_io_fail_tmo=$FAST_FAIL_S,reconnect_delay=$RECONNECT_S,ctrl_loss_tmo=-1" >/dev/nvme-fabrics
}
controller() { grep -l "traddr=$FAR_ADDRESS," /sys/class/nvme/*/address | cut -d / -f 5; }
is_there() { [ -b "$FAR_DISK" ]; }
mirror() { ianus_create switch_ms 200 cache_kib 8192 region_kib "$REGION_KIB" rebuild_mb_s 0 "$@"; }
saves() { mkdir -p "$ETC" && tool save m --dir "$ETC"; }
is_out() { is_state "$1" failed; }
# By one status: a member that fails between two is not copied to any more, nor counted as one that has to be.
is_well() {
	well_status=$(dmsetup status m) || return
	case $well_status in
	*" member"[0-9]"=failed "* | *" member"[0-9]"=rebuilding "* | *" member"[0-9]"=unread "*) return 1 ;;
	*" stale_regions=0 "*) return 0 ;;
	esac
	return 1
}
wait_long() { wait_for -t "$LIMIT_S" "$@"; }

# ---- what was heard ----

heard_mark() { HEARD_MARK=$(wc -l <"$HEARD"); }
heard() { tail -n "+$((HEARD_MARK + 1))" "$HEARD" | grep -qE "$1"; }
hears() { wait_long heard "$1" || { cat "$HEARD" /tmp/tool; return 1; }; }

# ---- clients ----

# Who reads is another one than who writes and flushes, so that each waits for its own requests only.
# $1: file for its figures, $2: seconds
client() {
	exec fio --filename="$M" --ioengine=libaio --direct=1 --thread --bs=4k --iodepth=4 --rate_iops="$RATE" \
		--size="${CLIENT_MB}m" --randseed="$SEED" --time_based --runtime="$2" --output-format=json --output="$1" \
		--name=reader --rw=randread --name=writer --rw=randwrite --fsync=32 >/tmp/client 2>&1
}
# $1: options
model() {
	# shellcheck disable=SC2086 # words
	exec trim-model -a 8 -d -o "$MODEL_BEGIN" -j "$JOURNALS:0" $1 "$M" "$MODEL_SECTORS" "$WRITER" >/tmp/model 2>&1
}
wrote() { [ "$(gauge m writes)" -ge "$1" ]; }
goes_on() { wait_long wrote "$(($(gauge m writes) + RATE))"; }
# $1: name of the phase
loads_begin() {
	WRITER=$((WRITER + 1))
	# so it is not always the same that is to be copied
	draw "$PART_MB"
	CLIENT_MB=$((DRAWN + 1))
	LOADED=/results/$1.json
	client "$LOADED" "$LONG_S" &
	CLIENT=$!
	model "-s $LONG_S" &
	MODEL=$!
	goes_on
}
loads_stop() {
	# who saw an error has ended
	kill -INT "$CLIENT" 2>/dev/null
	kill -KILL "$MODEL" 2>/dev/null
	wait "$CLIENT"
	wait "$MODEL"
}
no_error() { [ "$(grep -c '"error" : 0,' "$LOADED")" -eq 2 ] || { cat /tmp/client "$LOADED"; return 1; }; }
# They have seen no error and nothing wrong, and all that was written is there.
holds() {
	no_error || return
	[ ! -s /tmp/model ] || { cat /tmp/model; return 1; }
	has_all -c
}
# $1: options
has_all() {
	(model "$1")
	has_status=$?
	cat /tmp/model
	return "$has_status"
}
flushes() { dd if=/dev/null of="$M" conv=notrunc,fsync 2>/dev/null; }

# ---- what happens ----

# $1: kind
breaks() {
	case $1 in
	both | to | from) ask link "$1" ;;
	# as when ctrl_loss_tmo is over
	gone) echo 1 >"/sys/class/nvme/$(controller)/delete_controller" ;;
	*) ask far "$1" ;;
	esac
}
mends() {
	case $1 in
	both | to | from) ask link whole ;;
	# its disk gets another number
	gone) COPIED=0 && wait_long connects ;;
	stopped) ask far goes_on ;;
	killed) ask far starts ;;
	esac
}
fails() { wait_long is_out "$FAR"; }
traces() { echo 1 >"$TRACING/events/ssdqos/ssdqos_ianus_state/enable"; }
# Nobody but who asks, listens or traces gets to know.
is_told() {
	hears "member_failed $FAR" || return
	grep -q "ssdqos_ianus_state: .* member $FAR [a-z]* -> failed" "$TRACING/trace" || return
	tool mirror status m >/tmp/status
	told_status=$?
	cat /tmp/status
	[ "$told_status" -eq 1 ] && grep -qE "^ +$FAR .* failed " /tmp/status
}
# Regions that the metadata say it lacks, when nobody writes.
notes() {
	flushes && NOTED=$(PYTHONPATH=/opt python3 "${0%/*}/noted.py" "$META" "$FAR") && [ "$NOTED" -gt 0 ] &&
		[ "$NOTED" -lt "$(gauge m regions)" ]
}
# The table is another one then, and nobody hears of its begin.
returns() {
	[ "$1" = gone ] || hears "member_rebuilding $FAR" || return
	wait_long is_well
}
copies_little() {
	copied=$(($(gauge m copied_blocks) - COPIED))
	[ "$copied" -le "$1" ] || { echo "$copied blocks copied, more than $1"; return 1; }
}
since_ms() { echo $(($(now_ms) - BROKE_MS)); }
# The mirror rests meanwhile, so it is not measured.
agree() { wait_long is_well && suspended_agree; }
figures() { echo "$*" >>/results/figures; }

# With its disk, and with its controller's link: a member that is found anew may join twice.
most_copied() {
	most_written=$((CLIENT_MB * BLOCKS_PER_MB + MODEL_BLOCKS))
	case $1,$NOTED in
	gone,*) echo $((2 * most_written)) ;;
	*,-) echo "$most_written" ;;
	*) echo $((NOTED * REGION_BLOCKS)) ;;
	esac
}

# The far member is away for a while.  $1: phase, $2: kind, $3: whether the clients rest before it returns
away() {
	NOTED=-
	check "$1 ($2): clients read and write" loads_begin "$1"
	rests
	heard_mark
	COPIED=$(gauge m copied_blocks)
	echo >"$TRACING/trace"
	BROKE_MS=$(now_ms)
	breaks "$2"
	check "$1 ($2): the far member is given up" fails
	failed_ms=$(since_ms)
	check "$1 ($2): status, an event and a trace say so" is_told
	check "$1 ($2): clients go on" goes_on
	rests
	[ "$3" = 0 ] || loads_stop
	[ "$3" = 0 ] || check "$1 ($2): the metadata say what it lacks" notes
	away_ms=$(since_ms)
	mends "$2"
	check "$1 ($2): it joins by itself, and is brought up to date" returns "$2"
	whole_ms=$(since_ms)
	check "$1 ($2): what is copied is what it lacked" copies_little "$(most_copied "$2")"
	[ "$3" = 1 ] || check "$1 ($2): clients still go on" goes_on
	[ "$3" = 1 ] || loads_stop
	check "$1 ($2): clients have seen nothing of it" holds
	check "$1 ($2): members have the same" agree
	figures phase="$1" kind="$2" rest="$3" failed_ms="$failed_ms" away_ms="$away_ms" whole_ms="$whole_ms" \
		written_mb="$CLIENT_MB" noted_regions="$NOTED" copied_blocks="$copied" regions="$(gauge m regions)"
}

cuts() {
	for i in $(seq "$CUTS"); do
		draw 4
		case $DRAWN in 0) kind="to" ;; 1) kind="from" ;; *) kind="both" ;; esac
		# each second one copies what is known exactly
		away "cut-$i" "$kind" $((i % 2))
		[ "$KTAP_FAILED" -eq 0 ] || return
	done
}

# Shorter than anybody's patience.
short() {
	check "short: clients read and write" loads_begin short
	rests
	BROKE_MS=$(now_ms)
	breaks both
	rests
	away_ms=$(since_ms)
	mends both
	check "short: clients go on" goes_on
	loads_stop
	check "short: clients have seen nothing of it" holds
	check "short: members have the same" agree
	figures phase=short kind=both away_ms="$away_ms"
}

# $1: phase
measured() {
	LOADED=/results/$1.json
	CLIENT_MB=$PART_MB
	(client "$LOADED" "$MEASURED_S")
	check "$1: clients read and write" no_error
	check "$1: nobody was given up, and members have the same" agree
	figures phase="$1"
}
slow() {
	measured fast
	ask slow "$SLOW_MS"
	measured slow
	ask slow 0
}

near_becomes() { leg_becomes "$NEAR" "$1"; }
far_goes() { breaks both; }
far_answers() { dd if="$FAR_DISK" of=/dev/null bs=4k count=1 iflag=direct; }
# As the documentation says.
begins_again() {
	near_becomes linear && mends both && wait_long far_answers && dm_remove m && tool restore m --dir "$ETC"
}
is_broken() { [ "$(gauge m broken)" = 1 ]; }
# Both members go: nobody has anything, so errors go up, and nothing that was flushed is lost.  $1: who goes first
alone() {
	check "alone, $1 goes first: clients read and write" loads_begin "alone-$1"
	rests
	heard_mark
	if [ "$1" = far ]; then
		far_goes
		check "alone, $1 goes first: it is given up" wait_long is_out "$FAR"
		near_becomes error
	else
		near_becomes error
		check "alone, $1 goes first: it is given up" wait_long is_out "$NEAR"
		far_goes
	fi
	check "alone, $1 goes first: then the mirror is broken" wait_long is_broken
	check "alone, $1 goes first: an event says so" hears "mirror_broken"
	loads_stop
	check "alone, $1 goes first: the mirror begins again" begins_again
	check "alone, $1 goes first: what was flushed is there" has_all "-c -w"
	check "alone, $1 goes first: members have the same" agree
}

# ---- what is asked for ----

phases() {
	for phase in $(argument phases cuts | tr , ' '); do
		case $phase in
		cuts) cuts ;;
		killed | stopped | gone) away "$phase" "$phase" 0 ;;
		alone) alone far && alone near ;;
		short | slow) "$phase" ;;
		*) ktap_fail "there is no phase $phase" ;;
		esac
		[ "$KTAP_FAILED" -eq 0 ] || return
	done
}

require_target ssdqos-ianus
require_cmd fio python3 uevent
require_module nvme-tcp
SEED=$(argument seed 1)
KEEP_ALIVE_S=$(argument keep_alive_s "$DEFAULT_KEEP_ALIVE_S")
CUTS=$(argument cuts "$DEFAULT_CUTS")
DICE=$SEED
WRITER=0
check "events are heard" listens
check "states are traced" traces
check "the near machine has a network" network_begins "$NEAR_ADDRESS"
check "disks" disks
check "the far drive is connected" wait_long connects
check "and has a name that stays" wait_for is_there
check "a mirror of both" mirror
check "is saved" saves
check "the far member is copied to" wait_long is_well
check "and both have the same" suspended_agree
phases
diag "$(dmsetup status m)"
[ ! -s /tmp/tool ] || diag "$(cat /tmp/tool)"
check "the mirror goes" dm_remove m
cp /tmp/heard /results/ 2>/dev/null
ktap_done
