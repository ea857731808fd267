# SPDX-License-Identifier: GPL-2.0
"""Reading traces, and writing what fio replays."""

from __future__ import annotations

import gzip
import tempfile
import unittest
from pathlib import Path

from ssdqos import trace
from ssdqos.errors import ToolError
from ssdqos.trace import Row

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


class FioTest(unittest.TestCase):
    def test_log(self) -> None:
        rows = [Row(10, "R", 512, 4096), Row(20, "D", 0, 4096), Row(30, "W", 4096, 8192)]
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "log"
            trace.write_fio(trace.replayable(rows), 0.5, path)
            self.assertEqual(path.read_text().splitlines(), [
                "fio version 3 iolog", "1000 drive add", "1000 drive open", "1000 drive read 512 4096",
                "1010 drive write 4096 8192", "1010 drive close"])


if __name__ == "__main__":
    unittest.main()
