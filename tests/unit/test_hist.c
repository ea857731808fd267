// SPDX-License-Identifier: GPL-2.0
/*
 * The latency histogram against exact order statistics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/hist.h"
#include "../../dm-ssdqos/core/engine/rng.h"

#define NR_VALUES 50000u
#define RANGE_END (1ULL << SSDQOS_HIST_MAX_BITS)
#define HOUR_NS (3600ULL * 1000000000)

static const u32 shares_ppm[] = {
	0, 1, 10, 1000, 100000, 500000, 900000, 990000, 999000, 999900, 999990, 999999, 1000000
};

static struct ssdqos_hist h;
static u64 value[NR_VALUES];

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 exact(u32 n, u32 ppm)
{
	u64 rank = ((u64)n * ppm + 999999) / 1000000;

	return value[rank ? rank - 1 : 0];
}

static void check_percentiles(u32 n)
{
	u64 sum = 0;
	u32 i;

	ssdqos_hist_init(&h);
	for (i = 0; i < n; i++) {
		ssdqos_hist_add(&h, value[i]);
		sum += value[i];
	}
	qsort(value, n, sizeof(value[0]), by_value);
	for (i = 0; i < ARRAY_SIZE(shares_ppm); i++) {
		u64 got = ssdqos_hist_percentile_ns(&h, shares_ppm[i]);
		u64 want = exact(n, shares_ppm[i]);
		u64 error = got > want ? got - want : want - got;

		assert_true(error * 100 <= want);
	}
	assert_true(h.n == n);
	assert_true(h.min_ns == value[0]);
	assert_true(h.max_ns == value[n - 1]);
	assert_true(ssdqos_hist_mean_ns(&h) == sum / n);
	assert_true(ssdqos_hist_percentile_ns(&h, SSDQOS_HIST_PPM) == value[n - 1]);
}

static void percentiles_of_uniform_values(void **state)
{
	static const u64 range[] = { 2, 100, 100000, 1000000000, 4 * HOUR_NS };
	struct ssdqos_rng r;
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(range); k++) {
		ssdqos_rng_seed(&r, k);
		for (i = 0; i < NR_VALUES; i++)
			value[i] = ssdqos_rng_next(&r) % range[k];
		check_percentiles(NR_VALUES);
	}
}

static void percentiles_over_all_magnitudes(void **state)
{
	struct ssdqos_rng r;
	u32 i;

	ssdqos_rng_seed(&r, 9);
	for (i = 0; i < NR_VALUES; i++)
		value[i] = ssdqos_rng_next(&r) >> (20 + ssdqos_rng_below(&r, 44));
	check_percentiles(NR_VALUES);
}

static void percentiles_of_a_tail(void **state)
{
	u32 i;

	for (i = 0; i < NR_VALUES; i++)
		value[i] = i % 1000 == 7 ? 5000000 + i : 60240;
	check_percentiles(NR_VALUES);
	for (i = 0; i < NR_VALUES; i++)
		value[i] = 123457;
	check_percentiles(NR_VALUES);
}

static void percentiles_of_few_values(void **state)
{
	u32 n, i;

	for (n = 1; n < 70; n++) {
		for (i = 0; i < n; i++)
			value[i] = (u64)i * i * 1000003;
		check_percentiles(n);
	}
}

static void empty_histogram_gives_zeros(void **state)
{
	ssdqos_hist_init(&h);
	assert_true(ssdqos_hist_mean_ns(&h) == 0);
	assert_true(ssdqos_hist_percentile_ns(&h, 0) == 0);
	assert_true(ssdqos_hist_percentile_ns(&h, SSDQOS_HIST_PPM) == 0);
	assert_true(h.min_ns == SSDQOS_NEVER_NS);
}

static void one_value_is_every_percentile(void **state)
{
	static const u64 one[] = { 0, 1, 63, 64, 65, 127, 128, 60240, HOUR_NS, RANGE_END - 1,
				   RANGE_END, 100 * HOUR_NS };
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(one); k++) {
		ssdqos_hist_init(&h);
		ssdqos_hist_add(&h, one[k]);
		for (i = 0; i < ARRAY_SIZE(shares_ppm); i++)
			assert_true(ssdqos_hist_percentile_ns(&h, shares_ppm[i]) == one[k]);
		assert_true(ssdqos_hist_mean_ns(&h) == one[k]);
	}
}

static void values_beyond_the_range_are_counted(void **state)
{
	u32 i;

	ssdqos_hist_init(&h);
	for (i = 0; i < 100; i++)
		ssdqos_hist_add(&h, i < 50 ? 1000 : RANGE_END * (i - 48));
	assert_true(h.n == 100);
	assert_true(h.max_ns == RANGE_END * 51);
	assert_true(h.bucket[SSDQOS_HIST_NR - 1] == 50);
	assert_true(ssdqos_hist_percentile_ns(&h, 400000) <= 1010);
	assert_true(ssdqos_hist_percentile_ns(&h, 900000) >= RANGE_END / 100 * 99);
	assert_true(ssdqos_hist_percentile_ns(&h, SSDQOS_HIST_PPM) == h.max_ns);
}

static void merge_equals_adding(void **state)
{
	static struct ssdqos_hist a, b, both;
	struct ssdqos_rng r;
	u32 i;

	ssdqos_rng_seed(&r, 4);
	ssdqos_hist_init(&a);
	ssdqos_hist_init(&b);
	ssdqos_hist_init(&both);
	for (i = 0; i < NR_VALUES; i++) {
		u64 x = ssdqos_rng_next(&r) >> (18 + ssdqos_rng_below(&r, 46));

		ssdqos_hist_add(i % 3 ? &a : &b, x);
		ssdqos_hist_add(&both, x);
	}
	ssdqos_hist_merge(&a, &b);
	assert_memory_equal(&a, &both, sizeof(a));
	ssdqos_hist_init(&b);
	ssdqos_hist_merge(&a, &b);
	assert_memory_equal(&a, &both, sizeof(a));
	ssdqos_hist_merge(&b, &a);
	assert_memory_equal(&b, &both, sizeof(b));
}

static void bucket_low_is_the_inverse(void **state)
{
	u32 i;

	for (i = 0; i < SSDQOS_HIST_NR; i++) {
		u64 low = ssdqos_hist_bucket_low_ns(i), next = ssdqos_hist_bucket_low_ns(i + 1);

		assert_true(next > low);
		assert_int_equal(ssdqos_hist_bucket(low), i);
		assert_int_equal(ssdqos_hist_bucket(next - 1), i);
		assert_true((next - 1 - low) * 64 <= low);
	}
	assert_true(ssdqos_hist_bucket_low_ns(SSDQOS_HIST_NR) == RANGE_END);
	assert_int_equal(ssdqos_hist_bucket(RANGE_END), SSDQOS_HIST_NR - 1);
	assert_int_equal(ssdqos_hist_bucket(~0ULL), SSDQOS_HIST_NR - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_of_uniform_values),
		cmocka_unit_test(percentiles_over_all_magnitudes),
		cmocka_unit_test(percentiles_of_a_tail),
		cmocka_unit_test(percentiles_of_few_values),
		cmocka_unit_test(empty_histogram_gives_zeros),
		cmocka_unit_test(one_value_is_every_percentile),
		cmocka_unit_test(values_beyond_the_range_are_counted),
		cmocka_unit_test(merge_equals_adding),
		cmocka_unit_test(bucket_low_is_the_inverse),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
