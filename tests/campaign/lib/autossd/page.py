# SPDX-License-Identifier: GPL-2.0
"""The page, the tables for the documentation, and the JSON for scripts."""

from __future__ import annotations

import dataclasses
import io
import json
import shutil
import textwrap
from pathlib import Path

from lib import rst
from lib.autossd import paper
from lib.autossd.runs import FULL_BYTES, LOADS, SYSTEMS, TITLES, Scale, percent
from lib.autossd.section import Experiment, Found, Results, Section, Table, Trend
from lib.claim import ABOVE, BELOW, Claim
from lib.charts import strip_trailing_spaces
from ssdqos.figures import plt
from ssdqos.page import STYLE, escape, image

COMMAND = "./run campaign autossd"
KEPT = ("requests", "stuck", "virtual_s", "cpu_s", "requests_per_cpu_s", "bytes_per_s", "seed")
KEPT_FLASH = ("waf", "erases", "map_hit_pct", "gc_blocked_read_pct", "reconstructed_reads", "free_blocks_min")
KEPT_COUNTERS = ("gc_blocks", "scrub_blocks", "map_programs", "waited_reads", "blocked_reads", "space_stalls")
SYNTHETIC_PREFIX = "synthetic-"
MORE_STYLE = """
table { font-size: .88rem; margin: .8rem 0 } td, th { padding: .15rem .6rem }
caption { text-align: left; font-weight: bold; padding: .3rem .6rem }
td.text { text-align: left } tr.no td:last-child { color: #D55E00; font-weight: bold }
details { margin: .8rem 0 } .open { border-left: 4px solid #E69F00; padding-left: .8rem }
"""
RST_COLUMNS = 100
DOCUMENTS = (".json", ".rst", ".svg")


@dataclasses.dataclass
class Part:
    """An experiment with what was found of it."""

    experiment: Experiment
    results: Results
    section: Section | None
    missing: str  # why there is no section

    def command(self, scale: Scale) -> str:
        words = [COMMAND, f"--only {self.experiment.name}"]
        words += [f"--fraction {scale.text()}"] if scale.fraction != 1 else []
        words += ["--whole"] if scale.whole else []
        words += [f"--seed {scale.seed}"] if scale.seed != 1 else []
        words += [f"--count {scale.seeds}"]
        words += ["--real"] if self.experiment.name == "real" else []
        return " ".join(words)


@dataclasses.dataclass
class Report:
    """All that is written, and where it comes from."""

    parts: list[Part]
    scale: Scale
    simulator: str  # hash
    version: str
    machine: str
    loads: list[str]  # what the simulator says of its synthetic loads

    def is_complete(self) -> bool:
        return all(part.section for part in self.parts)

    def origin(self) -> str:
        return f"Simulator {self.simulator[:12]} of {self.version}, on {self.machine}; {scale_text(self.scale)}"


def parts_text(scale: Scale, intensity: int) -> str:
    """How much of each load."""
    parts = [f"{percent(scale.part(load, intensity))} of {load}" for load in LOADS
             if scale.part(load, intensity) != scale.fraction]
    return ", ".join([*parts, f"{percent(scale.fraction)} of {'the others' if parts else 'each load'}"])


def scale_text(scale: Scale) -> str:
    last = scale.seed + scale.seeds - 1
    which = f"seeds {scale.seed} to {last}" if scale.seeds > 1 else f"seed {scale.seed}"
    return f"{which}; at 1x {parts_text(scale, 1)}; at 2x {parts_text(scale, 2)}."


LOADS_TEXT = (
    "All loads named after a trace are synthetic: they have the counts, mean sizes, and mean and "
    "median distances of arrivals of the paper's Table 2; all else about them is made up. The "
    "traces themselves are not public. Response times are those of reads up to 64 KiB, as in "
    "the paper.")


def drive_text() -> str:
    return (f"All drives have {FULL_BYTES / 1e9:.0f} GB on 256 GB of flash (op_permille 280), "
            "are aged (aged_pct 100: full of data written at random, in steady state), and take "
            "everything else from preset autossd, but for what the table says.")


def systems_table() -> Table:
    return Table("Systems", ["", "changes against the preset"],
                 [[TITLES[system], " ".join(f"{k}={v}" for k, v in sets.items()) or "none"]
                  for system, sets in SYSTEMS.items()])


def claims_table(claims: list[Claim | Trend]) -> Table | None:
    """Ours beside the paper's sentences and numbers."""
    rows = [list(claim.row()) for claim in claims]
    head = ["paper", "number", "measured", "holds"]
    return Table("What the paper says", head, rows) if rows else None


# ---- HTML ----

NOT_HELD = ("no", ABOVE, BELOW)


def html_table(table: Table, text: bool = False) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = []
    for row in table.rows:
        cells = "".join(f"<td{' class=text' if text else ''}>{escape(cell)}</td>" for cell in row)
        rows.append(f"<tr{' class=no' if row[-1] in NOT_HELD else ''}>{cells}</tr>")
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    return (f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
            "</table>")


def html_commands(part: Part, scale: Scale) -> str:
    lines = [f"# {' '.join(map(str, label))}\n{found.command}"
             for label, found in part.results.items()]
    return (f"<pre>{escape(part.command(scale))}</pre><details><summary>{len(lines)} runs"
            f"</summary><pre>{escape(chr(10).join(lines))}</pre></details>")


def html_part(part: Part, scale: Scale) -> str:
    title = f'<h2 id="{part.experiment.name}">{escape(part.experiment.title)}</h2>'
    if not part.section:
        return f'{title}<p class="open">{escape(part.missing)}</p>{html_commands(part, scale)}'
    section = part.section
    pictures = [image(figure, alt, section.caption) for _, figure, alt in section.figures]
    pieces = [title, *(pictures or [f"<p>{escape(section.caption)}</p>"])]
    claims = claims_table(section.claims)
    pieces += [html_table(claims, text=True)] if claims else []
    pieces += [html_table(table) for table in section.tables]
    pieces += [f"<p>{escape(note)}</p>" for note in section.notes]
    return "".join([*pieces, html_commands(part, scale)])


def html_page(report: Report) -> str:
    links = " · ".join(f'<a href="#{p.experiment.name}">{p.experiment.name}</a>'
                       for p in report.parts)
    parts = "".join(html_part(part, report.scale) for part in report.parts)
    quick = ("" if report.scale.fraction == 1 else
             f'<p class="open">A quick pass: only {escape(report.scale.text())} of what is run of each '
             "load was, so tails and rare work of the drive mean little.</p>")
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>dm-ssdqos: AutoSSD repeated</title>
<style>{STYLE}{MORE_STYLE}</style></head><body>
<h1>AutoSSD, repeated in the simulator</h1>
<p>{escape(paper.TITLE)}: its figures from our runs, beside the numbers of its text.</p>
{quick}<p><b>{escape(LOADS_TEXT)}</b></p><p>{escape(drive_text())}</p>
{html_table(systems_table(), text=True)}
<details><summary>The synthetic loads</summary>
<pre>{escape(chr(10).join(report.loads))}</pre></details>
<p>{escape(report.origin())}</p><p>{links}</p>
{parts}</body></html>
"""


# ---- the tables of the documentation ----

def paragraph(text: str) -> str:
    return textwrap.fill(text, RST_COLUMNS, break_long_words=False, break_on_hyphens=False) + "\n"


def rst_cell(text: str) -> str:
    """A star in a cell is no markup, and an empty first one would end the row."""
    return text.replace("*", "\\*") or "\\"


def rst_table(table: Table) -> str:
    cells = [[rst_cell(cell) for cell in row] for row in (table.head, *table.rows)]
    title = [f"{rst_cell(table.title)}:\n"] if table.title else []
    return "\n".join([*title, rst.table(cells[0], cells[1:])])


def rst_claims(claims: list[Claim | Trend]) -> str | None:
    lines = ["What the paper says, and what was measured:\n"]
    for claim in claims:
        says, wanted, measured, verdict = claim.row()
        word = "holds" if claim.holds else f"does not hold{', ' + verdict if wanted else ''}"
        text = f"- {word}: {says}{' ' + wanted + '.' if wanted else ''}  Here: {measured}."
        lines.append(textwrap.fill(rst_cell(text), RST_COLUMNS, subsequent_indent="  ",
                                   break_on_hyphens=False))
    return "\n".join(lines) if claims else None


def rst_part(part: Part, scale: Scale) -> str:
    head = rst.heading(part.experiment.title, "-")
    if not part.section:
        return rst.page(head, paragraph(part.missing))
    section = part.section
    figures = [rst.figure(f"{name}.svg", alt + ".") for name, _, alt in section.figures]
    first = next(iter(part.results.values()))
    return rst.page(
        head, paragraph(section.caption), *figures, rst_claims(section.claims),
        *(rst_table(table) for table in section.tables),
        *(paragraph(rst_cell(note)) for note in section.notes),
        "Made with, and one of its runs::\n\n"
        f"    {part.command(scale)}\n    {first.command}\n")


def rst_page(report: Report) -> str:
    return rst.page(
        ".. SPDX-License-Identifier: GPL-2.0\n",
        rst.heading("AutoSSD, repeated in the simulator: tables", "="),
        paragraph("Made by ``tests/campaign/autossd``; all numbers are in "
                  "`autossd.json <autossd.json>`_."),
        rst.command(COMMAND), paragraph(LOADS_TEXT), paragraph(drive_text()),
        rst_table(systems_table()), paragraph(report.origin()),
        rst.heading("The synthetic loads", "-"), rst.command(*report.loads),
        *(rst_part(part, report.scale) for part in report.parts))


# ---- JSON ----

def run_row(found: Found) -> dict:
    """What scripts may want of a run."""
    load = found.run.load or found.run.trace.name
    kept = {key: found.result[key] for key in KEPT}
    kept |= {key: found.result["flash"][key] for key in KEPT_FLASH}
    kept |= {key: found.result["counters"].get(key, 0) for key in KEPT_COUNTERS}
    return {"command": found.command, "load": load, "synthetic_trace": load.startswith(SYNTHETIC_PREFIX),
            "failed": found.failed, **kept, "small_reads_ns": found.latency()}


def label_row(part: Part, label: tuple, found: Found) -> dict:
    named = dict(zip(part.experiment.fields, label))
    if (found.run.load or "").startswith(SYNTHETIC_PREFIX) and "load" in named:
        named["load"] = SYNTHETIC_PREFIX + named["load"].removeprefix(SYNTHETIC_PREFIX)
    return {**named, "seed": found.result["seed"], "run": found.key}


def part_json(part: Part) -> dict:
    section = part.section
    return {"title": part.experiment.title, "missing": part.missing,
            "rows": [label_row(part, label, found) for label, found in part.results.items()],
            "claims": [claim.as_json() for claim in section.claims] if section else [],
            "notes": section.notes if section else [],
            "summary": section.summary if section else {}}


def as_json(report: Report) -> dict:
    return {"paper": paper.TITLE, "loads": LOADS_TEXT, "fraction": report.scale.fraction,
            "seeds": [one.seed for one in report.scale.each()],
            "parts": {f"{intensity}x": {load: report.scale.part(load, intensity) for load in LOADS}
                      for intensity in (1, 2)},
            "simulator": report.simulator, "version": report.version, "machine": report.machine,
            "synthetic_loads": report.loads,
            "systems": {system: {"aged_pct": 100, **sets} for system, sets in SYSTEMS.items()},
            "runs": {found.key: run_row(found) for part in report.parts
                     for found in part.results.values()},
            "experiments": {part.experiment.name: part_json(part) for part in report.parts}}


# ---- files ----

def json_text(content: dict) -> str:
    """A run in a line."""
    runs = ",\n".join(f" {json.dumps(key)}: {json.dumps(run)}" for key, run in content["runs"].items())
    rest = json.dumps({key: value for key, value in content.items() if key != "runs"}, indent=1)
    return f'{rest[:-2]},\n "runs": {{\n{runs}\n }}\n}}\n'


def write_documents(report: Report, out: Path) -> None:
    """Tables, JSON and pictures: what the documentation keeps."""
    out.mkdir(parents=True, exist_ok=True)
    for stale in out.glob("*.svg"):
        stale.unlink()
    (out / "autossd.json").write_text(json_text(as_json(report)))
    (out / "tables.rst").write_text(rst_page(report))
    for part in report.parts:
        for name, figure, _ in part.section.figures if part.section else ():
            path = out / f"{name}.svg"
            buffer = io.StringIO()
            figure.savefig(buffer, format="svg", metadata={"Date": None})
            path.write_text(buffer.getvalue())
            strip_trailing_spaces(path)


def copy_documents(out: Path, docs: Path) -> None:
    docs.mkdir(parents=True, exist_ok=True)
    for path in out.iterdir():
        if path.suffix in DOCUMENTS:
            shutil.copy(path, docs)


def write(report: Report, out: Path) -> Path:
    """Everything; returns the page."""
    write_documents(report, out)
    path = out / "report.html"
    path.write_text(html_page(report))
    plt.close("all")
    return path
