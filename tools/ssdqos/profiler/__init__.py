# SPDX-License-Identifier: GPL-2.0
"""Measures a drive cell by cell and makes a profile of it."""
