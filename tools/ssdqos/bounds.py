# SPDX-License-Identifier: GPL-2.0
"""Numbers of a command line that have a least and a most; needs nothing beside Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

try:
    from ssdqos.errors import ToolError
except ImportError:  # beside top.py, started as a file
    from errors import ToolError


Number = TypeVar("Number", int, float)


def refusal(option: str, text: str, least: float, most: float, unit: str) -> ToolError:
    return ToolError(f"{option}: {text} is not in {least} to {most} {unit}")


def number(option: str, convert: Callable[[str], Number], least: Number, most: Number, unit: str) -> Callable[[str], Number]:
    """For argparse: what turns the option's word into a number."""
    def parse(text: str) -> Number:
        try:
            value = convert(text)
        except ValueError as error:
            raise refusal(option, text, least, most, unit) from error
        if not least <= value <= most:  # as nan is not, either
            raise refusal(option, text, least, most, unit)
        return value

    return parse


def real(option: str, least: float, most: float, unit: str) -> Callable[[str], float]:
    return number(option, float, least, most, unit)


def whole(option: str, least: int, most: int) -> Callable[[str], int]:
    """Of what is counted."""
    return number(option, int, least, most, "(whole numbers)")
