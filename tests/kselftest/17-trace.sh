#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Trace events and blktrace tell what the drive does.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck source=tests/kselftest/lib-trace.sh
. "${0%/*}/lib-trace.sh"

DRIVE=/dev/mapper/drive
NAND="$DEV time_ns=$NUMBER task=$TASK op=\(read\|program\|erase\|copyback\) plane=$NUMBER block=$NUMBER page=$NUMBER units=$NUMBER"
WAITS="$(printf 'wait_%s_ns=[0-9]* ' flash controller map_miss slot sched by_host by_map by_flush by_gc by_scrub by_wear by_verify)"
REQUEST="$DEV seq=$NUMBER op=\(read\|write\|discard\|flush\) sector=$NUMBER nr_sectors=$NUMBER fua=[01] arrival_ns=$NUMBER"

write_random() { fio_run --filename="$DRIVE" --rw=randwrite --bs=16k --iodepth=32 --size="$1"; }

# A decision's name, or an operation's, was printed.
names() { grep -q "$1" "$TRACE"; }

# All that has begun has ended: nothing is counted that isn't in the trace.
at_rest() { flash_settle drive; }

# Writes of more than the buffer holds wait on any machine, however slow.
mixed_requests() {
	write_random 14M && fio_run --filename="$DRIVE" --rw=randrw --bs=16k --iodepth=32 --size=4M &&
		fio_run --filename="$DRIVE" --rw=write --bs=256k --size=512k && fio_run --filename="$DRIVE" --rw=read --bs=64k --size=1M &&
		discard -o 0 -l 1048576 "$DRIVE" && fio_run --filename="$DRIVE" --rw=write --bs=4k --size=40k --fdatasync=1 &&
		at_rest
}

requests() { echo $(($(gauge drive reads) + $(gauge drive writes) + $(gauge drive discards) + $(gauge drive flushes))); }

silent_when_off() {
	echo >"$TRACING/trace"
	write_random 64k && ! grep -q ssdqos_flash "$TRACING/trace"
}

# Times are the model's: a completion is not before its arrival.
times_in_order() {
	sed -n 's/.*request_completed: .* arrival_ns=\([0-9]*\) complete_ns=\([0-9]*\) .*/\1 \2/p' "$TRACE" |
		awk '$2 < $1 { bad++ } END { exit !(NR > 0 && !bad) }'
}

fields_are_numbers() {
	for field in 'u64 arrival_ns' 'u64 complete_ns' 'u64 late_ns' 'u64 sector' 'u32 nr_sectors' 'u8 op' 'u8 met' 'bool fua' 'u64 wait_flash_ns' 'u64 wait_by_wear_ns' 'u64 wait_by_verify_ns'; do
		grep -q "field:$field;" "$EVENTS/ssdqos_flash_request_completed/format" || return
	done
}

with_trace_cmd() {
	cd /tmp && trace-cmd record -q -e ssdqos:ssdqos_flash_request_completed -o /tmp/trace.dat \
		fio --name=job --filename="$DRIVE" --rw=read --bs=4k --size=80k --direct=1 --ioengine=sync && [ "$(trace-cmd report -i /tmp/trace.dat 2>&1 | tee /tmp/report | grep -c 'ssdqos_flash_request_completed: .*op=read ')" = 20 ] && return
	tail -n 5 /tmp/report
	return 1
}

with_blktrace() {
	cd /tmp && { blktrace -d "$DRIVE" -o blk >/dev/null 2>&1 & } && tracer=$! &&
		wait_for test -e "/sys/kernel/debug/block/$(dm_kernel_name drive)/trace0" &&
		fio_run --filename="$DRIVE" --rw=write --bs=8k --size=80k && kill -INT "$tracer" && { wait "$tracer" || :; } &&
		blkparse -i blk >/tmp/parsed || return
	[ "$(grep -c ' Q  *W' /tmp/parsed)" -ge 10 ] && [ "$(grep -c ' C  *W' /tmp/parsed)" -ge 10 ]
}

# No time in the model: of many requests the device is late with some, unless the
# timer that delivers completions is later still.
late_told() {
	dmsetup message drive 0 reset_stats && dmsetup message drive 0 ram_ns 0 && traced write_random 2M &&
		[ "$(count backing_late:)" = "$(gauge drive late_requests)" ] &&
		well_formed backing_late "$DEV seq=$NUMBER late_ns=$NUMBER"
}

trace_prepare
check "a drive appears" flash_on_null drive "$FLASH_MIN_MB" aged_pct 100 op_permille 400 buffer_kib 64 cache volatile \
	array_scope plane erase_suspend_ns 100000 program_suspend_ns 30000
check "requests without tracing" write_random 64k
check "nothing is traced then" silent_when_off
# Flushing and collecting go on after the last request: before the trace begins, that would only be counted.
check "the drive is at rest" at_rest
dmsetup message drive 0 reset_stats
check "requests with tracing" traced mixed_requests
TOTAL=$(requests)
check_equal "each request is submitted once" "$TOTAL" "$(count request_submitted:)"
check_equal "each request is completed once" "$TOTAL" "$(count request_completed:)"
check_equal "each operation of the flash begins once" \
	$(($(gauge drive flash_reads) + $(gauge drive flash_programs) + $(gauge drive flash_erases) + $(gauge drive flash_copybacks))) "$(count nand_started:)"
check "request_submitted has its fields" well_formed request_submitted "$REQUEST"
check "request_completed has its fields" well_formed request_completed \
	"$REQUEST complete_ns=$NUMBER met=[0-3] late_ns=$NUMBER ${WAITS% }"
check "nand_started has its fields" well_formed nand_started "$NAND"
check "nand_completed has its fields" well_formed nand_completed "$NAND"
check "nand_suspended has its fields" well_formed nand_suspended "$NAND"
check_equal "each suspension is traced" $(($(gauge drive erase_suspends) + $(gauge drive program_suspends))) "$(count nand_suspended:)"
check_equal "what is suspended goes on" "$(count nand_suspended:)" "$(count nand_resumed:)"
check "gc_decided has its fields" well_formed gc_decided \
	"$DEV time_ns=$NUMBER decision=gc_[a-z_]* plane=$NUMBER block=$NUMBER valid_units=$NUMBER free_blocks=$NUMBER"
check "write_stalled has its fields" well_formed write_stalled "$DEV time_ns=$NUMBER reason=\(buffer\|space\)"
check "write_resumed has its fields" well_formed write_resumed "$DEV time_ns=$NUMBER reason=\(buffer\|space\)"
check_equal "who waited goes on" "$(count write_stalled:)" "$(count write_resumed:)"
for decision in gc_started gc_victim_chosen gc_stopped; do
	check "a decision's name: $decision" names "decision=$decision "
done
for op in read write discard flush; do
	check "a request's name: $op" names "request_completed: .*op=$op "
done
for task in "host op=read" "flush op=program" "gc op=read" "gc op=program" "gc op=erase"; do
	check "a task's name: $task" names "nand_started: .*task=$task "
done
check_equal "victims are blocks collected" "$(gauge drive gc_blocks)" "$(count 'gc_decided: .*victim_chosen')"
check "completions follow arrivals" times_in_order
check "causes of waiting add up to the latency" waits_add_up "$TOTAL"
check "fields are numbers for programs" fields_are_numbers
check_fails "and hold no names of ours" grep -q SSDQOS_ "$EVENTS"/*/format
check "nothing is traced afterwards" silent_when_off
check "late devices are told" late_told
check "trace-cmd" with_trace_cmd
check "blktrace and blkparse" with_blktrace
ktap_done
