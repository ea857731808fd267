# SPDX-License-Identifier: GPL-2.0
#
# sources.mk - the simulator: core/ in user space, and tools/sim
#
# core/ is compiled without libc's headers, so it can't reach for anything
# that the kernel would not give it; link-time optimisation makes one program
# of its small files, and -O3 makes a seventh fewer instructions of them than -O2.

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

.PHONY: sim
