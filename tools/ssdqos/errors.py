# SPDX-License-Identifier: GPL-2.0
"""What goes wrong outside of the program."""


class ToolError(Exception):
    """One sentence for the user."""
