# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# python: tools/ssdqos:/opt/ssdqos
# timeout: 900
# What discards of the machine's own disk cost, by the tool.  /results/said is what it says,
# /results/advice.json its numbers.

# shellcheck source=tests/kselftest/lib.sh
. "${0%/*}/lib.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/trim-settings.sh"
require_cmd python3

advise() {
	# shellcheck disable=SC2153 # written by the host
	PYTHONPATH=/opt python3 -m ssdqos trim advise /dev/nvme0n1 --range "$RANGE" --yes --seconds "$SECONDS_EACH" \
		--json /results/advice.json >/results/said
}
check "the disk is measured" advise
ktap_done
