# SPDX-License-Identifier: GPL-2.0
"""What the code prints stands in the documentation."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


class Counters(unittest.TestCase):
    def test_each_of_a_stream(self) -> None:
        rows = (TOP / "dm-ssdqos/core/qos/edf.h").read_text().split("#define SSDQOS_EDF_STATS(S)")[1].split("\n\n")[0]
        names = re.findall(r"^\tS\((\w+),", rows, re.MULTILINE)
        text = (TOP / "docs/ssdqos.rst").read_text()
        self.assertGreater(len(names), 15)
        self.assertEqual([], [name for name in names if f"``{name}``" not in text])


if __name__ == "__main__":
    unittest.main()
