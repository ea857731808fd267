# SPDX-License-Identifier: GPL-2.0
"""Aged drives beside drives that were really written."""
