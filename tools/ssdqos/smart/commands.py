# SPDX-License-Identifier: GPL-2.0
"""The only place that calls nvme and smartctl."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from ssdqos.smart.report import WearError

TIMEOUT_S = 60
# Bits of smartctl's exit status that mean "nothing was read"; others are about the drive's health.
SMARTCTL_NOTHING = 0b11


class NotInstalled(Exception):
    """Its name."""


def parse(program: str, text: str, complaint: str) -> dict:
    try:
        made = json.loads(text)
    except ValueError:
        made = None
    if not isinstance(made, dict):
        raise WearError(f"{program} gave no JSON: {complaint.strip() or 'no message'}")
    return made


def run(program: str, *words: str) -> tuple[dict, int]:
    """Its JSON and its exit status."""
    try:
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    except FileNotFoundError as error:
        raise NotInstalled(program) from error
    except subprocess.TimeoutExpired as error:
        raise WearError(f"{program} has not answered for {TIMEOUT_S} s") from error
    lines = (done.stderr or done.stdout).strip().splitlines()
    return parse(program, done.stdout, lines[0] if lines else ""), done.returncode


def nvme(device: Path) -> dict:
    made, status = run("nvme", "smart-log", "-o", "json", str(device))
    if status:
        raise WearError(f"nvme cannot read the health log of {device}: {made.get('error', f'exit status {status}')}")
    return made


def smartctl(device: Path, *more: str) -> dict:
    made, status = run("smartctl", "-j", "-i", "-A", *more, str(device))
    if status & SMARTCTL_NOTHING:
        messages = [message.get("string", "") for message in made.get("smartctl", {}).get("messages", [])]
        raise WearError(f"smartctl cannot read {device}: {(messages or ['no message'])[0]}")
    return made
