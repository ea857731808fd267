# SPDX-License-Identifier: GPL-2.0
"""Prometheus' text, read as its parser reads it."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fake_life
from fake_dmsetup import FakeDmsetup
from ssdqos import metrics
from ssdqos.device import System
from ssdqos.errors import ToolError
from ssdqos.life_view import GAUGES, STATS, WHYS
from ssdqos.lifetime.place import Place
from ssdqos.miss_view import ADVICE
from ssdqos.promise_view import VERDICTS
from ssdqos.streams import life_metrics, prometheus, status
from ssdqos.streams.disk_names import DiskNames
from ssdqos.sysfs import pairs

TOP = Path(__file__).resolve().parents[2]
CORE, DOCS = TOP / "dm-ssdqos/core/qos", TOP / "docs"

STATUS = ("0 2048 ssdqos drive=999:16 state=reserved util_ppm=250000 used_ppm=300000 free_ppm=690000 spare_write_ppm=125000 profile=ok "
          "drift_pct=-7 unmanaged=0 queued=1 in_flight=2 drive_queued=3 drive_in_flight=4 drive_depth=32 lead_ns=250000000 promised=3000 "
          "achieved=2999 at_risk=4 missed_why=drive missed_drive=7 missed_others=2 reason=deadline dispatched_direct=5 reads=6 writes=7 read_bytes=4096 write_bytes=8192 dispatched_reserved=8 windows=100 "
          "windows_met=97 windows_missed=3 charged_ns=1500000000 queue_ns_p50=1000 queue_ns_p99=2000000 "
          "total_ns_p999=5000000 something_new=42 word=x")
# No disk has that number where tests run.
DRIVE = {"drive": "999:16", "node": "999:16"}
SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)*)\})? (-?[\d.e+-]+|\+Inf)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def parsed(text: str) -> dict[tuple[str, frozenset], float]:
    """By name and labels; fails where a parser would."""
    found: dict[tuple[str, frozenset], float] = {}
    kinds: dict[str, str] = {}
    last = ""
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            last = line.split(" ")[2]
            assert last not in kinds and len(line.split(" ")) > 3, f"{line!r}: told twice, or without help"
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == last and kind in ("counter", "gauge", "summary"), line
            kinds[name] = kind
        else:
            match = SAMPLE.fullmatch(line)
            assert match and match[1] == last, f"{line!r} stands below {last}"
            key = match[1], frozenset(LABEL.findall(match[2] or ""))
            assert key not in found, f"{line!r} is there twice"
            assert (kinds[last] == "counter") == last.endswith("_total"), f"{last} is a {kinds[last]}"
            found[key] = float(match[3])
    return found


class Text(unittest.TestCase):
    def setUp(self) -> None:
        self.found = parsed(prometheus.text([status.parse("gold", STATUS)]))

    def value(self, name: str, **labels: str) -> float:
        return self.found[f"ssdqos_stream_{name}", frozenset({"device": "gold", **DRIVE, **labels}.items())]

    def test_units_are_prometheus(self) -> None:
        for name, wanted in (("utilization_ratio", 0.25), ("drive_free_ratio", 0.69), ("drive_drift_ratio", -0.07),
                             ("windows_missed_total", 3), ("reads_total", 6), ("written_bytes_total", 8192),
                             ("charged_seconds_total", 1.5), ("lead_seconds", 0.25), ("promised_per_window", 3000)):
            self.assertAlmostEqual(wanted, self.value(name))

    def test_quantiles(self) -> None:
        self.assertAlmostEqual(1e-6, self.value("queue_seconds", quantile="0.5"))
        self.assertAlmostEqual(2e-3, self.value("queue_seconds", quantile="0.99"))
        self.assertAlmostEqual(5e-3, self.value("request_seconds", quantile="0.999"))

    def test_one_of_several_words(self) -> None:
        self.assertEqual([0, 1, 0], [self.value("drive_profile", profile=word) for word in ("none", "ok", "stale")])
        self.assertEqual(1, self.value("waits_for", reason="deadline"))

    def test_kinds_of_a_counter(self) -> None:
        self.assertEqual((8, 5), (self.value("dispatched_total", time="reserved"),
                                  self.value("dispatched_total", time="direct")))

    def test_what_is_not_known_is_told_all_the_same(self) -> None:
        self.assertEqual(42, self.value("something_new"))
        self.assertFalse(any("word" in name for name, _ in self.found))

    def test_each_number_of_the_status_is_there(self) -> None:
        words = {key: value for key, value in pairs(STATUS).items() if key not in ("drive", "word")}
        families = [*prometheus.FAMILIES, *prometheus.unknown([status.parse("gold", STATUS)])]
        self.assertEqual(set(), words.keys() - {family.key for family in families})

    def test_reasons_are_the_kernels(self) -> None:
        body = (CORE / "edf.h").read_text().split("#define SSDQOS_EDF_REASONS(E)", 1)[1].split("\n\n", 1)[0]
        self.assertEqual(tuple(re.findall(r'E\(\w+, "(\w+)"\)', body)), prometheus.REASONS)

    def test_reasons_of_misses_are_the_kernels(self) -> None:
        body = (CORE / "miss.h").read_text().split("#define SSDQOS_MISS_WHYS(W, A)", 1)[1].split("\n\n", 1)[0]
        self.assertEqual(re.findall(r"W\(A, \w+, (\w+),", body), list(ADVICE))

    def test_misses_by_reason(self) -> None:
        self.assertEqual((7, 2), (self.value("windows_missed_why_total", why="drive"),
                                  self.value("windows_missed_why_total", why="others")))
        self.assertEqual(1, self.value("missed_why", missed_why="drive"))
        self.assertEqual(4, self.value("promise_at_risk_windows"))

    def test_names_of_drives_stay(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            names = DiskNames(Path(scratch), System(Path(scratch), Path(scratch)))
            node, link = Path(scratch) / "sdq", Path(scratch) / "disk/by-id/ata-X_5"
            node.touch()
            link.parent.mkdir(parents=True)
            link.symlink_to(node)
            block = Path(scratch) / "dev/block"
            block.mkdir(parents=True)
            (Path(scratch) / "devices/sdq").mkdir(parents=True)
            (block / "8:16").symlink_to(Path(scratch) / "devices/sdq")
            self.assertEqual({"drive": "ata-X_5", "node": "8:16"}, prometheus.drive_labels("8:16", names))
            self.assertEqual({"drive": "ata-X_5", "node": "sdq"}, prometheus.drive_labels("sdq", names))
            self.assertEqual({"drive": "pool", "node": "pool"}, prometheus.drive_labels("pool", names))

    def test_units_of_what_is_not_known(self) -> None:
        more = status.parse("gold", STATUS + " new_ns=5 other_ppm=10 some_kb_s=3 stuff_pct=50 thing_s=7")
        found = parsed(prometheus.text([more]))
        for name, wanted in (("new_seconds", 5e-9), ("other_ratio", 1e-5), ("some_bytes_per_second", 3000),
                             ("stuff_ratio", 0.5), ("thing_seconds", 7)):
            self.assertAlmostEqual(wanted, found[f"ssdqos_stream_{name}",
                                                 frozenset({"device": "gold", **DRIVE}.items())], places=12)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed (package prometheus)")
    def test_promtool_has_no_complaint(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            fake_life.make(Path(scratch), "dm-0", "gold")
            statuses = [status.parse("gold", STATUS)]
            text = prometheus.text(statuses) + life_metrics.text(statuses, Place(Path(scratch)))
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stdout + done.stderr))

    def test_several_streams(self) -> None:
        other = status.parse('t"in', STATUS.replace("0 2", "8 2", 1))
        both = parsed(prometheus.text([status.parse("gold", STATUS), other]))
        self.assertEqual(2, both["ssdqos_streams", frozenset()])
        self.assertIn(("ssdqos_stream_reads_total", frozenset({("device", r't\"in'), *DRIVE.items(),
                                                               ("start_sector", "8")})), both)

    def test_no_streams(self) -> None:
        self.assertEqual({("ssdqos_streams", frozenset()): 0}, parsed(prometheus.text([])))


class Promises(unittest.TestCase):
    """A stream of 97 windows that were met and 3 that were missed, by what sysfs says of its terms."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.sysfs = Path(scratch.name)

    def found(self, line: str = STATUS, **params: str) -> dict[tuple[str, frozenset], float]:
        terms = {"window_ms": "3000", "confidence_permille": "990", "windows": "aligned"} | params
        fake_life.make(self.sysfs, "dm-0", "gold", parameters=terms)
        return parsed(prometheus.text(status.of_promises([status.parse("gold", line)], Place(self.sysfs))))

    def value(self, name: str, found: dict[tuple[str, frozenset], float], **labels: str) -> float:
        return found[f"ssdqos_stream_promise_{name}", frozenset({"device": "gold", **DRIVE, **labels}.items())]

    def test_terms_in_base_units(self) -> None:
        found = self.found()
        self.assertEqual([3, 0.99, 100], [self.value(name, found)
                                          for name in ("window_seconds", "confidence_ratio", "least_windows")])
        self.assertEqual(800, self.value("least_windows", self.found(windows="sliding")))

    def test_the_verdict_is_by_the_confidence(self) -> None:
        for confidence, wanted in (("950", [1, 0, 0]), ("990", [0, 1, 0])):
            found = self.found(confidence_permille=confidence)
            self.assertEqual(wanted, [self.value("verdict", found, verdict=word) for word in VERDICTS])
        few = self.found(STATUS.replace("windows_met=97 windows_missed=3", "windows_met=9 windows_missed=0"))
        self.assertEqual(1, self.value("verdict", few, verdict="too_few_windows"))

    def test_none_without_a_promise(self) -> None:
        found = self.found(STATUS.replace("util_ppm=250000", "util_ppm=0"))
        self.assertFalse([name for name, _ in found if name.startswith("ssdqos_stream_promise_") and "risk" not in name])

    def test_none_of_a_stream_that_is_not_live(self) -> None:
        one = status.parse("tin", STATUS)
        self.assertEqual([one], status.of_promises([one], Place(self.sysfs)))

    def test_rules_of_the_manual_ask_for_what_is_there(self) -> None:
        rules = [block for block in (DOCS / "ssdqos-tool.rst").read_text().split("\n\n") if "- alert: Promise" in block]
        asked = set(re.findall(r"ssdqos_stream_\w+", "".join(rules)))
        self.assertLessEqual({"ssdqos_stream_windows_missed_total", "ssdqos_stream_promise_confidence_ratio"}, asked)
        self.assertEqual(set(), asked - {name for name, _ in self.found()})


class Lifetimes(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.sysfs = Path(scratch.name)

    def found(self, **numbers: int) -> dict[tuple[str, frozenset], float]:
        for node, name in (("dm-0", "gold"), ("dm-1", "tin")):
            fake_life.make(self.sysfs, node, name, **numbers)
        statuses = [status.parse(name, STATUS + " throttle=ready_opt life_used_pct=20.0 life_why=over_budget")
                    for name in ("gold", "tin")]
        return parsed(prometheus.text(statuses) + life_metrics.text(statuses, Place(self.sysfs)))

    def drive(self, name: str, found: dict[tuple[str, frozenset], float] | None = None, **labels: str) -> float:
        return (found or self.found())[f"ssdqos_drive_life_{name}",
                                       frozenset({**DRIVE, **labels}.items())]

    def test_units_are_prometheus(self) -> None:
        for name, wanted in (("used_bytes", 100e12), ("delay_seconds", 35e-6), ("waf_ratio", 2),
                             ("vth_volts", 0.25), ("late_requests", 3), ("age_seconds", 356 * 86400 + 100 * 86400),
                             ("source_age_seconds", 1500)):
            self.assertAlmostEqual(wanted, self.drive(name))

    def test_why(self) -> None:
        self.assertEqual([1, 0], [self.drive("delay_why", why=why) for why in ("over_budget", "budget_spent")])

    def test_never_is_more_than_everything(self) -> None:
        found = self.found(forecast_s=-1, source_age_s=-1)
        self.assertEqual([math.inf, math.inf], [self.drive(name, found)
                                                for name in ("forecast_seconds", "source_age_seconds")])

    def test_each_gauge_once_for_a_drive(self) -> None:
        names = [name for name, _ in self.found() if name.startswith("ssdqos_drive_")]
        self.assertEqual(len(GAUGES) + 2, len(set(names)))
        self.assertEqual(len(GAUGES) + 1 + len(WHYS), len(names))

    def test_counters_of_streams(self) -> None:
        found = self.found()
        for name, wanted in (("delayed", 11), ("delay_seconds", 2.5), ("stopped", 3), ("stop_seconds", 1)):
            for device in ("gold", "tin"):
                labels = frozenset({"device": device, **DRIVE}.items())
                self.assertEqual(wanted, found[f"ssdqos_stream_{name}_total", labels])

    def test_what_sysfs_says_is_not_said_twice(self) -> None:
        self.assertFalse([name for name, _ in self.found() if name.startswith("ssdqos_stream_life")])

    def test_nothing_where_wear_is_not_counted(self) -> None:
        self.assertFalse([name for name, _ in self.found(endurance_bytes=0) if "life" in name or "delay" in name])

    def test_every_sentence_is_one_line(self) -> None:
        for row in (*GAUGES, *STATS):
            self.assertNotIn("\n", row.help)


class Textfile(unittest.TestCase):
    def test_has_whether_promises_are_kept(self) -> None:
        dmsetup = FakeDmsetup()
        dmsetup.devices["gold"] = ["0 8 ssdqos 8:16 0 4 drive 999:16 util_ppm 50000"]
        with tempfile.TemporaryDirectory() as scratch, mock.patch("ssdqos.metrics.Dmsetup", dmsetup), \
                mock.patch("ssdqos.metrics.Place", lambda: Place(Path(scratch))):
            fake_life.make(Path(scratch), "dm-0", "gold", parameters={"window_ms": "500", "confidence_permille": "990",
                                                                      "windows": "aligned"})
            path = Path(scratch) / "ssdqos.prom"
            metrics.main(metrics.argparse.Namespace(textfile=path))
            self.assertEqual(0.5, parsed(path.read_text())["ssdqos_stream_promise_window_seconds", frozenset(
                {("device", "gold"), *DRIVE.items()})])

    def test_is_replaced_at_once(self) -> None:
        dmsetup = FakeDmsetup()
        dmsetup.devices["gold"] = ["0 8 ssdqos 8:16 0 2 drive 999:16"]
        with tempfile.TemporaryDirectory() as scratch, mock.patch("ssdqos.metrics.Dmsetup", dmsetup):
            path = Path(scratch) / "ssdqos.prom"
            path.write_text("old")
            with path.open() as reader:
                metrics.main(metrics.argparse.Namespace(textfile=path))
                self.assertEqual("old", reader.read())
            self.assertEqual(7, parsed(path.read_text())["ssdqos_stream_reads_total", frozenset(
                {("device", "gold"), *DRIVE.items()})])
            self.assertEqual((0o644, [path]), (path.stat().st_mode & 0o777, list(path.parent.iterdir())))
            with self.assertRaisesRegex(ToolError, "cannot be written"):
                metrics.main(metrics.argparse.Namespace(textfile=Path(scratch) / "no" / "x"))


if __name__ == "__main__":
    unittest.main()
