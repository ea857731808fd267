# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Figures 8, 10, 11, 12: clients with promises on an emulated drive, admitted
# up to the last per mille of device time.  Writes for the run: fio's JSON and
# log of completions of each client, "scale" (factor of the promises in per
# mille), "admit" (what the kernel says to each promise at a window that is
# too short), "status" of each stream.
# shellcheck source=tests/campaign/guest/edf-lib.sh
. "${0%/*}/edf-lib.sh"
require_virtual_clock
require_target ssdqos

# A window too short for these promises is refused, one after the other.
ask_short_window() {
	WINDOW_MS=$SHORT_WINDOW_MS
	for_clients ask_one
}
ask_one() {
	echo "$1 $(dmsetup message "$1" 0 "admit op $3 pattern $4 block_bytes $5 window_ms $WINDOW_MS \
confidence_permille $CONFIDENCE_PERMILLE min_iops $(($6 * SCALE / PERMILLE))")" >>"$OUT/$RUN/admit"
}

# The same promises at the short window; refused, then by force.
shorten() {
	for_clients promise_none && for_clients shorten_one && ! promise_all "$SCALE" &&
		dmsetup message "$STREAM" 0 "drive_overcommit on" && promise_all "$SCALE"
}
shorten_one() { dmsetup message "$1" 0 "window_ms $SHORT_WINDOW_MS"; }

run() {
	streams_reset && clients_run "$RUN" stream_device && streams_status "$RUN"
}

mkdir -p "$OUT/$RUN"
check "the drive" drive_create
check "streams and profile" streams_create "$DRIVE"
check "the most that is admitted" promise_most
echo "$SCALE" >"$OUT/$RUN/scale"
if [ -n "${SHORT_WINDOW_MS-}" ]; then
	check "what is said to a shorter window" ask_short_window
	check "a shorter window is refused, and forced" shorten
fi
check "clients" run
check "streams are gone" streams_remove
ktap_done
