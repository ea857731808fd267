# SPDX-License-Identifier: GPL-2.0
"""What the paper says, as numbers: from its text and captions.

Its bars and curves are pictures without numbers; only the labels of bars that
Figure 10 cuts off are printed.
"""

TITLE = "B. S. Kim, H. S. Yang, S. L. Min: AutoSSD, USENIX ATC 2018"

# Table 2: hours; million writes and reads; their mean KB; mean and median ms
# between arrivals
TABLE_2 = {
    "DAP-DS": (23.5, 0.1, 1.3, 7.2, 31.5, 56.9, 31.6),
    "DAP-PS": (23.5, 0.5, 0.6, 96.7, 62.1, 79.9, 1.7),
    "DTRS": (23.0, 5.8, 12.0, 31.9, 21.8, 4.6, 1.5),
    "LM-TBE": (23.0, 9.2, 34.7, 61.9, 53.2, 1.9, 0.8),
    "MSN-CFS": (5.9, 1.1, 3.2, 12.9, 8.9, 4.9, 2.0),
    "MSN-BEFS": (5.9, 9.2, 18.9, 11.6, 10.7, 0.8, 0.3),
    "RAD-AS": (15.3, 2.0, 0.2, 9.9, 11.0, 24.9, 0.8),
    "RAD-BE": (17.0, 4.3, 1.0, 13.0, 106.2, 11.7, 2.6),
}

# By intensity and figure of a run: by how many percent AutoSSD is below RAIN,
# on average over the eight loads, at best, and under which load
REDUCTIONS_PCT = {
    1: {"mean": (3.8, 18.0, "MSN-BEFS"), "p999": (53.6, 67.2, "RAD-AS"),
        "p999999": (42.7, 76.6, "RAD-AS")},
    2: {"mean": (4.9, 24.6, "MSN-BEFS"), "p999": (48.6, 70.6, "MSN-CFS"),
        "p999999": (33.2, 55.3, "MSN-CFS")},
}

# Figure 10's printed labels, in the order of the text
CUT_BARS = {
    "mean": (2.34,),
    "p999": (2.21, 2.90, 3.57, 2.55, 7.66, 1.94, 2.24, 2.57),
    "p999999": (1.92, 2.21, 2.34, 3.20, 1.83, 18.9, 1.80, 2.03, 2.82),
}
