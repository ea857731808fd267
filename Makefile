# SPDX-License-Identifier: GPL-2.0
#
# Makefile - how things are built; Kbuild says what the module is made of
#
#   make            module for the running kernel (KDIR=... for another)
#   make sim        build/sim/ssdqos-sim
#   make sim-trained     build/trained/sim/ssdqos-sim, the same for long campaigns: faster
#   make unit       unit tests in user space, with ASan and UBSan
#   make sim-asan   build/unit/ssdqos-sim, with ASan and UBSan
#   make sim-test   golden scenarios of the simulator
#   make check      gates: core/ stays pure, style, sparse
#   make docs       parameter lists of the documentation, from the code
#   make install-tools   ssdqos, its manual, units and udev rule
#
#   V=1             the commands, whole
#
# ./run installs what these need.

KDIR ?= /lib/modules/$(shell uname -r)/build
BUILD ?= build

# One line a file, as the kernel's build has it: make V=1 shows commands whole, make -s nothing.
ifeq ($(V),1)
say =
else ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
say = @
else
say = @printf '  %-7s %s\n' '$1' '$(@:$(BUILD)/%=%)';
endif

all: modules

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install

include tools/sim/sources.mk
include tests/unit/unit.mk
include tests/gates.mk
include tools/ssdqos/demo.mk
include tools/install.mk

# The documentation's lists of parameters are the code's.
flash_params_rst := docs/ssdqos-flash-params.rst
qos_params_rst := docs/ssdqos-params.rst
mirror_params_rst := docs/ssdqos-ianus-params.rst
params_rst := tools/sim/params-rst $(BUILD)/sim/ssdqos-sim

docs: sim
	$(params_rst) flash > $(flash_params_rst)
	$(params_rst) qos > $(qos_params_rst)
	$(params_rst) mirror > $(mirror_params_rst)

docs-check: sim
	$(params_rst) flash | diff -u $(flash_params_rst) -
	$(params_rst) qos | diff -u $(qos_params_rst) -
	$(params_rst) mirror | diff -u $(mirror_params_rst) -

clean:
	rm -rf $(BUILD)/sim $(trained) $(BUILD)/unit $(BUILD)/gates
	@[ ! -d $(KDIR) ] || $(MAKE) -C $(KDIR) M=$(CURDIR) clean

.PHONY: all modules modules_install docs docs-check clean
