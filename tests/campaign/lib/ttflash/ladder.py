# SPDX-License-Identifier: GPL-2.0
"""Part `ladder`: Figures 5 to 7 and 10 and Table 2, each of the paper's ideas on top of the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Row
from lib.ttflash import numbers, paper
from lib.ttflash.flash import Flash
from lib.ttflash.loads import LOADS, Cut, Made
from lib.ttflash.numbers import NS_PER_MS, NS_PER_US, QUANTILES, latency, ratios, runs_of, values
from lib.ttflash.rungs import BASE, COUNTED, LADDER, NO_GC, NO_RAIN, OURS, TABLE
from lib.ttflash.runs import Run, Runs

TITLE = "The ladder"
# Issue 16: with everything, reads relative to those of a drive that never collects; percent of them that are blocked.
MOST_SLOWDOWN = {"p999": 1.05, "p9999": 1.3}
MOST_BLOCKED_PCT = 0.05
# No rung is worse than the one before it from here on; percentiles are those of a histogram that is so fine.
COMPARED = ("p90", "p99", "p999", "p9999")
HISTOGRAM_PCT = 0.8
COMPARED_WITH_PAPER = ("p99", "p999", "p9999")


def skipped() -> dict[str, str]:
    """Loads whose trace is not there."""
    return {load.name: f"there is no {load.file}" for load in LOADS.values()
            if isinstance(load, Cut) and not load.path().exists()}


def plan(runs: Runs, load: Cut | Made, rungs: list[str]) -> list[Run]:
    flash = Flash()
    return [Run(flash, rung, words, seed) for seed in runs.seeds
            for words in (runs.load_words(load, seed, flash.size_bytes()),) for rung in rungs]


def measure(runs: Runs) -> dict:
    rungs, without = runs.there(TABLE), skipped()
    rows, commands = [], {}
    for name, load in LOADS.items():
        if name in without:
            runs.say(f"{name}: {without[name]}")
            continue
        wanted = plan(runs, load, rungs)
        rows += [numbers.kept_row(name, run.rung, run.seed, found)
                 for run, found in zip(wanted, runs.all(name, wanted))]
        commands[name] = wanted[-1].command()
    return {"rows": rows, "missing": runs.missing(TABLE), "skipped": without, "commands": commands}


# ---- tables ----

def rung_row(rows: list, load: str, rung: str) -> list[str]:
    found, base = runs_of(rows, load, rung), runs_of(rows, load, NO_GC)
    times = [numbers.cell(ratios(found, base, latency(key)), 2) for key in ("mean", *COMPARED)]
    blocked = [numbers.cell(values(found, lambda one, key=key: one[key]), 3)
               for key in ("gc_blocked_read_pct", "queue_blocked_read_pct")]
    return [numbers.title(rung), *times, *blocked, numbers.cell(values(found, lambda one: one["erases"]), 0),
            numbers.cell(values(found, lambda one: one["waf"]), 2)]


def relative_table(rows: list, load: str) -> str:
    head = ["rung", *(QUANTILES[key] for key in ("mean", *COMPARED)), "blocked %", "queue %", "erases", "WAF"]
    return rst.table(head, [rung_row(rows, load, rung) for rung in numbers.rungs(rows)])


def absolute_table(rows: list, load: str) -> str:
    found = {rung: runs_of(rows, load, rung) for rung in numbers.rungs(rows)}
    return rst.table(["reads, us", *QUANTILES.values()],
                     [[numbers.title(rung), *(numbers.cell([value / NS_PER_US for value in values(of, latency(key))], 0)
                                              for key in QUANTILES)] for rung, of in found.items()])


def counters_table(rows: list, load: str) -> str:
    there = [rung for rung in COUNTED if rung in numbers.rungs(rows)]
    lines = numbers.counters(rows, load, there)
    return rst.table(["counter", *map(numbers.title, there)], lines) if lines else ""


def load_section(result: dict, load: str) -> str:
    rows = result["rows"]
    reads = sum(one["read"]["n"] for one in runs_of(rows, load, numbers.rungs(rows)[0]).values())
    return rst.page(rst.heading(LOADS[load].title, "~"), f"{LOADS[load].source}  {reads:,} reads over all seeds.\n",
                    relative_table(rows, load), absolute_table(rows, load), counters_table(rows, load),
                    "Its last rung::\n\n    " + result["commands"][load],
                    rst.figure(f"ladder-{load}.svg", f"Reads of {LOADS[load].title}, by percentile."))


def paper_table(rows: list) -> str:
    """Table 2, and ours."""
    head = ["load", *(f"{QUANTILES[key]}, {who}" for key in COMPARED_WITH_PAPER for who in ("paper", "ours"))]
    table = []
    for load in numbers.things(rows):
        found, base = runs_of(rows, load, OURS), runs_of(rows, load, NO_GC)
        table.append([LOADS[load].title, *itertools.chain.from_iterable(
            (f"{paper.slowdown(LOADS[load].paper, key):.2f}", numbers.cell(ratios(found, base, latency(key)), 2))
            for key in COMPARED_WITH_PAPER)])
    return rst.table(head, table)


TEXT = """\
Reads relative to those of *no GC*, which has everything but collections that take time; the same seed is the same
requests.  Means over seeds with their 95 % intervals.  *Blocked* are reads that waited for a collection, *queue* those
that waited for their turn, behind whatever it was; a read may be in both.  Loads that are *made* are not the traces.
Requests come by their times, whatever is under way; the paper's device takes 32 at a time.  Rungs from *+ GTR* on, and *no GC*, have stripes, those before them have none; *plane, RAIN*
stands beside the ladder.  *+ GTF*, *+ shares* and *no GC* write the buffer out by stripes.
"""


def worse_table(rows: list) -> str:
    found = sorted(worse(rows), key=lambda one: -one[-1])
    if not found:
        return "No rung is worse than the one before it.\n"
    return "Where a rung is worse than the one before it:\n\n" + rst.table(
        ["rung", "load", "", "times"],
        [[numbers.title(rung), LOADS[load].title, QUANTILES[key], f"{times:.2f}"] for load, rung, key, times in found])


def section(result: dict) -> str:
    rows = result["rows"]
    left_out = "".join(f"Left out: {LOADS[name].title} ({why}).\n" for name, why in result["skipped"].items())
    return rst.page(TEXT, numbers.missing_text(result["missing"]), left_out,
                    "The paper's Table 2 has the paper's loads, not these:\n", paper_table(rows), worse_table(rows),
                    *(load_section(result, load) for load in numbers.things(rows)))


# ---- goals ----

def slowdown_goals(rows: list, load: str) -> Iterator[Row]:
    found, base = runs_of(rows, load, OURS), runs_of(rows, load, NO_GC)
    for key, most in MOST_SLOWDOWN.items():
        seen = ratios(found, base, latency(key))
        if seen and numbers.enough(found, key):
            yield Bound(f"{LOADS[load].title}: reads' {QUANTILES[key]} of no GC's", numbers.mean(seen), most=most,
                        digits=3).row()


def blocked_goal(rows: list, load: str) -> Iterator[Row]:
    found = runs_of(rows, load, OURS)
    if found:
        yield Bound(f"{LOADS[load].title}: reads that collection blocks",
                    numbers.mean(values(found, lambda one: one["gc_blocked_read_pct"])), most=MOST_BLOCKED_PCT, unit="%",
                    digits=4).row()


def erases_goal(rows: list, load: str) -> Iterator[Row]:
    """Where the base erases nothing there is nothing to compare with."""
    seen = ratios(runs_of(rows, load, OURS), runs_of(rows, load, BASE), lambda one: one["erases"])
    if seen:
        small = LOADS[load].paper in paper.SMALL_WRITES
        yield Bound(f"{LOADS[load].title}: erases above the base's", 100 * (numbers.mean(seen) - 1),
                    most=paper.ERASES_SMALL_PCT if small else paper.ERASES_PCT, unit="%").row()


def no_rain_goal(rows: list, load: str) -> Iterator[Row]:
    seen = ratios(runs_of(rows, load, OURS), runs_of(rows, load, NO_RAIN), latency("mean"))
    if seen:
        yield Bound(f"{LOADS[load].title}: reads' mean of no GC's without RAIN", numbers.mean(seen),
                    most=paper.NO_RAIN_SLOWDOWN[1], digits=2).row()


def base_goal(rows: list, load: str) -> Iterator[Row]:
    """The paper's range is that of all its loads."""
    found, base = runs_of(rows, load, BASE), runs_of(rows, load, NO_GC)
    seen = [numbers.mean(ratios(found, base, latency(key))) for key in COMPARED_WITH_PAPER]
    if None not in seen:
        least, most = paper.BASE_SLOWDOWN
        yield Bound(f"{LOADS[load].title}: the base, most of p99 to p99.99 of no GC's", max(seen), least=least,
                    most=most).row()


def worse(rows: list) -> list[tuple[str, str, str, float]]:
    """Load, rung, percentile, how much: where a rung is above the one before it by more than the histogram's error."""
    found = []
    for load, (before, rung), key in itertools.product(numbers.things(rows), itertools.pairwise(LADDER), COMPARED):
        times = numbers.mean(ratios(runs_of(rows, load, rung), runs_of(rows, load, before), latency(key)))
        if times and times > 1 + HISTOGRAM_PCT / 100:
            found.append((load, rung, key, times))
    return found


def order_goals(rows: list) -> Iterator[Row]:
    there = numbers.rungs(rows)
    for before, rung in itertools.pairwise(LADDER):
        if before in there and rung in there:
            found = [one for one in worse(rows) if one[1] == rung]
            of = len(numbers.things(rows)) * len(COMPARED)
            said = f"{len(found)} of {of}, at most {max(one[-1] for one in found):.2f} times" if found else f"0 of {of}"
            yield (f"{numbers.title(rung)} no worse than {numbers.title(before)} from p90 on", f"0 of {of}", said,
                   "above" if found else "met")


def goals(result: dict) -> list[Row]:
    rows = result["rows"]
    of_loads = (slowdown_goals, blocked_goal, erases_goal, no_rain_goal, base_goal)
    return [*(row for goal in of_loads for load in numbers.things(rows) for row in goal(rows, load)), *order_goals(rows)]


# ---- pictures ----

def draw(result: dict, directory: Path) -> None:
    rows = result["rows"]
    keys = [key for key in QUANTILES if key != "mean"]
    for load in numbers.things(rows):
        def paint(axis: object, load: str = load) -> None:
            for rung in numbers.rungs(rows):
                of = runs_of(rows, load, rung)
                axis.plot([QUANTILES[key] for key in keys],
                          [numbers.mean(values(of, latency(key))) / NS_PER_MS for key in keys], marker=".",
                          linestyle="-" if rung in LADDER else "--", label=numbers.title(rung))
            axis.set_yscale("log")
        charts.draw(directory / f"ladder-{load}.svg", paint, "", "reads (ms)")
