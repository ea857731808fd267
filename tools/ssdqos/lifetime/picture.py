# SPDX-License-Identifier: GPL-2.0
"""A drive's life as a picture: what was used, what may be, and how it ends."""

from __future__ import annotations

import textwrap
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ssdqos.errors import ToolError
from ssdqos.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, WIDTH_IN, plt
from ssdqos.life_view import BYTE_UNITS, DAY_S, HOUR_S, NEVER, NS_PER_S, YEAR_S, Life
from ssdqos.lifetime.state import State
from ssdqos.lifetime.summary import Subject, verdict

HEIGHT_IN = 7.0
HEIGHTS = (5, 2)
# So many letters of a title stand side by side.
TITLE_LETTERS = 110
# More of an axis than that is as good as never.
MOST_TARGETS = 1.6
ROOM = 1.08
# So many bars can be told apart.
BARS = 336
UNITS = (("years", YEAR_S), ("days", DAY_S), ("hours", HOUR_S), ("minutes", 60))
# The unit of time is the largest of which there are so many.
ENOUGH_UNITS = 2


class Axis:
    """Seconds and bytes in units that suit the drive."""

    def __init__(self, life: Life) -> None:
        self.time_unit, self.seconds = next(
            ((name, size) for name, size in UNITS if life["target_s"] >= ENOUGH_UNITS * size), UNITS[-1])
        self.byte_unit, self.bytes = byte_unit(life["effective_bytes"])

    def at(self, *seconds: float) -> list[float]:
        return [value / self.seconds for value in seconds]

    def of(self, *amounts: float) -> list[float]:
        return [value / self.bytes for value in amounts]


def byte_unit(most: float) -> tuple[str, int]:
    return next(((name, size) for name, size in BYTE_UNITS if most >= size), BYTE_UNITS[-1])


def window_ends_s(state: State) -> list[float]:
    """In life time, of each window of the history."""
    last = state.fields["window_end_ns"] / NS_PER_S - state.window_s
    count = len(state.windows)
    return [last - (count - 1 - number) * state.window_s for number in range(count)]


def used_curve(subject: Subject) -> tuple[list[float], list[float]]:
    """Times and bytes used until then, back from now as far as windows are remembered."""
    life, state = subject.life, subject.state
    times, used = [float(life["age_s"])], [float(life["used_bytes"])]
    if state and state.windows:
        now = used[0] - state.fields["window_bytes"]
        for end, charge in zip(reversed(window_ends_s(state)), reversed(state.charges)):
            times.append(end)
            used.append(max(now, 0.0))
            now -= charge
        times.append(end - state.window_s)
        used.append(max(now, 0.0))
    return times[::-1], used[::-1]


def draw_forecast(axes: Axes, axis: Axis, life: Life, end_s: int, most_s: float, label: str, **style: str) -> None:
    """To where the endurance ends, or out of the picture."""
    age, used, all_of_it = life["age_s"], life["used_bytes"], life["effective_bytes"]
    if end_s == NEVER:
        end_s, top = round(most_s), used
    else:
        top = all_of_it
    axes.plot(axis.at(age, end_s), axis.of(used, top), label=label, **style)
    if top == all_of_it and end_s <= most_s:
        axes.plot(axis.at(end_s), axis.of(top), marker="o", color=style["color"])


def draw_life(axes: Axes, axis: Axis, subject: Subject) -> None:
    life = subject.life
    age, target, all_of_it = life["age_s"], life["target_s"], life["effective_bytes"]
    ends = [end for end in (life.end_s(), life["forecast_unthrottled_s"]) if end != NEVER]
    most_s = min(max([age, target, *ends]), max(age, target) * MOST_TARGETS) * ROOM
    times, used = used_curve(subject)
    axes.axvline(axis.at(target)[0], color=GREY, linewidth=1)
    axes.axhline(axis.of(all_of_it)[0], color=GREY, linewidth=1)
    axes.text(axis.at(target)[0], axis.of(all_of_it)[0] * ROOM * ROOM, "target ", color=GREY, ha="right", va="top")
    axes.text(0, axis.of(all_of_it)[0], " worn out", color=GREY, ha="left", va="bottom")
    axes.plot(axis.at(0, times[0]), axis.of(0, used[0]), color=BLUE, linewidth=1, linestyle=":")
    axes.plot(axis.at(*times), axis.of(*used), color=BLUE, linewidth=2.5, label="used so far")
    if age < target:
        axes.plot(axis.at(age, target), axis.of(life["used_bytes"], all_of_it), color=GREEN, linestyle="--",
                  label="budget: what is left, by time")
    if life.policy != "none":
        draw_forecast(axes, axis, life, life["forecast_unthrottled_s"], most_s, "forecast without throttling",
                      color=ORANGE, linestyle="-.")
    draw_forecast(axes, axis, life, life.end_s(), most_s, "forecast as it goes", color=PURPLE)
    axes.plot(axis.at(age), axis.of(life["used_bytes"]), marker="o", color=BLUE)
    axes.set_xlim(0, axis.at(most_s)[0])
    axes.set_ylim(0, axis.of(all_of_it)[0] * ROOM * ROOM)
    axes.set_xlabel(f"age, {axis.time_unit}")
    axes.set_ylabel(f"of the endurance, {axis.byte_unit}")
    axes.legend(loc="lower right", frameon=True, framealpha=1, edgecolor="none")


def bars(state: State) -> tuple[list[float], list[float], float]:
    """Begins in seconds from now, bytes and length; several windows to a bar where there are many."""
    together = -(-len(state.windows) // BARS)
    whole = state.charges[len(state.windows) % together:]
    sums = [sum(whole[at:at + together]) for at in range(0, len(whole), together)]
    length = float(together * state.window_s)
    return [-(len(sums) - number) * length for number in range(len(sums))], [float(value) for value in sums], length


def draw_history(axes: Axes, subject: Subject) -> None:
    state, life = subject.state, subject.life
    starts, amounts, length = bars(state)
    budget = life["epoch_bytes"] * length / life["epoch_s"] if life["epoch_s"] else 0
    time_unit, seconds = next(((name, size) for name, size in UNITS if -starts[0] >= ENOUGH_UNITS * size), UNITS[-1])
    unit, size = byte_unit(max([*amounts, budget]))
    axes.stairs([amount / size for amount in amounts], [edge / seconds for edge in (*starts, starts[-1] + length)],
                fill=True, color=BLUE)
    if budget:
        axes.axhline(budget / size, color=GREEN, linestyle="--", label="budget of this epoch")
        axes.legend(loc="upper left")
    axes.set_xlabel(f"{time_unit} from now")
    axes.set_ylabel(f"{unit} in {length / HOUR_S:.3g} h" if length >= HOUR_S else f"{unit} in {length / 60:.3g} min")
    axes.set_title("What was written, as the endurance is charged")


def title(subject: Subject) -> str:
    """In lines that fit: the layout of matplotlib before 3.8 does not count lines that it wraps itself."""
    return textwrap.fill(f"Drive {subject.drive}. {verdict(subject.life)}", TITLE_LETTERS)


def figure(subject: Subject) -> Figure:
    """What was written only where a window has passed: a new drive has no history."""
    if subject.history_s():
        made, (life, history) = plt.subplots(2, 1, figsize=(WIDTH_IN, HEIGHT_IN), gridspec_kw={"height_ratios": HEIGHTS})
        draw_history(history, subject)
    else:
        made, life = plt.subplots(figsize=(WIDTH_IN, HEIGHT_IN * HEIGHTS[0] / sum(HEIGHTS)))
    draw_life(life, Axis(subject.life), subject)
    life.set_title(title(subject))
    return made


def write(subject: Subject, path: Path) -> None:
    """SVG, PNG or what else matplotlib knows by the path's ending."""
    made = figure(subject)
    try:
        made.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    except (OSError, ValueError) as error:
        raise ToolError(f"{path} cannot be written: {error}") from error
    finally:
        plt.close(made)
