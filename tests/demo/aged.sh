#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# include: tests/kselftest/lib.sh
# The demo's trace on a drive in steady state, full of data.
# shellcheck source=tests/kselftest/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/demo/libdemo.sh
. "${0%/*}/libdemo.sh"

demo_drive aged aged_pct 100
