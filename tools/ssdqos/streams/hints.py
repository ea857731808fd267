# SPDX-License-Identifier: GPL-2.0
"""Why a command of dmsetup failed, in one sentence, and what to do about it."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError

UNKNOWN_TARGET = "unknown target type"
NO_DRIVER = ("Failure to communicate with kernel device-mapper driver", "device-mapper driver missing")
DENIED = ("Permission denied", "Operation not permitted")
# What a refusal is like that another user of the disk may be the cause of.
MAYBE_BUSY = ("busy", "EBUSY", "Invalid device", "can't be opened")


def explained(kernel: str, complaint: str, root: bool, release: str) -> str:
    """`kernel` is its own sentence, `complaint` what dmsetup says; either may be empty."""
    if UNKNOWN_TARGET in kernel:
        return (f"the kernel module dm-ssdqos is not there for kernel {release}: modprobe dm-ssdqos says why, "
                "dkms status whether it was built")
    if not root and (not complaint or any(word in complaint for word in (*DENIED, *NO_DRIVER))):
        return "this is for root only"
    if any(word in complaint for word in NO_DRIVER):
        return "the kernel has no device mapper: modprobe dm_mod"
    return kernel or f"dmsetup: {(complaint.strip().splitlines() or ['no message'])[0]}"


def reason(kernel: str, complaint: str) -> str:
    return explained(kernel, complaint, os.geteuid() == 0, platform.release())


def busy(error: ToolError, device: Path) -> ToolError:
    """The error, with who has the device where that may be the cause."""
    if any(word in str(error) for word in MAYBE_BUSY) and (users := Device(device).users()):
        return ToolError(f"{device} is in use: {', '.join(users)}")
    return error
