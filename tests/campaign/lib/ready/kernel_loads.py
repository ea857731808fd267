# SPDX-License-Identifier: GPL-2.0
"""The loads of Table 11, and how each is shaped here (guest/ready-loads.sh)."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Load:
    """`paper_pct`: by so much READY's write response is below that of a fixed rate."""

    name: str
    title: str
    paper_title: str
    paper_pct: int
    settings: dict[str, object] = dataclasses.field(hash=False)
    text: str = ""


LOADS = (
    Load("oltp", "OLTP", "TPC-C", 72, {"OLTP_BURST": 10, "OLTP_REST_S": 0.12},
         "SQLite with a write-ahead log and synchronous=FULL: bursts of 10 transactions (two updates, an insert), "
         "0.12 s of rest after each"),
    Load("bonnie", "bonnie-like", "Bonnie++", 16, {"BONNIE_FILE_MB": 1, "BONNIE_SEEKS": 16, "BONNIE_SMALL_FILES": 8, "BONNIE_REST_S": 0.03},
         "a file of 1 MiB is written, rewritten, read, read at random with a tenth of writes; 8 small files are "
         "made, synced and deleted; 0.03 s of rest"),
    Load("postmark", "postmark-like", "Postmark", 45, {"POSTMARK_BURST": 30, "POSTMARK_REST_S": 0.12},
         "500 files of 500 to 9,770 bytes; bursts of 30 transactions, half make or delete a file, half read or "
         "append to one; a sync and 0.12 s of rest after each"),
)
