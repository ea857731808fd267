# SPDX-License-Identifier: GPL-2.0
"""Files of the tool are replaced as a whole, or stay as they were."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ssdqos import whole_file
from ssdqos.errors import ToolError
from ssdqos.profiler import cell
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.profiler.series import Series
from ssdqos.streams import conf

TOOLS = Path(__file__).parents[2] / "tools"
FULL_BYTES = 4096
LONG = "x" * (2 * FULL_BYTES)


def limit() -> None:
    """No file gets longer than that, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, FULL_BYTES))


class Whole(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.file = self.path / "file"
        self.file.write_text("old")

    def on_full_disk(self, statement: str) -> str:
        """What is said; `path` is the directory."""
        code = (f"from pathlib import Path\nfrom ssdqos.errors import ToolError\npath = Path({str(self.path)!r})\n"
                f"LONG = {LONG!r}\ntry:\n    {statement}\nexcept ToolError as error:\n    print(error)\n")
        return subprocess.run([sys.executable, "-c", code], preexec_fn=limit, capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(TOOLS)}).stdout

    def test_the_old_one_or_the_new_one(self) -> None:
        with self.file.open() as reader:
            whole_file.replace(self.file, "new")
            self.assertEqual("old", reader.read())
        self.assertEqual(("new", [self.file]), (self.file.read_text(), list(self.path.iterdir())))

    def test_a_full_disk_leaves_the_old_one(self) -> None:
        said = self.on_full_disk("from ssdqos import whole_file; whole_file.replace(path / 'file', LONG)")
        self.assertEqual(f"{self.file} cannot be written: File too large\n", said)
        self.assertEqual(("old", [self.file]), (self.file.read_text(), list(self.path.iterdir())))

    def test_what_restore_reads_stays_on_a_full_disk(self) -> None:
        whole = conf.write(self.path, "gold", "old")
        said = self.on_full_disk("from ssdqos.streams import conf; conf.write(path, 'gold', LONG)")
        self.assertIn("cannot be written", said)
        self.assertEqual(("old", {whole, self.file}), (whole.read_text(), set(self.path.iterdir())))

    def test_a_cell_that_cannot_be_kept_is_said_in_a_sentence(self) -> None:
        checkpoint, one = Checkpoint(self.path), cell.parse("read-rand-4k-d1")
        checkpoint.save(one, Series([1], [2]))
        said = self.on_full_disk(
            "from ssdqos.profiler.checkpoint import Checkpoint; from ssdqos.profiler import cell; "
            "from ssdqos.profiler.series import Series; "
            "Checkpoint(path).save(cell.parse('read-rand-4k-d1'), Series([1] * 9999, [2] * 9999))")
        self.assertEqual(f"{self.path}/read-rand-4k-d1.cell.json cannot be written: File too large\n", said)
        self.assertEqual({one: Series([1], [2])}, checkpoint.load())
        self.assertEqual(2, len(list(self.path.iterdir())))

    def test_mode(self) -> None:
        self.file.chmod(0o640)
        whole_file.replace(self.file, b"new")
        self.assertEqual(0o640, self.file.stat().st_mode & 0o777)
        whole_file.replace(self.file, b"new", 0o644)
        self.assertEqual(0o644, self.file.stat().st_mode & 0o777)
        (self.path / "plain").write_text("")
        whole_file.replace(self.path / "made", "new")
        self.assertEqual((self.path / "plain").stat().st_mode, (self.path / "made").stat().st_mode)

    def test_a_link_stays_a_link_and_a_device_a_device(self) -> None:
        link, pipe = self.path / "link", self.path / "pipe"
        link.symlink_to("file")
        whole_file.replace(link, "new")
        self.assertEqual(("new", True), (self.file.read_text(), link.is_symlink()))
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        whole_file.replace(pipe, "new")
        self.assertEqual((b"new", True), (os.read(reader, 9), pipe.is_fifo()))
        self.assertEqual("new\n", subprocess.run(
            [sys.executable, "-c", "from pathlib import Path; from ssdqos import whole_file; out = Path('/dev/stdout')\n"
             "whole_file.check(out); whole_file.replace(out, 'new\\n')"], env={**os.environ, "PYTHONPATH": str(TOOLS)},
            capture_output=True, text=True, check=True).stdout)

    def test_a_disk_is_not_written_to(self) -> None:
        with mock.patch.object(Path, "is_block_device", return_value=True):
            for call in (whole_file.check, lambda path: whole_file.replace(path, "new")):
                with self.assertRaisesRegex(ToolError, "/file cannot be written: it is a block device"):
                    call(self.file)
        self.assertEqual("old", self.file.read_text())

    def test_is_asked_before(self) -> None:
        whole_file.check(self.file)
        whole_file.check(self.path / "other")
        whole_file.check(Path("/dev/null"))
        for path, why in ((self.path, "it is a directory"), (self.path / "no" / "x", "No such file or directory"),
                          (self.file / "x", "Not a directory")):
            with self.subTest(path), self.assertRaises(ToolError) as said:
                whole_file.check(path)
            self.assertEqual(f"{path} cannot be written: {why}", str(said.exception))
        self.assertEqual([self.file], list(self.path.iterdir()))


if __name__ == "__main__":
    unittest.main()
