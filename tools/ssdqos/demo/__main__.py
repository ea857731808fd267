# SPDX-License-Identifier: GPL-2.0
"""python3 -m ssdqos.demo [PART]...: what dm-ssdqos is good for, in a few minutes.

  promise   two clients on one drive: alone, together, together with a promise
  trim      a delete beside a reader: discards as they come, and kept
  life      the years of a drive, with its writes slowed down and without
  aged      a recorded trace on a fresh and an aged drive, kernel and simulator

Without a PART all are made.  The report always has all parts that were made.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ssdqos.demo import aged, build, life, promise, report, trim
from ssdqos.demo.part import Part, Say
from ssdqos.errors import ToolError
from ssdqos.paths import BUILD_DIR, TOP_DIR, shown

PARTS: tuple[Part, ...] = (promise, trim, life, aged)
# Each machine has one processor; its clock does not care how busy the host is.
AT_A_TIME = 2
EXIT_FAILED = 1


def parse(words: list[str]) -> argparse.Namespace:
    made = argparse.ArgumentParser(prog="python3 -m ssdqos.demo", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("parts", nargs="*", metavar="PART", help=", ".join(part.NAME for part in PARTS))
    made.add_argument("--out", type=Path, default=TOP_DIR / "out/demo", help="directory for the results")
    made.add_argument("--kernel", default="6.1", help="of the virtual machine (default 6.1)")
    made.add_argument("--seed", type=int, default=1, help="of drives, clients and machine")
    made.add_argument("--png", action="store_true", help="also write the pictures as files")
    for part in PARTS:
        part.set_arguments(made)
    args = made.parse_args(words)
    names = [part.NAME for part in PARTS]
    for name in args.parts:
        if name not in names:
            made.error(f"'{name}' is no part of the demo, these are: {', '.join(names)}")
    return args


def make(part: Part, args: argparse.Namespace, say: Say) -> str:
    """Makes a part and keeps what it has found; why that failed, or nothing."""
    kept = report.kept(part, args.out)
    kept.unlink(missing_ok=True)
    started = time.monotonic()
    try:
        found = part.run(args, report.data(args.out), lambda text: say(f"{part.NAME}: {text}"))
    except (ToolError, OSError) as error:
        return f"{part.NAME}: {error}"
    found["wall_s"] = time.monotonic() - started
    kept.write_text(json.dumps(found, indent=1) + "\n")
    wrong = part.wrong(found)
    return f"{part.NAME}: {wrong}" if wrong else ""


def make_all(args: argparse.Namespace, say: Say) -> list[str]:
    """What went wrong."""
    wanted = [part for part in PARTS if part.NAME in (args.parts or [each.NAME for each in PARTS])]
    report.data(args.out).mkdir(parents=True, exist_ok=True)
    say("building the simulator and the module (the first time, a kernel is fetched)")
    build.simulator(BUILD_DIR / "log")
    if any(part is not life for part in wanted):
        build.module(args.kernel, BUILD_DIR / "log")
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return [failed for failed in pool.map(lambda part: make(part, args, say), wanted) if failed]


def main(words: list[str]) -> int:
    args = parse(words)
    args.out = args.out.resolve()
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"demo: {time.monotonic() - started:4.0f} s  {text}", file=sys.stderr, flush=True)

    try:
        failed = make_all(args, say)
        say("drawing")
        path = report.write(PARTS, args.out, args.png)
    except ToolError as error:
        failed, path = [str(error)], None
    for sentence in failed:
        print(f"demo: {sentence}", file=sys.stderr)
    if path:
        print(f"\nreport: {shown(path)}")
    return EXIT_FAILED if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
