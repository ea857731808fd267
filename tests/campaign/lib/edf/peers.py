# SPDX-License-Identifier: GPL-2.0
"""Part `peers`: the same clients under io.max, iocost, BFQ, nothing, ssdqos."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Row
from lib.edf import clients, fio, profiles, table
from lib.edf.clients import Client, Drive
from lib.edf.scale import Scale
from lib.machine import Job

TITLE = "Beside io.max, iocost and BFQ"
CONTENDERS = {"none": "nothing", "io_max": "io.max", "iocost": "iocost", "bfq": "BFQ",
              "ssdqos": "ssdqos"}
COEF_READ_S, COEF_WRITE_S = 1, 10
# Five contenders and the model of iocost are some 600 s of the guest's clock; where the
# host has other things to do, the emulator needs more than twice that.
WALL_LIMIT_S = 3600
GOAL_PCT = 99


@dataclasses.dataclass(frozen=True)
class Setting:
    """One boot: all contenders, one after the other."""

    name: str
    drive: Drive
    clients: tuple[Client, ...]
    window_ms: int

    def job(self, scale: Scale) -> Job:
        settings = {**self.drive.settings(), "RUN_S": scale.run_s(self.window_ms),
                    "WARM_UP_S": scale.warm_up_s(self.window_ms), "WINDOW_MS": self.window_ms, "CONFIDENCE_PERMILLE": 990,
                    "COEF_READ_S": COEF_READ_S, "COEF_WRITE_S": COEF_WRITE_S}
        return Job(self.name, "edf-peers.sh", settings, {
            "clients": clients.lines(self.clients), "profile": profiles.words(self.drive)}, wall_limit_s=WALL_LIMIT_S)


SETTINGS = (
    Setting("peers-b", clients.DRIVE_B, clients.MIXED_SIZES, 3000),
)


def jobs(scale: Scale) -> list[Job]:
    return [setting.job(scale) for setting in SETTINGS]


def read(setting: Setting, results: Path, scale: Scale) -> dict:
    factor = int((results / "scale").read_text())
    status = fio.read_status(results / "reservations")
    found = {name: [table.client_row(results / name, client, table.promised(client, factor),
                                     setting.window_ms, scale.windows)
                    for client in setting.clients] for name in CONTENDERS}
    return {"drive": setting.drive.title, "window_ms": setting.window_ms, "scale_permille": factor,
            "reserved_pct": table.reserved_pct(status), "reservations": table.kernel_windows(status),
            "iocost_model": (results / "coefficients").read_text().strip(), "contenders": found}


def measure(out: dict[str, Path], scale: Scale) -> dict:
    return {setting.name: read(setting, out[setting.name], scale) for setting in SETTINGS
            if setting.name in out}


def contender_row(name: str, rows: list[dict]) -> list[str]:
    return [CONTENDERS[name], *(f"{row['met_pct']:.1f}" for row in rows),
            f"{sum(row['mb_s'] for row in rows):.1f}", f"{sum(row['iops'] for row in rows):,.0f}",
            *(f"{row['p999_ms']:,.0f}" for row in rows)]


def setting_text(setting: Setting, found: dict) -> str:
    shorts = [client.name for client in setting.clients]
    head = ["", *(f"{name} met %" for name in shorts), "MB/s", "IOPS",
            *(f"{name} p99.9 ms" for name in shorts)]
    rows = [contender_row(name, rows) for name, rows in found["contenders"].items()]
    asked = ", ".join(f"{row['title']} {row['promised_iops']:,} IOPS"
                      for row in found["contenders"]["none"])
    return rst.page(
        rst.heading(f"Drive {setting.drive.title}", "~"),
        f"Promises: {asked}; windows of {setting.window_ms / 1000:g} s, "
        f"{found['contenders']['none'][0]['windows']} of them;\nssdqos reserves "
        f"{found['reserved_pct']:.1f} % of device time for them.\n",
        rst.table(head, rows), f"Model of iocost: ``{found['iocost_model']}``\n",
        rst.figure(f"{setting.name}.svg", "Met windows of each client under each contender."))


TEXT = f"""\
The same clients, promises and drive in one boot; every contender begins with the drive as new.
iocost, BFQ and io.max need requests, so all contenders, ssdqos too, run on a loop device with
direct I/O over the drive, which adds some 5 us to a request.  Each client is a cgroup.

- *io.max*: every client is limited to its promise and 5 %, so it cannot make good what a blocking
  event of the drive cost it.
- *iocost*: model from six runs of fio as ``tools/cgroup/iocost_coef_gen.py`` makes them ({COEF_READ_S} s of reads and
  {COEF_WRITE_S} s of writes each in place of 120), qos as in the example of ``cgroup-v2.rst``; weights in
  proportion to the device time that ssdqos reserves for the clients.
- *BFQ*: the same weights, ``low_latency=0`` as its documentation says for shares.
- *ssdqos*: the promises, admitted with the profile of the bare drive.
"""


def goals(result: dict) -> list[Row]:
    return [Bound(f"Beside other contenders on drive {setting.drive.title}: windows met with ssdqos, least of the clients",
                  min(row["met_pct"] for row in result[setting.name]["contenders"]["ssdqos"]), least=GOAL_PCT,
                  unit="%").row() for setting in SETTINGS if setting.name in result]


def section(result: dict) -> str:
    return rst.page(TEXT, *(setting_text(setting, result[setting.name]) for setting in SETTINGS
                            if setting.name in result))


def draw(result: dict, directory: Path) -> None:
    for setting in SETTINGS:
        if setting.name in result:
            draw_setting(setting, result[setting.name], directory / f"{setting.name}.svg")


def draw_setting(setting: Setting, found: dict, path: Path) -> None:
    width = 0.8 / len(setting.clients)

    def paint(axis):
        for at, client in enumerate(setting.clients):
            x = [i + (at + 0.5) * width - 0.4 for i in range(len(found["contenders"]))]
            axis.bar(x, [rows[at]["met_pct"] for rows in found["contenders"].values()], width,
                     color=f"C{at}", label=client.title())
        axis.set_xticks(range(len(found["contenders"])),
                        [CONTENDERS[name] for name in found["contenders"]])
    charts.draw(path, paint, "", "windows met, %")
