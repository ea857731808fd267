# SPDX-License-Identifier: GPL-2.0
"""Schedulers of the emulated drive against fifo, from a tenth to four times what it can take."""
