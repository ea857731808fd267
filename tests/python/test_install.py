# SPDX-License-Identifier: GPL-2.0
"""make install-tools, into a directory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from ssdqos.__main__ import COMMANDS

TOP = Path(__file__).resolve().parents[2]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.root = Path(scratch.name)
        cls.make("install-tools")

    @classmethod
    def make(cls, what: str) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
        subprocess.run(["make", "-s", "-C", str(TOP), what, f"DESTDIR={cls.root}", "PREFIX=/opt/x"], check=True,
                       env=environment, capture_output=True)

    def read(self, name: str) -> str:
        return (self.root / "opt/x" / name).read_text()

    def test_runs_from_where_it_is(self) -> None:
        program = self.root / "ssdqos"
        program.write_text(self.read("sbin/ssdqos").replace("/opt/x", f"{self.root}/opt/x"))
        profile = self.root / "profile"
        profile.write_text("ssdqos-profile 1\nwindow_ms 1000\ncost read rand 4096 32 990 100000\n"
                           "cost write rand 4096 32 990 100000\n")
        program.chmod(0o755)
        elsewhere = self.root / "elsewhere"
        (elsewhere / "ssdqos").mkdir(parents=True)
        for name in ("ssdqos/__main__.py", "json.py"):
            (elsewhere / name).write_text("raise SystemExit('what lies where the caller is was run')\n")
        for where in ("/", elsewhere):
            done = subprocess.run([str(program), "admit", "x", "--read", "rand", "--iops", "1000", "--profile", str(profile)],
                                  capture_output=True, text=True, check=False, cwd=where,
                                  env={**os.environ, "PYTHONPATH": "."})
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertIn("It costs 10.25 %", done.stdout)
        self.assertTrue(os.access(self.root / "opt/x/sbin/ssdqos", os.X_OK))

    def test_all_packages_are_there(self) -> None:
        environment = {**os.environ, "PYTHONPATH": f"{self.root}/opt/x/lib/ssdqos"}
        for command in ("forecast", "wear", "metrics", "top", "trim", "mirror"):
            done = subprocess.run([sys.executable, "-m", "ssdqos", command, "--help"], capture_output=True, text=True,
                                  check=False, cwd="/", env=environment)
            self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_no_mark_is_left(self) -> None:
        for path in self.root.rglob("*"):
            if path.is_file() and path.suffix not in (".py", ".pyc"):
                self.assertNotRegex(path.read_text(), r"@[A-Z]+@", path)

    def test_modules_are_compiled(self) -> None:
        """Units that run at boot would do it each time."""
        python = self.root / "opt/x/lib/ssdqos"
        for path in python.rglob("*.py"):
            self.assertTrue(list((path.parent / "__pycache__").glob(f"{path.stem}.*.pyc")), path)
            for made in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                self.assertIn(b"/opt/x/lib/ssdqos", made.read_bytes())
                self.assertNotIn(str(self.root).encode(), made.read_bytes())

    def test_units_call_it(self) -> None:
        self.assertIn("ExecStart=/opt/x/sbin/ssdqos restore --all", self.read("lib/systemd/system/ssdqos.service"))
        self.assertIn("ExecStart=/opt/x/sbin/ssdqos restore --device /dev/%i",
                      self.read("lib/systemd/system/ssdqos@.service"))
        for unit, words in (("wear@", "wear /dev/%i"), ("save", "save --life"), ("life", "restore --life"),
                            ("reconnected@", "mirror reconnected %i")):
            self.assertRegex(self.read(f"lib/systemd/system/ssdqos-{unit}.service"),
                             rf"\nExecStart=-?/opt/x/sbin/ssdqos {words}\n")
        self.assertIn('"ssdqos@$name.service"', self.read("lib/udev/rules.d/69-ssdqos.rules"))
        self.assertIn("restart ssdqos-reconnected@$kernel.service", self.read("lib/udev/rules.d/71-ssdqos-reconnected.rules"))

    def test_units_are_understood(self) -> None:
        for name in ("ssdqos.service", "ssdqos@.service", "ssdqos-metrics.service", "ssdqos-metrics.timer",
                     "ssdqos-wear@.service", "ssdqos-wear@.timer", "ssdqos-save.service", "ssdqos-save.timer",
                     "ssdqos-life.service", "ssdqos-reconnected@.service"):
            lines = self.read(f"lib/systemd/system/{name}").splitlines()
            for line in lines:
                self.assertRegex(line, r"^(#.*|\[\w+\]|\w+=.*|)$")
            self.assertIn("[Unit]", lines)

    def test_manual(self) -> None:
        text = self.read("share/man/man8/ssdqos.8")
        self.assertTrue(text.startswith(".TH SSDQOS 8 "))
        for command in ("profile", "admit", "create", "save", "restore", "metrics", "top", "forecast", "wear", "trim status", "trim flush", "trim advise"):
            self.assertIn(command, text)

    def test_manual_of_the_file(self) -> None:
        text = self.read("share/man/man5/ssdqos.conf.5")
        self.assertTrue(text.startswith(".TH SSDQOS.CONF 5 "))
        for key in ("profile", "device", "offset_bytes", "length_bytes", "drive_meta"):
            self.assertIn(key.replace("-", "\\-"), text)

    def test_texts_that_manuals_point_to(self) -> None:
        for page in ("share/man/man8/ssdqos.8", "share/man/man5/ssdqos.conf.5"):
            texts = re.findall(r"docs/([a-z-]+\.rst)", self.read(page).replace("\\-", "-"))
            self.assertTrue(texts, page)
            for text in texts:
                self.assertTrue(self.read(f"share/doc/ssdqos/{text}"), text)

    def test_texts_that_these_point_to(self) -> None:
        """But results, which stay with the source."""
        place = self.root / "opt/x/share/doc/ssdqos"
        named = {name for text in place.glob("*.rst") for name in re.findall(r"``docs/([\w./-]+)``", text.read_text())
                 if not name.startswith("results")}
        self.assertIn("ABI/sysfs-block-dm-ssdqos", named)
        self.assertEqual([], [name for name in sorted(named) if not (place / name).exists()])

    def test_completion(self) -> None:
        script = (f"COMP_WORDS=(ssdqos $1 $2); COMP_CWORD=$#; "
                  f". {self.root}/opt/x/share/bash-completion/completions/ssdqos; _ssdqos; echo ${{COMPREPLY[*]}}")
        for words, wanted in ((["re"], "remove restore"), (["tr"], "trim"), (["trim", "f"], "flush")):
            done = subprocess.run(["bash", "-c", script, "x", *words], capture_output=True, text=True, check=True)
            self.assertEqual(f"{wanted}\n", done.stdout)
        commands = (self.root / "opt/x/share/bash-completion/completions/ssdqos").read_text()
        for name in COMMANDS:
            self.assertTrue(name in ("replay", "report") or f" {name} " in commands or f'"{name} ' in commands, name)

    def test_can_be_taken_away(self) -> None:
        self.addCleanup(self.make, "install-tools")
        self.make("uninstall-tools")
        self.assertEqual([], [path for path in (self.root / "opt").rglob("*") if path.is_file()])


if __name__ == "__main__":
    unittest.main()
