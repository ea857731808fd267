#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# Wear that is known: an ssdqos-flash drive below is asked, others report by
# message; reports that can't be true are refused.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

FLASH_MB=64
UNIT_BYTES=4096
# What the flash programs is known to the page.
NEAR_PERMILLE=10
# The write amplification is estimated from samples of a second, which differ much.
NEAR_WAF_PERMILLE=350
WAF_UNKNOWN_PERMILLE=2000
REPORT_SLACK_KIB=$((FLASH_MB * 1024 / 64))

# Pages that the flash has programmed, in bytes; the counters must not be reset.
flash_bytes() {
	page_bytes=$(sed -n 's/.*page_bytes=\([0-9]*\).*/\1/p' "$(flash_sysfs drive)/geometry")
	echo $((($(gauge drive flash_programs) + $(gauge drive flash_copybacks)) * page_bytes))
}

# $1: name, $2: MB, the rest: options
write_mb() {
	write_name=$1
	write_size=$2
	shift 2
	fio_run --filename="/dev/mapper/$write_name" --rw=write --bs=64k --iodepth=8 --io_size="${write_size}M" --end_fsync=1 "$@"
}

# Nothing is under way any more: no program in a second, and it was asked since.
flash_rests() {
	rest_before=$(flash_bytes)
	sleep 1.5
	[ "$rest_before" = "$(flash_bytes)" ]
}

# $1: number, $2: what it is near to, $3: by so many thousandths
is_near() {
	near_slack=$(($2 * $3 / 1000))
	echo "$1 and $2, $near_slack more or less"
	[ "$1" -ge $(($2 - near_slack)) ] && [ "$1" -le $(($2 + near_slack)) ]
}

# From here on, the part of the life that is used is what the flash programs.
used_from_here() { FLASH_FROM=$(flash_bytes) USED_FROM=$1; }
used_follows() {
	wait_for flash_rests &&
		is_near $(($(life gold used_bytes) - USED_FROM)) $(($(flash_bytes) - FLASH_FROM)) "$NEAR_PERMILLE"
}

# Randomly, several times the drive, so that it has to collect; then what
# amplification there is in the last part.
waf_follows() {
	write_mb gold $((3 * FLASH_MB)) --rw=randwrite --bs=4k && used_follows || return
	waf_flash=$(flash_bytes) waf_host=$(gauge drive host_write_units)
	write_mb gold "$FLASH_MB" --rw=randwrite --bs=4k --randseed=2 && used_follows || return
	waf=$((($(flash_bytes) - waf_flash) * 1000 / (($(gauge drive host_write_units) - waf_host) * UNIT_BYTES)))
	[ "$(life gold waf_permille)" != "$WAF_UNKNOWN_PERMILLE" ] && is_near "$(life gold waf_permille)" "$waf" "$NEAR_WAF_PERMILLE"
}

# Cells don't forget when counters do.
survives_reset() {
	reset_used=$(life gold used_bytes)
	dmsetup message drive 0 reset_stats && sleep 1.5 && [ "$(life gold used_bytes)" = "$reset_used" ] &&
		[ "$(life gold source_age_s)" -ge 0 ]
}

# The drive below begins a new life, with other parameters.
# shellcheck disable=SC2086 # words of a line
replaces_flash() { flash_reload drive "$(flash_line "$NULL_BLK" "$(sectors "$NULL_BLK")" $PLAIN op_permille 200)"; }
source_lost_count() { grep -c SSDQOS_EVENT=wear_source_lost "$UEVENTS"; }

# In bytes of hosts, that of others too.  $1: MB by us, $2: MB by somebody else
host_bytes_follow() {
	follow_used=$(life gold used_bytes)
	write_mb gold "$1" --iodepth=32 && write_mb drive "$2" --offset=32M --size=16M && sleep 1.5 &&
		is_near $(($(life gold used_bytes) - follow_used)) $((($1 + $2) * 1048576)) "$NEAR_PERMILLE" &&
		[ "$(life gold host_bytes)" = $((FOLLOW_OWN + $1 * 1048576)) ]
}

# ---- reports ----

report() { dmsetup message plain 0 wear "$@"; }
# The refused report leaves what is used as it is.  $1: words, the rest: report
refuses() {
	refuse_words=$1
	refuse_used=$(life plain used_bytes)
	shift
	qos_refused "$refuse_words" report "$@" && life_is plain used_bytes "$refuse_used"
}

# What a report says is charged instead of what we thought.  $1: MB more of flash
charges_report() {
	charge_used=$(life plain used_bytes)
	write_mb plain 4 && REPORTED=$((REPORTED + $1 * 1048576)) && report flash_bytes "$REPORTED" &&
		[ $(($(life plain used_bytes) - charge_used)) = $(($1 * 1048576)) ]
}

# It stands, little is written each time, and in the end that is too much.
frozen_is_found() {
	frozen_kib=0
	while [ "$frozen_kib" -le "$REPORT_SLACK_KIB" ]; do
		report flash_bytes "$REPORTED" || return
		fio_run --filename=/dev/mapper/plain --rw=write --bs=64k --size=256k >/dev/null || return
		frozen_kib=$((frozen_kib + 256))
	done
	refuses "stands still" flash_bytes "$REPORTED"
}

# shellcheck disable=SC2086 # words of a line
check "a flash drive appears" flash_on_null drive "$FLASH_MB" $PLAIN
used_from_here 0
uevents_start
check "a stream on it" qos_create gold /dev/mapper/drive 0 "$FLASH_MB" drive_pe_cycles 3000
check "writes" write_mb gold "$FLASH_MB"
check "are charged as the flash is worn" used_follows
check "and as it collects" waf_follows
check "nobody else may report" qos_refused "is asked" dmsetup message gold 0 wear flash_bytes 1
check "the flash's counters begin anew" survives_reset
USED=$(life gold used_bytes)
check_equal "none of which is missed" 0 "$(source_lost_count)"
check "the flash below is another one" replaces_flash
check "the source is lost" wait_for told wear_source_lost
check "and found again" wait_for told wear_source_ok
check_between "it is known" 0 "$(life gold source_age_s)" 10
check_equal "what was used stays" "$USED" "$(life gold used_bytes)"
used_from_here "$USED"
check "writes" write_mb gold "$FLASH_MB"
check "are charged as the new flash is worn" used_follows
check_equal "the source was lost once" 1 "$(source_lost_count)"
check "removal" dm_remove gold

check "endurance in what hosts write" qos_create gold /dev/mapper/drive 0 32 drive_endurance_gb 100
FOLLOW_OWN=0
check "counts what others write" host_bytes_follow 16 8
FOLLOW_OWN=$((16 * 1048576))
check "again" host_bytes_follow 8 16
check "removal" dm_remove gold

null_blk_create "$FLASH_MB" memory_backed
check "a disk that nothing is known of" qos_create plain "$NULL_BLK" 0 "$FLASH_MB"
check "without endurance, a report is refused" qos_refused "wear is not counted" report flash_bytes 1000
check "it gets an endurance" dmsetup message plain 0 drive_pe_cycles 3000
uevents_forget
check "writes" write_mb plain 4
check_equal "count twice until somebody knows" $((8 * 1048576)) "$(life plain used_bytes)"
check_equal "and nobody does" -1 "$(life plain source_age_s)"
check "an odd number of words is refused" refuses "needs its name" flash_bytes
check "an unknown one is refused" refuses "is unknown" pages 5
check "no number is refused" refuses "not a number" flash_bytes many
REPORTED=1000000000
check "a first report" report flash_bytes "$REPORTED"
check_between "is known" 0 "$(life plain source_age_s)" 10
check "reports are charged" charges_report 12
check "also if it is less" charges_report 5
check "one that goes back is refused" refuses "went back" flash_bytes 500000000
check_equal "the source is lost" -1 "$(life plain source_age_s)"
check "which is told" wait_for told wear_source_lost
check "the next one is taken" report flash_bytes 500001000
check "which is told" wait_for told wear_source_ok
check_between "the source is known" 0 "$(life plain source_age_s)" 10
REPORTED=500001000
check "reports are charged again" charges_report 12
check "one that grew too much is refused" refuses "100 times" flash_bytes 100500001000
check "and the next one goes back" refuses "went back" flash_bytes 600000000
check_equal "lost is told once for both" 2 "$(source_lost_count)"
check "then all is well" report flash_bytes 600001000
REPORTED=600001000
check "one that stands still is found out" frozen_is_found
check_equal "the source is lost" -1 "$(life plain source_age_s)"
check "which stays so" refuses "stands still" flash_bytes "$REPORTED"
check "until it moves" report flash_bytes $((REPORTED + 1048576))
check_between "then it is known" 0 "$(life plain source_age_s)" 10
ktap_done
