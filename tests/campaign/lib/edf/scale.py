# SPDX-License-Identifier: GPL-2.0
"""How long runs are."""

from __future__ import annotations

import dataclasses

MS_PER_S = 1000


@dataclasses.dataclass(frozen=True)
class Scale:
    """`windows` are those that are counted for each client in each run."""

    windows: int
    warm_up_windows: int
    rounds: int

    def run_s(self, window_ms: int) -> int:
        return self.windows * window_ms // MS_PER_S

    def warm_up_s(self, window_ms: int) -> int:
        return max(2, self.warm_up_windows * window_ms // MS_PER_S)


FULL = Scale(windows=32, warm_up_windows=2, rounds=3)
QUICK = Scale(windows=8, warm_up_windows=1, rounds=2)
