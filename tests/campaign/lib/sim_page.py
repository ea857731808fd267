# SPDX-License-Identifier: GPL-2.0
"""docs/results/foundation/sim.rst and its pictures, from the results."""

from lib import charts, origin, rst, speed, theory, throughput
from lib.claim import Claim

GIB = 1 << 30
# How far off claims may be, and why.
WAF_TOLERANCE_PCT = 1
WAF_WHY = "theory has blocks without number, the smallest plane 274"
START_TOLERANCE_PCT = 0.3
START_WHY = "as far as windows of one run differ"
BOUND_TOLERANCE_PCT = 1
BOUND_WHY = "the first and the last of a run have fewer beside them"
LOAD_TITLES = {name: title for name, title, *_ in speed.LOADS}
COMMAND = "./run campaign foundation-sim"


def size_text(size):
    return f"{size / GIB:g} GiB" if size % GIB == 0 else f"{size / 1e9:.0f} GB"


def millions(value):
    return f"{value / 1e6:.2f}"


def farthest(differences):
    """The one farthest from nothing, with its sign."""
    return max(differences, key=abs)


def verdict(good):
    return "met" if good else "short"


# ---- the first table: every goal ----

def speed_goals(rows):
    for name, goal in speed.GOALS_PER_S.items():
        medians = [r["requests_per_cpu_s"]["median"] for r in rows if r["load_name"] == name]
        low = goal if name not in speed.GOAL_LEAST_PER_S else speed.GOAL_LEAST_PER_S[name]
        wanted = f"{millions(goal)} M/s" + (f", at least {millions(low)}" if low < goal else "")
        met = sum(m >= goal for m in medians)
        yield (LOAD_TITLES[name], wanted, f"{millions(min(medians))} to {millions(max(medians))}",
               "met" if met == len(medians) else f"met on {met} of {len(medians)} drives")


def ageing_goals(rows):
    costs = [1000 * r["cpu_s_per_gib"]["median"] for r in rows]
    yield ("ageing, CPU-ms per GiB", f"{1000 * speed.GOAL_AGEING_S_PER_GIB:g}",
           f"{min(costs):.1f} to {max(costs):.1f}",
           verdict(max(costs) <= 1000 * speed.GOAL_AGEING_S_PER_GIB))
    for what in ("logical", "physical"):
        sizes = [r[f"bytes_per_{what}_page"] for r in rows]
        yield (f"memory, bytes per {what} 4 KiB", f"{speed.GOAL_MEMORY_BYTES}",
               f"{min(sizes):.2f} to {max(sizes):.2f}",
               verdict(max(sizes) <= speed.GOAL_MEMORY_BYTES))


def model_goals(results):
    waf = results["waf"]["results"]
    yield Claim("WAF, of theory", 100, WAF_TOLERANCE_PCT, WAF_WHY,
                100 + farthest(r["difference_pct"] for r in waf), "%", 2).row()
    yield Claim("WAF from a fresh start, of that from an aged one", 100, START_TOLERANCE_PCT, START_WHY,
                100 + farthest(100 * r["waf_fresh"] / r["waf"] - 100 for r in waf), "%", 2).row()
    away = (r[kind]["of_bound_pct"] - 100 for r in results["sequential"]["results"]
            for kind in ("read", "write"))
    yield Claim("sequential throughput, of what Table 1 allows", 100, BOUND_TOLERANCE_PCT, BOUND_WHY,
                100 + farthest(away), "%", 2).row()


def goals(results):
    rows = [*speed_goals(results["speed"]["results"]), *ageing_goals(results["ageing"]["results"]),
            *model_goals(results)]
    return rst.table(["figure", "goal", "measured", ""], rows)


# ---- speed ----

def speed_section(results):
    rows = []
    for r in results["speed"]["results"]:
        s, g = r["requests_per_cpu_s"], r["geometry"]
        rows.append([r["load_name"], r["preset"], size_text(r["size"]),
                     f"{g['planes']} x {g['blocks_per_plane']}", f"{r['requests'] / 1e6:g} M",
                     f"{r['waf']:.2f}", millions(s["median"]), millions(s["min"]),
                     millions(s["max"]), f"{s['spread_pct']:g}"])
    runs = results["speed"]["results"][0]["requests_per_cpu_s"]["runs"]
    return rst.page(
        rst.heading("Requests per CPU-second", "-"),
        f"Million requests per CPU-second (``requests_per_cpu_s``): median, least and most of "
        f"{runs} runs taken\nin turns.  Every drive starts aged (``aged_pct=100``, seed 1), all "
        f"else is the preset, so its own\nover-provisioning holds unless the load says another.  "
        f"Time to make the drive is not in it.\n"
        + "".join(f"\n- *{name}*: {title}" for name, title in LOAD_TITLES.items()) + "\n",
        rst.table(["load", "preset", "size", "planes x blocks", "requests", "WAF", "median", "min",
                   "max", "+- %"], rows),
        "One of the runs::\n\n    " + results["speed"]["results"][1]["command"],
        SPEED_NOTES, instruction_table(results), trace_table(results))


SPEED_NOTES = """\
Drives of full size are slower, though a read takes as many instructions as on a small one (below):
it waits for memory.  The maps are some 400 MB, hit at random; ``perf record`` puts the samples of a
read on the loads of its map entry (``host_read_step``) and of its block's row
(``host_flash_read``).  Three things made the difference to a first measurement (2.85 and 2.30 M/s for
reads on the two full drives, 0.63 and 0.41 M/s for writes): maps in huge pages, map entries asked for
when a copy is queued, and units copied one by one where a 16-byte copy waited for the 4-byte stores
before it.
"""


def instruction_table(results):
    if "instructions" not in results:
        return None
    rows = [[r["load_name"], r["preset"], size_text(r["size"]), r["per_request"]]
            for r in results["instructions"]["results"]]
    return rst.page(
        "Instructions per request, which do not depend on what else the machine does (cachegrind,\n"
        "aged drives, a longer run less a shorter one):\n",
        rst.table(["load", "preset", "size", "instructions"], rows))


def trace_row(name, result):
    cells = [name, result["requests"]]
    for key in ("requests_per_cpu_s", "total_requests_per_cpu_s"):
        cells += [f"{result[key][k] / 1e3:.0f}" for k in ("median", "min", "max")]
    return cells


def trace_table(results):
    if "trace" not in results:
        return None
    r = results["trace"]["results"]
    rows = [trace_row("ssdqos-sim", r)] + ([trace_row("MQSim", r["mqsim"])] if "mqsim" in r else [])
    peer = ""
    if "mqsim" in r:
        factor = r["requests_per_cpu_s"]["median"] / r["mqsim"]["requests_per_cpu_s"]["median"]
        peer = (f"  In turns\nwith MQSim 7ec40e3 as shipped (fresh 512 GiB drive, 8 KiB pages, "
                f"-O3; fetched and built apart,\ngiven with ``--mqsim``), which serves one "
                f"request while ssdqos-sim serves {factor:.0f}.")
    return rst.page(
        f"A real trace, {r['trace']} (mean {r['bytes'] / r['requests'] / 1024:.0f} KiB, 89 % "
        f"reads), {speed.TRACE_LOOPS} times over, on the full\nautossd drive, aged.{peer}\n"
        f"Thousand requests per CPU-second, reading the trace included, first without and then "
        f"with making\nthe drive:\n",
        rst.table(["simulator", "requests", "median", "min", "max", "with start", "min", "max"],
                  rows),
        "::\n\n    " + r["command"])


# ---- ageing and memory ----

def ageing_section(results):
    rows = []
    for r in results["ageing"]["results"]:
        s = r["cpu_s_per_gib"]
        rows.append([r["preset"], size_text(r["size"]), f"{r['fresh_cpu_s']['median']:.3f}",
                     f"{r['aged_cpu_s']['median']:.3f}",
                     *(f"{1000 * s[k]:.2f}" for k in ("median", "min", "max")),
                     f"{r['bytes_per_logical_page']:.2f}", f"{r['bytes_per_physical_page']:.2f}"])
    return rst.page(
        rst.heading("Instant ageing, and memory", "-"),
        "CPU seconds to make a fresh and an aged drive (``setup_cpu_s``), and the difference in "
        "CPU-ms per\nGiB; bytes of memory (``flash.memory_bytes``) per 4 KiB of logical and of "
        "physical space.\n",
        rst.table(["preset", "size", "fresh s", "aged s", "ms/GiB", "min", "max", "B logical",
                   "B physical"], rows),
        AGEING_NOTES)


AGEING_NOTES = """\
A unit takes some 4 ns: two stores to maps far apart.  With one unit in a page and 64 planes
(``ttflash``), finding a plane's place is not shared by four units, and ageing ends above its goal.

The maps take 4 bytes per logical and 4 per physical 4 KiB: 28 % over-provisioning alone makes
that 9.1 bytes per logical page.  On small drives buffer, log and victim lists come on top.
"""


# ---- write amplification ----

def waf_section(results):
    rows = []
    for r in results["waf"]["results"]:
        g = r["geometry"]
        rows.append([f"{r['op_permille'] / 10:g} %", r["pages_per_block"],
                     f"{g['planes']} x {g['blocks_per_plane']}", f"{r['alpha_effective']:.4f}",
                     f"{r['greedy']:.3f}", f"{r['waf']:.3f}", f"{r['difference_pct']:+.2f}",
                     f"{r['waf_fresh']:.3f}", f"{r['greedy_naive']:.3f}", f"{r['lru']:.3f}"])
    return rst.page(
        rst.heading("Write amplification of greedy garbage collection", "-"), WAF_TEXT,
        rst.table(["spare", "Np", "planes x blocks", "alpha", "theory", "aged", "%", "fresh",
                   "theory, all T", "LRU"], rows),
        rst.figure("waf.svg", "Write amplification window by window, from both starts."),
        "A window of the last drive::\n\n    " + results["waf"]["results"][-1]["command"])


WAF_TEXT = """\
Uniform random 4 KiB writes at depth 32, pages of 4 KiB, ``gc_start_blocks=2``,
``gc_stop_blocks=3``, everything else as in preset autossd.  WAF is programs per program of the
host.  A window is as many writes as the drive has pages; *aged* and *fresh* are means of the
last 4 of 12 windows, from an instantly aged drive and from one written once from begin to end.

*Theory* is Desnoyers' greedy model (SYSTOR 2012), re-derived in ``tests/campaign/lib/theory.py``,
with its alpha = T / U.  Not all T physical pages hold data in this drive, so T is taken without

- pages of free blocks,
- pages of the plane's two open blocks (host, collector) that are not yet programmed,
- pages of the block under collection that are copied already or were stale,

as measured from the events of 30,000 writes per plane after the last window; it is
``unusable_blocks_per_plane`` in the JSON.  *theory, all T* leaves that out; *LRU* is the limit of
large blocks (Desnoyers; Bux and Iliadis 2010), with the same alpha.
"""


def draw_waf(path, rows):
    pages = 256 if any(r["pages_per_block"] == 256 for r in rows) else rows[0]["pages_per_block"]
    chosen = [r for r in rows if r["pages_per_block"] == pages and r["geometry"]["planes"] == 1]

    def paint(axis):
        for i, r in enumerate(chosen):
            x = range(1, len(r["windows_aged"]) + 1)
            label = f"{r['op_permille'] / 10:g} % spare"
            axis.plot(x, r["windows_aged"], "-", color=f"C{i}", label=f"{label}, aged")
            axis.plot(x, r["windows_fresh"], "o", ms=4, mfc="none", color=f"C{i}",
                      label=f"{label}, fresh")
            axis.axhline(r["greedy"], color="0.4", lw=0.8, ls="--")
    charts.draw(path, paint, "window (each writes as much as the drive holds)",
                "write amplification")


# ---- sequential throughput ----

def sequential_section(results):
    parts = [rst.heading("Sequential throughput against Table 1 of the AutoSSD paper", "-"),
             SEQUENTIAL_TEXT]
    rows = results["sequential"]["results"]
    for title, _ in throughput.VARIANTS:
        cells = [[r["channel_mb_s"]] + [r[kind][key] for kind in ("write", "read")
                                        for key in ("mb_s", "bound_mb_s", "of_bound_pct")]
                 for r in rows if r["variant"] == title]
        parts += [f"{title.capitalize()}:\n", rst.table(
            ["MB/s per channel", "write", "bound", "%", "read", "bound", "%"], cells)]
    parts += [rst.figure("sequential.svg", "The shape of Figure 4a; lines are the bounds."),
              "Two of the runs, in this order::\n\n    " + rows[0]["write"]["command"] + "\n    "
              + rows[0]["read"]["command"]]
    return rst.page(*parts)


SEQUENTIAL_TEXT = f"""\
128 KiB at depth {throughput.DEPTH}, 8 GiB: a fresh drive is written from begin to end, then read.
The bound is the smaller of what the channels carry, channels x rate, and what the arrays do,
planes x 16 KiB / time, where time is tR or tPROG, plus a transfer where a plane has only one
register.

In the preset both planes of a chip program together (``array_scope chip``; pages of a long write
fit) and transfers overlap: writes end at 1,049 MB/s (262 MB/s per channel), reads stay with the
channels up to 2,621 MB/s per channel.  The
paper says that at 1,000 MB/s "the read operation latency also becomes the bottleneck"; its
Figure 4a has no numbers in the text.  That sentence fits a chip that works on one page at a time
without overlap: 16 chips x 16 KiB / (50 us + 16.4 us) = 3,948 MB/s just below 4 channels x 1,000
MB/s, and writes that flatten from the start.  It is shown as the second drive.
"""


def draw_sequential(path, rows):
    def paint(*axes):
        for axis, (title, _) in zip(axes, throughput.VARIANTS):
            chosen = [r for r in rows if r["variant"] == title]
            x = [r["channel_mb_s"] for r in chosen]
            axis.set_title(title, fontsize=9)
            for kind, color in (("read", "C0"), ("write", "C3")):
                axis.plot(x, [r[kind]["bound_mb_s"] for r in chosen], "-", lw=1, color=color)
                axis.plot(x, [r[kind]["mb_s"] for r in chosen], "o", ms=4, mfc="none", color=color,
                          label=kind)
    charts.draw(path, paint, "MB/s per channel", "MB/s", panels=len(throughput.VARIANTS))


# ---- the write cliff ----

def cliff_section(results):
    rows = []
    for p in results["cliff"]["results"]["phases"]:
        if "mb_s" not in p:
            continue
        tail = p["mb_s"][-max(1, len(p["mb_s"]) // 4):]
        latency = p["latency_ns"]
        rows.append([p["phase"], f"{p['virtual_s']:.1f}", f"{p['waf']:.2f}", f"{p['mb_s'][0]:.0f}",
                     f"{sum(tail) / len(tail):.0f}", f"{latency['p50'] / 1e3:.0f}",
                     f"{latency['p99'] / 1e3:.0f}", f"{latency['max'] / 1e6:.1f}"])
    return rst.page(
        rst.heading("The write cliff", "-"), CLIFF_TEXT,
        rst.table(["phase", "s", "WAF", "first MB/s", "last quarter", "p50 us", "p99 us", "max ms"],
                  rows),
        rst.figure("cliff.svg", "Throughput in slices of a quarter of a second."),
        "From the ``--requests`` log of::\n\n"
        + "\n".join(f"    {p['command']}" for p in results["cliff"]["results"]["phases"]))


CLIFF_TEXT = """\
4 KiB random writes, depth 32, on a fresh drive of preset autossd with 4 GiB: three times its
capacity, then a rest in which garbage collection comes to an end, half the capacity, a trim of
everything, one and a half times the capacity.  A fresh drive writes at the pace of its arrays
until its planes run out of free blocks, all at the same time; the longest write waits there.  A
rest gives back only what the thresholds keep free (``gc_stop_blocks``), a trim gives back all.
"""


def draw_cliff(path, found):
    step = found["slice_s"]

    def paint(axis):
        start, highest = 0.0, 0
        for p in found["phases"]:
            if "mb_s" not in p:
                continue
            axis.plot([start + (i + 0.5) * step for i in range(len(p["mb_s"]))], p["mb_s"], lw=1,
                      label=p["phase"])
            start += len(p["mb_s"]) * step
            highest = max(highest, *p["mb_s"])
        bound = theory.sequential_bound_mb_s(AUTOSSD, "write")
        axis.axhline(bound, color="0.4", lw=0.8, ls="--", label="arrays' limit")
        axis.set_ylim(top=1.2 * highest)
    charts.draw(path, paint, "s", "MB/s")


AUTOSSD = {"channels": 4, "chips_per_channel": 4, "planes_per_chip": 2, "registers": 2,
           "channel_mb_s": 400, "read_ns": 50_000, "program_ns": 500_000}


# ---- the page ----

def introduction(results):
    versions = sorted({r["version"] for r in results.values()})
    return rst.page(
        ".. SPDX-License-Identifier: GPL-2.0\n", rst.heading("Foundation: the simulator", "="),
        "Made by ``tests/campaign/foundation-sim``; all numbers are in `sim.json <sim.json>`_.\n",
        rst.command(COMMAND),
        origin.sentence(versions),
        f"Measured on {results['speed']['machine']}, which other work "
        f"shared; figures\nof time repeat only as well as their spread says, all others exactly.\n")


PICTURES = (("waf", draw_waf), ("sequential", draw_sequential), ("cliff", draw_cliff))


def write(out, results, say):
    """Writes what the results suffice for."""
    for name, paint in PICTURES:
        if name in results and charts.available():
            paint(out / f"{name}.svg", results[name]["results"])
    if not charts.available():
        say("no matplotlib: pictures are left as they are")
    missing = {"speed", "ageing", "waf", "sequential", "cliff"} - results.keys()
    if missing:
        say(f"no page yet: {', '.join(sorted(missing))} not measured")
        return
    (out / "sim.rst").write_text(rst.page(
        introduction(results), rst.heading("Goals", "-"), goals(results), speed_section(results),
        ageing_section(results), waf_section(results), sequential_section(results),
        cliff_section(results)))
