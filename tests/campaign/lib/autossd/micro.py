# SPDX-License-Identifier: GPL-2.0
"""Figures 4a to 4c: micro-benchmarks of AutoSSD."""

from __future__ import annotations

import dataclasses

from lib.autossd import draw, series
from lib.autossd.grid import Estimate, Grid
from lib.autossd.runs import Scale, job
from lib.autossd.section import (
    NS_PER_MS,
    NS_PER_US,
    QUANTILES,
    Experiment,
    Found,
    Plan,
    Results,
    Section,
    Table,
    Trend,
)

RATES_MB_S = tuple(range(100, 1001, 100))
SEQUENTIAL_REQUESTS = 131_072  # 16 GiB
SEQUENTIAL_KIB = 128
NO_SCRUB = {"scrub_start_reads": 0, "scrub_stop_reads": 0}

MAP_KIB = {8192: "8", 16384: "16", 32768: "32", 65536: "64", 98304: "96", 131072: "128",
           163840: "160", 0: "all"}
MAP_REQUESTS = 10_000_000  # 100 s, so that filling the cache is a small part
MAP_RATE = 100_000

SHARES_PERMILLE = (50, 100, 200, 300, 400, 500, 600, 700, 800)
SHARE_REQUESTS = 2_200_000  # five seeds have 1.1 million reads
SHARE_TAILS = ("p999", "p9999", "p99999")
SHARE_RATE = 20_000


# ---- 4a ----

def plan_4a(scale: Scale) -> Plan:
    """Written on a fresh drive from begin on, then read: on an aged one pages
    hold what was written at random, and a read of one yields a unit of four."""
    found = {}
    for rate in RATES_MB_S:
        sets = {**NO_SCRUB, "aged_pct": 0, "channel_mb_s": rate}
        write = job(scale, "write bs=128k iodepth=64", SEQUENTIAL_REQUESTS, sets,
                    kib=SEQUENTIAL_KIB)
        read = job(scale, "read bs=128k iodepth=64", SEQUENTIAL_REQUESTS, sets,
                   kib=SEQUENTIAL_KIB)
        found["write", rate] = write
        found["read", rate] = dataclasses.replace(read, before=write)
    return found


def mb_s(found: Found) -> float:
    return found.result["bytes_per_s"] / 1e6


def array_limit_mb_s(found: Found, operation: str) -> float:
    """What the planes' arrays alone allow."""
    params, geometry = found.result["params"], found.result["geometry"]
    return geometry["planes"] * geometry["page_bytes"] * 1e3 / params[f"{operation}_ns"]


def read_limits_mb_s(found: Found, rate_mb_s: int) -> dict[str, float]:
    """What each part allows; the least is the bottleneck."""
    return {"channels": found.result["geometry"]["channels"] * rate_mb_s, "interface": found.result["params"]["link_mb_s"],
            "arrays": array_limit_mb_s(found, "read")}


def section_4a(results: Results) -> Section:
    rates = [rate for kind, rate in results if kind == "write"]
    both = {kind: [mb_s(results[kind, rate]) for rate in rates] for kind in ("read", "write")}
    write_limit = array_limit_mb_s(results["write", rates[0]], "program")
    read_limits = read_limits_mb_s(results["read", rates[-1]], rates[-1])
    figure, axes = draw.panels(1, 1, 3.8)
    axis = axes[0][0]
    for kind, colour in (("read", draw.BLUE), ("write", draw.ORANGE)):
        axis.plot(rates, both[kind], "o-", color=colour, label=kind)
    axis.plot(rates, [4 * rate for rate in rates], "--", color=draw.GREY, label="4 channels")
    axis.set_xlabel("channel bandwidth, MB/s")
    axis.set_ylabel("MB/s")
    axis.set_ylim(bottom=0)
    axis.legend()
    last = -1
    flat = both["write"][last] < 1.05 * min(write_limit, 4 * rates[last])
    return Section(
        "128 KiB sequential, depth 64, scrubbing off; written on a fresh drive, then read.",
        [Table("", ["channel MB/s", "write MB/s", "read MB/s"],
               [[str(rate), f"{w:,.0f}", f"{r:,.0f}"]
                for rate, w, r in zip(rates, both["write"], both["read"])])],
        [("fig4a", figure, "Sequential bandwidth over channel bandwidth")],
        [Trend("Write performance saturates early, as programming cannot be hidden.",
               f"at {both['write'][last]:,.0f} MB/s of {write_limit:,.0f} of the arrays",
               flat and both["write"][last] < 0.5 * both["read"][last]),
         Trend("At 1000 MB/s reading the array becomes the bottleneck, too.",
               f"{both['read'][last]:,.0f} MB/s of "
               + ", ".join(f"{limit:,.0f} of the {what}" for what, limit in read_limits.items()),
               min(read_limits, key=read_limits.get) == "arrays")],
        summary={"rates_mb_s": rates, **{f"{k}_mb_s": v for k, v in both.items()}})


# ---- 4b ----

def plan_4b(scale: Scale) -> Plan:
    line = f"randread bs=4k rate_iops={MAP_RATE} arrival=poisson"
    return {(kib,): job(scale, line, MAP_REQUESTS, {"map_cache_kib": kib}) for kib in MAP_KIB}


def utilisation_pct(result: dict) -> float:
    """Part of the planes' time in which their arrays work."""
    flash, params = result["flash"], result["params"]
    busy_ns = (flash["reads"] * params["read_ns"] + flash["programs"] * params["program_ns"]
               + flash["erases"] * params["erase_ns"])
    return 100 * busy_ns / (result["geometry"]["planes"] * result["virtual_s"] * 1e9)


def section_4b(results: Results) -> Section:
    names = [MAP_KIB[kib] for kib, in results]
    founds = list(results.values())
    mean = [f.latency()["mean"] / NS_PER_US for f in founds]
    p999 = [f.latency()["p999"] / NS_PER_US for f in founds]
    used = [utilisation_pct(f.result) for f in founds]
    hits = [f.result["flash"]["map_hit_pct"] for f in founds]
    figure, axes = draw.panels(1, 3, 3.4)
    for axis, values, title, colour in zip(axes[0], (mean, p999, used), (
            "average response, us", "three nines, us", "flash utilisation, %"),
            (draw.GREEN, draw.GREEN, draw.GREY)):
        axis.bar(names, values, color=colour)
        axis.set_title(title)
        axis.set_xlabel("map cache, MiB")
        axis.grid(axis="x", visible=False)
    return Section(
        f"4 KiB random reads, {MAP_RATE:,} a second, Poisson arrivals; time of the planes' arrays "
        "as utilisation.",
        [Table("", ["map cache MiB", "hits %", "average us", "p99.9 us", "utilisation %", "reads"],
               [[name, f"{h:.2f}", f"{m:,.1f}", f"{p:,.0f}", f"{u:.1f}", f"{f.latency()['n']:,}"]
                for name, h, m, p, u, f in zip(names, hits, mean, p999, used, founds)])],
        [("fig4b", figure, "Response time and utilisation over the size of the map cache")],
        [Trend("Response time is smallest with the whole map in memory.",
               f"{mean[-1]:,.1f} us, else at least {min(mean[:-1]):,.1f} us",
               mean[-1] <= min(mean)),
         Trend("With a smaller cache response time grows.",
               f"{mean[0]:,.1f} us at {names[0]} MiB, {mean[-2]:,.1f} us at {names[-2]} MiB",
               mean[0] > mean[-2]),
         Trend("Map reads add traffic to the flash.",
               f"utilisation {used[0]:.1f} % against {used[-1]:.1f} %", used[0] > used[-1])],
        summary={"map_cache_mib": names, "mean_us": mean, "p999_us": p999,
                 "utilisation_pct": used, "map_hit_pct": hits})


# ---- 4c ----

def plan_4c(scale: Scale) -> Plan:
    line = f"randrw rwmixread=10 bs=4k rate_iops={SHARE_RATE} arrival=poisson"
    rows = {(share,): {"gc_share_mode": "static", "gc_share_permille": share}
            for share in SHARES_PERMILLE} | {("feedback",): {}}
    return {(*label, one.seed): dataclasses.replace(job(one, line, SHARE_REQUESTS, sets), series=True, cdf=True)
            for label, sets in rows.items() for one in scale.each()}


def share_name(share: object) -> str:
    return f"{share / 10:g} %" if isinstance(share, int) else str(share)


def draw_4c(names: list[str], shown: dict[str, list[Estimate]]):
    figure, axes = draw.panels(1, len(shown), 3.4)
    for axis, (title, bars) in zip(axes[0], shown.items()):
        axis.bar(names, [one.value for one in bars], yerr=[one.half for one in bars],
                 color=draw.GREEN if title.endswith("ms") else draw.GREY)
        axis.set_title(title)
        axis.set_xlabel("share of GC")
        axis.tick_params(axis="x", labelrotation=60)
        axis.grid(axis="x", visible=False)
    return figure


def least_of(bars: list[Estimate]) -> int:
    return min(range(len(bars)), key=lambda at: bars[at].value)


def trends_4c(names: list[str], erases: list[Estimate], three: list[Estimate], tail: list[Estimate]) -> list[Trend]:
    """Of static shares, the smallest first."""
    return [Trend("More blocks are erased as the share of GC increases.",
                  f"{erases[0].text(1)}/s at {names[0]}, {erases[-1].text(1)}/s at {names[-1]}",
                  erases[0].value < erases[-1].value),
            Trend("With more share the three nines grow.",
                  f"least at {names[least_of(three)]}, {three[least_of(three)].text(2)} ms, {three[-1].text(2)} ms at "
                  f"{names[-1]}", three[-1].value > three[least_of(three)].value),
            Trend("Not enough share makes the six nines worse (here: five nines).",
                  f"{tail[0].text(2)} ms at {names[0]}, least {tail[least_of(tail)].text(2)} ms at {names[least_of(tail)]}",
                  tail[0].value > tail[least_of(tail)].value)]


def in_ms(grid: Grid, share: object, metric: str) -> Estimate:
    found = grid.latency((share,), metric)
    return dataclasses.replace(found, value=found.value / NS_PER_MS, half=found.half / NS_PER_MS)


def section_4c(results: Results) -> Section:
    grid = Grid(results)
    shares = grid.part(0)
    names = [share_name(share) for share in shares]
    erases = [grid.of((share,), series.erases_per_active_s) for share in shares]
    tails = {q: [in_ms(grid, share, q) for share in shares] for q in SHARE_TAILS if grid.has((shares[0],), q)}
    static = len([share for share in shares if isinstance(share, int)])
    rows = [[name, *(grid.us((share,), q) for q in SHARE_TAILS), e.text(1),
             *(f"{grid.of((share,), lambda f, key=key: f.result['flash'][key]).value:,.0f}"
               for key in ("erases", "free_blocks_min")), f"{grid.reads(share):,}"]
            for share, name, e in zip(shares, names, erases)]
    shown = {**{f"{QUANTILES[q]}, ms": bars for q, bars in tails.items()}, "erases per s while active": erases}
    return Section(
        f"4 KiB random, {SHARE_RATE:,} a second, one read to nine writes, static share of GC; "
        "the last bar has the share controller.  p99.999 is of all seeds' reads together.",
        [Table("", ["GC share", *(f"{QUANTILES[q]} us" for q in SHARE_TAILS), "erases/s while active", "erases",
                    "least free blocks", "reads"], rows)],
        [("fig4c", draw_4c(names, shown), "Tails and progress of GC over its share")],
        trends_4c(names[:static], erases[:static], tails["p999"][:static], tails[list(tails)[-1]][:static])
        if "p999" in tails else [],
        summary={"share": names, "erases_per_active_s": [one.as_json() for one in erases],
                 **{f"{q}_ms": [one.as_json() for one in bars] for q, bars in tails.items()}})


EXPERIMENTS = (
    Experiment("fig4a", "Figure 4a: sequential bandwidth", ("operation", "channel_mb_s"),
               plan_4a, section_4a),
    Experiment("fig4b", "Figure 4b: size of the map cache", ("map_cache_kib",),
               plan_4b, section_4b),
    Experiment("fig4c", "Figure 4c: share of garbage collection", ("gc_share_permille", "seed"),
               plan_4c, section_4c),
)
