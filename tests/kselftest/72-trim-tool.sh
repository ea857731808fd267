#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# python: tools/ssdqos:/opt/ssdqos
# timeout: 300
# The command-line tool with discards that are kept: what is shown, sent and told
# is the kernel's; and what discards cost is measured only where nobody loses data.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

require_cmd python3

DISK_MB=64
PART_MB=24
# The last part of the disk is nobody's, until it is measured.
FREE_MB=$((2 * PART_MB))
A=/dev/mapper/a
NUMBERS=/tmp/advice.json
# Of each of some forty parts.
PART_S=0.05

tool() { PYTHONPATH=/opt python3 -m ssdqos "$@"; }

drop() { discard -o $(($1 << 10)) -l $(($2 << 10)) "$A"; }
# $1: key; as the tool's JSON has it
told() { tool trim status a --json | sed -n "s/^ *\"$1\": \"*\([^,\"]*\).*/\1/p"; }
is_kernels() {
	for key in trim trim_waiting trim_waiting_sectors trim_taken trim_sent trim_sent_sectors trim_failed; do
		[ "$(told "$key")" = "$(gauge a "$key")" ] || { echo "$key: $(told "$key"), the kernel says $(gauge a "$key")"; return 1; }
	done
}
has_metric() { tool metrics | grep -qE "^ssdqos_drive_$1"; }
rows() { tool trim status | grep -c "batch"; }

# $1: MB of the disk where it begins, $2: MB
advise() {
	advise_range="$1m:$2m"
	shift 2
	tool trim advise "$ADVISED" --range "$advise_range" --seconds "$PART_S" "$@"
}
# How many KiB of the disk from some MB on are not zero.  $1: first MB, $2: MB
kib_left() { dd if="$ADVISED" bs=1M skip="$1" count="$2" iflag=direct 2>/dev/null | tr -d '\000' | wc -c | awk '{ print int($1 / 1024) }'; }
# Not zero anywhere.
fill() { yes x | head -c $(($2 << 20)) | dd of="$ADVISED" bs=1M seek="$1" oflag=direct iflag=fullblock conv=notrunc 2>&1; }

null_blk_create "$DISK_MB" memory_backed discard=1 || skip_all "no null_blk"
check "a stream" qos_create a "$NULL_BLK" 0 "$PART_MB"
check "and another" qos_create b "$NULL_BLK" "$PART_MB" "$PART_MB"
check "discards pass, and how to keep them is told" answers 0 "ssdqos set a drive_trim=batch" tool trim status
check "they are kept" tool set a drive_trim=batch drive_trim_age_ms=600000 drive_trim_granule_kib=1048576
drop 0 64
drop 1024 64
check "what is told is the kernel's" is_kernels
check_equal "two pieces" 2 "$(told trim_waiting)"
check_equal "of one drive, shown once" 1 "$(rows)"
check "for both of its streams" answers 0 " batch +2 +0\.1 .* a b$" tool trim status b
check "the live view has it" answers 0 "discards: 2 pieces with 131 KB are kept" tool top --count 1
check "and metrics" has_metric 'trim_waiting_bytes{.*} 131072$'
check "and their counters" has_metric 'trim_taken_total{.*} 2$'
check "which no stream has again" answers 1 "^$" sh -c "PYTHONPATH=/opt python3 -m ssdqos metrics | grep ^ssdqos_stream_trim"
check "all of it goes" answers 0 "^a: 2 pieces with 131 KB have gone, and the drive has done them$" tool trim flush a --wait
check_equal "and has gone" "0 2" "$(told trim_waiting) $(told trim_sent)"
check "nothing is left to send" answers 0 "^b: nothing is kept$" tool trim flush b
check "who is no stream is told so" answers 2 "^ssdqos: nobody cannot be asked: " tool trim flush nobody

ADVISED=$NULL_BLK
check "a disk with streams is not measured" answers 2 "is in use by dm-" advise "$FREE_MB" 16 --yes
ADVISED=$A
check "nor a stream that keeps discards" answers 2 "keeps discards itself" advise 0 16 --yes
check "discards pass again" tool set a drive_trim=pass
check "the stream is filled where it will not be measured" fill 0 4
check "without consent nothing is written" answers 0 "would be overwritten.*that takes [0-9]+ s to" advise 4 20
check_equal "nothing" 0 "$(kib_left 4 20)"
check "a range outside of it" answers 2 "ends at [0-9]+, /dev/mapper/a has $((PART_MB << 20)) bytes" advise 16 16 --yes
check "is measured with consent" answers 0 "^ssdqos set NAME drive_trim=(batch drive_trim_granule_kib=[0-9]|pass)" \
	advise 4 20 --yes --json "$NUMBERS"
check "into JSON" grep -q '"drive_trim_max_kib"' "$NUMBERS"
check_equal "what lies before stays, the range is free" "4096 0" "$(kib_left 0 4) $(kib_left 4 20)"
# whatever was proposed, the kernel has to take it
proposed() {
	said=$(python3 -c "import json; print(*(f'{k}={v[\"value\"]}' for k, v in json.load(open('$NUMBERS'))['proposal'].items()))")
	echo "$said"
	# shellcheck disable=SC2086 # words
	tool set a $said
}
check "the kernel takes the proposal" proposed
check "and lets go" tool set a drive_trim=pass
check "a file system" mkfs.ext4 -q "$A"
mkdir -p /tmp/mnt
check "is mounted" mount -t ext4 "$A" /tmp/mnt
on_exit "umount /tmp/mnt"
check "and not measured" answers 2 "is mounted on /tmp/mnt" advise 0 16 --yes
check "is unmounted" umount /tmp/mnt

check "the streams go" dm_remove a
dm_remove b
null_blk_create "$DISK_MB" memory_backed
ADVISED=$NULL_BLK
check "a disk without discards" answers 2 "does not support discards" advise 0 16 --yes
ktap_done
