# SPDX-License-Identifier: GPL-2.0
"""When a load is there: `start=5s runtime=1s every=3s` comes at 5, 8, 11 ... seconds, for one each."""

from __future__ import annotations

import dataclasses

KEYS = ("start", "runtime", "every")


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


@dataclasses.dataclass(frozen=True)
class Turns:
    """Without `runtime_s` it stays, without `every_s` it comes once."""

    start_s: int = 0
    runtime_s: int | None = None
    every_s: int | None = None

    def until(self, end_s: int) -> list[tuple[int, int]]:
        """Begin and end of each, of those that begin before."""
        begins = range(self.start_s, end_s, self.every_s or max(end_s, 1))
        return [(begin, min(begin + (self.runtime_s or end_s), end_s)) for begin in begins]

    def there_s(self, begin_s: int, end_s: int) -> int:
        """For how long, between two times."""
        return sum(max(end - max(begin, begin_s), 0) for begin, end in self.until(end_s))


def of(load: str) -> Turns:
    words = dict(word.split("=", 1) for word in load.split() if "=" in word)
    found = {f"{key}_s": seconds(words[key]) for key in KEYS if key in words}
    return Turns(**found)
