# SPDX-License-Identifier: GPL-2.0
"""What is read of two machines whose link is cut (tests/machines), and how it is judged; and the cable between them."""

from __future__ import annotations

import json
import socket
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / part) for part in ("tests/campaign", "tests/machines", "tools")]

import figures  # noqa: E402
import link  # noqa: E402
from lib.claim import ABOVE, BELOW, MET  # noqa: E402
from lib.ianus import machines  # noqa: E402

LINE = ("phase=cut-1 kind=both rest=1 failed_ms=9480 away_ms=18940 whole_ms=27220 written_mb=8 noted_regions=160 "
        "copied_blocks=2560 regions=512")
MS = 1_000_000


def job(most_ms: int, **more: object) -> dict:
    percentiles = {"50.000000": MS, "99.000000": 2 * MS}
    return {"total_ios": 7, "lat_ns": {"max": most_ms * MS}, "clat_ns": {"percentile": percentiles}, **more}


def phases(count: int = machines.CUTS, **more: object) -> list[dict]:
    fio = {f"{what}_most_ms": 9000.0 for what in ("read", "write", "flush")}
    one = {key: figures.number(value) for key, _, value in (word.partition("=") for word in LINE.split())} | fio | more
    return [one] * count + [one | {"kind": kind, "phase": kind, "noted_regions": "-"}
                            for kind in ("killed", "stopped", "gone")]


class Figures(unittest.TestCase):
    def test_read(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            results = Path(scratch)
            self.assertEqual([], figures.read(results))
            (results / "figures").write_text(f"{LINE}\n")
            jobs = [{"read": job(30)}, {"write": job(40), "sync": {"lat_ns": {"max": 50 * MS}}}]
            (results / "cut-1.json").write_text(f"fio: terminating on signal 2\n{json.dumps({'jobs': jobs})}")
            found = figures.read(results)[0]
        keys = ("failed_ms", "kind", "read_most_ms", "write_most_ms", "flush_most_ms", "read_p99_ms")
        self.assertEqual((9480, "both", 30.0, 40.0, 50.0, 2.0), tuple(found[key] for key in keys))


class Goals(unittest.TestCase):
    def verdicts(self, failed: int = 0, **more: object) -> list[str]:
        return [row[-1] for row in machines.goals({"phases": phases(**more), "failed": failed})]

    def test_met(self) -> None:
        self.assertEqual({MET}, set(self.verdicts()))

    def test_too_few(self) -> None:
        self.assertEqual([BELOW, BELOW], self.verdicts(count=3)[:2])

    def test_too_much_copied(self) -> None:
        self.assertEqual(ABOVE, self.verdicts(copied_blocks=2561)[2])

    def test_a_check_that_fails(self) -> None:
        self.assertEqual(ABOVE, self.verdicts(failed=1)[4])

    def test_page(self) -> None:
        text = machines.section({"phases": phases(), "failed": 0})
        self.assertRegex(text, r"frames of both directions are lost +20 +9.5 \(9.5 to 9.5\)")
        self.assertRegex(text, r"cut-1 +both +18.9 +8 +160 +160 +512")


class Cable(unittest.TestCase):
    """Frames come, or don't."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.link = link.Link(Path(scratch.name))
        self.addCleanup(self.link.end)
        self.near, self.far = self.machine("near"), self.machine("far")

    def machine(self, name: str) -> socket.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(made.close)
        made.bind(str(self.link.socket(name)))
        made.settimeout(5)
        return made

    def test_both_directions(self) -> None:
        self.near.sendto(b"ping", str(self.link.port("near")))
        self.assertEqual(b"ping", self.far.recv(link.LARGEST_FRAME))
        self.far.sendto(b"pong", str(self.link.port("far")))
        self.assertEqual(b"pong", self.near.recv(link.LARGEST_FRAME))

    def test_one_is_cut(self) -> None:
        self.link.cut(link.TO_FAR)
        self.far.sendto(b"pong", str(self.link.port("far")))
        self.assertEqual(b"pong", self.near.recv(link.LARGEST_FRAME))
        way = self.link.ways[link.TO_FAR]
        self.near.sendto(b"lost", str(self.link.port("near")))
        while not way.lost:
            time.sleep(link.IDLE_S / 100)
        self.link.mend()
        self.near.sendto(b"kept", str(self.link.port("near")))
        self.assertEqual(b"kept", self.far.recv(link.LARGEST_FRAME))

    def test_both_are_cut_and_mended(self) -> None:
        self.link.cut(link.BOTH)
        self.assertEqual([False, False], [way.open for way in self.link.ways.values()])
        self.link.mend()
        self.assertEqual([True, True], [way.open for way in self.link.ways.values()])

    def test_slow(self) -> None:
        self.link.slow(20)
        self.near.sendto(b"late", str(self.link.port("near")))
        self.assertEqual(b"late", self.far.recv(link.LARGEST_FRAME))


if __name__ == "__main__":
    unittest.main()
