# SPDX-License-Identifier: GPL-2.0
"""What pages have in common: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import html
import io

from matplotlib.figure import Figure

DPI = 130
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
h1 { font-size: 1.7rem } h2 { font-size: 1.25rem; margin-top: 2.2rem }
img { width: 100%; height: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
td, th { padding: .2rem .8rem; text-align: right } td:first-child, th:first-child { text-align: left }
thead th { border-bottom: 2px solid #222 } tr.section td { font-weight: bold; padding-top: .7rem }
td.diff { color: #666 } pre { background: #f4f4f4; padding: .8rem; overflow-x: auto; font-size: .85rem }
figure { margin: 1.2rem 0 } figcaption { color: #555; font-size: .92rem }
p.proof { border-left: 4px solid #009E73; padding-left: .8rem }
p.broken { border-left: 4px solid #D55E00; padding-left: .8rem }
"""


def escape(value: object) -> str:
    return html.escape(str(value))


def image(figure: Figure, alt: str, caption: str) -> str:
    """The figure as a part of the page."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", dpi=DPI)
    data = base64.b64encode(buffer.getvalue()).decode()
    return (f'<figure><img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>")
