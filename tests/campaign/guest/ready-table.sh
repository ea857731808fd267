# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Table 11: one load on a drive that is to last for an hour of life time, under
# each policy in turns.  It begins with none, whose volume gives the budget.
# /results/POLICY.samples has what life_samples prints, POLICY.response what
# response_print does, POLICY.budget bytes, POLICY.status what the stream says.
# shellcheck source=tests/campaign/guest/ready-lib.sh
. "${0%/*}/ready-lib.sh"
require_virtual_clock
require_target ssdqos
require_cmd sqlite3 mkfs.ext4 mawk setsid

# The kernel's flusher lives as fast as the drive: 5 s and 30 s of life.
flusher_scale() {
	echo $((500 / TIME_SCALE + 1)) >/proc/sys/vm/dirty_writeback_centisecs &&
		echo $((3000 / TIME_SCALE + 1)) >/proc/sys/vm/dirty_expire_centisecs
}

file_system() {
	mkfs.ext4 -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$DISK" &&
		mount -t ext4 "$DISK" /mnt && "${LOAD_NAME}_prepare" && umount /mnt
}

# $1: policy
budget_words() {
	if [ "$1" = none ] && [ "$DISK_KIND" = null ]; then
		host_budget $((ENDLESS_GB * 1000))
	elif [ "$1" = none ]; then
		flash_budget $((ENDLESS_GB * 1000))
	else
		"${DISK_KIND}_budget" "$BUDGET_MB"
	fi
}
null_budget() { host_budget "$1"; }

# The used bytes include what the budget words call used already.  $1: policy
life_run() {
	disk_create "$DISK_KIND" && file_system || return
	# shellcheck disable=SC2046 # words
	set -- "$1" $(budget_words "$1") $(life_words) drive_throttle "$1"
	run_policy=$1
	shift
	dm_create life "0 $(sectors "$DISK") ssdqos $DISK 0 $# $*" || return
	run_dir=$(flash_sysfs life)
	run_before=$(life "$run_dir" life_used_bytes)
	response_start life && mount -t ext4 /dev/mapper/life /mnt || return
	load_start "$LOAD_NAME"
	life_samples "$run_dir" >"$OUT/$run_policy.samples"
	response_print >"$OUT/$run_policy.response"
	life_record || return
	load_stop && umount /mnt && response_stop && dm_remove life && disk_remove
}

life_record() {
	cat "$run_dir"/status >"$OUT/$run_policy.status" &&
		echo "$run_before $(life "$run_dir" life_endurance_bytes)" >"$OUT/$run_policy.budget" &&
		grep . "$run_dir"/life_* >"$OUT/$run_policy.gauges"
	[ "$run_policy" != none ] ||
		BUDGET_MB=$(awk -v before="$run_before" -v permille="$BUDGET_PERMILLE" -v mb="$MB" \
			'END { printf "%d", ($2 - before) / mb * permille / 1000 }' "$OUT"/none.samples)
	[ "$BUDGET_MB" -gt 0 ]
}

prepare_ext4
check "the flusher's times" flusher_scale
for policy in $POLICIES; do check "$LOAD_NAME, $policy" life_run "$policy"; done
ktap_done
