# SPDX-License-Identifier: GPL-2.0
"""Reading traces, and writing what fio replays."""

from __future__ import annotations

import gzip
import tempfile
import unittest
from pathlib import Path

from ssdqos.demo import trace
from ssdqos.demo.trace import Row
from ssdqos.errors import ToolError

KIB, MIB = 1 << 10, 1 << 20


class ReadTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def write(self, text: str, name: str = "t.csv") -> Path:
        path = self.directory / name
        path.write_text(text)
        return path

    def test_header_and_empty_lines_are_no_requests(self) -> None:
        path = self.write("time_us,op,offset_bytes,size_bytes\n\n0,R,0,4096\n1.5,W,4096,512\n")
        self.assertEqual(trace.read(path), [Row(0, "R", 0, 4096), Row(1.5, "W", 4096, 512)])

    def test_compressed(self) -> None:
        path = self.directory / "t.csv.gz"
        with gzip.open(path, "wt") as out:
            out.write("7,D,0,4096\n")
        self.assertEqual(trace.read(path), [Row(7, "D", 0, 4096)])

    def test_a_bad_row_is_named_by_its_line(self) -> None:
        for row in ("0,X,0,4096", "0,R,0", "0,R,zero,4096"):
            with self.subTest(row), self.assertRaisesRegex(ToolError, r"t\.csv:2: "):
                trace.read(self.write(f"0,R,0,4096\n{row}\n"))

    def test_no_file_and_no_requests(self) -> None:
        with self.assertRaisesRegex(ToolError, "cannot be read"):
            trace.read(self.directory / "missing")
        with self.assertRaisesRegex(ToolError, "no requests"):
            trace.read(self.write(""))

    def test_written_rows_read_back(self) -> None:
        rows = [Row(0, "R", 0, 4096), Row(13731314.125, "W", 570425344, 512)]
        path = self.directory / "out.csv"
        trace.write(rows, path)
        self.assertEqual(trace.read(path), rows)


class SummaryTest(unittest.TestCase):
    def test_counts(self) -> None:
        summary = trace.summarise([Row(0, "W", 0, 8 * KIB), Row(500_000, "R", 4 * KIB, 4 * KIB),
                                   Row(1_000_000, "R", 4 * KIB, 8 * KIB), Row(2_000_000, "D", 0, MIB)])
        self.assertEqual(summary.requests, {"W": 1, "R": 2, "D": 1})
        self.assertEqual(summary.bytes["R"], 12 * KIB)
        self.assertEqual(summary.duration_s, 2)
        self.assertEqual(summary.span_bytes, MIB)
        self.assertEqual(summary.touched_bytes, 12 * KIB)
        self.assertEqual(summary.unwritten_reads, 1)


class FirstTest(unittest.TestCase):
    def test_first_seconds(self) -> None:
        rows = [Row(at, "R", 0, 4096) for at in (500_000, 1_499_999, 1_500_000)]
        self.assertEqual(trace.first(rows, 1), rows[:2])


class FioTest(unittest.TestCase):
    def log(self, rows: list[Row], scale: float) -> list[str]:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "log"
            trace.write_fio(trace.replayable(rows), scale, path)
            return path.read_text().splitlines()

    def test_log(self) -> None:
        self.assertEqual(self.log([Row(10, "R", 512, 4096), Row(70, "D", 0, 4096), Row(90, "W", 4096, 8192)], 0.5), [
            "fio version 3 iolog", "1000 drive add", "1000 drive open", "1000 drive read 512 4096",
            "1026 drive write 4096 8192", "1026 drive close"])

    def test_what_fio_takes_for_requests_is_made_up_for(self) -> None:
        """It would come 14 us later with each of them: more than a second behind a whole trace."""
        bursts = [Row(burst * 1000 + at, "R", 0, 4096) for burst in range(10) for at in range(0, 20, 5)]
        times = [int(line.split()[0]) - trace.FIO_START_US for line in self.log(bursts, 1)[3:-1]]
        comes, waits_from = [], 0
        for at in times:
            comes.append((comes[-1] + trace.FIO_REQUEST_US if comes else 0) + at - waits_from)
            waits_from = at
        late = [came - row.time_us for came, row in zip(comes, bursts)]
        self.assertEqual(times, sorted(times))
        self.assertEqual(min(late), 0)
        self.assertLess(max(late), 4 * trace.FIO_REQUEST_US)
        self.assertEqual(late[-4], 0, "a burst begins in time, whatever was before")


if __name__ == "__main__":
    unittest.main()
