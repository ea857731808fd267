#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# One check of two fails.
echo "1..2"
echo "ok 1 - good"
echo "# 1 is not 2"
echo "not ok 2 - bad"
exit 1
