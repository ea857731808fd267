// SPDX-License-Identifier: GPL-2.0
/*
 * The named loads have the numbers of the table that they are named after; sizes and distances have
 * the distributions that they are said to have.
 *
 * What a load gives is measured over SAMPLES requests with the default seed; tolerances are at
 * least three standard errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/sim/random/geometric.h"
#include "../../tools/sim/load/load.h"
#include "../../tools/sim/load/job.h"
#include "../../tools/sim/load/named.h"
#include "../../tools/sim/random/lognormal.h"

#define DRIVE_BYTES (256ULL << 30)
#define KIB 1024.0
#define SAMPLES 500000

/*
 * A size has a standard deviation below its mean, and the rarest kind of request comes 35,000
 * times; a distance has one of up to 13 means (DAP-PS), and its median an error of up to
 * 3.5 / sqrt(SAMPLES).
 */
#define MIX_TOLERANCE 0.003
#define SIZE_TOLERANCE 0.015
#define MEDIAN_TOLERANCE 0.015
#define MEAN_TOLERANCE 0.06

/* Table 2 once more, from the paper, so that a slip in the program's table shows. */
static const struct expected_load {
	const char *name;
	double hours;
	double writes;
	double reads;
	double write_kib;
	double read_kib;
	double mean_ms;
	double median_ms;
} expected_loads[] = {
	{ "synthetic-DAP-DS", 23.5, 0.1, 1.3, 7.2, 31.5, 56.9, 31.6 },
	{ "synthetic-DAP-PS", 23.5, 0.5, 0.6, 96.7, 62.1, 79.9, 1.7 },
	{ "synthetic-DTRS", 23.0, 5.8, 12.0, 31.9, 21.8, 4.6, 1.5 },
	{ "synthetic-LM-TBE", 23.0, 9.2, 34.7, 61.9, 53.2, 1.9, 0.8 },
	{ "synthetic-MSN-CFS", 5.9, 1.1, 3.2, 12.9, 8.9, 4.9, 2.0 },
	{ "synthetic-MSN-BEFS", 5.9, 9.2, 18.9, 11.6, 10.7, 0.8, 0.3 },
	{ "synthetic-RAD-AS", 15.3, 2.0, 0.2, 9.9, 11.0, 24.9, 0.8 },
	{ "synthetic-RAD-BE", 17.0, 4.3, 1.0, 13.0, 106.2, 11.7, 2.6 },
};

/**
 * struct sample - what a load has given
 * @requests: how many
 * @count: per operation
 * @bytes: per operation
 * @first: lowest offset
 * @end: highest end
 * @gaps_ns: distances, sorted
 */
struct sample {
	u64 requests;
	u64 count[NR_SIM_OPS];
	u64 bytes[NR_SIM_OPS];
	u64 first;
	u64 end;
	u64 gaps_ns[SAMPLES];
};

static struct load *create(const char *line)
{
	struct sim_error error = { "" };
	struct load *load = load_create(line, DRIVE_BYTES, &error);

	if (!load)
		fail_msg("'%s': %s", line, error.text);
	return load;
}

static int compare(const void *left, const void *right)
{
	const u64 a = *(const u64 *)left, b = *(const u64 *)right;

	return a < b ? -1 : a > b;
}

static void take(struct sample *sample, const struct sim_request *request, u64 last_ns)
{
	assert_int_equal(request->offset_bytes % 4096, 0);
	assert_int_equal(request->size_bytes % 4096, 0);
	assert_true(request->size_bytes && request->size_bytes <= 1 << 20);
	if (request->offset_bytes < sample->first)
		sample->first = request->offset_bytes;
	if (request->offset_bytes + request->size_bytes > sample->end)
		sample->end = request->offset_bytes + request->size_bytes;
	sample->count[request->op]++;
	sample->bytes[request->op] += request->size_bytes;
	if (sample->requests)
		sample->gaps_ns[sample->requests - 1] = request->arrival_ns - last_ns;
	sample->requests++;
}

/* SAMPLES distances at most; the first request comes at 0. */
static struct sample *draw(const char *line)
{
	struct sample *sample = calloc(1, sizeof(*sample));
	struct load *load = create(line);
	struct sim_request request = { 0 };
	u64 last_ns = 0;

	sample->first = ~0ULL;
	while (sample->requests <= SAMPLES && load_next(load, 0, &request)) {
		take(sample, &request, last_ns);
		last_ns = request.arrival_ns;
	}
	load_destroy(load);
	qsort(sample->gaps_ns, sample->requests - 1, sizeof(sample->gaps_ns[0]), compare);
	return sample;
}

static double mean_kib(const struct sample *sample, int op)
{
	return (double)sample->bytes[op] / (double)sample->count[op] / KIB;
}

static double mean_gap_ms(const struct sample *sample)
{
	double sum = 0;

	for (u64 i = 0; i + 1 < sample->requests; i++)
		sum += (double)sample->gaps_ns[i];
	return sum / (double)(sample->requests - 1) / NS_PER_MS;
}

static double median_gap_ms(const struct sample *sample)
{
	return (double)sample->gaps_ns[(sample->requests - 1) / 2] / NS_PER_MS;
}

static void assert_near(const char *name, const char *what, double got, double expected,
			double tolerance)
{
	if (fabs(got / expected - 1) > tolerance)
		fail_msg("%s: %s is %g, expected %g within %g %%", name, what, got, expected,
			 tolerance * 100);
}

static void every_load_gives_the_numbers_of_the_paper(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(expected_loads); i++) {
		const struct expected_load *want = &expected_loads[i];
		struct sample *got = draw(want->name);
		const double share = want->reads / (want->reads + want->writes);

		assert_true(fabs((double)got->count[SIM_OP_READ] / (double)got->requests - share) <
			    MIX_TOLERANCE);
		assert_near(want->name, "read size", mean_kib(got, SIM_OP_READ), want->read_kib,
			    SIZE_TOLERANCE);
		assert_near(want->name, "write size", mean_kib(got, SIM_OP_WRITE), want->write_kib,
			    SIZE_TOLERANCE);
		assert_near(want->name, "mean distance", mean_gap_ms(got), want->mean_ms,
			    MEAN_TOLERANCE);
		assert_near(want->name, "median distance", median_gap_ms(got), want->median_ms,
			    MEDIAN_TOLERANCE);
		free(got);
	}
}

/*
 * The job itself has the numbers without any tolerance; only the hours of the table are rounded
 * differently from its counts and times.
 */
static void every_job_says_the_numbers_of_the_paper(void **state)
{
	size_t rows = 0;

	(void)state;
	while (load_named_row(rows))
		rows++;
	assert_int_equal(rows, SIM_ARRAY_SIZE(expected_loads));
	for (size_t i = 0; i < rows; i++) {
		const struct expected_load *want = &expected_loads[i];
		const double requests = (want->writes + want->reads) * 1e6;
		struct sim_error error;
		struct load_job job;

		assert_int_equal(load_job_parse(&job, want->name, &error), 0);
		assert_int_equal(job.number_ios, (u64)(requests + 0.5));
		assert_true(fabs((double)job.read_ppm - want->reads / requests * 1e12) < 1);
		assert_int_equal(job.sizes.bytes[SIM_OP_READ], (u64)(want->read_kib * KIB));
		assert_int_equal(job.sizes.bytes[SIM_OP_WRITE], (u64)(want->write_kib * KIB));
		assert_int_equal(job.arrivals.mean_ns, (u64)(want->mean_ms * 1e6 + 0.5));
		assert_int_equal(job.arrivals.median_ns, (u64)(want->median_ms * 1e6 + 0.5));
		assert_true(atof(load_named_row(i)->hours) == want->hours);
		assert_near(want->name, "length in hours", requests * want->mean_ms / 3.6e6,
			    want->hours, 0.06);
	}
}

static void a_fraction_of_a_load_ends_after_its_requests(void **state)
{
	struct sample *got = draw("synthetic-RAD-AS fraction=1%");

	(void)state;
	assert_int_equal(got->requests, 22000);
	free(got);
	got = draw("synthetic-RAD-AS fraction=1% number_ios=1000");
	assert_int_equal(got->requests, 10);
	free(got);
}

static void intensity_divides_the_distances(void **state)
{
	static const char *const jobs[][2] = {
		{ "synthetic-DTRS fraction=0.1%", "synthetic-DTRS fraction=0.1% intensity=4" },
		{ "randread rate_iops=100 number_ios=1000",
		  "randread rate_iops=100 number_ios=1000 intensity=4" },
		{ "randread rate_iops=100 arrival=poisson number_ios=1000",
		  "randread rate_iops=100 arrival=poisson number_ios=1000 intensity=4" },
	};

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(jobs); i++) {
		struct sample *slow = draw(jobs[i][0]), *fast = draw(jobs[i][1]);

		assert_int_equal(slow->requests, fast->requests);
		assert_near(jobs[i][1], "mean distance", mean_gap_ms(fast), mean_gap_ms(slow) / 4,
			    1e-6);
		assert_near(jobs[i][1], "median distance", median_gap_ms(fast),
			    median_gap_ms(slow) / 4, 1e-5);
		free(slow);
		free(fast);
	}
}

static void later_keys_override_the_row(void **state)
{
	struct sim_error error;
	struct load_job job;
	struct sample *got;

	(void)state;
	assert_int_equal(load_job_parse(&job,
					"synthetic-RAD-AS seed=7 size=10% rwmixread=50 bs=8k "
					"random_distribution=random runtime=5s rate_iops=10 "
					"arrival=fixed",
					&error),
			 0);
	assert_int_equal(job.seed, 7);
	assert_int_equal(job.size.part_ppm, 100000);
	assert_int_equal(job.read_ppm, 500000);
	assert_int_equal(job.sizes.bytes[SIM_OP_WRITE], 8192);
	assert_false(job.sizes.is_geometric);
	assert_int_equal(job.distribution.pattern, LOAD_PATTERN_UNIFORM);
	assert_int_equal(job.runtime_ns, 5 * NS_PER_S);
	assert_int_equal(job.arrivals.kind, LOAD_ARRIVAL_FIXED);
	got = draw("synthetic-LM-TBE runtime=2s");
	assert_true(got->requests > 700 && got->requests < 1500);
	free(got);
}

static void large_requests_stay_in_their_part(void **state)
{
	struct sample *got = draw("randrw bs=geometric:128k size=2m offset=4m number_ios=20000");

	(void)state;
	assert_int_equal(got->first, 4 << 20);
	assert_int_equal(got->end, 6 << 20);
	free(got);
}

/* n units or more: q^(n - 1) with q = 1 - 1 / mean; and the cut costs what it is said to cost. */
static void sizes_are_geometric(void **state)
{
	static const u64 means[] = { 4096, 7372, 16384, GEOMETRIC_MEAN_MAX_BYTES };

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(means); i++) {
		const double q = 1 - 4096.0 / (double)means[i];
		struct geometric geometric;
		double mean = 1;

		geometric_init(&geometric, means[i]);
		for (int n = 0; n < GEOMETRIC_UNITS_MAX - 1; n++) {
			const double more = (double)geometric.more[n] / 0x1p64;

			assert_true(fabs(more - pow(q, n + 1)) < 1e-12);
			mean += more;
		}
		assert_near("geometric", "mean", mean * 4096, (double)means[i], 0.0003);
	}
}

/* Mean over the cells of the table, each at its middle. */
static double exact_mean(const struct lognormal *lognormal)
{
	const double spread = (double)lognormal->spread / 0x1p32 * M_LN2;
	double sum = 0;

	for (int i = 0; i < LOGNORMAL_CELLS; i++) {
		const double begin = (double)lognormal->cells[i] / 0x1p64;
		const double end = i + 1 < LOGNORMAL_CELLS ?
					   (double)lognormal->cells[i + 1] / 0x1p64 : 1;
		const double z = (i + 0.5) / (1 << LOGNORMAL_CELL_BITS) - LOGNORMAL_Z_MAX;

		sum += (end - begin) * exp(spread * z);
	}
	return sum * (double)lognormal->median;
}

static void lognormal_has_mean_and_median_exactly(void **state)
{
	static const double ratios[] = { 1, 1.01, 1.8, 2.4, 4.5, 31.1, 47, 64 };
	const double median = 1e6;

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(ratios); i++) {
		static struct lognormal lognormal;

		lognormal_init(&lognormal, (u64)(median * ratios[i]), (u64)median);
		assert_near("lognormal", "mean", exact_mean(&lognormal), median * ratios[i], 1e-6);
		assert_near("lognormal", "weight below the median",
			    (double)lognormal.cells[LOGNORMAL_CELLS / 2] / 0x1p64, 0.5, 1e-9);
	}
}

/* The shape: logarithms have the deviation that the spread says, and 68.3 % lie within it. */
static void lognormal_is_lognormal(void **state)
{
	static struct lognormal lognormal;
	struct sim_random random;
	double sum = 0, squares = 0, sigma, deviation;
	int within = 0;

	(void)state;
	lognormal_init(&lognormal, 3000000, 1000000);
	sigma = (double)lognormal.spread / 0x1p32 * M_LN2;
	assert_near("lognormal", "sigma", sigma, sqrt(2 * log(3)), 0.003);
	sim_random_init(&random, 1);
	for (int i = 0; i < SAMPLES; i++) {
		const double value = log((double)lognormal_draw(&lognormal, &random) / 1e6);

		sum += value;
		squares += value * value;
		within += fabs(value) < sigma;
	}
	deviation = sqrt(squares / SAMPLES);
	assert_true(fabs(sum / SAMPLES) < 3 * sigma / sqrt(SAMPLES));
	assert_near("lognormal", "deviation", deviation, sigma, 0.004);
	assert_true(fabs(within / (double)SAMPLES - 0.6827) < 0.003);
}

/* Results that were published with a name and a seed must come again. */
static void the_same_name_gives_the_same_requests(void **state)
{
	struct load *load = create("synthetic-RAD-BE number_ios=10000");
	struct sim_request request;
	u64 hash = 0;

	(void)state;
	while (load_next(load, 0, &request))
		hash = (hash ^ request.offset_bytes >> 12 ^ request.size_bytes << 8 ^
			request.arrival_ns << 20 ^ request.op) *
		       0x100000001b3ULL;
	load_destroy(load);
	if (hash != 0xbf11de7fe43a195eULL)
		fail_msg("the hash is 0x%llx", hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_gives_the_numbers_of_the_paper),
		cmocka_unit_test(every_job_says_the_numbers_of_the_paper),
		cmocka_unit_test(a_fraction_of_a_load_ends_after_its_requests),
		cmocka_unit_test(intensity_divides_the_distances),
		cmocka_unit_test(later_keys_override_the_row),
		cmocka_unit_test(large_requests_stay_in_their_part),
		cmocka_unit_test(sizes_are_geometric),
		cmocka_unit_test(lognormal_has_mean_and_median_exactly),
		cmocka_unit_test(lognormal_is_lognormal),
		cmocka_unit_test(the_same_name_gives_the_same_requests),
	};

	return cmocka_run_group_tests_name("load_named", tests, NULL, NULL);
}
