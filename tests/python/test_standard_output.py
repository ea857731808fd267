# SPDX-License-Identifier: GPL-2.0
"""What cannot be printed is said once, without a traceback; what can be is not touched."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ssdqos import __main__ as tool
from ssdqos import top

TOOLS = Path(top.__file__).parents[1]
TOP_PY = [str(TOOLS / "ssdqos/top.py")]
TOOL = ["-m", "ssdqos"]
# More than a program and a pipe hold back.
LONG_WORDS = 40_000
# Who watches for so long has not noticed that nobody sees it.
LONG_S = 20
FULL = Path("/dev/full")


class Programs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.stream = Path(scratch.name)
        self.status()

    def status(self, words: int = 1) -> None:
        (self.stream / "status").write_text("drive=8:16 " + " ".join(f"key_{at}=1" for at in range(words)))

    def run_into(self, output: int | None, *words: str) -> tuple[int, str]:
        done = subprocess.run([sys.executable, *words], stdout=output, stderr=subprocess.PIPE, text=True, check=False,
                              timeout=LONG_S, env={**os.environ, "PYTHONPATH": str(TOOLS)})
        return done.returncode, done.stderr

    def into_a_full_disk(self, *words: str) -> tuple[int, str]:
        with FULL.open("wb") as full:
            return self.run_into(full.fileno(), *words)

    def into_a_closed_pipe(self, *words: str) -> tuple[int, str]:
        read_end, write_end = os.pipe()
        os.close(read_end)
        try:
            return self.run_into(write_end, *words)
        finally:
            os.close(write_end)

    def test_a_full_disk(self) -> None:
        told = "standard output cannot be written: No space left on device\n"
        for command in (["--help"], ["--version"], ["top", "--help"], ["top", "--once", str(self.stream)]):
            self.assertEqual((2, f"ssdqos: {told}"), self.into_a_full_disk(*TOOL, *command), command)
        self.assertEqual((2, f"ssdqos top: {told}"), self.into_a_full_disk(*TOP_PY, "--once", str(self.stream)))
        self.status(LONG_WORDS)
        self.assertEqual((2, f"ssdqos: {told}"), self.into_a_full_disk(*TOOL, "top", "--once", str(self.stream)))

    def test_who_has_read_enough_is_told_nothing(self) -> None:
        for words in (1, LONG_WORDS):
            self.status(words)
            for program in (TOOL + ["top"], TOP_PY):
                self.assertEqual((1, ""), self.into_a_closed_pipe(*program, "--once", str(self.stream)))

    def test_a_closed_pipe_that_is_watched_by(self) -> None:
        code, told = self.into_a_closed_pipe(*TOOL, "top", "--interval", "0.01", str(self.stream))
        self.assertEqual((1, ""), (code, told))

    def test_no_standard_output_at_all(self) -> None:
        for device, wanted in ((self.stream, "standard output cannot be written: Bad file descriptor"),
                               ("nobody-has-that", "nobody-has-that is no live device[^\n]*")):
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, *TOOL, "top", "--once", str(device)],
                                  stderr=subprocess.PIPE, text=True, check=False, env={**os.environ, "PYTHONPATH": str(TOOLS)})
            self.assertEqual(2, done.returncode)
            self.assertRegex(done.stderr, f"^ssdqos: {wanted}\n$")

    def test_who_prints_nothing_loses_nothing(self) -> None:
        code, told = self.into_a_full_disk(*TOOL, "top", "--once", "nobody-has-that")
        self.assertEqual(2, code)
        self.assertRegex(told, "^ssdqos: nobody-has-that is no live device[^\n]*\n$")

    def test_what_can_be_printed_is(self) -> None:
        self.status(LONG_WORDS)
        done = subprocess.run([sys.executable, *TOOL, "top", "--once", str(self.stream)], capture_output=True, text=True,
                              check=False, env={**os.environ, "PYTHONPATH": str(TOOLS)})
        self.assertEqual((0, "", LONG_WORDS + 2), (done.returncode, done.stderr, len(done.stdout.splitlines())))

    def test_who_has_replaced_it_gets_all(self) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), mock.patch.object(sys, "argv", ["ssdqos", "top", "--once", str(self.stream)]):
            self.assertEqual(0, tool.main())
        self.assertTrue(out.getvalue().startswith("device="))

    def test_a_file_that_cannot_be_read_is_said_by_its_name(self) -> None:
        with mock.patch.object(sys, "argv", ["ssdqos", "admit", "x", "--profile", str(self.stream), "--read", "rand", "--iops", "1"]), \
                contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(2, tool.main())
        self.assertIn(str(self.stream), told.getvalue())


if __name__ == "__main__":
    unittest.main()
