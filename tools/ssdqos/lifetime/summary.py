# SPDX-License-Identifier: GPL-2.0
"""What a person wants to know of a drive's lifetime, at once."""

from __future__ import annotations

from dataclasses import dataclass

from ssdqos.life_view import (DAY_S, PERCENT, PERMILLE, SOURCE_STALE_S, WHYS, YEAR_S, Life, at_text, bytes_text,
                              delay_text, end_text, span_text)
from ssdqos.lifetime.state import State

# A forecast is of the last week; with less it is a guess.
LOOK_BACK_S = 7 * DAY_S
WELL_PERMILLE = 800
LABEL_WIDTH = 10


@dataclass(frozen=True)
class Subject:
    """A drive: its numbers, the state with its history if there is one, and whether others write to it."""

    drive: str
    life: Life
    state: State | None = None
    unmanaged: bool = False

    def history_s(self) -> int:
        return len(self.state.windows) * self.state.window_s if self.state else 0


def verdict(life: Life) -> str:
    target = span_text(life["target_s"])
    if life.is_reached():
        return f"Reached: it is {span_text(life['age_s'])} old and was to last for {target}."
    if life.is_spent():
        return f"NOT MET: the budget is used up {span_text(life['target_s'] - life['age_s'])} before the target."
    if life.is_enough():
        return f"Met: it will last for {target}, and as things go it is {end_text(life)}."
    if life.is_held():
        return (f"Met: it will last for {target}, because writes are throttled ({life.policy}); "
                f"at the pace of late it would be worn out {at_text(life['forecast_s'])}.")
    why = "the floor lets more through than the budget" if life.floor_kb_s and life.policy != "none" \
        else "nothing is throttled"
    return f"NOT MET: as things go it is {end_text(life)}, {target} were wanted; {why}."


def age(life: Life) -> str:
    made = f"{span_text(life['age_s'])} of {span_text(life['target_s'])} ({life.age_part() * PERCENT:.1f} %)"
    return made if life.time_scale == 1 else f"{made}; its life passes {life.time_scale} times as fast"


def budget(life: Life) -> str:
    made = (f"{bytes_text(life['used_bytes'])} of {bytes_text(life['effective_bytes'])} used "
            f"({life.used_part() * PERCENT:.1f} %), {bytes_text(life['left_bytes'])} left")
    recovered = life["effective_bytes"] - life["endurance_bytes"]
    if recovered * PERCENT > life["endurance_bytes"]:
        made += f"; {bytes_text(recovered)} of it by cells that recover at rest"
    return made


def pace(subject: Subject) -> str:
    """What is left for each day until the target, beside what the last days used."""
    life = subject.life
    days = max(life["target_s"] - life["age_s"], 0) / DAY_S
    made = f"{bytes_text(life['left_bytes'] / days)} a day until the target" if days else "no limit any more"
    if subject.state and subject.state.windows:
        last = subject.state.charges[-max(LOOK_BACK_S // subject.state.window_s, 1):]
        seconds = len(last) * subject.state.window_s
        made += f"; {bytes_text(sum(last) * DAY_S / seconds)} a day in the last {span_text(seconds)}"
    return made


def delay(life: Life) -> str:
    why = WHYS.get(life.why, life.why)
    made = f"{delay_text(life['delay_ns'])} for each page of 4 KiB: {why}" if life["delay_ns"] else f"none: {why}"
    if life["stopped"]:
        made += f"; {life['stopped']} writes wait for the budget"
    return made


def end(life: Life) -> str:
    made = f"{end_text(life)} as it goes"
    if life.policy == "none":
        return made
    return f"{made}, {at_text(life['forecast_unthrottled_s'])} without throttling"


def epoch(life: Life) -> str:
    return (f"{bytes_text(life['epoch_used_bytes'])} of {bytes_text(life['epoch_bytes'])} used in this one of "
            f"{span_text(life['epoch_s'])}; {bytes_text(life['epoch_expected_bytes'])} were expected")


def doubts(subject: Subject) -> list[str]:
    """Why the numbers may be wrong."""
    life = subject.life
    made = []
    if life["source_age_s"] < 0:
        made.append("no report of wear is to be trusted, so what was written here counts, at a write amplification "
                    f"of {life['waf_permille'] / PERMILLE:.2f}")
    elif life["source_age_s"] > SOURCE_STALE_S:
        made.append(f"the last report of wear is {span_text(life['source_age_s'])} old")
    if not subject.state:
        made.append("the history is for root only")
    elif subject.history_s() < min(LOOK_BACK_S, life["target_s"] // 10):
        made.append(f"the forecast looks back on {span_text(subject.history_s())} only")
    if life["expected_well_permille"] < WELL_PERMILLE and life.why not in ("off", "first_epoch"):
        made.append(f"only {life['expected_well_permille'] / 10:.0f} % of the epochs were as expected")
    if subject.unmanaged:
        made.append("somebody else writes to the drive")
    if min(life["forecast_s"], life["target_s"]) > 100 * YEAR_S:
        made.append("nothing is known about such times")
    return made


def trust(subject: Subject) -> str:
    if made := doubts(subject):
        return "; ".join(made)
    return (f"the drive reported its wear {span_text(subject.life['source_age_s'])} ago, "
            f"{subject.life['expected_well_permille'] / 10:.0f} % of the epochs were as expected")


def lines(subject: Subject) -> list[str]:
    life = subject.life
    told = {"Age": age(life), "Budget": budget(life), "Pace": pace(subject), "Delay": delay(life), "End": end(life),
            "Epoch": epoch(life), "Trust": trust(subject)}
    return [f"Drive {subject.drive}, {life.policy}", verdict(life),
            *(f"  {label:<{LABEL_WIDTH}}{text}" for label, text in told.items())]


def as_json(subject: Subject) -> dict[str, object]:
    """The kernel's numbers under their names, and what was made of them."""
    life = subject.life
    numbers: dict[str, object] = {key: int(value) if value.lstrip("-").isdecimal() else value
                                  for key, value in life.words.items()}
    made: dict[str, object] = {"drive": subject.drive, **numbers, "target_met": life.is_met(),
                               "end_s": life.end_s(),
                               "verdict": verdict(life), "doubts": doubts(subject)}
    if subject.state:
        made |= {"window_s": subject.state.window_s, "window_bytes": subject.state.charges}
    return made
