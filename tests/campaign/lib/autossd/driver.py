# SPDX-License-Identifier: GPL-2.0
"""Runs what is missing, several at a time, and says how far it is."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import time
from collections.abc import Callable

from lib.autossd.runs import Run
from lib.autossd.section import NS_PER_MS, Found
from lib.autossd.store import Store
from lib.errors import RunError

STILL_ALIVE_S = 60


@dataclasses.dataclass
class Task:
    """A run, and who wants it."""

    run: Run
    name: str


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def outcome(found: Found) -> str:
    """One phrase for the progress line."""
    result = found.result
    latency = result["latency_ns"].get("read_small") or result["latency_ns"]["read"]
    text = (f"{result['requests'] / 1e6:.2f} M requests in {result['cpu_s']:.0f} s of CPU, "
            f"reads' p99.9 {latency['p999'] / NS_PER_MS:.2f} ms")
    return f"{text}; BROKEN: {found.failed}" if found.failed else text


class Progress:
    """What is done, and from that when the rest will be."""

    def __init__(self, tasks: list[Task], say: Callable[[str], None]) -> None:
        self.say = say
        self.total = len(tasks)
        self.effort = sum(task.run.effort() for task in tasks)
        self.done, self.done_effort = 0, 0.0
        self.started = time.monotonic()

    def finished(self, task: Task, text: str) -> None:
        self.done += 1
        self.done_effort += task.run.effort()
        self.say(f"[{self.done}/{self.total}] {task.name}: {text}; {self.times()}")

    def times(self) -> str:
        passed = time.monotonic() - self.started
        if not self.done_effort:
            return f"{clock(passed)} passed"
        to_go = passed * (self.effort - self.done_effort) / self.done_effort
        return f"{clock(passed)} passed, {clock(to_go)} to go"

    def alive(self, running: int) -> None:
        self.say(f"{running} under way, {self.total - self.done} of {self.total} left; "
                 f"{self.times()}")


def missing(store: Store, wanted: dict[str, dict[tuple, Run]]) -> list[Task]:
    """Every run once, however many want it; not those that another one makes
    on its way, unless that one is there."""
    tasks: dict[Run, Task] = {}
    for experiment, plan in wanted.items():
        for label, run in plan.items():
            name = " ".join([experiment, *map(str, label)])
            if run not in tasks and not store.find(run):
                tasks[run] = Task(run, name)
    made = {run.before for run in tasks if run.before}
    return [task for run, task in tasks.items() if run not in made]


def run_all(store: Store, tasks: list[Task], jobs: int, say: Callable[[str], None]) -> list[str]:
    """Makes all results; returns a sentence for each that could not be made.

    Long runs go first, so that no single one is left at the end.  Runs that
    measure time go last, one by one.
    """
    progress = Progress(tasks, say)
    together = sorted((t for t in tasks if not t.run.alone), key=lambda t: -t.run.effort())
    failures = run_pool(store, together, jobs, progress)
    return failures + run_pool(store, [t for t in tasks if t.run.alone], 1, progress)


def run_pool(store: Store, tasks: list[Task], jobs: int, progress: Progress) -> list[str]:
    failures: list[str] = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(store.make, task.run): task for task in tasks}
        try:
            left = set(futures)
            while left:
                done, left = concurrent.futures.wait(
                    left, STILL_ALIVE_S, concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    failures += collect(future, futures[future], progress)
                if not done:
                    progress.alive(min(jobs, len(left)))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            store.stop()
            raise
    return failures


def collect(future: concurrent.futures.Future, task: Task, progress: Progress) -> list[str]:
    try:
        progress.finished(task, outcome(future.result()))
    except RunError as error:
        progress.finished(task, f"FAILED: {error}")
        return [f"{task.name}: {error}"]
    return []
