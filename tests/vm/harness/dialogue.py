# SPDX-License-Identifier: GPL-2.0
"""Types commands into a machine's shell and reads what it answers.

A machine that has not come to its prompt in time, or whose emulator was at
fault, is started once more, as session.run_on_sane_machine() does.  After a
command that does not end nothing more is typed.
"""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from dataclasses import dataclass, field

from harness import session

# A shell that edits its line asks the terminal where the cursor is.
PROMPT = re.compile(rb"# (?:\x1b\[6n)?$")
CHUNK_BYTES = 4096
# For one command, on the wall.
COMMAND_LIMIT_S = 600
# The machine ends when its shell does.
END_LIMIT_S = 60
NO_PROMPT = "it did not come to its prompt"


@dataclass
class Dialogue:
    """What a machine printed up to its first prompt, and after each command; what is missing did not come."""

    booted: str
    answers: dict[str, str] = field(default_factory=dict)
    # Of the last one: was there a prompt after it?
    ended: bool = True

    def last(self) -> str:
        """What there was last, which explains why no more was typed."""
        return [self.booted, *self.answers.values()][-1]

    def fault(self) -> str | None:
        """Why this says nothing about the commands."""
        if not self.ended and not self.answers:
            return NO_PROMPT
        return session.console_fault(self.booted + "".join(self.answers.values()))


def read_to_prompt(shell: subprocess.Popen[bytes], limit_s: float) -> tuple[str, bool]:
    """All up to the next prompt, and whether there was one."""
    text = b""
    deadline = time.monotonic() + limit_s
    while not PROMPT.search(text):
        ready, _, _ = select.select([shell.stdout], [], [], max(0, deadline - time.monotonic()))
        chunk = os.read(shell.stdout.fileno(), CHUNK_BYTES) if ready else b""
        if not chunk:
            return text.decode(errors="replace"), False
        text += chunk
    return text.decode(errors="replace"), True


def end(shell: subprocess.Popen[bytes], alive: bool) -> None:
    """One that does not answer would not end by itself."""
    if alive:
        shell.stdin.write(b"exit\n")
    shell.stdin.close()
    try:
        shell.wait(END_LIMIT_S if alive else 0)
    except subprocess.TimeoutExpired:
        session.stop(shell)


def hold(machine: list[str | os.PathLike[str]], commands: list[str], boot_limit_s: float,
         command_limit_s: float) -> Dialogue:
    with subprocess.Popen(machine, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as shell:
        text, prompted = read_to_prompt(shell, boot_limit_s)
        held = Dialogue(text, ended=prompted)
        for command in commands:
            if not held.ended:
                break
            shell.stdin.write(command.encode() + b"\n")
            shell.stdin.flush()
            held.answers[command], held.ended = read_to_prompt(shell, command_limit_s)
        end(shell, held.ended)
    return held


def hold_on_sane_machine(machine: list[str | os.PathLike[str]], commands: list[str],
                         boot_limit_s: float = session.BOOT_LIMIT_S,
                         command_limit_s: float = COMMAND_LIMIT_S) -> tuple[Dialogue, str | None]:
    """The dialogue, and why it was held once more, if it was."""
    held = hold(machine, commands, boot_limit_s, command_limit_s)
    fault = held.fault()
    if fault is None:
        return held, None
    return hold(machine, commands, boot_limit_s, command_limit_s), fault
