# SPDX-License-Identifier: GPL-2.0
"""Mirrors: made, shown, given another disk, written down and made again, with a dmsetup that is none."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from fake_dmsetup import FakeDmsetup
from ssdqos import __main__ as tool
from ssdqos import restore
from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.mirror import block, conf, devices, join, line, live, metadata, metrics, replace, view, watch
from ssdqos.mirror.block import BLOCK_BYTES, PAYLOAD_BYTES, Block
from ssdqos.mirror.crc32c import crc32c
from ssdqos.mirror.devices import Devices
from ssdqos.mirror.line import Line, Member
from ssdqos.mirror.view import Mirror
from ssdqos.streams.memory import Memory
from ssdqos.sysfs import pairs
from test_bpf import script_names, x_macro
from test_metrics import parsed

CORE = Path(__file__).resolve().parents[2] / "dm-ssdqos"
SECTORS = 131072
TABLE = f"0 {SECTORS} ssdqos-ianus 2 8:16 0 8:32 0 8:48 4 switch_ms 100 region_kib 64"
# Recorded in the virtual machine: under a load, while the other one is copied to, after a failure.
TURNS = ("v=1 members=2 member0=reading stale_regions0=0 errors0=0 block_ns0=20000 member1=writing stale_regions1=0 errors1=0 "
         "block_ns1=40000 why=time "
         "cache_used_blocks=424 cache_blocks=2048 regions=1024 stale_regions=0 lost_regions=0 broken=0 meta_failed=0 "
         "block_ns=32132 reads=15507 cache_reads=637 read_retries=0 writes=15483 merged=660 sent=26111 "
         "sent_blocks=29881 member_flushes=0 flushes=0 maps=2269 supers=0 switches=13 full_switches=0 waits=0 "
         "copied_blocks=16384 discards=0 discards_dropped=0 failures=0")
REBUILDING = ("v=1 members=2 member0=both stale_regions0=0 errors0=0 member1=rebuilding stale_regions1=790 errors1=0 "
              "why=start cache_used_blocks=0 cache_blocks=2048 regions=1024 stale_regions=790 lost_regions=0 broken=0 "
              "meta_failed=0 block_ns=40000 reads=0 cache_reads=0 read_retries=0 writes=0 merged=0 sent=0 "
              "sent_blocks=0 member_flushes=0 flushes=0 maps=234 supers=0 switches=0 full_switches=0 waits=0 "
              "copied_blocks=3744 discards=0 discards_dropped=0 failures=0")
FAILED = ("v=1 members=2 member0=both stale_regions0=0 errors0=0 member1=failed stale_regions1=0 errors1=0 why=failure "
          "cache_used_blocks=0 cache_blocks=2048 regions=1024 stale_regions=0 lost_regions=0 broken=0 meta_failed=0 "
          "block_ns=32132 reads=25533 cache_reads=637 read_retries=0 writes=25472 merged=660 sent=36701 "
          "sent_blocks=40528 member_flushes=0 flushes=0 maps=2321 supers=1 switches=13 full_switches=0 waits=0 "
          "copied_blocks=16384 discards=0 discards_dropped=0 failures=1")

# Another table is being resumed.
UNREAD = (TURNS.replace("=reading", "=unread").replace("=writing", "=unread")
          .replace("stale_regions0=0", "stale_regions0=1024").replace("stale_regions1=0", "stale_regions1=1024"))


class MirrorDmsetup(FakeDmsetup):
    """`told` is what the status of each says."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[str, str] = {}
        self.not_yet = 0

    def add(self, name: str, table: str = TABLE, told: str = TURNS) -> None:
        self.devices[name], self.told[name] = [table], told

    def do_create(self, name: str, *words: str, text: str | None) -> str:
        self.told.setdefault(name, TURNS)
        return super().do_create(name, *words, text=text)

    def do_status(self, name: str, text: str | None) -> str:
        if name not in self.told:
            return super().do_status(name, text)
        return f"0 {SECTORS} ssdqos-ianus {self.told[self.lines(name) and name]}\n"

    def do_message(self, name: str, sector: str, what: str, *words: str, text: str | None) -> str:
        if self.not_yet:
            self.not_yet -= 1
            raise ToolError("join: member 1 has something to end first; try again")
        return ""


class Tool(unittest.TestCase):
    """Members of 64 MiB, /tmp/.../a to d, and metadata on /tmp/.../meta."""

    DMSETUP = MirrorDmsetup

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.etc = self.path / "etc"
        self.etc.mkdir()
        self.dmsetup = self.DMSETUP()
        self.sizes = {}
        for name in ("a", "b", "c", "meta"):
            self.disk(name)
        self.signatures: dict[str, str] = {}
        memory = Memory(self.path / "run")
        maker = restore.Maker
        patches = [mock.patch(f"ssdqos.mirror.{where}.Dmsetup", self.dmsetup)
                   for where in ("create", "status", "fail", "join", "remove", "replace", "grow", "scrub", "watch")]
        patches += [mock.patch(f"ssdqos.{where}.Dmsetup", self.dmsetup) for where in ("save", "metrics")]
        patches += [mock.patch(f"ssdqos.mirror.{where}.Memory", lambda: memory) for where in
                    ("create", "remove", "fail", "join", "replace", "grow")]
        patches += [mock.patch("ssdqos.restore.Maker", lambda *who: maker(*(who or (self.dmsetup, memory)))),
                    mock.patch("ssdqos.streams.alone.LOCK", self.path / "run/lock"),
                    mock.patch.object(join, "PAUSE_S", 0),
                    mock.patch.object(Device, "is_block", lambda device: device.path.name in self.sizes),
                    mock.patch.object(Device, "number", lambda device: device.path.name),
                    mock.patch.object(Device, "parts", lambda device: {device.path.name: device.path.name}),
                    mock.patch.object(Device, "check_unused", lambda device: None),
                    mock.patch.object(Device, "disk_directory", lambda device: device.path),
                    mock.patch.object(Device, "size_bytes", lambda device: self.sizes[device.path.name]),
                    mock.patch("ssdqos.profiler.contents.signature", lambda path: self.signatures.get(path.name, "")),
                    mock.patch("os.O_DIRECT", 0)]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)

    def disk(self, name: str, size: int = SECTORS * 512) -> Path:
        path = self.path / name
        with path.open("wb") as file:
            file.truncate(size if name != "meta" else 1 << 20)
        self.sizes[name] = path.stat().st_size
        return path

    def run_tool(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                mock.patch("sys.argv", ["ssdqos", *map(str, words)]):
            code = tool.main()
        return code, out.getvalue(), err.getvalue()

    def create(self, *words: str, members: str = "ab") -> tuple[int, str, str]:
        return self.run_tool("mirror", "create", "m", *(self.path / name for name in members),
                             "--meta", self.path / "meta", *words)

    def table(self, *names: str, more: str = "") -> str:
        words = " ".join(f"{self.path / name if name != '-' else '-'} 0" for name in names)
        return f"0 {SECTORS} ssdqos-ianus {len(names)} {words} {self.path / 'meta'}{more}"

    def format(self, masks: bytes = bytes(1024), leader: int = 0, out: int = 0) -> None:
        """As the kernel leaves it: 1024 regions of 64 KiB."""
        raw = bytearray(PAYLOAD_BYTES)
        for at, size, value in ((0, 8, SECTORS), (8, 4, 128), (12, 4, 2), (20, 4, leader), (28, 4, out)):
            raw[at:at + size] = value.to_bytes(size, "little")
        with (self.path / "meta").open("r+b") as file:
            for seq in (1, 2):
                file.seek((seq - 1) * BLOCK_BYTES)
                file.write(Block(block.SUPER, b"u" * 16, 0, seq, bytes(raw)).raw())
            file.write(Block(block.REGIONS, b"u" * 16, 0, 1, masks.ljust(PAYLOAD_BYTES, b"\0")).raw())

    def masks(self) -> bytes:
        with metadata.opened(self.path / "meta") as found:
            return found.newest(block.REGIONS, b"u" * 16, 0, 2)[0].payload[:1024]


class AsTheKernel(unittest.TestCase):
    def test_words(self) -> None:
        self.assertEqual(x_macro("mirror/mirror.h", "SSDQOS_MIRROR_STATES"), list(view.STATES))
        self.assertEqual(x_macro("mirror/mirror.h", "SSDQOS_MIRROR_WHYS"), list(view.WHYS))
        body = (CORE / "core/mirror/mirror.h").read_text().split("#define SSDQOS_MIRROR_STATS(S)", 1)[1]
        rows = re.findall(r'\bS\((\w+), "(\w+)", "([^"]+)"\)', body.split("\n\n", 1)[0])
        self.assertEqual(rows, [tuple(row) for row in view.STATS])

    def test_script(self) -> None:
        for array, name in (("why_name", "SSDQOS_MIRROR_WHYS"), ("state_name", "SSDQOS_MIRROR_STATES")):
            self.assertEqual(dict(enumerate(x_macro("mirror/mirror.h", name))), script_names("ianus.bt", array))

    def test_fields_of_the_script(self) -> None:
        events = (CORE / "dm/ianus/trace.h").read_text()
        script = (CORE.parent / "tools/bpf/ianus.bt").read_text()
        asked = re.findall(r"^tracepoint:ssdqos:(\w+)\n(.*?)^}", script, re.M | re.S)
        self.assertEqual(2, len(asked))
        for event, body in asked:
            has = re.search(rf"TRACE_EVENT\({event},(.*?)TP_fast_assign", events, re.S)[1]
            self.assertLessEqual(set(re.findall(r"args->(\w+)", body)),
                                 set(re.findall(r"__field\(\w+, ?(\w+)\)", has)), event)

    def test_config(self) -> None:
        text = (CORE / "core/mirror/config.h").read_text()
        self.assertEqual(line.REGION_KIB, int(re.search(r"P\(region_kib, \"KiB\", \d+, \d+, (\d+)", text)[1]))
        self.assertIn(f"P({line.AT_FIRST_ONLY},", text)
        self.assertIn(f"#define SSDQOS_MIRROR_MAX_MEMBERS {line.MAX_MEMBERS}u", text)

    def test_disk(self) -> None:
        text = (CORE / "core/mirror/disk.c").read_text()
        for name, at in block.AT.items():
            self.assertIn(f"#define DISK_AT_{name} {at}u\n", text)
        for name, at in metadata.AT.items():
            self.assertIn(f"#define SUPER_AT_{name} (SSDQOS_DISK_HEADER_BYTES + {at}u)\n", text)
        self.assertIn(f"#define DISK_MAGIC 0x{block.MAGIC:016x}ULL", text)
        self.assertIn(f"#define DISK_VERSION {block.VERSION}u", text)
        header = (CORE / "core/mirror/disk.h").read_text()
        self.assertIn(f"#define SSDQOS_DISK_BLOCK_BYTES {BLOCK_BYTES}u", header)
        self.assertIn(f"#define SSDQOS_DISK_HEADER_BYTES {block.HEADER_BYTES}u", header)
        self.assertIn("SSDQOS_DISK_SUPER = 1,\n\tSSDQOS_DISK_REGIONS,", header)

    def test_checksum(self) -> None:
        """RFC 3720, B.4."""
        self.assertEqual((0x8A9136AA, 0x46DD794E), (crc32c(bytes(32)), crc32c(bytes(range(32)))))


class Lines(unittest.TestCase):
    def test_round_trip(self) -> None:
        found = line.parse(TABLE)
        self.assertEqual(Line(SECTORS, (Member("8:16"), Member("8:32")), "8:48",
                              {"switch_ms": "100", "region_kib": "64"}), found)
        self.assertEqual((TABLE, 65536), (found.text(), found.region_bytes()))
        self.assertEqual(Member("-"), found.with_member(1, "-").members[1])

    def test_others(self) -> None:
        for other in ("0 8 linear 8:16 0", "0 8 ssdqos-ianus 2 8:16 0", ""):
            with self.assertRaises(ToolError):
                line.parse(other)

    def test_same_is_said_once(self) -> None:
        self.assertEqual({}, Line(8, (), "x", {"assume_same": "on"}).lasting().keys)


class Create(Tool):
    def test_made(self) -> None:
        code, told, _ = self.create("--set", "switch_ms=100")
        self.assertEqual((0, [self.table("a", "b", more=" 2 switch_ms 100")]), (code, self.dmsetup.devices["m"]))
        self.assertIn("64 MiB on 2 members; all members have the same", told)
        self.assertIn(("create", "m", "--uuid", "SSDQOSMIRROR-m"), self.dmsetup.calls)

    def test_dry_run_prints_the_line(self) -> None:
        code, told, _ = self.create("--dry-run", "--same")
        self.assertEqual(0, code)
        self.assertEqual("dmsetup create m --uuid SSDQOSMIRROR-m\n"
                         f"    {self.table('a', 'b', more=' 2 assume_same on')}\n", told)
        self.assertEqual({}, self.dmsetup.devices)

    def test_the_smallest_sets_the_size(self) -> None:
        self.disk("b", (SECTORS - 9) * 512)
        told = self.create()[1]
        self.assertIn("the mirror has 63.99 MiB", told)
        self.assertEqual(str(SECTORS - 16), self.dmsetup.devices["m"][0].split()[1])

    def test_refused(self) -> None:
        self.signatures["b"] = "ext4 'data'"
        for words, members, why in (((), "aa", "are the same device"), ((), "a", "2 to 8 members, and 1 are given"),
                                    ((), "ax", "x is no block device"),
                                    ((), "ab", "b is ext4 'data', which would be written over with the data of"),
                                    (("--offset", "64m"), "ac", "nothing is left of the smallest member"),
                                    (("--set", "x"), "ac", "'x' is not KEY=VALUE"),
                                    (("--again",), "ac", "are no metadata of a mirror")):
            code, _, told = self.create(*words, members=members)
            self.assertEqual(2, code, words)
            self.assertIn(why, told)
        self.assertEqual({}, self.dmsetup.devices)

    def test_the_first_members_data_stay(self) -> None:
        self.signatures["a"] = "ext4"
        self.assertEqual(0, self.create()[0])

    def test_consent_for_the_others(self) -> None:
        self.signatures["b"] = "ext4"
        self.assertEqual(0, self.create("--yes")[0])

    def test_metadata(self) -> None:
        self.format()
        code, _, told = self.create()
        self.assertEqual(2, code)
        self.assertIn("is what is known of a mirror of 2 members and 64 MiB: --yes if that may go, --again", told)
        self.disk("a", SECTORS * 1024), self.disk("b", SECTORS * 1024)
        self.assertEqual(0, self.create("--again")[0])
        self.assertEqual(str(SECTORS), self.dmsetup.devices["m"][0].split()[1])
        self.assertIsNotNone(metadata.told(self.path / "meta"))

    def test_metadata_go_with_consent(self) -> None:
        self.format()
        self.assertIn("dd if=/dev/zero", self.create("--yes", "--dry-run")[1])
        self.assertIsNotNone(metadata.told(self.path / "meta"))
        self.assertEqual(0, self.create("--yes")[0])
        self.assertIsNone(metadata.told(self.path / "meta"))

    def test_too_small_a_metadata_device(self) -> None:
        self.sizes["meta"] = metadata.need_bytes(SECTORS, 1 << 20) - 1
        self.assertIn("16384 bytes are needed", self.create()[2])

    def test_one_is_there(self) -> None:
        self.dmsetup.add("m")
        self.assertIn("there is a device m already", self.create()[2])


class Status(Tool):
    def test_in_order(self) -> None:
        self.dmsetup.add("m")
        code, told, _ = self.run_tool("mirror", "status")
        self.assertEqual(0, code)
        self.assertRegex(told, r"^m: 67\.1 MB, durability strict, cache 1\.7 MB of 8\.4 MB, 13 turns, last ")
        self.assertRegex(told, r"\n  0 +\S+ +reading +- +0 +205 MB/s\n  1 +\S+ +writing +- +0 +102 MB/s\n$")

    def test_degraded(self) -> None:
        for status, words in ((FAILED, "member 1 has failed"), (REBUILDING, "member 1 is being rebuilt, 22.9 % done"),
                              (UNREAD, "its metadata are being read"),
                              (TURNS.replace("broken=0", "broken=1"), "writes fail"),
                              (TURNS.replace("meta_failed=0", "meta_failed=1"), "metadata cannot be written"),
                              (TURNS + " journal=lost", "its journal is not used any more")):
            self.dmsetup.add("m", told=status)
            code, told, _ = self.run_tool("mirror", "status", "m")
            self.assertEqual((1, True), (code, words in told), told)

    def test_who_is_not_known_yet_is_not_being_rebuilt(self) -> None:
        self.dmsetup.add("m", told=UNREAD)
        self.assertNotIn("rebuilt", self.run_tool("mirror", "status", "m")[1])

    def test_what_has_to_be_copied(self) -> None:
        self.dmsetup.add("m", told=REBUILDING)
        self.assertRegex(self.run_tool("mirror", "status", "m")[1], r"rebuilding +51\.8 MB +0")

    def test_json_has_words_that_are_no_numbers(self) -> None:
        self.dmsetup.add("m", told=TURNS + " scrub=off journal=none")
        one = json.loads(self.run_tool("mirror", "status", "m", "--json")[1])[0]
        self.assertEqual(("off", "none", 2048), (one["scrub"], one["journal"], one["cache_blocks"]))

    def test_json(self) -> None:
        self.dmsetup.add("m", told=REBUILDING)
        code, told, _ = self.run_tool("mirror", "status", "m", "--json")
        one = json.loads(told)[0]
        self.assertEqual((1, True, "start", 3744, 64), (code, one["degraded"], one["why"],
                                                        one["copied_blocks"], int(one["params"]["region_kib"])))
        self.assertEqual(["both", "rebuilding"], [member["state"] for member in one["members"]])
        self.assertEqual({*pairs(TURNS)} - {"members", *(f"{key}{n}" for key in ("member", "stale_regions", "errors", "block_ns")
                                                         for n in (0, 1))},
                         {*one} - {"name", "degraded", "size_bytes", "meta", "params", "members"})

    def test_others(self) -> None:
        self.dmsetup.devices["gold"] = ["0 8 ssdqos 8:16 0"]
        self.assertEqual((0, "no mirrors\n"), self.run_tool("mirror", "status")[:2])
        self.assertIn("gold is no mirror", self.run_tool("mirror", "status", "gold")[2])
        self.assertIn("lead cannot be asked", self.run_tool("mirror", "status", "lead")[2])


class Members(Tool):
    def setUp(self) -> None:
        super().setUp()
        self.dmsetup.add("m")

    def test_messages(self) -> None:
        for words in (("fail", "m", "1"), ("join", "m", "0"), ("join", "m", "0", "--rebuild")):
            self.assertEqual(0, self.run_tool("mirror", *words)[0])
        self.assertEqual([("fail", "1"), ("join", "0"), ("rebuild", "0")],
                         [call[3:] for call in self.dmsetup.calls if call[0] == "message"])

    def test_no_such_member(self) -> None:
        for word in ("2", "-1"):
            self.assertIn("m has no member", self.run_tool("mirror", "fail", "m", "--", word)[2])

    def test_it_is_tried_again(self) -> None:
        self.dmsetup.not_yet = join.TRIES - 1
        self.assertEqual(0, self.run_tool("mirror", "join", "m", "1")[0])
        self.dmsetup.not_yet = join.TRIES
        self.assertIn("try again", self.run_tool("mirror", "join", "m", "1")[2])


class Replace(Tool):
    def setUp(self) -> None:
        super().setUp()
        self.dmsetup.add("m", self.table("a", "b", more=" 2 assume_same on"))

    def replace(self, member: int = 1, *words: str) -> tuple[int, str, str]:
        return self.run_tool("mirror", "replace", "m", member, self.path / "c", "--dir", self.etc, *words)

    def changes(self) -> list[str]:
        return [call[0] for call in self.dmsetup.calls if call[0] in ("reload", "suspend", "resume", "clear")]

    def test_the_metadata_say_that_it_has_nothing(self) -> None:
        self.format(leader=1)
        conf.MirrorConf("m", line.parse(self.table("a", "b"))).write(self.etc)
        code, told, _ = self.replace()
        self.assertEqual((0, [self.table("a", "c")]), (code, self.dmsetup.devices["m"]), told)
        self.assertEqual({2}, {*self.masks()})
        self.assertEqual(0, metadata.told(self.path / "meta").leader)
        self.assertEqual(["reload", "suspend", "resume"], self.changes())
        self.assertEqual(str(self.path / "c"), conf.read(self.etc / "m.conf").line.members[1].device)

    def test_the_kernel_takes_both_superblocks(self) -> None:
        """It refuses one whose leader is out, also beside a newer one."""
        self.format(out=2)
        with metadata.opened(self.path / "meta", for_writing=True) as found:
            payload = bytearray(block.parse(found.read(0), block.SUPER).payload)
            payload[metadata.AT["OUT_MASK"]] = 1
            found.write(0, Block(block.SUPER, b"u" * 16, 0, 1, bytes(payload)).raw())
            found.forget(0, 1)
            copies = [metadata.parse_super(block.parse(found.read(slot), block.SUPER)) for slot in (0, 1)]
        self.assertEqual([(1, 1), (0, 2)], [(copy.leader, copy.out_mask) for copy in copies])

    def test_who_has_it_alone_stays(self) -> None:
        self.format(bytes(9) + b"\1" + bytes(1014))
        code, _, told = self.replace()
        self.assertEqual((2, [self.table("a", "b", more=" 2 assume_same on")]), (code, self.dmsetup.devices["m"]))
        self.assertIn("only member 1 has all", told)
        self.assertEqual(bytes(9) + b"\1" + bytes(1014), self.masks())
        self.assertEqual(["reload", "suspend", "clear", "resume"], self.changes())

    def test_nobody_else_is_whole(self) -> None:
        self.format()
        self.dmsetup.told["m"] = REBUILDING
        self.assertIn("no member but 0 has all", self.replace(0)[2])

    def test_refused(self) -> None:
        self.format()
        self.signatures["c"] = "xfs"
        self.assertIn("c is xfs, which", self.replace()[2])
        self.assertIn("m has no member 2", self.replace(2)[2])
        self.sizes["c"] -= 1
        self.assertIn("67108864 bytes are needed", self.replace()[2])
        self.assertEqual(0, max(self.masks()))

    def test_dry_run_changes_nothing(self) -> None:
        self.format()
        code, told, _ = self.replace(1, "--dry-run")
        self.assertEqual((0, True), (code, self.table("a", "c") in told))
        self.assertEqual((0, [self.table("a", "b", more=" 2 assume_same on")]),
                         (max(self.masks()), self.dmsetup.devices["m"]))


class Metadata(Tool):
    def test_damaged(self) -> None:
        self.format()
        raw = bytearray((self.path / "meta").read_bytes())
        raw[2 * BLOCK_BYTES + 100] ^= 1
        (self.path / "meta").write_bytes(raw)
        with metadata.opened(self.path / "meta", for_writing=True) as found, \
                self.assertRaisesRegex(ToolError, "neither of two copies"):
            found.forget(1, 0)

    def test_a_later_version(self) -> None:
        raw = bytearray(Block(block.SUPER, b"u" * 16, 0, 1, bytes(PAYLOAD_BYTES)).raw())
        raw[block.AT["VERSION"]] = 2
        raw[8:12] = crc32c(bytes(raw[12:])).to_bytes(4, "little")
        with self.assertRaisesRegex(ToolError, "version 2"):
            block.parse(bytes(raw), block.SUPER)

    def test_the_newer_copy_counts(self) -> None:
        self.format()
        with metadata.opened(self.path / "meta", for_writing=True) as found:
            for _ in range(3):
                found.forget(1, 0)
            self.assertEqual([5, 4], [block.parse(found.read(slot), block.SUPER).seq for slot in (0, 1)])
        self.assertEqual({2}, {*self.masks()})

    def test_regions_that_are_none(self) -> None:
        self.format()
        with metadata.opened(self.path / "meta", for_writing=True) as found:
            found.forget(1, 0)
            self.assertEqual(0, max(found.newest(block.REGIONS, b"u" * 16, 0, 2)[0].payload[1024:]))


class BackAtBoot(Tool):
    def setUp(self) -> None:
        super().setUp()
        self.dmsetup.add("m", self.table("a", "b", more=" 4 assume_same on switch_ms 100"))
        self.assertEqual(0, self.run_tool("save", "m", "--dir", self.etc)[0])

    def restore(self, *words: str) -> tuple[int, str, str]:
        return self.run_tool("restore", *words, "--dir", self.etc)

    def without(self, name: str) -> None:
        del self.dmsetup.devices["m"]
        (self.path / name).unlink()

    def test_round_trip(self) -> None:
        self.assertNotIn("assume_same", (self.etc / "m.conf").read_text())
        del self.dmsetup.devices["m"]
        self.assertEqual(0, self.restore("--all")[0])
        self.assertEqual([self.table("a", "b", more=" 2 switch_ms 100")], self.dmsetup.devices["m"])

    def test_waits_for_its_members(self) -> None:
        self.format()
        self.without("b")
        self.assertEqual((0, "", ""), self.restore("--all"))
        self.assertNotIn("m", self.dmsetup.devices)
        code, _, told = self.restore("m")
        self.assertEqual(2, code)
        self.assertIn("member 1, ", told)
        self.assertIn("may have what is newest; with 'device = -' in m.conf", told)

    def test_not_for_one_that_had_failed(self) -> None:
        self.format(out=2)
        self.without("b")
        self.assertEqual(0, self.restore("--all")[0])
        self.assertEqual([self.table("a", "-", more=" 2 switch_ms 100")], self.dmsetup.devices["m"])

    def test_nor_without_its_metadata(self) -> None:
        self.without("meta")
        self.assertEqual((0, "", ""), self.restore("--all"))
        self.assertIn("meta is not there", self.restore("m")[2])

    def with_journal(self) -> str:
        path = self.disk("journal")
        more = f" 4 durability journal journal {path}"
        self.dmsetup.devices["m"] = [self.table("a", "b", more=more)]
        with mock.patch("ssdqos.streams.disk_names.DiskNames.stable", lambda _, name: f"{name}"):
            self.assertEqual(0, self.run_tool("save", "m", "--dir", self.etc)[0])
        return more

    def test_its_journal_comes_back(self) -> None:
        more = self.with_journal()
        del self.dmsetup.devices["m"]
        self.assertEqual(0, self.restore("--all")[0])
        self.assertEqual([self.table("a", "b", more=more)], self.dmsetup.devices["m"])

    def test_nor_without_its_journal(self) -> None:
        self.with_journal()
        self.without("journal")
        self.assertEqual((0, "", ""), self.restore("--all"))
        self.assertIn("with 'journal = -' in m.conf the mirror begins without it", self.restore("m")[2])

    def test_the_journals_name_is_one_that_stays(self) -> None:
        self.dmsetup.devices["m"] = [self.table("a", "b", more=" 4 durability journal journal 8:64")]
        with mock.patch("ssdqos.streams.disk_names.DiskNames.stable", lambda _, name: f"by-id-{Path(name).name}"):
            self.run_tool("save", "m", "--dir", self.etc)
        self.assertIn("\njournal = by-id-8:64\n", (self.etc / "m.conf").read_text())

    def test_one_that_comes_later(self) -> None:
        self.dmsetup.devices["m"] = [self.table("a", "-", more=" 2 switch_ms 100")]
        with mock.patch("ssdqos.streams.disk_names.DiskNames.is_there", lambda *_: True):
            code, told, _ = self.restore("m")
        self.assertEqual((0, f"m: member 1 is {self.path / 'b'} now\n"), (code, told))
        self.assertEqual([self.table("a", "b", more=" 2 switch_ms 100")], self.dmsetup.devices["m"])

    def test_a_file_that_is_wrong(self) -> None:
        for text, why in (("[mirror]\nlength_bytes = 8\n", "members have to be"),
                          ("[mirror]\nlength_bytes = 100\nmeta_device = x\n[member 0]\ndevice = y\noffset_bytes = 0\n",
                           "no multiple of 512"), ("[mirror]\n[member 1]\n", "members have to be")):
            (self.etc / "m.conf").write_text(text)
            code, _, told = self.restore("--all")
            self.assertEqual((1, True), (code, why in told), told)

    def test_forgotten(self) -> None:
        self.assertIn("m.conf stays", self.run_tool("mirror", "remove", "m", "--dir", self.etc)[1])
        self.assertEqual((0, True), (self.run_tool("mirror", "remove", "m", "--forget", "--dir", self.etc)[0],
                                     not list(self.etc.iterdir())))


class Watched(Tool):
    def setUp(self) -> None:
        super().setUp()
        self.dmsetup.add("m")

    def test_lines(self) -> None:
        later = Mirror(pairs(TURNS.replace(" switches=13", " switches=17").replace(" reads=15507", " reads=16507")
                             .replace(" writes=15483", " writes=16483")))
        told = watch.lines([watch.Look(0, {"m": Mirror(pairs(TURNS))}), watch.Look(2, {"m": later})])
        self.assertEqual("mirror m: 0 reading, 1 writing; 2.0 turns/s, the turn was over", told[0])
        self.assertIn("500 reads/s, 0 of them from it, 2.0 MB written a second; 0 regions", told[1])
        self.assertEqual(2, len(told))

    def test_troubles_stand_out(self) -> None:
        self.assertIn("MEMBER 1 HAS FAILED", watch.lines([watch.Look(0, {"m": Mirror(pairs(FAILED))})])[-1])

    def test_top(self) -> None:
        with mock.patch("ssdqos.top.SYSFS", self.path):
            self.assertIn("mirror m: 0 reading", self.run_tool("top", "--count", "1")[1])
            self.assertEqual("mirror=m\nv=1\n", self.run_tool("top", "m", "--once")[1][:13])
            self.assertIn("is no live device", self.run_tool("top", "x", "--once")[2])

    def test_metrics(self) -> None:
        found = parsed(metrics.text([live.read(self.dmsetup, "m")]))
        plain = {name: value for (name, labels), value in found.items() if labels == {("device", "m")}}
        self.assertEqual((424 * 4096, 13, 15483 * 4096, 15507, 29881 * 4096, 26111),
                         tuple(plain[f"ssdqos_mirror_{name}"] for name in
                               ("cache_used_bytes", "switches_total", "writes_bytes_total", "reads_total",
                                "sent_bytes_total", "sent_total")))
        self.assertEqual([("1", "writing")], [(dict(labels)["member"], dict(labels)["state"])
                                              for (name, labels), value in found.items()
                                              if name == "ssdqos_mirror_member_state" and value
                                              and dict(labels)["member"] == "1"])
        member = frozenset({("device", "m"), ("member", "1")})
        self.assertEqual(0, found["ssdqos_mirror_member_errors", member])
        self.assertAlmostEqual(40e-6, found["ssdqos_mirror_member_block_seconds", member])
        self.assertEqual("", metrics.text([]))


class Scrub(Tool):
    """Members are compared; the mirror of the fake is done when it is asked for the first time."""

    AFTER = (("scrubs=0", "scrubs=1"), ("differing_blocks=0", "differing_blocks=3"))
    BEFORE = TURNS + " scrub=off scrub_region=0 scrubs=0 differing_blocks=0 not_mended=0"

    def compared(self, *changes: tuple[str, str]) -> None:
        self.dmsetup.add("m", told=self.BEFORE)
        message = self.dmsetup.message

        def tell(name: str, sector: int, *words: str) -> str:
            for old, new in changes:
                self.dmsetup.told[name] = self.dmsetup.told[name].replace(old, new)
            return message(name, sector, *words)
        self.enterContext(mock.patch.object(self.dmsetup, "message", tell))

    def says(self, status: int, *words: str) -> str:
        code, out, err = self.run_tool("mirror", "scrub", *words)
        self.assertEqual(status, code, err)
        return out

    def refuses(self, *words: str) -> str:
        code, _out, err = self.run_tool("mirror", "scrub", *words)
        self.assertEqual(2, code)
        return err

    def test_starts_and_stops(self) -> None:
        self.compared()
        self.assertIn("being compared", self.says(0, "m"))
        self.assertIn("not compared any more", self.says(0, "m", "--stop"))
        self.assertIn(("message", "m", "0", "scrub", "start"), self.dmsetup.calls)
        self.assertIn(("message", "m", "0", "scrub", "stop"), self.dmsetup.calls)

    def test_waits(self) -> None:
        self.compared(self.AFTER[0])
        self.assertEqual("m: members have the same\n", self.says(0, "m", "--wait"))

    def test_what_differed_is_told(self) -> None:
        self.compared(*self.AFTER)
        self.assertEqual("m: 3 blocks differed or could not be read; all are mended\n",
                         self.says(1, "m", "--wait"))

    def test_what_is_left_is_told(self) -> None:
        self.compared(*self.AFTER, ("not_mended=0", "not_mended=2"))
        self.assertIn("2 regions could not be mended", self.says(1, "m", "--wait"))

    def test_stopped_by_somebody(self) -> None:
        self.compared()
        self.assertIn("somebody has stopped", self.refuses("m", "--wait"))

    def test_one_alone(self) -> None:
        self.dmsetup.add("m", told=FAILED)
        self.assertIn("one member only has all", self.refuses("m"))

    def test_status_says_so(self) -> None:
        self.dmsetup.add("m", told=TURNS + " scrub=on scrub_region=512")
        self.assertIn("being compared, 50 % done", self.run_tool("mirror", "status", "m")[1])


class Apart(unittest.TestCase):
    def test_a_partition_is_a_part(self) -> None:
        parts = {"sda": {"8:0": "sda", "8:1": "sda1"}, "sda1": {"8:1": "sda1"}, "sdb": {"8:16": "sdb"}}
        with mock.patch.object(Device, "parts", lambda device: parts[device.path.name]), \
                mock.patch.object(Device, "number", lambda device: next(iter(parts[device.path.name]))):
            devices.check_apart([Device(Path("sdb")), Device(Path("sda1"))])
            with self.assertRaisesRegex(ToolError, "one is a part of the other"):
                devices.check_apart([Device(Path("sda")), Device(Path("sda1"))])

    def test_one_disk(self) -> None:
        with mock.patch.object(Device, "size_bytes", lambda _: 8192), \
                mock.patch.object(Device, "disk_directory", lambda _: Path("/sys/sda")):
            self.assertEqual(["members are on one disk: if that dies, they die together"],
                             Devices((Device(Path("a")), Device(Path("b"))), Device(Path("m"))).told(16))


class Order(unittest.TestCase):
    def test_who_has_all(self) -> None:
        one = live.Live("m", line.parse(TABLE), Mirror(pairs(REBUILDING)))
        self.assertEqual(0, replace.leader(one, 1))
        with self.assertRaises(ToolError):
            replace.leader(one, 0)


if __name__ == "__main__":
    unittest.main()
