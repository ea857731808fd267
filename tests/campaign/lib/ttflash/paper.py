# SPDX-License-Identifier: GPL-2.0
"""What the paper says in numbers: its text and Table 2; its curves and bars are pictures."""

from __future__ import annotations

TITLE = "Yan and others: Tiny-Tail Flash, FAST 2017"
LOADS = ("DAP", "DTRS", "Exch", "LMBE", "MSN", "TPCC")
# Table 2: latencies of reads, in those of the drive that never collects.
SLOWDOWN = {
    "p9999": (1.00, 1.24, 1.18, 1.96, 1.00, 2.56),
    "p999": (1.00, 1.01, 1.01, 1.02, 1.01, 1.01),
    "p99": (1.00, 1.02, 1.10, 1.01, 1.03, 1.02),
}
# Section 6.1, of the base between p99 and p99.99.
BASE_SLOWDOWN = (5.6, 138.2)
# Figure 7: percent of reads that collection blocks, with everything; MSN's is the exception.
BLOCKED_PCT = (0.003, 0.05)
BLOCKED_MSN_PCT = 0.7
# Figure 10: percent of erases above the base's; these two write small pieces at random.
ERASES_PCT, ERASES_SMALL_PCT = 18, 53
SMALL_WRITES = ("MSN", "TPCC")
# Section 6.5: mean of reads with everything, in that of a drive without collection and without RAIN.
NO_RAIN_SLOWDOWN = (1.09, 1.33)
# Figure 11: drive writes a day of eight hours up to which there is almost no tail, and from which there is one.
DWPD_STEADY, DWPD_TAIL = 6, 7

# Its artefact, run on the load of part `random`: ms, and erases.
ARTEFACT = {
    "nogc": {"mean": 0.190, "p50": 0.143, "p99": 0.934, "p999": 1.04, "max": 1.27, "erases": 0},
    "channel": {"mean": 12.11, "p50": 0.143, "p99": 201.7, "p999": 622.8, "max": 709, "erases": 1770},
    "plane": {"mean": 1.93, "p50": 0.143, "p99": 55.1, "p999": 68.5, "max": 73.9, "erases": 4207},
    "gtr": {"mean": 0.642, "p50": 0.143, "p99": 18.3, "p999": 60.4, "max": 73.9, "erases": 4209},
    "rgc": {"mean": 0.203, "p50": 0.143, "p99": 0.977, "p999": 1.40, "max": 4.45, "erases": 4209},
}


def slowdown(load: str, quantile: str) -> float | None:
    """Of one of LOADS."""
    return SLOWDOWN[quantile][LOADS.index(load)] if load in LOADS else None
