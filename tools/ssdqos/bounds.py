# SPDX-License-Identifier: GPL-2.0
"""Numbers of a command line that have a least and a most; needs nothing beside Python."""

from __future__ import annotations

from collections.abc import Callable

try:
    from ssdqos.errors import ToolError
except ImportError:  # beside top.py, started as a file
    from errors import ToolError


def refusal(option: str, text: str, least: float, most: float, unit: str) -> ToolError:
    return ToolError(f"{option}: {text} is not in {least} to {most} {unit}")


def real(option: str, least: float, most: float, unit: str) -> Callable[[str], float]:
    """For argparse: what turns the option's word into a number."""
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError as error:
            raise refusal(option, text, least, most, unit) from error
        if not least <= value <= most:  # as nan is not, either
            raise refusal(option, text, least, most, unit)
        return value

    return parse


def whole(option: str, least: int, most: int) -> Callable[[str], int]:
    """Likewise, of what is counted."""
    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError as error:
            raise refusal(option, text, least, most, "(whole numbers)") from error
        if not least <= value <= most:
            raise refusal(option, text, least, most, "(whole numbers)")
        return value

    return parse
