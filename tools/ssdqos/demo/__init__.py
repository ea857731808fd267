# SPDX-License-Identifier: GPL-2.0
"""What dm-ssdqos is good for, shown in a few minutes; works in the checkout only."""
