# SPDX-License-Identifier: GPL-2.0
"""What tests/campaign/lib/machine.py keeps of boots."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib import machine  # noqa: E402
from lib.machine import Job, Machine  # noqa: E402

SCRIPT = """\
# SPDX-License-Identifier: GPL-2.0
# program: counts.c:/usr/bin/counts
counts
"""


class Keys(unittest.TestCase):

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = Path(scratch.name)
        for name, value in (("ROOT", self.top), ("GUEST", self.top)):
            patch = mock.patch.object(machine, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        (self.top / "script.sh").write_text(SCRIPT)
        (self.top / "counts.c").write_text("int main(void) { return 0; }\n")

    def key(self, **settings: object) -> str:
        return Machine("tests", (), self.top, None, 1).key(Job("one", "script.sh", settings))

    def test_what_is_as_it_was_is_found(self) -> None:
        self.assertEqual(self.key(seconds=5), self.key(seconds=5))

    def test_other_settings_are_measured_again(self) -> None:
        self.assertNotEqual(self.key(seconds=5), self.key(seconds=6))

    def test_another_script_is_measured_again(self) -> None:
        before = self.key()
        (self.top / "script.sh").write_text(f"{SCRIPT}counts\n")
        self.assertNotEqual(self.key(), before)

    def test_what_another_program_counts_is_measured_again(self) -> None:
        before = self.key()
        (self.top / "counts.c").write_text("int main(void) { return 1; }\n")
        self.assertNotEqual(self.key(), before)


if __name__ == "__main__":
    unittest.main()
