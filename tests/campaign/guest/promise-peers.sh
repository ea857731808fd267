# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# The owners and neighbours of drawn scenarios under each contender, each on a
# new drive.  All run on a loop device with direct I/O over the drive, as BFQ
# and iocost need requests.  Each client is a control group.
#
# A contender gives the neighbours a part of device time, in per mille: first
# what is not promised to the owners, as the documentation says of weights and
# maxima; then, of those that are searched, more or less by bisection.  A run is
# in /results/N/CONTENDER.PERMILLE, what the search found in /results/N/search.
# program: tests/campaign/guest/processor-watch.c:/usr/bin/processor-watch
# shellcheck source=tests/campaign/guest/promise-lib.sh
. "${0%/*}/promise-lib.sh"
require_virtual_clock
require_target ssdqos

WHOLE=1000
BFQ_MOST=1000
MS_PER_S=1000
LEAST_WEIGHT=1
WINDOWS_AWK=$HERE/promise-windows.awk

# ---- the drive and the layer above ----

fresh() {
	dm_remove drive && drive_create && loop_attach "$DRIVE" || return
	device_number=$(cat "/sys/block/${LOOP#/dev/}/dev")
}

loop_device() { echo "$LOOP"; }

group_of() { group_create "$1"; }
group_gone() { rmdir "$GROUPS_DIR/$1"; }

# ---- what a client may have ----

# Prints a client's part of device time as a weight; neighbours share theirs.
# $1: owner or neighbour, $2: part of an owner
weight() {
	weight_of=$2
	[ "$1" = owner ] || weight_of=$((KNOB / NEIGHBOUR_COUNT))
	[ "$weight_of" -ge "$LEAST_WEIGHT" ] || weight_of=$LEAST_WEIGHT
	echo "$weight_of"
}

# ---- contenders ----

none_setup() { :; }

# Lines of sN.limits: what each neighbour could do if the drive were his.
io_max_setup() {
	while read -r limit_name limit_reads limit_writes <&4; do
		echo "$device_number$(io_max_word riops "$limit_reads")$(io_max_word wiops "$limit_writes")" \
			>"$GROUPS_DIR/$limit_name/io.max" || return
	done 4<"$HERE/s$SCENARIO.limits"
}

# $1: key, $2: rate; 0 is nothing that has to be limited
io_max_word() {
	[ "$2" -gt 0 ] || return 0
	limit_rate=$(($2 * KNOB / WHOLE))
	[ "$limit_rate" -gt 0 ] || limit_rate=1
	echo " $1=$limit_rate"
}

# Values of the example in Documentation/admin-guide/cgroup-v2.rst, and the
# drive's profile as its model.
iocost_setup() {
	echo "$device_number ctrl=user model=linear $IOCOST_MODEL" >"$GROUPS_DIR"/io.cost.model &&
		echo "$device_number enable=1 ctrl=user rpct=95.00 rlat=75000 wpct=95.00 wlat=150000 min=50.00 max=150.00" >"$GROUPS_DIR"/io.cost.qos &&
		for_clients iocost_one
}
iocost_one() { echo "$device_number $(weight "$2" "$3")" >"$GROUPS_DIR/$1/io.weight"; }

# For shares rather than short times of a desktop, as bfq-iosched.rst says.
bfq_setup() {
	echo bfq >"/sys/block/${LOOP#/dev/}/queue/scheduler" &&
		echo 0 >"/sys/block/${LOOP#/dev/}/queue/iosched/low_latency" &&
		for_clients bfq_one
}
bfq_one() {
	bfq_weight=$(weight "$2" "$3")
	[ "$bfq_weight" -le "$BFQ_MOST" ] || bfq_weight=$BFQ_MOST
	echo "$bfq_weight" >"$GROUPS_DIR/$1/io.bfq.weight"
}

ssdqos_setup() { streams_create "$LOOP"; }

# ---- runs ----

# What each group has done on the loop device.  $1: begin or end
count() {
	for_clients count_one >"$run_dir/io.$1" || return
	case $contender:$1 in
	ssdqos:begin) streams_reset ;;
	ssdqos:end) streams_status ;;
	esac
}
count_one() { echo "$1 $(grep "^$device_number " "$GROUPS_DIR/$1/io.stat")"; }

# $1: contender, $2: what neighbours may have
run_once() {
	contender=$1
	KNOB=$2
	run_dir=$OUT/$SCENARIO/$1.$2
	[ ! -d "$run_dir" ] || return 0
	client_device=loop_device
	[ "$1" != ssdqos ] || client_device=stream_device
	fresh && for_clients group_of && "$1_setup" || return
	clients_run "$1.$2" "$client_device" count || return
	[ "$1" != ssdqos ] || streams_remove || return
	loop_detach && for_clients group_gone
}

# The run's owners have what they were promised.
held() { for_clients held_one; }
# $1: name, $2: kind, $4: IOPS, $5: window, $6: confidence
held_one() {
	[ "$2" = owner ] || return 0
	# shellcheck disable=SC2046 # two numbers
	set -- "$6" $(awk -f "$WINDOWS_AWK" -v iops="$4" -v window_ms="$5" \
		-v count=$((RUN_S * MS_PER_S / $5)) "$run_dir/${1}_iops.1.log")
	[ $((WHOLE * $2)) -ge $(($1 * $3)) ]
}

# Tells what a run came to, for the search and for the host.
judge() {
	judged=missed
	! held || judged=held
	echo "$contender $KNOB $judged" >>"$OUT/$SCENARIO/search"
	[ "$judged" = held ]
}

# The largest part for neighbours with which the owners' promises hold; begins
# with what is not promised.  $1: contender
search() {
	search_low=0
	search_high=$WHOLE
	search_at=$REST_PERMILLE
	for _ in $(seq 0 "$SEARCH_STEPS"); do
		run_once "$1" "$search_at" || return
		if judge; then search_low=$search_at; else search_high=$search_at; fi
		search_at=$(((search_low + search_high + 1) / 2))
	done
}

# $1: number
scenario() {
	scenario_enter "$1"
	NEIGHBOUR_COUNT=$(grep -c ' neighbour ' "$HERE/s$1.clients")
	mkdir -p "$OUT/$1"
	for name in $CONTENDERS; do run_once "$name" "$REST_PERMILLE" || return; done
	for name in $SEARCHED; do search "$name" || return; done
}

modprobe -q bfq
check "control groups" groups_start
check "a counter of windows" test -r "$WINDOWS_AWK"
# shellcheck disable=SC2153 # SCENARIOS comes from the campaign
for number in $SCENARIOS; do check "scenario $number" scenario "$number"; done
ktap_done
