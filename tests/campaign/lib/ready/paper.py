# SPDX-License-Identifier: GPL-2.0
"""What the paper has (lee-dissertation, section 5.5.1)."""

from __future__ import annotations

LOADS = ("proxy", "proj", "exchange", "map", "msnfs")
POLICIES = {"none": "NT", "static": "ST", "dynamic": "DT", "ready_pes": "READY pes",
            "ready_opt": "READY opt",
            "horizon": "horizon", "optimum": "OPT"}
READY = ("ready_pes", "ready_opt")

# C_spec, C_actl, W in TB.
TABLE9 = {
    ("proj", "none"): (93.75, 312.6, 144.4),
    ("proj", "static"): (93.75, 403.4, 54.2),
    ("proj", "dynamic"): (93.75, 346.9, 93.7),
    ("proj", "ready_opt"): (93.75, 312.8, 141.0),
    ("exchange", "none"): (375, 949.3, 1918.8),
    ("exchange", "static"): (375, 1415.3, 348.2),
    ("exchange", "dynamic"): (375, 1387.3, 374.4),
    ("exchange", "ready_opt"): (375, 1077.8, 1065.6),
}

# Accuracy of expectations in %.
TABLE10 = {"proxy": 99.9, "proj": 33.9, "exchange": 80.5, "map": 50.9, "msnfs": 100.0}
