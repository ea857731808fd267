// SPDX-License-Identifier: GPL-2.0
/*
 * The parameter table of the flash drive: every row, and the presets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/flash/config.h"

#define TEXT_BYTES 64

static struct ssdqos_flash_config cfg, before;
static char err[256];

static int start(void **state)
{
	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_AUTOSSD);
	before = cfg;
	return 0;
}

static int set(const char *key, const char *value)
{
	memset(err, 0, sizeof(err));
	return ssdqos_flash_config_set(&cfg, key, value, err, sizeof(err));
}

static void refuses(const struct ssdqos_param *row, const char *value)
{
	char part[TEXT_BYTES];

	before = cfg;
	assert_int_equal(set(row->name, value), -EINVAL);
	assert_memory_equal(&cfg, &before, sizeof(cfg));
	assert_memory_equal(err, row->name, strlen(row->name));
	snprintf(part, sizeof(part), "'%s'", value);
	assert_non_null(strstr(err, part));
	if (row->choices) {
		u32 i;

		for (i = 0; row->choices[i]; i++)
			assert_non_null(strstr(err, row->choices[i]));
		return;
	}
	snprintf(part, sizeof(part), "from %llu to %llu", row->min, row->max);
	assert_non_null(strstr(err, part));
	assert_non_null(strstr(err, row->unit));
}

static void rows_are_well_formed(void **state)
{
	u32 i, k;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_flash_params[i];

		assert_non_null(row->name);
		assert_int_equal(ssdqos_param_find(ssdqos_flash_params, SSDQOS_FLASH_NR_PARAMS,
						   row->name), i);
		assert_true(row->min <= row->def && row->def <= row->max);
		assert_true(strlen(row->help) > 10);
		if (!row->choices)
			continue;
		for (k = 0; row->choices[k]; k++)
			;
		assert_true(row->min == 0 && row->max == k - 1);
	}
}

static void every_row_takes_its_ends(void **state)
{
	char text[TEXT_BYTES];
	u32 i, k;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_flash_params[i];
		u64 ends[2] = { row->min, row->max };

		for (k = 0; k < 2; k++) {
			ssdqos_param_format(row, ends[k], text, sizeof(text));
			assert_int_equal(set(row->name, text), i);
			assert_true(*ssdqos_flash_config_value(&cfg, i) == ends[k]);
		}
	}
}

static void every_row_refuses_what_is_wrong(void **state)
{
	static const char *const never[] = {
		"", "garbage", "-1", "+1", "1x", " 1", "1 ", "0x10", "1.5", "1kk",
		"18446744073709551616", "99999999999999999999999", "17179869184g"
	};
	char text[TEXT_BYTES];
	u32 i, k;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_flash_params[i];

		for (k = 0; k < ARRAY_SIZE(never); k++)
			refuses(row, never[k]);
		if (row->choices) {
			refuses(row, "0");
			continue;
		}
		if (row->min) {
			snprintf(text, sizeof(text), "%llu", row->min - 1);
			refuses(row, text);
		}
		if (row->max != ~0ULL) {
			snprintf(text, sizeof(text), "%llu", row->max + 1);
			refuses(row, text);
		}
	}
}

/* Values that a row may have: its ends, its default, and some between. */
static void format_then_parse_is_identity(void **state)
{
	char text[TEXT_BYTES];
	u32 i, k;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_flash_params[i];
		u64 step = (row->max - row->min) / 17 ? (row->max - row->min) / 17 : 1;
		u64 value = row->min;

		for (k = 0; k <= 17 && value <= row->max; k++, value += step) {
			u64 want = k == 17 ? row->def : value;

			ssdqos_param_format(row, want, text, sizeof(text));
			assert_int_equal(set(row->name, text), i);
			assert_true(*ssdqos_flash_config_value(&cfg, i) == want);
		}
	}
}

/* A line of what has to be named makes the same drive. */
static void check_line(void)
{
	bool named[SSDQOS_FLASH_NR_PARAMS];
	char text[TEXT_BYTES];
	u32 i, nr;

	before = cfg;
	nr = ssdqos_flash_config_named(&before, named);
	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_AUTOSSD);
	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		if (!named[i])
			continue;
		ssdqos_param_format(&ssdqos_flash_params[i], *ssdqos_flash_config_value(&before, i),
				    text, sizeof(text));
		assert_int_equal(set(ssdqos_flash_params[i].name, text), i);
		nr--;
	}
	assert_int_equal(nr, 0);
	assert_memory_equal(&cfg, &before, sizeof(cfg));
}

/* One parameter after the other, as messages do, and each with those before. */
static void a_printed_line_makes_the_same_drive(void **state)
{
	static const char *const presets[] = { "autossd", "ttflash", "ttflash-autossd", "x25e-like" };
	char text[TEXT_BYTES];
	u32 p, i;

	for (p = 0; p < ARRAY_SIZE(presets); p++) {
		assert_true(set("preset", presets[p]) >= 0);
		for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
			const struct ssdqos_param *row = &ssdqos_flash_params[i];

			if (i == SSDQOS_FLASH_P_preset)
				continue;
			ssdqos_param_format(row, row->max, text, sizeof(text));
			assert_int_equal(set(row->name, text), i);
			check_line();
		}
	}
	assert_true(set("preset", "autossd") >= 0);
	assert_true(set("gc_start_blocks", "70") >= 0);
	check_line();
	assert_true(set("gc_plane_blocks", "954") >= 0);
	check_line();
	assert_true(set("preset", "autossd") >= 0);
	assert_true(set("trim_preset", "e-trim") >= 0);
	assert_true(set("trim_mode", "invalidate") >= 0);
	check_line();
}

static void unknown_key_is_named(void **state)
{
	assert_int_equal(set("chanels", "4"), -ENOENT);
	assert_string_equal(err, "'chanels' is not a parameter of ssdqos-flash");
	assert_memory_equal(&cfg, &before, sizeof(cfg));
	assert_int_equal(set("", "4"), -ENOENT);
}

static void preset_sets_all_values(void **state)
{
	struct ssdqos_flash_config want;

	assert_int_equal(set("channels", "7"), SSDQOS_FLASH_P_channels);
	assert_int_equal(set("seed", "99"), SSDQOS_FLASH_P_seed);
	assert_int_equal(set("preset", "ttflash"), SSDQOS_FLASH_P_preset);
	ssdqos_flash_config_init(&want, SSDQOS_FLASH_TTFLASH);
	assert_memory_equal(&cfg, &want, sizeof(cfg));
	assert_int_equal(set("preset", "autossd"), SSDQOS_FLASH_P_preset);
	assert_memory_equal(&cfg, &before, sizeof(cfg));
}

/* "Revisiting Widely Held SSD Expectations", section 6.2: 2 GiB are 512 steps. */
static void discards_take_what_the_paper_says(void **state)
{
	const u64 ms = 1000000, steps = 512;

	assert_int_equal(set("trim_preset", "e-trim"), SSDQOS_FLASH_P_trim_preset);
	assert_int_equal(cfg.trim_mode, SSDQOS_FLASH_TRIM_ERASE);
	assert_int_equal(cfg.trim_command, 1);
	assert_int_equal(cfg.trim_granule_kib, 1024);
	assert_int_equal((cfg.trim_ns + (steps - 1) * cfg.trim_step_ns + ms / 2) / ms, 754);
	assert_int_equal(set("trim_preset", "i-trim"), SSDQOS_FLASH_P_trim_preset);
	assert_int_equal(cfg.trim_mode, SSDQOS_FLASH_TRIM_INVALIDATE);
	assert_int_equal(cfg.trim_command, 1);
	assert_int_equal(cfg.trim_ns, 400000);
	assert_int_equal((cfg.trim_ns + (steps - 1) * cfg.trim_step_ns + ms / 2) / ms, 10);
}

static void trim_preset_sets_discards_only(void **state)
{
	assert_int_equal(set("read_ns", "7"), SSDQOS_FLASH_P_read_ns);
	before = cfg;
	assert_int_equal(set("trim_granule_kib", "64"), SSDQOS_FLASH_P_trim_granule_kib);
	assert_int_equal(set("trim_preset", "e-trim"), SSDQOS_FLASH_P_trim_preset);
	assert_int_equal(cfg.trim_granule_kib, 1024);
	assert_int_equal(set("trim_granule_kib", "8"), SSDQOS_FLASH_P_trim_granule_kib);
	assert_int_equal(cfg.trim_granule_kib, 8);
	assert_int_equal(cfg.read_ns, 7);
	assert_int_equal(set("trim_preset", "own"), SSDQOS_FLASH_P_trim_preset);
	assert_memory_equal(&cfg, &before, sizeof(cfg));
}

/* AutoSSD, USENIX ATC 2018, Table 1 */
static void autossd_is_the_drive_of_the_paper(void **state)
{
	assert_int_equal(cfg.preset, SSDQOS_FLASH_AUTOSSD);
	assert_int_equal(cfg.channels, 4);
	assert_int_equal(cfg.chips_per_channel, 4);
	assert_int_equal(cfg.planes_per_chip, 2);
	assert_int_equal(cfg.pages_per_block, 512);
	assert_int_equal(cfg.page_kib, 16);
	assert_int_equal(cfg.read_ns, 50000);
	assert_int_equal(cfg.program_ns, 500000);
	assert_int_equal(cfg.erase_ns, 5000000);
	assert_int_equal(cfg.channel_mb_s, 400);
	assert_int_equal(cfg.gc_start_blocks * 32, 128);
	assert_int_equal(cfg.gc_stop_blocks * 32, 256);
	assert_int_equal(cfg.gc_policy, SSDQOS_FLASH_COST_BENEFIT);
}

/* ttFlash, USENIX FAST 2017, Table 1 */
static void ttflash_is_the_drive_of_the_paper(void **state)
{
	u64 page_ns;

	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_TTFLASH);
	assert_int_equal(cfg.preset, SSDQOS_FLASH_TTFLASH);
	assert_int_equal(cfg.channels, 8);
	assert_int_equal(cfg.chips_per_channel, 8);
	assert_int_equal(cfg.planes_per_chip, 1);
	assert_int_equal(cfg.pages_per_block, 256);
	assert_int_equal(cfg.page_kib, 4);
	assert_int_equal(cfg.read_ns, 40000);
	assert_int_equal(cfg.program_ns, 800000);
	assert_int_equal(cfg.erase_ns, 2000000);
	page_ns = 4096 * 1000 / cfg.channel_mb_s;
	assert_in_range(page_ns, 99000, 101000);
	assert_int_equal(cfg.registers, 1);
	assert_int_equal(cfg.allocation, SSDQOS_FLASH_STATIC);
}

static void presets_are_valid(void **state)
{
	u32 preset, i;

	for (preset = 0; preset < SSDQOS_FLASH_NR_PRESETS; preset++) {
		ssdqos_flash_config_init(&cfg, preset);
		assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), 0);
		for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++)
			assert_true(*ssdqos_flash_config_value(&cfg, i) >=
					    ssdqos_flash_params[i].min &&
				    *ssdqos_flash_config_value(&cfg, i) <=
					    ssdqos_flash_params[i].max);
	}
}

static void check_refuses(const char *key, const char *value, const char *part)
{
	start(NULL);
	assert_true(set(key, value) >= 0);
	assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), -EINVAL);
	assert_memory_equal(err, key, strlen(key));
	assert_non_null(strstr(err, part));
}

static void check_sees_what_concerns_several_values(void **state)
{
	check_refuses("page_kib", "12", "'12' is not 4, 8 or 16");
	check_refuses("page_kib", "5", "'5'");
	check_refuses("pages_per_block", "100", "'100' is not a power of two from 4 to 4096");
	check_refuses("gc_stop_blocks", "4", "'4' is not more than gc_start_blocks (4)");
	check_refuses("gc_stop_blocks", "3", "'3'");
	start(NULL);
	set("channels", "64");
	set("chips_per_channel", "64");
	set("planes_per_chip", "8");
	assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), 0);
	set("planes_per_chip", "9");
	assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "planes_per_chip: '9' makes more than 32768 planes");
}

static void check_sees_bounds_in_the_wrong_order(void **state)
{
	check_refuses("lookup_max_ns", "499", "'499' is less than lookup_min_ns (500)");
	check_refuses("host_delay_max_ns", "999", "'999' is less than host_delay_min_ns (1000)");
	check_refuses("internal_delay_max_ns", "1",
		      "'1' is less than internal_delay_min_ns (1000)");
	check_refuses("scrub_stop_reads", "100001",
		      "'100001' is more than scrub_start_reads (100000)");
	start(NULL);
	set("lookup_max_ns", "500");
	set("scrub_stop_reads", "100000");
	assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), 0);
}

/* Bursts that begin and end with each nanosecond would be events without end. */
static void check_sees_bursts_that_are_too_short(void **state)
{
	check_refuses("gc_burst_ns", "1", "'1' is neither 0 nor from 100000 to 10000000000 ns");
	check_refuses("gc_burst_ns", "99999", "'99999'");
	start(NULL);
	set("gc_pause_ns", "0");
	set("gc_burst_ns", "100000");
	assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), 0);
	set("gc_burst_ns", "0");
	assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), 0);
}

static void check_sees_what_stripes_need(void **state)
{
	check_refuses("rain", "on", "'on' needs allocation static");
	start(NULL);
	set("rain", "on");
	set("allocation", "static");
	assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), 0);
	set("channels", "1");
	assert_int_equal(ssdqos_flash_config_check(&cfg, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "rain: 'on' needs 2 channels or more, one of them for parity");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rows_are_well_formed, start),
		cmocka_unit_test_setup(every_row_takes_its_ends, start),
		cmocka_unit_test_setup(every_row_refuses_what_is_wrong, start),
		cmocka_unit_test_setup(format_then_parse_is_identity, start),
		cmocka_unit_test_setup(a_printed_line_makes_the_same_drive, start),
		cmocka_unit_test_setup(unknown_key_is_named, start),
		cmocka_unit_test_setup(preset_sets_all_values, start),
		cmocka_unit_test_setup(discards_take_what_the_paper_says, start),
		cmocka_unit_test_setup(trim_preset_sets_discards_only, start),
		cmocka_unit_test_setup(autossd_is_the_drive_of_the_paper, start),
		cmocka_unit_test_setup(ttflash_is_the_drive_of_the_paper, start),
		cmocka_unit_test_setup(presets_are_valid, start),
		cmocka_unit_test_setup(check_sees_what_concerns_several_values, start),
		cmocka_unit_test_setup(check_sees_bounds_in_the_wrong_order, start),
		cmocka_unit_test_setup(check_sees_bursts_that_are_too_short, start),
		cmocka_unit_test_setup(check_sees_what_stripes_need, start),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
