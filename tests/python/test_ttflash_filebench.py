# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/ttflash: filebench's personalities, their boots, and what is made of them."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.machine import Job, Machine  # noqa: E402
from lib.ttflash import filebench  # noqa: E402
from lib.ttflash.campaign import PAGES  # noqa: E402
from lib.ttflash.personalities import PERSONALITIES, Options, files_file, load_file  # noqa: E402
from lib.ttflash.rungs import BASE, NO_GC, OURS  # noqa: E402

KIB = {"k": 1, "m": 1024}
SETTINGS = {"count": None, "quick": False, "seed": 1, "again": False, "only": None}


def options(**others: object) -> argparse.Namespace:
    return argparse.Namespace(**{**SETTINGS, **others})


def parts_of(option: object) -> list[str]:
    """Of reads, and of writes."""
    parts = str(option).split(",")
    return parts if len(parts) > 1 else parts * 2


def kib(size: str) -> int:
    return int(size[:-1]) * KIB[size[-1]]


def shares(split: str) -> dict[int, int]:
    """KiB, and percent of the requests."""
    return {kib(size): int(share) for size, share in (one.split("/") for one in split.split(":"))}


def written_kib_s(threads: int, of: Options) -> float:
    if "read" in str(of["rw"]) or "rate_iops" not in of:
        return 0
    sizes = shares(parts_of(of["bssplit"])[1]) if "bssplit" in of else {kib(str(of["bs"])): 100}
    return threads * int(parts_of(of["rate_iops"])[1]) * sum(size * share for size, share in sizes.items()) / 100


class Personalities(unittest.TestCase):
    def test_are_the_papers(self) -> None:
        self.assertEqual(list(PERSONALITIES), ["fileserver", "networkfs", "oltp", "varmail", "videoserver", "webproxy"])

    def test_shares_of_sizes_are_all(self) -> None:
        for one in PERSONALITIES.values():
            for section in one.sections:
                for split in parts_of(section.options["bssplit"]) if "bssplit" in section.options else ():
                    self.assertEqual(sum(shares(split).values()), 100, split)

    def test_write_as_much_as_is_said(self) -> None:
        for name, said_mb_s in (("fileserver", 28), ("networkfs", 25), ("oltp", 6), ("varmail", 10), ("webproxy", 10)):
            with self.subTest(name):
                one = PERSONALITIES[name]
                self.assertIn(f"{said_mb_s} MB/s", one.here)
                written = sum(written_kib_s(section.threads, {**section.options, "rw": "write"})
                              for section in one.sections if section.options["rw"] != "randread")
                self.assertAlmostEqual(written * 1024 / 1e6, said_mb_s, delta=.7)

    def test_files_with_a_name_are_written_once(self) -> None:
        text = files_file(PERSONALITIES["oltp"])
        self.assertEqual([line for line in text.splitlines() if line.startswith(("[", "numjobs"))],
                         ["[global]", "[shadow]", "numjobs=1", "[lgwr]", "numjobs=1"])
        self.assertIn("[user]\nnumjobs=50\nsize=15m\n", files_file(PERSONALITIES["fileserver"]))

    def test_files_leave_room(self) -> None:
        for name, one in PERSONALITIES.items():
            size = sum(section.threads * kib(str(section.options["size"])) for section in one.sections if "size" in section.options)
            self.assertLess(size * 1024, .85 * filebench.FLASH.size_bytes(), name)

    def test_the_seed_is_the_loads(self) -> None:
        one, other = (load_file(PERSONALITIES["varmail"], seed, 2, 20) for seed in (1, 2))
        self.assertNotEqual(one, other)
        self.assertEqual(one.replace("randseed=1\n", "randseed=2\n"), other)


class Boots(unittest.TestCase):
    def test_each_rung_is_first_once(self) -> None:
        turns = [filebench.in_turn(seed) for seed in range(len(filebench.SHOWN))]
        self.assertEqual({turn[0] for turn in turns}, set(filebench.SHOWN))
        for turn in turns:
            self.assertCountEqual(turn, filebench.SHOWN)

    def test_rungs_are_the_campaigns(self) -> None:
        words = filebench.drive_words(OURS, 7)
        self.assertTrue(words.startswith("gtf preset ttflash op_permille 902 aged_pct 100 buffer_kib 65536 "), words)
        self.assertRegex(words, " gc_blocking plane rain on rain_width 8 rain_reconstruct on rotate on rain_flush stripes seed 7$")
        self.assertIn(" rain off gc_blocking channel ", filebench.drive_words(BASE, 7))

    def test_seeds_are_as_many_as_asked_for(self) -> None:
        for asked, seeds in ((options(), {1, 2, 3}), (options(quick=True), {1}), (options(count=2, seed=4), {4, 5})):
            self.assertEqual({int(one.name.rsplit("-", 1)[1]) for one in filebench.jobs(asked)}, seeds)

    def test_it_is_a_page_of_its_own(self) -> None:
        self.assertEqual(list(PAGES[-1].parts), ["filebench", "free"])
        self.assertNotIn("filebench", PAGES[0].parts)
        self.assertEqual(PAGES[-1].runs().name, "ttflash-filebench")


class Results(unittest.TestCase):
    """All of the way, from boots that are made up."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = pathlib.Path(scratch.name)
        self.times = {NO_GC: 1, BASE: 20, OURS: 1.05}

    def boot(self, job: Job) -> pathlib.Path:
        out = self.place / job.name
        out.mkdir()
        for rung in filebench.SHOWN:
            times = self.times.get(rung, 5)
            seen = {"mean": 1e6 * times, "max": 9e6, "percentile": {key: 1e6 * times for key in filebench.FIO.values()}}
            (out / f"{rung}.json").write_text(json.dumps({"jobs": [{"read": {"total_ios": 1000, "clat_ns": seen}}]}))
            numbers = {"ns": 2_000_000_000, "reads": 10_000, "gc_blocked_reads": int(100 * (times - 1)), "queue_blocked_reads": 50,
                       "flash_erases": 7, "host_write_units": 1000, "host_read_units": 400, "ram_read_units": 20}
            (out / f"{rung}.stats").write_text("".join(f"{key} {value}\n" for key, value in numbers.items()))
        return out

    def result(self) -> dict:
        machine = Machine("ttflash", (), self.place, None, 1)
        machine.run = self.boot  # type: ignore[method-assign]
        machine.find = lambda _job: None  # type: ignore[method-assign]
        found = filebench.measure(machine, options(count=2), lambda _text: None)
        assert found and found.fresh
        return found.result

    def test_a_run_is_read(self) -> None:
        row = next(row for row in self.result()["rows"] if row[:3] == ("oltp", OURS, 2))[3]
        self.assertEqual((row["read"]["n"], row["read"]["mean"], row["read"]["p999"]), (1000, 1.05e6, 1.05e6))
        self.assertAlmostEqual(row["gc_blocked_read_pct"], .05)
        self.assertEqual(row["ram_pct"], 5)
        self.assertAlmostEqual(row["written_mb_s"], 1000 * 4096 / 2 / 1e6)

    def test_goals_are_the_issues(self) -> None:
        rows = {row[0]: row[1:] for row in filebench.goals(self.result())}
        self.assertEqual(rows["webproxy: reads' mean of no GC's (the base: 20.0)"], ("at most 1.100", "1.050", "met"))
        self.assertEqual(rows["webproxy: reads that collection blocks (the base: 19.0 %)"], ("at most 0.0500 %", "0.0500 %", "met"))

    def test_what_falls_short_is_told(self) -> None:
        self.times[OURS] = 1.2
        self.assertEqual({row[3] for row in filebench.goals(self.result())}, {"above"})

    def test_it_can_be_shown(self) -> None:
        result = self.result()
        text = filebench.section(result)
        self.assertNotIn("None", text)
        self.assertIn("1.05 ± 0.00", text)
        filebench.draw(result, self.place)

    def test_without_a_boot_there_is_nothing(self) -> None:
        machine = Machine("ttflash", (), self.place, None, 1)
        self.assertIsNone(filebench.measure(machine, options(only=["none"]), lambda _text: None))


if __name__ == "__main__":
    unittest.main()
