#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 100
# What sysfs says of a mirror is what the status says, each word in a file; parameters can be
# written there, if that makes sense; and the files are there while the mirror is live.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

require_target ssdqos-ianus
require_cmd fio su

OTHER_BEGIN=8192
# A user's number.
NOBODY=65534
# How members are is in directories of theirs.
MEMBER_FILES="state stale_regions errors block_ns"

mirror() { ianus_create switch_ms 50 "$@"; }
# Sets DIR.
finds() { DIR=$(flash_sysfs m) && [ -d "$DIR" ]; }
has_gone() { find_node m && [ ! -e "$NODE/ssdqos" ]; }
# No turn ends, and nothing is copied, so it is the same whenever one looks.
keeps_still() { dmsetup message m 0 switch_ms 60000 && wait_for is_whole && wait_for is_empty; }

# ---- all that the status has ----

# $1: a word's key; prints its file
file_of() {
	case $1 in
	member[0-7]) echo "$1/state" ;;
	stale_regions[0-7]) echo "member${1#stale_regions}/stale_regions" ;;
	errors[0-7]) echo "member${1#errors}/errors" ;;
	block_ns[0-7]) echo "member${1#block_ns}/block_ns" ;;
	*) if [ -e "$DIR/$1" ]; then echo "$1"; else echo "stats/$1"; fi ;;
	esac
}
# Words of the status but its version and how many members there are.
words() { dmsetup status m | tr ' ' '\n' | grep '=' | grep -vE '^(v|members)='; }
words_have_files() {
	for word in $(words); do
		file=$(file_of "${word%%=*}")
		[ "$(cat "$DIR/$file")" = "${word#*=}" ] || { echo "$word, and $file has $(cat "$DIR/$file")" && return 1; }
	done
}
# Each but status and parameters.
files_have_words() {
	[ "$(find "$DIR" -type f ! -path '*/params/*' ! -name status | wc -l)" = "$(words | wc -l)" ]
}
status_is_status() { [ "0 $(blockdev --getsz "$M") ssdqos-ianus $(cat "$DIR/status")" = "$(dmsetup status m)" ]; }
members_have_files() {
	[ "$(find "$DIR" -mindepth 1 -maxdepth 1 -name 'member*' | wc -l)" = "$MEMBER_COUNT" ] &&
		for file in $MEMBER_FILES; do [ -r "$DIR/member$((MEMBER_COUNT - 1))/$file" ] || return; done
}

# ---- parameters ----

line_says() { dmsetup table m | grep -qE " $1( |$)"; }
# $1: file, $2: value
write_param() { echo "$2" 2>/dev/null >"$DIR/params/$1"; }
is_set() { write_param "$1" "$2" && [ "$(cat "$DIR/params/$1")" = "$2" ] && line_says "$1 $2"; }
# It stays what it was.  $1: file, $2: value, $3: what the kernel says
is_refused() {
	refused_was=$(cat "$DIR/params/$1")
	ianus_refused "$3" write_param "$1" "$2" && [ "$(cat "$DIR/params/$1")" = "$refused_was" ]
}
# Each parameter is in the table line, if it is not what it is by default.
lines_params() {
	for file in $(dmsetup table m | grep -oE 'switch_ms .*' | tr ' ' '\n' | sed -n 'p;n'); do
		line_says "$file $(cat "$DIR/params/$file")" || { echo "$file" && return 1; }
	done
}
never_live() { [ "$(stat -c %a "$DIR/params/region_kib") $(stat -c %a "$DIR/params/idle_ms")" = "444 644" ]; }
nobody_is_known() { grep -q '^nobody:' /etc/passwd || echo "nobody:x:$NOBODY:$NOBODY:nobody:/:/bin/sh" >>/etc/passwd; }
as_nobody() { su -s /bin/sh nobody -c "$1"; }
# Owning the file is not enough.
powerless() {
	nobody_is_known && chown "$NOBODY" "$DIR/params/idle_ms" && as_nobody "cat $DIR/params/idle_ms" &&
		! as_nobody "echo 7 >$DIR/params/idle_ms"
}
idle_stays() { powerless && [ "$(cat "$DIR/params/idle_ms")" = 5 ]; }

# ---- when ----

at_another_sector() {
	dmsetup remove --retry m && dm_create m "0 $OTHER_BEGIN zero
$OTHER_BEGIN $(ianus_line switch_ms 50 | cut -d' ' -f2-)" && [ -r "$(flash_sysfs m "$OTHER_BEGIN")/status" ]
}
# A member that has failed is called so.
member_fails() { dmsetup message m 0 fail 1 && [ "$(cat "$DIR/member1/state")" = failed ]; }

check "members and a metadata device" members_create 2
check "a mirror" mirror
check "it has a directory" finds
check "somebody writes and reads" fio_run --filename="$M" --rw=randrw --bs=4k --size=1M --verify=crc32c --do_verify=1
check "it keeps still" keeps_still
check "each word of the status is in a file" words_have_files
check "there are no other files" files_have_words
check "the status is there" status_is_status
check "each member has a directory" members_have_files
check "something was written and read" test "$(cat "$DIR/stats/writes")" -gt 0 -a "$(cat "$DIR/stats/reads")" -gt 0
check "parameters are those of the table" lines_params
check "those that may change can be written" never_live
check "one changes" is_set idle_ms 5
check "too much is refused" is_refused idle_ms 99999999999 "idle_ms"
check "what is no number is refused" is_refused depth many "depth"
check "who may not manage it is refused" idle_stays
check "a member fails" member_fails

check "it is suspended" dmsetup suspend m
check "the directory has gone" has_gone
check "it goes on" dmsetup resume m
check "the directory is back" finds
check "another table" ianus_reload switch_ms 70 cache_kib 4096
check "the directory is that one's" finds
check_equal "with its parameters" "70 4096" "$(cat "$DIR/params/switch_ms") $(cat "$DIR/params/cache_kib")"
check "a segment that begins later" at_another_sector
check "the mirror goes" dm_remove m
ktap_done
