# SPDX-License-Identifier: GPL-2.0
"""The experiments of AutoSSD (USENIX ATC 2018), repeated in the simulator."""
