#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 180
# A map of which only a part is in memory, and stripes with parity: data stay
# right, and what they cost is counted.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck source=tests/kselftest/lib-trace.sh
. "${0%/*}/lib-trace.sh"

DRIVE=/dev/mapper/drive
# A page of the map is for 4 MiB; eight are the least that a cache has.
SMALL="map_cache_kib 32"
MAP_PAGES=$((FLASH_MIN_MB / 4))
CACHED_PAGES=8
# Whether a read is rebuilt is a matter of luck: there must be collecting where it goes.
REBUILD_MAX_ROUNDS=10
MISSED="$DEV time_ns=$NUMBER map_page=$NUMBER"
AROUND="$DEV time_ns=$NUMBER plane=$NUMBER block=$NUMBER units=$NUMBER"
SHIFTED="$DEV time_ns=$NUMBER stripe=$NUMBER plane=$NUMBER units=$NUMBER columns=$NUMBER"
EVICTED="$DEV time_ns=$NUMBER stripe=$NUMBER plane=$NUMBER units=$NUMBER parity=\(full\|rest\|old\) reads=$NUMBER"
TURN="$DEV time_ns=$NUMBER plane=$NUMBER holder=$NUMBER free_blocks=$NUMBER"

message() { dmsetup message drive 0 "$@"; }
read_random() { fio_run --filename="$DRIVE" --rw=randread --bs=4k --iodepth="${2:-4}" --io_size="$1" --norandommap; }
write_random() { fio_run --filename="$DRIVE" --rw=randwrite --bs=4k --iodepth=8 --io_size="$1" --norandommap; }
verify() { fio_run --filename="$DRIVE" --rw=randrw --bsrange=512-64k --iodepth=8 --size="$1" --io_size="$1" --verify=crc32c --do_verify=1 --verify_fatal=1; }
counter() { gauge drive "$1"; }
counted() { [ "$(counter "$1")" -gt 0 ]; }

# Pages are asked for at random: about half of them are not there.
misses_told() {
	hit=$(counter map_hit_pct)
	echo "$hit % of $(counter map_lookups)"
	awk -v hit="$hit" -v n="$(counter map_lookups)" -v missed="$(counter map_misses)" \
		'BEGIN { x = 100 * (n - missed) / n; exit !(n > 0 && hit > 20 && hit < 80 && hit - x < 0.002 && x - hit < 0.002) }'
}

pages_in_range() {
	sed -n 's/.*map_missed: .* map_page=\([0-9]*\)$/\1/p' "$TRACE" | awk -v pages="$MAP_PAGES" '$1 >= pages { bad++ } END { exit !(NR > 0 && !bad) }'
}

# A read that missed says so in its causes.
miss_in_waits() { grep -q 'request_completed: .* op=read .* wait_map_miss_ns=[1-9]' "$TRACE"; }

rests() { flash_settle drive && message save; }

# shellcheck disable=SC2086 # words of a line
carried_over() {
	rests && cat "$DIR/state" >/tmp/state && cached=$(counter map_cached_pages) && gauges=$(state_gauges drive) &&
		dm_remove drive && flash_create drive "$NULL_BLK" $SMALL && DIR=$(flash_sysfs drive) &&
		cat /tmp/state >"$DIR/state" && message load && [ "$gauges" = "$(state_gauges drive)" ] &&
		echo "$cached pages" && [ "$cached" = "$(counter map_cached_pages)" ]
}

# Saving, loading and ageing while requests wait for the map.
messages_under_load() {
	for round in 1 2 3; do
		message save && load_runs && message load && load_runs && message age 80 "$round" && load_runs || return
	done
}

whole_map() {
	message reset_stats && read_random 2M && [ "$(counter map_misses)" = 0 ] && [ "$(counter map_hit_pct)" = 100.000 ]
}

# Reads beside so many writes that garbage is collected.
reads_beside_gc() {
	fio_run --filename="$DRIVE" --rw=randrw --bsrange=4k-64k --iodepth=16 --io_size=96M --norandommap &&
		echo "$(counter reconstructed_reads) reads with $(counter gc_blocks) blocks" && counted gc_blocks
}
# As often as one is rebuilt with the switch on, none is with it off.
no_reconstruction() {
	message rain_reconstruct on && message reset_stats || return
	rebuild_rounds=0
	until counted reconstructed_reads; do
		[ "$rebuild_rounds" -lt "$REBUILD_MAX_ROUNDS" ] && reads_beside_gc || return
		rebuild_rounds=$((rebuild_rounds + 1))
	done
	message rain_reconstruct off && message reset_stats || return
	for round in $(seq "$rebuild_rounds"); do reads_beside_gc || return; done
	[ "$(counter reconstructed_reads)" = 0 ]
}

# ---- the map ----

trace_prepare
null_blk_create "$FLASH_MIN_MB" memory_backed discard=1 || skip_all "no null_blk"
SECTORS=$(sectors "$NULL_BLK")
# shellcheck disable=SC2086 # words of a line
check "a drive with a small cache of the map" flash_create drive "$NULL_BLK" aged_pct 90 $SMALL
DIR=$(flash_sysfs drive)
check_equal "has as many pages as fit" "$CACHED_PAGES" "$(counter map_cached_pages)"
message reset_stats
check "reads at random" traced read_random 2M
check "misses are counted" misses_told
check_equal "each of them is traced" "$(counter map_misses)" "$(count map_missed:)"
check "map_missed has its fields" well_formed map_missed "$MISSED"
check "its pages are the map's" pages_in_range
check "a miss is a cause of waiting" miss_in_waits
check "causes of waiting add up to the latency" waits_add_up 512
check_equal "the task of the map has read" "$(counter map_reads)" "$(cat "$DIR/tasks/map/issued")"
check "data are right" verify 8M
check "writes everywhere" write_random 4M
check "the map was written, too" counted map_programs
check "requests run" load_start
check "save, load and age under load" messages_under_load
check "data are right" load_stop
check "the state carries the cache" carried_over
check "and the drive works on" verify 2M
check "refused: another cache while it runs" refused_with "map_cache_kib: '64' can't be set on a running drive" \
	message map_cache_kib 64
dm_remove drive
check "a drive with the whole map in memory" flash_create drive "$NULL_BLK" aged_pct 90
check "misses nothing" whole_map
dm_remove drive

# ---- stripes ----

check "stripes refused with dynamic allocation" refused_with "rain: 'on' needs allocation static" \
	dmsetup create drive --table "$(flash_line "$NULL_BLK" "$SECTORS" rain on)"
check "stripes refused on one channel" refused_with "rain: 'on' needs 2 channels" \
	dmsetup create drive --table "$(flash_line "$NULL_BLK" "$SECTORS" allocation static rain on channels 1)"
check "a drive with stripes" flash_create drive "$NULL_BLK" aged_pct 90 allocation static rain on op_permille 600 \
	program_ns 2000000 buffer_kib 256
DIR=$(flash_sysfs drive)
message reset_stats
trace_start read_reconstructed request_completed
check "data are right" verify 8M
check "and under load" load_start
check "until a read was rebuilt" load_until counted reconstructed_reads
check "data are right" load_stop
trace_stop
check "parity was written" counted parity_units
check "and reads were rebuilt from it" counted reconstructed_reads
check_equal "each of them is traced" "$(counter reconstructed_reads)" "$(count read_reconstructed:)"
check "read_reconstructed has its fields" well_formed read_reconstructed "$AROUND"
check "causes of waiting add up to the latency" waits_add_up 100
check "not where that is switched off" no_reconstruction

# ---- turns ----

message rain_reconstruct on
message reset_stats
trace_start read_blocked turn_refused turn_overridden
check "planes collect as they like" load_start
check "until a read met two of a stripe" load_until counted blocked_reads
check "they take turns" message rotate on
check "until one had to wait" load_until counted turns_refused
check "all of them, always" message rotate forced
check "and requests run" load_runs
check "data are right" load_stop
check "the drive comes to rest" rests
trace_stop
check_equal "each read that was blocked is traced" "$(counter blocked_reads)" "$(count read_blocked:)"
check_equal "each plane that had to wait" "$(counter turns_refused)" "$(count turn_refused:)"
check_equal "and each that went ahead" "$(counter turns_overridden)" "$(count turn_overridden:)"
check "read_blocked has its fields" well_formed read_blocked "$AROUND"
check "turn_refused has its fields" well_formed turn_refused "$TURN"
check "refused: turns where all planes are held" refused_with "rotate: needs gc_blocking none, plane or preemptive" \
	message gc_blocking controller
check "removal" dm_remove drive

# ---- a write buffer that goes out by stripes ----

STRIPES="allocation static rain on op_permille 600 buffer_kib 256 flush_start_pct 50 gc_blocking plane rotate on array_scope plane"
# shellcheck disable=SC2086 # words of a line
check "a drive whose buffer holds stripes back" flash_create drive "$NULL_BLK" $STRIPES aged_pe_cycles 0 rain_flush stripes
message reset_stats
trace_start stripe_evicted
check "writes" load_start
check "stripes go out" load_until counted stripes_partial
check "parity follows from what was replaced" load_until counted stripes_from_old
check "data are right" load_stop
check "the drive comes to rest" rests
trace_stop
check_equal "each stripe is traced" "$(($(counter stripes_full) + $(counter stripes_partial)))" "$(count stripe_evicted:)"
check "stripe_evicted has its fields" well_formed stripe_evicted "$EVICTED"
check "what was saved is loaded" message load

# ---- stripes that leave worn planes, while they are written ----

check "planes are worn from one percent on" message rain_shift_pct 1
trace_start stripe_shifted
check "writes go on" load_start
check "stripes are moved" load_until counted stripes_shifted
check "data are right" load_stop
check "the drive comes to rest" rests
trace_stop
check "the status says how even planes are worn" test "$(counter wear_group_pct)" -ge 100
check_equal "each move is traced" "$(counter stripes_shifted)" "$(count stripe_shifted:)"
check "stripe_shifted has its fields" well_formed stripe_shifted "$SHIFTED"
check "what was saved is loaded, places and all" message load
check "and moves no more" message rain_shift_pct 0
check "that is for good" refused_with "rain_flush: 'units' can't be set on a running drive" message rain_flush units
check "removal" dm_remove drive
check "refused without stripes" refused_with "rain_flush: 'stripes' needs rain 'on'" \
	dmsetup create drive --table "$(flash_line "$NULL_BLK" "$SECTORS" rain_flush stripes)"
check "stripes refused that do not fit the channels" refused_with "rain_width: '3' is not a divisor of channels" \
	dmsetup create drive --table "$(flash_line "$NULL_BLK" "$SECTORS" allocation static rain on rain_width 3)"
check "moves refused for what goes out unit by unit" refused_with "rain_shift_pct: '25' needs rain_flush stripes" \
	dmsetup create drive --table "$(flash_line "$NULL_BLK" "$SECTORS" allocation static rain on rain_shift_pct 25)"
check "turns refused without stripes" refused_with "rotate: needs rain 'on'" \
	dmsetup create drive --table "$(flash_line "$NULL_BLK" "$SECTORS" rotate on)"
ktap_done
