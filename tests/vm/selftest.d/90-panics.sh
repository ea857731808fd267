#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# Takes the machine down.
echo "ok 1 - before the crash"
echo c >/proc/sysrq-trigger
