# SPDX-License-Identifier: GPL-2.0
"""Part `work` of the campaign of promises, with a simulator that is none."""

import dataclasses
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "campaign"), str(HERE.parents[2] / "tools"), str(HERE.parent)]

from drawn_promises import PROFILE, drawn  # noqa: E402
from lib.promise import neighbours, work  # noqa: E402

LIMIT = "max_iops="


def done(reads):
    return {"requests": reads, "reads": reads, "writes": 0, "read_bytes": 4096 * reads, "write_bytes": 0, "windows_met": 1,
            "windows_missed": 0, "achieved_min": 1, "promised": 1}


class Drive:
    """Gives every stream what its limit says, up to `most` requests a second of each."""

    def __init__(self, scenario, most):
        self.scenario, self.most, self.tried = scenario, most, []

    def profile_of(self, _):
        return PROFILE

    def drive_words(self, *_):
        return []

    def names(self):
        return work.loads(self.scenario)

    def run(self, scenario, more=()):
        return {name: done(100 * scenario.runtime_s) for name in self.names()}

    def streams(self, _, words):
        limits = [int(word.split(LIMIT)[1].split()[0].rstrip('"')) for word in words if LIMIT in word]
        self.tried.append(limits[0])
        return {name: done(min(limit, self.most) * self.scenario.runtime_s) if self.most >= 100 else done(1)
                for name, limit in zip(self.names(), limits)}


def scenario():
    return next(one for number in range(200) if (one := drawn(number)).owners and one.neighbour in
                neighbours.lasting() and one.neighbour != neighbours.ALONE)


class Work(unittest.TestCase):
    def test_what_nobody_loses_by_counts(self):
        one = scenario()
        factor = one.runtime_s / (one.runtime_s - work.WARM_UP_S)
        made = work.row(one, Drive(one, 10**6))
        self.assertAlmostEqual(made["work_pct"], 100 / (max(work.FACTORS) * factor), delta=0.5)
        self.assertEqual(made["without_pct"], 100)

    def test_who_only_trims_is_limited_by_what_it_trims(self):
        one = dataclasses.replace(scenario(), neighbour="trim storm")
        with_ = {name: done(4000) | ({"reads": 0, "read_bytes": 0} if name[0] == "b" else {}) for name in work.loads(one)}
        made = work.words(one, Drive(one, 10), with_, 2.0)
        self.assertTrue([word for word in made if "randtrim" in word])
        self.assertFalse([word for word in made if word.endswith(f"{LIMIT}{work.LEAST_IOPS}")])

    def test_owners_come_behind_the_burst(self):
        one = scenario()
        after = dataclasses.replace(one, drive=dataclasses.replace(one.drive, burst=True))
        self.assertEqual([False, True], ["start=4s" in work.loads(some)["a0"][0] for some in (one, after)])

    def test_limits_with_which_somebody_gets_less_do_not(self):
        one = scenario()
        self.assertEqual(work.row(one, Drive(one, 10))["work_pct"], 100)

    def test_each_factor_is_tried(self):
        one = scenario()
        drive = Drive(one, 1000)
        work.row(one, drive)
        self.assertEqual(len(drive.tried), len(work.FACTORS))
        self.assertEqual(drive.tried, sorted(drive.tried))

    def test_who_comes_and_goes_may_have_its_rate_while_it_is_there(self):
        load = "randwrite bs=4k start=5s runtime=10s every=20s"
        self.assertEqual(work.iops_there(3000, load, 45), 150)
        self.assertEqual(work.iops_there(0, "randwrite start=50s runtime=1s", 45), 0)


if __name__ == "__main__":
    unittest.main()
