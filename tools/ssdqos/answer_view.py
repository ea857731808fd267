# SPDX-License-Identifier: GPL-2.0
"""The answer to `admit`, in sentences."""

from __future__ import annotations

from ssdqos.qos import mixture
from ssdqos.qos.admission import Answer
from ssdqos.qos.promise import SLIDING, Promise
from ssdqos.qos.units import PERMILLE, PPM, ms_text, percent_text, ppm_text, size_text

PPM_PER_PERCENT = PPM // 100


def between(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def source(answer: Answer, wanted: Promise) -> str:
    """Which of the profile's rows the cost is made of."""
    sizes = between(size_text(answer.from_bytes), size_text(answer.from_bytes_to))
    depths = between(str(answer.from_depth), str(answer.from_depth_to))
    return (f"That is what the profile has of {wanted.request.op} {answer.from_pattern} {sizes} over "
            f"{ms_text(answer.from_window_ms)} in {percent_text(answer.from_confidence_permille)} of windows, "
            f"with {depths} at a time.")


def nearest(answer: Answer, wanted: Promise) -> list[str]:
    """What was asked for and the profile does not have: less, or something near."""
    made = []
    if answer.from_confidence_permille < wanted.confidence_permille:
        made.append(f"the promise is of {percent_text(wanted.confidence_permille)} of windows, "
                    f"no more than {percent_text(answer.from_confidence_permille)} were measured")
    if answer.from_pattern != wanted.request.pattern:
        made.append(f"{wanted.request} was not measured")
    if not answer.from_bytes <= wanted.block_bytes <= answer.from_bytes_to:
        made.append(f"{size_text(wanted.block_bytes)} is beyond the sizes that were")
    if answer.from_window_ms != wanted.window_ms:
        made.append(f"the longest window that is not longer than {ms_text(wanted.window_ms)} is "
                    f"{ms_text(answer.from_window_ms)}")
    if answer.asked_depth < answer.from_depth:
        made.append(f"fewer than {answer.from_depth} at a time were not measured, so {answer.asked_depth} get "
                    f"{answer.asked_depth}/{answer.from_depth} of what {answer.from_depth} do: their rate is on a straight line to zero")
    if answer.asked_depth > answer.from_depth_to:
        made.append(f"{answer.asked_depth} at a time is beyond the depths that were measured")
    return made


def mixed(answer: Answer) -> str:
    more = answer.mix_factor_permille - PERMILLE
    if answer.mix_factor_permille >= mixture.NEVER:
        return "nothing can be promised beside so many writes in such windows"
    if not more:
        return "reads and writes together cost what they cost alone"
    return f"reads and writes together cost {percent_text(abs(more))} {'more' if more > 0 else 'less'} than alone"


def others(answer: Answer) -> str:
    """Writes of others change what the mixture costs, so they may have more than is left without them, or less; they go up by
    whole hundredths of what such writes get alone."""
    return (f"Of the drive's time {ppm_text(answer.left_ppm)} is left for others, before it was {ppm_text(answer.left_before_ppm)}. "
            f"Writes that nobody was promised get up to {answer.spare_write_ppm // PPM_PER_PERCENT} % of what they get alone, "
            f"before it was {answer.spare_write_before_ppm // PPM_PER_PERCENT} %.")


def what_would_fit(answer: Answer, wanted: Promise) -> str:
    made = []
    if answer.fit_iops:
        made.append(f"{answer.fit_iops} IOPS over {ms_text(wanted.window_ms)}")
    if answer.fit_mb_s:
        made.append(f"{answer.fit_mb_s} MB/s over {ms_text(wanted.window_ms)}")
    if answer.fit_window_ms:
        made.append(f"this rate over {ms_text(answer.fit_window_ms)}")
    if answer.fit_util_ppm:
        made.append(f"{ppm_text(answer.fit_util_ppm)} of the time ({answer.fit_util_ppm} ppm)")
    return " or ".join(made)


def nothing_fits(answer: Answer, wanted: Promise) -> str:
    """Older kernels don't say which part of the time would fit."""
    if wanted.util_ppm:
        return "" if answer.free_ppm else "No part of the time would fit."
    return "No rate and no window would fit."


def refusal(answer: Answer, wanted: Promise, largest: str) -> list[str]:
    would = what_would_fit(answer, wanted)
    made = [f"What would fit: {would}." if would else nothing_fits(answer, wanted)]
    if largest:
        made.append(f"The largest promise that there is has {ppm_text(answer.largest_ppm)} of the time: {largest}.")
    return [line for line in made if line]


def together(answer: Answer) -> str:
    """What is refused is told less of: its mixture is cut to whole hundredths, so that few writes count as none."""
    before = f"{ppm_text(answer.free_ppm)} could be promised before; with it"
    if answer.fits:
        return f"{before} {ppm_text(answer.used_ppm)} are promised ({mixed(answer)})."
    why = f" ({mixed(answer)})" if answer.mix_factor_permille > PERMILLE else ""
    return f"{before} it would be {ppm_text(answer.used_ppm)} or more{why}."


def why_nothing(answer: Answer, wanted: Promise) -> str:
    """Of a kernel's answer; empty if the profile promises something, or need not."""
    if answer.cost_ns or not wanted.needs_profile():
        return ""
    return (f"the profile promises nothing of {wanted.request} of {size_text(wanted.block_bytes)} in windows of "
            f"{ms_text(wanted.window_ms)}")


def not_to_be_had(answer: Answer, wanted: Promise, why: str, largest: str) -> list[str]:
    """Where the profile promises nothing, whatever else there is."""
    return [f"{wanted}: does not fit.", f"{why[0].upper()}{why[1:]}.", *refusal(answer, wanted, largest)]


def sentences(answer: Answer, wanted: Promise, largest: str) -> list[str]:
    """`largest` is how people call whose other promise is the largest, empty if nobody has one."""
    made = [f"{wanted}: {'fits' if answer.fits else 'does not fit'}."]
    cost = f", {answer.cost_ns / 1000:g} µs a request" if answer.cost_ns else ""
    made.append(f"It costs {ppm_text(answer.util_ppm)} of the device time{cost}.")
    if answer.from_bytes:
        made.append(source(answer, wanted))
        near = nearest(answer, wanted)
        made += [f"Mind: {'; '.join(near)}."] if near else []
    made.append(together(answer))
    if not answer.fits:
        return made + refusal(answer, wanted, largest)
    if answer.left_before_ppm:
        made.append(others(answer))
    if answer.least_depth > 1 and not wanted.iodepth:
        made.append(f"Beside busy neighbours it holds if the client has at least {answer.least_depth} requests at a time.")
    if wanted.windows == SLIDING:
        made.append("Windows that slide cost the same: to make up for stops of the drive the client is given spare time before its neighbours; "
                    "where the drive has none left, such windows are missed a little more often.")
    return made
