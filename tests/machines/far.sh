#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 100000
# include: tests/kselftest/lib.sh:/tests/lib.sh
# The machine with the far member: its drive is served over NVMe/TCP until somebody pulls the plug.

# shellcheck source=tests/kselftest/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/machines/lib-machines.sh
. "${0%/*}/lib-machines.sh"

NVMET=/sys/kernel/config/nvmet

subsystem() {
	disks_begin && DRIVE=$(disk 0) || return
	mkdir "$NVMET/subsystems/$NQN" && cd "$NVMET/subsystems/$NQN" || return
	echo 1 >attr_allow_any_host && echo "$FAR_SERIAL" >attr_serial && mkdir namespaces/1 &&
		echo "$DRIVE" >namespaces/1/device_path && echo "$FAR_UUID" >namespaces/1/device_uuid &&
		echo 1 >namespaces/1/enable
}
port() {
	mkdir "$NVMET/ports/1" && cd "$NVMET/ports/1" || return
	echo tcp >addr_trtype && echo ipv4 >addr_adrfam && echo "$FAR_ADDRESS" >addr_traddr && echo "$PORT" >addr_trsvcid &&
		ln -s "$NVMET/subsystems/$NQN" subsystems/
}

require_module nvmet nvmet-tcp
check "the far machine has a network" network_begins "$FAR_ADDRESS"
check "its drive is a namespace" subsystem
check "which is served" port
echo "# serves"
while :; do sleep 1000; done
