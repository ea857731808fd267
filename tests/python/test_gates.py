# SPDX-License-Identifier: GPL-2.0
"""tests/gates/run: a checker that dies has found nothing because it did not look."""

from __future__ import annotations

import subprocess
import sys
import unittest
from unittest import mock

import programs

sys.path.insert(0, str(programs.TOP / "tests/gates"))
GATES = programs.load("tests/gates/run")


def done(status: int, stdout: str = "", stderr: str = "") -> subprocess.CompletedProcess:
    return subprocess.CompletedProcess(["checker", "-x"], status, stdout, stderr)


class Died(unittest.TestCase):
    def found(self, gate: str, result: subprocess.CompletedProcess) -> list[str]:
        with mock.patch.object(GATES.subprocess, "run", return_value=result), \
                mock.patch.object(GATES, "kernel_script", return_value="checkpatch.pl"), \
                mock.patch.object(GATES.shutil, "which", return_value="/usr/bin/checker"):
            return list(getattr(GATES, f"gate_{gate}")())

    def test_nothing_found(self) -> None:
        for gate in ("checkpatch", "kernel_doc", "shellcheck", "codespell", "sparse"):
            self.assertEqual(self.found(gate, done(0)), [], gate)

    def test_died(self) -> None:
        for gate in ("checkpatch", "kernel_doc", "shellcheck", "codespell"):
            lines = self.found(gate, done(2, stderr="Can't locate it\n"))
            self.assertTrue(lines and "exits with 2: Can't locate it" in lines[0], gate)
        for gate in ("checkpatch", "kernel_doc", "shellcheck", "codespell", "sparse"):
            self.assertTrue(self.found(gate, done(-9)), gate)

    def test_what_was_found_is_said_once(self) -> None:
        self.assertEqual(self.found("shellcheck", done(1, "a.sh:1:2: warning: it [SC1000]\n")),
                         ["a.sh:1:2: warning: it [SC1000]"])
        self.assertEqual(self.found("codespell", done(65, "a.c:1: before ==> after\n")), ["a.c:1: before ==> after"])
        self.assertEqual(self.found("shellcheck", done(1, "tests/lib.sh:1:2: warning: A appears unused. [SC2034]\n")), [])


if __name__ == "__main__":
    unittest.main()
