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
import tool_floors  # noqa: E402

FLOORS = {"low": (), "high": ("low",)}
CLEAN = {"low/a": "int a(void) { return 0; }",
         "low/b": "int a(void); int b(void) { return a(); }",
         "high/c": "int b(void); int c(void) { return b(); }"}


class Floors(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name)

    def told(self, sources: dict[str, str]) -> list[str]:
        objects = {}
        for name, text in sources.items():
            objects[name] = self.path / f"{name.replace('/', '-')}.o"
            subprocess.run(["gcc", "-xc", "-c", "-o", objects[name], "-"], input=text, text=True, check=True)
        return list(floors.offences(floors.calls(objects), FLOORS))

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
                          "low/w": "int x(void); int w(void) { return x(); }"})
        self.assertEqual(["low/x calls low/y, which comes back to it: y", "low/y calls low/x, which comes back to it: x"], told)

    def test_data_count_as_calls(self) -> None:
        self.assertEqual(["low/d calls high/t, and low does not stand on high: table"],
                         self.told({"high/t": "int table[2] = { 1, 2 };", "low/d": "extern int table[]; int d(void) { return table[0]; }"}))

    def test_headers_are_included_downwards(self) -> None:
        for name, text in {"low/a.h": "", "high/b.h": '#include "../low/a.h"', "low/c.c": '#include "high/b.h"',
                           "low/d.c": '#include "elsewhere.h"\n#include <stdio.h>', "elsewhere.h": ""}.items():
            (self.path / name).parent.mkdir(exist_ok=True)
            (self.path / name).write_text(text)
        self.assertEqual(["low/c.c calls high/b.h, and low does not stand on high: #include"],
                         list(floors.upwards(floors.includes(self.path, FLOORS), FLOORS)))

    def test_a_file_has_a_floor_of_its_own(self) -> None:
        floors_of = {"low": (), "high/a": (), "high": ("low", "high/a")}
        found: floors.Calls = {"high/a": {"high/b": ["b"]}, "high/b": {}, "high/c": {"high/a": ["a"]}}
        self.assertEqual(["high/a calls high/b, and high/a does not stand on high: b"],
                         list(floors.offences(found, floors_of)))


PACKAGE = {"tool/__init__": "", "tool/errors": "", "tool/low/__init__": "",
           "tool/low/a": "import json\nfrom tool.errors import Wrong",
           "tool/high/__init__": "from tool.low import a",
           "tool/high/b": "import tool.low.a\nfrom tool.low.a import one, two"}
TOOL = {"tool/errors": (), "tool/low": ("tool/errors",), "tool/high": ("tool/errors", "tool/low"), "tool": ()}


class Imports(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name)

    def told(self, sources: dict[str, str]) -> list[str]:
        for name, text in sources.items():
            path = self.path / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(floors.offences(tool_floors.imports(self.path, "tool"), TOOL))

    def test_down_is_right(self) -> None:
        self.assertEqual([], self.told(PACKAGE))

    def test_up(self) -> None:
        self.assertEqual(["tool/low/c calls tool/high/b, and tool/low does not stand on tool/high: b, three"],
                         self.told({**PACKAGE, "tool/low/c": "from tool.high import b\ndef late():\n    from tool.high.b import three"}))

    def test_a_package_itself(self) -> None:
        self.assertEqual(["tool/low/c calls tool/high/__init__, and tool/low does not stand on tool/high: start"],
                         self.told({**PACKAGE, "tool/low/c": "from tool.high import start"}))

    def test_a_circle(self) -> None:
        self.assertEqual(["tool/low/x calls tool/low/y, which comes back to it: y",
                          "tool/low/y calls tool/low/x, which comes back to it: tool.low.x"],
                         self.told({**PACKAGE, "tool/low/x": "from tool.low import y", "tool/low/y": "import tool.low.x"}))


if __name__ == "__main__":
    unittest.main()
