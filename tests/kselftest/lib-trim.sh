# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034,SC2154
# Helpers for storms on streams s1, s2, s3 of one drive whose discards are kept: what is
# changed meanwhile, and what fails.  After lib-qos.sh.

# What a model looks at: so little that most of it has been written after a second.
MODEL_SECTORS=4096

# ---- what is kept ----

trim() { gauge s1 "trim_$1"; }
nothing_is_kept() { [ "$(trim waiting) $(trim under_way)" = "0 0" ]; }
batches() { dmsetup message s1 0 set drive_trim batch drive_trim_age_ms 20 drive_trim_granule_kib 0; }

# ---- changes, for storm_job, which counts its turns ----

policies() {
	dmsetup message s1 0 drive_trim pass && dmsetup message s2 0 drive_trim batch &&
		dmsetup message s1 0 set drive_trim_age_ms $((turns % 50 + 1)) drive_trim_depth $((turns % 4 + 1)) &&
		dmsetup message s3 0 set drive_trim_ranges $((1024 + turns % 7)) drive_trim_granule_kib $((turns % 3 * 4)) &&
		dmsetup message s2 0 drive_trim_max_kib $((turns % 5 * 64 + 4))
}
flushes() { dmsetup message s1 0 trim_flush && dmsetup message s2 0 trim_sync; }
rules() {
	dmsetup message s1 0 util_ppm 100000 && dmsetup message s2 0 max_iops $((turns % 5 * 500 + 500)) &&
		dmsetup message s3 0 drive_queue_depth $((turns % 8 + 1)) && dmsetup message s1 0 util_ppm 0 &&
		dmsetup message s2 0 max_iops 0
}
reload() { flash_reload s2 "$(storm_line 2 weight $((turns % 50 + 1)))"; }
look() { dmsetup status | grep -c drive=; }

# ---- a disk that takes no discards ----

# $1: the disk's directory in sysfs
refuses() { REFUSES=$1/queue/discard_max_bytes && TAKES=$(cat "$REFUSES") && put "$REFUSES" 0; }
takes_again() { put "$REFUSES" "$TAKES"; }

# ---- allocations that fail, in processes that are marked ----

FAULTS=/sys/kernel/debug
can_fail() { [ -d "$FAULTS/failslab" ] && [ -e /proc/self/make-it-fail ]; }
# $1: per cent
faults_begin() {
	for fault in failslab fail_page_alloc; do
		for pair in probability:$1 interval:1 times:-1 verbose:0 task-filter:Y ignore-gfp-wait:N; do
			put "$FAULTS/$fault/${pair%:*}" "${pair#*:}" || return
		done
	done
	put "$FAULTS/fail_page_alloc/min-order" 0
}
faults_end() { for fault in failslab fail_page_alloc; do put "$FAULTS/$fault/probability" 0; done; }
# The workers of the kernel, ours among them.  $1: 1 or 0
workers_fail() {
	for worker in /proc/[0-9]*; do
		read -r worker_name <"$worker/comm" || continue
		case $worker_name in kworker*) echo "$1" >"$worker/make-it-fail" ;; esac
	done 2>/dev/null
}
