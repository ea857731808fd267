// SPDX-License-Identifier: GPL-2.0
/*
 * Wear of cells by threshold voltage, against libm and the dissertation's Table 9.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/fixed.h"
#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/ready/recovery.h"

#define NS_PER_S 1000000000ULL
#define HOUR_NS (3600 * NS_PER_S)
#define WEEK_NS (7 * 24 * HOUR_NS)
#define WINDOW_NS (600 * NS_PER_S)
/* Section 5.3.1: five years. */
#define LIFE_S 1.5768e8
#define GIB_PER_TIB 1024

/* What recovery.h and fixed.c state. */
#define TRAP_ERROR ldexp(1, -22)
#define TRAP_MAX_CYCLES ldexp(1, 20)
#define POW_ERROR ldexp(1, -24)
#define RANDOM_VALUES 20000

static double as_double(u64 x)
{
	return ldexp((double)x, -SSDQOS_FP_SHIFT);
}

static u64 as_fp(double x)
{
	return (u64)ldexp(x, SSDQOS_FP_SHIFT);
}

static double trap(double cycles)
{
	return 2.97e-3 * pow(cycles, 0.62) + 2.0e-2 * pow(cycles, 0.3);
}

/* The N at which trap(N) is so many volts. */
static double cycles_at(double volt)
{
	double low = 0, high = TRAP_MAX_CYCLES;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (trap(middle) < volt)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static double factor(u32 model, double idle_s)
{
	const bool stated = model == SSDQOS_RECOVERY_STATED;
	const double c = stated ? 5.63e-2 : 299902160 / ldexp(1, 32), t0_s = stated ? 3600 : 42.508;

	return idle_s <= t0_s ? 1 : fmax(0.1, 1 - c * log(idle_s / t0_s));
}

/* ---- formulas ---- */

static void pow_is_within_the_stated_error(void **state)
{
	const double exponents[] = { 0.62, 0.3, 0.5, 1 };
	struct ssdqos_rng rng;

	ssdqos_rng_seed(&rng, 1);
	for (u32 i = 0; i < RANDOM_VALUES; i++) {
		const u64 x = SSDQOS_FP_ONE + ssdqos_rng_next(&rng) % (1ULL << 52);
		const u64 p = as_fp(exponents[i % 4]);
		const double want = pow(as_double(x), as_double(p));

		if (fabs(as_double(ssdqos_fp_pow(x, p)) / want - 1) >= POW_ERROR)
			fail_msg("%.9f ^ %.9f", as_double(x), as_double(p));
	}
}

static void pow_has_exact_ends(void **state)
{
	assert_true(ssdqos_fp_pow(0, as_fp(0.3)) == 0);
	assert_true(ssdqos_fp_pow(SSDQOS_FP_ONE, as_fp(0.62)) == SSDQOS_FP_ONE);
	/* below 1 it is a small number, and just above 1 it is just above 1 */
	assert_true(fabs(as_double(ssdqos_fp_pow(as_fp(0.001), as_fp(0.3))) -
			 pow(0.001, 0.3)) < ldexp(1, -27));
	assert_true(ssdqos_fp_pow(SSDQOS_FP_ONE + 1, as_fp(0.3)) - SSDQOS_FP_ONE < 32);
}

static void trap_is_within_the_stated_error(void **state)
{
	struct ssdqos_rng rng;

	ssdqos_rng_seed(&rng, 2);
	for (u32 i = 0; i < RANDOM_VALUES; i++) {
		const u64 n = ssdqos_rng_next(&rng) % ((1ULL << 52) + 1) >> i % 30;

		if (fabs(as_double(ssdqos_recovery_trap_fp(n)) - trap(as_double(n))) >= TRAP_ERROR)
			fail_msg("trap(%.9f)", as_double(n));
	}
	assert_true(fabs(as_double(ssdqos_recovery_trap_fp(3000ULL << SSDQOS_FP_SHIFT)) - 0.65) <
		    0.005);
}

static void factor_is_that_of_5_2(void **state)
{
	/* 7 s to 57 years */
	for (u32 model = SSDQOS_RECOVERY_STATED; model < SSDQOS_RECOVERY_NR_MODELS; model++)
		for (double s = 7; s < 1.8e9; s *= 1.37) {
			const double got = as_double(ssdqos_recovery_factor_fp(model, (u64)(s * 1e9)));

			if (fabs(got - factor(model, s)) >= ldexp(1, -16))
				fail_msg("model %u, idle %.0f s: %.6f, not %.6f", model, s, got,
					 factor(model, s));
		}
}

static void nothing_recovers_without_a_model_or_before_t0(void **state)
{
	assert_true(ssdqos_recovery_factor_fp(SSDQOS_RECOVERY_NONE, 1000 * WEEK_NS) ==
		    SSDQOS_FP_ONE);
	assert_true(ssdqos_recovery_factor_fp(SSDQOS_RECOVERY_STATED, HOUR_NS) == SSDQOS_FP_ONE);
	assert_true(ssdqos_recovery_factor_fp(SSDQOS_RECOVERY_STATED, HOUR_NS + NS_PER_S) <
		    SSDQOS_FP_ONE);
	assert_true(ssdqos_recovery_factor_fp(SSDQOS_RECOVERY_FITTED, 0) == SSDQOS_FP_ONE);
	assert_true(as_double(ssdqos_recovery_factor_fp(SSDQOS_RECOVERY_STATED, ~0ULL)) < 0.14);
}

/* ---- effective cycles (Figure 28) ---- */

static void cycles_without_recovery_are_those_of_the_datasheet(void **state)
{
	const double none = as_double(ssdqos_recovery_cycles_fp(SSDQOS_RECOVERY_NONE, WEEK_NS));
	const double busy = as_double(ssdqos_recovery_cycles_fp(SSDQOS_RECOVERY_FITTED, NS_PER_S));

	assert_true(fabs(none - 3000) < 0.01);
	assert_true(fabs(busy - 3000) < 0.01);
}

static void cycles_grow_with_idle_time(void **state)
{
	double was = 0;

	for (double h = 0.5; h < 1000; h *= 2) {
		const double got = as_double(ssdqos_recovery_cycles_fp(SSDQOS_RECOVERY_STATED,
								       (u64)(h * 3600e9)));
		const double want = cycles_at(trap(3000) / factor(SSDQOS_RECOVERY_STATED, h * 3600));

		assert_true(fabs(got / want - 1) < 1e-4);
		assert_true(got >= was);
		was = got;
	}
	assert_true(was > 3500);
}

static const struct {
	const char *name;
	double gib;
	double written_tib;
	double actual_tib;
} table_9[] = {
	{ "proj NT", 32, 144.4, 312.6 },
	{ "proj ST", 32, 54.2, 403.4 },
	{ "proj DT", 32, 93.7, 346.9 },
	{ "proj READY", 32, 141.0, 312.8 },
	{ "exchange NT", 128, 1918.8, 949.3 },
	{ "exchange ST", 128, 348.2, 1415.3 },
	{ "exchange DT", 128, 374.4, 1387.3 },
	{ "exchange READY", 128, 1065.6, 1077.8 },
};

static void fitted_constants_give_table_9(void **state)
{
	for (u32 i = 0; i < sizeof(table_9) / sizeof(table_9[0]); i++) {
		const double turns = table_9[i].written_tib * GIB_PER_TIB / table_9[i].gib;
		const u64 idle_ns = (u64)(LIFE_S / turns * 1e9);
		const double tib = as_double(ssdqos_recovery_cycles_fp(SSDQOS_RECOVERY_FITTED,
								       idle_ns)) *
			table_9[i].gib / GIB_PER_TIB;

		if (fabs(tib / table_9[i].actual_tib - 1) > 0.005)
			fail_msg("%s: %.1f TiB, not %.1f", table_9[i].name, tib,
				 table_9[i].actual_tib);
	}
}

/* Why there are two sets: recovery.h says what the stated one gives. */
static void stated_constants_do_not(void **state)
{
	const u64 idle_ns = (u64)(LIFE_S / (144.4 * GIB_PER_TIB / 32) * 1e9);
	const double got = as_double(ssdqos_recovery_cycles_fp(SSDQOS_RECOVERY_STATED, idle_ns));

	assert_true(fabs(got - 3905) < 20);
}

/* ---- a life ---- */

/* Time passes in windows; each programs a part of the flash and costs so many cycles. */
static void live(struct ssdqos_recovery *r, u32 windows, double turns, double cycles)
{
	for (u32 i = 0; i < windows; i++)
		ssdqos_recovery_advance(r, WINDOW_NS, as_fp(turns), as_fp(cycles));
}

static void idle_time_settles_at_window_by_turns(void **state)
{
	const double turns[] = { 0.001, 0.02, 0.3, 1, 4 };

	for (u32 i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		struct ssdqos_recovery r = { .model = SSDQOS_RECOVERY_FITTED };
		const double want = (double)WINDOW_NS / turns[i];

		live(&r, 20000, turns[i], turns[i]);
		if (fabs((double)r.idle_ns / want - 1) > 1e-3)
			fail_msg("%.3f turns: %.0f s, not %.0f", turns[i], (double)r.idle_ns / 1e9,
				 want / 1e9);
		assert_true(fabs((double)r.mean_idle_ns / want - 1) < 0.01);
	}
}

/* Without wear a block just gets older. */
static void idle_time_grows_while_nothing_is_written(void **state)
{
	struct ssdqos_recovery r = { .model = SSDQOS_RECOVERY_FITTED };

	live(&r, 6 * 24, 0, 0);
	assert_true(r.idle_ns == 24 * HOUR_NS);
	assert_true(r.vth_fp == 0);
	ssdqos_recovery_advance(&r, 100 * WEEK_NS, 0, 0);
	assert_true(r.idle_ns == 24 * HOUR_NS + 100 * WEEK_NS);
	assert_true(r.mean_idle_ns == r.idle_ns);
}

static void steady_wear_ends_where_it_was_forecast(void **state)
{
	struct ssdqos_recovery r = { .model = SSDQOS_RECOVERY_FITTED };
	double forecast;

	/* a block is programmed every 1000 windows; a few months to settle */
	live(&r, 20000, 0.001, 0);
	forecast = as_double(ssdqos_recovery_left_fp(&r));
	assert_true(forecast > 9000);
	live(&r, 1000, 0.001, forecast / 2000);
	assert_true(fabs(as_double(ssdqos_recovery_left_fp(&r)) / forecast - 0.5) < 0.01);
	live(&r, 1000, 0.001, forecast / 2000);
	assert_true(as_double(ssdqos_recovery_left_fp(&r)) < forecast / 100);
	live(&r, 20, 0.001, forecast / 2000);
	assert_true(ssdqos_recovery_left_fp(&r) == 0);
	assert_true(as_double(r.vth_fp) >= trap(3000));
}

/* The more cycles there are, the less do cells rest: what is left knows that. */
static void even_wear_ends_where_it_was_forecast(void **state)
{
	const u64 turns_fp = (u64)SSDQOS_RECOVERY_CYCLES << SSDQOS_FP_SHIFT;
	const u32 windows[] = { 1000, 26280, 105120 };

	for (u32 i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct ssdqos_recovery r = { .model = SSDQOS_RECOVERY_FITTED };
		const double cycles = as_double(ssdqos_recovery_left_even_fp(&r,
						windows[i] * WINDOW_NS, turns_fp)) / windows[i];

		live(&r, 20000, cycles, 0);
		live(&r, windows[i] * 99 / 100, cycles, cycles);
		assert_true(as_double(r.vth_fp) < trap(3000));
		live(&r, windows[i] * 2 / 100, cycles, cycles);
		assert_true(as_double(r.vth_fp) >= trap(3000));
		assert_int_equal(ssdqos_recovery_left_even_fp(&r, WINDOW_NS, turns_fp), 0);
	}
}

static void changing_idle_times_are_summed(void **state)
{
	struct ssdqos_recovery r = { .model = SSDQOS_RECOVERY_STATED };
	double want;

	/* 1000 cycles at once, and 500 more after a rest of two days: only these recover */
	ssdqos_recovery_advance(&r, 0, 0, 1000ULL << SSDQOS_FP_SHIFT);
	want = trap(1000);
	assert_true(fabs(as_double(r.vth_fp) - want) < 1e-6);
	ssdqos_recovery_advance(&r, 48 * HOUR_NS, 0, 500ULL << SSDQOS_FP_SHIFT);
	want += (trap(1500) - trap(1000)) * factor(SSDQOS_RECOVERY_STATED, 48 * 3600);
	assert_true(fabs(as_double(r.vth_fp) - want) < 1e-6);
	/* the order matters: early cycles raise the voltage more */
	assert_true(as_double(r.vth_fp) > trap(1500) * factor(SSDQOS_RECOVERY_STATED, 48 * 3600));
}

static void a_rest_makes_what_is_left_more(void **state)
{
	struct ssdqos_recovery r = { .model = SSDQOS_RECOVERY_STATED };
	u64 busy_fp;

	live(&r, 144, 2, 10);
	busy_fp = ssdqos_recovery_left_fp(&r);
	assert_true(fabs(as_double(busy_fp) - (3000 - 1440)) < 1);
	ssdqos_recovery_advance(&r, WEEK_NS, 0, 0);
	assert_true(ssdqos_recovery_left_fp(&r) > busy_fp * 12 / 10);
	live(&r, 6 * 24 * 100, 2, 0);
	assert_true(ssdqos_recovery_left_fp(&r) < busy_fp * 102 / 100);
}

static void small_steps_sum_up_to_large_ones(void **state)
{
	struct ssdqos_recovery fine = { .model = SSDQOS_RECOVERY_NONE }, coarse = fine;

	for (u32 i = 0; i < 100000; i++)
		ssdqos_recovery_advance(&fine, NS_PER_S, 0, as_fp(0.01));
	ssdqos_recovery_advance(&coarse, 100000 * NS_PER_S, 0, as_fp(1000));
	assert_true(fabs(as_double(fine.vth_fp) - as_double(coarse.vth_fp)) < 1e-4);
	assert_true(fine.idle_ns == coarse.idle_ns);
}

static void more_than_any_cell_can_is_worn_out(void **state)
{
	struct ssdqos_recovery r = { .model = SSDQOS_RECOVERY_FITTED };

	for (u32 i = 0; i < 10; i++)
		ssdqos_recovery_advance(&r, 1, ~0ULL >> 1, 1ULL << 51);
	assert_true(r.cycles_fp == 1ULL << 52);
	assert_true(ssdqos_recovery_left_fp(&r) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pow_is_within_the_stated_error),
		cmocka_unit_test(pow_has_exact_ends),
		cmocka_unit_test(trap_is_within_the_stated_error),
		cmocka_unit_test(factor_is_that_of_5_2),
		cmocka_unit_test(nothing_recovers_without_a_model_or_before_t0),
		cmocka_unit_test(cycles_without_recovery_are_those_of_the_datasheet),
		cmocka_unit_test(cycles_grow_with_idle_time),
		cmocka_unit_test(fitted_constants_give_table_9),
		cmocka_unit_test(stated_constants_do_not),
		cmocka_unit_test(idle_time_settles_at_window_by_turns),
		cmocka_unit_test(idle_time_grows_while_nothing_is_written),
		cmocka_unit_test(steady_wear_ends_where_it_was_forecast),
		cmocka_unit_test(even_wear_ends_where_it_was_forecast),
		cmocka_unit_test(changing_idle_times_are_summed),
		cmocka_unit_test(a_rest_makes_what_is_left_more),
		cmocka_unit_test(small_steps_sum_up_to_large_ones),
		cmocka_unit_test(more_than_any_cell_can_is_worn_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
