#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# A metadata device is for the life of one drive: it is never data, nor on that
# drive, and one that hangs or fails disturbs nobody.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

DATA_MB=64
HALF_SECTORS=$((DATA_MB * SECTORS_PER_MB / 2))
META_MB=4
META_SECTORS=$((META_MB * SECTORS_PER_MB))
META_BYTES=73728
LIFE="drive_endurance_gb 100"
# The kernel waits five seconds for the device; a guest under load is slower.
BOUND_S=15

# $1: name, $2: data, the rest: keys and values
life_create() {
	life_name=$1
	life_data=$2
	shift 2
	# shellcheck disable=SC2086 # words
	qos_create "$life_name" "$life_data" 0 $((DATA_MB / 2)) "$@" $LIFE
}
write_mb() { fio_run --filename="/dev/mapper/$1" --rw=write --bs=64k --iodepth=4 --size="$2M"; }
discard_meta() { dd if=/dev/zero of="$1" bs="$META_BYTES" count=1 oflag=direct 2>/dev/null; }
contents() { dd if="$1" bs="$META_BYTES" count=1 iflag=direct 2>/dev/null | md5sum -; }

# Neither of two: what was on it stays.  $1: words of the refusal, $2: metadata, $3: data
refuses_meta() {
	meta_before=$(contents "$2")
	qos_refused "$1" life_create two "$3" drive other drive_meta "$2" && [ "$meta_before" = "$(contents "$2")" ]
}

# $1: most seconds, the rest: command
ends_within() {
	within_ms=$(($(now_ms) + $1 * 1000))
	shift
	rm -f /tmp/ended
	{ "$@" && : >/tmp/ended; } &
	until [ -e /tmp/ended ]; do
		[ "$(now_ms)" -lt "$within_ms" ] || return 1
		sleep 0.05
	done
}

says() { kmsg_new >>/tmp/said; grep -qE "$1" /tmp/said; }
says_nothing_yet() { kmsg_mark; : >/tmp/said; }

# ---- it is never data ----

# $1: device
refuses_as_data() { ! qos_create three "$1" 0 1 drive third; }
# Major numbers have 12 bits: with one more it would be another device's.
beyond_all() { echo "$(($(cut -d : -f 1 "/sys/block/${1##*/}/dev") + 4096)):$(cut -d : -f 2 "/sys/block/${1##*/}/dev")"; }
refuses_linear() { ! dm_create lin "0 2048 linear $1 0"; }
is_free_again() { dm_create lin "0 2048 linear $1 0" && dm_remove lin; }

# ---- what else may be on it ----

# $1: words, $2: offset in bytes, the rest: printf's bytes
refuses_signature() {
	signature_words=$1
	signature_at=$2
	shift 2
	# shellcheck disable=SC2059 # bytes
	printf "$@" | dd of="$META2" bs=1 seek="$signature_at" conv=notrunc,fsync 2>/dev/null
	refuses_meta "$signature_words.*wipefs" "$META2" "$DATA"
	signature_status=$?
	dd if=/dev/zero of="$META2" bs=1M count="$META_MB" oflag=direct 2>/dev/null
	return "$signature_status"
}
refuses_ext4() {
	mkfs.ext4 -q -F -O ^has_journal "$META2" && refuses_meta "ext.*wipefs" "$META2" "$DATA"
	ext4_status=$?
	dd if=/dev/zero of="$META2" bs=1M count="$META_MB" oflag=direct 2>/dev/null
	return "$ext4_status"
}

# ---- it is not on its drive, at any depth ----

refuses_stacked() {
	dm_create lower "0 2048 linear /dev/mapper/one 2048" && dm_create upper "0 2000 linear /dev/mapper/lower 8" || return
	# shellcheck disable=SC2086 # words
	qos_refused "is on the drive" dmsetup reload one --table "$(qos_line "$DATA" 0 "$HALF_SECTORS" drive_meta /dev/mapper/upper $LIFE)" &&
		qos_refused "is on the drive" qos_create two "$DATA" $((DATA_MB / 2)) 1 drive_meta /dev/mapper/upper
	stacked_status=$?
	dm_remove upper
	dm_remove lower
	return "$stacked_status"
}

# A loop device on a file system of the stream is found by its file ...
loop_over_stream() {
	mkfs.ext4 -q -F -O ^has_journal /dev/mapper/one && mkdir -p /mnt/one && mount -t ext4 /dev/mapper/one /mnt/one &&
		on_exit "umount /mnt/one" && dd if=/dev/zero of=/mnt/one/meta bs=1M count=1 2>/dev/null && sync &&
		LOOP=$(losetup -f) && losetup "$LOOP" /mnt/one/meta && on_exit "losetup -d $LOOP" &&
		qos_refused "is on the drive" qos_create own "$DATA" $((DATA_MB / 2)) 1 drive_meta "$LOOP"
}
# ... unless that has no name any more: then all must only be bounded.
loop_without_name() {
	rm /mnt/one/meta && qos_create own "$DATA" $((DATA_MB / 2)) 1 drive_meta "$LOOP"
}
loop_suspend() { ends_within "$BOUND_S" dmsetup suspend one; }
loop_resume() { ends_within "$BOUND_S" dmsetup resume one; }
loop_end() { dm_remove own && losetup -d "$LOOP" && umount /mnt/one; }

# ---- read-only tables ----

read_only_writes_nothing() {
	discard_meta "$META" || return
	ro_before=$(contents "$META")
	# shellcheck disable=SC2086 # words
	qos_line "$DATA" 0 "$HALF_SECTORS" drive_meta "$META" $LIFE | dmsetup create -r one || return
	on_exit "dm_remove one"
	dd if=/dev/mapper/one of=/dev/null bs=1M count=1 iflag=direct 2>/dev/null && sleep 2 && dm_remove one &&
		[ "$ro_before" = "$(contents "$META")" ]
}

# ---- one that hangs ----

write_hangs() { grep -q submit_bio_wait /proc/[0-9]*/stack; }

hangs() {
	dm_create hanging "0 $META_SECTORS linear $META 0" && discard_meta "$META" &&
		life_create one "$DATA" drive_meta /dev/mapper/hanging && write_mb one 1 || return
	on_exit "dmsetup resume hanging"
	dmsetup suspend --nolockfs hanging && write_mb one 1 && wait_for write_hangs
}
other_drive() { life_create two "$DATA2" drive_meta "$META2" && write_mb two 1 && dm_remove two; }
reads_state() { cat "$(flash_sysfs one)/life_state" >/tmp/state && [ -s /tmp/state ]; }
loads_state() { cat /tmp/state >"$(flash_sysfs one)/life_state"; }
suspends() { dmsetup suspend one && dmsetup resume one; }
names_it_again() { ! life_create again "$DATA" drive fourth drive_meta /dev/mapper/hanging; }
works_again() {
	dmsetup resume hanging && wait_for -t 20 is_free hanging && life_create one "$DATA" drive_meta /dev/mapper/hanging &&
		[ "$(life one host_bytes)" -gt 0 ]
}
is_free() { [ "$(dmsetup info -c --noheadings -o open "$1" | tr -d ' ')" = 0 ]; }

# A device that hangs from the begin: its table is refused after a time.
hangs_from_the_begin() {
	dmsetup suspend --nolockfs hanging && ! life_create one "$DATA" drive_meta /dev/mapper/hanging
	begin_status=$?
	dmsetup resume hanging
	return "$begin_status"
}

# ---- one that fails ----

seq_of() { dd if="$1" bs=4096 skip="$2" count=1 iflag=direct 2>/dev/null | od -An -v -t u8 -j 24 -N 8 | tr -d ' '; }
newest_seq() { printf '%s\n' "$(seq_of "$META" 0)" "$(seq_of "$META" 1)" | sort -n | tail -n 1; }
is_written() { [ "$(newest_seq)" -gt "$1" ]; }

fails_and_is_tried_again() {
	dm_create flaky "0 $META_SECTORS linear $META 0" && discard_meta "$META" &&
		life_create one "$DATA" drive_meta /dev/mapper/flaky && write_mb one 1 && wait_for is_written 1 || return
	says_nothing_yet
	uevents_forget
	flash_reload flaky "0 $META_SECTORS error" && write_mb one 2 && wait_for says "can't be written" &&
		wait_for told lifetime_meta_lost || return
	fails_seq=$(newest_seq)
	flash_reload flaky "0 $META_SECTORS linear $META 0" && wait_for -t 60 is_written "$fails_seq" &&
		wait_for says "is written again" && wait_for told lifetime_meta_ok
}
it_is_all_there() {
	dm_remove one && life_create one "$DATA" drive_meta /dev/mapper/flaky && [ "$(life one host_bytes)" = $((3 * 1048576)) ]
}

slow_disk "$DATA_MB" memory_backed || skip_all "no null_blk"
DATA=$NULL_BLK
null_blk_create "$DATA_MB" memory_backed || skip_all "no null_blk"
DATA2=$NULL_BLK
null_blk_create "$META_MB" memory_backed || skip_all "no null_blk"
META=$NULL_BLK
null_blk_create "$META_MB" memory_backed || skip_all "no null_blk"
META2=$NULL_BLK
uevents_start

check "a stream with a metadata device" life_create one "$DATA" drive_meta "$META"
check "which can't be the data of another one" refuses_as_data "$META"
check "nor below any other device" refuses_linear "$META"
check "removal" dm_remove one
check "lets it go" is_free_again "$META"
check "a number that no device has is no other one's" qos_refused "drive_meta: '$(beyond_all "$META2")' is above" life_create two "$DATA2" \
	drive_meta "$(beyond_all "$META2")"
check "0:0 is no device" qos_refused "drive_meta: '0:0' is no block device" life_create two "$DATA2" drive_meta 0:0
dm_create lin "0 2048 linear $META2 0"
check "a device that is in use is refused" refuses_meta "in use" "$META2" "$DATA"
dm_remove lin
check "a file system" refuses_ext4
check "LVM" refuses_signature LVM 512 'LABELONE'
check "LUKS" refuses_signature LUKS 0 'LUKS\272\276'
check "a disk label" refuses_signature "partition table" 510 '\125\252'
check "a swap area" refuses_signature swap 4086 'SWAPSPACE2'
check "the second GPT" refuses_signature "partition table" $((META_MB * 1048576 - 512)) 'EFI PART'
check "md 0.90" refuses_signature RAID $((META_MB * 1048576 - 65536)) '\374\116\053\251'
check "md 1.0" refuses_signature RAID $((META_MB * 1048576 - 8192)) '\374\116\053\251'
check "what nobody knows" refuses_signature "something else on it" 60000 'somebody'

check "a read-only table writes nothing there" read_only_writes_nothing

check "a stream" life_create one "$DATA"
check "a device on its drive is refused at any depth" refuses_stacked
check "a loop device on its file system is refused" loop_over_stream
check "one whose file has no name can't be seen" loop_without_name
check "but the suspend ends" loop_suspend
check "and the resume" loop_resume
check "and all of it" loop_end
check "removal" dm_remove one

check "a device that hangs" hangs
check "another drive begins and ends" ends_within "$BOUND_S" other_drive
check "the state can be read" ends_within 5 reads_state
check "and loaded" ends_within 5 loads_state
check "the stream can be suspended" ends_within "$BOUND_S" suspends
check "and removed" ends_within "$BOUND_S" dm_remove one
check "a table that names it is refused in time" ends_within "$BOUND_S" names_it_again
check "it is the same when it goes on" works_again
check "removal" dm_remove one
check "one that hangs from the begin is refused in time" ends_within "$BOUND_S" hangs_from_the_begin
wait_for is_free hanging
dm_remove hanging

check "one that fails is tried again" fails_and_is_tried_again
check "nothing is lost" it_is_all_there
check "removal" dm_remove one
dm_remove flaky
ktap_done
