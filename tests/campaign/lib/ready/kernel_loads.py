# SPDX-License-Identifier: GPL-2.0
"""The loads of Table 11, and how each is shaped here (guest/ready-loads.sh)."""

from __future__ import annotations

import dataclasses


MINUTE_S = 60


@dataclasses.dataclass(frozen=True)
class Load:
    """`paper_pct`: by so much READY's write response is below that of a fixed rate.
    `rhythm`: settings for a life of a minute; in a longer one they are as much larger, so
    that bursts and rests are as long in life time."""

    name: str
    title: str
    paper_title: str
    paper_pct: int
    text: str
    rhythm: dict[str, float] = dataclasses.field(default_factory=dict, hash=False)
    fixed: dict[str, object] = dataclasses.field(default_factory=dict, hash=False)

    def settings(self, life_s: float) -> dict[str, object]:
        """For a life that takes so long."""
        return self.fixed | {name: type(value)(value * (life_s / MINUTE_S))
                             for name, value in self.rhythm.items()}


LOADS = (
    Load("oltp", "OLTP", "TPC-C", 72,
         "SQLite with a write-ahead log and synchronous=FULL: bursts of 20 transactions (two updates, an insert), "
         "0.24 s of rest after each, if an hour takes a minute",
         rhythm={"OLTP_BURST": 20, "OLTP_REST_S": 0.24}),
    Load("bonnie", "bonnie-like", "Bonnie++", 16,
         "a file of 1 MiB is written, rewritten, read, read at random with a tenth of writes; 8 small files are "
         "made, synced and deleted; 0.03 s of rest",
         fixed={"BONNIE_FILE_MB": 1, "BONNIE_SEEKS": 16, "BONNIE_SMALL_FILES": 8, "BONNIE_REST_S": 0.03}),
    Load("postmark", "postmark-like", "Postmark", 45,
         "500 files of 500 to 9,770 bytes; bursts of 20 transactions, half make or delete a file, half read or "
         "append to one; a sync and 0.24 s of rest after each, if an hour takes a minute",
         rhythm={"POSTMARK_BURST": 20, "POSTMARK_REST_S": 0.24}),
)
