# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# What the guest scripts of the campaign "ready" have in common: disks, lives
# of a minute, what is looked at while they pass.  Reads what the host says in
# ready-settings.sh.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/ready-settings.sh"
# shellcheck source=tests/campaign/guest/ready-loads.sh
. "${0%/*}/ready-loads.sh"

OUT=/results
MB=1000000
LIFETIME_H=1
LIFE_S=3600
# An endurance that nothing here uses up.
ENDLESS_GB=1000
# Near the target time it is looked at more often, to miss little of the life.
SAMPLE_S=0.05
LAST_SAMPLE_S=0.005
LAST_LIFE_S=$((TIME_SCALE / 4))
BLOCK_EVENTS=$TRACING/events/block
# As many as the kernel allows; no load here writes as many places.
RESPONSE_ENTRIES=131072

# ---- the disk ----

# Sets DISK.  $1: null or flash
disk_create() {
	[ -n "${BARE-}" ] || {
		null_blk_create "$DISK_MB" memory_backed discard=1 irqmode=2 "completion_nsec=$DISK_NS" || return
		BARE=$NULL_BLK
	}
	DISK=$BARE
	[ "$1" = flash ] || return 0
	# shellcheck disable=SC2086 # words
	flash_create flash "$BARE" $FLASH_ARGUMENTS seed "$SEED" || return
	DISK=/dev/mapper/flash
}

disk_remove() { dm_remove flash; }

# ---- budgets and lives ----

# Prints keys and values for a budget of what hosts write.  $1: MB
host_budget() {
	budget_gb=$(($1 / 1000 + 1))
	echo "drive_endurance_gb $budget_gb drive_used_mb $((budget_gb * 1000 - $1))"
}

# The same of what the flash programs.  $1: MB
flash_budget() {
	budget_cycles=$(($1 / FLASH_MB + 1))
	echo "drive_pe_cycles $budget_cycles drive_capacity_mb $FLASH_MB drive_used_mb $((budget_cycles * FLASH_MB - $1))"
}

# What every life has in common; cells do not recover, as in the paper's prototype.
life_words() {
	echo "drive_lifetime_h $LIFETIME_H drive_time_scale $TIME_SCALE drive_window_s $WINDOW_S drive_recovery none"
}

# Prints a number that a stream shows.  $1: directory in sysfs, $2: name
life() { cat "$1/$2"; }

# Lines "AGE_S USED_BYTES HOST_BYTES DELAY_NS STOPPED" until the target time.
# What is used is read before the age, so no line has more than its age had.
# $1: directory in sysfs
life_samples() {
	life_dir=$1
	while :; do
		read -r used <"$life_dir"/life_used_bytes
		read -r host <"$life_dir"/life_host_bytes
		read -r delay <"$life_dir"/life_delay_ns
		read -r stopped <"$life_dir"/life_stopped
		read -r age <"$life_dir"/life_age_s
		[ "$age" -lt $LIFE_S ] || return 0
		echo "$age $used $host $delay $stopped"
		if [ "$age" -lt $((LIFE_S - LAST_LIFE_S)) ]; then
			sleep $SAMPLE_S
		else
			sleep $LAST_SAMPLE_S
		fi
	done
}

# ---- response times of requests to a device, as the block layer sees them ----

# Prints what the block layer's events call a device.  $1: name
event_device() {
	set -- "$(dmsetup info -c --noheadings -o major "$1")" "$(dmsetup info -c --noheadings -o minor "$1")"
	echo $(($1 << 20 | $2))
}

# $1: name of the device
response_start() {
	response_device=$(event_device "$1")
	echo 'response u64 ns; char rwbs[8]' >"$TRACING"/synthetic_events || return
	response_queue="hist:keys=dev,sector:since=common_timestamp:size=$RESPONSE_ENTRIES if dev==$response_device"
	response_done="hist:keys=dev,sector:size=$RESPONSE_ENTRIES:ns=common_timestamp-\$since:onmatch(block.block_bio_queue).trace(response,\$ns,rwbs) if dev==$response_device"
	response_sum="hist:keys=rwbs:vals=ns"
	echo "$response_queue" >"$BLOCK_EVENTS"/block_bio_queue/trigger &&
		echo "$response_done" >"$BLOCK_EVENTS"/block_bio_complete/trigger &&
		echo "$response_sum" >"$TRACING"/events/synthetic/response/trigger
}

# Prints lines "RWBS REQUESTS NS".
response_print() {
	sed -n 's/^{ rwbs: *\([A-Z]*\).*hitcount: *\([0-9]*\) *ns: *\([0-9]*\).*/\1 \2 \3/p' \
		"$TRACING"/events/synthetic/response/hist
}

response_stop() {
	echo "!$response_sum" >"$TRACING"/events/synthetic/response/trigger &&
		echo "!$response_done" >"$BLOCK_EVENTS"/block_bio_complete/trigger &&
		echo "!$response_queue" >"$BLOCK_EVENTS"/block_bio_queue/trigger &&
		echo >"$TRACING"/synthetic_events
}
