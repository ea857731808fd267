#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints the files of this interpreter's standard library that a program needs.

  python3 -IBS python_files.py PACKAGE|FILE

That is what is imported when all modules of the package are, or the one: a search of the
sources for imports finds three times as much, and takes as long as the machine
does to boot.  -I and -S keep away what is not of the standard library.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
import sysconfig
from pathlib import Path

# What Python begins with, and what others import only when they need it.
MORE = ("site", "runpy", "encodings.ascii", "encodings.latin_1", "copy", "linecache", "shutil",
        "textwrap", "traceback")


def modules(program: Path) -> list[str]:
    if program.is_file():
        return [program.stem]
    return [found.name for found in pkgutil.walk_packages([str(program)], f"{program.name}.")]


def import_all(program: Path) -> None:
    """Also what can't be imported here, for want of a library, has imported some."""
    sys.path.insert(0, str(program.parent))
    for name in (*MORE, *modules(program)):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def main() -> None:
    import_all(Path(sys.argv[1]).resolve())
    library = Path(sysconfig.get_path("stdlib"))
    files = {Path(module.__file__) for module in sys.modules.values()
             if getattr(module, "__file__", None)}
    print("".join(f"{path}\n" for path in sorted(files) if path.is_relative_to(library)), end="")


if __name__ == "__main__":
    main()
