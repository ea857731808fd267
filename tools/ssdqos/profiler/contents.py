# SPDX-License-Identifier: GPL-2.0
"""What a drive is and what is on it, for somebody who is asked whether all of it may go."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ssdqos.device import Device
from ssdqos.qos.units import bytes_text
from ssdqos.sysfs import pairs

LIMIT_S = 30


def signature(node: Path) -> str:
    """As blkid finds it, such as "ext4 'data'"; empty if there is none."""
    try:
        done = subprocess.run(["blkid", "-p", "-o", "export", str(node)], capture_output=True, text=True, check=False,
                              timeout=LIMIT_S)
    except FileNotFoundError:
        return "unknown, blkid is not installed (package util-linux)"
    except subprocess.TimeoutExpired:
        return "unknown, blkid does not answer"
    found = pairs(done.stdout.replace("\\ ", "_"))
    kind = found.get("TYPE") or found.get("PTTYPE", "")
    return f"{kind} '{found['LABEL']}'" if kind and "LABEL" in found else kind


def described(device: Device) -> str:
    """Its model, its size, and the signatures on it and on its partitions."""
    known = device.identity()
    model = " ".join(known[key] for key in ("model", "serial") if key in known) or "of no known model"
    nodes = [device.path, *(device.path.resolve().parent / name for name in list(device.parts().values())[1:])] \
        if device.is_block() else [device.path]
    found = [f"{kind} on {node.name}" for node in nodes if (kind := signature(node))]
    return f"{device.path} is {model}, {bytes_text(device.size_bytes())}; on it: {', '.join(found) or 'no signature'}"
