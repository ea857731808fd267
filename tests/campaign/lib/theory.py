# SPDX-License-Identifier: GPL-2.0
"""What the simulator is compared with: formulas of papers.

Write amplification A of uniform random writes to U logical units on T
physical ones, alpha = T / U, erase blocks of Np units.

Greedy (P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR
2012).  In steady state a block with i valid units loses one at a rate
proportional to i, and as many blocks leave each count as enter it; so the
number of blocks with i valid units is c / i, for i = X0 ... Np, and a block is
collected when it has X0 - 1.  All blocks, and all units:

    sum c / i = T / Np        sum i c / i = U

With H(n) = ln(n + 1/2) + const this solves to

    X0 = 1/2 - (Np / alpha) W(-k exp(-k)),  k = (1 + 1 / (2 Np)) alpha
    A  = Np / (Np - (X0 - 1))

where W is the principal branch of Lambert's function.  LRU cleaning, and
greedy with large blocks (Bux and Iliadis, Performance Evaluation 67(11), 2010):

    A = alpha / (alpha + W(-alpha exp(-alpha)))
"""

import math

PAGE_BYTES_AUTOSSD = 16384


def lambert_w(x):
    """Principal branch for -1/e < x <= 0, by Halley's iteration."""
    w = -0.5 if x < -0.3 else 0.0
    for _ in range(100):
        e = math.exp(w)
        f = w * e - x
        step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2))
        w -= step
        if abs(step) < 1e-14:
            return w
    raise ArithmeticError(f"W({x}) does not converge")


def waf_greedy(alpha, block_units):
    k = (1 + 1 / (2 * block_units)) * alpha
    x0 = 0.5 - block_units / alpha * lambert_w(-k * math.exp(-k))
    return block_units / (block_units - (x0 - 1))


def waf_lru(alpha):
    return alpha / (alpha + lambert_w(-alpha * math.exp(-alpha)))


def sequential_bound_mb_s(drive, kind):
    """Throughput of long sequential accesses, in MB/s.

    The channels can't be faster than their rate.  An array works read_ns or
    program_ns for a page; with one register it also waits for the transfer,
    with two the transfer overlaps.
    """
    transfer_ns = PAGE_BYTES_AUTOSSD * 1000 / drive["channel_mb_s"]
    array_ns = drive["read_ns"] if kind == "read" else drive["program_ns"]
    if drive["registers"] == 1:
        array_ns += transfer_ns
    planes = drive["channels"] * drive["chips_per_channel"] * drive["planes_per_chip"]
    return min(drive["channels"] * drive["channel_mb_s"],
               planes * PAGE_BYTES_AUTOSSD * 1000 / array_ns)
