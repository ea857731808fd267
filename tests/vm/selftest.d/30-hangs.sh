#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# Never ends, and neither does its child.
echo "ok 1 - started"
trap '' TERM
(while :; do sleep 1; done) &
while :; do sleep 1; done
