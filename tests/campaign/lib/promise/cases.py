# SPDX-License-Identifier: GPL-2.0
"""Which cases a run of a part has: all of its numbers, or those that --only names; and rows of them in groups."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator

from lib.promise.draw import Scenario

# That a part has.
MOST = 2000


def count(text: str) -> int:
    """Of --count."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"'{text}' is not from 1 to {MOST} scenarios")
    return int(text)


def asked(options: argparse.Namespace, quick: int, full: int) -> int:
    """How many numbers a part has."""
    return options.count or (quick if options.quick else full)


def length_text(result: dict) -> str:
    return f"{result['windows']:,} windows of the longest promise each or {result['most_s']:,} s, whichever is less"


def is_asked(one: Scenario, options: argparse.Namespace) -> bool:
    return not options.only or any(word == str(one.number) or (not word.isdecimal() and word in one.name)
                                   for word in options.only)


def chosen(numbers: Iterable[int], make: Callable[[int], Scenario | None],
           options: argparse.Namespace) -> list[Scenario]:
    """Those that have an owner."""
    made = [make(number) for number in numbers]
    return [one for one in made if one and one.owners and is_asked(one, options)]


def grouped(rows: list[dict], keys: Iterable[Callable[[dict], str]]) -> Iterator[tuple[str, list[dict]]]:
    """By one key after the other; each row is in one group of each key."""
    for key in keys:
        for title in sorted({key(one) for one in rows}):
            yield title, [one for one in rows if key(one) == title]
