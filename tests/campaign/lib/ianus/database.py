# SPDX-License-Identifier: GPL-2.0
"""What a database on a mirror has after the power was cut: all that it has committed, and nothing in halves."""

from __future__ import annotations

import argparse
from pathlib import Path

from lib import campaign, rst
from lib.ianus import cuts

TITLE = "A database under power cuts"
# A database of durability volatile has to be whole only.
CUTS = {"strict": 50, "journal": 50, "volatile": 20}
QUICK_CUTS = 4


def measure(options: argparse.Namespace, runs: Path) -> campaign.Found:
    """tests/powercut does it, and judges."""
    wanted = dict.fromkeys(CUTS, QUICK_CUTS) if options.quick else CUTS
    return cuts.measure_all(wanted, ["--database"], options, runs)


def goals(result: dict) -> list:
    return [row for durability, found in result["durabilities"].items()
            for row in cuts.goals_of(durability, found, CUTS[durability])]


def gone(cut: dict) -> int:
    """Transactions that somebody was told of."""
    return max(0, cut["told"] - cut["found"])


def row(durability: str, made: list[dict]) -> list[str]:
    new = sum(max(0, cut["told"] - cut["begun"]) for cut in made)
    unsaid = sum(cut["found"] > cut["told"] for cut in made)
    lost = [gone(cut) for cut in made]
    return [durability, f"{len(made)}", *(f"{cuts.count(made, key)}" for key in ("wal", "cached_blocks", "copied_to", "lost")),
            *(f"{sum(cut[key] for cut in made):,}" for key in ("unflushed", "lost", "stale_regions")),
            f"{new:,}", f"{unsaid}", f"{sum(lost):,}", f"{max(lost, default=0):,}"]


TEXT = """\
Three members of 8 MiB on drives that lose what is in their caches, as in `cuts.rst <cuts.rst>`_, with ext4 and an SQLite
database on them (``tests/kselftest/89-ianus-database.sh``).  A transaction adds a row, changes another one and removes a third;
what is in them follows from their numbers.  SQLite flushes before a transaction has ended (``synchronous=EXTRA``: with
``FULL`` it does not flush that a journal was removed), and then its number is noted where a cut spares it.  The journal
mode of each life is drawn: ``DELETE``, or a write-ahead log (*wal*).
Turns take 100 ms, a life 0.1 to 0.4 s; in half of them a member fails, or fails and joins, or the mirror is suspended.

After each cut the mirror begins on what is left, ext4 is mounted and replays its journal, e2fsck finds nothing, SQLite's
``integrity_check`` says ok, and the database has, in each byte of each row, what it had after some transaction, so the
first ones in whole and nothing of the others.  With ``strict`` and ``journal`` all that had been noted are there, and one
more at most; with ``volatile``, at least those from when members had the same last.  When all has been copied, members have
the same, byte by byte.

*Blocks*, *copies*: cuts with blocks in the mirror's memory, and while a member was copied to.  *Lossy* cuts took something
from drives' caches: of their *unflushed* writes, so many were *lost*, in part or in whole.  *Regions* had to be copied afterwards.
*Transactions* were noted in these lives; *unsaid* ones were there before they had been noted.  *Gone*: transactions that had
ended and are not there, which ``volatile`` may do, in all, and *most* by one cut.
"""


def section(result: dict) -> str:
    head = ["durability", "cuts", "wal", "blocks", "copies", "lossy", "unflushed", "lost", "regions", "transactions", "unsaid",
            "gone", "most"]
    return rst.page(TEXT, rst.table(head, [row(name, found["cuts"]) for name, found in result["durabilities"].items()]))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
