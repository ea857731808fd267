# SPDX-License-Identifier: GPL-2.0
"""What drives keep of discards: the table, its JSON, the live view, metrics; and sending all of it."""

from __future__ import annotations

import contextlib
import io
import json
import re
import unittest
from pathlib import Path
from unittest import mock

from fake_dmsetup import FakeDmsetup
from ssdqos import __main__ as tool
from ssdqos import stream_view, trim_view
from ssdqos.errors import ToolError
from ssdqos.stream_view import Look
from ssdqos.streams import prometheus, status, trim_metrics
from ssdqos.streams.status import Status
from ssdqos.trim import kept
from ssdqos.trim_view import Trim
from test_metrics import parsed

CORE = Path(__file__).resolve().parents[2] / "dm-ssdqos"
# 1000 pieces of 4 MB in all; 40 MB were sent in 20, so 2 MB each.
TRIM = {"trim": "batch", "trim_waiting": "1000", "trim_waiting_sectors": "7813", "trim_under_way": "1",
        "trim_oldest_ms": "2345", "trim_cost_ns": "1500000", "trim_taken": "1234567", "trim_taken_sectors": "100000", "trim_passed": "17",
        "trim_cut_sectors": "20000", "trim_sent": "20", "trim_sent_sectors": "78125", "trim_failed": "3",
        "trim_held": "5", "trim_small_sectors": "3000", "trim_lost_sectors": "1000"}


class TrimDmsetup(FakeDmsetup):
    """Streams with words of a status; `next_words` are those after a message about discards."""

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[str, dict[str, str]] = {}
        self.next_words: dict[str, str] = {}

    def add(self, name: str, drive: str, **words: str) -> None:
        self.devices[name] = [f"0 8 ssdqos 8:16 0 2 drive {drive}"]
        self.words[name] = words

    def do_status(self, name: str, text: str | None) -> str:
        return super().do_status(name, text).rstrip() + "".join(
            f" {key}={value}" for key, value in self.words.get(name, {}).items()) + "\n"

    def do_message(self, name: str, sector: str, what: str, *words: str, text: str | None) -> str:
        if what.startswith("trim_"):
            self.words[name] |= self.next_words
            return ""
        return super().do_message(name, sector, what, *words, text=text)


class Told(unittest.TestCase):
    def setUp(self) -> None:
        self.dmsetup = TrimDmsetup()
        self.dmsetup.add("gold", "999:16", **TRIM)
        self.dmsetup.add("silver", "999:16", **TRIM)
        self.dmsetup.add("tin", "pool")

    def run_tool(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                mock.patch("ssdqos.trim.kept.Dmsetup", self.dmsetup), \
                mock.patch("ssdqos.trim.flush.Dmsetup", self.dmsetup), \
                mock.patch("sys.argv", ["ssdqos", "trim", *words]):
            code = tool.main()
        return code, out.getvalue(), err.getvalue()


class AsTheKernel(unittest.TestCase):
    def test_counters(self) -> None:
        body = (CORE / "core/trim/trim.h").read_text().split("#define SSDQOS_TRIM_STATS(S)", 1)[1].split("\n\n", 1)[0]
        self.assertEqual(re.findall(r'\bS\((\w+), "(\w+)",', body), [row[:2] for row in trim_view.STATS])

    def test_gauges(self) -> None:
        printed = re.search(r'" trim=%s ([^"]*)"', (CORE / "dm/qos/print.c").read_text())[1]
        self.assertEqual(re.findall(r"trim_(\w+)=", printed), [row.name for row in trim_view.GAUGES])

    def test_whence_costs_are(self) -> None:
        told = re.search(r'snap->discards \? "(\w+)" : "(\w+)"', (CORE / "dm/qos/print.c").read_text())
        self.assertEqual((told[2], told[1]), trim_view.COSTS_WORDS)

    def test_policies(self) -> None:
        told = re.search(r'trim->on \? "(\w+)" : "(\w+)"', (CORE / "dm/qos/print.c").read_text())
        self.assertEqual((told[2], told[1]), trim_view.POLICIES)


class Table(Told):
    def test_each_drive_once(self) -> None:
        code, told, _ = self.run_tool("status")
        self.assertEqual((0, 4), (code, len(told.splitlines())))
        head, first, second, hint = told.splitlines()
        self.assertRegex(first, r"^999:16 +batch +1,000 +4\.0 +1 +2\.3 s +1,234,567 +20 +2\.0 +10\.2 +17 +3 +2\.0"
                                r"  gold silver$")
        self.assertRegex(second, r"^pool +pass +0 +0\.0 +0 +- +0 +0 +- +0\.0 +0 +0 +0\.0  tin$")
        self.assertEqual("discards pass to drive pool as they come; to keep them: ssdqos set tin drive_trim=batch", hint)
        for name, cell in (("pieces", "1,000"), ("sent", "20"), ("left out MB", "2.0")):
            at = head.index(name) + len(name)
            self.assertTrue(first[:at].endswith(f" {cell}") and first[at] == " ", name)

    def test_says_whose_profile_has_no_discards(self) -> None:
        self.dmsetup.words["gold"] = TRIM | {"profile": "ok", "discard_costs": "default"}
        self.assertIn("the profile of drive 999:16 says nothing of discards", self.run_tool("status", "gold")[1])
        for words in ({"profile": "ok", "discard_costs": "profile"}, {"profile": "none", "discard_costs": "default"}, {}):
            self.dmsetup.words["gold"] = TRIM | words
            self.assertNotIn("says nothing of discards", self.run_tool("status", "gold")[1])

    def test_one_drive(self) -> None:
        for device in ("gold", "999:16", "/dev/mapper/silver"):
            self.assertEqual(2, len(self.run_tool("status", device)[1].splitlines()), device)
        self.assertNotIn("999:16", self.run_tool("status", "pool")[1])
        code, _, told = self.run_tool("status", "lead")
        self.assertEqual((2, "ssdqos: lead is no live stream of target ssdqos, and there is none on it\n"), (code, told))

    def test_no_streams(self) -> None:
        self.dmsetup.devices.clear()
        self.assertEqual((0, "no streams\n", ""), self.run_tool("status"))

    def test_one_that_kept_some_before(self) -> None:
        self.dmsetup.words["gold"] = TRIM | {"trim": "pass", "trim_waiting": "0"}
        told = self.run_tool("status", "gold")[1]
        self.assertRegex(told, r"pass .* 1,234,567 ")
        self.assertIn("ssdqos set gold drive_trim=batch", told)

    def test_json_has_the_kernels_numbers(self) -> None:
        first, second = json.loads(self.run_tool("status", "--json")[1])
        self.assertEqual({"drive": "999:16", "streams": ["gold", "silver"], "trim": "batch", "discard_costs": "default",
                          **{key: int(value) for key, value in TRIM.items() if key != "trim"}}, first)
        self.assertEqual(("pool", "pass", 0), (second["drive"], second["trim"], second["trim_taken"]))

    def test_a_segment_is_no_second_stream(self) -> None:
        self.assertEqual(("gold",), kept.drives([Status("gold", at, {"drive": "8:16"}) for at in (0, 8)])[0].streams)


class Flush(Told):
    def test_from_now_on(self) -> None:
        self.assertEqual((0, "gold: 1,000 pieces with 4.0 MB are being sent\n", ""), self.run_tool("flush", "gold"))
        self.assertIn(("message", "gold", "0", "trim_flush"), self.dmsetup.calls)

    def test_until_it_is_done(self) -> None:
        self.dmsetup.next_words = {"trim_waiting": "0", "trim_under_way": "0", "trim_sent": "500"}
        self.assertEqual((0, "gold: 1,000 pieces with 4.0 MB have gone, and the drive has done them\n", ""),
                         self.run_tool("flush", "gold", "--wait"))
        self.assertIn(("message", "gold", "0", "trim_sync"), self.dmsetup.calls)

    def test_nothing_to_do(self) -> None:
        self.assertEqual((0, "tin: nothing is kept\n", ""), self.run_tool("flush", "tin"))

    def test_failures_are_told(self) -> None:
        self.dmsetup.next_words = {"trim_failed": "5"}
        self.assertEqual((1, "", "ssdqos: gold: the drive answered 2 discards with an error\n"),
                         self.run_tool("flush", "gold", "--wait"))
        self.dmsetup.next_words = {"trim_lost_sectors": "3000"}
        self.assertEqual((1, "", "ssdqos: gold: 1.0 MB were left out\n"), self.run_tool("flush", "gold", "--wait"))

    def test_what_the_kernel_refuses(self) -> None:
        self.dmsetup.refuse, self.dmsetup.why = "trim_sync", "trim_sync: the drive has not done all of it (-110)"
        self.assertEqual((1, "", "ssdqos: gold: trim_sync: the drive has not done all of it (-110)\n"),
                         self.run_tool("flush", "gold", "--wait"))

    def test_no_such_stream(self) -> None:
        code, told, why = self.run_tool("flush", "lead")
        self.assertEqual((2, "", "ssdqos: lead cannot be asked: dmsetup: Device does not exist.\n"), (code, told, why))

    def test_the_streams_own_sector(self) -> None:
        self.dmsetup.devices["gold"] = ["0 8 linear 8:16 0", "8 8 ssdqos 8:16 0 2 drive 999:16"]
        with mock.patch.object(self.dmsetup, "do_status", lambda *_, text: "0 8 linear\n8 8 ssdqos drive=999:16\n"):
            self.run_tool("flush", "gold")
        self.assertIn(("message", "gold", "8", "trim_flush"), self.dmsetup.calls)


class LiveView(unittest.TestCase):
    def lines(self, **words: str) -> list[str]:
        return stream_view.lines([Look(0, {name: {"drive": "8:16"} | words for name in ("gold", "tin")})])

    def test_one_line_for_a_drive(self) -> None:
        found = [line for line in self.lines(**TRIM) if "discards" in line]
        self.assertEqual(["  discards: 1,000 pieces with 4.0 MB are kept, the oldest for 2.3 s, 1 under way; 1,234,567 "
                          "taken, 20 sent of 2.0 MB in the mean, 17 PASSED FOR WANT OF MEMORY, 3 FAILED"], found)

    def test_nothing_where_they_pass(self) -> None:
        for words in ({}, TRIM | {"trim": "pass"}):
            self.assertNotIn("discards", "".join(self.lines(**words)))

    def test_nothing_is_kept_now(self) -> None:
        told = trim_view.line(Trim({"trim": "batch"}))
        self.assertIn("0 pieces with 0 bytes are kept, the oldest for -", told)
        self.assertNotIn("FAILED", told)


class Metrics(unittest.TestCase):
    def setUp(self) -> None:
        more = " ".join(f"{key}={value}" for key, value in TRIM.items())
        self.statuses = [status.parse(name, f"0 8 ssdqos drive=999:16 reads=1 {more}") for name in ("gold", "tin")]
        self.statuses.append(status.parse("lead", "0 8 ssdqos drive=999:32 reads=1"))

    def found(self) -> dict[tuple[str, frozenset], float]:
        return parsed(prometheus.text(self.statuses) + trim_metrics.text(self.statuses))

    def test_once_for_each_drive_in_base_units(self) -> None:
        found = {name.removeprefix("ssdqos_drive_trim_"): value for (name, labels), value in self.found().items()
                 if name.startswith("ssdqos_drive_trim_") and labels == {("drive", "999:16"), ("node", "999:16")}}
        self.assertEqual({"waiting_ranges": 1000, "waiting_bytes": 7813 * 512, "under_way_requests": 1,
                          "oldest_seconds": 2.345, "cost_seconds": 0.0015, "taken_total": 1234567, "taken_bytes_total": 51200000,
                          "passed_total": 17, "cut_bytes_total": 10240000, "sent_total": 20,
                          "sent_bytes_total": 40000000, "failed_total": 3, "held_total": 5,
                          "small_bytes_total": 1536000, "lost_bytes_total": 512000}, found)

    def test_policy(self) -> None:
        found = {dict(labels)["policy"]: value for (name, labels), value in self.found().items()
                 if name == "ssdqos_drive_trim_policy"}
        self.assertEqual({"pass": 0, "batch": 1}, found)

    def test_not_told_of_streams_too(self) -> None:
        self.assertFalse([name for name, _ in self.found() if name.startswith("ssdqos_stream_trim")])

    def test_nothing_where_none_were_kept(self) -> None:
        self.assertEqual("", trim_metrics.text(self.statuses[2:]))


class Refused(unittest.TestCase):
    def test_an_action_is_needed(self) -> None:
        with mock.patch("sys.argv", ["ssdqos", "trim"]), contextlib.redirect_stderr(io.StringIO()), \
                self.assertRaises(SystemExit) as raised:
            tool.main()
        self.assertEqual(2, raised.exception.code)

    def test_unknown_stream(self) -> None:
        with self.assertRaisesRegex(ToolError, "none on it"):
            kept.chosen([], "gold")


if __name__ == "__main__":
    unittest.main()
