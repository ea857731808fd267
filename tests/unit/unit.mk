# SPDX-License-Identifier: GPL-2.0
#
# unit.mk - unit tests in user space: every tests/unit/test_*.c is a program
#
# core/ is compiled as for the simulator, and everything with AddressSanitizer
# and UndefinedBehaviorSanitizer.  A new test is a new file.

unit_test := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
unit_prog := $(unit_test:%=$(BUILD)/unit/%)
unit_sim := $(BUILD)/unit/ssdqos-sim
unit_fuzz_obj := $(patsubst tests/%.c,$(BUILD)/unit/tests/%.o,$(wildcard tests/fuzz/*.c))
unit_fuzz := $(patsubst tests/fuzz/%.c,$(BUILD)/unit/fuzz-%,$(wildcard tests/fuzz/*.c))
unit_san := -O1 -g -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all

# Ten of each kind: some seconds.  ./run campaign fuzz has thousands.
unit_fuzz_inputs := 100

# The sanitizers' frames are larger than what the frame limit is about.
unit_core_flags := $(filter-out -Wframe-larger-than=%,$(core_flags)) $(unit_san)
unit_sim_flags := $(sim_flags) $(unit_san)

unit_src := $(core_src) $(filter-out tools/sim/main.c,$(sim_src)) \
	$(filter-out tests/unit/test_%.c,$(wildcard tests/unit/*.c))
unit_obj := $(unit_src:%.c=$(BUILD)/unit/%.o)
unit_lib := $(BUILD)/unit/all.a

unit: unit-build
	@tests/unit/run-tests $(unit_prog)
	@tests/campaign/fuzz --count $(unit_fuzz_inputs) --simulator $(unit_sim) \
		--out $(BUILD)/fuzz

unit-build:
	+@$(MAKE) -s -k -j$(shell nproc) $(unit_prog) $(unit_sim) $(unit_fuzz)

$(unit_lib): $(unit_obj)
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

$(BUILD)/unit/dm-ssdqos/%.o: dm-ssdqos/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(unit_core_flags) -MMD -MP -c -o $@ $<

$(BUILD)/unit/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(unit_sim_flags) -MMD -MP -c -o $@ $<

$(BUILD)/unit/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(unit_sim_flags) -Wno-unused-parameter -MMD -MP -c -o $@ $<

$(unit_prog): $(BUILD)/unit/%: $(BUILD)/unit/tests/unit/%.o $(unit_lib)
	$(call say,LD)$(CC) $(unit_san) -o $@ $^ -lcmocka -lz -lm

# The simulator of the same objects and the programs of tests/fuzz, for hostile input
# (tests/campaign/fuzz).
sim-asan: $(unit_sim) $(unit_fuzz)

$(unit_fuzz): $(BUILD)/unit/fuzz-%: $(BUILD)/unit/tests/fuzz/%.o $(unit_lib)
	$(call say,LD)$(CC) $(unit_san) -o $@ $^ -lz -lm

$(unit_sim): $(BUILD)/unit/tools/sim/main.o $(unit_lib)
	$(call say,LD)$(CC) $(unit_san) -o $@ $^ -lz -lm

.SECONDARY: $(unit_test:%=$(BUILD)/unit/tests/unit/%.o) $(unit_fuzz_obj)
-include $(unit_obj:.o=.d) $(unit_fuzz_obj:.o=.d) $(BUILD)/unit/tools/sim/main.d $(unit_test:%=$(BUILD)/unit/tests/unit/%.d)

.PHONY: unit unit-build sim-asan
