# SPDX-License-Identifier: GPL-2.0
"""--dry-run: what would be done is printed, as commands that would do it; questions are asked all the same."""

from __future__ import annotations

import shlex
from pathlib import Path

from ssdqos.streams import segment
from ssdqos.streams.dmsetup import UUID_PREFIX, Dmsetup
from ssdqos.streams.memory import Memory

CHANGES = ("create", "reload", "suspend", "resume", "clear", "remove")
QUESTIONS = ("admit",)
# Of a profile, the first words are enough.
SHOWN_LETTERS = 60


class DryRun(Dmsetup):
    """Devices that would have been made are there, for whoever asks."""

    def __init__(self) -> None:
        self.made: dict[str, list[str]] = {}

    def run(self, *words: str, text: str | None = None) -> str:
        if words[0] not in CHANGES and not (words[0] == "message" and words[3] not in QUESTIONS):
            return super().run(*words, text=text)
        print(f"dmsetup {' '.join(map(shown, words))}" + "".join(f"\n    {line}" for line in (text or "").splitlines()))
        return ""

    def create(self, name: str, lines: list[str], prefix: str = UUID_PREFIX) -> None:
        super().create(name, lines, prefix)
        self.made[name] = lines

    def status(self, name: str) -> list[str]:
        if name not in self.made:
            return super().status(name)
        return [f"{part.start} {part.length} ssdqos drive={part.keys.get(segment.DRIVE, part.device)} profile=none"
                for part in map(segment.parse, self.made[name])]


def shown(word: str) -> str:
    return shlex.quote(word) if len(word) <= SHOWN_LETTERS else f"'{word[:SHOWN_LETTERS]}...'"


class Forgetful(Memory):
    """Nothing is noted."""

    def keep(self, drive: str, profile: Path) -> None:
        pass

    def note_removed(self, name: str) -> None:
        pass

    def note_wanted(self, name: str) -> None:
        pass

    def note_lives(self, drives: set[str]) -> None:
        pass
