# SPDX-License-Identifier: GPL-2.0
"""Would a promise of throughput fit on a drive?  Say so; with --apply, make it.

For a stream that exists, the kernel answers, and nothing changes; with --apply
the promise is made if it fits, in place of the one that the stream has.  The
exit status is 0 if it fits, 1 if it does not.  Otherwise the answer is computed
from --profile, by the same rule, beside the promises that --with names:
'write rand 4k 500iops 3s 99%'.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from ssdqos import answer_view
from ssdqos.errors import ToolError
from ssdqos.profiler import gaps, unsettled
from ssdqos.qos import admission, profile_file, promise, ranges
from ssdqos.qos.admission import Answer, DriveSettings
from ssdqos.qos.cost import NoCost
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.promise import ALIGNED, WINDOWS, Promise
from ssdqos.qos.request import PATTERNS
from ssdqos.qos.units import ppm_text
from ssdqos.streams import conf, status
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.status import Status

EXIT_DOES_NOT_FIT = 1
APPLY_NEEDS = "--apply is for a stream that is there: without --profile and --drive"


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="of the stream; any name for a computed answer")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--op", choices=("read", "write"), help="random requests, unless --pattern seq")
    kind.add_argument("--read", choices=PATTERNS, help="reads, sequential or random")
    kind.add_argument("--write", choices=PATTERNS, help="writes, sequential or random")
    parser.add_argument("--pattern", choices=PATTERNS, help="with --op (default rand)")
    parser.add_argument("--bs", default="4k", metavar="SIZE", help="of a request (default 4k)")
    rate = parser.add_mutually_exclusive_group(required=True)
    rate.add_argument("--iops", type=int, metavar="N")
    rate.add_argument("--mb-s", type=int, metavar="N", help="megabytes (10^6) per second")
    rate.add_argument("--util-ppm", type=int, metavar="N", help="part of the device time")
    parser.add_argument("--window", default="1s", metavar="TIME", help="averaged over (default 1s)")
    parser.add_argument("--confidence", default="99", metavar="PCT", help="part of the windows (default 99)")
    parser.add_argument("--windows", choices=WINDOWS, default=ALIGNED,
                        help="which of them count: one after the other (default), or one that ends with each eighth")
    parser.add_argument("--iodepth", type=int, default=0, metavar="N",
                        help="requests that the client has at a time (default: as many as the drive gets)")
    parser.add_argument("--apply", action="store_true", help="make the promise, if it fits")
    parser.add_argument("--json", action="store_true", help="print the answer's numbers instead")
    parser.add_argument("--drive", metavar="NAME",
                        help="ask the drive that has this stream, this name or this node; NAME need not exist")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="compute from this profile")
    parser.add_argument("--with", action="append", default=[], dest="others", metavar="PROMISE",
                        help="another promise on the drive; may be repeated")
    parser.add_argument("--queue-depth", type=int, metavar="N",
                        help="drive_queue_depth, for a computed answer (default 32)")
    parser.add_argument("--best-effort", type=int, metavar="PERMILLE",
                        help="drive_best_effort_permille, for a computed answer (default 10)")


def wanted_promise(args: argparse.Namespace) -> Promise:
    op, pattern = ("read", args.read) if args.read else ("write", args.write) if args.write else \
        (args.op, args.pattern or "rand")
    rates = {field: ranges.RANGES[field].check(option, value) for field, option, value in
             (("min_iops", "--iops", args.iops), ("min_mb_s", "--mb-s", args.mb_s), ("util_ppm", "--util-ppm", args.util_ppm))
             if value is not None}
    return Promise(promise.parse_request(op, pattern), ranges.parsed("block_bytes", "--bs", args.bs), **rates,
                   window_ms=ranges.parsed("window_ms", "--window", args.window),
                   confidence_permille=ranges.parsed("confidence_permille", "--confidence", args.confidence),
                   iodepth=ranges.RANGES["iodepth"].check("--iodepth", args.iodepth), windows=args.windows)


def other_promise(text: str) -> Promise:
    try:
        return promise.parse(text)
    except ToolError as error:
        raise ToolError(f"--with {text!r}: {error}") from error


def question(wanted: Promise) -> list[str]:
    """For the messages `admit` and `set`: rates that are 0 are said too, they replace others."""
    return [word for pair in wanted.keys().items() for word in pair]


def settings_of(args: argparse.Namespace) -> DriveSettings:
    said = {field: ranges.RANGES[f"drive_{field}"].check(option, value) for field, option, value in
            (("queue_depth", "--queue-depth", args.queue_depth), ("best_effort_permille", "--best-effort", args.best_effort))
            if value is not None}
    return DriveSettings(**said)


def doubts(profile: Profile, others: list[Promise], wanted: Promise, settings: DriveSettings) -> list[str]:
    """On which cells an answer rests that had not settled, and what was not measured at all."""
    found = unsettled.rests_on(profile, [wanted, *others], settings)
    made = [f"It rests on what had not settled when the drive was measured: {', '.join(found)}. "
            "The worst that was seen counts; the drive may do worse."] if found else []
    return made + (gaps.sentences(profile, wanted, settings) if wanted.needs_profile() else [])


def stream_of(args: argparse.Namespace, dmsetup: Dmsetup) -> str:
    """A stream of the drive that is asked."""
    if not args.drive:
        return args.name
    if args.drive in dmsetup.names():
        return args.drive
    wanted = DiskNames().in_status(args.drive)
    found = [one.name for one in status.read_all(dmsetup) if one.drive in wanted]
    if not found:
        raise ToolError(f"{args.drive} is neither a stream nor a drive with streams")
    return found[0]


def asked(stream: Status, wanted: Promise, dmsetup: Dmsetup) -> Answer:
    return admission.parse_answer(dmsetup.message(stream.name, stream.start, "admit", *question(wanted)))


def live(args: argparse.Namespace, stream: Status, wanted: Promise, dmsetup: Dmsetup) -> int:
    """The kernel answers for a promise beside those that there are; `set` replaces the stream's own."""
    answer = asked(stream, wanted, dmsetup)
    had_ppm = int(stream.number("util_ppm")) if stream.name == args.name else 0
    tell(args, answer, wanted, answer_view.why_nothing(answer, wanted), dmsetup)
    if had_ppm and not args.json:
        print(f"That is beside the {ppm_text(had_ppm)} that {stream.name} has already; "
              "--apply would give them up for the new promise.")
    if args.apply and (answer.fits or had_ppm):
        return promised(args, stream, wanted, had_ppm, dmsetup)
    return 0 if answer.fits else EXIT_DOES_NOT_FIT


def promised(args: argparse.Namespace, stream: Status, wanted: Promise, had_ppm: int, dmsetup: Dmsetup) -> int:
    """The kernel judges again: without what the stream had."""
    try:
        dmsetup.message(stream.name, stream.start, "set", *question(wanted))
    except ToolError as error:
        print(f"ssdqos: {error}", file=sys.stderr)
        return EXIT_DOES_NOT_FIT
    conf.tell_unsaved(stream.name)
    if args.json:
        return 0
    instead = f", in place of the {ppm_text(had_ppm)} that it had" if had_ppm else ""
    print(f"{stream.name} is promised that now{instead}.")
    return 0


def largest_of(args: argparse.Namespace, answer: Answer, dmsetup: Dmsetup) -> str:
    """As people call it: the promise that --with named, or the stream."""
    if not answer.largest_ppm:
        return ""
    if answer.largest.isdigit():
        return args.others[int(answer.largest)]
    number, _, sector = answer.largest.partition("+")
    name = dmsetup.numbers().get(number, number)
    return name if sector == "0" else f"{name} from sector {sector} on"


def tell(args: argparse.Namespace, answer: Answer, wanted: Promise, why: str, dmsetup: Dmsetup,
         doubted: list[str] | None = None) -> None:
    """`why` is said where the profile promises nothing of the kind; a live drive has no doubts."""
    if args.json:
        more = ({} if doubted is None else {"doubts": doubted}) | ({"why": why} if why else {})
        print(json.dumps({"promise": str(wanted), **dataclasses.asdict(answer), **more}, indent=2))
        return
    largest = largest_of(args, answer, dmsetup)
    lines = answer_view.not_to_be_had(answer, wanted, why, largest) if why else answer_view.sentences(answer, wanted, largest)
    print("\n".join([*lines, *(doubted or [])]))


def other_promises(args: argparse.Namespace, profile: Profile, settings: DriveSettings) -> list[Promise]:
    made = [other_promise(text) for text in args.others]
    for text, other in zip(args.others, made):
        try:
            admission.demand(profile, other, settings)
        except NoCost as error:
            raise ToolError(f"--with {text!r}: {error}") from error
    return made


def computed(args: argparse.Namespace, wanted: Promise, dmsetup: Dmsetup) -> int:
    settings, profile = settings_of(args), profile_file.read(args.profile)
    others = other_promises(args, profile, settings)
    try:
        answer, why = admission.admit(profile, others, wanted, settings), ""
        doubted = doubts(profile, others, wanted, settings)
    except NoCost as error:
        answer, why, doubted = admission.nothing_promised(profile, others, wanted, settings), str(error), []
    tell(args, answer, wanted, why, dmsetup, doubted)
    return 0 if answer.fits else EXIT_DOES_NOT_FIT


def check_together(args: argparse.Namespace) -> None:
    """What means nothing beside something else."""
    if args.pattern and not args.op:
        raise ToolError("--pattern goes with --op; --read and --write say it themselves")
    if args.profile and args.apply:
        raise ToolError(APPLY_NEEDS)
    if args.profile and args.drive:
        raise ToolError("--drive asks a drive, --profile computes without one: give one of them")
    if args.profile:
        return
    if args.others:
        raise ToolError("--with is for --profile; a live drive knows its promises")
    for option, value in (("--queue-depth", args.queue_depth), ("--best-effort", args.best_effort)):
        if value is not None:
            raise ToolError(f"{option} is for --profile; a live drive has its own")


def main(args: argparse.Namespace) -> int:
    check_together(args)
    wanted = wanted_promise(args)
    dmsetup = Dmsetup()
    if args.profile:
        return computed(args, wanted, dmsetup)
    stream = stream_of(args, dmsetup)
    if args.apply and stream != args.name:
        raise ToolError(APPLY_NEEDS)
    return live(args, status.read(dmsetup, stream)[0], wanted, dmsetup)
