# SPDX-License-Identifier: GPL-2.0
"""Turns what the guest printed into results, one per KTAP line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

PASS, FAIL, SKIP = "pass", "fail", "skip"
RESULT_LINE = re.compile(r"^\s*(not ok|ok)\b\s*(?:\d+)?\s*-?\s*(.*?)\s*(?:#\s*(SKIP)\b\s*(.*))?$")
PLAN_LINE = re.compile(r"^\s*1\.\.(\d+)\s*(?:#.*)?$")
# Exit status of a script that says only that it cannot run here (as kselftest).
STATUS_SKIP = 4
LOG_EXCERPT_LINES = 40
LOG_TAIL_LINES = 30
LOG_MARK = "ssdqos-vm: "

# What the kernel prints when something is wrong with it.
KERNEL_COMPLAINTS = re.compile("|".join((
    r"\bWARNING: ", r"\bBUG\b:? ", r"\bOops\b", r"\bINFO: .*(?:held lock|non-static key|stall)",
    r"possible (?:circular|recursive) locking", r"inconsistent lock state", r"irq lock inversion",
    r"suspicious RCU usage", r"\bKASAN\b: ", r"\bUBSAN\b: ", r"\bODEBUG\b: ",
    r"sleeping function called", r"blocked for more than", r"hung task", r"rcu.*\bstall",
    r"refcount_t: ", r"kmemleak: [1-9]\d* new suspected", r"unreferenced object",
    r"general protection fault", r"Kernel panic", r"soft lockup", r"workqueue lockup",
    r"list_(?:add|del) corruption", r"DEBUG_LOCKS_WARN_ON", r"scheduling while atomic",
    r"Bad page state", r"page allocation failure",
    # -12: where memory is short, as a test asks for, a name is refused and nothing is wrong
    r"cannot create duplicate filename", r"\bkobject_add\w* failed(?!.*\(error: -12 )",
    r"something is seriously wrong", r"Busy inodes",
)))

# The flags register of an x86 processor, as the kernel prints it: bits that are never set,
# and one that always is.
FLAGS_LINE = re.compile(r"\bEFLAGS: ([0-9a-f]{8})\b")
FLAGS_NEVER_SET = 0xFFC0_8028
FLAGS_ALWAYS_SET = 0x0000_0002

# A breakpoint that the kernel knows nothing of, and the bytes around the next instruction, which it marks.
BREAKPOINT_LINE = re.compile(r"\bint3: [0-9a-f]{4} \[#")
CODE_LINE = re.compile(r"\bCode: .*\b([0-9a-f]{2}) <[0-9a-f]{2}>")
BREAKPOINT_BYTE = "cc"


@dataclass
class Result:
    script: str
    name: str
    outcome: str
    detail: str = ""

    def line(self, number: int) -> str:
        word = "not ok" if self.outcome == FAIL else "ok"
        skip = f" # SKIP {self.detail}" if self.outcome == SKIP else ""
        return f"{word} {number} - {self.script}: {self.name}{skip}"


@dataclass
class Script:
    """What one test script printed, and what the kernel said meanwhile."""

    name: str
    started_s: float = 0.0
    ended_s: float = 0.0
    status: int | None = None
    late: bool = False
    stuck: bool = False
    lines: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def duration_s(self) -> float:
        return max(0.0, self.ended_s - self.started_s)


def parse_output(text: str) -> tuple[list[Script], bool]:
    """Cuts the port's text at the runner's marks; also tells whether it got to the end."""
    scripts: list[Script] = []
    done = False
    for line in text.replace("\r", "").splitlines():
        words = line.split()
        mark = words[1] if len(words) > 1 and words[0] == "@@" else ""
        if mark == "begin":
            scripts.append(Script(words[2], started_s=float(words[3])))
        elif mark == "end":
            scripts[-1].ended_s, scripts[-1].status = float(words[3]), int(words[4])
        elif mark == "late" and scripts:
            scripts[-1].late = True
        elif mark == "stuck":
            scripts[-1].stuck = True
        elif mark == "done":
            done = True
        elif scripts and not mark:
            scripts[-1].lines.append(line)
    return scripts, done


def split_log(text: str) -> dict[str, list[str]]:
    """The kernel log by script; what belongs to none is under "boot"."""
    parts: dict[str, list[str]] = {"boot": []}
    current = "boot"
    for line in text.replace("\r", "").splitlines():
        _, mark, rest = line.partition(LOG_MARK)
        if mark and rest.startswith("begin "):
            current = rest.split()[1]
        elif mark and rest.startswith("end "):
            current = "boot"
        else:
            parts.setdefault(current, []).append(line)
    return parts


def output_results(script: Script) -> list[Result]:
    results = []
    plan = None
    for line in script.lines:
        found = RESULT_LINE.match(line)
        planned = PLAN_LINE.match(line)
        if planned:
            plan = int(planned.group(1))
        if not found:
            continue
        verdict, name, skip, reason = found.groups()
        outcome = SKIP if skip else (PASS if verdict == "ok" else FAIL)
        detail = (reason or "no reason given") if skip else ""
        results.append(Result(script.name, name or "unnamed", outcome, detail))
    if plan == 0 and not results:
        results.append(Result(script.name, "all", SKIP, skip_reason(script)))
    elif plan is not None and plan != len(results) and script.status is not None:
        results.append(Result(script.name, f"runs the {plan} tests of its plan", FAIL,
                              f"{len(results)} results"))
    return results


def skip_reason(script: Script) -> str:
    for line in script.lines:
        if "SKIP" in line:
            return line.split("SKIP", 1)[1].strip(" :") or "no reason given"
    return "no reason given"


def said_skipped(script: Script, results: list[Result]) -> bool:
    """Who finds out in the middle that it can't run here has not run the rest."""
    return script.status == STATUS_SKIP and all(result.outcome == SKIP for result in results)


def status_results(script: Script, results: list[Result]) -> list[Result]:
    """Failures that the script itself could not report."""
    tail = "\n".join((script.lines + script.log)[-LOG_TAIL_LINES:])
    if script.stuck:
        return [Result(script.name, "ends in time", FAIL, f"cannot be killed\n{tail}")]
    if script.late:
        return [Result(script.name, "ends in time", FAIL, f"killed\n{tail}")]
    if script.status is None:
        return [Result(script.name, "machine survives", FAIL, tail)]
    if not results and script.status == STATUS_SKIP:
        return [Result(script.name, "all", SKIP, skip_reason(script))]
    if not results:
        return [Result(script.name, "reports a result", FAIL, tail)]
    failed = any(result.outcome == FAIL for result in results)
    if script.status != 0 and not failed and not said_skipped(script, results):
        return [Result(script.name, f"exits with status 0, not {script.status}", FAIL, tail)]
    return []


def log_results(name: str, log: list[str]) -> list[Result]:
    """One failure if the kernel complained, with the lines that follow."""
    for number, line in enumerate(log):
        if KERNEL_COMPLAINTS.search(line):
            excerpt = "\n".join(log[max(0, number - 1):number + LOG_EXCERPT_LINES])
            return [Result(name, "kernel log clean", FAIL, excerpt)]
    return []


def impossible_flags(console: str) -> str | None:
    """A value of the flags register that no processor can have, if the kernel saw one: then
    the emulator has lost it, and what the kernel complains about is no fact about the module."""
    for found in FLAGS_LINE.findall(console):
        flags = int(found, 16)
        if flags & FLAGS_NEVER_SET or not flags & FLAGS_ALWAYS_SET:
            return found
    return None


def stale_breakpoint(console: str) -> str | None:
    """The byte where the kernel met a breakpoint that is none, if it did.

    The kernel puts a breakpoint over code while it changes it, and takes it away when every
    processor has been told; one that meets it later runs what is no longer in memory.  QEMU
    before 8.1 does that now and then when processors are emulated side by side.
    """
    after = False
    for line in console.splitlines():
        after = after or bool(BREAKPOINT_LINE.search(line))
        code = CODE_LINE.search(line)
        if after and code:
            return code.group(1) if code.group(1) != BREAKPOINT_BYTE else None
    return None


def late_booting(output: str) -> bool:
    """Was the machine ended before it got to anything of ours?"""
    scripts, _ = parse_output(output)
    return not scripts and any(line.startswith("@@ late ") for line in output.splitlines())


def judge(wanted: list[str], output: str, console: str) -> tuple[list[Result], list[Script]]:
    """All results of a run over the scripts `wanted`."""
    scripts, done = parse_output(output)
    logs = split_log(console)
    results = log_results("boot", logs["boot"])
    if not scripts:
        tail = "\n".join(console.splitlines()[-LOG_TAIL_LINES:])
        results.append(Result("boot", "machine gets to the tests", FAIL, tail))
    for script in scripts:
        script.log = logs.get(script.name, [])
        found = output_results(script)
        found += status_results(script, found)
        found += log_results(script.name, script.log)
        results += found
    started = {script.name for script in scripts}
    results += [Result(name, "runs", FAIL, "the machine had stopped before")
                for name in wanted if name not in started]
    if scripts and not done and not any(result.outcome == FAIL for result in results):
        results.append(Result("boot", "machine ends in order", FAIL, "no end mark"))
    return results, scripts
