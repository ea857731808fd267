# SPDX-License-Identifier: GPL-2.0
"""Part `years`: whole lives in the simulator (Tables 8 to 10, Figures 39 to 43)."""

from __future__ import annotations

import math
from pathlib import Path

from lib import rst, simulator
from lib.claim import Bound, Claim, Row, both_ends
from lib.ready import lives, paper, years_charts
from lib.ready.lives import Life
from lib.ready.paper import LOADS, POLICIES, READY
from lib.ready.work import Work

TITLE = "Five years in the simulator (Tables 8 to 10, Figures 39 to 43)"
DAY_S = 86400
# Figure 42: the delay of the first weeks.
DELAYS = ("1h", "0", f"{60 * DAY_S}")
# Figure 43: some minutes of a working day's morning after half a year.
MOMENT_S = 26 * 7 * DAY_S + 10 * 3600
SECONDS = ("1s", str(MOMENT_S), str(MOMENT_S + 600))
SHARED = simulator.ROOT.parent / "shared/traces"
# A trace, and the load whose volume it is given.
TRACES = (
    (simulator.ROOT / "tests/traces/build.csv.gz", "map"),
    (simulator.ROOT / "tests/traces/sqlite.csv.gz", "msnfs"),
    (SHARED / "cloudphysics_w_2h.csv.gz", "exchange"),
    (SHARED / "msr_cut_rw20_80_105.csv.gz", "exchange"),
    (SHARED / "ssdmodel_postmark_62k.csv.gz", "exchange"),
)
TRACE_POLICIES = ("none", "ready_pes", "ready_opt")
LIFE_TOLERANCE = 1.02
HORIZON = "horizon"
SERVICE_NS, LEAST_US = 600_000, 1
LEAST_TIMES_WEEK = 5
# Of the paper, section 5.5.
TIMES_NT, TIMES_DT, TIMES_ST = 2.13, 2.57, 4.4
PAPER_TOLERANCE_PCT = 10
PAPER_WHY = "as far as half or double of the pattern that is ours moves it"
TIB = 1 << 40


def series_of(load: str, policy: str) -> tuple[str, str, str] | None:
    if (load, policy) == ("exchange", "ready_opt"):
        return DELAYS
    return SECONDS if load == "map" else None


def plan() -> list[Life]:
    found = [Life(f"{load}-{policy}", load, policy, series=series_of(load, policy))
             for load in LOADS for policy in POLICIES]
    found += [Life(f"{load}-ready_opt-stated", load, "ready_opt", "stated") for load in LOADS]
    found += [Life("exchange-ready_opt-fixed", "exchange", "ready_opt", fixed_epochs=True,
                   series=DELAYS)]
    return found + [Life(f"{path.name.split('.')[0]}-{policy}", load, policy, trace=path)
                    for path, load in TRACES if path.exists() for policy in TRACE_POLICIES]


def measure(work: Work) -> dict:
    return {"runs": lives.run_all(plan(), work)}


# ---- numbers of a run ----

def times_target(run: dict) -> float | None:
    return run["lifetime_s"] and run["lifetime_s"] / run["target_s"]


def mean_us(run: dict) -> float:
    return run["response_ns"]["mean"] / 1000


def accuracy_pct(run: dict) -> float:
    return 100 * run["good_epochs"] / run["epochs"] if run["epochs"] else 0


def run_of(result: dict, load: str, policy: str) -> dict | None:
    return result["runs"].get(f"{load}-{policy}")


def better(result: dict, load: str, than: str, policy: str) -> float:
    return mean_us(run_of(result, load, than)) / mean_us(run_of(result, load, policy))


def loads(result: dict) -> list[str]:
    """Those with all policies."""
    return [load for load in LOADS
            if all(run_of(result, load, policy) for policy in POLICIES)]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


# ---- goals ----

def goals(result: dict) -> list[Row]:
    if not loads(result):
        return []
    return [*lifetime_goals(result, "READY", READY, 1), none_goal(result).row(), *average_goals(result),
            *written_goals(result), *lifetime_goals(result, HORIZON, (HORIZON,), 2 - LIFE_TOLERANCE),
            horizon_mean_goal(result).row(), *week_goals(result)]


def dying(result: dict) -> list[str]:
    """Loads that wear the drive out early."""
    return [load for load in loads(result)
            if (times_target(run_of(result, load, "none")) or LIFE_TOLERANCE) < 1]


def lifetime_goals(result: dict, title: str, policies: tuple[str, ...], least: float) -> list[Row]:
    """A drive that has not ended after three targets has lasted too long as well."""
    seen = [times_target(run_of(result, load, policy)) or math.inf for load in dying(result) for policy in policies]
    return both_ends(f"years: lifetime of {title}, target = 1", seen, least=least, most=LIFE_TOLERANCE, digits=6)


def none_goal(result: dict) -> Claim:
    """The paper has the worst of its loads."""
    worst = {load: max(better(result, load, policy, "none") for policy in READY) for load in loads(result)}
    name = max(worst, key=worst.get)
    best = better(result, name, "optimum", "none")
    return paper_claim(f"years: mean response of READY, none = 1, {name} (offline optimum: {best:.2f})",
                       TIMES_NT, worst[name])


def paper_claim(says: str, wanted: float, measured: float, unit: str = "") -> Claim:
    return Claim(says, wanted, wanted * PAPER_TOLERANCE_PCT / 100, PAPER_WHY, measured, unit, 2)


def average_goals(result: dict) -> list[Row]:
    return [paper_claim(f"years: {POLICIES[policy]} better than {than}, mean of loads", wanted,
                        mean([better(result, load, than, policy) for load in loads(result)])).row()
            for than, wanted in (("dynamic", TIMES_DT), ("static", TIMES_ST)) for policy in READY]


def written_goals(result: dict) -> list[Row]:
    """W of Table 9; its C_actl is what the constants were fitted to."""
    return [paper_claim(f"years: written with {load}, {POLICIES[policy]}", written,
                        run_of(result, load, policy)["written_bytes"] / TIB, "TiB").row()
            for (load, policy), (*_, written) in paper.TABLE9.items() if load in loads(result)]


def horizon_mean_goal(result: dict) -> Bound:
    seen = {load: better(result, load, HORIZON, "ready_opt") for load in loads(result)}
    name = max(seen, key=seen.get)
    return Bound(f"years: mean response of horizon, READY opt = 1, {name}", seen[name], most=1, digits=3)


def week_delay_us(run: dict, key: str) -> float:
    """What is beyond the time in which a page is written, which nobody can change."""
    return (run[key] - SERVICE_NS) / 1000


def week_goals(result: dict) -> list[Row]:
    """How many times shorter the delay is that 99.9 % of a week's pages stay below."""
    rows = []
    for key, title in (("first_week_p999_ns", "the first week"), ("worst_week_p999_ns", "the worst week")):
        seen = {load: week_delay_us(run_of(result, load, "ready_opt"), key) /
                max(week_delay_us(run_of(result, load, HORIZON), key), LEAST_US)
                for load in loads(result) if key in run_of(result, load, HORIZON)
                and key in run_of(result, load, "ready_opt")}
        if seen:
            name = min(seen, key=seen.get)
            rows.append(Bound(f"years: p99.9 of {title}'s delays, READY opt's, horizon = 1, {name}", seen[name],
                              least=LEAST_TIMES_WEEK).row())
    return rows


# ---- tables ----

def section(result: dict) -> str:
    if not loads(result):
        return ""
    return rst.page(
        INTRODUCTION, heading("Lifetimes (Figure 39)"), lifetimes(result),
        rst.figure("fig39.svg", "Figure 39: lifetime in years; the bar of a life that was not "
                   "followed to its end ends at three targets."),
        heading("Written in the target time (Table 9)"), table9(result),
        heading("Mean response of a page (Figure 40)"), responses(result),
        rst.figure("fig40.svg", "Figure 40: mean response against no throttling."),
        heading("Responses (Figure 41)"), percentiles(result),
        rst.figure("fig41.svg", "Figure 41: parts of pages with at most this response."),
        heading("99.9 % of a week's responses"), weeks(result),
        heading("Expectations (Table 10)"), table10(result),
        heading("Epochs of a fixed length (Figure 42)"),
        rst.figure("fig42.svg", "Figure 42: delay of a page under exchange, epochs of ten "
                   "minutes beside epochs whose length is looked for."),
        heading("Ten minutes of map (Figure 43)"),
        rst.figure("fig43.svg", "Figure 43: flash writes in each second, under map."),
        heading("Recovery as the paper states it"), stated(result),
        heading("Traces"), traces(result))


def heading(text: str) -> str:
    return rst.heading(text, "~")


def years_cell(run: dict) -> str:
    times = times_target(run)
    return f"{times * run['target_s'] / (365 * DAY_S):.4f}" if times else "never"


def rows_by_load(result: dict, cell) -> list[list[str]]:
    return [[load, *(cell(run_of(result, load, policy), load) for policy in POLICIES)]
            for load in loads(result)]


def lifetimes(result: dict) -> str:
    return rst.page(rst.table(["years", *POLICIES.values()],
                              rows_by_load(result, lambda run, _: years_cell(run))),
                    "Never: not after three times the target.\n")


def table9(result: dict) -> str:
    rows = []
    for load in loads(result):
        for policy, title in POLICIES.items():
            run, theirs = run_of(result, load, policy), paper.TABLE9.get((load, policy))
            rows.append([f"{load}, {title}", *(f"{run[key] / TIB:.1f}" for key in
                                               ("spec_bytes", "able_bytes", "written_bytes")),
                         *(f"{value:.1f}" for value in theirs or ())] + [""] * (0 if theirs else 3))
    return rst.page(TABLE9_TEXT, rst.table(
        ["TiB", "C_spec", "C_actl", "W", "paper: C_spec", "C_actl", "W"], rows))


def responses(result: dict) -> str:
    us = rows_by_load(result, lambda run, _: f"{mean_us(run):.0f}")
    times = rows_by_load(result, lambda run, load: f"{better(result, load, run['policy'], 'none'):.2f}")
    return rst.page(rst.table(["mean, us", *POLICIES.values()], us),
                    rst.table(["against none", *POLICIES.values()], times))


def percentiles(result: dict) -> str:
    rows = [[f"{load}, {title}", *(f"{run_of(result, load, policy)['response_ns'][key] / 1000:.0f}"
                                   for key in ("p50", "p99", "p999", "p9999", "max"))]
            for load in loads(result) for policy, title in POLICIES.items()]
    return rst.page(PERCENTILES_TEXT,
                    rst.table(["us", "p50", "p99", "p99.9", "p99.99", "max"], rows))


def weeks(result: dict) -> str:
    rows = []
    for load in loads(result):
        runs = [run_of(result, load, policy) for policy in ("ready_opt", HORIZON)]
        if all("first_week_p999_ns" in run for run in runs):
            rows.append([load, *(f"{run[key] / 1000:.0f}" for key in
                                 ("first_week_p999_ns", "worst_week_p999_ns") for run in runs)])
    return rst.page(WEEKS_TEXT, rst.table(
        ["us", "first: READY opt", "horizon", "worst: READY opt", "horizon"], rows)) if rows else ""


def table10(result: dict) -> str:
    rows = []
    for load in loads(result):
        cells = [f"{accuracy_pct(run_of(result, load, policy)):.1f}"
                 for policy in ("dynamic", *READY)]
        rows.append([load, f"{paper.TABLE10[load]:.1f}", *cells])
    return rst.page(TABLE10_TEXT, rst.table(["%", "paper", "DT", "READY pes", "READY opt"], rows))


def stated(result: dict) -> str:
    rows = []
    for load in loads(result):
        run = run_of(result, load, "ready_opt-stated")
        if run:
            rows.append([load, years_cell(run), f"{run['able_bytes'] / TIB:.1f}",
                         f"{mean_us(run):.0f}",
                         f"{mean_us(run) / mean_us(run_of(result, load, 'none')):.2f}"])
    return rst.page(STATED_TEXT, rst.table(
        ["READY opt", "years", "C_actl TiB", "mean us", "against none"], rows))


def traces(result: dict) -> str:
    rows = []
    for path, load in TRACES:
        name = path.name.split(".")[0]
        runs = [result["runs"].get(f"{name}-{policy}") for policy in TRACE_POLICIES]
        if all(runs):
            rows.append([f"{name}, {load}", runs[0]["cycle_s"], *map(years_cell, runs),
                         *(f"{mean_us(run):.0f}" for run in runs[1:]),
                         f"{accuracy_pct(runs[2]):.1f}"])
    return rst.page(TRACES_TEXT, rst.table(
        ["trace, volume of", "cycle s", "NT years", "pes", "opt", "pes mean us", "opt",
         "well expected %"], rows)) if rows else ""


def draw(result: dict, directory: Path) -> None:
    if loads(result):
        years_charts.draw(result, loads(result), directory)


INTRODUCTION = """\
``ssdqos-sim life``: what is written is Table 8's volume for each hour, times its write
amplification, exactly; the pattern within the cycle is ours, from a seed (``docs/simulator.rst``
says which).  Flash of 3,000 cycles, pages of 4 KiB that take 600 us, a target of 5 years of 365 days,
recovery *fitted* (``core/ready/recovery.h``).  NT is no throttling, ST static, DT dynamic, OPT the
constant delay that is found when all is known beforehand.
"""

TABLE9_TEXT = """\
C_spec can be written without recovery, C_actl with the recovery that there was, W was written in
the target time (without throttling also when that was more than could be).  Recovery *fitted* was fitted to
this table's C_actl, which agrees by construction; W, and all else, was not.
"""

PERCENTILES_TEXT = """\
One page is under way at a time, so one page waits for each stop, however long: a stop of a second
in some hundred pages is not seen in p50 and p99, but in the mean and the maximum.
"""

WEEKS_TEXT = """\
In the first week of the life, and in the week in which it was the largest.  600 us of it are the
page itself.
"""

TABLE10_TEXT = """\
Epochs in which what was written was within 25 % of what had been expected.
"""

STATED_TEXT = """\
With the constants that the text of the paper gives, which do not lead to its Table 9:
"""

TRACES_TEXT = """\
Real traces, repeated, with the volume of a load of Table 8.
"""
