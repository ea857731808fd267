#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# Stands for udev: what the kernel tells comes here, with its words in the environment.

HEARD=/tmp/heard
LINKS=/dev/disk/by-id

# The tool may take a while, and others want to be heard.
tool() { PYTHONPATH=/opt python3 -m ssdqos "$@" >>/tmp/tool 2>&1 & }

case ${ACTION-},${SUBSYSTEM-} in
change,block)
	[ -z "${SSDQOS_EVENT-}" ] || echo "$(cut -d ' ' -f 1 /proc/uptime) $SSDQOS_EVENT $SSDQOS_MEMBER" >>"$HEARD"
	;;
# as tools/udev/69-ssdqos.rules
change,nvme)
	echo "$(cut -d ' ' -f 1 /proc/uptime) nvme ${NVME_EVENT-}" >>"$HEARD"
	[ "${NVME_EVENT-}" != connected ] || tool mirror reconnected "${DEVNAME##*/}"
	;;
# as systemd's rules for disks, and then as ours
add,block)
	[ -r "/sys/block/$DEVNAME/uuid" ] || exit 0
	mkdir -p "$LINKS" && ln -sfn "/dev/$DEVNAME" "$LINKS/nvme-uuid.$(cat "/sys/block/$DEVNAME/uuid")"
	echo "$(cut -d ' ' -f 1 /proc/uptime) add $DEVNAME" >>"$HEARD"
	[ ! -d /etc/ssdqos ] || tool restore --device "/dev/$DEVNAME"
	;;
esac
