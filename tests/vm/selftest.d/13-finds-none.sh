#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
# Sees nothing of the script before it.
echo "1..1"
if [ -e /tmp/left ]; then echo "not ok 1 - finds no file of others"; else echo "ok 1 - finds no file of others"; fi
