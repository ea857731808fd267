# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Promises of reads and of writes, beside clients who read and write as much as goes: on one drive,
# on md raid1 and on a mirror whose members take turns, as one drive and with reads and writes
# apart; each on new drives of the same seed, in one boot.  /results/promises has a line for each
# promise: contender, client, promised in a window, done, windows that were met, and that were not;
# /results/alone what one drive reads and writes alone by second, and for how long the others ran.

# shellcheck source=tests/campaign/guest/ianus-drives.sh
. "${0%/*}/ianus-drives.sh"

PARTS=4
part_sectors=$((DRIVE_MB * SECTORS_PER_MB / PARTS / SECTORS_PER_MB * SECTORS_PER_MB))

# $1: name of a client, $2: its part, the rest: keys and values
client() {
	client_name=$1
	client_begin=$(($2 * part_sectors))
	shift 2
	dm_create "$client_name" "0 $part_sectors ssdqos /dev/mapper/top $client_begin $(($# + 2)) drive drv${*:+ $*}"
}
# $1: name of a client, $2: as fio calls it, the rest: options
load() {
	load_name=$1
	load_rw=$2
	shift 2
	fio --name="$load_name" --filename="/dev/mapper/$load_name" --direct=1 --ioengine=libaio --thread --rw="$load_rw" --bs=4k \
		--iodepth="$DEPTH" --randseed="$SEED" --norandommap --time_based --output-format=terse --terse-version=3 "$@"
}
# What goes alone, requests by second.  $1: name of a client, $2: read or write, $3: number of the field
alone() {
	load "$1" "rand$2" --ramp_time="$WARM_UP_S" --runtime="$ALONE_S" >"$OUT/$contender-$1.terse" &&
		cut -d ';' -f "$3" "$OUT/$contender-$1.terse"
}
# Sets what one drive does of each alone: all contenders promise parts of that.
learn() {
	one_starts && client reader 0 && client writer 1 &&
		reads_s=$(alone reader read 8) && writes_s=$(alone writer write 49) &&
		dm_remove reader && dm_remove writer && one_ends &&
		echo "$reads_s $writes_s $RUN_S" >"$OUT/alone"
}
profile() {
	echo "ssdqos-profile 1 window_ms 1000"
	for class in "read rand" "read seq"; do echo "cost $class 4096 $DEPTH 990 $((1000000000 / reads_s))"; done
	for class in "write rand" "write seq"; do echo "cost $class 4096 $DEPTH 990 $((1000000000 / writes_s))"; done
}
# $1: name, $2: op, $3: requests by second, $4: window
promise() { dmsetup message "$1" 0 set op "$2" min_iops "$3" window_ms "$4"; }
# The rest: keys and values of the drive
clients_start() {
	client reader 0 drive_queue_depth "$DEPTH" drive_overcommit on "$@" && client writer 1 && client reads 2 && client writes 3 &&
		profile | tr '\n' ' ' | xargs -x -n 1000 -s 65536 dmsetup message reader 0 profile &&
		promise reader read $((reads_s * READ_PCT / 100)) "$READ_WINDOW_MS" &&
		promise writer write $((writes_s * WRITE_PCT / 100)) "$WRITE_WINDOW_MS"
}
clients_end() { for name in reader writer reads writes; do dm_remove "$name" || return; done; }
loads() {
	loads_pids=
	for each in reader:randread writer:randwrite reads:randread writes:randwrite; do
		load "${each%:*}" "${each#*:}" --runtime="$((WARM_UP_S + RUN_S))" >"$OUT/$contender-${each%:*}.terse" &
		loads_pids="$loads_pids $!"
	done
	sleep "$WARM_UP_S"
	for name in reader writer; do dmsetup message "$name" 0 reset_stats || return; done
	sleep "$RUN_S"
	for name in reader writer reads writes; do dmsetup status "$name" >"$OUT/$contender-$name.status"; done
	# shellcheck disable=SC2086 # words
	wait $loads_pids
}
told() {
	for pair in reader:reads writer:writes; do
		name=${pair%:*}
		echo "$contender $name $(gauge "$name" promised) $(gauge "$name" "${pair#*:}") $(gauge "$name" windows_met)" \
			"$(gauge "$name" windows_missed)"
	done >>"$OUT/promises"
}
measure() { "$1" && clients_start ${3:+"$3" "$4"} && loads && told && clients_end && "$2"; }

contender=alone
check "one drive alone" learn
contender=one
check "$contender" measure one_starts one_ends
contender=raid1
check "$contender" measure raid1_starts raid1_ends
contender=ianus
check "$contender" measure ianus_idle_starts ianus_ends
contender=apart
check "$contender" measure ianus_idle_starts ianus_ends drive_apart on
ktap_done
