# SPDX-License-Identifier: GPL-2.0
"""Pieces of a reStructuredText page."""


def heading(text, mark):
    return f"{text}\n{mark * len(text)}\n"


def table(head, rows):
    """A simple table; all but the first column are aligned to the right."""
    cells = [[str(c) for c in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    rule = "  ".join("=" * w for w in widths)
    lines = [row[0].ljust(widths[0]) + "  " + "  ".join(
        c.rjust(w) for c, w in zip(row[1:], widths[1:])) for row in cells]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule]) + "\n"


def command(*lines):
    return "::\n\n" + "".join(f"    {line}\n" for line in lines)


def figure(name, caption):
    return f".. figure:: {name}\n\n   {caption}\n"


def page(*parts):
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)
