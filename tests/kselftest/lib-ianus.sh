# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Helpers of the scripts about mirrors (ssdqos-ianus).

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

MEMBER_MB=64
# Superblocks and the masks of the largest mirror here, twice.
META_MB=2

# Members, and a device for the metadata; sets MEMBERS to "<dev> 0 ..." and META.
# $1: how many, the rest: attributes of the members' null_blk
members_create() {
	MEMBERS=
	members_left=$1
	MEMBER_COUNT=$1
	shift
	while [ "$members_left" -gt 0 ]; do
		null_blk_create "$MEMBER_MB" memory_backed discard=1 "$@" || return
		MEMBERS="$MEMBERS $NULL_BLK 0"
		members_left=$((members_left - 1))
	done
	null_blk_create "$META_MB" memory_backed || return
	META=$NULL_BLK
}

# The device of a member.  $1: number
member() {
	# shellcheck disable=SC2086 # words
	set -- $(($1 * 2 + 1)) $MEMBERS
	shift "$1"
	echo "$1"
}

# A table line with those; the arguments: keys and values
ianus_line() { echo "0 $((MEMBER_MB * SECTORS_PER_MB)) ssdqos-ianus $MEMBER_COUNT$MEMBERS $META $# $*"; }
ianus_create() { dm_create m "$(ianus_line "$@")"; }
ianus_reload() { dmsetup reload m --table "$(ianus_line "$@")" && dmsetup resume m; }
M=/dev/mapper/m

state() { gauge m "member$1"; }
is_state() { [ "$(state "$1")" = "$2" ]; }
# No member has to be copied to.
is_whole() { [ "$(gauge m stale_regions)" = 0 ]; }
is_empty() { [ "$(gauge m cache_used_blocks)" = 0 ]; }
switched() { [ "$(gauge m switches)" -ge "$1" ]; }

is_compared() { [ "$(gauge m scrub)" = off ]; }
# Members are compared, up to the end.  The rest: options of wait_for
scrub() { dmsetup message m 0 scrub start && wait_for "$@" is_compared; }

# Past the page cache.  $1: device, $2: MB of it (all)
bytes_of() { dd if="$1" bs=1M ${2:+count="$2"} iflag=direct 2>/dev/null; }

# Compared, as a sum of each takes an emulated machine seconds.  $1, $2: devices, $3: MB of them (all)
same_bytes() {
	same_pipe=/tmp/same.$$
	mkfifo "$same_pipe" || return
	bytes_of "$1" "${3-}" >"$same_pipe" &
	same_reader=$!
	bytes_of "$2" "${3-}" | cmp "$same_pipe" -
	same_status=$?
	wait "$same_reader"
	same_reader_status=$?
	rm "$same_pipe"
	return "$((same_status | same_reader_status))"
}

# All members have the same bytes; the mirror is suspended, or not there.
members_agree() {
	agree_n=1
	while [ "$agree_n" -lt "$MEMBER_COUNT" ]; do
		same_bytes "$(member 0)" "$(member "$agree_n")" || return
		agree_n=$((agree_n + 1))
	done
}
suspended_agree() {
	dmsetup suspend m || return
	members_agree
	agree_status=$?
	dmsetup resume m && return "$agree_status"
}

# The command fails, and the kernel says why.  $1: words as an extended regular expression
ianus_refused() {
	refused_words=$1
	shift
	kmsg_mark
	if "$@"; then
		echo "'$*' was not refused"
		return 1
	fi
	kmsg_new | grep -qE "ssdqos-ianus: .*($refused_words)"
}

# ---- power cuts ----

# $1: name of an argument of the kernel's, $2: if there is none
argument() {
	argument_found=$(tr ' ' '\n' </proc/cmdline | sed -n "s/^powercut_$1=//p")
	echo "${argument_found:-$2}"
}

# ---- members that can be made to fail ----

# What a leg is on.  $1: number
leg_disk() {
	# shellcheck disable=SC2086 # words
	set -- $(($1 + 1)) $LEG_DISKS
	shift "$1"
	echo "$1"
}
# $1: number, $2: linear, error, or flakey with what follows the device there
leg_line() {
	case $2 in
	error) echo "0 $MEMBER_SECTORS error" ;;
	linear) echo "0 $MEMBER_SECTORS linear $(leg_disk "$1") 0" ;;
	*) echo "0 $MEMBER_SECTORS flakey $(leg_disk "$1") 0 ${2#flakey }" ;;
	esac
}
# A leg becomes something else, with what is under way at it.
leg_becomes() {
	dmsetup reload "leg$1" --table "$(leg_line "$1" "$2")" && dmsetup suspend --noflush --nolockfs "leg$1" &&
		dmsetup resume "leg$1"
}
# Members as in members_create, each below a mapped device leg0, leg1, ...
legs_create() {
	members_create "$@" || return
	MEMBER_SECTORS=$((MEMBER_MB * SECTORS_PER_MB))
	LEG_DISKS=
	legs=
	leg=0
	while [ "$leg" -lt "$MEMBER_COUNT" ]; do
		LEG_DISKS="$LEG_DISKS $(member "$leg")"
		legs="$legs /dev/mapper/leg$leg 0"
		leg=$((leg + 1))
	done
	MEMBERS=$legs
	leg=0
	while [ "$leg" -lt "$MEMBER_COUNT" ]; do
		dm_create "leg$leg" "$(leg_line "$leg" linear)" || return
		leg=$((leg + 1))
	done
}
