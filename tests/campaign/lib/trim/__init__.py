# SPDX-License-Identifier: GPL-2.0
"""Discards, as they come and kept for a while."""
