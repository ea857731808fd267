# SPDX-License-Identifier: GPL-2.0
"""Answers as dmsetup and target ssdqos do, as far as the tool looks at it."""

from __future__ import annotations

from ssdqos.errors import ToolError
from ssdqos.streams.dmsetup import UUID_PREFIX, Dmsetup

REPLY = ("fits={fits} util_ppm=100000 used_ppm=390000 free_ppm=880000 mix_factor_permille=1300 cost_ns=400000 "
         "fit_iops=250 fit_mb_s=0 fit_window_ms=3000 least_depth=4 largest_ppm=50000 from_pattern=none "
         "largest=253:0+{sector}\n")
# To what the profile promises nothing of.
NOTHING = ("fits=0 util_ppm=0 used_ppm=290000 free_ppm=700000 mix_factor_permille=1000 cost_ns=0 fit_iops=0 fit_mb_s=0 "
           "fit_window_ms=10000 least_depth=0 largest_ppm=50000 from_pattern=none largest=253:0+{sector}\n")
RATES = ("min_iops", "min_mb_s", "util_ppm")


class FakeDmsetup(Dmsetup):
    """Mapped devices by name: their tables; `profiles` by drive; `calls` has what was asked."""

    def __init__(self) -> None:
        self.devices: dict[str, list[str]] = {}
        self.tables: list[list[str]] = []
        self.profiles: dict[str, str] = {}
        self.calls: list[tuple[str, ...]] = []
        self.refuse, self.why = "", "the kernel refuses"
        self.fits, self.largest_sector, self.reply = 1, 0, REPLY

    def __call__(self) -> FakeDmsetup:
        """In place of the class."""
        return self

    def run(self, *words: str, text: str | None = None) -> str:
        self.calls.append(words)
        if self.refuse and self.refuse in " ".join(words):
            raise ToolError(self.why)
        return getattr(self, f"do_{words[0]}")(*words[1:], text=text)

    def lines(self, name: str) -> list[str]:
        if name not in self.devices:
            raise ToolError("dmsetup: Device does not exist.")
        return self.devices[name]

    @staticmethod
    def drive(line: str) -> str:
        words = line.split()
        return words[words.index("drive") + 1] if "drive" in words else "8:16"

    # ---- commands ----

    def do_ls(self, _option: str, target: str, text: str | None) -> str:
        return "".join(f"{name}\t(253:{at})\n" for at, (name, lines) in enumerate(self.devices.items())
                       if target in (line.split()[2] for line in lines)) or "No devices found\n"

    def do_info(self, *words: str, text: str | None) -> str:
        """Of all that it has the identifier is ours."""
        self.lines(words[-1])
        return f"{UUID_PREFIX}{words[-1]}\n"

    def do_table(self, name: str, text: str | None) -> str:
        return "\n".join(self.lines(name)) + "\n"

    def do_create(self, name: str, *_: str, text: str | None) -> str:
        self.devices[name] = (text or "").splitlines()
        return ""

    def do_reload(self, name: str, text: str | None) -> str:
        self.lines(name)
        self.reloaded = (text or "").splitlines()
        self.tables.append(self.reloaded)
        return ""

    def do_suspend(self, *_: str, text: str | None) -> str:
        return ""

    def do_resume(self, name: str, text: str | None) -> str:
        self.devices[name] = self.reloaded
        return ""

    def do_clear(self, name: str, text: str | None) -> str:
        self.reloaded = self.lines(name)
        return ""

    def do_remove(self, name: str, text: str | None) -> str:
        self.lines(name)
        del self.devices[name]
        return ""

    def do_status(self, name: str, text: str | None) -> str:
        made = []
        for line in self.lines(name):
            words = line.split()
            keys = dict(zip(words[6::2], words[7::2]))
            reserved = any(key in keys for key in RATES)
            drive = self.drive(line)
            state, util_ppm = ("reserved", 50000) if reserved else ("best_effort", 0)
            profile = "ok" if drive in self.profiles else "none"
            made.append(f"{words[0]} {words[1]} {words[2]} drive={drive} state={state} util_ppm={util_ppm} "
                        f"profile={profile} reads=7")
        return "\n".join(made) + "\n"

    def do_message(self, name: str, sector: str, what: str, *words: str, text: str | None) -> str:
        line = next(line for line in self.lines(name) if line.split()[0] == sector)
        if what == "admit":
            return self.reply.format(fits=self.fits, sector=self.largest_sector)
        if what == "profile":
            self.profiles[self.drive(line)] = words[0]
        elif what == "set":
            keys = dict(zip(words[::2], words[1::2]))
            if any(keys.get(rate, "0") != "0" for rate in RATES[:2]) and self.drive(line) not in self.profiles:
                raise ToolError("min_iops: needs a profile of the drive")
            head, rest = line.split()[:5], line.split()[6:]
            kept = dict(zip(rest[::2], rest[1::2])) | keys
            flat = [word for pair in kept.items() if pair[1] != "0" for word in pair]
            self.devices[name][self.devices[name].index(line)] = " ".join([*head, str(len(flat)), *flat])
        return ""
