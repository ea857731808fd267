# SPDX-License-Identifier: GPL-2.0
"""How fast the simulator is, what ageing costs, how much memory a drive takes."""

import gzip
import pathlib
import re
import resource
import subprocess

from lib.simulator import ROOT, in_turns, spread

GIB = 1 << 30
PRESETS = {"autossd": 200_000_000_000, "ttflash": 239_041_060_864}
SMALL_SIZES = (GIB, 8 * GIB)
AGEING_SIZES = (8 * GIB, 64 * GIB, PRESETS["autossd"])

# name, what it is, load, parameters, requests on a small and on a full-size
# drive (there it takes longer until garbage collection has begun everywhere),
# requests under valgrind
LOADS = (
    ("read", "4 KiB random reads, depth 32", "randread bs=4k iodepth=32", {},
     2_000_000, 2_000_000, (50_000, 150_000)),
    ("mixed", "70/30 random, garbage collection active", "randrw rwmixread=70 bs=4k iodepth=32", {},
     1_500_000, 6_000_000, (250_000, 350_000)),
    ("write", "random writes, 7 % over-provisioning", "randwrite bs=4k iodepth=32",
     {"op_permille": 70}, 1_000_000, 2_500_000, (100_000, 150_000)),
)
GOALS_PER_S = {"read": 3e6, "mixed": 1.2e6, "write": 0.5e6}
GOAL_LEAST_PER_S = {"mixed": 0.6e6}
GOAL_AGEING_S_PER_GIB = 0.001
GOAL_MEMORY_BYTES = 9

# not part of the project; next to its checkout where it is there
TRACE = ROOT.parent / "shared/traces/msps_dtrs_300s.csv.gz"
TRACE_LOOPS = 4
PEER_START_ROWS = 10


def speed_cases(quick):
    cases = []
    for preset, full in PRESETS.items():
        for size in SMALL_SIZES if quick else (*SMALL_SIZES, full):
            for name, _, load, sets, few, many, _ in LOADS:
                number = many if size == full else few
                cases.append({"preset": preset, "size": size, "load_name": name,
                              "load": f"{load} number_ios={number // 10 if quick else number}",
                              "sets": {"aged_pct": 100, **sets}})
    return cases


def describe(case, runs):
    first = runs[0]
    return {**case, "requests": first["requests"], "waf": first["flash"]["waf"],
            "gc_blocks": first["counters"]["gc_blocks"],
            "geometry": first["geometry"], "seed": first["seed"], "command": first["command"],
            "requests_per_cpu_s": spread([r["requests_per_cpu_s"] for r in runs])}


def measure_speed(sim, options, say):
    cases = speed_cases(options.quick)
    results = in_turns(cases, options.rounds, lambda c: sim.run(
        c["preset"], size=c["size"], sets=c["sets"], load=c["load"]), say)
    return [describe(case, runs) for case, runs in zip(cases, results)]


def instruction_cases(quick):
    """All on a small drive; reads, which need no time to reach a steady
    state, on one of full size as well."""
    for preset, full in PRESETS.items():
        for name, _, load, sets, _, _, numbers in LOADS:
            for size in (GIB, full) if name == "read" and not quick else (GIB,):
                yield preset, size, name, load, sets, numbers


def measure_instructions(sim, options, say):
    """Instructions per request: the difference of a longer and a shorter run,
    which leaves out making the drive and the time before steady state."""
    found = []
    for preset, size, name, load, sets, (short, long) in instruction_cases(options.quick):
        say(f"instructions: {preset}, {size / GIB:.0f} GiB, {name}")
        drive = ["run", "--drive", preset, "--size", str(size)]
        for key, value in {"aged_pct": 100, **sets}.items():
            drive += ["--set", f"{key}={value}"]
        counts = [sim.instructions([*drive, "--load", f"{load} number_ios={n}"])
                  for n in (short, long)]
        if None in counts:
            return None
        found.append({"preset": preset, "size": size, "load_name": name,
                      "requests": [short, long], "instructions": counts,
                      "per_request": round((counts[1] - counts[0]) / (long - short))})
    return found


def measure_ageing(sim, options, say):
    """CPU time of making an aged drive, less that of a fresh one."""
    cases = [{"preset": preset, "size": size, "aged_pct": aged}
             for preset in PRESETS for size in AGEING_SIZES[:1 if options.quick else None]
             for aged in (0, 100)]
    results = in_turns(cases, options.rounds, lambda c: sim.run(
        c["preset"], size=c["size"], sets={"aged_pct": c["aged_pct"]},
        load="randread number_ios=1"), say)
    found = []
    for at in range(0, len(cases), 2):
        fresh, aged = results[at], results[at + 1]
        size = cases[at]["size"]
        per_gib = [(a["setup_cpu_s"] - f["setup_cpu_s"]) / (size / GIB)
                   for f, a in zip(fresh, aged)]
        found.append({"preset": cases[at]["preset"], "size": size, "command": aged[0]["command"],
                      "fresh_cpu_s": spread([r["setup_cpu_s"] for r in fresh]),
                      "aged_cpu_s": spread([r["setup_cpu_s"] for r in aged]),
                      "cpu_s_per_gib": spread(per_gib), **memory(fresh[0])})
    return found


def memory(result):
    total, geometry = result["flash"]["memory_bytes"], result["geometry"]
    return {"memory_bytes": total,
            "bytes_per_logical_page": round(total / geometry["logical_units"], 3),
            "bytes_per_physical_page": round(total / geometry["physical_units"], 3)}


def mqsim_inputs(directory, name, rows, loops):
    """Rows of our trace in MQSim's format, and a workload that plays them."""
    trace, workload = directory / f"{name}.trace", directory / f"{name}.xml"
    with open(trace, "w", encoding="ascii") as out:
        for row in rows:
            time_us, op, offset, size = row.split(",")
            print(int(float(time_us) * 1000), 0, int(offset) // 512, max(1, int(size) // 512),
                  int(op == "R"), file=out)
    ids = [",".join(str(i) for i in range(n)) for n in (8, 4, 2, 2)]
    workload.write_text(f"""<?xml version="1.0" encoding="us-ascii"?>
<MQSim_IO_Scenarios><IO_Scenario><IO_Flow_Parameter_Set_Trace_Based>
<Priority_Class>HIGH</Priority_Class>
<Device_Level_Data_Caching_Mode>WRITE_CACHE</Device_Level_Data_Caching_Mode>
<Channel_IDs>{ids[0]}</Channel_IDs><Chip_IDs>{ids[1]}</Chip_IDs>
<Die_IDs>{ids[2]}</Die_IDs><Plane_IDs>{ids[3]}</Plane_IDs>
<Initial_Occupancy_Percentage>0</Initial_Occupancy_Percentage>
<File_Path>{trace}</File_Path><Percentage_To_Be_Executed>100</Percentage_To_Be_Executed>
<Relay_Count>{loops}</Relay_Count><Time_Unit>NANOSECOND</Time_Unit>
</IO_Flow_Parameter_Set_Trace_Based></IO_Scenario></MQSim_IO_Scenarios>
""")
    return workload


class Mqsim:
    """The peer: plays the trace as often as ours, and a few rows of it, which
    is what starting costs."""

    def __init__(self, program, directory):
        self.program = pathlib.Path(program).resolve()
        with gzip.open(TRACE, "rt") as file:
            rows = file.read().splitlines()[1:]
        self.workload = mqsim_inputs(directory, "whole", rows, TRACE_LOOPS)
        self.start = mqsim_inputs(directory, "start", rows[:PEER_START_ROWS], 1)
        self.requests = len(rows) * TRACE_LOOPS
        self.total_s, self.net_s = [], []

    def run(self):
        started = self._cpu_s(self.start)
        self.total_s.append(self._cpu_s(self.workload))
        self.net_s.append(self.total_s[-1] - started)
        self.check()

    def check(self):
        """A run that did not serve every request would look fast."""
        report = self.workload.with_name(self.workload.stem + "_scenario_1.xml").read_text()
        served = int(re.search(r"<Request_Count>(\d+)</Request_Count>", report).group(1))
        if served != self.requests:
            raise SystemExit(f"MQSim served {served} of {self.requests} requests")

    def result(self):
        return {"requests": self.requests,
                "requests_per_cpu_s": spread([self.requests / s for s in self.net_s]),
                "total_requests_per_cpu_s": spread([self.requests / s for s in self.total_s])}

    def _cpu_s(self, workload):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([str(self.program), "-i", str(self.program.with_name("ssdconfig.xml")), "-w",
                        str(workload)], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_trace(sim, options, say):
    """A real trace; the same one with MQSim, if its program is given."""
    if not TRACE.exists():
        say(f"{TRACE} is not there: left out")
        return None
    peer = Mqsim(options.mqsim, sim.file(".")) if options.mqsim else None
    ours = []
    for number in range(options.rounds):
        say(f"trace, round {number + 1} of {options.rounds}")
        ours.append(sim.run("autossd", sets={"aged_pct": 100}, trace=TRACE, loop=TRACE_LOOPS))
        if peer:
            peer.run()
    found = {"trace": TRACE.name, "requests": ours[0]["requests"],
             "bytes": ours[0]["bytes"], "command": ours[0]["command"],
             "waf": ours[0]["flash"]["waf"], "gc_blocks": ours[0]["counters"]["gc_blocks"],
             "requests_per_cpu_s": spread([r["requests_per_cpu_s"] for r in ours]),
             "total_requests_per_cpu_s": spread(
                 [r["requests"] / (r["cpu_s"] + r["setup_cpu_s"]) for r in ours])}
    return {**found, "mqsim": peer.result()} if peer else found
