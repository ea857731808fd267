#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# As lockdep and WARN_ON() look like.
echo "WARNING: possible circular locking dependency detected" >/dev/kmsg
echo "ok 1 - passes"
