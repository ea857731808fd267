# SPDX-License-Identifier: GPL-2.0
"""From where to where a number may be that somebody asks for; needs nothing beside Python.

What is refused is said as the module says it of its parameters: ``--iops: '0' is not from 1 to 100000000 IOPS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

try:
    from ssdqos.errors import ToolError
except ImportError:  # beside top.py, started as a file
    from errors import ToolError


Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Range(Generic[Number]):
    """Both ends are allowed.

    `text` writes a number as people do, so that what is allowed is said in the words that were asked in; `kind` is
    what is asked of it besides.
    """

    least: Number
    most: Number
    unit: str = ""
    text: Callable[[Number], str] = str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.kind}from {self.text(self.least)} to {self.text(self.most)}{self.unit and ' '}{self.unit}"

    def fits(self, value: Number) -> bool:
        return self.least <= value <= self.most  # as nan is not, either

    def refusal(self, argument: str, said: str) -> ToolError:
        return ToolError(f"{argument}: '{said}' is not {self}")

    def check(self, argument: str, value: Number, said: str = "") -> Number:
        """The value; raises ToolError with the argument, what was `said` for it, and the range."""
        if not self.fits(value):
            raise self.refusal(argument, said or self.text(value))
        return value


def option(name: str, convert: Callable[[str], Number], allowed: Range[Number]) -> Callable[[str], Number]:
    """For argparse: what turns the option's word into a number."""
    def parse(text: str) -> Number:
        try:
            value = convert(text)
        except ValueError as error:
            raise allowed.refusal(name, text) from error
        return allowed.check(name, value, text)

    return parse
