# SPDX-License-Identifier: GPL-2.0
"""A stream whose drive's wear is counted, in files as the kernel has them in sysfs."""

from __future__ import annotations

import struct
from pathlib import Path

from ssdqos.lifetime import state
from ssdqos.lifetime.state import FIELDS, HISTORY, HISTORY_BYTES, STATE_BYTES, WORD

DAY_S = 86400
YEAR_S = 365 * DAY_S
TB = 10**12
# A quarter of five years, a fifth of 500 TB: in order.
NUMBERS = {"age_s": YEAR_S + 91 * DAY_S, "target_s": 5 * YEAR_S, "endurance_bytes": 500 * TB,
           "effective_bytes": 500 * TB, "used_bytes": 100 * TB, "left_bytes": 400 * TB, "host_bytes": 50 * TB,
           "meta_bytes": 10**9, "waf_permille": 2000, "source_age_s": 1500, "idle_s": 300000, "vth_uv": 250000, "epoch_s": 7200,
           "epoch_bytes": 24 * 10**9, "epoch_used_bytes": 12 * 10**9, "epoch_expected_bytes": 20 * 10**9,
           "spare_bytes": 30 * TB, "plan_bytes": 125 * TB, "max_wait_ns": 0, "floor_kb_s": 792,
           "expected_well_permille": 934, "delay_ns": 35000, "stopped": 0, "late": 3,
           "forecast_s": 5 * YEAR_S + 22 * DAY_S, "forecast_unthrottled_s": 3 * YEAR_S + 100 * DAY_S}
PARAMETERS = {"drive_throttle": "ready_opt", "drive_floor_kb_s": "0", "drive_time_scale": "1"}
STATUS = ("drive=8:16 state=best_effort util_ppm=0 used_ppm=0 free_ppm=990000 profile=none reads=7 writes=8 "
          "unmanaged={unmanaged}\n")
WINDOW_S = 600
WEEK = 7 * DAY_S // WINDOW_S


def packed(words: list[int]) -> bytes:
    return struct.pack(f"<{len(words)}Q", *words)


def raw_state_1(raw: bytes) -> bytes:
    """The same as version 1 had it."""
    words = list(struct.unpack(f"<{STATE_BYTES // WORD}Q", raw))
    fields = words[state.W_FIELDS:state.W_FIELDS + state.NR_FIELDS_1]
    header = words[:state.W_FIELDS_1] + fields
    header += [0] * (state.HEADER_BYTES // WORD - len(header))
    header[state.W_VERSION] = state.VERSION_1
    header[state.W_CHECKSUM] = state.checksum_1(packed(header)[state.W_VERSION * WORD:])
    history = words[state.HEADER_BYTES // WORD:state.H_NR] + [0, 0, 0]
    history[state.H_CHECKSUM] = state.checksum_1(packed(history)[WORD:])
    return packed(header) + packed(history)


def raw_state(seq: int = 7, windows: tuple[int, ...] = (), **fields: int) -> bytes:
    """As the kernel saves it; the ring of the history begins in its middle."""
    begin = HISTORY // 2
    values = dict.fromkeys(FIELDS, 0) | {
        "endurance_bytes": 500 * TB, "cfg.drive_endurance_gb": 500 * 1000, "waf_permille": 2500,
        "cfg.drive_window_s": WINDOW_S, "life_ns": NUMBERS["age_s"] * 10**9,
        "host_bytes": 50 * TB, "used_bytes": 100 * TB, "window_end_ns": (NUMBERS["age_s"] + 60) * 10**9,
        "nr_history": len(windows), "next_history": (begin + len(windows)) % HISTORY} | fields
    pages = [0] * HISTORY
    for number, amount in enumerate(windows):
        pages[(begin + number) % HISTORY] = amount
    history = [0] * (HISTORY_BYTES // WORD)
    history[state.H_RING:state.H_RING + HISTORY // 2] = struct.unpack(f"<{HISTORY // 2}Q", struct.pack(f"<{HISTORY}I", *pages))
    history[state.H_NR], history[state.H_NEXT] = values["nr_history"], values["next_history"]
    history[state.H_CHECKSUM] = state.checksum(packed(history)[WORD:])
    header = [0] * (state.HEADER_BYTES // WORD)
    header[state.W_MAGIC], header[state.W_VERSION], header[state.W_SEQ] = state.MAGIC, state.VERSION, seq
    header[state.W_NR_FIELDS], header[state.W_HISTORY_CHECKSUM] = len(FIELDS), history[state.H_CHECKSUM]
    header[state.W_FIELDS:state.W_FIELDS + len(FIELDS)] = [values[name] for name in FIELDS]
    header[state.W_CHECKSUM] = state.checksum(packed(header)[state.W_VERSION * WORD:])
    made = packed(header) + packed(history)
    assert len(made) == STATE_BYTES
    return made


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def make(sysfs: Path, node: str, name: str, why: str = "over_budget", raw: bytes | None = None, unmanaged: int = 0,
         parameters: dict[str, str] | None = None, directory: str = "ssdqos", **numbers: int) -> Path:
    """The stream's directory."""
    path = sysfs / node / directory
    write(sysfs / node / "dm/name", f"{name}\n")
    write(path / "status", STATUS.format(unmanaged=unmanaged))
    for key, value in (NUMBERS | numbers).items():
        write(path / f"life_{key}", f"{value}\n")
    write(path / "life_delay_why", f"{why}\n")
    for key, value in (PARAMETERS | (parameters or {})).items():
        write(path / "params" / key, f"{value}\n")
    for key, value in {"delayed": 11, "delay_ns": 2_500_000_000, "stopped": 3, "stop_ns": 1_000_000_000}.items():
        write(path / "stats" / key, f"{value}\n")
    (path / "life_state").write_bytes(raw_state(windows=tuple(range(1, WEEK + 1))) if raw is None else raw)
    return path
