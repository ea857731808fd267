# SPDX-License-Identifier: GPL-2.0
"""Throughput against what Table 1 of the AutoSSD paper allows, and the write cliff."""

from lib import theory

GIB = 1 << 30
SIZE = 8 * GIB
RATES_MB_S = (100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1000)
# one plane of a chip at a time, no overlap: what the paper's text suggests
VARIANTS = (
    ("preset autossd", {}),
    ("one plane and one register in a chip", {"planes_per_chip": 1, "registers": 1}),
)
DEPTH = 64

CLIFF_SIZE = 4 * GIB
UNITS = CLIFF_SIZE // 4096
CLIFF_SLICE_S = 0.25
# title, load, whether it goes into the picture
PHASES = (
    ("fresh, random writes", f"randwrite bs=4k iodepth=32 number_ios={3 * UNITS} seed=1", True),
    ("after a rest", f"randwrite bs=4k iodepth=32 number_ios={UNITS // 2} seed=2", True),
    ("trim of everything", "trim bs=64m iodepth=1", False),
    ("after the trim", f"randwrite bs=4k iodepth=32 number_ios={3 * UNITS // 2} seed=3", True),
)


def measure_sequential(sim, options, say):
    """Write a fresh drive from begin to end, then read it."""
    found = []
    state = sim.file("sequential")
    for title, sets in VARIANTS:
        say(f"sequential: {title}")
        for rate in RATES_MB_S[::3] if options.quick else RATES_MB_S:
            chosen = {**sets, "channel_mb_s": rate}
            row = {"variant": title, "channel_mb_s": rate}
            for kind, files in (("write", {"save_state": state}), ("read", {"load_state": state})):
                run = sim.run("autossd", f"{kind} bs=128k iodepth={DEPTH}", size=SIZE, sets=chosen,
                              **files)
                bound = theory.sequential_bound_mb_s(run["params"], kind)
                row[kind] = {"mb_s": round(run["bytes_per_s"] / 1e6, 1),
                             "bound_mb_s": round(bound, 1),
                             "of_bound_pct": round(run["bytes_per_s"] / bound / 1e4, 2),
                             "command": run["command"]}
            found.append(row)
    return found


def slices(lines, slice_ns):
    """MB/s in each slice of time, by completion; the last, partial one is left out."""
    count = [0]
    for line in lines:
        row = line.split(",")
        at = int(row[5]) // slice_ns
        while at >= len(count):
            count.append(0)
        count[at] += int(row[4])
    return [round(c / slice_ns * 1000, 1) for c in count[:-1]]


def measure_cliff(sim, options, say):
    found, state, log = [], sim.file("cliff"), sim.file("requests")
    for number, (title, load, shown) in enumerate(PHASES):
        say(f"write cliff: {title}")
        run = sim.run("autossd", load, size=CLIFF_SIZE, load_state=state if number else None,
                      save_state=state, requests=log if shown else None)
        row = {"phase": title, "command": run["command"], "virtual_s": run["virtual_s"],
               "waf": run["flash"]["waf"], "space_stalls": run["counters"]["space_stalls"],
               "geometry": run["geometry"]}
        if shown:
            with open(log, encoding="ascii") as lines:
                row["mb_s"] = slices(lines, int(CLIFF_SLICE_S * 1e9))
            row["latency_ns"] = run["latency_ns"]["write"]
        found.append(row)
    log.unlink(missing_ok=True)
    return {"slice_s": CLIFF_SLICE_S, "phases": found}
