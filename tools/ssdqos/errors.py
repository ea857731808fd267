# SPDX-License-Identifier: GPL-2.0
"""What goes wrong outside of the program."""


class ToolError(Exception):
    """One sentence for the user."""


def sentence(error: Exception) -> str:
    """What is wrong; of a system's error, what it says, and about what."""
    if not isinstance(error, OSError):
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
