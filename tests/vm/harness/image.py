# SPDX-License-Identifier: GPL-2.0
"""Builds the initramfs: a cached base per kernel and a small part per run."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import os
import py_compile
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness.cpio import Archive
from harness.kernel import TOP_DIR, VM_DIR, HarnessError, Kernel, ModuleIndex, cache_dir, vm_script

# Programs that tests call, beside the applets of busybox.
TOOLS = ("dmsetup", "blkdiscard", "blkid", "blockdev", "blkzone", "losetup", "mkfs.ext4", "e2fsck",
         "sqlite3", "blktrace", "blkparse", "trace-cmd", "mawk", "setsid", "fstrim", "cmp", "yes", "head",
         "md5sum", "grep", "sed")
TOOL_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# Without these no test can run; the others depend on the kernel.
NEEDED_MODULES = ["dm-mod", "null_blk", "loop", "virtio_blk", "virtio_pci", "ext4", "sd_mod"]
WANTED_MODULES = ["dm-delay", "dm-flakey", "dm-dust", "dm-log-writes", "dm-snapshot",
                  "dm-thin-pool", "dm-mirror", "dm-writecache", "dm-zero", "dm-raid", "raid1", "nbd",
                  "brd", "nvme", "nvme-tcp", "nvmet-tcp", "virtio_net", "scsi_debug", "zonefs", "bfq",
                  "kyber-iosched", "mq-deadline", "virtio_console", "crc32c_generic",
                  "crc32c_intel"]
CONSOLE_DEVICE = (5, 1)
KEY_LENGTH = 16
ELF_MAGIC = b"\x7fELF"
# Programs find these by name; the rest of /etc is not needed.
ETC_FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "etc/group": "root:x:0:\ndisk:x:6:\n",
    "etc/mke2fs.conf": "[defaults]\n\tbase_features = sparse_super,filetype,resize_inode,"
                       "dir_index,ext_attr\n\tblocksize = 4096\n\tinode_size = 256\n"
                       "\tinode_ratio = 16384\n[fs_types]\n\text4 = {\n\t\tfeatures = has_journal,"
                       "extent,huge_file,flex_bg,metadata_csum,64bit,dir_nlink,extra_isize\n\t}\n",
}
# The command-line tool, and how it is called where nothing is installed.
OWN_TOOL = TOP_DIR / "tools" / "ssdqos"
OWN_TOOL_DIR = "/opt"
OWN_TOOL_COMMAND = f'#!/bin/sh\nPYTHONPATH={OWN_TOOL_DIR} exec python3 -m ssdqos "$@"\n'
# What Python has compiled is for files of another time; what the guest gets is compiled for it.
COMPILED = "__pycache__"
PYTHON_SUFFIX = ".py"
DIRECTORIES = ("dev", "proc", "sys", "tmp", "run", "mnt", "results", "root", "tests", "var/tmp")
REQUEST_LINE = re.compile(r"^# (include|program|python|timeout): *(\S+) *$", re.MULTILINE)
# Programs in C have nothing of this machine in them.
COMPILE = ("gcc", "-O2", "-Wall", "-Wextra", "-static")


@dataclasses.dataclass
class Requests:
    """What a run wants: its scripts in their order, each with its time limit;
    files, programs in C and in Python, and the command-line tool by its name."""

    limits_s: dict[Path, int] = dataclasses.field(default_factory=dict)
    includes: list[str] = dataclasses.field(default_factory=list)
    compiled: list[str] = dataclasses.field(default_factory=list)
    programs: list[str] = dataclasses.field(default_factory=list)
    own_tool: bool = False

    def add(self, test: Path, limit_s: int) -> None:
        """A script may ask for more in its comments, and for more time."""
        for kind, value in REQUEST_LINE.findall(test.read_text()):
            if kind == "timeout":
                limit_s = max(limit_s, int(value))
            else:
                specs = {"include": self.includes, "program": self.compiled, "python": self.programs}[kind]
                specs.append(str(TOP_DIR / value))
        self.limits_s[test] = limit_s


def find_tool(name: str) -> Path:
    found = shutil.which(name, path=TOOL_PATH)
    if not found:
        raise HarnessError(f"{name} is not installed on this machine")
    return Path(found)


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(ELF_MAGIC)) == ELF_MAGIC


def libraries(program: Path) -> list[Path]:
    """The shared libraries (and the loader) a program was linked with."""
    listing = subprocess.run(["ldd", program], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=False).stdout
    words = (word for line in listing.splitlines() for word in line.split())
    return sorted({Path(word) for word in words if word.startswith("/")})


def bytecode(program: Path, guest_path: str) -> bytes:
    """For the interpreter that this is; another one compiles for itself.  A command's modules take a guest a second."""
    with tempfile.TemporaryDirectory() as scratch:
        made = py_compile.compile(str(program), f"{scratch}/made", guest_path, doraise=True,
                                  invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        return Path(made).read_bytes()


def add_program(archive: Archive, guest_path: str, program: Path) -> None:
    archive.add_file(guest_path, program)
    if program.suffix == PYTHON_SUFFIX:
        archive.add_data(importlib.util.cache_from_source(guest_path), bytecode(program, guest_path))
    if not is_elf(program.resolve()):
        return
    for library in libraries(program):
        if str(library) not in archive:
            archive.add_file(str(library), library)


def add_busybox(archive: Archive) -> None:
    busybox = find_tool("busybox")
    add_program(archive, "bin/busybox", busybox)
    applets = subprocess.run([busybox, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    for applet in set(applets.stdout.split()) - {"busybox"}:
        archive.add_link(f"bin/{applet}", "busybox")
    # The kernel calls it by this path, for a file system or an I/O scheduler.
    archive.add_link("sbin/modprobe", "/bin/busybox")


def add_modules(archive: Archive, kernel: Kernel) -> None:
    index = ModuleIndex(kernel)
    missing = index.missing(NEEDED_MODULES)
    if missing:
        raise HarnessError(f"kernel {kernel.name} lacks {', '.join(missing)}")
    names = index.closure(NEEDED_MODULES + WANTED_MODULES)
    base = Path("lib/modules") / kernel.release
    with tempfile.TemporaryDirectory() as scratch:
        staged = Path(scratch) / base
        staged.mkdir(parents=True)
        for name in names:
            (staged / f"{name}.ko").write_bytes(index.content(name))
        for listing in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
            if (kernel.module_dir() / listing).exists():
                shutil.copy(kernel.module_dir() / listing, staged)
        subprocess.run(["depmod", "-b", scratch, kernel.release], check=True)
        for name in names:
            archive.add_data(str(base / f"{name}.ko"), (staged / f"{name}.ko").read_bytes())
        for listing in ("modules.dep", "modules.alias", "modules.symbols", "modules.builtin"):
            archive.add_data(str(base / listing), (staged / listing).read_bytes())


def base_key(kernel: Kernel, fio: Path) -> str:
    """Changes whenever something in the base archive does."""
    digest = hashlib.sha256(kernel.release.encode())
    for source in sorted(VM_DIR.glob("harness/*.py")) + sorted(VM_DIR.glob("guest/*")):
        digest.update(source.read_bytes())
    for tool in (fio, *map(find_tool, ("busybox", *TOOLS))):
        status = tool.resolve().stat()
        digest.update(f"{tool} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:KEY_LENGTH]


def base_archive(kernel: Kernel) -> Path:
    """The part that is the same for every run on one kernel."""
    directory = cache_dir() / "initrd"
    fio = Path(vm_script("build-fio"))
    path = directory / f"{kernel.name}-{base_key(kernel, fio)}.cpio"
    if path.exists():
        return path
    archive = Archive()
    for name in DIRECTORIES:
        archive.add_dir(name)
    archive.add_char_device("dev/console", *CONSOLE_DEVICE)
    for name, text in ETC_FILES.items():
        archive.add_data(name, text.encode())
    add_busybox(archive)
    for tool in TOOLS:
        add_program(archive, f"usr/bin/{tool}", find_tool(tool))
    add_program(archive, "usr/bin/fio", fio)
    add_modules(archive, kernel)
    for name in ("init", "runner"):
        archive.add_file(name, VM_DIR / "guest" / name)
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob(f"{kernel.name}-*.cpio"):
        old.unlink()
    scratch = path.with_suffix(f".{os.getpid()}")
    with scratch.open("wb") as out:
        archive.write(out)
    scratch.rename(path)
    return path


def add_own_module(archive: Archive, kernel: Kernel, module: Path) -> None:
    """Adds our module and a modules.dep that knows it, so modprobe works."""
    index = ModuleIndex(kernel)
    base = f"lib/modules/{kernel.release}"
    modinfo = subprocess.run(["modinfo", "-F", "depends", module], check=True, text=True,
                             stdout=subprocess.PIPE)
    needed = index.closure(modinfo.stdout.strip().split(",")) if modinfo.stdout.strip() else []
    lines = [f"{module.stem}.ko: " + " ".join(f"{name}.ko" for name in needed)]
    for name in index.closure(NEEDED_MODULES + WANTED_MODULES + needed):
        depends = " ".join(f"{other}.ko" for other in index.needs[name])
        lines.append(f"{name}.ko: {depends}")
        if name in needed:
            archive.add_data(f"{base}/{name}.ko", index.content(name))
    archive.add_data(f"{base}/{module.stem}.ko", module.read_bytes())
    archive.add_data(f"{base}/modules.dep", ("\n".join(lines) + "\n").encode())


def add_include(archive: Archive, spec: str) -> None:
    """FILE or DIRECTORY, optionally with :GUESTPATH (default: beside the tests)."""
    host, _, guest = spec.partition(":")
    source = Path(host)
    if not source.exists():
        raise HarnessError(f"--include {host}: no such file")
    target = guest or f"/tests/{source.name}"
    if source.is_file():
        add_program(archive, target, source)
        return
    for path in sorted(source.rglob("*")):
        if COMPILED in path.parts:
            continue
        inside = f"{target}/{path.relative_to(source)}"
        if path.is_symlink():
            archive.add_link(inside, os.readlink(path))
        elif path.is_file():
            add_program(archive, inside, path)


def add_compiled(archive: Archive, spec: str) -> None:
    """SOURCE:GUESTPATH, one file in C."""
    source, _, guest = spec.partition(":")
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "program"
        done = subprocess.run([*COMPILE, "-o", program, source], capture_output=True, text=True, check=False)
        if done.returncode:
            raise HarnessError(f"{source} does not compile: {done.stderr}")
        archive.add_data(guest, program.read_bytes(), mode=0o755)


def add_python(archive: Archive, spec: str) -> None:
    """PACKAGE:GUESTPATH or FILE:GUESTPATH, with this machine's interpreter, and
    as much of the interpreter's library as it needs."""
    python = find_tool("python3")
    listing = subprocess.run([python, "-IBS", VM_DIR / "harness/python_files.py",
                              spec.partition(":")[0]],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    add_program(archive, "usr/bin/python3", python)
    for path in listing.splitlines():
        add_program(archive, path, Path(path))
    add_include(archive, spec)


def add_own_tool(archive: Archive) -> None:
    add_python(archive, f"{OWN_TOOL}:{OWN_TOOL_DIR}/{OWN_TOOL.name}")
    archive.add_data("usr/sbin/ssdqos", OWN_TOOL_COMMAND.encode(), mode=0o755)


def run_archive(kernel: Kernel, requests: Requests, module: Path | None,
                settings: dict[str, str]) -> Archive:
    """The part that belongs to one run; overrides files of the base."""
    archive = Archive()
    for test in requests.limits_s:
        archive.add_data(f"tests/{test.name}", test.read_bytes(), mode=0o755)
        for helper in sorted(test.parent.glob("lib*.sh")):
            archive.add_file(f"tests/{helper.name}", helper)
    if module:
        add_own_module(archive, kernel, module)
    for spec in requests.includes:
        add_include(archive, spec)
    for spec in requests.compiled:
        add_compiled(archive, spec)
    for spec in requests.programs:
        add_python(archive, spec)
    if requests.own_tool:
        add_own_tool(archive)
    archive.add_data("tests/.list", "".join(
        f"{test.name} {limit}\n" for test, limit in requests.limits_s.items()).encode())
    text = "".join(f"export {key}='{value}'\n" for key, value in settings.items())
    archive.add_data("tests/.settings", text.encode())
    return archive


def write_initrd(path: Path, kernel: Kernel, archive: Archive) -> None:
    with path.open("wb") as out:
        with base_archive(kernel).open("rb") as base:
            shutil.copyfileobj(base, out)
        archive.write(out)
