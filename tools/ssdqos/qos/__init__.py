# SPDX-License-Identifier: GPL-2.0
"""Promises of throughput: what they cost by a drive's profile, and whether they fit."""
