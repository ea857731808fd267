# SPDX-License-Identifier: GPL-2.0
"""Part `filesystems`: programs on file systems over a mirror whose members fail and return, and over a linear device."""

from __future__ import annotations

from pathlib import Path

from lib import campaign, filesystem, rst
from lib.claim import Bound, Row
from lib.ianus.runs import NAME
from lib.machine import Job

TITLE = "File systems"
# A test of every day, which does less of the same.
SCRIPT = "../../kselftest/87-ianus-fs.sh"
STRICT = "strict"
# File system, durability, kernel.
BOOTS = (*((system, STRICT, "6.1") for system in ("ext4", "xfs", "btrfs")), ("xfs", "journal", "6.1"),
         ("ext4", "volatile", "6.1"), *((system, STRICT, "debug") for system in ("ext4", "xfs", "btrfs")))
# stress-ng's class filesystem but for those that touch no file of the file system (bind-mount, binderfs, eventfd, ioprio,
# procfs).
STRESSORS = ("access chattr chdir chmod chown copy-file dentry dir dirdeep dirmany dnotify dup fallocate fanotify fcntl "
             "fiemap file-ioctl filename flock fpunch fsize fstat getdent handle hdd inode-flags inotify io iomix lease link "
             "locka lockf lockofd mknod open rename symlink sync-file touch utime verity xattr").split()
PROGRAMS = ("fs_mark", "dbench", "bonnie", "fio")
FILES = ("/usr/bin/dbench:/usr/bin/dbench", "/usr/share/dbench/client.txt:/usr/share/dbench/client.txt",
         "/usr/sbin/bonnie++:/usr/bin/bonnie++")
CHECKERS = {"ext4": (), "xfs": ("/usr/sbin/xfs_repair:/usr/bin/xfs_repair",), "btrfs": ("/usr/bin/btrfs:/usr/bin/btrfs",)}
# XFS has 300 MiB at least.  Three members, the linear device, metadata and a journal.
MEMBER_MB, DISK = 320, "nvme:1400M"
STRESS_S = 1
PROGRAM_S, SHORT_PROGRAM_S = 6, 3
# Those that write most.
SHORT_STRESSORS = ("copy-file dentry dir dirdeep fallocate fpunch hdd iomix link mknod open rename symlink sync-file utime "
                   "xattr").split()
# What the kernel or the file system does not have (fs-verity, say); the table names them.
MAY_FAIL = 6
LIMIT_S = 3000
LEAST_FAILURES = 100
SIDES = ("linear", "mirror")
KEPT = ("failures", "copied_blocks", "switches", "lost_regions", "differing_blocks")
BLOCKS_PER_MIB = 256
MS_PER_S = 1000


def job(system: str, durability: str, kernel: str, seed: int, short: bool) -> Job:
    settings = {"FS": system, "MODULES": " ".join(filesystem.modules(system, kernel)), "DURABILITY": durability, "SEED": seed,
                "DISK": "/dev/nvme0n1", "MEMBER_MB": MEMBER_MB, "MAY_FAIL": MAY_FAIL,
                "STRESSORS": " ".join(SHORT_STRESSORS if short else STRESSORS), "STRESS_S": STRESS_S, "PROGRAMS": " ".join(PROGRAMS),
                "PROGRAM_S": SHORT_PROGRAM_S if short else PROGRAM_S}
    words = [word for file in (*FILES, *CHECKERS[system]) for word in ("--include", file)]
    machine = ("--smp", "2", "--disk", DISK, *words, *filesystem.options(system, kernel, campaign.runs_of(f"{NAME}-filesystems")))
    return Job(f"{system}-{durability}-{kernel}", SCRIPT, settings, kernel=kernel, machine=machine, limit_s=LIMIT_S,
               wall_limit_s=LIMIT_S)


def jobs(seed: int, quick: bool) -> list[Job]:
    return [job(*each, seed, quick or each[-1] == "debug") for each in BOOTS]


def read(directory: Path) -> dict:
    """Of one boot: by side and program status and time, and what the mirror says of itself."""
    programs: dict[str, dict] = {side: {} for side in SIDES}
    for line in (directory / "programs").read_text().splitlines():
        side, name, status, ms = line.split()
        programs[side][name] = {"status": int(status), "ms": int(ms)}
    status = dict(word.split("=", 1) for word in (directory / "mirror").read_text().split() if "=" in word)
    return {"programs": programs, "mirror": {key: int(status[key]) for key in KEPT}}


def failing(boot: dict, side: str) -> set[str]:
    return {name for name, done in boot["programs"][side].items() if done["status"]}


def only_here(boot: dict) -> int:
    return len(failing(boot, "mirror") - failing(boot, "linear"))


def goals(result: dict) -> list[Row]:
    boots = result["boots"].values()

    def total(key: str) -> int:
        return sum(boot["mirror"][key] for boot in boots)
    return [Bound("programs that fail on the mirror and not on a linear device", sum(map(only_here, boots)), most=0,
                  digits=0).row(),
            Bound("members that failed meanwhile", total("failures"), least=LEAST_FAILURES, digits=0).row(),
            Bound("blocks that differ in the end", total("differing_blocks"), most=0, digits=0).row(),
            Bound("regions that were lost", total("lost_regions"), most=0, digits=0).row()]


def row(name: str, boot: dict) -> list[str]:
    system, durability, kernel = name.split("-")
    sides = [boot["programs"][side] for side in SIDES]
    done = [f"{sum(not each['status'] for each in side.values())}" for side in sides]
    seconds = [f"{sum(each['ms'] for each in side.values()) / MS_PER_S:.0f}" for side in sides]
    mirror = boot["mirror"]
    return [system, durability, kernel, f"{len(sides[0])}", *done, *seconds, f"{mirror['failures']}",
            f"{mirror['copied_blocks'] / BLOCKS_PER_MIB:,.0f}", f"{mirror['differing_blocks']}"]


def excused(boots: dict) -> str:
    rows = [f"- {name}: {', '.join(sorted(failing(boot, 'linear')))}; "
            f"of them, on the mirror: {', '.join(sorted(failing(boot, 'linear') & failing(boot, 'mirror'))) or 'none'}"
            for name, boot in boots.items() if failing(boot, "linear")]
    return "What fails on the linear device:\n\n" + "\n".join(rows) + "\n" if rows else ""


TEXT = f"""\
A mirror of three members of {MEMBER_MB} MiB, parts of an emulated NVMe disk on two processors in real time (a machine
without KVM, so slowly), and beside it in the same boot a linear device on the same disk.  On each a file system is made,
files are written that stay, and programs run one after the other: {len(STRESSORS)} of stress-ng's class *filesystem*
({len(SHORT_STRESSORS)} on the debug kernel, which has KASAN and lockdep), with its own checks, {STRESS_S} s each, then fs_mark,
dbench, bonnie++ and a verifying fio.  Meanwhile a member of the mirror fails and joins at random moments, half of the
time another one before it is back.  Afterwards: files are as they were after another mount, the file system is clean (e2fsck -fn; xfs_repair -n; btrfs scrub and btrfs check), nobody has complained in the
kernel's log, all members have the same, byte by byte, and the mirror's own comparison finds nothing.

*Work*: programs that end well; *s*: what all took; *failed*: members that were given up; *copied*: MiB from member to member.
"""


def section(result: dict) -> str:
    boots = result["boots"]
    return rst.page(TEXT, rst.table(["file system", "durability", "kernel", "programs", "work, linear", "mirror", "s, linear",
                                     "mirror", "failed", "copied", "differ"],
                                    [row(name, boot) for name, boot in boots.items()]), excused(boots))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
