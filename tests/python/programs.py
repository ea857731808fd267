# SPDX-License-Identifier: GPL-2.0
"""Programs of the checkout whose names are no module's, for tests of their functions."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from unittest import mock

TOP = Path(__file__).resolve().parents[2]


def load(path: str) -> ModuleType:
    """Without a compiled file beside it.  path: from the top of the checkout"""
    loader = importlib.machinery.SourceFileLoader(path.replace("/", "_").replace("-", "_"), str(TOP / path))
    with mock.patch.object(sys, "dont_write_bytecode", True):
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(module)
    return module
