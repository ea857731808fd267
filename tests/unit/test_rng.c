// SPDX-License-Identifier: GPL-2.0
/*
 * The random number generator: known sequences, and its uniform numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"

#define NR_KNOWN 6
#define DRAWS 400000u

/* From a separate implementation of the papers' algorithms (in Python). */
static const struct known {
	u64 seed;
	u64 out[NR_KNOWN];
} known[] = {
	{ 0,
	  { 0x53175d61490b23df, 0x61da6f3dc380d507, 0x5c0fdf91ec9a7bfc,
	    0x02eebf8c3bbe5e1a, 0x7eca04ebaf4a5eea, 0x0543c37757f08d9a } },
	{ 1,
	  { 0xcfc5d07f6f03c29b, 0xbf424132963fe08d, 0x19a37d5757aaf520,
	    0xbf08119f05cd56d6, 0x2f47184b86186fa4, 0x97299fcae7202345 } },
	{ 0x0123456789abcdef,
	  { 0xb2f2a310e96bd1c5, 0xb54062465b950493, 0x87aca4a9668814b0,
	    0xf13d2e2448a9cffb, 0xb7afdb427f6b86a2, 0xc3a68c4e4f50d0c7 } },
	{ ~0ULL,
	  { 0x56ccf8ce948e27b2, 0xe68588432e5a5b90, 0xe3e9b5a48119ca8b,
	    0x460f19495532ae73, 0xa7d62040ea9263e1, 0x66f1fb2ac9402c14 } },
};

static void gives_the_published_sequence(void **state)
{
	struct ssdqos_rng r;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		ssdqos_rng_seed(&r, known[i].seed);
		for (k = 0; k < NR_KNOWN; k++)
			assert_true(ssdqos_rng_next(&r) == known[i].out[k]);
	}
}

static void equal_seeds_give_equal_sequences(void **state)
{
	struct ssdqos_rng a, b, c;
	u32 i, differ = 0;

	ssdqos_rng_seed(&a, 42);
	ssdqos_rng_seed(&b, 42);
	ssdqos_rng_seed(&c, 43);
	for (i = 0; i < 1000; i++) {
		u64 x = ssdqos_rng_next(&a);

		assert_true(x == ssdqos_rng_next(&b));
		differ += x != ssdqos_rng_next(&c);
	}
	assert_int_equal(differ, 1000);
}

/*
 * Chi squared over n equally likely values: mean n - 1, deviation
 * sqrt(2 (n - 1)).  Five deviations: once in millions of seeds, and the seed
 * is fixed.
 */
static void check_uniform(u32 n)
{
	static u32 count[1024];
	struct ssdqos_rng r;
	double expect = (double)DRAWS / n, chi = 0, bound, d;
	u32 i;

	memset(count, 0, sizeof(count));
	ssdqos_rng_seed(&r, n);
	for (i = 0; i < DRAWS; i++) {
		u32 x = ssdqos_rng_below(&r, n);

		assert_true(x < n);
		count[x]++;
	}
	for (i = 0; i < n; i++) {
		d = count[i] - expect;
		chi += d * d / expect;
	}
	/* bound^2 = 25 * 2 (n - 1), without libm */
	bound = chi - (n - 1);
	assert_true(bound <= 0 || bound * bound <= 50.0 * (n - 1));
}

static void below_is_uniform(void **state)
{
	check_uniform(2);
	check_uniform(3);
	check_uniform(10);
	check_uniform(100);
	check_uniform(1000);
	check_uniform(1024);
}

static void below_reaches_both_ends(void **state)
{
	struct ssdqos_rng r;
	u32 i, low = ~0u, high = 0;

	ssdqos_rng_seed(&r, 7);
	for (i = 0; i < 1000; i++) {
		u32 x = ssdqos_rng_below(&r, ~0u);

		low = min(low, x);
		high = max(high, x);
		assert_int_equal(ssdqos_rng_below(&r, 1), 0);
	}
	assert_true(low < 1u << 24);
	assert_true(high > ~0u - (1u << 24));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_the_published_sequence),
		cmocka_unit_test(equal_seeds_give_equal_sequences),
		cmocka_unit_test(below_is_uniform),
		cmocka_unit_test(below_reaches_both_ends),
	};

	return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
