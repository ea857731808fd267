# SPDX-License-Identifier: GPL-2.0
"""The tool's answers are the core's, to the last digit, for whatever profile and promises."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from ssdqos.qos import admission
from ssdqos.qos.admission import Answer, DriveSettings
from ssdqos.qos.cost import NoCost
from ssdqos.qos.profile_file import ANY_BYTES, BesideKey, CostKey, MixedKey, Profile
from ssdqos.qos.promise import WINDOWS as WINDOWS_KINDS
from ssdqos.qos.promise import Promise
from ssdqos.qos.request import CLASSES

TOP = Path(__file__).resolve().parents[2]
CORE = [*(path for part in (".", "engine", "rules", "qos") for path in TOP.glob(f"dm-ssdqos/core/{part}/*.c")),
        TOP / "tools/sim/platform/env.c"]
CASES = 300
WINDOWS = (100, 200, 500, 1000, 3000, 10000)
SIZES = tuple(512 << at for at in range(0, 13, 3))
DEPTHS, CONFIDENCES = (1, 8, 32), (900, 990, 999)
SETTINGS = DriveSettings(best_effort_permille=20)


def made_up_profile(chance: random.Random) -> Profile:
    """Any subset of the rows, with gaps, and costs in no order."""
    windows = tuple(sorted(chance.sample(WINDOWS, chance.randint(1, len(WINDOWS)))))
    profile = Profile(windows_ms=windows)
    for request in CLASSES:
        for size in SIZES:
            for depth in DEPTHS:
                for confidence in CONFIDENCES:
                    if chance.random() < 0.3:
                        profile.costs[CostKey(request, size, depth, confidence)] = tuple(
                            None if chance.random() < 0.05 else chance.randint(1, 10 ** chance.randint(3, 7))
                            for _ in windows)
    for request in CLASSES[:1] + CLASSES[-1:]:
        profile.costs.setdefault(CostKey(request, 4096, 8, 990), tuple(50_000 for _ in windows))
    profile.mix = {pct: chance.randint(500, 3000) for pct in sorted(chance.sample(range(101), chance.randint(0, 6)))}
    if chance.random() < 0.6:
        for _ in range(chance.randint(1, 24)):
            key = MixedKey(chance.randint(1, 99), chance.choice(DEPTHS), chance.choice(CONFIDENCES))
            profile.mixed[key] = tuple(None if chance.random() < 0.05 else chance.randint(900, 3000) for _ in windows)
    if chance.random() < 0.6:
        for _ in range(chance.randint(1, 24)):
            key = BesideKey(chance.randint(1, 100), chance.choice(DEPTHS), chance.choice(CONFIDENCES),
                            chance.choice((ANY_BYTES, *SIZES)))
            profile.beside[key] = tuple(None if chance.random() < 0.05 else chance.randint(900, 30_000)
                                        for _ in windows)
    return profile


def made_up_promise(chance: random.Random) -> Promise:
    rate = {chance.choice(("min_iops", "min_mb_s", "util_ppm")): chance.randint(1, 10 ** chance.randint(1, 5))}
    return Promise(chance.choice(CLASSES), chance.choice((512, 4096, 6144, 65536, 100_000, 16 << 20)), **rate,
                   window_ms=chance.choice((100, 150, 1000, 2999, 60000)),
                   confidence_permille=chance.choice((500, 950, 990, 995, 999)),
                   iodepth=chance.choice((0, 0, 1, 4, 12, 200)), windows=chance.choice(WINDOWS_KINDS))


def line(what: str, promise: Promise) -> str:
    words = [f"{key} {value}" for key, value in promise.said().items()]
    return f"{what} {' '.join(words)} drive_best_effort_permille 20 drive_overcommit on"


def tools_answer(profile: Profile, others: list[Promise], promise: Promise) -> Answer | None:
    """None where a promise can't be made at all."""
    try:
        return admission.admit(profile, others, promise, SETTINGS)
    except NoCost:
        return None


def tools_reply(profile: Profile, others: list[Promise], promise: Promise) -> Answer:
    """To a question, which always has an answer."""
    return tools_answer(profile, others, promise) or admission.nothing_promised(profile, others, promise, SETTINGS)


class SameAnswers(unittest.TestCase):
    def setUp(self) -> None:
        if not shutil.which("gcc"):
            self.skipTest("no compiler")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.program = Path(scratch.name) / "core_admit"
        options = ["-std=gnu11", "-D_GNU_SOURCE", "-O1", f"-I{TOP}/tools/sim/platform", "-o", self.program]
        subprocess.run(["gcc", *options, *CORE, Path(__file__).with_name("core_admit.c"), "-lm"], check=True)

    def test_for_many_profiles(self) -> None:
        chance = random.Random(7)
        questions, wanted, alone = [], [], 0
        for _ in range(CASES):
            profile = made_up_profile(chance)
            questions.append(f"profile {profile.words()}")
            wanted.append("ok")
            others: list[Promise] = []
            for _ in range(chance.randint(0, 3)):
                other = made_up_promise(chance)
                questions.append(line("add", other))
                known = tools_answer(profile, [], other)
                wanted.append("ok" if known else "error")
                others += [other] if known else []
            promise = made_up_promise(chance)
            questions.append(line("admit", promise))
            wanted.append(tools_reply(profile, others, promise))
            with_beside, profile.beside = profile.beside, {}
            without = tools_answer(profile, others, promise)
            alone += bool(without) and without.used_ppm < wanted[-1].used_ppm
            profile.beside = with_beside
        done = subprocess.run([self.program], input="\n".join(questions) + "\n", capture_output=True, text=True,
                              check=True)
        answers = done.stdout.splitlines()
        self.assertEqual(len(wanted), len(answers))
        for question, mine, core in zip(questions, wanted, answers):
            if isinstance(mine, Answer):
                self.assertFalse(core.startswith("error"), f"{question}: {core}")
                self.assertEqual(admission.parse_answer(core), mine, question)
            else:
                self.assertEqual(mine, core.partition(":")[0], f"{question}: {core}")
        # both kinds of answers came up
        found = [mine for mine in wanted if isinstance(mine, Answer)]
        self.assertGreater(sum(answer.fits for answer in found), CASES // 10)
        self.assertGreater(sum(not answer.fits for answer in found), CASES // 10)
        self.assertGreater(sum(not answer.util_ppm for answer in found), CASES // 30)
        # what is slower beside writes made a difference, and costs from other rows than those that were asked for
        few = CASES // 30
        self.assertGreater(sum(answer.from_bytes < answer.from_bytes_to for answer in found), few)
        self.assertGreater(sum(answer.from_depth < answer.asked_depth < answer.from_depth_to for answer in found), few)
        self.assertGreater(sum(0 < answer.from_depth_to < answer.asked_depth for answer in found), few)
        self.assertGreater(sum(0 < answer.fit_util_ppm < answer.util_ppm for answer in found), 0)
        self.assertGreater(sum(answer.asked_depth < answer.from_depth for answer in found), few)
        self.assertGreater(sum(0 < answer.from_confidence_permille < 990 for answer in found), few)
        self.assertEqual({"none", "rand", "seq"}, {answer.from_pattern for answer in found})
        self.assertGreater(sum(answer.spare_write_ppm < answer.spare_write_before_ppm for answer in found), few)
        self.assertGreater(alone, few)
        self.assertEqual({"none", "0", "1", "2"}, {answer.largest for answer in found})


if __name__ == "__main__":
    unittest.main()
