# SPDX-License-Identifier: GPL-2.0
"""The command-line tool of dm-ssdqos."""

__version__ = "0.1.0"  # as dkms.conf has it
