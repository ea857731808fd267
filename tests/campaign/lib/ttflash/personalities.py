# SPDX-License-Identifier: GPL-2.0
"""The six personalities of filebench that the paper's Figure 8 has, as fio's jobs.

`says` is what filebench's file of that name says (FROM, its defaults; the paper doesn't say which version it had), `here`
what was made of it.  Of all of them:

- Files lie one behind the other in a few large ones, as fio can't make and delete files while it runs; so what is created is
  overwritten, an append overwrites a piece of a file, and opening, closing, stat and directories are left out.
- Sizes are whole units of 4 KiB, but for the database's.  Where filebench draws a size, the same part of the requests has it.
- Requests go around the page cache: memory is larger than the data, and would hide the reads.
- Filebench's threads are fio's threads.  They come by a clock, each with a rate of its own (Poisson), so that each rung has the
  same load; filebench's go on as fast as they can, but for two of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

Options = Mapping[str, object]

# Later ones draw the sizes of files, with the same mean (gamma).
FROM = "github.com/filebench/filebench, workloads, commits ca9b7afee6f6, a3b9f0bf7ef2 (oltp) and f10079b94efe (networkfs)"

DIRECT: Options = {"directory": "/mnt", "direct": 1, "ioengine": "psync", "thread": 1, "group_reporting": 1, "fallocate": "none"}
LOAD: Options = {**DIRECT, "time_based": 1, "norandommap": 1, "rate_process": "poisson", "percentile_list": "50:90:99:99.9"}
# Of options, those that say which files there are.
FILE_OPTIONS = ("size", "filename", "filesize")
# filebench appends up to 16 KiB, all sizes alike.
APPEND = "4k/25:8k/25:12k/25:16k/25"
# A file is written, and then another one appended to.
WRITE_AND_APPEND = "128k/50:4k/13:8k/13:12k/12:16k/12"
# networkfs: $filesize, in whole units of 4 KiB; each line of the file is spread evenly.
FILES = "4k/60:8k/12:12k/5:16k/5:20k/3:32k/5:64k/4:128k/3:256k/2:1024k/1"
# Two of three writes are of whole files, the third is an append: $wrtiosize, likewise.
FILES_AND_APPENDS = "4k/41:8k/8:12k/11:16k/11:20k/7:32k/3:36k/5:64k/3:68k/4:128k/2:132k/3:256k/1:1024k/1"
DATABASE = ":".join(f"data{number}" for number in range(10))


@dataclasses.dataclass(frozen=True)
class Section:
    """Threads that do the same."""

    name: str
    threads: int
    options: Options


@dataclasses.dataclass(frozen=True)
class Personality:
    """Those that read are one section, so that fio's figures of reads are theirs.

    A run of one with many reads is short: a second of it costs the most of the host's time."""

    says: str
    here: str
    run_s: int
    sections: tuple[Section, ...]


PERSONALITIES: Mapping[str, Personality] = {
    "fileserver": Personality(
        "50 threads, 10,000 files of 128 KiB; in turn: write a whole file, append up to 16 KiB, read a whole one",
        "6,000 files; 200 turns a second: 28 MB/s of writes",
        20,
        (Section("user", 50, {"size": "15m", "rw": "randrw", "blockalign": "128k,4k", "rate_iops": "4,8", "rwmixread": 33,
                              "bssplit": f"128k/100,{WRITE_AND_APPEND}"}),)),
    "networkfs": Personality(
        "one thread, 100,000 files, a third of 1 KiB, 1 % of up to 1.7 MiB; ten times a second: read three, read and rewrite six, "
        "append up to 135 KiB three times",
        "768 MiB of data, a file has at most 1 MiB and is read at once, not by 8 KiB; 80 times a second: 25 MB/s of writes",
        15,
        (Section("user", 1, {"size": "768m", "rw": "randrw", "blockalign": "4k", "rate_iops": "720,720", "rwmixread": 50,
                             "bssplit": f"{FILES},{FILES_AND_APPENDS}"}),)),
    "oltp": Personality(
        "200 threads read 2 KiB from ten files of 10 MiB; for 1,000 such reads each of 10 writes 100 times 2 KiB, and for 3,200 "
        "one writes 256 KiB to a log of 10 MiB; writes wait for the drive",
        "ten files of 72 MiB, 3,000 reads a second; writers come evenly, not by the hundred: 6 MB/s, in 12 MB/s of whole units",
        8,
        (Section("shadow", 200, {"filename": DATABASE, "filesize": "72m", "file_service_type": "random", "rw": "randread",
                                 "bs": "2k", "rate_iops": 15}),
         Section("dbwr", 10, {"filename": DATABASE, "filesize": "72m", "file_service_type": "random", "rw": "randwrite",
                              "overwrite": 1, "bs": "2k", "sync": "dsync", "rate_iops": 300}),
         Section("lgwr", 1, {"filename": "log", "filesize": "10m", "rw": "randwrite", "overwrite": 1, "bs": "256k",
                             "sync": "dsync", "rate_iops": 1}))),
    # fio 3.33 divides by zero where a thread has a rate and fsync.
    "varmail": Personality(
        "16 threads, 1,000 files of 16 KiB; in turn: append up to 16 KiB and fsync, read a whole file, append to it and fsync, "
        "read a whole one",
        "49,000 files; an append ends when all of it is in the drive (O_SYNC), so there is no fsync; 512 turns a second: 10 MB/s "
        "of writes, and the file system's journal",
        12,
        (Section("user", 16, {"size": "48m", "rw": "randrw", "blockalign": "16k,4k", "rate_iops": "64,64", "rwmixread": 50,
                              "bssplit": f"16k/100,{APPEND}", "sync": "sync"}),)),
    "videoserver": Personality(
        "48 threads read 32 videos of 10 GiB in pieces of 256 KiB, 96 MB/s together; one replaces another video by pieces "
        "of 1 MiB, and waits for ten seconds",
        "48 videos of 8 MiB, one for each; 24 of 16 MiB are replaced, with 0.55 s between them: 28 MB/s of writes",
        12,
        (Section("reader", 48, {"size": "8m", "rw": "read", "bs": "256k", "rate_iops": 8}),
         Section("writer", 1, {"size": "384m", "rw": "write", "overwrite": 1, "bs": "1m", "thinktime": 550_000,
                               "thinktime_blocks": 16}))),
    "webproxy": Personality(
        "100 threads, 10,000 files of 16 KiB; in turn: append up to 16 KiB to a new file, read five whole ones",
        "45,000 files; 1,000 turns a second: 10 MB/s of writes",
        8,
        (Section("user", 100, {"size": "7m", "rw": "randrw", "blockalign": "16k,4k", "rate_iops": "50,10", "rwmixread": 83,
                               "bssplit": f"16k/100,{APPEND}"}),)),
}


def lines(options: Options) -> str:
    return "".join(f"{key}={value}\n" for key, value in options.items())


def job_file(head: Options, sections: Mapping[str, Options]) -> str:
    """As fio reads it."""
    return "\n".join(f"[{name}]\n{lines(options)}" for name, options in {"global": head, **sections}.items())


def load_file(personality: Personality, seed: int, warm_up_s: int, run_s: int) -> str:
    head = {**LOAD, "randseed": seed, "ramp_time": warm_up_s, "runtime": run_s}
    return job_file(head, {one.name: {"numjobs": one.threads, **one.options} for one in personality.sections})


def files_file(personality: Personality) -> str:
    """Writes all files; those that have a name are there once, others once for each thread."""
    sections, named = {}, set()
    for one in personality.sections:
        files = {key: one.options[key] for key in FILE_OPTIONS if key in one.options}
        if files.get("filename") not in named:
            sections[one.name] = {"numjobs": 1 if "filename" in files else one.threads, **files}
        named |= {files["filename"]} if "filename" in files else set()
    return job_file({**DIRECT, "rw": "write", "bs": "1m", "zero_buffers": 1}, sections)
