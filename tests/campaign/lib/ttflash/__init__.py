# SPDX-License-Identifier: GPL-2.0
"""Section 6 of the ttFlash paper: which reads see garbage collection, with each of its ideas on top of the other."""
