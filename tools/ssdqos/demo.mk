# SPDX-License-Identifier: GPL-2.0
#
# demo.mk - the demo, and the tests of the Python code
#
#   make demo          a fresh and an aged drive, kernel and simulator: out/demo
#   make python-test   unit tests of tools/ssdqos

DEMO_OUT ?= out/demo
DEMO_KERNEL ?= 6.1

# A database in its daily life, as fast as recorded.  The drives are as large as
# the part of the disk that it used, and their write buffer is in proportion.
DEMO_TRACE ?= tests/traces/sqlite.csv.gz
DEMO_DRIVE ?= --size-mb 576 --preset autossd --set buffer_kib=256

# The environment that ./run makes, or whatever python3 the caller has.
ssdqos_python = $(firstword $(wildcard $(BUILD)/venv/bin/python3) python3)
ssdqos_tool = PYTHONPATH=tools $(ssdqos_python) -m ssdqos

demo: sim
	@$(ssdqos_tool) replay --trace $(DEMO_TRACE) $(DEMO_DRIVE) \
		--kernel $(DEMO_KERNEL) --out $(DEMO_OUT)
	@$(ssdqos_tool) report $(DEMO_OUT)

python-test:
	@PYTHONPATH=tools $(ssdqos_python) tests/python/run-tests

.PHONY: demo python-test
