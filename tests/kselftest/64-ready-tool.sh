#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# python: tools/ssdqos:/opt/ssdqos
# timeout: 300
# The command-line tool with the kernel's files: what a drive's lifetime shows,
# reports of wear, and a state that survives.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

require_cmd python3

VAR=/var/lib/ssdqos

tool() { PYTHONPATH=/opt python3 -m ssdqos "$@"; }

# Five years, in which the 64 MB may be written a million times.  $1: name, the rest: keys
create() {
	create_name=$1
	shift
	tool create "$create_name" "$NULL_BLK" --size 32m drive_endurance_gb=64000 drive_throttle=ready_opt "$@"
}

# $1: name, $2: gauge; as the tool's JSON has it
told() { tool forecast "$1" --json | sed -n "s/^  \"$2\": \"*\([^,\"]*\).*/\1/p"; }

write_mb() { fio --name=w --filename="/dev/mapper/$1" --rw=write --bs=1m --size="$2"m --direct=1 --minimal >/dev/null; }

# What a drive without SMART answers, and one that has it.
fake_nvme() {
	printf '#!/bin/sh\necho %s\n' "'{\"data_units_written\": $1, \"percent_used\": $2, \"power_on_hours\": 5000}'" >/usr/bin/nvme
	chmod 755 /usr/bin/nvme
}

shows_the_kernels() {
	for gauge in life_target_s life_endurance_bytes life_host_bytes life_delay_why life_source_age_s; do
		kernels=$(cat "$(flash_sysfs gold)/$gauge")
		[ "$(told gold "$gauge")" = "$kernels" ] || { echo "$gauge: $(told gold "$gauge"), the kernel says $kernels"; return 1; }
	done
}

# A line of the metrics.  $1: regular expression
has_metric() { tool metrics | grep -qE "^$1"; }

age_goes_on() { [ "$(told gold life_host_bytes)" -ge $((32 << 20)) ]; }

null_blk_create 64 memory_backed
check "a stream whose drive is to last" create gold
check "writes are charged" write_mb gold 32
check "what is told is the kernel's" shows_the_kernels
check "it will last" answers 0 "^Met: it will last for 5 y" tool forecast gold
check "the same by its drive" tool forecast "$NULL_BLK"
check "the live view has it" answers 0 "lifetime: 0.0 % of 64.0 TB used .* ready_opt" tool top --count 1
check "and metrics" has_metric 'ssdqos_drive_life_target_seconds.*} 157680000$'
check "in which no source is infinitely old" has_metric 'ssdqos_drive_life_source_age_seconds.*} \+Inf$'
check "and counters of streams" has_metric 'ssdqos_stream_stopped_total.*device="gold"'

check "a drive without SMART says so" answers 1 "no report of wear: nvme is not installed" tool wear --from nvme "$NULL_BLK"
fake_nvme 2000000 2
check "a report is sent" tool wear --from nvme "$NULL_BLK"
check "it is in force" answers 0 "Trust +(the drive reported|the forecast looks back)" tool forecast gold
check_between "the source is young" 0 "$(told gold life_source_age_s)" 60
check_between "two per cent are one at least" 639 $(($(told gold life_used_bytes) / 1000000000)) 1280
fake_nvme 1000000 2
check "a counter that goes back is refused" answers 1 "gold does not take it: .*a counter went back" tool wear --from nvme "$NULL_BLK"
check_equal "and the source is lost" -1 "$(told gold life_source_age_s)"

check "its state is kept" answers 0 "^$VAR/" tool save --life
tool remove gold >"$CHECK_OUT"
check "as after a boot" create gold
check "it goes on" age_goes_on
check_between "with what was used" 639 $(($(told gold life_used_bytes) / 1000000000)) 1280
check "nothing is older than the drive" answers 0 "^$" tool restore --life
check "changed while it lives" tool set gold drive_lifetime_h=1000 drive_throttle=ready_pes
check_equal "as it says" 3600000 "$(told gold life_target_s)"
check "an endurance is what it needs" tool set gold drive_throttle=none drive_endurance_gb=0
check "no endurance, no forecast" answers 2 "wear is not counted on drive" tool forecast gold
tool remove gold >"$CHECK_OUT"

disk=$NULL_BLK
null_blk_create 16 memory_backed
meta=$NULL_BLK
NULL_BLK=$disk
check "a drive that keeps its state on a device" create gold "drive_meta=$meta"
check "is written to" write_mb gold 16
check "and left to itself" answers 0 "^$" tool save --life
check "its stream is written down" tool save
check "with that device" grep -q "^drive_meta = $meta$" /etc/ssdqos/gold.conf
tool remove gold >"$CHECK_OUT"
check "and made again" tool restore gold
check_between "the drive goes on by itself" 16777216 "$(told gold life_host_bytes)" 33554431
check "is forgotten" answers 0 "^/etc/ssdqos/gold.conf is gone$" tool remove --forget gold

# A disk that is unplugged while a stream stands on it, and comes back under another number.
null_blk_create 64 memory_backed
plugged=$null_dir
BY_ID=/dev/disk/by-id/test-disk
mkdir -p "${BY_ID%/*}"
ln -s "$NULL_BLK" "$BY_ID"
check "a stream on a disk that has a name" create silver
tool set silver weight=300
tool save silver >"$CHECK_OUT"
check "is saved by that name" grep -q "^device = $BY_ID$" /etc/ssdqos/silver.conf
check "is written to" write_mb silver 16
echo 0 >"$plugged/power"
rm "$BY_ID"
check "an unplugged disk is told of" answers 1 "has gone, and $BY_ID is not there" tool restore --all
null_blk_create 64 memory_backed
ln -s "$NULL_BLK" "$BY_ID"
check_fails "its stream is dead" dd if=/dev/mapper/silver of=/dev/null bs=4k count=1 iflag=direct
check "it is put on the disk again" answers 0 "silver: its disk was [0-9:]* and is $BY_ID now" \
	tool restore --device $BY_ID
check "and reads" dd if=/dev/mapper/silver of=/dev/null bs=4k count=1 iflag=direct
check "as it was set" sh -c "dmsetup table silver | grep -q 'weight 300'"
check "and written to" write_mb silver 1
check_between "with the life that it had" 17825792 "$(told silver life_host_bytes)" 33554431
check "and is left alone" answers 0 "^$" tool restore --all
tool remove --forget silver >"$CHECK_OUT"
check "nothing is missed" answers 0 "^$" tool save --life
rm "$BY_ID"
ktap_done
