# SPDX-License-Identifier: GPL-2.0
"""Watch streams, mirrors and emulated drives at work.

Streams: what each was promised and got, how often, and what its requests wait
for; without DEV all that there are.  Of drives whose wear is counted, how much
of their endurance is used, how long writes are delayed for it and why.

Mirrors: what each member does, what is in the cache and what has to be copied.

An emulated drive: free blocks, shares, and what reads wait for.  The picture is
Figure 6b of AutoSSD as it happens: how many free blocks there are, how often
the most read block was read, and which share of the drive each task has because
of that.  Everything but mirrors comes from /sys/block/dm-N/ssdqos.

DEV is the name of a device-mapper device, dm-N, or a directory like that one.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

try:
    from ssdqos import bounds, standard_output, stream_view, sysfs
    from ssdqos.errors import ToolError
    from ssdqos.mirror import watch as mirrors
except ImportError:  # started as a file, outside of the checkout's tools
    import bounds
    import standard_output
    import stream_view
    import sysfs
    from errors import ToolError

    mirrors = None

SYSFS = Path("/sys/block")
MAPPER = Path("/dev/mapper")
# Only an emulated drive has this file.
MARK = "waits"
# Of an emulated drive's status, what each version of the module has.
KEYS = ("time_ns", "free_blocks", "free_blocks_min", "read_count_max", "wear_min", "wear_max", "waf", "map_hit_pct")
# More often is faster than a screen is read, and who looks once a day need not watch.
INTERVAL_S = bounds.Range(0.01, 86400, "s")
# More than the fastest looks of a hundred days.
LOOKS = bounds.Range(1, 1_000_000_000)
NS_PER_S = 1_000_000_000
NS_PER_US = 1000
PERMILLE = 1000
LENT, PASSED = "lent_ops", "passed_ops"
BAR_WIDTH = 24
HISTORY = 60
LEVELS = "▁▂▃▄▅▆▇█"
CLEAR = "\033[H\033[J"


@dataclass(frozen=True)
class Task:
    """`share` is in permille; `mode` is empty where nothing can steer it."""

    name: str
    share: float
    mode: str
    issued: int
    wait_ns: int


@dataclass(frozen=True)
class Sample:
    """A drive at one moment."""

    status: dict[str, float]
    tasks: list[Task]
    reads: int
    waits_ns: dict[str, int]

    def seconds(self) -> float:
        return self.status["time_ns"] / NS_PER_S


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", metavar="DEV", nargs="?",
                        help="name, dm-N or directory in sysfs (default: all streams and mirrors)")
    parser.add_argument("--interval", type=bounds.option("--interval", float, INTERVAL_S), default=0.5,
                        metavar="S", help="seconds between two looks (default 0.5)")
    parser.add_argument("--once", action="store_true",
                        help="print key=value lines and end, for scripts")
    parser.add_argument("--count", type=bounds.option("--count", int, LOOKS), metavar="N",
                        help="end after N looks (default: when it is interrupted)")


# ---- reading ----

def directory(device: str) -> Path:
    """Where the drive is in sysfs; mirrors have a status there, too, but nothing that their reads wait for."""
    path = Path(device)
    if (path / MARK).is_file():
        return path
    found = SYSFS / sysfs.node_name(device, MAPPER) / "ssdqos"
    if not (found / MARK).is_file():
        raise ToolError(f"{device} is no live device of target ssdqos-flash or ssdqos: no {found}/{MARK}")
    return found


def finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no number that can be shown")
    return value


def value(path: Path, kind: Callable[[str], Any]) -> Any:
    """What a file says, as `kind` reads it."""
    try:
        return kind(path.read_text())
    except ValueError as error:
        raise ToolError(f"{path} is not a drive's: {error}") from error


def numbers(path: Path, kind: Callable[[str], Any], needed: tuple[str, ...]) -> dict[str, Any]:
    """The words key=value of a file."""
    found = value(path, lambda text: {key: kind(word) for key, word in sysfs.pairs(text).items()})
    for key in needed:
        if key not in found:
            raise ToolError(f"{path} is not a drive's: it has no {key}")
    return found


def read_task(path: Path) -> Task:
    mode = path / "mode"
    return Task(path.name, value(path / "share", finite), value(mode, str.strip) if mode.exists() else "",
                value(path / "issued", int), value(path / "wait_ns", int))


def read(path: Path) -> Sample:
    """The drive now; the tasks in the order in which the status has them."""
    try:
        status = numbers(path / "status", finite, KEYS)
        waits = numbers(path / MARK, int, ("n",))
        order = [key.removeprefix("share_") for key in status
                 if key.startswith("share_") and (path / "tasks" / key.removeprefix("share_")).is_dir()]
        tasks = [read_task(path / "tasks" / name) for name in order]
    except OSError as error:
        raise ToolError(f"the drive is gone: {error}") from error
    return Sample(status, tasks, waits.pop("n"), waits)


# ---- showing ----

def bar(value: float, most: float) -> str:
    full = round(BAR_WIDTH * min(value / most, 1)) if most else 0
    return "█" * full + "·" * (BAR_WIDTH - full)


def curve(values: list[float]) -> str:
    """The last values as a line of blocks, from the least to the most of them."""
    least, most = min(values), max(values)
    if least == most:
        return LEVELS[0] * len(values)
    top = len(LEVELS) - 1
    return "".join(LEVELS[round((value - least) / (most - least) * top)] for value in values)


def curve_line(name: str, values: list[float]) -> str:
    return f"  {name:<16}{values[-1]:>10,.10g}  {curve(values)}"


def per_second(now: float, before: float, seconds: float) -> float:
    return max(now - before, 0) / seconds if seconds > 0 else 0.0


def task_line(task: Task, before: Task, seconds: float) -> str:
    issued = max(task.issued - before.issued, 0)
    wait_us = max(task.wait_ns - before.wait_ns, 0) / issued / NS_PER_US if issued else 0.0
    return (f"  {task.name:<8}{task.mode or '-':<10}{task.share:>8.1f} ‰ {bar(task.share, PERMILLE)}"
            f"{per_second(task.issued, before.issued, seconds):>10,.0f}/s{wait_us:>12,.1f} us")


def lent_lines(now: Sample, before: Sample) -> list[str]:
    """Operations that shares or schedulers alone would not have let go, where the module counts them."""
    issued = sum(task.issued for task in now.tasks) - sum(task.issued for task in before.tasks)
    if issued <= 0 or LENT not in now.status:
        return []
    over, passed = (100 * max(now.status[key] - before.status[key], 0) / issued for key in (LENT, PASSED))
    return [f"  {over:.1f} % went over the share of their task, {passed:.1f} % as enough others had gone before"]


def wait_lines(now: Sample, before: Sample) -> list[str]:
    """Mean of each cause for a flash read, since the sample before."""
    reads = now.reads - before.reads
    if reads <= 0:
        return ["  no flash reads for the host"]
    mean_us = {cause: (ns - before.waits_ns[cause]) / reads / NS_PER_US
               for cause, ns in now.waits_ns.items()}
    whole = sum(mean_us.values())
    return [f"  {cause:<18}{us:>10,.1f} us {bar(us, whole)}" for cause, us in mean_us.items()]


def lines(device: str, samples: list[Sample]) -> list[str]:
    now, before = samples[-1], samples[max(len(samples) - 2, 0)]
    status = now.status
    seconds = now.seconds() - before.seconds()
    made = [f"{device}  {now.seconds():.1f} s of the model  WAF {status['waf']:.2f}  "
            f"map hits {status['map_hit_pct']:.1f} %  "
            f"wear {status['wear_min']:.0f} to {status['wear_max']:.0f}", "",
            curve_line("free blocks", [s.status["free_blocks"] for s in samples]),
            curve_line("most reads", [s.status["read_count_max"] for s in samples])]
    for number, task in enumerate(now.tasks):
        if task.mode == "feedback":
            made.append(curve_line(f"share of {task.name}",
                                   [s.tasks[number].share for s in samples]))
    made += ["", f"  {'task':<8}{'mode':<10}{'share':>8}   {'':<{BAR_WIDTH}}{'issued':>12}{'mean wait':>15}"]
    made += [task_line(task, old, seconds) for task, old in zip(now.tasks, before.tasks)]
    made += lent_lines(now, before)
    made += ["", f"  {'a read waits for':<18}{'mean':>10}"]
    return made + wait_lines(now, before)


def once(sample: Sample) -> list[str]:
    """key=value, as in sysfs."""
    made = [f"{key}={sample.status[key]:.15g}" for key in KEYS]
    for task in sample.tasks:
        made += [f"share_{task.name}={task.share:.15g}", f"mode_{task.name}={task.mode or 'none'}",
                 f"issued_{task.name}={task.issued}", f"wait_ns_{task.name}={task.wait_ns}"]
    made += [f"{key}={sample.status[key]:.15g}" for key in (LENT, PASSED) if key in sample.status]
    made.append(f"flash_reads={sample.reads}")
    return made + [f"read_wait_ns_{cause}={ns}" for cause, ns in sample.waits_ns.items()]


@contextmanager
def screen() -> Iterator:
    """A function that replaces what is shown; on a terminal by rich where it is installed.

    Elsewhere rich would keep all but the last look to itself, and not see that nobody reads.
    """
    if not sys.stdout.isatty():
        yield lambda shown: print("\n".join(shown), flush=True)
        return
    try:
        from rich.live import Live
        from rich.text import Text
    except ImportError:
        yield lambda shown: print(CLEAR + "\n".join(shown), flush=True)
        return
    with Live(auto_refresh=False, screen=True) as live:
        yield lambda shown: live.update(
            Text.assemble((shown[0] + "\n", "bold"), "\n".join(shown[1:])), refresh=True)


def watch(args: argparse.Namespace, look: Callable[[], Any], shown: Callable[[list], list[str]]) -> None:
    samples: deque = deque(maxlen=HISTORY)
    looks = 0
    with screen() as show:
        while True:
            samples.append(look())
            show(shown(list(samples)))
            looks += 1
            if looks == args.count:
                return
            time.sleep(args.interval)


def beside_mirrors(found: list[Path], names: list[str]) -> tuple[Callable, Callable, Callable]:
    """Streams, and mirrors below them; a look has both."""
    def look() -> tuple:
        return stream_view.read(found), mirrors.read(names)

    def parts(shown: Callable, more: Callable, looks: tuple, told: tuple) -> list[str]:
        return [*(shown(looks) if found else []), *([""] if found else []), *more(told)]

    return (look, lambda samples: parts(stream_view.lines, mirrors.lines, *map(list, zip(*samples))),
            lambda sample: [*(stream_view.once(sample[0]) if found else []), *mirrors.once(sample[1])])


def main(args: argparse.Namespace) -> int:
    found = stream_view.directories(args.device, SYSFS, MAPPER)
    if names := mirrors.names(args.device) if mirrors else []:
        look, shown, told = beside_mirrors(found, names)
    elif found:
        look, shown, told = lambda: stream_view.read(found), stream_view.lines, stream_view.once
    elif args.device:
        path = directory(args.device)
        look, shown, told = lambda: read(path), lambda samples: lines(args.device, samples), once
    else:
        raise ToolError("there are no streams and no mirrors here; an emulated drive is named")
    if args.once:
        print("\n".join(told(look())))
        return 0
    try:
        watch(args, look, shown)
    except KeyboardInterrupt:
        pass
    return 0


def run() -> int:
    """As a program of its own: needs no package beyond Python's."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    set_arguments(parser)
    try:
        with standard_output.named():
            return main(parser.parse_args())
    except ToolError as error:
        print(f"ssdqos top: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if not standard_output.is_of(error):
            raise
        return standard_output.failed(error, "ssdqos top")


if __name__ == "__main__":
    sys.exit(run())
