# SPDX-License-Identifier: GPL-2.0
"""A picture of the report, which also has to be seen on a dark page."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ssdqos.figures import plt

DPI = 130
# What is drawn in these becomes the page's own colours.
INK, LINES = "#010203", "#dddddd"
PAGE_COLOURS = {INK: "currentColor", LINES: "var(--lines)"}
PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)

plt.rcParams.update({name: INK for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor",
                                            "xtick.color", "ytick.color")})


@dataclass(frozen=True)
class Picture:
    """With a text for those who can't see it, and one for all below it."""

    name: str
    figure: Figure
    alt: str
    caption: str

    def svg(self) -> str:
        """As a part of the page, without a background."""
        buffer = io.StringIO()
        self.figure.savefig(buffer, format="svg", dpi=DPI, transparent=True)
        drawn = PROLOGUE.sub("", buffer.getvalue(), count=1)
        for colour, of_page in PAGE_COLOURS.items():
            drawn = drawn.replace(colour, of_page)
        return drawn

    def close(self) -> None:
        """matplotlib keeps what it has drawn."""
        plt.close(self.figure)


def phase(axis: Axes, begin: float, end: float, name: str) -> None:
    """A stretch of the axis of time, with a name above it."""
    axis.axvline(begin, color=INK, linewidth=0.8, linestyle=":")
    axis.text((begin + end) / 2, 1.02, name, transform=axis.get_xaxis_transform(), ha="center", va="bottom")
