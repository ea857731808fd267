#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# Leaves something that the next script must not see.
echo "1..1"
echo careless >/tmp/left
echo "ok 1 - leaves a file"
