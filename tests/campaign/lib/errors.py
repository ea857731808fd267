# SPDX-License-Identifier: GPL-2.0
"""What stops a run, and not the campaign."""


class RunError(Exception):
    """One sentence: why a run has no result."""
