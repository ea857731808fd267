# SPDX-License-Identifier: GPL-2.0
"""Kinds of hostile input: each makes a command line and files from random numbers.

What is simulated is small, so that a run that takes long is one that hangs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from random import Random

from lib.fuzz import damage, state

DIRECTORY = "{dir}"  # in arguments: where the files are
SMALL = ("--size", "64m")
SMALL_LOAD = "randrw number_ios=300 iodepth=8"
TRACE_HEAD = "time_us,op,offset_bytes,size_bytes\n"
GOOD_VALUES = 0.8
DRIVES = ("autossd", "ttflash", "x25e-like", "intel510-like")


@dataclasses.dataclass(frozen=True)
class Case:
    """One input: arguments of a program, and files."""

    kind: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    program: str = "ssdqos-sim"


@dataclasses.dataclass(frozen=True)
class Base:
    """What there is to damage: parameters with good values, and good states by the options of their drives."""

    flash: Mapping[str, tuple[str, ...]]
    qos: Mapping[str, tuple[str, ...]]
    mirror: Mapping[str, tuple[str, ...]]
    states: tuple[tuple[tuple[str, ...], bytes], ...]


def path(name: str) -> str:
    return f"{DIRECTORY}/{name}"


# ---- run ----

def make_state(random: Random, base: Base) -> Case:
    drive, good = random.choice(base.states)
    files = {"state": state.changed(random, good)}
    return Case("state", ("run", *drive, "--load", SMALL_LOAD, "--load-state", path("state"), "--save-state",
                          path("saved"), "--events", path("events")), files)


def trace_rows(random: Random) -> str:
    now_us, rows = 0, TRACE_HEAD
    for _ in range(random.randrange(60)):
        now_us += random.choice((0, 1, 100, 1000, 10**6))
        rows += f"{now_us},{random.choice('RWDFU')},{random.randrange(1 << 27)},{random.choice((0, 512, 4096, 10**6))}\n"
    return rows


def good_trace_rows(random: Random) -> str:
    rows = trace_rows(random).splitlines()
    return "\n".join(row for row in rows if row.endswith(",0") == (",F," in row)) + "\n"


def make_trace(random: Random, _base: Base) -> Case:
    rows = random.choice((trace_rows, good_trace_rows))(random).encode()
    more = ("--loop", damage.word(random) if random.random() < 0.3 else "2") if random.random() < 0.2 else ()
    more += ("--scale-time", damage.word(random)) if random.random() < 0.1 else ()
    return Case("trace", ("run", "--drive", random.choice(DRIVES), *SMALL, "--trace", path("trace"), *more,
                          "--requests", path("requests")),
                {"trace": damage.compressed(random, damage.damaged(random, rows))})


def load_words(random: Random) -> str:
    kind = random.choice(("read", "write", "rw", "randread", "randwrite", "randrw", "trim", "randtrim",
                          "synthetic-RAD-AS"))
    good = ("bs=4k", "bs=512,64k", "bs=geometric:8k", "iodepth=64", "rate_iops=5000", "arrival=poisson",
            "arrival=lognormal:5ms/2ms", "arrival=burst", "burst=50", "intensity=20", "rwmixread=70.25", "size=50%",
            "offset=1m", "random_distribution=zipf:0.9", "random_distribution=hot:80/20", "seed=9", "thinktime_us=50",
            "start=1ms", "runtime=10ms", "fraction=10%")
    words = [kind, *random.sample(good, random.randrange(5))]
    for at in range(1, len(words)):
        if random.random() < 0.2:
            words[at] = words[at].split("=")[0] + "=" + damage.word(random)
    return " ".join(words)


def text_of(data: bytes) -> str:
    """A command line has no NUL, and nothing that is not text."""
    return data.replace(b"\0", b"?").decode("utf-8", "replace")


def make_load(random: Random, _base: Base) -> Case:
    line = load_words(random)
    if random.random() < 0.3:
        line = text_of(damage.damaged(random, line.encode()))
    # at the end, whatever was said before: that many are over soon
    line += f" number_ios={random.randrange(1, 500)}"
    return Case("load", ("run", "--drive", random.choice(DRIVES), *SMALL, "--load", line[:60_000]))


def parameter(random: Random, parameters: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    name = random.choice(tuple(parameters))
    return name, random.choice(parameters[name]) if random.random() < GOOD_VALUES else damage.word(random)


def make_drive(random: Random, base: Base) -> Case:
    lines = [f"preset {random.choice(DRIVES)}"] if random.random() < 0.7 else []
    lines += [" ".join(parameter(random, base.flash)) for _ in range(random.randrange(6))]
    data = "\n".join(lines).encode()
    if random.random() < 0.5:
        data = damage.damaged(random, data)
    return Case("drive", ("run", "--drive", path("drive"), *SMALL, "--load", SMALL_LOAD),
                {"drive": damage.compressed(random, data)})


def make_options(random: Random, base: Base) -> Case:
    sets = [f"{'='.join(parameter(random, base.flash))}" for _ in range(random.randrange(1, 4))]
    arguments = ["run", "--drive", random.choice(DRIVES), "--load", SMALL_LOAD, "--size",
                 random.choice(("64m", "65m", "100m", "67108865", "1k", "", "-5", "0", "99999999999t"))]
    for one in sets:
        arguments += ["--set", one]
    if random.random() < 0.3:
        arguments += ["--series", path("series"), random.choice(("--series-interval", "--series-from", "--series-to")),
                      damage.word(random) if random.random() < 0.5 else "1ms"]
    return Case("options", tuple(arguments))


# ---- qos, mirror, life, convert ----

def stream(random: Random, base: Base, name: str) -> str:
    words = [f"name={name}", f"load='{random.choice(('randread', 'randwrite bs=16k', 'randrw rate_iops=2000'))}'"]
    for _ in range(random.randrange(3)):
        words.append("=".join(parameter(random, base.qos)))
    return " ".join(words)


def make_streams(random: Random, base: Base) -> Case:
    arguments = ["qos", "--drive", random.choice(DRIVES), *SMALL, "--runtime", "20ms"]
    for name in "abc"[:random.randrange(1, 4)]:
        line = stream(random, base, name)
        arguments += ["--stream", text_of(damage.damaged(random, line.encode()))[:60_000]
                      if random.random() < 0.3 else line]
    for option in ("--qos",) * random.randrange(3):
        arguments += [option, "=".join(parameter(random, base.qos))]
    if random.random() < 0.3:
        change = f"{random.choice(('5ms', '1h', damage.word(random)))} {random.choice(('a', 'drive', 'x'))} " + \
            "=".join(parameter(random, {**base.qos, **base.flash}))
        arguments += ["--at", change]
    return Case("streams", tuple(arguments))


def mirror_stream(random: Random, name: str) -> str:
    trace = f"trace={path('trace')}"
    source = random.choice(("load=randread", "load='randwrite bs=16k'", "load='randrw bs=3k rate_iops=9000'", trace,
                            f"{trace} iodepth=3 loop=2", f"{trace} scale={damage.word(random)}"))
    return f"name={name} {source} {random.choice(('', 'fsync=on'))}"


def make_mirror(random: Random, base: Base) -> Case:
    arguments = ["mirror", "--drive", random.choice(DRIVES), *SMALL, "--runtime", "20ms", "--mirror", "switch_ms=10",
                 "--members", random.choice("22345679" if random.random() < 0.3 else "2345")]
    arguments += ["--peer", random.choice(("raid1", "one"))] if random.random() < 0.1 else []
    for name in "abc"[:random.randrange(1, 4)]:
        line = mirror_stream(random, name)
        arguments += ["--stream", text_of(damage.damaged(random, line.encode()))[:60_000]
                      if random.random() < 0.1 else line]
    for _ in range(random.randrange(2)):
        arguments += ["--mirror", "=".join(parameter(random, base.mirror))]
    if random.random() < 0.3:
        arguments += ["--mirror", "durability=journal", "--journal-size", random.choice(("600k", "64m", "1", "9t"))]
        arguments += random.choice(([], ["--journal-drive", random.choice(DRIVES)], ["--event", "2ms:journal"],
                                    ["--journal-latency", damage.word(random)], ["--journal-rate", "1"]))
    if random.random() < 0.5:
        member = random.choice("01")
        arguments += ["--event", f"{random.choice(('5ms', '0', '1ms'))}:fail:{member}"]
        arguments += ["--event", f"8ms:{random.choice(('join', 'replace', 'fail'))}:{member}"]
    rows = good_trace_rows(random).replace(",D,", ",R,").encode()
    return Case("mirror", tuple(arguments),
                {"trace": damage.damaged(random, rows) if random.random() < 0.2 else rows})


# Rows of all kinds.
PROFILE = "ssdqos-profile 1\nwindow_ms 100 1000\n" + "".join(
    f"cost {op} {how} {size} 32 {confidence} {size // 2} {size // 3}\n" for op in ("read", "write")
    for how in ("rand", "seq") for size in (16384, 65536) for confidence in (900, 990)) + "".join(
        f"{row}\n" for row in ("mix 0 1000", "mix 50 1400", "mixed 10 32 990 1500 1200", "mixed 50 32 990 2000 1600",
                               "beside 10 1 990 4000 2000", "beside_of 4096 10 1 990 1700 1200",
                               "beside_of 65536 10 1 990 4800 2000", "beside_of 65536 40 1 990 - 9000",
                               "flush 990 - 1900000", "discard seq 65536 400000", "discard rand 65536 900000",
                               "stop 2100 240000"))
# Who has one request at a time is admitted by more of them.
PROMISES = ("min_iops=100", "min_iops=100 iodepth=1 block_bytes=16384", "util_ppm=1000 iodepth=2 block_bytes=65536 op=write",
            "util_ppm=1000 iodepth=2")


def make_profile(random: Random, _base: Base) -> Case:
    return Case("profile", ("qos", "--drive", "autossd", *SMALL, "--runtime", "20ms", "--profile", path("profile"),
                            "--stream", f"name=a load=randread {random.choice(PROMISES)}"),
                {"profile": damage.damaged(random, PROFILE.encode())})


def make_life(random: Random, base: Base) -> Case:
    arguments = ["life", "--load", random.choice(("exchange", "proxy", "msnfs", damage.word(random))), "--years",
                 random.choice(("0.001", "0.002", "0.003", damage.word(random) if random.random() < 0.2 else "0.001")),
                 "--policy", random.choice(("none", "static", "dynamic", "ready_pes", "ready_opt", "horizon"))]
    for _ in range(random.randrange(3)):
        key, value = parameter(random, {name: base.qos[name] for name in base.qos if name.startswith("drive_")})
        # a life of a century is no input that hangs
        arguments += ["--set", f"{key}={value}"] if key != "drive_lifetime_h" else []
    if random.random() < 0.3:
        arguments += ["--trace", path("trace")]
    return Case("life", tuple(arguments), {"trace": damage.damaged(random, good_trace_rows(random).encode())})


FORMATS = {
    "csv": TRACE_HEAD + "0,R,0,4096\n10,W,4096,8192\n",
    "blkparse": "  8,0    1        1     0.000000000   697  Q   R 223490 + 8 [kjournald]\n"
                "  8,0    1        2     0.000012345   697  D   WS 223498 + 16 [x]\n",
    "fio": "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 0 4096\n/dev/sda write 4096 512\n",
    "msr": "128166372003061629,usr,0,Read,7014609920,24576,41286\n128166372013061629,usr,0,Write,0,512,1\n",
    "spc": "0,20941264,8192,W,0.551706\n0,20939840,8192,R,0.554041\n",
    "mqsim": "1000 0 2000 8 1\n2000 0 3000 16 0\n",
}


def make_convert(random: Random, _base: Base) -> Case:
    name = random.choice(tuple(FORMATS))
    data = FORMATS[name].encode() * random.randrange(1, 5)
    return Case("convert", ("convert", "--from", name, "-o", path("out"), path("in")),
                {"in": damage.compressed(random, damage.damaged(random, data))})


# ---- ranges: bytes are operations, see tests/fuzz/ranges.c ----

def range_operation(random: Random) -> bytes:
    """Short and long ones, at granules or anywhere, in one place or all over."""
    start = random.choice((random.randrange(4096), random.randrange(64) * 64, random.randrange(256)))
    length = random.choice((random.randrange(8), random.randrange(128), random.randrange(2048), 63))
    return bytes((random.randrange(8), start & 255, start >> 8, length & 255, length >> 8, random.choice((0, 1, 255))))


def make_ranges(random: Random, _base: Base) -> Case:
    head = bytes((random.choice((0, random.randrange(256))), *(random.choice((0, 7, random.randrange(256))) for _ in "gal")))
    operations = b"".join(range_operation(random) for _ in range(random.randrange(2000)))
    data = random.choice((operations, random.randbytes(len(operations))))
    return Case("ranges", (path("operations"),), {"operations": head + data}, "fuzz-ranges")


KINDS: dict[str, Callable[[Random, Base], Case]] = {
    "state": make_state, "trace": make_trace, "load": make_load, "drive": make_drive, "options": make_options,
    "streams": make_streams, "profile": make_profile, "mirror": make_mirror, "life": make_life,
    "convert": make_convert, "ranges": make_ranges,
}
