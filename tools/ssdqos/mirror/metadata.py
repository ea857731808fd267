# SPDX-License-Identifier: GPL-2.0
"""What a mirror keeps on its metadata device, read and changed while the mirror rests.

A member that comes with a table is trusted to have what the metadata do not say it
lacks.  So before another disk takes its place, the metadata have to say that it lacks
everything.

Behind the region map, where the kernel never writes, lies one more block, twice: what the members' disks say of
themselves (identity.py).
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.mirror import block
from ssdqos.mirror.block import BLOCK_BYTES, LONG, PAYLOAD_BYTES, SLOTS, WORD, Block, number

SECTOR_BYTES = 512
# Places of a superblock (disk.c), in its payload.
AT = {"SECTORS": 0, "REGION_SECTORS": 8, "NR_MEMBERS": 12, "DURABILITY": 16, "LEADER": 20, "CLEAN": 24, "OUT_MASK": 28}


@dataclass(frozen=True)
class Super:
    """What a superblock says; members are bits of `out_mask`."""

    sectors: int
    region_sectors: int
    nr_members: int
    leader: int
    out_mask: int

    def regions(self) -> int:
        return -(-self.sectors // self.region_sectors)

    def maps(self) -> int:
        return -(-self.regions() // PAYLOAD_BYTES)

    def end(self) -> int:
        """The first block behind them."""
        return (1 + self.maps()) * SLOTS

    def with_sectors(self, sectors: int) -> Super:
        """As it is when the mirror is so long."""
        return replace(self, sectors=sectors)

    def is_out(self, member: int) -> bool:
        return bool(self.out_mask >> member & 1)


def parse_super(found: Block) -> Super:
    raw = found.payload
    return Super(number(raw, AT["SECTORS"], LONG), number(raw, AT["REGION_SECTORS"]), number(raw, AT["NR_MEMBERS"]),
                 number(raw, AT["LEADER"]), number(raw, AT["OUT_MASK"]))


def need_bytes(sectors: int, region_bytes: int) -> int:
    """Size of a metadata device."""
    wanted = Super(sectors, region_bytes // SECTOR_BYTES, 0, 0, 0)
    return wanted.end() * BLOCK_BYTES


class Metadata:
    """Past the page cache, since the kernel's mirror reads and writes past it, too."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.buffer = mmap.mmap(-1, BLOCK_BYTES)

    def read(self, at: int) -> bytes:
        if os.preadv(self.file, [self.buffer], at * BLOCK_BYTES) != BLOCK_BYTES:
            raise ToolError(f"the metadata device ends before block {at}")
        return bytes(self.buffer)

    def write(self, at: int, raw: bytes) -> None:
        self.buffer[:] = raw
        os.pwritev(self.file, [self.buffer], at * BLOCK_BYTES)

    def is_blank(self) -> bool:
        return not any(any(self.read(slot)) for slot in range(SLOTS))

    def wipe(self) -> None:
        for slot in range(SLOTS):
            self.write(slot, bytes(BLOCK_BYTES))

    # ---- blocks ----

    def newest(self, kind: int, uuid: bytes | None, index: int, at: int) -> tuple[Block, int]:
        """And which block of the device the next one goes to."""
        found, slot = block.newest([block.parse(self.read(at + slot), kind, uuid, index) for slot in range(SLOTS)])
        return found, at + slot

    def super_block(self) -> Block | None:
        """None if there is none."""
        copies = [block.parse(self.read(slot), block.SUPER) for slot in range(SLOTS)]
        return block.newest(copies)[0] if any(copies) else None

    # ---- what members' disks say of themselves ----

    def identity_block(self, uuid: bytes, at: int) -> tuple[Block, int]:
        """Of this mirror, and where the next one goes; what another one has left there is none."""
        copies = [block.parse(self.read(at + slot), block.IDENTITIES, uuid) for slot in range(SLOTS)]
        if not any(copies):
            return Block(block.IDENTITIES, uuid, 0, 0, b""), at
        found, slot = block.newest(copies)
        return found, at + slot

    def has_room(self, at: int) -> bool:
        return os.lseek(self.file, 0, os.SEEK_END) >= (at + SLOTS) * BLOCK_BYTES

    def keeps_identities(self, sectors: int) -> bool:
        """Still, when the mirror is so long."""
        known = self.super_block()
        return known is None or not self.identities() or self.has_room(parse_super(known).with_sectors(sectors).end())

    def identities(self) -> list[str]:
        """By member; none if nobody has kept them."""
        known = self.super_block()
        if known is None or not self.has_room(at := parse_super(known).end()):
            return []
        text = self.identity_block(known.uuid, at)[0].payload.rstrip(b"\0")
        return json.loads(text) if text else []

    def keep_identities(self, identities: list[str]) -> None:
        """If there is room: a metadata device that is as small as can be has none."""
        known = self.super_block()
        if known is None or not self.has_room(at := parse_super(known).end()):
            return
        before, place = self.identity_block(known.uuid, at)
        self.write(place, before.after(json.dumps(identities).encode().ljust(PAYLOAD_BYTES, b"\0")).raw())

    def secure_identities(self, sectors: int) -> None:
        """Before a mirror becomes so long: they are lost only when it has.

        If its map gets a block where they are, the kernel writes one copy of that, the first one, and then the
        superblock.  So the second place has to have them.
        """
        known = self.super_block()
        if known is None or not self.has_room(at := parse_super(known).end()):
            return
        found, place = self.identity_block(known.uuid, at)
        if found.payload and place != at and parse_super(known).with_sectors(sectors).end() > at:
            self.write(place, found.after(found.payload).raw())

    # ---- a member that shall have nothing ----

    def maps(self, uuid: bytes, count: int) -> Iterator[tuple[Block, int]]:
        for index in range(count):
            yield self.newest(block.REGIONS, uuid, index, (1 + index) * SLOTS)

    def forget(self, member: int, leader: int) -> None:
        """From now on `member` lacks everything; `leader` is one that has all.

        Nothing is written if nobody else has all.  Whatever is cut short, the rest of the member is as it was.
        """
        found, place = self.newest(block.SUPER, None, 0, 0)
        known = parse_super(found)
        bit = 1 << member
        changed = []
        for one, at in self.maps(found.uuid, known.maps()):
            masks = bytes(mask | bit for mask in one.payload)
            left = known.regions() - one.index * PAYLOAD_BYTES
            if any(mask == (1 << known.nr_members) - 1 for mask in masks[:left]):
                raise ToolError(f"only member {member} has all: the others have to be rebuilt first")
            changed.append((one.after(masks[:left].ljust(PAYLOAD_BYTES, b"\0")), at))
        for one, at in changed:
            self.write(at, one.raw())
        payload = bytearray(found.payload)
        payload[AT["LEADER"]:AT["LEADER"] + WORD] = leader.to_bytes(WORD, "little")
        # should `leader` be away then, none may lead that lacks all
        out = (known.out_mask | bit) & ~(1 << leader)
        payload[AT["OUT_MASK"]:AT["OUT_MASK"] + WORD] = out.to_bytes(WORD, "little")
        self.write(place, found.after(bytes(payload)).raw())


@contextmanager
def opened(path: Path, for_writing: bool = False) -> Iterator[Metadata]:
    """The mirror may have it, too."""
    mode = os.O_RDWR | os.O_SYNC if for_writing else os.O_RDONLY
    try:
        file = os.open(path, mode | os.O_DIRECT)
    except OSError as error:
        raise ToolError(f"{path} cannot be opened: {error.strerror}") from error
    try:
        yield Metadata(file)
    except OSError as error:
        raise ToolError(f"the metadata on {path} cannot be read or written: {error.strerror}") from error
    finally:
        os.close(file)


def told(path: Path) -> Super | None:
    """The superblock of a device; None if there is none."""
    with opened(path) as metadata:
        found = metadata.super_block()
        return parse_super(found) if found else None
