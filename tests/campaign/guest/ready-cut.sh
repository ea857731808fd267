# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Power cuts: what the metadata device has at a random moment is copied and
# loaded by another drive; and the table is loaded again, and the device
# removed and made again, under load.
#
# /results/course has lines "MS USED_BYTES DELAY_NS" every few ms; /results/cuts
# lines "MS USED DELAY AGE LOADED_USED LOADED_DELAY LOADED_AGE", the first four
# from right after the copy, so that losses are not too small; /results/reloads
# lines "KIND USED DELAY AGE LATER_USED LATER_DELAY LATER_AGE".
# shellcheck source=tests/campaign/guest/ready-lib.sh
. "${0%/*}/ready-lib.sh"
require_virtual_clock
require_target ssdqos

META_MB=1
META_BLOCKS=256
COURSE_S=0.005
LEAST_MS=200
RANDOM_MS=1300
OFTEN=5

disks() {
	null_blk_create "$META_MB" memory_backed && META=$NULL_BLK &&
		null_blk_create "$META_MB" memory_backed && COPY=$NULL_BLK &&
		null_blk_create "$DISK_MB" && OTHER=$NULL_BLK &&
		disk_create null
}

# $1: name, $2: disk, $3: metadata device
drive() {
	# shellcheck disable=SC2046 # words
	set -- "$1" "$2" drive_meta "$3" $(host_budget "$BUDGET_MB") $(life_words) drive_throttle ready_opt
	drive_name=$1
	drive_disk=$2
	shift 2
	DRIVE_LINE="0 $(sectors "$drive_disk") ssdqos $drive_disk 0 $# $*"
	dm_create "$drive_name" "$DRIVE_LINE"
}

load() {
	fio --name=load --filename=/dev/mapper/life --direct=1 --ioengine=libaio --thread --rw=randwrite --bs=4k --iodepth=4 \
		--norandommap --randseed="$SEED" --rate_iops="$LOAD_IOPS" --rate_process=poisson --time_based --runtime=1000 \
		>/tmp/load.log 2>&1 &
	LOAD=$!
}

load_end() {
	kill -TERM "$LOAD"
	wait "$LOAD"
}

# $1: directory in sysfs
course() {
	while read -r course_used <"$1"/life_used_bytes && read -r course_delay <"$1"/life_delay_ns; do
		read_uptime
		echo "$UPTIME_MS $course_used $course_delay"
		sleep "$COURSE_S"
	done
}

# Sets STATE.  $1: directory in sysfs
state() {
	read -r state_used <"$1"/life_used_bytes && read -r state_delay <"$1"/life_delay_ns &&
		read -r state_age <"$1"/life_age_s && STATE="$state_used $state_delay $state_age"
}

copy() { /bin/busybox dd if="$1" of="$2" bs=4k count="$META_BLOCKS" "$3" 2>/dev/null; }

random_ms() { awk -v seed="$((SEED * 1000 + $1))" -v least="$LEAST_MS" -v most="$RANDOM_MS" 'BEGIN { srand(seed); print (least + int(rand() * most)) / 1000 }'; }

# $1: number
cut() {
	sleep "$(random_ms "$1")"
	copy "$META" /tmp/cut iflag=direct && state "$DIR" && read_uptime || return
	cut_line="$UPTIME_MS $STATE"
	copy /tmp/cut "$COPY" oflag=direct && drive again "$OTHER" "$COPY" && state "$(flash_sysfs again)" || return
	echo "$cut_line $STATE" >>"$OUT"/cuts
	dm_remove again
}

cuts() {
	course "$DIR" >"$OUT"/course &
	course_job=$!
	for number in $(seq "$CUTS"); do cut "$number" || return; done
	kill "$course_job"
	wait "$course_job"
	[ -s "$OUT"/course ]
}

# The table again, while it is written to.
reload() { flash_reload life "$LIFE_LINE"; }
# All is gone in between.
remake() { load_end; dm_remove life && drive life "$DISK" "$META" && load; }

# $1: function
again() {
	for number in $(seq "$OFTEN"); do
		sleep "$(random_ms "$number")"
		DIR=$(flash_sysfs life)
		state "$DIR" || return
		again_line="$1 $STATE"
		"$1" && state "$(flash_sysfs life)" || return
		echo "$again_line $STATE" >>"$OUT"/reloads
	done
}

check "disks" disks
check "a drive" drive life "$DISK" "$META"
LIFE_LINE=$DRIVE_LINE
DIR=$(flash_sysfs life)
load
check "it is delayed before the first cut" wait_for -t "$DELAYED_S" sh -c "[ \"\$(cat $DIR/life_delay_ns)\" -gt 0 ]"
check "$CUTS cuts" cuts
check "loaded again" again reload
check "made again" again remake
load_end
ktap_done
