# SPDX-License-Identifier: GPL-2.0
#
# gates.mk - checks that need no kernel: of the source, and of the simulator

check:
	@tests/gates/run

sim-test: sim
	@tests/sim/run

.PHONY: check sim-test
