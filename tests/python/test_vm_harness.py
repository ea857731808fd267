# SPDX-License-Identifier: GPL-2.0
"""What tests/vm makes of what a machine has printed."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import marshal
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/vm"))

from harness import cpio, dialogue, image, ktap, session  # noqa: E402  (after the path that it is found on)

WARNING = "[   56.8] WARNING: CPU: 0 PID: 1390 at arch/x86/kernel/traps.c:1120 exc_debug_kernel+0xca/0x160\n"
POSSIBLE = "[   56.8] RSP: 0018:ffffc90000d3fe38 EFLAGS: 00010246\n"
LOST = "[   56.8] RSP: 0000:fffffe0000010f28 EFLAGS: 3c408002\n"
LATE_BOOTING = "@@ booted 1.0 tsc\n\n@@ late booting\n"
BREAKPOINT = "[    1.4] Oops: int3: 0000 [#1] SMP NOPTI\n[    1.4] RIP: 0010:sched_clock_cpu+0x9/0x1f0\n"
OLD_BREAKPOINT = "[    1.4] int3: 0000 [#1] PREEMPT SMP NOPTI\n"
AFTER_NOP = "[    1.4] Code: ff ff f3 0f 1e fa 41 54 55 53 66 <90> e8 c1 d9 ed ff 48 03 05\r\n"
AFTER_BREAKPOINT = "[    1.4] Code: ff ff f3 0f 1e fa 41 54 55 53 cc <90> e8 c1 d9 ed ff 48 03 05\r\n"
FAILED = ktap.Result("68-qos-zones.sh", "kernel log clean", ktap.FAIL)
PASSED = ktap.Result("68-qos-zones.sh", "a file for each", ktap.PASS)


class Flags(unittest.TestCase):
    def test_possible(self) -> None:
        for flags in ("00000002", "00000246", "00010246", "00010a93", "003d7fd7"):
            self.assertIsNone(ktap.impossible_flags(f"RSP: 0018:ffffc90000d3fe38 EFLAGS: {flags}"), flags)
        self.assertIsNone(ktap.impossible_flags(WARNING))

    def test_never_set(self) -> None:
        self.assertEqual(ktap.impossible_flags(POSSIBLE + LOST), "3c408002")

    def test_always_set(self) -> None:
        self.assertEqual(ktap.impossible_flags("EFLAGS: 00000244"), "00000244")


class Breakpoint(unittest.TestCase):
    def test_none_in_memory(self) -> None:
        for oops in (BREAKPOINT, OLD_BREAKPOINT):
            self.assertEqual(ktap.stale_breakpoint(oops + AFTER_NOP), "66", oops)

    def test_one_in_memory(self) -> None:
        self.assertIsNone(ktap.stale_breakpoint(BREAKPOINT + AFTER_BREAKPOINT + AFTER_NOP))

    def test_another_fault(self) -> None:
        self.assertIsNone(ktap.stale_breakpoint(WARNING + AFTER_NOP))
        # the code of what was wrong before
        self.assertIsNone(ktap.stale_breakpoint(WARNING + AFTER_NOP + BREAKPOINT))
        self.assertIsNone(ktap.stale_breakpoint(BREAKPOINT))


COMPLAINTS = (
    "[    2.1] sysfs: cannot create duplicate filename '/kernel/dm-ssdqos/gold'",
    "[    2.1] kobject_add_internal failed for gold with -EEXIST, don't try to register things with the same name",
    "[    2.1] kobject_add_internal failed for gold (error: -2 parent: dm-ssdqos)",
    "[    2.1] kobject: 'gold' (00000000): tried to init an initialized object, something is seriously wrong.",
    "[    2.1] VFS: Busy inodes after unmount of dm-0. Self-destruct in 5 seconds.  Have a nice day...",
)

NO_COMPLAINTS = (
    # a control group that uses too much memory is no fault of the kernel's
    "[    2.1] Call Trace:",
    # neither is a name that is refused while allocations are made to fail
    "[   37.4] kobject_add_internal failed for tasks (error: -12 parent: ssdqos)",
)


class Judging(unittest.TestCase):
    def outcomes(self, said: str, status: int, log: str = "") -> list[str]:
        output = f"@@ begin a.sh 1.0\n{said}@@ end a.sh 2.0 {status}\n@@ done\n"
        console = f"[1] {ktap.LOG_MARK}begin a.sh\n{log}\n[2] {ktap.LOG_MARK}end a.sh\n"
        return [result.outcome for result in ktap.judge(["a.sh"], output, console)[0]]

    def test_the_kernel_complains(self) -> None:
        self.assertEqual(self.outcomes("ok 1 - a\n", 0), [ktap.PASS])
        for line in NO_COMPLAINTS:
            self.assertEqual(self.outcomes("ok 1 - a\n", 0, line), [ktap.PASS], line)
        for line in COMPLAINTS:
            self.assertEqual(self.outcomes("ok 1 - a\n", 0, line), [ktap.PASS, ktap.FAIL], line)

    def test_the_rest_is_not_run(self) -> None:
        self.assertEqual(self.outcomes("ok 1 - a\n", ktap.STATUS_SKIP), [ktap.PASS, ktap.FAIL])
        self.assertEqual(self.outcomes("ok 1 - a # SKIP no disk\n", ktap.STATUS_SKIP), [ktap.SKIP])
        self.assertEqual(self.outcomes("ok 1 - a # SKIP no disk\n", 1), [ktap.SKIP, ktap.FAIL])
        self.assertEqual(self.outcomes("1..0 # SKIP no module\n", ktap.STATUS_SKIP), [ktap.SKIP])


class Compiled(unittest.TestCase):
    def test_python_files_come_with_what_they_are_compiled_to(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch, "words.py")
            source.write_text("HERE = __file__\n")
            archive = cpio.Archive()
            image.add_program(archive, "/opt/tool/words.py", source)
            compiled = image.bytecode(source, "/opt/tool/words.py")
        self.assertIn(importlib.util.cache_from_source("/opt/tool/words.py"), archive)
        self.assertEqual(compiled[:4], importlib.util.MAGIC_NUMBER)
        # by a hash that is not looked at, so whatever the time of the source in the guest is
        self.assertEqual(int.from_bytes(compiled[4:8], "little"), 1)
        self.assertEqual(marshal.loads(compiled[16:]).co_filename, "/opt/tool/words.py")


class Booting(unittest.TestCase):
    def test_ended_before_the_first_script(self) -> None:
        results, scripts = ktap.judge(["10-a.sh"], LATE_BOOTING, "[    0.5] Run /init\n")
        self.assertEqual([(result.name, result.outcome) for result in results],
                         [("machine gets to the tests", ktap.FAIL), ("runs", ktap.FAIL)])
        self.assertIn("Run /init", results[0].detail)
        self.assertEqual(scripts, [])

    def test_a_late_script_is_not_a_late_boot(self) -> None:
        self.assertTrue(ktap.late_booting(LATE_BOOTING))
        self.assertFalse(ktap.late_booting("@@ begin 10-a.sh 1.0\n\n@@ late 10-a.sh\n"))
        self.assertFalse(ktap.late_booting(""))


class OnceMore(unittest.TestCase):
    def run_with(self, *runs: tuple[str, list[ktap.Result]], port: str = "",
                 ) -> tuple[list[ktap.Result], int]:
        """Results, and how many runs were left over; `port` is what each printed there."""
        rest = list(runs)
        with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(io.StringIO()):
            outputs = session.Outputs(Path(scratch))

            def once() -> list[ktap.Result]:
                console, results = rest.pop(0)
                outputs.console.write_text(console)
                outputs.ktap.write_text(port)
                return results

            return session.run_on_sane_machine(once, outputs), len(rest)

    def test_lost_flags(self) -> None:
        results, rest = self.run_with((WARNING + LOST, [PASSED, FAILED]), ("", [PASSED, PASSED]))
        self.assertEqual((session.count(results), rest), ((2, 0, 1), 0))
        self.assertIn("3c408002", results[-1].detail)

    def test_lost_twice_fails(self) -> None:
        results, _ = self.run_with((WARNING + LOST, [FAILED]), (WARNING + LOST, [FAILED]))
        self.assertEqual(session.count(results), (0, 1, 1))

    def test_stale_breakpoint(self) -> None:
        results, rest = self.run_with((BREAKPOINT + AFTER_NOP, [FAILED]), ("", [PASSED]))
        self.assertEqual((session.count(results), rest), ((1, 0, 1), 0))
        self.assertIn("where memory has 66", results[-1].detail)

    def test_a_breakpoint_of_ours_is_no_reason(self) -> None:
        results, rest = self.run_with((BREAKPOINT + AFTER_BREAKPOINT, [FAILED]), ("", [PASSED]))
        self.assertEqual((results, rest), ([FAILED], 1))

    def test_late_booting(self) -> None:
        results, rest = self.run_with(("", [FAILED]), ("", [PASSED]), port=LATE_BOOTING)
        self.assertEqual((session.count(results), rest), ((1, 0, 1), 0))
        self.assertIn("first script in time", results[-1].detail)

    def test_a_warning_is_no_reason(self) -> None:
        results, rest = self.run_with((WARNING + POSSIBLE, [FAILED]), ("", [PASSED]))
        self.assertEqual((results, rest), ([FAILED], 1))

    def test_nothing_failed(self) -> None:
        results, rest = self.run_with((LOST, [PASSED]), ("", [PASSED]))
        self.assertEqual((results, rest), ([PASSED], 1))


# A machine that does something else on its first starts; to its shell `hang` never ends.
MACHINE = """#!/bin/sh
echo start >>"$0.starts"
[ "$(wc -l <"$0.starts")" -gt {bad} ] || {{ {way}; }}
printf 'booted\n/ # '
while read -r line; do
	case $line in
	exit) exit ;;
	hang) exec sleep 1000 ;;
	esac
	printf 'heard %s\n/ # ' "$line"
done
"""
LIMIT_S = 60


class Dialogue(unittest.TestCase):
    def hold(self, commands: list[str], bad: int = 0, way: str = "exit",
             boot_limit_s: float = LIMIT_S, command_limit_s: float = LIMIT_S,
             ) -> tuple[dialogue.Dialogue, str | None, int]:
        """The dialogue, why it was held once more, and how often the machine was started."""
        with tempfile.TemporaryDirectory() as scratch:
            machine = Path(scratch) / "machine"
            machine.write_text(MACHINE.format(bad=bad, way=way))
            held, lost = dialogue.hold_on_sane_machine(["/bin/sh", machine], commands, boot_limit_s,
                                                       command_limit_s)
            return held, lost, len(machine.with_suffix(".starts").read_text().splitlines())

    def test_answers(self) -> None:
        held, lost, starts = self.hold(["one", "two"])
        self.assertIn("heard one", held.answers["one"])
        self.assertIn("heard two", held.answers["two"])
        self.assertEqual((lost, starts), (None, 1))

    def test_no_prompt(self) -> None:
        held, lost, starts = self.hold(["one"], bad=1)
        self.assertIn("heard one", held.answers["one"])
        self.assertEqual((lost, starts), (dialogue.NO_PROMPT, 2))

    def test_never_a_prompt(self) -> None:
        held, lost, starts = self.hold(["one"], bad=2)
        self.assertEqual((held.answers, held.ended, lost, starts), ({}, False, dialogue.NO_PROMPT, 2))

    def test_silence_is_ended(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            machine = Path(scratch) / "machine"
            machine.write_text("exec sleep 1000\n")
            held = dialogue.hold(["/bin/sh", machine], ["one"], boot_limit_s=0, command_limit_s=LIMIT_S)
        self.assertEqual((held.booted, held.answers, held.ended), ("", {}, False))

    def test_lost_flags(self) -> None:
        held, lost, starts = self.hold(["one"], bad=1, way=f"echo '{LOST.strip()}'")
        self.assertIn("heard one", held.answers["one"])
        self.assertIn("3c408002", lost)
        self.assertEqual(starts, 2)

    def test_a_command_that_does_not_end(self) -> None:
        held, lost, starts = self.hold(["hang", "one"], command_limit_s=0)
        self.assertEqual((list(held.answers), held.ended, lost, starts), (["hang"], False, None, 1))
        self.assertEqual(held.last(), held.answers["hang"])


if __name__ == "__main__":
    unittest.main()
