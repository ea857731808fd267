# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Records a run on an emulated drive through the trace events, for the host to
# repeat in the simulator.  A script of a few lines says what to run, and reads this:
# NAME, DRIVE (arguments of the table line), SIZE_MB, REQUESTS, RATE.
# shellcheck source=tests/kselftest/lib.sh
. "${0%/*}/lib.sh"

TRACE=/sys/kernel/tracing
OUT=/results/$NAME
mkdir -p "$OUT"
# A line of the text is below 500 bytes; some ten events may belong to a request.
BUFFER_KB=400000

null_blk_create "$SIZE_MB"
check "create the drive" dm_create cross \
	"0 $((SIZE_MB * SECTORS_PER_MB)) ssdqos-flash $NULL_BLK 0 $DRIVE"
[ -d $TRACE/events ] || mount -t tracefs tracefs $TRACE
echo "$BUFFER_KB" >$TRACE/buffer_size_kb
# What an earlier drive has left.
echo >$TRACE/trace
echo 1 >$TRACE/tracing_on
for event in request_completed gc_decided scrub_victim_chosen wear_victim_chosen relocation_abandoned map_missed \
	read_reconstructed read_blocked turn_refused turn_overridden stripe_evicted stripe_shifted block_verified share_changed op_lent op_passed nand_suspended nand_resumed write_stalled write_resumed; do
	echo 1 >$TRACE/events/ssdqos/ssdqos_flash_$event/enable
done

# Three jobs at once, so that arrivals coincide with events of all kinds: an
# open loop of mixed sizes, a writer that flushes, and discards.  (fio 3.33
# divides by zero where a job has both Poisson arrivals and flushes, and ends a
# job when it has moved as much as its file holds, unless io_size says more.)
check "run the load" fio --output="$OUT/fio.txt" --filename=/dev/mapper/cross \
	--direct=1 --ioengine=io_uring --randseed=7 --norandommap --size=100% \
	--name=mixed --rw=randrw --rwmixread=60 --blockalign=512 \
	--bssplit=4k/70:512/5:16k/10:64k/10:7k/5 --iodepth=64 --rate_iops="$RATE" \
	--rate_process=poisson --number_ios="$REQUESTS" --io_size=1t \
	--name=log --rw=write --bs=12k --fdatasync=3 --thinktime=1000 \
	--number_ios=$((REQUESTS / 40)) \
	--name=trim --rw=randtrim --bs=64k --iodepth=2 --thinktime=4000 \
	--number_ios=$((REQUESTS / 50))
# Garbage collection goes on for a while; decisions after the last completion
# are compared as well.
drained() { flash_settle cross; }
check "the drive comes to rest" drained
dmsetup table cross >"$OUT/table.txt"
dmsetup status cross >"$OUT/status.txt"
echo 0 >$TRACE/tracing_on
check "write the trace" eval "/usr/bin/grep -v '^#' $TRACE/trace >$OUT/trace.txt"
cat $TRACE/per_cpu/cpu0/stats >"$OUT/trace-stats.txt"
check_equal "no event was lost" 0 "$(awk '/^overrun/ { print $2 }' "$OUT/trace-stats.txt")"
ktap_done
