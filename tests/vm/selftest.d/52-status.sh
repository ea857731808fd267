#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# Its checks pass, then it dies.
echo "ok 1 - passes"
exit 3
