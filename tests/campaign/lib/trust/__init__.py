# SPDX-License-Identifier: GPL-2.0
"""Throughput guarantees on one drive, measured in the kernel."""
