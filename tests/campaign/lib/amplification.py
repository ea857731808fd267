# SPDX-License-Identifier: GPL-2.0
"""Write amplification of greedy garbage collection against theory."""

import statistics

from lib import theory

GIB = 1 << 30
PERMILLES = (70, 150, 280)
# shape (channels, chips, planes), size, pages per block
DRIVES = (
    ((1, 1, 1), GIB, 32), ((1, 1, 1), GIB, 64), ((1, 1, 1), GIB, 128), ((1, 1, 1), GIB, 256),
    ((1, 1, 1), GIB, 512), ((4, 2, 2), 4 * GIB, 256),
)
WINDOWS = 12
LAST_WINDOWS = 4
SEQUENTIAL_FILL = "write bs=128k iodepth=8"
COLLECTOR_WRITES_PER_PLANE = 30_000


def parameters(shape, pages, permille):
    return {"page_kib": 4, "pages_per_block": pages, "op_permille": permille,
            "gc_policy": "greedy", "gc_start_blocks": 2, "gc_stop_blocks": 3, "buffer_kib": 64,
            "channels": shape[0], "chips_per_channel": shape[1], "planes_per_chip": shape[2]}


def programs_per_host_program(result):
    """Units are pages here, so no padding; what was overwritten in the write
    buffer was never programmed and does not count as written."""
    counters = result["counters"]
    return (counters["host_programs"] + counters["gc_programs"]) / counters["host_programs"]


def windows(sim, size, sets, aged, number):
    """WAF of each window in which as much is written as the drive holds."""
    state = sim.file("state")
    found, last = [], None
    if not aged:
        sim.run("autossd", SEQUENTIAL_FILL, size=size, sets=sets, save_state=state)
    for window in range(number):
        start = {"aged_pct": 100} if aged and not window else {}
        last = sim.run("autossd", f"randwrite bs=4k iodepth=32 number_ios={size // 4096}"
                       f" seed={window + 1}", size=size, sets={**sets, **start},
                       load_state=None if start else state, save_state=state)
        found.append(round(programs_per_host_program(last), 4))
    return found, last


class PlaneTracker:
    """Follows the events of one plane: how many of its pages hold no data.

    That are the pages of free blocks, those of the two open blocks that are
    not yet programmed, and those of the block under collection that were
    already copied or had been stale.
    """

    def __init__(self, block_pages):
        self.block_pages = block_pages
        self.free = None
        self.next_page = {}
        self.victim_left = None

    def collector(self, event, free, valid):
        self.free = free
        if event == "gc_victim_chosen":
            self.victim_left = valid

    def program_started(self, task, page):
        if page == 0 and self.free is not None:
            self.free -= 1
        self.next_page[task] = page + 1

    def program_completed(self, task):
        if task == "gc" and self.victim_left:
            self.victim_left -= 1

    def erased(self):
        self.free += 1
        self.victim_left = None

    def without_data(self):
        if self.free is None or len(self.next_page) < 2:
            return None
        pages = self.free * self.block_pages
        pages += sum(self.block_pages - n for n in self.next_page.values())
        if self.victim_left is not None:
            pages += self.block_pages - self.victim_left
        return pages


PROGRAM, ERASE = "1", "2"


def pages_without_data(events, block_pages):
    """Mean over the host's programs, of a plane."""
    planes, samples = {}, []
    for line in events:
        _, event, task, op, plane, _, page, units = line.rstrip("\n").split(",")
        tracker = planes.setdefault(plane, PlaneTracker(block_pages))
        if event.startswith("gc_"):
            tracker.collector(event, int(units), int(page))
        elif op == PROGRAM and event == "nand_started":
            tracker.program_started(task, int(page))
            if task == "flush":
                samples.append(tracker.without_data())
        elif op == PROGRAM and event == "nand_completed":
            tracker.program_completed(task)
        elif op == ERASE and event == "nand_completed" and tracker.free is not None:
            tracker.erased()
    return statistics.mean(s for s in samples if s is not None)


def measure_unusable(sim, size, sets, geometry):
    """A short look at each NAND operation, in the state that the windows left."""
    events = sim.file("events")
    writes = COLLECTOR_WRITES_PER_PLANE * geometry["planes"]
    sim.run("autossd", f"randwrite bs=4k iodepth=32 number_ios={writes} seed=1000", size=size,
            sets=sets, load_state=sim.file("state"), events=events)
    with open(events, encoding="ascii") as lines:
        return pages_without_data(lines, geometry["pages_per_block"])


def compare(sim, shape, size, pages, permille, number):
    sets = parameters(shape, pages, permille)
    fresh, _ = windows(sim, size, sets, False, number)
    aged, last = windows(sim, size, sets, True, number)
    geometry = last["geometry"]
    logical, physical = geometry["logical_units"], geometry["physical_units"]
    pages = geometry["pages_per_block"]
    unusable = measure_unusable(sim, size, sets, geometry)
    effective = physical - geometry["planes"] * unusable
    measured = statistics.mean(aged[-LAST_WINDOWS:])
    expected = theory.waf_greedy(effective / logical, pages)
    return {"shape": shape, "size": size, "pages_per_block": pages, "op_permille": permille,
            "geometry": geometry, "seed": last["seed"], "command": last["command"],
            "windows_aged": aged, "windows_fresh": fresh, "waf": round(measured, 4),
            "waf_fresh": round(statistics.mean(fresh[-LAST_WINDOWS:]), 4),
            "unusable_blocks_per_plane": round(unusable / pages, 3),
            "alpha": physical / logical, "alpha_effective": effective / logical,
            "greedy": expected, "greedy_naive": theory.waf_greedy(physical / logical, pages),
            "lru": theory.waf_lru(effective / logical),
            "difference_pct": round(100 * (measured / expected - 1), 2)}


def measure(sim, options, say):
    found = []
    for shape, size, pages in DRIVES[1:2] if options.quick else DRIVES:
        for permille in PERMILLES:
            say(f"write amplification: {shape}, {pages} pages a block, {permille / 10:g} %")
            found.append(compare(sim, shape, size, pages, permille,
                                 LAST_WINDOWS if options.quick else WINDOWS))
    return found
