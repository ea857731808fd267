# SPDX-License-Identifier: GPL-2.0
"""What drives are loaded with: two real cuts, and six loads made after what is published of the paper's servers.

Each number of a made load has its source in `source`.  What no source has is assumed, and that is said there, too.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from lib.simulator import ROOT

# Not part of the project; next to its checkout where it is there.
TRACES = Path(os.environ.get("SSDQOS_TRACES") or ROOT.parent / "shared/traces")
# The paper plays each server's busiest hour, and six minutes of TPC-C.
HOUR_S, TPCC_S = 3600, 360
# Enough for 99.99 %: a busy server's hour is cut short there.
MOST_REQUESTS = 1_500_000
QUICK_REQUESTS = 20_000
# Which hour is the busiest is not published.  The cut of DTRS has 423 requests a second, its day 217 (AutoSSD, Table 2).
BUSIEST = 2

# Exchange: 20.61 GB are written in an hour (Lee's dissertation, Table 8: "exchange", a day); half of the requests of
# Exchange 2007 are reads, by Microsoft's advice on sizes; its database's pages have 8 KiB.
EXCHANGE_BYTES_PER_HOUR = 20.61e9
PAGE_KIB = 8
EXCHANGE_IOPS = round(2 * BUSIEST * EXCHANGE_BYTES_PER_HOUR / HOUR_S / (PAGE_KIB * 1024))
# The cut: 4,381 of 6,999 requests are reads, 6,999 come in 136.489 ms, which is 171 MB/s of writes alone.
TPCC_READ_PCT = 62.6
TPCC_SLOWER = 20
TPCC_IOPS = round(6999 / 0.136489 / TPCC_SLOWER)
# As ssdqos-sim has it in its own named loads: a quarter of the data, a tenth of that gets three quarters.
SOMEWHERE = "size=25% random_distribution=zipf:0.9"

TABLE_2 = "AutoSSD's Table 2: requests, mean sizes, mean and median distance, which is halved for the busiest hour"
ASSUMED = "footprint and skew are assumed as those of ssdqos-sim's named loads are"


@dataclasses.dataclass(frozen=True)
class Cut:
    """A recorded trace, `slower` times as slow as it was, in so many loops."""

    name: str
    title: str
    file: str
    loops: int
    quick_loops: int
    source: str
    slower: int = 1
    paper: str = ""
    real: bool = True

    def path(self) -> Path:
        return TRACES / f"{self.file}.csv.gz"


@dataclasses.dataclass(frozen=True)
class Made:
    """A job of the simulator's; `paper` is which of the paper's servers it stands for."""

    name: str
    title: str
    job: str
    source: str
    seconds: int = HOUR_S
    paper: str = ""
    real: bool = False

    def text(self, seed: int, quick: bool = False, more: str = "") -> str:
        limit = f"runtime={self.seconds}s number_ios={QUICK_REQUESTS if quick else MOST_REQUESTS}"
        return " ".join(word for word in (self.job, limit, f"seed={seed}", more) if word)


def table_2(server: str, row: str, title: str) -> Made:
    return Made(f"made-{server}", f"{server}, made", f"synthetic-{row} intensity={BUSIEST}",
                f"{title}: {TABLE_2}; {ASSUMED}.", paper=server)


def poisson(server: str, read_pct: float, iops: int, source: str, seconds: int = HOUR_S) -> Made:
    return Made(f"made-{server}", f"{server}, made",
                f"randrw rwmixread={read_pct:g} bs={PAGE_KIB}k arrival=poisson rate_iops={iops} {SOMEWHERE}",
                f"{source}; {ASSUMED}, arrivals are Poisson's.", seconds, server)


LOADS: dict[str, Cut | Made] = {load.name: load for load in (
    Cut("cut-DTRS", "DTRS, cut", "msps_dtrs_300s", 12, 1,
        "300 s of the real trace, twelve times, as fast as it was recorded (its time stamps were stretched a hundred "
        "times, which is inferred).", paper="DTRS"),
    Cut("cut-TPCC", "TPC-C, cut", "msps_tpcc_small", round(TPCC_S / TPCC_SLOWER / 0.136489), 6,
        f"0.136 s of the real trace, over and over for six minutes, {TPCC_SLOWER} times as slow: at its own pace 171 MB/s "
        "are written, which were 16 drives' worth.", TPCC_SLOWER, "TPCC"),
    table_2("DAP", "DAP-PS", "display advertisements, payload server"),
    table_2("DTRS", "DTRS", "developer tools release server"),
    poisson("Exch", 50, EXCHANGE_IOPS, "Exchange mail server: 20.61 GB written in an hour (Lee's dissertation, Table 8), "
            "doubled for the busiest hour; half reads (Microsoft on Exchange 2007), pages of 8 KiB"),
    table_2("LMBE", "LM-TBE", "Live Maps, tile back end"),
    table_2("MSN", "MSN-BEFS", "MSN storage, back-end file server"),
    poisson("TPCC", TPCC_READ_PCT, TPCC_IOPS, "TPC-C: reads, and a twentieth of the rate, of the cut; most requests have "
            "8 KB, 8.53 in the mean (Kavalanekar and others, IISWC 2008, Table I)", TPCC_S),
)}
