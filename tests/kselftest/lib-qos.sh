# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# Helpers for tests of the target ssdqos; reads lib-flash.sh for what is common.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

# The slow disk: every request takes a millisecond, however many there are.
SLOW_NS=1000000
# With so many at a time, it does this many a second.
SLOW_DEPTH=4
SLOW_IOPS=$((SLOW_DEPTH * 1000000000 / SLOW_NS))

# Prints a table line.  $1: device, $2: offset, $3: sectors, the rest: keys and values
qos_line() {
	line_dev=$1
	line_offset=$2
	line_sectors=$3
	shift 3
	echo "0 $line_sectors ssdqos $line_dev $line_offset${1:+ $#${*:+ $*}}"
}

# A stream on a part of a device.  $1: name, $2: device, $3: MB where it begins,
# $4: its MB, the rest: keys and values
qos_create() {
	create_name=$1
	create_dev=$2
	create_offset=$(($3 * SECTORS_PER_MB))
	create_sectors=$(($4 * SECTORS_PER_MB))
	shift 4
	dm_create "$create_name" "$(qos_line "$create_dev" "$create_offset" "$create_sectors" "$@")"
}

# A disk that does SLOW_IOPS with SLOW_DEPTH requests at a time; sets NULL_BLK.
# $1: MB, the rest: as for null_blk_create
slow_disk() {
	slow_mb=$1
	shift
	null_blk_create "$slow_mb" irqmode=2 "completion_nsec=$SLOW_NS" hw_queue_depth=256 "$@"
}

# "below", above the slow disk: who suspends it makes the disk stand still.  $1: MB
slow_disk_stands() { dm_create below "0 $(($1 * SECTORS_PER_MB)) linear $NULL_BLK 0"; }

# The owner's stream gold on half of a device, and another one on the other half.  $1: device, $2: name, $3: MB of each
slow_streams() {
	check "an owner's stream" qos_create gold "$1" 0 "$3" drive_queue_depth "$SLOW_DEPTH"
	check "and another's" qos_create "$2" "$1" "$3" "$3"
	check "the drive gets a profile" slow_profile gold
}

# A profile in which all requests of 4 KiB cost the same.  $1: ns, $2: depth
flat_profile() {
	echo "ssdqos-profile 1 window_ms 100 500 1000"
	for flat_class in "read rand" "read seq" "write rand" "write seq"; do
		echo "cost $flat_class 4096 $2 990 $1 $1 $1"
	done
}

# $1: name; the profile comes from standard input
load_profile() { tr '\n' ' ' | xargs -x -n 100000 -s 131072 dmsetup message "$1" 0 profile; }

# The slow disk's.  $1: name of a stream on it
slow_profile() {
	flat_profile $((SLOW_NS / SLOW_DEPTH)) "$SLOW_DEPTH" >/tmp/profile && load_profile "$1" </tmp/profile
}

# The command fails, and the kernel says why in one line that has all the words.
# $1: words as an extended regular expression, the rest: command
qos_refused() {
	refused_words=$1
	shift
	kmsg_mark
	if "$@"; then
		echo "'$*' was not refused"
		return 1
	fi
	refused_lines=$(kmsg_new | grep -cE "ssdqos: .*($refused_words)")
	[ "$refused_lines" -eq 1 ] || {
		echo "$refused_lines lines match '$refused_words' after '$*': $(kmsg_new)"
		return 1
	}
}

# A program says so.
# $1: exit status, $2: words as an extended regular expression, the rest: command
answers() {
	want_status=$1
	want_words=$2
	shift 2
	said=$("$@" 2>&1)
	said_status=$?
	echo "status $said_status: $said"
	[ "$said_status" -eq "$want_status" ] && echo "$said" | grep -qE "$want_words"
}

# Requests in the background until jobs_stop.  $1: name of the device, the rest: options of fio
job_start() {
	job_name=$1
	shift
	fio --name="$job_name" --ioengine=libaio --direct=1 --thread --filename="/dev/mapper/$job_name" --bs=4k \
		--randseed=1 --time_based --runtime=1000 "$@" >"/tmp/job.$job_name" 2>&1 &
	JOBS="${JOBS-} $!"
	JOB_LOGS="${JOB_LOGS-} /tmp/job.$job_name"
	on_exit "kill -TERM $!"
}

# What earlier jobs complained of, of this script or another, is not asked again.
jobs_stop() {
	jobs_logs=$JOB_LOGS
	# shellcheck disable=SC2086 # words
	kill -TERM $JOBS
	# shellcheck disable=SC2086
	wait $JOBS
	JOBS='' JOB_LOGS=''
	# shellcheck disable=SC2086
	! grep -E 'verify:|bad magic|error=' /dev/null $jobs_logs
}

# Sets REQUESTS so far, and UPTIME_MS right after.  $1: directory in sysfs
read_requests() {
	read -r requests_reads <"$1/stats/reads"
	read -r requests_writes <"$1/stats/writes"
	read_uptime
	REQUESTS=$((requests_reads + requests_writes))
}

# Prints requests per second of streams over some time, each by its own clock.
# $1: seconds, the rest: names
rates() {
	rates_s=$1
	shift
	rates_dirs=
	for rates_name in "$@"; do rates_dirs="$rates_dirs $(flash_sysfs "$rates_name")"; done
	rates_before=
	for rates_dir in $rates_dirs; do
		read_requests "$rates_dir"
		rates_before="$rates_before $REQUESTS $UPTIME_MS"
	done
	sleep "$rates_s"
	# shellcheck disable=SC2086 # two numbers for each
	set -- $rates_before
	for rates_dir in $rates_dirs; do
		read_requests "$rates_dir"
		echo $(((REQUESTS - $1) * 1000 / (UPTIME_MS - $2)))
		shift 2
	done
}

# Reads and writes so far.  $1: name
requests() { echo $(($(gauge "$1" reads) + $(gauge "$1" writes))); }

# ---- storms: on streams s1, s2, ..., each on a part of $DISK ----

STORM_MB=16
STORM_SECTORS=$((STORM_MB * SECTORS_PER_MB))

# Prints a table line for a part.  $1: its number, the rest: keys and values
storm_line() {
	storm_part=$1
	shift
	qos_line "$DISK" $((storm_part * STORM_SECTORS)) "$STORM_SECTORS" "$@"
}

# One when all of it is done, one at once.
suspend_resume() { dmsetup suspend s3 && dmsetup resume s3 && dmsetup suspend --noflush --nolockfs s1 && dmsetup resume s1; }

# ---- what is told by uevents ----

UEVENTS=/tmp/uevents

uevents_forget() { : >"$UEVENTS"; }
# Each uevent as a paragraph.
uevents_start() {
	uevents_forget
	printf '#!/bin/busybox sh\nenv\necho\n' >/tmp/uevent
	chmod +x /tmp/uevent
	busybox uevent /tmp/uevent >>"$UEVENTS" 2>&1 &
	on_exit "kill $!"
}
# $1: event
told() { grep -q "^SSDQOS_EVENT=$1" "$UEVENTS"; }

# Prints fields of the first uevent of this kind.  $1: event, the rest: names
told_fields() {
	told_event=$1
	shift
	for told_name in "$@"; do
		awk -v RS= -v what="SSDQOS_EVENT=$told_event" 'index($0, what) { print; exit }' "$UEVENTS" |
			sed -n "s/^$told_name=//p"
	done
}
