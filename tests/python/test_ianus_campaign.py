# SPDX-License-Identifier: GPL-2.0
"""Pure functions of tests/campaign/lib/ianus: what is run, and what becomes of it."""

import json
import pathlib
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.edf.clients import DRIVE_A, DRIVE_B  # noqa: E402
from lib.ianus import failures, failures_debug, figures, filesystems, mixtures, traces  # noqa: E402
from lib.ianus.runs import KEPT, RESTS, Run, cell  # noqa: E402

WARM_UP_S = 2


def found(reads: list[int]) -> dict:
    """A run of one stream that reads, by window, and of one that writes."""
    latency = {**{key: 2_000_000 for key in KEPT}, "n": sum(reads[WARM_UP_S:])}
    return {"latency_ns": {"read": latency, "write": latency}, "seconds": len(reads) - WARM_UP_S,
            "windows": {"read": {"cv": 0.25}}, "mirror": {},
            "streams": {"r": {"op": {"read": 1, "write": 0}, "each": reads},
                        "w": {"op": {"read": 0, "write": 1}, "each": [1000] * len(reads)}}}


class Runs(unittest.TestCase):
    def test_a_peer_has_no_parameters_of_a_mirror(self) -> None:
        words = {peer: Run(DRIVE_B, peer, (), 1, 1, 2).words() for peer in ("one", "ianus")}
        self.assertNotIn("--mirror", words["one"])
        self.assertIn("--mirror", words["ianus"])

    def test_the_cache_is_twice_the_rate_by_the_turn(self) -> None:
        short, long = (Run(DRIVE_A, "ianus", (), 1, 1, 2, switch_s=switch_s).mirror()[1].split("=")[-1]
                       for switch_s in (1, 10))
        self.assertEqual(10 * int(short), int(long))

    def test_streams_of_the_paper(self) -> None:
        self.assertEqual(len(figures.loads(4)), 4)
        self.assertTrue(all("write" not in stream for stream in figures.loads(4, reads_only=True)))
        self.assertIn('load="write bs=4k iodepth=31 offset=50% size=50%"', "".join(figures.loads(4)))

    def test_traces_come_by_their_times_or_as_fast_as_goes(self) -> None:
        lines = [traces.stream(line) for mix in traces.MIXES.values() for line in mix]
        self.assertTrue(all("trace=" in line and ("iodepth=" in line) != ("scale=" in line) for line in lines))


class Numbers(unittest.TestCase):
    def test_windows_of_the_warm_up_do_not_count(self) -> None:
        numbers = figures.numbers(found([9999, 0, 100, 100, 100, 50]), WARM_UP_S)
        self.assertEqual(numbers["each"], [100, 100, 100, 50])
        self.assertEqual((numbers["near_pct"], numbers["least_pct"], numbers["cv_pct"]), (75, 50, 25))
        self.assertEqual(numbers["mean_ms"], 2)

    def test_a_gain_is_one_of_medians(self) -> None:
        mix = {"ianus": [{"reads_s": value} for value in (9, 20, 21)], "one": [{"reads_s": 10}]}
        self.assertEqual(figures.gain(mix), 2)

    def test_goals_tell_what_falls_short(self) -> None:
        def peers(p999_ms: float) -> dict:
            return {"raid1": [{"p999_ms": 2}], "ianus": [{"p999_ms": p999_ms}], RESTS: [{"p999_ms": 1}]}
        verdicts = [row[-1] for row in traces.goals({"mixes": {"a": peers(1), "b": peers(4)}})]
        self.assertEqual(verdicts, ["met", "met", "below", "met"])
        self.assertEqual([row[-1] for row in mixtures.goals({"hows": {"a": {"90": peers(4)}}})], ["below", "met"])

    def test_a_cell_has_the_range(self) -> None:
        self.assertEqual(cell([{"x": 1}, {"x": 1}], "x"), "1")
        self.assertEqual(cell([{"x": 1}, {"x": 3}, {"x": 2}], "x", 1), "2.0 (1.0 to 3.0)")


class FileSystems(unittest.TestCase):
    def boot(self, programs: str) -> dict:
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            (directory / "programs").write_text(programs)
            (directory / "mirror").write_text("0 8 ssdqos-ianus v=1 failures=7 copied_blocks=512 switches=3 lost_regions=0 "
                                              "differing_blocks=0 why=time\n")
            return filesystems.read(directory)

    def test_what_fails_beside_it_is_not_its_fault(self) -> None:
        boot = self.boot("linear dir 0 5\nlinear verity 3 5\nmirror dir 0 9\nmirror verity 3 9\n")
        self.assertEqual(filesystems.only_here(boot), 0)
        self.assertEqual(boot["mirror"]["failures"], 7)
        self.assertIn("verity; of them, on the mirror: verity", filesystems.excused({"a": boot}))

    def test_what_fails_here_alone_is(self) -> None:
        boot = self.boot("linear dir 0 5\nmirror dir 1 9\n")
        self.assertEqual(filesystems.only_here(boot), 1)
        self.assertEqual([row[-1] for row in filesystems.goals({"boots": {"a": boot}})], ["above", "below", "met", "met"])


class Failures(unittest.TestCase):
    def boot(self, longest_ns: int, blocks: int) -> dict:
        waited = {"max": longest_ns}
        probe = {op: {"clat_ns": waited, "lat_ns": waited, "total_ios": 5} for op in ("read", "write", "sync")}
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            (directory / "probe.json").write_text("fio: terminating on signal 15\n" + json.dumps({"jobs": [probe]}))
            (directory / "events").write_text("error 900\nmetadata 1500\n" * 50)
            (directory / "rebuilds").write_text(f"error 900 10 {blocks}\nall_but_one 30 0 0\n")
            return failures.read(directory)

    def verdicts(self, **boot: int) -> list[str]:
        return [row[-1] for row in failures.goals({"boots": {"strict-6.1": self.boot(**boot)}})]

    def test_a_rebuild_copies_what_was_missed(self) -> None:
        self.assertEqual(self.verdicts(longest_ns=2_000_000_000, blocks=160), ["met", "met", "met"])
        self.assertEqual(self.verdicts(longest_ns=2_000_000_000, blocks=512), ["met", "met", "above"])

    def test_who_waits_too_long_is_seen(self) -> None:
        self.assertEqual(self.verdicts(longest_ns=31_000_000_000, blocks=160), ["met", "above", "met"])
        self.assertIn("31,000", failures.section({"boots": {"strict-6.1": self.boot(31_000_000_000, 160)}}))

    def test_boots_of_the_debug_kernel_make_a_hundred(self) -> None:
        jobs = failures_debug.jobs(1, quick=False)
        self.assertEqual(sum(job.settings["EVENTS"] for job in jobs), failures.EVENTS)
        self.assertEqual(len({job.settings["SEED"] for job in jobs}), len(jobs))
        section = failures_debug.section({"boots": {job.name: self.boot(1_000_000_000, 160) for job in jobs}})
        self.assertIn("1,000", section)


if __name__ == "__main__":
    unittest.main()
