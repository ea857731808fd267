# SPDX-License-Identifier: GPL-2.0
"""Part `failures-debug`: the same failures on the debug kernel, in several boots, as one takes an hour and a half there."""

from __future__ import annotations

from lib import rst
from lib.claim import Bound, Row
from lib.ianus import failures
from lib.ianus.failures import draw, read  # noqa: F401  (a part has them)
from lib.machine import Job

TITLE = "Failures under load, on the debug kernel"
# Their events make a hundred.
PARTS = (34, 33, 33)
QUICK_PARTS = (9,)
TWO_PROCESSORS = ("--smp", "2")


def jobs(seed: int, quick: bool) -> list[Job]:
    return [failures.job(f"strict-{part}", "strict", seed + part, events, "debug", TWO_PROCESSORS)
            for part, events in enumerate(QUICK_PARTS if quick else PARTS)]


def goals(result: dict) -> list[Row]:
    return failures.goals(result)


def row(name: str, boot: dict) -> list[str]:
    """The kernel is the same in each."""
    _, part, _ = name.split("-")
    return [part, *failures.columns(boot)]


TEXT = """\
As in `failures.rst <failures.rst>`_ with ``strict``, on a kernel with KASAN and lockdep, on two processors in real time.  A boot is
good if nothing was wrong and the kernel had nothing to report.
"""


def section(result: dict) -> str:
    boots = result["boots"]
    return rst.page(TEXT, rst.table(["boot", *failures.COLUMNS], [row(name, boot) for name, boot in boots.items()]),
                    failures.kinds(boots))
