# SPDX-License-Identifier: GPL-2.0
#
# sources.mk - the simulator: core/ in user space, and tools/sim
#
# core/ is compiled without libc's headers, so it can't reach for anything
# that the kernel would not give it; link-time optimisation makes one program
# of its small files, and -O3 makes a seventh fewer instructions of them than -O2.
#
# sim-trained is the same program for campaigns that simulate for hours: compiled again
# with what the golden scenarios made it do, it takes a fifth to a third less time.

# The lists of the module, which knows the way to them as $(src)
src := .
include dm-ssdqos/core/Kbuild
core_src := $(core-y:.o=.c)
sim_src := $(sort $(wildcard tools/sim/*.c tools/sim/*/*.c))

core_inc := -Itools/sim/platform
core_flags := -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror \
	-ffreestanding -nostdinc -mgeneral-regs-only -Wvla \
	-Wframe-larger-than=1024 $(core_inc)
sim_flags := -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror $(core_inc)
sim_opt := -O3 -g -flto=auto

sim_obj := $(patsubst %.c,$(BUILD)/sim/%.o,$(core_src) $(sim_src))

sim: $(BUILD)/sim/ssdqos-sim

$(BUILD)/sim/ssdqos-sim: $(sim_obj)
	$(call say,LD)$(CC) $(sim_opt) -o $@ $^ -lz -lm

$(BUILD)/sim/dm-ssdqos/%.o: dm-ssdqos/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(core_flags) $(sim_opt) -MMD -MP -c -o $@ $<

$(BUILD)/sim/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(sim_flags) $(sim_opt) -MMD -MP -c -o $@ $<

-include $(sim_obj:.o=.d)

trained := $(BUILD)/trained
trained_sim := $(trained)/sim/ssdqos-sim
trained_check = SSDQOS_SIM=$(trained_sim) tests/sim/run >$(trained)/scenarios.log || \
	{ tail -n 5 $(trained)/scenarios.log; false; }

sim-trained: $(trained_sim)

# The scenarios are compared each time: with what is compiled to count, and with what came of it.
$(trained_sim): $(BUILD)/sim/ssdqos-sim
	rm -rf $(trained)
	+$(MAKE) BUILD=$(trained) sim_opt='$(sim_opt) -fprofile-generate' sim
	$(trained_check)
	find $(trained) -name '*.o' -delete
	rm $(trained_sim)
	+$(MAKE) BUILD=$(trained) sim_opt='$(sim_opt) -fprofile-use' sim
	$(trained_check)

.DELETE_ON_ERROR:
.PHONY: sim sim-trained
