#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# Skips all it has.
echo "1..0 # SKIP no such device"
exit 4
