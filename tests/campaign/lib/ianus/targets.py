# SPDX-License-Identifier: GPL-2.0
"""Part `targets`: guarantees of reads and of writes over a mirror whose members take turns, on drives of full size."""

from __future__ import annotations

import dataclasses
import statistics
from pathlib import Path

from lib import campaign, rst
from lib.claim import Bound, Row
from lib.edf.clients import DRIVE_B, KIB
from lib.ianus.runs import BYTES_PER_MB, CACHE_KIB_PER_S, NAME, NS_PER_MS, Runs, cell, median
from lib.kept import command
from lib.simulator import ROOT

TITLE = "Targets that are met"
DRIVE = DRIVE_B
# As part `promises` has it, in the kernel: the mirror writes all twice, to one member at a time.
READ_PCT, WRITE_PCT = 70, 25
SIZES_KIB = (4, 256)
DEPTH = 32
SWITCH_S, REST_MS = 10, 1000
READ_WINDOW_MS, WRITE_WINDOW_MS = 1000, 2 * 1000 * SWITCH_S
WARM_UP_S, RUN_S = 100, 200
ALONE_WARM_UP_S, ALONE_S = 20, 60
QUICK_DIVISOR = 5
CLIENTS = {"reader": "read", "writer": "write"}
APART, APART_RESTS = "apart", "apart, idle 1 s"
CONTENDERS = {
    "one": "one drive",
    "raid1": "two drives, written at once, read from either",
    "ianus": "two drives that take turns, as one drive",
    "ianus, idle 1 s": "the same; who was written rests for the last second of a turn",
    APART: "two drives that take turns, reads and writes apart (``drive_apart``)",
    APART_RESTS: "the same, with the rest",
}
# The paper, Figure 18: all streams meet their targets 95 % of the time, and "more than 99%" with rest.
LEAST_PCT = {APART: 95.0, APART_RESTS: 99.0}
PERCENT = 100.0
NS_PER_S = 1_000_000_000


@dataclasses.dataclass(frozen=True)
class Alone:
    """What one drive does of each alone, requests by second."""

    reads: float
    writes: float

    def profile(self, kib: int) -> str:
        costs = (("read", self.reads), ("write", self.writes))
        return "".join([f"ssdqos-profile 1 window_ms {READ_WINDOW_MS}\n",
                        *(f"cost {op} {pattern} {kib * KIB} {DEPTH} 990 {round(NS_PER_S / rate)}\n"
                          for op, rate in costs for pattern in ("rand", "seq"))])

    def promised(self, client: str) -> int:
        """Requests by second."""
        return int(self.reads * READ_PCT / PERCENT) if client == "reader" else int(self.writes * WRITE_PCT / PERCENT)


def stream(name: str, op: str, kib: int, more: str = "") -> list[str]:
    return ["--stream", f'name={name} load="rand{op} bs={kib}k iodepth={DEPTH}"{more}']


def base(seed: int, warm_up_s: int, run_s: int) -> list[str]:
    sets = DRIVE.arguments.split()
    return ["qos", "--drive", DRIVE.preset, "--size", str(DRIVE.megabytes * BYTES_PER_MB),
            *(word for key, value in zip(sets[::2], sets[1::2]) for word in ("--set", f"{key}={value}")),
            "--verify", "off", "--seed", str(seed), "--warm-up", f"{warm_up_s}s", "--runtime", f"{warm_up_s + run_s}s"]


def below(contender: str) -> list[str]:
    """What the clients share, and how."""
    if contender in ("one", "raid1"):
        return ["--peer", contender]
    rest = f" idle_ms={REST_MS}" if contender.endswith("idle 1 s") else ""
    words = ["--peer", "ianus", "--mirror", f"switch_ms={1000 * SWITCH_S} cache_kib={CACHE_KIB_PER_S * SWITCH_S}{rest}"]
    return [*words, "--qos", "drive_apart=on"] if contender in LEAST_PCT else words


def promise(alone: Alone, client: str, kib: int) -> str:
    window_ms = READ_WINDOW_MS if client == "reader" else WRITE_WINDOW_MS
    return f" op={CLIENTS[client]} min_iops={alone.promised(client)} block_bytes={kib}k window_ms={window_ms}"


def words_of(contender: str, kib: int, seed: int, alone: Alone, profile: Path, quick: bool) -> list[str]:
    faster = QUICK_DIVISOR if quick else 1
    return [*base(seed, WARM_UP_S // faster, RUN_S // faster), "--profile", str(profile), *below(contender),
            "--qos", f"drive_queue_depth={DEPTH} drive_overcommit=on",
            *stream("reader", "read", kib, promise(alone, "reader", kib)),
            *stream("writer", "write", kib, promise(alone, "writer", kib)),
            *stream("reads", "read", kib), *stream("writes", "write", kib)]


def keep_rate(found: dict, _: Path) -> dict:
    return {"iops": found["iops"]}


def kept_of(client: dict) -> dict:
    met, missed = client["windows_met"], client["windows_missed"]
    return {"met_pct": PERCENT * met / max(1, met + missed), "windows": met + missed, "a_s": client["iops"],
            "least_pct": PERCENT * client["achieved_min"] / client["promised"],
            "p999_ms": client["latency_ns"]["p999"] / NS_PER_MS}


def keep(found: dict, _: Path) -> dict:
    """By client what became of its promise; and what all did."""
    seconds = found["virtual_s"]
    mirror = found.get("mirror", {})
    streams = found["streams"]
    return {**{client: kept_of(streams[client]) for client in CLIENTS},
            **{f"{op}s_s": found["latency_ns"][op]["n"] / seconds for op in CLIENTS.values()},
            "turn_s": seconds / max(1, mirror["switches"]) if mirror else 0,
            "cache_pct": PERCENT * mirror["cache_high_blocks"] / mirror["cache_blocks"] if mirror else 0}


def learn(runs: Runs, kib: int, seed: int) -> Alone:
    faster = QUICK_DIVISOR if runs.quick else 1
    return Alone(*(runs.result([*base(seed, ALONE_WARM_UP_S // faster, ALONE_S // faster), *stream("alone", op, kib)],
                               keep_rate)["iops"] for op in CLIENTS.values()))


def write_profile(alone: Alone, kib: int, seed: int) -> Path:
    """Beside the runs; its name says what it has, as runs are kept by their arguments."""
    directory = campaign.runs_of(NAME)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{kib}k-{seed}-{alone.reads:.0f}-{alone.writes:.0f}.profile"
    path.write_text(alone.profile(kib))
    return path


def measure_size(runs: Runs, kib: int) -> dict:
    found: dict = {"alone": [], **{contender: [] for contender in CONTENDERS}}
    for seed in runs.seeds():
        runs.say(f"{kib} KiB, seed {seed}")
        alone = learn(runs, kib, seed)
        profile = write_profile(alone, kib, seed)
        found["alone"].append(dataclasses.asdict(alone))
        for contender in CONTENDERS:
            words = words_of(contender, kib, seed, alone, profile, runs.quick)
            found[contender].append(runs.result(words, keep))
            found["command"] = command(words).replace(f"{ROOT}/", "")
    return found


def measure(runs: Runs) -> dict:
    return {"sizes": {f"{kib} KiB": measure_size(runs, kib) for kib in SIZES_KIB}}


def of(made: list[dict], client: str) -> list[dict]:
    """By seed."""
    return [one[client] for one in made]


def goals(result: dict) -> list[Row]:
    return [Bound(f"{size}, {contender}: windows of promised {op}s that were met, in the worst seed (the paper: {least:.0f} %)",
                  min(one["met_pct"] for one in of(mix[contender], client)), least=least, unit="%").row()
            for size, mix in result["sizes"].items() for contender, least in LEAST_PCT.items() for client, op in CLIENTS.items()]


HEAD = ["", "reads met, %", "least, %", "reads/s", "p99.9, ms", "writes met, %", "least, %", "writes/s", "all reads/s",
        "all writes/s", "a turn, s", "cache, %"]


def row(name: str, made: list[dict]) -> list[str]:
    reader, writer = of(made, "reader"), of(made, "writer")
    return [name, cell(reader, "met_pct", 1), cell(reader, "least_pct"), cell(reader, "a_s"), cell(reader, "p999_ms", 1),
            cell(writer, "met_pct", 1), cell(writer, "least_pct"), cell(writer, "a_s"), cell(made, "reads_s"),
            cell(made, "writes_s"), cell(made, "turn_s"), cell(made, "cache_pct")]


def table(size: str, mix: dict) -> str:
    one = mix["one"][0]
    told = (f"One drive alone: {median(mix['alone'], 'reads'):,.0f} reads and {median(mix['alone'], 'writes'):,.0f} writes a "
            f"second.  {one['reader']['windows']} windows of the reader and {one['writer']['windows']} of the writer in each run.\n")
    return rst.page(rst.heading(size, "~"), told, rst.table(HEAD, [row(name, mix[name]) for name in CONTENDERS]))


TEXT = f"""\
Drives of model {DRIVE.title}, {DRIVE.megabytes / 1000:.0f} GB, full and aged, in the simulator.  A client is promised {READ_PCT} % of the random reads that
one drive does alone (windows of {READ_WINDOW_MS // 1000} s), another one {WRITE_PCT} % of the random writes (windows of two turns, {WRITE_WINDOW_MS // 1000} s); two more
read and write as much as goes, and all four have {DEPTH} requests under way.  What requests cost is taken from what one drive does alone, the
same for all contenders, and promises may exceed it (``drive_overcommit``).  Turns take {SWITCH_S} s or until who is written has caught up.
*Met* is the part of windows with what was promised, *least* the one that had the least of it, in per cent of the promise; *a turn* is
how long one took on average.  Median of the seeds, and their range.  Part ``promises`` has the same in the kernel.
"""


def section(result: dict) -> str:
    sizes = result["sizes"]
    last = list(sizes.values())[-1]["command"]
    return rst.page(TEXT, rst.table(["", "means"], [list(pair) for pair in CONTENDERS.items()]),
                    *(table(size, mix) for size, mix in sizes.items()),
                    f"One of these runs, whose profile has a line for each kind of request, such as ``cost read rand 4096 {DEPTH} 990 49895``::"
                    f"\n\n    {last}\n")


def draw(result: dict, directory: Path) -> None:
    """The tables say it."""
