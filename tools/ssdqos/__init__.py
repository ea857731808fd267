# SPDX-License-Identifier: GPL-2.0
"""The command-line tool of dm-ssdqos."""
