// SPDX-License-Identifier: GPL-2.0
/*
 * Fixed-point logarithm and exponential against libm.  The file is included,
 * so that its table of constants can be looked at.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/fixed.c"
#include "../../dm-ssdqos/core/engine/rng.h"

#define RANDOM_VALUES 200000
#define STATED_ERROR ldexp(1, -27)
#define STATED_RANGE 22

static double as_double(u64 x)
{
	return ldexp((double)x, -SSDQOS_FP_SHIFT);
}

static void check_exp(u64 x)
{
	u64 got = ssdqos_fp_exp_neg(x);

	assert_true(got <= SSDQOS_FP_ONE);
	assert_true(fabs(as_double(got) - exp(-as_double(x))) < STATED_ERROR);
}

static void check_ln(u64 x)
{
	assert_true(fabs(as_double(ssdqos_fp_neg_ln(x)) + log(as_double(x))) < STATED_ERROR);
}

static void table_is_powers_of_two(void **state)
{
	int i;

	for (i = 0; i < FP_FRAC_BITS; i++) {
		double want = ldexp(exp2(-ldexp(1, -(i + 1))), 32);

		assert_true(fabs((double)fp_exp2_bit[i] - want) <= 0.5);
	}
	assert_true(fabs((double)FP_LN2 - ldexp(log(2), 32)) <= 0.5);
	assert_true(fabs((double)FP_INV_LN2 - ldexp(1 / log(2), 32)) <= 0.5);
}

static void exp_is_within_the_stated_error(void **state)
{
	struct ssdqos_rng r;
	u32 i;

	ssdqos_rng_seed(&r, 1);
	for (i = 0; i < RANDOM_VALUES; i++)
		check_exp(ssdqos_rng_next(&r) % (STATED_RANGE * SSDQOS_FP_ONE + 1));
	for (i = 0; i < 1000; i++) {
		check_exp(i);
		check_exp(SSDQOS_FP_ONE - 500 + i);
		check_exp(FP_LN2 - 500 + i);
	}
}

static void exp_has_exact_ends(void **state)
{
	assert_true(ssdqos_fp_exp_neg(0) == SSDQOS_FP_ONE);
	assert_true(ssdqos_fp_exp_neg(32ULL << 32) == 0);
	assert_true(ssdqos_fp_exp_neg((32ULL << 32) - 1) == 0);
	assert_true(ssdqos_fp_exp_neg(~0ULL) == 0);
}

static void ln_is_within_the_stated_error(void **state)
{
	struct ssdqos_rng r;
	u32 i;

	ssdqos_rng_seed(&r, 2);
	for (i = 0; i < RANDOM_VALUES; i++) {
		u64 x = ssdqos_rng_next(&r) >> 32 >> ssdqos_rng_below(&r, 32);

		check_ln(x + 1);
	}
	for (i = 1; i < 1000; i++) {
		check_ln(i);
		check_ln(SSDQOS_FP_ONE + 1 - i);
	}
	assert_true(ssdqos_fp_neg_ln(SSDQOS_FP_ONE) == 0);
}

static void ln_is_the_inverse_of_exp(void **state)
{
	u64 x;

	/* the error of exp grows by e^x in the argument of ln */
	for (x = 0; x < 8 * SSDQOS_FP_ONE; x += SSDQOS_FP_ONE / 777) {
		double back = as_double(ssdqos_fp_neg_ln(ssdqos_fp_exp_neg(x)));

		assert_true(fabs(back - as_double(x)) < STATED_ERROR * (1 + exp(as_double(x))));
	}
}

static void mul_is_exact_but_rounded_down(void **state)
{
	struct ssdqos_rng r;
	u32 i;

	ssdqos_rng_seed(&r, 3);
	for (i = 0; i < RANDOM_VALUES; i++) {
		u64 a = ssdqos_rng_next(&r) >> ssdqos_rng_below(&r, 64);
		u64 b = ssdqos_rng_next(&r) >> ssdqos_rng_below(&r, 64);
		unsigned __int128 want = (unsigned __int128)a * b >> 32;

		if (want >> 64)
			continue;
		assert_true(ssdqos_fp_mul(a, b) == (u64)want);
	}
}

static void ratio_is_the_quotient(void **state)
{
	assert_true(ssdqos_fp_ratio(1, 1) == SSDQOS_FP_ONE);
	assert_true(ssdqos_fp_ratio(1, 3) == 0x55555555);
	assert_true(ssdqos_fp_ratio(0xffffffff, 1) == 0xffffffffULL << 32);
	assert_true(ssdqos_fp_ratio(0, 5) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_powers_of_two),
		cmocka_unit_test(exp_is_within_the_stated_error),
		cmocka_unit_test(exp_has_exact_ends),
		cmocka_unit_test(ln_is_within_the_stated_error),
		cmocka_unit_test(ln_is_the_inverse_of_exp),
		cmocka_unit_test(mul_is_exact_but_rounded_down),
		cmocka_unit_test(ratio_is_the_quotient),
	};

	return cmocka_run_group_tests_name("fixed", tests, NULL, NULL);
}
