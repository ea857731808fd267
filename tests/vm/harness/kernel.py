# SPDX-License-Identifier: GPL-2.0
"""Kernels as tests/vm/fetch-kernel leaves them in the cache."""

from __future__ import annotations

import lzma
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

VM_DIR = Path(__file__).resolve().parent.parent
TOP_DIR = VM_DIR.parent.parent
NAMES = ("6.1", "6.12", "7.2", "debug")


class HarnessError(Exception):
    """Something about the set-up, not about a test, is wrong."""


def cache_dir() -> Path:
    default = Path.home() / ".cache" / "dm-ssdqos"
    return Path(os.environ.get("SSDQOS_CACHE") or default)


def build_dir() -> Path:
    return Path(os.environ.get("SSDQOS_BUILD") or TOP_DIR / "build")


@dataclass
class Kernel:
    name: str
    release: str
    image: Path
    root: Path

    def module_dir(self) -> Path:
        return self.root / "lib" / "modules" / self.release


def vm_script(name: str, *args: str) -> str:
    """What one of the shell scripts beside us prints; their progress goes to stderr."""
    done = subprocess.run([VM_DIR / name, *args], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise HarnessError(f"{' '.join([name, *args])} failed")
    return done.stdout.strip()


def fetch(name: str) -> Kernel:
    """Fetches (or finds in the cache) the kernel of that name."""
    paths = dict(line.split("=", 1) for line in vm_script("fetch-kernel", name).splitlines())
    return Kernel(name, paths["release"], Path(paths["kernel"]), Path(paths["modules"]))


def module_name(path: str) -> str:
    """kernel/drivers/md/dm-mod.ko.xz -> dm_mod"""
    return os.path.basename(path).split(".ko", 1)[0].replace("-", "_")


class ModuleIndex:
    """Which file holds a module, and which modules that one needs."""

    def __init__(self, kernel: Kernel) -> None:
        self.directory = kernel.module_dir()
        self.paths: dict[str, str] = {}
        self.needs: dict[str, list[str]] = {}
        for line in (self.directory / "modules.dep").read_text().splitlines():
            path, _, needed = line.partition(":")
            self.paths[module_name(path)] = path
            self.needs[module_name(path)] = [module_name(n) for n in needed.split()]
        builtin = (self.directory / "modules.builtin").read_text().split()
        self.builtin = {module_name(path) for path in builtin}

    def closure(self, names: list[str]) -> list[str]:
        """The modules named and all they need; unknown names are left out."""
        found: set[str] = set()
        for name in (n.replace("-", "_") for n in names):
            if name in self.paths:
                found.update([name, *self.needs[name]])
        return sorted(found)

    def missing(self, names: list[str]) -> list[str]:
        known = self.paths.keys() | self.builtin
        return [n for n in names if n.replace("-", "_") not in known]

    def content(self, name: str) -> bytes:
        """The module as the guest loads it: busybox knows no compressed ones."""
        path = self.directory / self.paths[name]
        data = path.read_bytes()
        if path.suffix == ".xz":
            return lzma.decompress(data)
        if path.suffix == ".zst":
            return subprocess.run(["zstd", "-dc"], input=data, check=True,
                                  stdout=subprocess.PIPE).stdout
        return data
