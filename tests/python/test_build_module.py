# SPDX-License-Identifier: GPL-2.0
"""tests/vm/build-module, with a kernel of two lines: what a build said, the next one says again."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

VM_DIR = Path(__file__).resolve().parents[1] / "vm"
FETCH_KERNEL = """#!/bin/sh
echo "headers=$SSDQOS_SOURCE/../headers"
echo "chroot="
"""
# As the kernel's: an object is made again only if its source is newer.
HEADERS = """modules: $(M)/dm-ssdqos.ko
$(M)/dm-ssdqos.ko: $(patsubst %.c,%.o,$(wildcard $(M)/dm-ssdqos/*.c))
\tcat $^ > $@
%.o: %.c
\tgcc -Wall -c -o $@ $<
"""
GOOD = "int {name}(void);\nint {name}(void) {{ return 0; }}\n"
WARNS = "int {name}(void);\nint {name}(void) {{ int unused; return 0; }}\n"
ERRS = "int {name}(void) {{ return nothing; }}\n"


class BuildModule(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = Path(scratch.name)
        for folder in ("vm", "source/dm-ssdqos", "headers"):
            (self.top / folder).mkdir(parents=True)
        for name in ("build-module", "common.sh"):
            shutil.copy(VM_DIR / name, self.top / "vm" / name)
        fetch = self.top / "vm/fetch-kernel"
        fetch.write_text(FETCH_KERNEL)
        fetch.chmod(0o755)
        (self.top / "headers/Makefile").write_text(HEADERS)
        (self.top / "source/Kbuild").write_text("")
        self.write("a", GOOD)
        self.write("b", GOOD)

    def write(self, name: str, text: str) -> None:
        """Later than all that was built, by the file system's clock, whose steps are milliseconds."""
        path = self.top / f"source/dm-ssdqos/{name}.c"
        built_ns = max((one.stat().st_mtime_ns for one in (self.top / "build").rglob("*")), default=0)
        path.write_text(text.format(name=name))
        while path.stat().st_mtime_ns <= built_ns:
            path.touch()

    def build(self) -> subprocess.CompletedProcess:
        # a make that runs these tests may have been told to be silent
        env = os.environ | {"MAKEFLAGS": "", "SSDQOS_SOURCE": str(self.top / "source"),
                            "SSDQOS_BUILD": str(self.top / "build"), "SSDQOS_CACHE": str(self.top / "cache")}
        return subprocess.run([self.top / "vm/build-module", "6.1"], env=env, capture_output=True, text=True)

    def warnings(self) -> str:
        return (self.top / "build/module/6.1/warnings").read_text()

    def log(self) -> str:
        return (self.top / "build/module/6.1/build.log").read_text()

    def test_a_warning_comes_again(self) -> None:
        self.write("a", WARNS)
        for _ in range(2):
            self.assertEqual(self.build().returncode, 0)
            self.assertIn("unused", self.warnings())
        self.write("a", GOOD)
        self.build()
        self.assertEqual(self.warnings(), "")

    def test_also_behind_a_build_that_failed(self) -> None:
        self.write("a", WARNS)
        self.write("b", ERRS)
        self.assertNotEqual(self.build().returncode, 0)
        self.write("b", GOOD)
        self.assertEqual(self.build().returncode, 0)
        self.assertIn("unused", self.warnings())

    def test_what_was_good_is_not_made_again(self) -> None:
        self.build()
        self.write("b", GOOD + "\n")
        self.assertEqual(self.build().returncode, 0)
        self.assertIn("b.o", self.log())
        self.assertNotIn("-o", "".join(line for line in self.log().splitlines() if "a.o" in line and "gcc" in line))


if __name__ == "__main__":
    unittest.main()
