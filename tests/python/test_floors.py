# SPDX-License-Identifier: GPL-2.0
"""The gate that looks at who calls whom finds what is planted."""
from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gates"))

import floors  # noqa: E402

FLOORS = {"low": (), "high": ("low",)}
CLEAN = {"low/a": "int a(void) { return 0; }",
         "low/b": "int a(void); int b(void) { return a(); }",
         "high/c": "int b(void); int c(void) { return b(); }"}


class Floors(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name)

    def told(self, sources: dict[str, str], known: tuple[str, ...] = ()) -> list[str]:
        objects = {}
        for name, text in sources.items():
            objects[name] = self.path / f"{name.replace('/', '-')}.o"
            subprocess.run(["gcc", "-xc", "-c", "-o", objects[name], "-"], input=text, text=True, check=True)
        return list(floors.offences(objects, FLOORS, known))

    def test_down_is_right(self) -> None:
        self.assertEqual([], self.told(CLEAN))

    def test_up(self) -> None:
        self.assertEqual(["low/d calls high/c, and low does not stand on high: c"],
                         self.told({**CLEAN, "low/d": "int c(void); int d(void) { return c(); }"}))

    def test_a_pointer_may_go_up(self) -> None:
        self.assertEqual([], self.told({**CLEAN, "low/d": "int (*row)(void); int d(void) { return row(); }"}))

    def test_a_circle_of_three(self) -> None:
        ring = {f"low/{name}": f"int {other}(void); int {name}(void) {{ return {other}(); }}"
                for name, other in ("xy", "yz", "zx")}
        self.assertEqual([f"low/{name} calls low/{other}, which comes back to it: {other}" for name, other in ("xy", "yz", "zx")],
                         self.told({**CLEAN, **ring}))

    def test_who_calls_into_a_circle_is_not_in_it(self) -> None:
        told = self.told({**CLEAN, "low/x": "int y(void); int x(void) { return y(); }",
                          "low/y": "int x(void); int y(void) { return x(); }",
                          "low/w": "int x(void); int w(void) { return x(); }"}, ("low/x", "low/y"))
        self.assertEqual([], told)

    def test_nobody_joins_a_circle_that_is_known(self) -> None:
        sources = {**CLEAN, "low/x": "int y(void), n(void); int x(void) { return y() + n(); }",
                   "low/y": "int x(void); int y(void) { return x(); }",
                   "low/n": "int x(void); int n(void) { return x(); }"}
        self.assertEqual(["low/n calls low/x, which comes back to it: x", "low/x calls low/n, which comes back to it: n"],
                         self.told(sources, ("low/x", "low/y")))

    def test_who_has_left_is_told(self) -> None:
        self.assertEqual(["low/a has left its circle: take it off the list IN_CIRCLES"], self.told(CLEAN, ("low/a",)))

    def test_data_count_as_calls(self) -> None:
        self.assertEqual(["low/d calls high/t, and low does not stand on high: table"],
                         self.told({"high/t": "int table[2] = { 1, 2 };", "low/d": "extern int table[]; int d(void) { return table[0]; }"}))


if __name__ == "__main__":
    unittest.main()
