#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Takes one CPU from all others that are not of real time, for some seconds."""
import os
import sys
import time

PRIORITY = 50


def main() -> None:
    cpu, seconds = int(sys.argv[1]), float(sys.argv[2])
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


if __name__ == "__main__":
    main()
