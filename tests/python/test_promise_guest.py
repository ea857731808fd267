# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: scenarios as the virtual machine gets them, and what is read of its results."""

import argparse
import dataclasses
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from collections.abc import Callable
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.edf import completions  # noqa: E402  (after the path that it is found on)
from lib.promise import boots, contenders, draw, fio_load, guest, kernel, neighbours, peers, pick  # noqa: E402
from lib.promise.fio_load import Load, NotForFio  # noqa: E402
from lib.promise.guest import Times  # noqa: E402
from lib.promise.turns import Turns  # noqa: E402
from ssdqos.qos import profile_file  # noqa: E402
from ssdqos.qos.promise import Promise  # noqa: E402
from ssdqos.qos.request import RequestClass  # noqa: E402

PROFILE = profile_file.parse("""ssdqos-profile 1
window_ms 500 1000 5000
cost read rand 4096 32 990 20000 20000 20000
cost read rand 65536 32 990 170000 170000 170000
cost write rand 4096 32 990 50000 50000 50000
cost write rand 65536 32 990 350000 350000 350000
mix 0 1000
mix 100 1000
""")
TIMES = Times(warm_up_s=5, run_s=20)
AWK = TOP / "tests/campaign/guest/promise-windows.awk"


def owner(min_iops: int = 1000, window_ms: int = 1000, depth: int = 8, confidence: int = 990) -> draw.Owner:
    promise = Promise(RequestClass("read", "rand"), 4096, min_iops, window_ms=window_ms, confidence_permille=confidence)
    return draw.Owner(promise, depth)


def scenario(kind: str, *owners: draw.Owner) -> draw.Scenario:
    return draw.Scenario(7, draw.Drive("x25e-like", "fifo", 50), 30, owners or (owner(),), kind, 25)


class OfAPage:
    """Runs of which a page has some rows, by number."""

    def __init__(self, *known: int) -> None:
        self.numbers = known

    def known(self, one: draw.Scenario, _more: list[str]) -> dict | None:
        return {"number": one.number, "known": True} if one.number in self.numbers else None

    def row(self, one: draw.Scenario, make: Callable[[draw.Scenario], dict], more: list[str]) -> dict:
        return self.known(one, more) or make(one) | {"known": False}

    def say(self, text: str) -> None:
        pass


class Translation(unittest.TestCase):
    def test_words_that_are_the_same_stay(self):
        load = fio_load.parse("randwrite bs=4k iodepth=256 seed=3")
        self.assertEqual(set(load.options), {"rw=randwrite", "bs=4k", "iodepth=256", "randseed=3"})

    def test_one_that_comes_and_goes(self):
        self.assertEqual(fio_load.parse("write bs=4k iodepth=1 start=4s runtime=2s"),
                         Load(("rw=write", "bs=4k", "iodepth=1"), Turns(4, 2)))

    def test_hot_is_two_zones(self):
        load = fio_load.parse("randwrite bs=4k iodepth=64 random_distribution=hot:90/10")
        self.assertIn("random_distribution=zoned:90/10:10/90", load.options)
        load = fio_load.parse("randwrite bs=4k iodepth=64 random_distribution=zipf:1.1")
        self.assertIn("random_distribution=zipf:1.1", load.options)

    def test_geometric_sizes_have_their_mean_and_are_all_requests(self):
        for kib in (8, 12, 16, 20):
            text = fio_load.geometric(f"{kib}k").removeprefix("bssplit=")
            parts = [[int(word) for word in part.split("/")] for part in text.split(":")]
            self.assertEqual(sum(pct for _, pct in parts), 100, kib)
            self.assertAlmostEqual(sum(size * pct for size, pct in parts) / 100, kib * 1024, delta=kib * 100)

    def test_requests_at_times_of_their_own_do_not_wait_for_others(self):
        load = fio_load.parse("randwrite bs=4k rate_iops=500 arrival=poisson")
        self.assertEqual(set(load.options), {"rw=randwrite", "rate_process=poisson", "rate_iops=500", "bs=4k",
                                             f"iodepth={fio_load.OPEN_DEPTH}"})

    def test_bursts_keep_their_rate(self):
        load = fio_load.parse("randwrite bs=16k rate_iops=800 arrival=burst burst=256")
        self.assertIn("thinktime=320000", load.options)
        self.assertIn("thinktime_blocks=256", load.options)
        self.assertIn("iodepth=256", load.options)
        self.assertFalse([option for option in load.options if "rate" in option])

    def test_a_flush_after_each_write_is_every_second_request(self):
        self.assertIn("fsync=1", fio_load.parse("randwrite bs=4k iodepth=1", "urgent=50").options)
        for load, more in (("randread bs=4k iodepth=64", "urgent=100"), ("randwrite bs=4k iodepth=8", "urgent=50"),
                           ("synthetic-MSN-CFS intensity=20", ""), ("randwrite bs=4k frob=1", "")):
            with self.assertRaises(NotForFio):
                fio_load.parse(load, more)

    def test_only_what_fio_cannot_do_is_left_out(self):
        self.assertEqual(set(guest.left_out()),
                         {"four journals", "cold metadata", "metadata and bulk", "mail server"})
        for kind in set(neighbours.KINDS) - set(guest.left_out()):
            made = guest.clients(kind)
            self.assertEqual(bool(made), kind != neighbours.ALONE)


class Files(unittest.TestCase):
    def test_those_that_come_and_go_are_one_client(self):
        one, = guest.clients("writes on and off, 1 s")
        text = fio_load.job_file(one.loads, 9)
        self.assertEqual([line for line in text.splitlines() if line.startswith("startdelay")],
                         [f"startdelay={begin}" for begin in (2, 4, 6, 8)])
        self.assertEqual(len(guest.clients("eight small writers")), 8)

    def test_a_load_ends_with_the_run(self):
        text = fio_load.job_file([Load(("rw=write",), Turns(4, 10))], 9)
        self.assertIn("[load0]\nrw=write\nruntime=5\nstartdelay=4\n", text)
        text = fio_load.job_file([Load(("rw=read",))], 9)
        self.assertIn("[load0]\nrw=read\nruntime=9\n", text)

    def test_each_client_has_a_line_and_a_job(self):
        files = guest.files(scenario("eight small writers"), TIMES, PROFILE)
        names = [line.split()[0] for line in files["s7.clients"].splitlines()]
        self.assertEqual(names, ["a0", *(f"b{at}" for at in range(8))])
        self.assertLessEqual({f"s7.{name}.fio" for name in names}, set(files))
        self.assertIn("aged_pct 50", files["s7.sh"])
        self.assertIn("SEED='1'\n", files["s7.sh"])

    def test_the_promise_is_given_as_it_was_admitted(self):
        line = guest.files(scenario("nothing"), TIMES, PROFILE)["s7.clients"].split()
        # 1,000 requests of 20 us
        self.assertEqual(line[:6], ["a0", "owner", "20", "1000", "1000", "990"])
        keys = dict(zip(line[6::2], line[7::2]))
        self.assertEqual(keys, owner().promise.said())

    def test_a_weight_goes_with_the_stream(self):
        lines = guest.files(scenario("heavy weight"), TIMES, PROFILE)["s7.clients"].splitlines()
        self.assertEqual(lines[1].split(), ["b0", "neighbour", "980", "0", "0", "0", "weight", "2000"])

    def test_owners_count_after_they_are_warm(self):
        text = guest.files(scenario("nothing", owner(depth=3)), TIMES, PROFILE)["s7.a0.fio"]
        for line in ("ramp_time=5", "iodepth=3", f"runtime={TIMES.run_s + guest.TAIL_S}"):
            self.assertIn(f"{line}\n", text)


class Burst(unittest.TestCase):
    """A drive that comes out of one has had it in the machine, too, with the times of the simulator."""

    @staticmethod
    def after_one(kind: str = "eight small writers") -> draw.Scenario:
        one = scenario(kind)
        return dataclasses.replace(one, drive=dataclasses.replace(one.drive, burst=True))

    def test_it_comes_first_and_owners_behind_it(self):
        files = guest.files(self.after_one(), TIMES, PROFILE)
        self.assertEqual(files["s7.clients"].splitlines()[-1].split()[:2], ["burst", "burst"])
        for line in ("rw=randwrite", "bs=64k", "iodepth=256", "runtime=4"):
            self.assertIn(f"{line}\n", files["s7.burst.fio"])
        for line in ("startdelay=4", "ramp_time=1", f"runtime={TIMES.run_s + guest.TAIL_S}"):
            self.assertIn(f"{line}\n", files["s7.a0.fio"])
        self.assertNotIn("startdelay", files["s7.b0.fio"])

    def test_neighbours_have_as_much_as_without_one(self):
        with_, without = (guest.files(one, TIMES, PROFILE)["s7.clients"].splitlines()
                          for one in (self.after_one(), scenario("eight small writers")))
        self.assertEqual(without, with_[:-1])

    def test_no_drive_has_one_that_is_not_said_to(self):
        self.assertFalse([name for name in guest.files(scenario("nothing"), TIMES, PROFILE) if "burst" in name])

    def test_peers_wait_for_its_end(self):
        self.assertEqual([Times(2, 8), Times(5, 8)],
                         [peers.times(one, 8) for one in (scenario("nothing"), self.after_one("nothing"))])

    def test_what_clients_do_is_what_a_result_is_known_by(self):
        one = guest.files(scenario("nothing"), TIMES, PROFILE)
        self.assertEqual(guest.told(one), guest.told(dict(reversed(one.items()))))
        self.assertNotEqual(guest.told(one), guest.told(one | {"s7.a0.fio": ""}))


class Limits(unittest.TestCase):
    def test_a_neighbour_alone_may_have_all_of_the_drive(self):
        beside = guest.clients("writes of 4 KiB, depth 256")
        self.assertEqual(contenders.limit_lines(beside, PROFILE), "b0 0 20000\n")
        beside = guest.clients("eight small writers")
        self.assertEqual(contenders.limit_lines(beside, PROFILE).splitlines()[7], "b7 0 2500")

    def test_a_mixture_is_limited_in_both(self):
        reads, writes = contenders.limits(guest.clients("70 % reads of 4 KiB, depth 64")[0], 1, PROFILE)
        self.assertEqual((reads, writes), (24137, 10344))

    def test_who_changes_is_limited_as_by_his_dearest_load(self):
        one, = guest.clients("changing")
        reads, writes = contenders.limits(one, 1, PROFILE)
        each = [contenders.whole_iops(load, PROFILE) for load in one.loads]
        self.assertEqual(reads, min(rate for rate, _ in each if rate))
        self.assertEqual(writes, min(rate for _, rate in each if rate))

    def test_the_model_is_a_line_through_two_sizes(self):
        # 15 pages more in 150 us: 4 KiB in 10 us
        self.assertEqual(contenders.model(PROFILE), "rbps=409600000 rseqiops=50000 rrandiops=50000 "
                         "wbps=204800000 wseqiops=20000 wrandiops=20000")


class Picking(unittest.TestCase):
    def test_the_first_that_can_be_run_are_taken_and_the_others_counted(self):
        made = [draw.dataclasses.replace(scenario("nothing"), number=number) for number in range(9)]
        picked = pick.First(made, 3, [lambda one: "" if one.number % 2 else "even"])
        self.assertEqual([one.number for one in picked], [1, 3, 5])
        self.assertEqual(picked.passed, Counter({"even": 3}))
        self.assertEqual(picked.sentence(), "Passed over were 3: 3 even.")

    def test_a_boot_is_made_before_the_next_ones_scenarios_are_picked(self):
        seen = []
        made = [draw.dataclasses.replace(scenario("nothing"), number=number) for number in range(9)]
        picked = pick.First(made, 5, [lambda one: seen.append(one.number) or ""])
        for group in boots.batches(picked, 2):
            self.assertEqual(seen[-1], group[-1].number)
        self.assertEqual(seen, [0, 1, 2, 3, 4])

    def test_who_is_too_fast_without_guarantees_is_not_run_with_them(self):
        def asked(fast: tuple[str, ...]) -> tuple[bool, list[tuple[str, ...]]]:
            seen = []

            class Kept:
                @staticmethod
                def run(_, more):
                    seen.append(more)
                    return {"a0": {"iops": pick.MOST_IOPS}, "b0": {"iops": int(more == fast)}}
            return pick.is_too_fast(Kept, scenario("nothing")), seen
        free, kept = ("--no-qos",), ()
        self.assertEqual((True, [free]), asked(free))
        self.assertEqual((True, [free, kept]), asked(kept))
        self.assertEqual((False, [free, kept]), asked(("neither",)))

    def test_so_many_are_made_as_were_asked_for(self):
        """With --count, else as many as the part has; windows are as long as without it."""
        def made(part, quick: bool, count: int | None) -> int:
            options = argparse.Namespace(quick=quick, count=count, seed=1)
            with mock.patch.object(pick, "numbered", lambda *_: (scenario("nothing") for _ in range(99))), \
                    mock.patch.object(pick, "can_run", lambda _: lambda _: ""), \
                    mock.patch.object(peers, "comparable", lambda _: lambda _: ""), \
                    mock.patch.object(boots, "result", lambda *_: TOP), \
                    mock.patch.multiple(part, job=mock.DEFAULT), \
                    mock.patch.object(kernel, "files_of", lambda *_: {}), \
                    mock.patch.object(kernel, "row", lambda *_: {"promises": []}), \
                    mock.patch.object(peers, "scenario_row", lambda *_: {}):
                return len(part.measure(OfAPage(), options)["rows"])
        for part in (kernel, peers):
            self.assertEqual([3, 3, part.SCENARIOS, part.QUICK_SCENARIOS],
                             [made(part, *of) for of in ((False, 3), (True, 3), (False, None), (True, None))])

    def test_what_the_page_has_needs_no_boot(self):
        def booted(*known: int) -> list[list[int]]:
            group, of_boots = [dataclasses.replace(scenario("nothing"), number=number) for number in (5, 7)], []
            with mock.patch.object(kernel, "job", lambda scenarios, _: of_boots.append([one.number for one in scenarios])), \
                    mock.patch.object(boots, "result", lambda *_: TOP), \
                    mock.patch.object(kernel, "files_of", lambda *_: {}), \
                    mock.patch.object(kernel, "row", lambda one, *_: {"number": one.number}):
                rows = kernel.rows_of(group, OfAPage(*known), argparse.Namespace())
            self.assertEqual([{"number": number, "known": number in known} for number in (5, 7)], rows)
            return of_boots
        self.assertEqual([[[5, 7]], [[7]], []], [booted(), booted(5), booted(5, 7)])

    def test_one_is_asked_for_by_number_or_name(self):
        class Kept:
            @staticmethod
            def profile_of(_):
                return PROFILE

        def numbers(*only: str) -> list[int]:
            options = argparse.Namespace(seed=1, only=list(only))
            return [one.number for one, _ in zip(pick.numbered(Kept, options, 20, 20), range(5))]
        self.assertEqual(numbers(), [0, 1, 2, 3, 4])
        self.assertEqual(numbers("17", "900"), [17, 900])
        named = numbers("x25e", "3")
        self.assertIn(3, named)
        self.assertNotEqual(named, [0, 1, 2, 3, 4])

    def test_peers_want_short_windows_and_neighbours(self):
        test = peers.comparable(8)
        self.assertEqual(test(scenario("writes of 4 KiB, depth 256")), "")
        for kind, window_ms in (("writes of 4 KiB, depth 256", 2000), ("nothing", 1000), ("trim storm", 1000),
                                ("a burst of writes each minute, 5 s", 1000), ("mail server", 1000)):
            self.assertTrue(test(scenario(kind, owner(window_ms=window_ms))), kind)


class Results(unittest.TestCase):
    def test_the_guest_counts_windows_as_the_host_does(self):
        dice = random.Random(1)
        at, lines = 0, []
        for _ in range(100):
            at += dice.choice((99, 100, 100, 101, 137, 300))
            lines.append(f"{at}, {dice.randrange(500, 1500)}, 0, 0, 0\n")
        amounts = completions.windows(completions.parse(lines), 500, 20)
        for iops in (800, 950, 1000, 1100):
            met = sum(amount > iops * 0.5 - 1 for amount in amounts)
            found = subprocess.run(["awk", "-f", AWK, "-v", f"iops={iops}", "-v", "window_ms=500", "-v", "count=20"],
                                   input="".join(lines), capture_output=True, text=True, check=True).stdout
            self.assertEqual(found, f"{met} 20\n")

    def test_promises_are_counted_by_the_streams(self):
        with tempfile.TemporaryDirectory() as scratch:
            place = pathlib.Path(scratch)
            log = "".join(f"{100 * at}, {1000 if at > 10 else 900}, 0, 0, 0\n" for at in range(1, 201))
            (place / "a0_iops.1.log").write_text(log)
            (place / "status").write_text("a0 0 8 ssdqos windows_met=18 windows_missed=2 windows_idle=0 "
                                          "missed_why=drive\n")
            one, = kernel.promises(scenario("nothing"), place, {"a0": {"windows_met": 20, "windows_missed": 0}})
        self.assertEqual((one["met"], one["missed"], one["held"], one["why"]), (18, 2, False, "drive"))
        self.assertEqual((one["fio_met"], one["fio_windows"], one["least_pct"]), (19, 20, 90.0))
        self.assertTrue(one["sim_held"])
        self.assertEqual([kernel.by_log(one)[key] for key in ("met", "missed", "held")], [19, 1, False])

    def test_the_page_says_how_many_were_run_and_how_sure_their_part_is(self):
        promise = {"class": "read 4k", "depth": 1, "iops": 5, "window_ms": 1000, "confidence_pct": 90, "met": 20,
                   "missed": 0, "met_pct": 100, "held": True, "fio_met": 20, "fio_windows": 20, "least_pct": 100,
                   "sim_met": 20, "sim_missed": 0, "sim_held": True, "why": "none"}
        rows = [{"name": str(at), "promises": [promise] * 2, "processor": {"ran_pct": 40, "full_pct": 4 * at + 3}}
                for at in range(3)]
        text = kernel.section({"rows": rows, "passed": "None was passed over.", "most_s": 30})
        self.assertIn("The first 3 scenarios, by number,", text)
        self.assertIn("the part of all that hold is between 61.0 and 100.0 %", text)
        self.assertIn("40, 11", text)
        counts = {line.split("  ")[0]: line.split() for line in text.splitlines()}
        # of three machines one is full for more than a tenth of the time
        self.assertIn("4", counts["kernel's counters, processor seldom full"])

    def test_what_a_client_did_is_what_its_group_counted(self):
        with tempfile.TemporaryDirectory() as scratch:
            place = pathlib.Path(scratch)
            (place / "io.begin").write_text("a0 7:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0\nb0 \n")
            (place / "io.end").write_text("a0 7:0 rbytes=12288 wbytes=0 rios=3 wios=0 dbytes=0 dios=0\n"
                                          "b0 7:0 rbytes=0 wbytes=8192 rios=0 wios=2 dbytes=0 dios=0\n")
            found = peers.done(place)
        self.assertEqual(found["a0"], {"reads": 2, "writes": 0, "read_bytes": 8192, "write_bytes": 0})
        self.assertEqual(found["b0"], {"reads": 0, "writes": 2, "read_bytes": 0, "write_bytes": 8192})

    def test_of_a_search_every_try_is_known(self):
        with tempfile.TemporaryDirectory() as scratch:
            place = pathlib.Path(scratch)
            self.assertEqual(peers.tried(place), {})
            (place / "search").write_text("io_max 700 missed\nio_max 350 held\n")
            self.assertEqual(peers.tried(place), {"io_max": {700: False, 350: True}})

    def test_the_page_says_where_a_search_found_nothing(self):
        rows = [{"tried": {"io_max": {"700": False, "350": held}}} for held in (True, False, False)]
        self.assertIn("for io.max in 1 of 3 scenarios", peers.found_text(rows))

    def test_a_quick_run_searches_less(self):
        class Kept:
            @staticmethod
            def profile_of(_):
                return PROFILE
        one = scenario("heavy weight")
        quick = peers.job(one, Kept, argparse.Namespace(quick=True, seed=1))
        full = peers.job(one, Kept, argparse.Namespace(quick=False, seed=1))
        self.assertEqual(quick.settings["SEARCHED"], "io_max")
        self.assertIn("bfq", full.settings["SEARCHED"])
        self.assertIn("REST_PERMILLE='980'", quick.files["s7.sh"])


if __name__ == "__main__":
    unittest.main()
