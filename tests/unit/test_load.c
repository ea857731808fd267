// SPDX-License-Identifier: GPL-2.0
/*
 * The load generator: parsing of jobs, where requests go, when they come, and that it all repeats.
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

#include "../../tools/sim/random/fixlog.h"
#include "../../tools/sim/load/load.h"
#include "../../tools/sim/load/job.h"
#include "../../tools/sim/random/zipf.h"

#define MIB (1ULL << 20)
#define DRIVE_BYTES (64 * MIB)
#define BLOCK_BYTES 4096ULL
#define DRAWS 200000

static struct load *create(const char *line)
{
	struct sim_error error = { "" };
	struct load *load = load_create(line, DRIVE_BYTES, &error);

	if (!load)
		fail_msg("'%s': %s", line, error.text);
	return load;
}

static void assert_refused(const char *line, const char *expected)
{
	struct sim_error error = { "" };

	assert_null(load_create(line, DRIVE_BYTES, &error));
	if (!strstr(error.text, expected))
		fail_msg("'%s': '%s' does not say '%s'", line, error.text, expected);
}

static void takes_every_key(void **state)
{
	struct load_job job;
	struct sim_error error;

	(void)state;
	assert_int_equal(load_job_parse(&job,
					"randrw rwmixread=70 bs=4k,64K iodepth=32 runtime=1.5m "
					"number_ios=99 size=50% offset=1MiB seed=7 thinktime_us=5 "
					"random_distribution=zipf:1.1",
					&error),
			 0);
	assert_string_equal(job.kind->name, "randrw");
	assert_int_equal(job.read_ppm, 700000);
	assert_int_equal(job.sizes.bytes[SIM_OP_READ], 4096);
	assert_int_equal(job.sizes.bytes[SIM_OP_WRITE], 65536);
	assert_int_equal(job.sizes.bytes[SIM_OP_DISCARD], 65536);
	assert_int_equal(job.iodepth, 32);
	assert_int_equal(job.runtime_ns, 90 * NS_PER_S);
	assert_int_equal(job.number_ios, 99);
	assert_true(job.size.is_part);
	assert_int_equal(job.size.part_ppm, 500000);
	assert_int_equal(job.offset.bytes, MIB);
	assert_int_equal(job.seed, 7);
	assert_int_equal(job.thinktime_us, 5);
	assert_int_equal(job.distribution.theta_ppm, 1100000);
	assert_int_equal(
		load_job_parse(&job, " rw=write\trate_iops=5 arrival=burst burst=3 ", &error), 0);
	assert_string_equal(job.kind->name, "write");
	assert_int_equal(job.arrivals.kind, LOAD_ARRIVAL_BURST);
	assert_int_equal(job.burst, 3);
	assert_int_equal(load_job_parse(&job,
					"randrw rwmixread=9.0909 bs=geometric:4k,9.5k fraction=10% "
					"number_ios=50 arrival=lognormal:24.9ms/800us intensity=2.5",
					&error),
			 0);
	assert_int_equal(job.read_ppm, 90909);
	assert_true(job.sizes.is_geometric);
	assert_int_equal(job.sizes.bytes[SIM_OP_READ], 4096);
	assert_int_equal(job.sizes.bytes[SIM_OP_WRITE], 9728);
	assert_int_equal(job.fraction_ppm, 100000);
	assert_int_equal(job.arrivals.kind, LOAD_ARRIVAL_LOGNORMAL);
	assert_int_equal(job.arrivals.mean_ns, 24900 * NS_PER_US);
	assert_int_equal(job.arrivals.median_ns, 800 * NS_PER_US);
	assert_int_equal(job.intensity_ppm, 2500000);
}

static const struct bad_job {
	const char *line;
	const char *expected;
} bad_jobs[] = {
	{ "", "load: the first word is '', expected one of read, write, rw, randread" },
	{ "randomread", "load: the first word is 'randomread'" },
	{ "read bsize=4k", "load: 'bsize' is not a key, expected one of rwmixread, bs, iodepth" },
	{ "read bs", "load: bs is '', expected 512 to 1g" },
	{ "read bs=4x", "load: bs is '4x'" },
	{ "read bs=100", "load: bs is '100'" },
	{ "read bs=2g", "load: bs is '2g'" },
	{ "read bs=4k,4k,4k,4k", "load: bs is '4k,4k,4k,4k'" },
	{ "randread bs=geometric:", "load: bs is 'geometric:'" },
	{ "randread bs=geometric:3k", "load: bs is 'geometric:3k'" },
	{ "randread bs=geometric:129k", "a list of means from 4k to 128k" },
	{ "randread bs=geometric:8k size=1020k",
	  "load: bs is up to 1048576 bytes, but size leaves only 1044480" },
	{ "randread bs=geometric:8k offset=512 size=2m", "expected a multiple of 4096" },
	{ "read bs=geometric:8k", "load: bs is geometric, but read is sequential" },
	{ "read iodepth=0", "load: iodepth is '0', expected a whole number from 1 to 65536" },
	{ "read iodepth=-1", "load: iodepth is '-1'" },
	{ "read iodepth=1 iodepth=2", "load: iodepth is given twice" },
	{ "rw rwmixread=101", "load: rwmixread is '101', expected 0 to 100" },
	{ "read runtime=10x", "load: runtime is '10x', expected a time" },
	{ "read every=2s", "load: every is 2000 ms, expected no less than runtime, which is 0 ms" },
	{ "read rate_iops=10 rest_iops=5", "load: rest_iops is given, but not rate_iops and every" },
	{ "read arrival=lognormal:5ms/2ms runtime=1s every=2s rest_iops=5",
	  "load: rest_iops is given, but not rate_iops and every" },
	{ "read runtime=3s every=2s", "no less than runtime, which is 3000 ms and has to be given" },
	{ "read size=101%", "load: size is '101%'" },
	{ "read size=65m", "pass the end of the drive" },
	{ "read size=1k bs=4k", "load: bs is 4096 bytes, but size leaves only 1024" },
	{ "read offset=64m", "load: bs is 4096 bytes, but size leaves only 0" },
	{ "read offset=65m", "pass the end of the drive" },
	{ "read offset=100", "expected multiples of 512" },
	{ "read random_distribution=zipf:1.1",
	  "random_distribution is given, but read is sequential" },
	{ "randread random_distribution=zipf:0", "load: random_distribution is 'zipf:0'" },
	{ "randread random_distribution=zipf:5.1", "expected random, once, zipf:0.01 to zipf:5" },
	{ "randread random_distribution=hot:80", "load: random_distribution is 'hot:80'" },
	{ "randread random_distribution=hot:100/20", "load: random_distribution is" },
	{ "randread random_distribution=hot:80/20 size=8k", "leaves no hot block among 2" },
	{ "randread fraction=0% number_ios=5", "load: fraction is '0%', expected more than 0%" },
	{ "randread fraction=101% number_ios=5", "load: fraction is '101%'" },
	{ "randread fraction=10%", "load: fraction is given, but number_ios is not" },
	{ "randread fraction=10% number_ios=5", "load: fraction leaves nothing of 5 requests" },
	{ "randread arrival=lognormal", "load: arrival is 'lognormal'" },
	{ "randread arrival=lognormal:5ms", "load: arrival is 'lognormal:5ms'" },
	{ "randread arrival=lognormal:5ms/0", "load: arrival is 'lognormal:5ms/0'" },
	{ "randread arrival=lognormal:5ms/6ms", "load: arrival is 'lognormal:5ms/6ms'" },
	{ "randread arrival=lognormal:65ms/1ms", "a mean of at most 10s and 64 medians" },
	{ "randread arrival=lognormal:11s/5s", "load: arrival is 'lognormal:11s/5s'" },
	{ "randread rate_iops=5 arrival=poisson:5ms/1ms", "load: arrival is 'poisson:5ms/1ms'" },
	{ "randread arrival=lognormal:5ms/1ms rate_iops=10",
	  "load: rate_iops is given, but arrival=lognormal has a mean already" },
	{ "randread arrival=lognormal:5ms/1ms thinktime_us=5",
	  "arrival=lognormal makes this an open loop" },
	{ "randread intensity=2", "load: intensity is given, but this is a closed loop" },
	{ "randread rate_iops=5 intensity=0.09", "load: intensity is '0.09', expected 0.1 to 1000" },
	{ "synthetic-RAD", "load: 'synthetic-RAD' is not a named load, expected one of "
			   "synthetic-DAP-DS, synthetic-DAP-PS" },
	{ "RAD-AS", "load: the first word is 'RAD-AS'" },
	{ "synthetic-RAD-AS seed=1 seed=2", "load: seed is given twice" },
	{ "synthetic-RAD-AS speed=2", "load: 'speed' is not a key" },
	{ "randread arrival=poisson", "arrival is given, but rate_iops is not" },
	{ "randread rate_iops=10 thinktime_us=5", "rate_iops makes this an open loop" },
	{ "randread rate_iops=10 arrival=uniform", "expected fixed, poisson, burst or lognormal" },
};

static void refuses_bad_jobs_in_one_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(bad_jobs); i++)
		assert_refused(bad_jobs[i].line, bad_jobs[i].expected);
}

static void help_names_every_key_with_its_default(void **state)
{
	char help[16384];
	FILE *file = fmemopen(help, sizeof(help), "w");

	(void)state;
	load_print_help(file);
	fclose(file);
	assert_non_null(strstr(help, "randtrim"));
	assert_non_null(strstr(help, "(a whole number from 1 to 65536; default 1)"));
	assert_non_null(strstr(help, "random_distribution"));
	assert_non_null(strstr(help, "thinktime_us"));
	assert_non_null(strstr(help, "synthetic-RAD-BE"));
}

static void requests_of_a_closed_loop_are_known_before(void **state)
{
	struct load *load = create("randrw rwmixread=50 bs=4k iodepth=4 number_ios=100");
	struct sim_request request, seen[LOAD_AHEAD];
	u32 i, k;

	(void)state;
	load_next(load, 0, &request);
	for (i = 1; i < 100; i += LOAD_AHEAD) {
		for (k = 0; k < LOAD_AHEAD; k++)
			seen[k] = *load_peek(load, k);
		for (k = 0; k < LOAD_AHEAD && load_next(load, i, &request); k++) {
			assert_int_equal(request.op, seen[k].op);
			assert_int_equal(request.offset_bytes, seen[k].offset_bytes);
			assert_int_equal(request.arrival_ns, i);
		}
	}
	assert_false(load_next(load, i, &request));
	load_destroy(load);
	load = create("randread rate_iops=100 number_ios=3");
	assert_null(load_peek(load, 0));
	load_destroy(load);
}

static void sequential_goes_once_over_size_and_starts_again(void **state)
{
	struct load *load = create("write bs=16k size=1m offset=8m");
	struct sim_request request;
	u64 count = 0;

	(void)state;
	for (; load_next(load, 5, &request); count++) {
		assert_int_equal(request.offset_bytes, 8 * MIB + 16384 * count);
		assert_int_equal(request.size_bytes, 16384);
		assert_int_equal(request.op, SIM_OP_WRITE);
		assert_int_equal(request.arrival_ns, 5);
	}
	assert_int_equal(count, 64);
	assert_false(load_next(load, 6, &request));
	load_destroy(load);
	load = create("read bs=16k size=32k number_ios=3");
	load_next(load, 0, &request);
	load_next(load, 0, &request);
	assert_int_equal(request.offset_bytes, 16384);
	assert_true(load_next(load, 0, &request));
	assert_int_equal(request.offset_bytes, 0);
	load_destroy(load);
}

static void mixed_sequential_has_a_position_for_each_operation(void **state)
{
	struct load *load = create("rw bs=4k,8k number_ios=1000 rwmixread=30");
	u64 next[NR_SIM_OPS] = { 0 };
	struct sim_request request;

	(void)state;
	while (load_next(load, 0, &request)) {
		assert_int_equal(request.offset_bytes, next[request.op]);
		assert_int_equal(request.size_bytes, request.op == SIM_OP_READ ? 4096 : 8192);
		next[request.op] += request.size_bytes;
	}
	assert_true(next[SIM_OP_READ] > 0 && next[SIM_OP_WRITE] > 0);
	load_destroy(load);
}

static void random_stays_in_its_part_and_reaches_both_ends(void **state)
{
	struct load *load = create("randread bs=4k size=10% offset=50% number_ios=200000");
	const u64 first = DRIVE_BYTES / 2, end = first + DRIVE_BYTES / 10 / 4096 * 4096;
	struct sim_request request;
	u64 lowest = ~0ULL, highest = 0;

	(void)state;
	while (load_next(load, 0, &request)) {
		assert_int_equal((request.offset_bytes - first) % BLOCK_BYTES, 0);
		if (request.offset_bytes < lowest)
			lowest = request.offset_bytes;
		if (request.offset_bytes + BLOCK_BYTES > highest)
			highest = request.offset_bytes + BLOCK_BYTES;
	}
	assert_int_equal(lowest, first);
	assert_int_equal(highest, end);
	load_destroy(load);
}

/* Pearson's chi square over 256 cells: mean 255, standard deviation 22.6. */
static void random_is_uniform(void **state)
{
	struct load *load = create("randread size=1m number_ios=200000");
	u32 hits[256] = { 0 };
	const double expected = DRAWS / 256.0;
	struct sim_request request;
	double chi_square = 0;

	(void)state;
	while (load_next(load, 0, &request))
		hits[request.offset_bytes / BLOCK_BYTES]++;
	for (int i = 0; i < 256; i++)
		chi_square += (hits[i] - expected) * (hits[i] - expected) / expected;
	assert_true(chi_square > 255 - 5 * 22.6 && chi_square < 255 + 5 * 22.6);
	load_destroy(load);
}

static void mix_is_as_asked(void **state)
{
	static const int percents[] = { 0, 1, 50, 70, 99, 100 };

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(percents); i++) {
		char line[64];
		struct load *load;
		struct sim_request request;
		int reads = 0;

		snprintf(line, sizeof(line), "randrw number_ios=200000 rwmixread=%d", percents[i]);
		load = create(line);
		while (load_next(load, 0, &request))
			reads += request.op == SIM_OP_READ;
		if (percents[i] % 100 == 0)
			assert_int_equal(reads, percents[i] ? DRAWS : 0);
		assert_true(labs(reads - DRAWS / 100 * percents[i]) < DRAWS / 200);
		load_destroy(load);
	}
}

static void hot_part_gets_its_share(void **state)
{
	struct load *load = create("randwrite random_distribution=hot:80/20 number_ios=200000");
	struct sim_request request;
	int hot = 0;

	(void)state;
	while (load_next(load, 0, &request))
		hot += request.offset_bytes < DRIVE_BYTES / 5 / 4096 * 4096;
	assert_true(labs(hot - DRAWS / 10 * 8) < DRAWS / 200);
	load_destroy(load);
}

/* The share of rank k is k^-theta / sum; ranks 0 and 9 stand alone, the tail shares buckets. */
static void zipf_ranks_have_their_shares(void **state)
{
	static const double thetas[] = { 0.5, 0.99, 1.1, 2.0 };
	const u64 count = 100000;

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(thetas); i++) {
		struct zipf zipf;
		struct sim_random random;
		double sum = 0, tail = 0;
		u64 first = 0, tenth = 0, behind = 0;

		for (u64 k = 1; k <= count; k++)
			sum += pow(k, -thetas[i]);
		for (u64 k = count / 2 + 1; k <= count; k++)
			tail += pow(k, -thetas[i]);
		sim_random_init(&random, 1);
		assert_int_equal(zipf_init(&zipf, count, (u64)(thetas[i] * 1e6 + 0.5)), 0);
		for (int draw = 0; draw < 5 * DRAWS; draw++) {
			const u64 rank = zipf_rank(&zipf, &random);

			assert_true(rank < count);
			first += rank == 0;
			tenth += rank == 9;
			behind += rank >= count / 2;
		}
		assert_true(fabs(first / (5.0 * DRAWS) - 1 / sum) < 0.003);
		assert_true(fabs(tenth / (5.0 * DRAWS) - pow(10, -thetas[i]) / sum) < 0.002);
		assert_true(fabs(behind / (5.0 * DRAWS) - tail / sum) < 0.003);
		zipf_free(&zipf);
	}
}

/* In another order with another seed. */
static void once_has_each_block_in_turn(void **state)
{
	u64 first[2], place;
	struct sim_error error;

	(void)state;
	for (u32 seed = 0; seed < 2; seed++) {
		u8 seen[1000] = { 0 };
		char job[128];
		struct load *load;
		struct sim_request request;
		u64 neighbours = 0, last = 0;

		snprintf(job, sizeof(job), "randtrim bs=64k random_distribution=once seed=%u", seed + 1);
		load = load_create(job, 1000ULL << 16, &error);
		assert_non_null(load);
		for (u32 i = 0; i < 1000; i++) {
			assert_true(load_next(load, 0, &request));
			place = request.offset_bytes >> 16;
			assert_true(place < 1000);
			assert_int_equal(seen[place]++, 0);
			neighbours += place == last + 1;
			last = place;
			if (!i)
				first[seed] = place;
		}
		assert_true(neighbours < 10);
		load_destroy(load);
	}
	assert_int_not_equal(first[0], first[1]);
}

static void zipf_scatters_one_to_one(void **state)
{
	static const u64 counts[] = { 1, 2, 3, 5, 1000, 1024, 1025, 65536, 100003 };

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(counts); i++) {
		u8 *seen = calloc(counts[i], 1);
		struct zipf zipf;
		u64 neighbours = 0;

		assert_int_equal(zipf_init(&zipf, counts[i], 1000000), 0);
		for (u64 rank = 0; rank < counts[i]; rank++) {
			const u64 number = zipf_scatter(&zipf, rank);

			assert_true(number < counts[i]);
			assert_int_equal(seen[number], 0);
			seen[number] = 1;
			neighbours += rank && number == zipf_scatter(&zipf, rank - 1) + 1;
		}
		assert_true(counts[i] < 1000 || neighbours < counts[i] / 100);
		zipf_free(&zipf);
		free(seen);
	}
}

static void zipf_manages_huge_and_tiny_spaces(void **state)
{
	static const u64 counts[] = { 1, 2, 1ULL << 40, (1ULL << 54) - 1 };
	static const u64 thetas[] = { ZIPF_THETA_MIN_PPM, 1000000, ZIPF_THETA_MAX_PPM };

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(counts) * SIM_ARRAY_SIZE(thetas); i++) {
		const u64 count = counts[i % SIM_ARRAY_SIZE(counts)];
		struct sim_random random;
		struct zipf zipf;

		sim_random_init(&random, 3);
		assert_int_equal(zipf_init(&zipf, count, thetas[i / SIM_ARRAY_SIZE(counts)]), 0);
		for (int draw = 0; draw < 1000; draw++)
			assert_true(zipf_scatter(&zipf, zipf_rank(&zipf, &random)) < count);
		zipf_free(&zipf);
	}
}

static void logarithm_and_power_are_exact_enough(void **state)
{
	(void)state;
	assert_int_equal(fixlog_log2(1), 0);
	assert_int_equal(fixlog_log2(1ULL << 63), 63 * LOG2_ONE);
	for (u64 value = 1; value < 1ULL << 60; value = value * 3 + 1)
		assert_true(fabs(fixlog_log2(value) / (double)LOG2_ONE - log2(value)) < 1e-9);
	assert_int_equal(fixlog_exp2_neg(0), EXP2_ONE);
	assert_int_equal(fixlog_exp2_neg(3 * LOG2_ONE), EXP2_ONE / 8);
	for (double x = 0.01; x < 30; x *= 1.3) {
		const double power = fixlog_exp2_neg((u64)(x * LOG2_ONE)) / (double)EXP2_ONE;

		assert_true(fabs(power / exp2(-x) - 1) < 1e-7);
	}
	assert_int_equal(fixlog_exp2_neg(64 * LOG2_ONE), 0);
}

static void closed_loop_waits_and_ends_by_time(void **state)
{
	struct load *load = create("randread runtime=1ms thinktime_us=10 iodepth=8");
	struct sim_request request;

	(void)state;
	assert_false(load_is_open(load));
	assert_int_equal(load_iodepth(load), 8);
	assert_true(load_next(load, 5000, &request));
	assert_int_equal(request.arrival_ns, 15000);
	assert_true(load_next(load, 994999, &request));
	assert_int_equal(load_progress_ppm(load, 505000), 500000);
	assert_false(load_next(load, 995000, &request));
	assert_false(load_next(load, 996000, &request));
	load_destroy(load);
}

static void closed_loop_comes_and_goes(void **state)
{
	struct load *load = create("randread start=5s runtime=1s every=3s iodepth=2");
	static const struct {
		u64 asked_s, comes_s;
	} cases[] = {
		{ 0, 5 }, { 5, 5 }, { 6, 8 }, { 7, 8 }, { 8, 8 }, { 3000001, 3000002 },
	};
	struct sim_request request;

	(void)state;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
		assert_true(load_next(load, cases[i].asked_s * NS_PER_S, &request));
		assert_int_equal(request.arrival_ns, cases[i].comes_s * NS_PER_S);
	}
	load_destroy(load);
}

static void open_loop_comes_and_goes(void **state)
{
	struct load *load = create("randread rate_iops=10 runtime=1s every=4s");
	struct sim_request request;

	(void)state;
	for (u64 i = 0; i < 100; i++) {
		assert_true(load_next(load, 0, &request));
		assert_int_equal(request.arrival_ns,
				 i / 10 * 4 * NS_PER_S + i % 10 * (NS_PER_S / 10));
	}
	load_destroy(load);
}

/* Ten in the first of four seconds, then six in three. */
static void open_loop_rests(void **state)
{
	struct load *load = create("randread rate_iops=10 runtime=1s every=4s rest_iops=2");
	struct sim_request request;

	(void)state;
	for (u64 i = 0; i < 160; i++) {
		const u64 in_round = i % 16, begin_ns = i / 16 * 4 * NS_PER_S;

		assert_true(load_next(load, 0, &request));
		assert_int_equal(request.arrival_ns,
				 begin_ns + (in_round < 10 ? in_round * (NS_PER_S / 10) :
					     NS_PER_S + (in_round - 10) * (NS_PER_S / 2)));
	}
	load_destroy(load);
}

/* 3 requests per second do not divide a second into whole nanoseconds, yet nothing may drift. */
static void fixed_arrivals_do_not_drift(void **state)
{
	struct load *load = create("randread rate_iops=3 number_ios=30001");
	struct sim_request request = { 0 };

	(void)state;
	assert_true(load_is_open(load));
	assert_true(load_next(load, 77, &request));
	assert_int_equal(request.arrival_ns, 77);
	assert_true(load_next(load, 77, &request));
	assert_int_equal(request.arrival_ns, 77 + 333333333);
	while (load_next(load, 77, &request))
		;
	assert_true(labs((long)(request.arrival_ns - (77 + 10000 * NS_PER_S + NS_PER_S / 3))) <
		    1000);
	load_destroy(load);
}

/* Exponential distances: mean as asked, standard deviation equal to the mean, e^-1 of them longer.
 */
static void poisson_arrivals_are_exponential(void **state)
{
	struct load *load = create("randread rate_iops=20000 arrival=poisson number_ios=200000");
	struct sim_request request;
	double sum = 0, squares = 0, last = 0;
	int longer = 0;

	(void)state;
	load_next(load, 0, &request);
	while (load_next(load, 0, &request)) {
		const double gap = (double)request.arrival_ns - last;

		sum += gap;
		squares += gap * gap;
		longer += gap > 50000;
		last = (double)request.arrival_ns;
	}
	assert_true(fabs(sum / DRAWS - 50000) < 500);
	assert_true(fabs(sqrt(squares / DRAWS - sum / DRAWS * sum / DRAWS) - 50000) < 1000);
	assert_true(fabs(longer / (double)DRAWS - exp(-1)) < 0.005);
	load_destroy(load);
}

static void bursts_come_at_once_and_keep_the_rate(void **state)
{
	struct load *load =
		create("randread rate_iops=20000 arrival=burst burst=10 number_ios=200000");
	struct sim_request request = { 0 };
	u64 bursts = 0, last = ~0ULL, count = 0;

	(void)state;
	for (; load_next(load, 0, &request); count++) {
		bursts += request.arrival_ns != last;
		assert_int_equal(bursts, count / 10 + 1);
		last = request.arrival_ns;
	}
	assert_true(fabs(last / (double)count - 50000) < 1500);
	load_destroy(load);
}

static void open_loop_ends_by_time(void **state)
{
	struct load *load = create("randread rate_iops=1000 runtime=1s");
	struct sim_request request;
	int count = 0;

	(void)state;
	while (load_next(load, 0, &request))
		count++;
	assert_int_equal(count, 1000);
	load_destroy(load);
}

static u64 hash_of(const char *line)
{
	struct load *load = create(line);
	struct sim_request request;
	u64 hash = 0;

	while (load_next(load, 0, &request))
		hash = (hash ^ request.offset_bytes >> 12 ^ request.arrival_ns << 20 ^ request.op) *
		       0x100000001b3ULL;
	load_destroy(load);
	return hash;
}

/* The numbers are part of the contract: results that were published with a seed must come again. */
static void the_same_seed_gives_the_same_requests(void **state)
{
	static const struct {
		const char *line;
		u64 hash;
	} golden[] = {
		{ "randrw number_ios=10000", 0xa52185897840354bULL },
		{ "randread number_ios=10000 random_distribution=zipf:0.99",
		  0x305935cd834ab63cULL },
		{ "randread number_ios=10000 rate_iops=1000 arrival=poisson",
		  0xc8db43fc0461d85bULL },
	};

	(void)state;
	assert_true(hash_of("randread number_ios=100 seed=2") !=
		    hash_of("randread number_ios=100 seed=3"));
	for (size_t i = 0; i < SIM_ARRAY_SIZE(golden); i++)
		if (hash_of(golden[i].line) != golden[i].hash)
			fail_msg("'%s' gives 0x%llx, expected 0x%llx", golden[i].line,
				 hash_of(golden[i].line), golden[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_every_key),
		cmocka_unit_test(refuses_bad_jobs_in_one_sentence),
		cmocka_unit_test(help_names_every_key_with_its_default),
		cmocka_unit_test(requests_of_a_closed_loop_are_known_before),
		cmocka_unit_test(sequential_goes_once_over_size_and_starts_again),
		cmocka_unit_test(mixed_sequential_has_a_position_for_each_operation),
		cmocka_unit_test(random_stays_in_its_part_and_reaches_both_ends),
		cmocka_unit_test(random_is_uniform),
		cmocka_unit_test(mix_is_as_asked),
		cmocka_unit_test(hot_part_gets_its_share),
		cmocka_unit_test(zipf_ranks_have_their_shares),
		cmocka_unit_test(zipf_scatters_one_to_one),
		cmocka_unit_test(once_has_each_block_in_turn),
		cmocka_unit_test(once_has_each_block_in_turn),
		cmocka_unit_test(zipf_manages_huge_and_tiny_spaces),
		cmocka_unit_test(logarithm_and_power_are_exact_enough),
		cmocka_unit_test(closed_loop_waits_and_ends_by_time),
		cmocka_unit_test(closed_loop_comes_and_goes),
		cmocka_unit_test(open_loop_comes_and_goes),
		cmocka_unit_test(open_loop_rests),
		cmocka_unit_test(fixed_arrivals_do_not_drift),
		cmocka_unit_test(poisson_arrivals_are_exponential),
		cmocka_unit_test(bursts_come_at_once_and_keep_the_rate),
		cmocka_unit_test(open_loop_ends_by_time),
		cmocka_unit_test(the_same_seed_gives_the_same_requests),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
