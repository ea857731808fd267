# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# Helpers for tests of the target ssdqos-flash; reads lib.sh.

# shellcheck source=tests/kselftest/lib.sh
. "${0%/*}/lib.sh"

FLASH_MIN_MB=64
# So often 20 writes are waited for.
LOAD_ROUNDS=100
# shellcheck disable=SC2034 # for the scripts
TRACING=/sys/kernel/tracing

# The plainest controller, where a preset has another: planes collect each for
# itself, no scheduler, the whole map in memory, nothing random, no scrubbing.
# Words of a table line; what follows them may change some again.
PLAIN="scheduler fifo array_scope plane gc_scope plane quiet_ns 0 map_cache_kib 0 \
flush_share_mode static flush_share_permille 500 gc_share_mode static scrub_share_mode static \
read_command_ns 0 write_command_ns 0 link_mb_s 0 lookup_min_ns 0 lookup_max_ns 0 host_delay_min_ns 0 host_delay_max_ns 0 \
internal_delay_min_ns 0 internal_delay_max_ns 0 scrub_start_reads 0 scrub_stop_reads 0"

# Prints a table line.  $1: device, $2: sectors, the rest: keys and values
flash_line() {
	line_dev=$1
	line_sectors=$2
	shift 2
	echo "0 $line_sectors ssdqos-flash $line_dev 0${1:+ $#${*:+ $*}}"
}

# A drive on the whole of a device.  $1: name, $2: device, the rest: keys and values
flash_create() {
	create_name=$1
	create_dev=$2
	shift 2
	dm_create "$create_name" "$(flash_line "$create_dev" "$(sectors "$create_dev")" "$@")"
}

# A drive on a null_blk disk of its own that keeps its data.
# $1: name, $2: size in MB, the rest: keys and values
flash_on_null() {
	on_null_name=$1
	on_null_mb=$2
	shift 2
	null_blk_create "$on_null_mb" memory_backed discard=1 &&
		flash_create "$on_null_name" "$NULL_BLK" "$@"
}

# Puts a new table in force; resume suspends what runs.  $1: name, $2: table
flash_reload() { dmsetup reload "$1" --table "$2" && dmsetup resume "$1"; }

# Sets GAUGE to what a key of the status says.  It is asked again and again while
# something is waited for, so it needs no process where sysfs has the line: one
# of dmsetup takes an emulated machine as long as a hundred requests.
# $1: name, $2: key
read_gauge() {
	find_node "$1" && read -r gauge_line 2>/dev/null <"$NODE/ssdqos/status" ||
		gauge_line=$(dmsetup status "$1") || return
	GAUGE=${gauge_line#*" $2="}
	[ "$GAUGE" != "$gauge_line" ] || case $gauge_line in
	"$2="*) GAUGE=${gauge_line#*=} ;;
	*) return 1 ;;
	esac
	GAUGE=${GAUGE%% *}
}

# Prints it.
gauge() { read_gauge "$@" && echo "$GAUGE"; }

# The number in a file of sysfs is the one in the status.  $1: name, $2: file below
# the drive's directory, $3: key
same_number() { [ "$(cat "$(flash_sysfs "$1")/$2")" = "$(dmsetup status "$1" | tr ' ' '\n' | sed -n "s/^$3=//p")" ]; }

# Prints the drive's gauges that describe its state.  $1: name
state_gauges() {
	dmsetup status "$1" | tr ' ' '\n' |
		grep -E '^(free_blocks|mapped_units|buffered_units|wear_min|wear_max|read_count_max)='
}

# Prints the directory of a drive in sysfs.  $1: name, $2: first sector (optional)
flash_sysfs() { find_node "$1" && echo "$NODE/ssdqos${2:+-$2}"; }

dm_kernel_name() { find_node "$1" && echo "${NODE##*/}"; }

# Prints the parameters that may be set at any time, or only at creation.
# $1: directory in sysfs, $2: live or create
param_names() {
	for param_file in "$1"/params/*; do
		case $(stat -c %a "$param_file"):$2 in
		644:live | 444:create) echo "${param_file##*/}" ;;
		esac
	done
}

# What the kernel logs from here on is what kmsg_new prints.
kmsg_mark() { dmesg -c >/dev/null; }
kmsg_new() { dmesg; }

# The command fails, and the kernel says why in one line that has all the words.
# $1: words as an extended regular expression, the rest: command
refused_with() {
	refused_words=$1
	shift
	kmsg_mark
	if "$@"; then
		echo "'$*' was not refused"
		return 1
	fi
	refused_lines=$(kmsg_new | grep -cE "ssdqos-flash: .*($refused_words)")
	[ "$refused_lines" -eq 1 ] || {
		echo "$refused_lines lines match '$refused_words' after '$*': $(kmsg_new)"
		return 1
	}
}

# Writes to a file in sysfs; a refused write is the exit status.
put() { printf '%s\n' "$2" >"$1"; }

# fio with what all jobs have in common; the rest: options
fio_run() {
	timeout 300 fio --name=job --ioengine=io_uring --direct=1 --randseed=1 --thread --group_reporting "$@"
}

# A number out of fio's terse output.  $1: field, the rest: options
fio_field() {
	fio_number=$1
	shift
	fio_run --output-format=terse --terse-version=3 "$@" | grep '^3;' | cut -d ';' -f "$fio_number"
}
TERSE_READ_MEAN_US=40
TERSE_WRITE_MEAN_US=81

# The shell would prefer busybox's applet, which cannot write zeroes; -f: do not
# read the device first.
discard() { /usr/bin/blkdiscard -f "$@"; }

# ext4's checksums; the kernel's own request finds them only by an alias.
prepare_ext4() { for crc in crc32c_generic crc32c_intel; do modprobe -q "$crc"; done; }

# The rest of the script needs more than one CPU.
require_smp() {
	[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
}

# ---- requests in the background ----

# The debug kernel does a few thousand a second; commands want some of its time.
GENTLE="--rate_iops=400"

# Random requests on drive "drive" until load_stop; all data are verified.
# The rest: options of fio
load_start() {
	load_before=$(gauge drive writes)
	# fio itself, so that a signal finds it
	fio --name=load --ioengine=io_uring --direct=1 --thread --filename=/dev/mapper/drive --rw=randrw \
		--bsrange=4k-64k --iodepth=8 --size=16M --verify=crc32c --verify_backlog=64 --verify_fatal=1 \
		--time_based --runtime=1000 "$@" >/tmp/load 2>&1 &
	LOAD=$!
	on_exit "kill -TERM $LOAD"
	wait_for writes_beyond $((load_before + 20))
}

writes_beyond() { read_gauge drive writes && [ "$GAUGE" -gt "$1" ]; }

# Requests still come: nothing got stuck.
load_runs() { read_gauge drive writes && wait_for writes_beyond $((GAUGE + 20)); }

# Random requests for a storm, whose data are verified.  $1: name, the rest: options
storm_load() {
	storm_load_name=$1
	shift
	fio --name=job --ioengine=io_uring --direct=1 --thread --filename="/dev/mapper/$storm_load_name" --rw=randrw \
		--bsrange=4k-64k --iodepth=16 --size=4M --verify=crc32c --do_verify=1 --randseed="$(now_ms)" "$@"
}

# They run on until a command succeeds, but not for ever.  The rest: command
load_until() {
	for load_round in $(seq "$LOAD_ROUNDS"); do
		load_runs || return
		! "$@" || return 0
	done
	echo "not in $load_round rounds: $*"
	return 1
}

# fio ends at the signal, after what is under way, and without complaint; then
# data still read back.
load_stop() {
	kill -TERM "$LOAD"
	wait "$LOAD"
	if grep -qE 'verify:|bad magic|error|err= *[1-9]' /tmp/load; then
		cat /tmp/load
		return 1
	fi
	fio_run --filename=/dev/mapper/drive --rw=randwrite --bs=4k --iodepth=8 --size=4M --verify=crc32c --do_verify=1
}
