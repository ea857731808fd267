# SPDX-License-Identifier: GPL-2.0
"""How long a drive lasts: read from files as the kernel has them, told and drawn."""

from __future__ import annotations

import contextlib
import io
import json
import math
import random
import re
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import fake_life
from fake_life import DAY_S, TB, WEEK, YEAR_S
from ssdqos import __main__ as tool
from ssdqos import forecast, life_view, stream_view
from ssdqos.errors import ToolError
from ssdqos.life_view import Life, Row
from ssdqos.lifetime import place, state
from ssdqos.lifetime.place import Place
from ssdqos.lifetime.state import PAGE_BYTES
from ssdqos.streams import life_metrics, status

try:
    from ssdqos.lifetime import picture
except ModuleNotFoundError:
    picture = None

# So many are drawn; each takes 60 ms, as all files of its drive are written.
LIVES = 100
CORE = Path(__file__).resolve().parents[2] / "dm-ssdqos/core/ready"


def table(name: str, letter: str) -> list[Row]:
    """Rows of an x-macro of ready.h."""
    text = (CORE / "ready.h").read_text().split(f"#define {name}({letter})", 1)[1]
    body = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", text)[0]
    return [Row(*row) for row in re.findall(rf'\b{letter}\((\w+), "([^"]*)", "([^"]*)"\)', body)]


class AsTheKernel(unittest.TestCase):
    def test_gauges(self) -> None:
        self.assertEqual(table("SSDQOS_READY_GAUGES", "G"), list(life_view.GAUGES))

    def test_stats(self) -> None:
        self.assertEqual(table("SSDQOS_READY_STATS", "S"), list(life_view.STATS))

    def test_reasons(self) -> None:
        text = (CORE / "ready.h").read_text().split("#define SSDQOS_READY_WHYS(E)", 1)[1].split("\n\n", 1)[0]
        self.assertEqual(re.findall(r'E\(\w+, "(\w+)"\)', text), list(life_view.WHYS))

    def test_state(self) -> None:
        text = (CORE / "state.c").read_text()
        body = text.split("#define STATE_FIELDS(F)", 1)[1].split("\n\n", 1)[0]
        self.assertEqual(re.findall(r"F\(([\w.]+)\)", body), list(state.FIELDS))
        for name, value in (("STATE_MAGIC", state.MAGIC), ("STATE_VERSION", state.VERSION),
                            ("STATE_NR_FIELDS_1", state.NR_FIELDS_1),
                            ("STATE_HASH_INIT", state.HASH_INIT), ("STATE_HASH_PRIME", state.HASH_PRIME)):
            self.assertEqual(value, int(re.search(rf"#define {name} (0x\w+?|\d+)(ULL|u)\s", text)[1], 0))
        header = (CORE / "ready.h").read_text() + (CORE / "state.h").read_text()
        for name, value in (("HEADER_BYTES", state.HEADER_BYTES), ("HISTORY_BYTES", state.HISTORY_BYTES),
                            ("HISTORY", state.HISTORY), ("PAGE_BYTES", PAGE_BYTES)):
            self.assertIn(f"#define SSDQOS_READY_{name} {value}u\n", header)


class Texts(unittest.TestCase):
    def test_spans(self) -> None:
        for seconds, text in ((0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (7200, "2 h"), (5 * YEAR_S, "5 y"),
                              (YEAR_S + 22 * DAY_S + 5, "1 y 22 d"), (DAY_S + 60, "1 d")):
            self.assertEqual(text, life_view.span_text(seconds))

    def test_bytes(self) -> None:
        for amount, text in ((0, "0 bytes"), (999, "999 bytes"), (24e9, "24.0 GB"), (500e12, "500 TB")):
            self.assertEqual(text, life_view.bytes_text(amount))

    def test_delays(self) -> None:
        for ns, text in ((0, "0 ns"), (35000, "35 us"), (1_250_000, "1.25 ms"), (2 * 10**9, "2 s")):
            self.assertEqual(text, life_view.delay_text(ns))


class Machine(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.sysfs = self.path / "sys"
        for name, value in (("SYSFS", self.sysfs), ("MAPPER", self.path / "mapper")):
            patch = mock.patch(f"ssdqos.lifetime.place.{name}", value)
            patch.start()
            self.addCleanup(patch.stop)

    def make(self, **more: object) -> Path:
        return fake_life.make(self.sysfs, "dm-3", "gold", **more)

    def tell(self, *words: str, device: str = "dm-3") -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            args = tool.parse(["forecast", device, *words])
            self.status = args.main(args)
        return out.getvalue()


class Telling(Machine):
    def test_all_at_once(self) -> None:
        self.make()
        self.assertEqual([
            "Drive 8:16, ready_opt",
            "Met: it will last for 5 y, and as things go it is worn out at 5 y 22 d.",
            "  Age       1 y 91 d of 5 y (25.0 %)",
            "  Budget    100 TB of 500 TB used (20.0 %), 400 TB left",
            "  Pace      292 GB a day until the target; 298 MB a day in the last 7 d",
            "  Delay     35 us for each page of 4 KiB: more was written than the budget allows",
            "  End       worn out at 5 y 22 d as it goes, at 3 y 100 d without throttling",
            "  Epoch     12.0 GB of 24.0 GB used in this one of 2 h; 20.0 GB were expected",
            "  Trust     the drive reported its wear 25 min ago, 93 % of the epochs were as expected"],
            self.tell().splitlines())
        self.assertEqual(0, self.status)

    def verdict(self, **more: object) -> str:
        self.make(**more)
        return self.tell().splitlines()[1]

    def test_throttling_meets_what_the_pace_does_not(self) -> None:
        self.assertIn("Met: it will last for 5 y, because writes are throttled (ready_opt)",
                      self.verdict(forecast_s=4 * YEAR_S))
        self.assertEqual(0, self.status)

    def test_nobody_throttles(self) -> None:
        self.assertIn("NOT MET: as things go it is worn out at 4 y, 5 y were wanted; nothing is throttled",
                      self.verdict(forecast_s=4 * YEAR_S, parameters={"drive_throttle": "none"}))
        self.assertEqual(1, self.status)
        self.assertNotIn("without throttling", self.tell())

    def test_a_floor_is_no_promise(self) -> None:
        self.assertIn("the floor lets more through",
                      self.verdict(forecast_s=4 * YEAR_S, parameters={"drive_floor_kb_s": "500"}))
        self.assertEqual(1, self.status)

    def test_spent(self) -> None:
        self.assertIn("NOT MET: the budget is used up 3 y 274 d before the target",
                      self.verdict(left_bytes=0, used_bytes=500 * TB, why="budget_spent", stopped=4))
        self.assertEqual(1, self.status)
        self.assertIn("4 writes wait for the budget", self.tell())

    def test_reached(self) -> None:
        self.assertIn("Reached: it is 6 y old and was to last for 5 y",
                      self.verdict(age_s=6 * YEAR_S, why="target_reached", delay_ns=0))
        self.assertIn("none: it is older than promised", self.tell())

    def test_never(self) -> None:
        self.assertIn("worn out never", self.verdict(forecast_s=-1, forecast_unthrottled_s=-1))
        self.assertEqual(0, self.status)

    def trust(self, **more: object) -> str:
        self.make(**more)
        return self.tell().splitlines()[-1]

    def test_doubts(self) -> None:
        self.assertIn("no report of wear is to be trusted, so what was written here counts, at a write "
                      "amplification of 2.00", self.trust(source_age_s=-1))
        self.assertIn("the last report of wear is 1 d 1 h old", self.trust(source_age_s=25 * 3600))
        self.assertIn("looks back on 50 min only", self.trust(raw=fake_life.raw_state(windows=(1,) * 5)))
        self.assertIn("only 50 % of the epochs", self.trust(expected_well_permille=500))
        self.assertIn("somebody else writes to the drive", self.trust(unmanaged=1))

    def test_a_history_for_root_only(self) -> None:
        (self.make() / "life_state").unlink()
        self.assertIn("the history is for root only", self.tell().splitlines()[-1])

    def test_somebody_else_reads_at_the_same_time(self) -> None:
        good = fake_life.raw_state(windows=(1, 2))
        mixed = io.BytesIO(good[:-1] + b"\1" + good[:8]), io.BytesIO(good)
        path = self.make(raw=good)
        with mock.patch("ssdqos.lifetime.place.Path.open", side_effect=mixed):
            self.assertEqual(good, place.read_state(path))

    def test_a_life_that_is_faster(self) -> None:
        self.make(parameters={"drive_time_scale": "600"})
        self.assertIn("its life passes 600 times as fast", self.tell())

    def test_recovered_cells(self) -> None:
        self.make(endurance_bytes=300 * TB)
        self.assertIn("200 TB of it by cells that recover at rest", self.tell())

    def test_by_name_of_the_drive(self) -> None:
        self.make()
        self.assertEqual(self.tell(), self.tell(device="8:16"))

    def test_by_name_of_the_stream(self) -> None:
        self.make()
        self.assertEqual(self.tell(), self.tell(device="gold"))

    def test_json(self) -> None:
        self.make()
        told = json.loads(self.tell("--json"))
        self.assertEqual(("8:16", 35000, "over_budget", True, "ready_opt", 600),
                         tuple(told[key] for key in ("drive", "life_delay_ns", "life_delay_why", "target_met",
                                                     "drive_throttle", "window_s")))
        self.assertEqual([PAGE_BYTES * pages for pages in range(1, WEEK + 1)], told["window_bytes"])

    def test_says_what_is_wrong(self) -> None:
        with self.assertRaisesRegex(ToolError, "nothing is no live stream"):
            self.tell(device="nothing")
        self.make(endurance_bytes=0)
        with self.assertRaisesRegex(ToolError, "wear is not counted on drive 8:16: give it drive_endurance_gb"):
            self.tell()

    def test_a_state_that_is_broken(self) -> None:
        raw = bytearray(fake_life.raw_state())
        raw[100] ^= 1
        self.make(raw=bytes(raw))
        with self.assertRaisesRegex(ToolError, "life_state is broken"):
            self.tell()


class OneAnswer(Machine):
    """Whoever is asked says the same: the verdict, the end, the live view, the metrics, the exit status."""

    def test_throttled_to_the_target(self) -> None:
        self.make(forecast_s=206 * DAY_S, forecast_unthrottled_s=206 * DAY_S)
        told = self.tell()
        self.assertIn("Met: it will last for 5 y", told)
        self.assertNotIn("worn out at 206 d as it goes", told)
        self.assertIn("End       worn out not before 5 y as it goes, at 206 d without throttling", told)

    def test_drawn_at_random(self) -> None:
        draw = random.Random(7)
        for _ in range(LIVES):
            target = draw.choice((300, YEAR_S, 5 * YEAR_S))
            ends = [draw.choice((-1, draw.randrange(2 * target), target)) for _ in range(2)]
            numbers = {"age_s": draw.randrange(int(1.2 * target)), "target_s": target, "forecast_s": ends[0],
                       "forecast_unthrottled_s": ends[1], "left_bytes": draw.choice((0, 5, 400 * TB))}
            parameters = {"drive_throttle": draw.choice(("none", "static", "ready_pes", "ready_opt", "horizon")),
                          "drive_floor_kb_s": draw.choice(("0", "500"))}
            with self.subTest(numbers=numbers, parameters=parameters):
                path = self.make(parameters=parameters, **numbers)
                self.agree(path, self.tell())

    def agree(self, path: Path, told: str) -> None:
        life = Life(life_view.words(path))
        met = life.is_met()
        lasts = life.is_reached() or life.end_s() in (life_view.NEVER,) or life.end_s() >= life["target_s"]
        self.assertEqual(met, lasts, "the end as it goes, against the verdict")
        self.assertEqual(met, told.splitlines()[1].startswith(("Met", "Reached")))
        self.assertEqual(met, self.status == 0)
        self.assertEqual(met, "IT WILL NOT LAST" not in life_view.line(life))
        one = status.parse("gold", "0 8 ssdqos drive=8:16 reads=1")
        samples = life_metrics.text([one], Place(self.sysfs))
        self.assertRegex(samples, rf"(?m)^ssdqos_drive_life_target_met{{.*}} {int(met)}$")
        end = re.search(r"(?m)^ssdqos_drive_life_end_seconds{.*} (\S+)$", samples)[1]
        self.assertEqual(math.inf if life.end_s() == life_view.NEVER else life.end_s(), float(end))
        self.assertIn(life_view.end_text(life), told)
        self.assertIn(life_view.end_text(life), life_view.line(life))


class States(unittest.TestCase):
    def test_there_and_back(self) -> None:
        windows = tuple(range(5000))
        read = state.parse(fake_life.raw_state(seq=9, windows=windows, delay_ns=35000), "x")
        self.assertEqual((9, windows, 35000, 600), (read.seq, read.windows, read.fields["delay_ns"], read.window_s))

    def test_a_history_that_is_broken_is_none(self) -> None:
        raw = bytearray(fake_life.raw_state(windows=(1, 2)))
        raw[-1] ^= 1
        self.assertEqual((), state.parse(bytes(raw), "x").windows)

    def test_a_history_of_another_moment_is_none(self) -> None:
        raw, other = (fake_life.raw_state(windows=windows) for windows in ((1, 2), (1, 2, 3)))
        self.assertEqual((), state.parse(raw[:state.HEADER_BYTES] + other[state.HEADER_BYTES:], "x").windows)

    def test_version_1(self) -> None:
        raw = fake_life.raw_state(windows=(1, 2), delay_ns=7)
        read = state.parse(fake_life.raw_state_1(raw), "x")
        self.assertEqual(state.parse(raw, "x"), read)

    def test_checksum(self) -> None:
        self.assertEqual(0xE3069283, state.checksum(b"123456789"))

    def test_says_what_is_wrong(self) -> None:
        good = fake_life.raw_state()
        for raw, why in ((good[:-1], "has 36863 bytes"), (b"x" + good[1:], "no state of a lifetime"),
                         (good[:16] + b"\3" + good[17:], "another version"), (good[:99] + b"x" + good[100:], "broken")):
            with self.subTest(why), self.assertRaisesRegex(ToolError, why):
                state.parse(raw, "x")

    def test_further(self) -> None:
        now = state.parse(fake_life.raw_state(life_ns=10, host_bytes=10), "x")
        for life_ns, host_bytes, further in ((10, 10, False), (9, 9, False), (11, 10, True), (9, 11, True)):
            other = state.parse(fake_life.raw_state(life_ns=life_ns, host_bytes=host_bytes), "x")
            self.assertEqual(further, other.is_further_than(now))

    def test_a_clock_that_was_set_right_is_no_step_back(self) -> None:
        wrong, right = (state.parse(fake_life.raw_state(**{"life_ns": life_ns, "clock.birth_s": 5, "clock.powered_ns": ns}),
                                    "x") for life_ns, ns in ((1000, 10), (20, 11)))
        self.assertEqual((False, True), (wrong.is_further_than(right), right.is_further_than(wrong)))


@unittest.skipUnless(picture, "matplotlib is not installed")
class Pictures(Machine):
    def drawn(self, name: str = "x.svg", **more: object) -> bytes:
        self.make(**more)
        path = self.path / name
        self.tell("-o", str(path))
        return path.read_bytes()

    def test_is_one(self) -> None:
        self.assertIn(b"<svg", self.drawn())
        self.assertTrue(self.drawn("x.png").startswith(b"\x89PNG"))

    def test_all_of_its_title_can_be_seen(self) -> None:
        self.make(forecast_s=206 * DAY_S)
        for drive in ("8:16", "nvme-Samsung_SSD_990_PRO_with_Heatsink_2TB_S7HENJ0Y123456X_1"):
            made = picture.figure(replace(forecast.read("dm-3"), drive=drive))
            made.canvas.draw()
            whole, title = made.bbox, made.axes[0]._left_title
            self.assertIn(drive, title.get_text().replace("\n", ""))
            box = title.get_window_extent()
            self.assertTrue(whole.x0 <= box.x0 and box.x1 <= whole.x1 and box.y1 <= whole.y1, (whole, box))
            self.assertFalse(title.get_wrap(), "layout of matplotlib 3.6 does not know of it")
            picture.plt.close(made)

    def test_no_empty_half_without_a_history(self) -> None:
        for raw, count in ((fake_life.raw_state(), 1), (fake_life.raw_state(windows=(1, 2)), 2)):
            self.make(raw=raw)
            made = picture.figure(forecast.read("dm-3"))
            self.assertEqual(count, len(made.axes))
            picture.plt.close(made)

    def test_is_the_same_each_time(self) -> None:
        self.assertEqual(self.drawn("a.svg"), self.drawn("b.svg"))

    def test_of_all_kinds_of_lives(self) -> None:
        for more in ({"raw": fake_life.raw_state()}, {"forecast_s": -1, "forecast_unthrottled_s": -1},
                     {"age_s": 6 * YEAR_S}, {"left_bytes": 0}, {"target_s": 300, "age_s": 20},
                     {"epoch_s": 0}, {"parameters": {"drive_throttle": "none"}}, {"raw": b""}):
            with self.subTest(more):
                self.drawn(**more)

    def test_the_curve_goes_back_from_now(self) -> None:
        raw = fake_life.raw_state(windows=(10, 20, 30), window_bytes=1000)
        self.make(raw=raw)
        times, used = picture.used_curve(forecast.read("dm-3"))
        now = fake_life.NUMBERS["age_s"]
        self.assertEqual([now + 60 - 600 * windows for windows in (4, 3, 2, 1)] + [now], times)
        done = 100 * TB - 1000
        self.assertEqual([done - 60 * PAGE_BYTES, done - 50 * PAGE_BYTES, done - 30 * PAGE_BYTES, done, 100 * TB], used)

    def test_flash_takes_more_than_hosts_write(self) -> None:
        fields = {"cfg.drive_endurance_gb": 0, "cfg.drive_pe_cycles": 3000}
        read = state.parse(fake_life.raw_state(windows=(2, 4), **fields), "x")
        self.assertEqual([5 * PAGE_BYTES, 10 * PAGE_BYTES], read.charges)

    def test_bars_keep_the_sum(self) -> None:
        starts, amounts, length = picture.bars(state.parse(fake_life.raw_state(windows=(1,) * 1000), "x"))
        self.assertEqual((333, 3 * PAGE_BYTES, 1800, -333 * 1800),
                         (len(amounts), amounts[0], length, starts[0]))

    def test_says_what_is_wrong(self) -> None:
        with self.assertRaisesRegex(ToolError, "x.txt does not end in .svg"):
            self.drawn("x.txt")
        with self.assertRaisesRegex(ToolError, "cannot be written"):
            self.drawn("no/x.svg")


class Watching(Machine):
    def lines(self, **more: object) -> list[str]:
        self.make(**more)
        return stream_view.lines([stream_view.read(stream_view.directories(None, self.sysfs, self.path))])

    def test_a_line_for_each_drive(self) -> None:
        fake_life.make(self.sysfs, "dm-4", "tin")
        told = [line for line in self.lines() if "lifetime" in line]
        self.assertEqual(["  lifetime: 20.0 % of 500 TB used at 25.0 % of 5 y, ready_opt, delay 35 us (over_budget), "
                          "worn out at 5 y 22 d (at 3 y 100 d without throttling)"], told)

    def test_what_is_wrong_is_loud(self) -> None:
        told = "\n".join(self.lines(left_bytes=0, stopped=5, why="budget_spent"))
        self.assertIn("5 writes wait for the budget, IT WILL NOT LAST", told)

    def test_nothing_where_wear_is_not_counted(self) -> None:
        self.assertNotIn("lifetime", "\n".join(self.lines(endurance_bytes=0)))

    def test_once(self) -> None:
        self.make()
        told = stream_view.once(stream_view.read(stream_view.directories(None, self.sysfs, self.path)))
        self.assertLessEqual({"life_delay_ns=35000", "life_delay_why=over_budget"}, set(told))

    def test_a_number_that_is_not_there_is_zero(self) -> None:
        self.assertEqual(0, Life({})["delay_ns"])


if __name__ == "__main__":
    unittest.main()
