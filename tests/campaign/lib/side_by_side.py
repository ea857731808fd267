# SPDX-License-Identifier: GPL-2.0
"""Work on as many things as there are processors, in the order in which they were given.

Whoever asks this program to end does not wait for programs that it has started: they are ended, too.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

Thing = TypeVar("Thing")
Made = TypeVar("Made")


class Programs:
    """Those that run, so that they can be ended together."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen] = set()
        self._lock = threading.Lock()
        self._ended = False

    def run(self, words: Sequence[str], cwd: Path | None = None, limit_s: float | None = None) -> subprocess.CompletedProcess:
        """Raises subprocess.TimeoutExpired, and ends it, if it takes longer than that."""
        with self._lock:
            if self._ended:
                return subprocess.CompletedProcess(words, 1, "", "ended")
            program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)
            self._running.add(program)
        with program:  # closes its pipes
            try:
                out, err = program.communicate(timeout=limit_s)
            finally:
                program.kill()
                with self._lock:
                    self._running.remove(program)
        return subprocess.CompletedProcess(words, program.returncode, out, err)

    def end(self) -> None:
        with self._lock:
            self._ended = True
            for program in self._running:
                program.terminate()


def made(things: Iterable[Thing], make: Callable[[Thing], Made], programs: Programs) -> Iterator[Made]:
    """What `make` gives for each; the first that fails ends the others."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        try:
            yield from workers.map(make, things)
        except BaseException:
            programs.end()
            raise
