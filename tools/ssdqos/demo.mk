# SPDX-License-Identifier: GPL-2.0
#
# demo.mk - the demo, and the tests of the Python code
#
#   make demo          all parts: out/demo/report.html
#   make demo-promise  two clients on one drive: alone, together, with a promise
#   make demo-trim     a delete beside a reader: discards as they come, and kept
#   make demo-life     the years of a drive, with its writes slowed down and without
#   make demo-aged     a trace on a fresh and an aged drive, kernel and simulator
#   make python-test   unit tests of tools/ssdqos

DEMO_OUT ?= out/demo
DEMO_KERNEL ?= 6.1
# More for the part "aged", such as --trace FILE.
DEMO_OPTIONS ?=

# The environment that ./run makes, or whatever python3 the caller has.
ssdqos_python = $(firstword $(wildcard $(BUILD)/venv/bin/python3) python3)
demo_run = PYTHONPATH=tools $(ssdqos_python) -m ssdqos.demo --kernel $(DEMO_KERNEL) --out $(DEMO_OUT) $(DEMO_OPTIONS)
demo_parts := demo-promise demo-trim demo-life demo-aged

demo:
	@$(demo_run)

$(demo_parts):
	@$(demo_run) $(@:demo-%=%)

python-test:
	@PYTHONPATH=tools $(ssdqos_python) tests/python/run-tests

.PHONY: demo $(demo_parts) python-test
