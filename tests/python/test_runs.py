# SPDX-License-Identifier: GPL-2.0
"""What runs record, and what is calculated from it."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import numpy as np

from ssdqos.demo import aged, compare, recorded, runs, simulator
from ssdqos.demo.runs import Decision, Request, Run

TRACE = """# tracer: nop
ssdqos_flash_request_completed: dev=254:0 seq=1 op=write sector=8 nr_sectors=8 fua=1 arrival_ns=110 complete_ns=120 met=0 late_ns=7
ssdqos_flash_gc_decided: dev=254:0 time_ns=115 decision=gc_started plane=3 block=9 valid_units=4 free_blocks=2
ssdqos_flash_request_completed: dev=254:0 seq=0 op=read sector=16 nr_sectors=1 fua=0 arrival_ns=100 complete_ns=160 met=1 late_ns=7
"""


def make_run(requests: list[Request], decisions: list[Decision] | None = None) -> Run:
    return Run("kernel", "aged", requests, decisions or [], {"reads": 4, "gc_blocked_reads": 1})


class ParseTest(unittest.TestCase):
    def test_trace_events_in_order_of_arrival(self) -> None:
        requests, decisions = recorded.parse_trace(TRACE)
        self.assertEqual(requests, [Request(100, "R", 8192, 512, 160), Request(110, "U", 4096, 4096, 120)])
        self.assertEqual(decisions, [Decision(115, "gc_started", 3, 9, 2)])

    def test_simulator_logs(self) -> None:
        self.assertEqual(simulator.parse_request("5,100,R,8192,512,160,1"),
                         Request(100, "R", 8192, 512, 160))
        self.assertEqual(simulator.parse_decision("115,gc_started,gc,0,3,9,4,2"),
                         Decision(115, "gc_started", 3, 9, 2))

    def test_lost_events_are_added_up(self) -> None:
        self.assertEqual(recorded.lost_events(
            "entries: 9\noverrun: 2\ncommit overrun: 0\ndropped events: 1\noverrun: 4\n"), 7)

    def test_fio_may_say_something_first(self) -> None:
        text = 'fio: note\n{"jobs": [{"read": {"clat_ns": {"percentile": {"99.0": 7}}}, "write": {"clat_ns": {}}}]}'
        self.assertEqual(recorded.parse_fio(text), {"read": {"99.0": 7}, "write": {}})


class FiguresTest(unittest.TestCase):
    def test_quantile_is_a_latency_that_occurred(self) -> None:
        latency_ns = np.arange(1, 101)
        self.assertEqual([runs.quantile_ns(latency_ns, share) for share in (0.5, 0.99, 0.9999)],
                         [50, 99, 100])
        self.assertEqual(runs.quantile_ns(np.array([]), 0.5), 0)

    def test_fua_writes_are_writes(self) -> None:
        run = make_run([Request(0, "W", 0, 1, 5), Request(1, "U", 0, 1, 10), Request(2, "F", 0, 0, 90)])
        self.assertEqual(list(run.latency_ns("write")), [5, 9])

    def test_gc_blocked(self) -> None:
        self.assertEqual(make_run([]).gc_blocked_read_pct(), 25)

    def test_what_is_collected_after_the_last_request_does_not_count(self) -> None:
        run = make_run([Request(0, "R", 0, 1, 100)], [Decision(10, "gc_started", 0, 0, 1)] + [
            Decision(at, "gc_victim_chosen", 0, 7, 1) for at in (11, 99, 100)])
        self.assertEqual(run.gc_blocks(), 2)

    def test_saved_runs_load(self) -> None:
        run = make_run([Request(0, "R", 0, 1, 100)], [Decision(10, "gc_started", 0, 0, 1)])
        with tempfile.TemporaryDirectory() as scratch:
            runs.save(run, Path(scratch))
            self.assertEqual(runs.load("kernel", "aged", run.counters, Path(scratch)), run)

    def test_arrivals_keep_nanoseconds(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "t"
            runs.write_arrivals([Request(1_000_007, "F", 0, 0, 9)], path)
            self.assertEqual(path.read_text().splitlines()[1], "1000.007,F,0,0")


class CompareTest(unittest.TestCase):
    def test_same(self) -> None:
        run = make_run([Request(0, "R", 0, 1, 100)], [Decision(10, "gc_started", 0, 0, 1)])
        self.assertTrue(compare.same(run, run).holds())

    def test_decisions_after_the_last_request_do_not_count(self) -> None:
        requests = [Request(0, "R", 0, 1, 100)]
        later = make_run(requests, [Decision(500, "gc_stopped", 0, 0, 8)])
        self.assertTrue(compare.same(later, make_run(requests)).holds())

    def test_a_difference_is_shown(self) -> None:
        seen = compare.same(make_run([Request(0, "R", 0, 1, 100)]), make_run([Request(0, "R", 0, 1, 101)]))
        self.assertFalse(seen.holds())
        self.assertEqual(seen.first_difference, "0,R,0,1,100 became 0,R,0,1,101")

    def test_a_missing_request_is_a_difference(self) -> None:
        seen = compare.same(make_run([Request(0, "R", 0, 1, 100)] * 2), make_run([Request(0, "R", 0, 1, 100)]))
        self.assertFalse(seen.holds())
        self.assertEqual(seen.first_difference, "2 records became 1")


class TableTest(unittest.TestCase):
    def test_differences(self) -> None:
        for ours, theirs, wanted in ((10, 10, "0"), (10, 11, "+10.0 %"), (0, 3, "-")):
            self.assertEqual(aged.difference(ours, theirs), wanted)


if __name__ == "__main__":
    unittest.main()
