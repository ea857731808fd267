# SPDX-License-Identifier: GPL-2.0
"""Writes the report: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import html
import io

from matplotlib.figure import Figure

from ssdqos import table

MIB = 1 << 20
DPI = 130
US_PER_MS = 1000
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


def result_table(result: dict) -> str:
    rows, section = [], ""
    for line in table.lines(result):
        if line.section != section:
            section = line.section
            rows.append(f'<tr class="section"><td colspan="7">{escape(section)}</td></tr>')
        cells = "".join(f'<td{" class=diff" if number % 3 == 2 else ""}>{escape(cell)}</td>'
                        for number, cell in enumerate(table.cells(line)))
        rows.append(f"<tr><td>{escape(line.name)}</td>{cells}</tr>")
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns())
    return (f"<table><thead><tr><th></th>{head}</tr></thead><tbody>"
            f"{''.join(rows)}</tbody></table>")


def proof(result: dict) -> str:
    paragraphs = []
    for drive, same in result["same"].items():
        text = (f"{drive.capitalize()} drive: the kernel's recorded arrivals, repeated in the "
                f"simulator, give {same['same_requests']:,} of {same['requests']:,} requests and "
                f"{same['same_decisions']:,} of {same['decisions']:,} decisions of garbage "
                "collection at the same nanosecond.")
        if not same["holds"]:
            text += f" First difference: {same['first_difference']}."
        paragraphs.append(f'<p class="{"proof" if same["holds"] else "broken"}">{escape(text)}</p>')
    return "".join(paragraphs)


def trace_text(result: dict) -> str:
    trace = result["trace"]
    requests, size = trace["requests"], trace["bytes"]
    kinds = ", ".join(f"{requests.get(op, 0):,} {name} ({size.get(op, 0) / MIB:,.0f} MiB)"
                      for op, name in (("R", "reads"), ("W", "writes"), ("D", "discards")))
    duration_s, scale = trace["duration_s"], trace["scale_time"]
    return (f"{trace['path']}: {kinds} in {duration_s:.1f} s, replayed in {duration_s * scale:.1f} s "
            f"(times multiplied by {scale:g}). It touches {trace['touched_bytes'] / MIB:,.0f} MiB up to "
            f"address {trace['span_bytes'] / MIB:,.0f} MiB. {trace['unwritten_reads']:,} reads "
            "are of data that the trace has not written before; a fresh drive answers those without flash. "
            "The discards are left out in both worlds, as fio does not replay them.")


def drive_text(result: dict) -> str:
    params = result["runs"]["sim-aged"]["params"]
    geometry = result["runs"]["sim-aged"]["geometry"]
    return (f"Both drives have {result['size_mb']} MiB, near what the trace reaches, so that an aged "
            f"drive has to collect garbage: preset {params['preset']}, {geometry['channels']} channels, "
            f"{geometry['chips']} chips, {geometry['planes']} planes, "
            f"{params['op_permille'] / 10:g} % over-provisioning, a write buffer of "
            f"{params['buffer_kib']} KiB (small, as the drive is). "
            "The fresh one was never written; the aged one is full of data written at random, "
            "in steady state (aged_pct 100).")


def commands(result: dict) -> str:
    lines = list(dict.fromkeys(run["command"] for run in result["runs"].values()))
    lines += [f"# {run['table']}" for run in result["runs"].values() if "table" in run]
    lines.append(f"# seed {result['seed']}, kernel {result['kernel']}")
    return f"<pre>{escape(chr(10).join(lines))}</pre>"


def lag_text(result: dict) -> str:
    lags = [run["lag_p99_us"] for run in result["runs"].values() if run.get("lag_p99_us")]
    if not lags:
        return ""
    return (f" In the kernel fio falls behind the trace where the machine cannot keep up, by "
            f"{max(lags) / US_PER_MS:,.0f} ms in the end (99th percentile). This is why the two columns differ.")


def write(result: dict, images: list[str]) -> str:
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>dm-ssdqos: a fresh and an aged SSD</title>
<style>{STYLE}</style></head><body>
<h1>A fresh and an aged SSD, in the kernel and in the simulator</h1>
<p>The same recorded block trace was replayed four times: on two emulated SSDs in a Linux kernel
(ssdqos-flash over null_blk in a virtual machine, requests from fio) and on the same two drives in the
simulator, which is built from the same source. Latencies are those of the flash model.{escape(lag_text(result))}</p>
{result_table(result)}
{proof(result)}
{"".join(images)}
<h2>The trace</h2><p>{escape(trace_text(result))}</p>
<h2>The drives</h2><p>{escape(drive_text(result))}</p>
<h2>To repeat it</h2>{commands(result)}
<p>The machine's clock counts instructions, so the figures do not depend on how fast or how busy the
host is. All requests and decisions are in data/, all figures in result.json.</p>
</body></html>
"""
