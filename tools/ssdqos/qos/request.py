# SPDX-License-Identifier: GPL-2.0
"""Classes of requests: what a cost and a promise are of."""

from __future__ import annotations

from dataclasses import dataclass

OPS = ("read", "write")
PATTERNS = ("seq", "rand")


@dataclass(frozen=True, order=True)
class RequestClass:
    """`op` is read or write, `pattern` seq or rand."""

    op: str
    pattern: str

    def __str__(self) -> str:
        return f"{self.op} {self.pattern}"

    def is_known(self) -> bool:
        return self.op in OPS and self.pattern in PATTERNS


CLASSES = tuple(RequestClass(op, pattern) for op in OPS for pattern in PATTERNS)
