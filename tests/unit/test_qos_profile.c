// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles: the text, and what requests cost by it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/qos/profile.h"
#include "../../tools/sim/platform/env.h"

/* 4 KiB reads cost 100 us at depth 32 in a window of a second, and so on. */
#define TEXT								\
	"# made by hand\n"						\
	"ssdqos-profile 1\n"						\
	"meta model TEST cost read rand\n"				\
	"window_ms 100 1000 3000\n"					\
	"cost read rand 4096 1 900 200000 180000 170000\n"		\
	"cost read rand 4096 32 900 150000 90000 80000\n"		\
	"cost read rand 4096 32 990 - 100000 95000\n"			\
	"cost read rand 16384 32 990 - 160000 155000\n"			\
	"cost write rand 4096 32 900 900000 400000 300000\n"		\
	"cost write rand 4096 32 990 - - 500000 # blocked\n"		\
	"cost write seq 65536 32 990 70000 60000 50000\n"		\
	"mix 20 1100\n"							\
	"mix 60 1500\n"							\
	"fit additive read rand base_ns 10 per_kib_ns 20 residual_pct 3\n"

static char err[256];
static struct ssdqos_profile *profile;
static struct ssdqos_cost_key key;
static struct ssdqos_cost_table table;
static bool promised;

static int finish(void **state)
{
	ssdqos_profile_free(profile);
	profile = NULL;
	assert_int_equal(ssdqos_env_live, 0);
	return 0;
}

static void parse(const char *text)
{
	profile = ssdqos_profile_parse(text, err, sizeof(err));
	if (!profile)
		fail_msg("%s", err);
}

static void refuses(const char *text, const char *why)
{
	memset(err, 0, sizeof(err));
	assert_null(ssdqos_profile_parse(text, err, sizeof(err)));
	assert_string_equal(err, why);
	assert_int_equal(ssdqos_env_live, 0);
}

static void look(u64 window_ms, u64 confidence_permille, u64 depth, bool promise)
{
	key = (struct ssdqos_cost_key){
		.window_ms = window_ms,
		.confidence_permille = confidence_permille,
		.depth = depth,
	};
	/* without a profile there are only the costs that requests are charged */
	promised = promise && profile;
	ssdqos_profile_costs(profile, &key, &table);
}

static u32 cost(u32 op, u32 pattern, u32 bytes)
{
	if (promised)
		return ssdqos_profile_promise(profile, &key, op, pattern, bytes);
	return ssdqos_cost_lookup(&table, op, pattern, bytes);
}

static u32 read_cost(u32 bytes)
{
	return cost(SSDQOS_QOS_READ, SSDQOS_QOS_RAND, bytes);
}

static u32 write_cost(u32 bytes)
{
	return cost(SSDQOS_QOS_WRITE, SSDQOS_QOS_RAND, bytes);
}

/* ---- the text ---- */

static void reads_what_is_written(void **state)
{
	parse(TEXT);
	assert_int_equal(profile->nr_windows, 3);
	assert_int_equal(profile->window_ms[2], 3000);
	assert_int_equal(profile->nr_rows, 7);
	assert_int_equal(profile->rows[5].op, SSDQOS_QOS_WRITE);
	assert_int_equal(profile->rows[5].pattern, SSDQOS_QOS_RAND);
	assert_int_equal(profile->rows[5].bytes, 4096);
	assert_int_equal(profile->rows[5].depth, 32);
	assert_int_equal(profile->rows[5].confidence_permille, 990);
	assert_true(profile->rows[5].ns[1] == SSDQOS_COST_NONE);
	assert_int_equal(profile->rows[5].ns[2], 500000);
	assert_int_equal(profile->rows[6].pattern, SSDQOS_QOS_SEQ);
	assert_int_equal(profile->nr_mixes, 2);
	assert_int_equal(profile->mix[1].write_pct, 60);
	assert_int_equal(profile->mix[1].factor_permille, 1500);
}

/* As dmsetup message passes it on. */
static void needs_no_line_ends(void **state)
{
	parse("ssdqos-profile 1 window_ms 100 200 cost read rand 512 1 900 5 6 "
	      "cost write seq 512 1 900 7 - mix 50 1000 ");
	assert_int_equal(profile->nr_rows, 2);
	assert_int_equal(profile->rows[1].ns[0], 7);
	assert_int_equal(profile->nr_mixes, 1);
}

static void refuses_another_format(void **state)
{
	refuses("", "profile: it begins with '', not with ssdqos-profile");
	refuses("fio", "profile: it begins with 'fio', not with ssdqos-profile");
	refuses("ssdqos-profile 2", "profile version: '2' is not a number from 1 to 1");
	refuses("ssdqos-profile", "profile version: '' is not a number from 1 to 1");
}

#define HEAD "ssdqos-profile 1 window_ms 100 200 "

static void refuses_wrong_rows(void **state)
{
	refuses(HEAD "price read", "profile: 'price' is not one of window_ms, cost, mix, mixed, beside, beside_of, flush, discard, stop");
	refuses("ssdqos-profile 1 cost read rand 512 1 900 5",
		"profile: window_ms has to come before cost");
	refuses("ssdqos-profile 1 window_ms 100 100", "profile window_ms: '100' is not a number from 101 to 86400000");
	refuses(HEAD "window_ms 300", "profile: window_ms stands there twice");
	refuses(HEAD "cost erase rand 512 1 900 5 6", "op: 'erase' is not one of read, write");
	refuses(HEAD "cost read zipf 512 1 900 5 6", "pattern: 'zipf' is not one of rand, seq");
	refuses(HEAD "cost read rand 4000 1 900 5 6",
		"profile size in bytes: '4000' is not a power of two");
	refuses(HEAD "cost read rand 256 1 900 5 6",
		"profile size in bytes: '256' is not a number from 512 to 16777216");
	refuses(HEAD "cost read rand 512 0 900 5 6",
		"profile depth: '0' is not a number from 1 to 65535");
	refuses(HEAD "cost read rand 512 1 1001 5 6",
		"profile confidence in permille: '1001' is not a number from 1 to 1000");
	refuses(HEAD "cost read rand 512 1 900 5 0",
		"profile cost in ns: '0' is not a number from 1 to 4294967294");
	refuses(HEAD "cost read rand 512 1 900 5",
		"profile cost in ns: '' is not a number from 1 to 4294967294");
	refuses(HEAD "mix 50 1000 mix 50 1100",
		"profile mix in %: '50' is not a number from 51 to 100");
	refuses(HEAD "mix 50 0", "profile mix in permille: '0' is not a number from 1 to 100000");
}

/* What is charged at a window and a confidence. */
static u32 flush_cost(u64 window_ms, u64 confidence_permille)
{
	look(window_ms, confidence_permille, 32, false);
	return table.flush_ns;
}

static void flushes_cost_what_was_measured(void **state)
{
	parse(TEXT "flush 900 - 700000 600000\nflush 990 - - 900000\n");
	assert_int_equal(profile->nr_flushes, 2);
	assert_int_equal(flush_cost(1000, 900), 700000);
	assert_int_equal(flush_cost(3000, 900), 600000);
	/* nothing was seen in windows as short: what the next longer one says */
	assert_int_equal(flush_cost(100, 500), 700000);
	assert_int_equal(flush_cost(1000, 950), 900000);
	assert_int_equal(flush_cost(1000, 999), 900000);
}

static void flushes_are_not_free_where_they_were_not_measured(void **state)
{
	assert_int_equal(flush_cost(1000, 990), 1000000);
	parse(TEXT);
	assert_int_equal(flush_cost(1000, 990), 1000000);
	finish(state);
	parse(TEXT "flush 990 - - -\n");
	assert_int_equal(flush_cost(1000, 990), 1000000);
}

static void refuses_wrong_flushes(void **state)
{
	refuses("ssdqos-profile 1 flush 900 5", "profile: window_ms has to come before flush");
	refuses(HEAD "flush 0 5 6", "profile confidence in permille: '0' is not a number from 1 to 1000");
	refuses(HEAD "flush 900 5 6 flush 900 5 6",
		"profile confidence in permille: '900' is not a number from 901 to 1000");
	refuses(HEAD "flush 900 5", "profile cost in ns: '' is not a number from 1 to 4294967294");
	refuses(HEAD "flush 1 5 6 flush 2 5 6 flush 3 5 6 flush 4 5 6 flush 5 5 6 flush 6 5 6 "
		"flush 7 5 6 flush 8 5 6 flush 9 5 6", "profile: there are more than 8 flush rows");
}

/* ---- discards ---- */

#define DISCARDS TEXT "discard rand 65536 900000\ndiscard rand 1048576 1500000\n" \
	"discard seq 65536 400000\ndiscard seq 1048576 1000000\ndiscard seq 2097152 700000\n"

static u32 discard_cost(u32 pattern, u64 bytes)
{
	return ssdqos_profile_discard_ns(profile, pattern, bytes);
}

static void discards_cost_what_was_measured(void **state)
{
	parse(DISCARDS);
	assert_true(ssdqos_profile_has_discards(profile));
	assert_int_equal(profile->nr_discards[SSDQOS_QOS_RAND], 2);
	assert_int_equal(profile->nr_discards[SSDQOS_QOS_SEQ], 3);
	assert_int_equal(discard_cost(SSDQOS_QOS_RAND, 65536), 900000);
	assert_int_equal(discard_cost(SSDQOS_QOS_RAND, 1048576), 1500000);
	assert_int_equal(discard_cost(SSDQOS_QOS_SEQ, 2097152), 700000);
	/* a third of the way between two sizes, also where it gets cheaper */
	assert_int_equal(discard_cost(SSDQOS_QOS_RAND, 65536 + 983040 / 3), 1100000);
	assert_int_equal(discard_cost(SSDQOS_QOS_SEQ, 1048576 + 524288), 850000);
	/* nothing is cheaper than the smallest; large ones go by the largest */
	assert_int_equal(discard_cost(SSDQOS_QOS_SEQ, 512), 400000);
	assert_int_equal(discard_cost(SSDQOS_QOS_RAND, 33554432), 48000000);
	assert_int_equal(discard_cost(SSDQOS_QOS_SEQ, 3145728), 1050000);
	assert_int_equal(discard_cost(SSDQOS_QOS_RAND, ~0ULL), 4294967294u);
}

static void an_order_that_was_not_measured_takes_the_other(void **state)
{
	parse(TEXT "discard seq 65536 400000\n");
	assert_int_equal(discard_cost(SSDQOS_QOS_RAND, 65536), 400000);
	finish(state);
	parse(TEXT "discard rand 65536 900000\n");
	assert_int_equal(discard_cost(SSDQOS_QOS_SEQ, 131072), 1800000);
	assert_true(ssdqos_profile_has_discards(profile));
}

static void profiles_without_discards_are_as_before(void **state)
{
	assert_false(ssdqos_profile_has_discards(NULL));
	parse(TEXT);
	assert_false(ssdqos_profile_has_discards(profile));
}

static void refuses_wrong_discards(void **state)
{
	char text[1024] = HEAD;

	refuses(HEAD "discard zigzag 4096 5", "pattern: 'zigzag' is not one of rand, seq");
	refuses(HEAD "discard seq 256 5", "profile discard in bytes: '256' is not a number from 512 to 1073741824");
	refuses(HEAD "discard seq 2147483648 5",
		"profile discard in bytes: '2147483648' is not a number from 512 to 1073741824");
	refuses(HEAD "discard rand 8192 5 discard seq 4096 5 discard seq 4096 5",
		"profile discard in bytes: '4096' is not a number from 4097 to 1073741824");
	refuses(HEAD "discard seq 4096 0", "profile cost in ns: '0' is not a number from 1 to 4294967294");
	refuses(HEAD "discard seq 4096", "profile cost in ns: '' is not a number from 1 to 4294967294");
	for (u32 i = 0; i <= SSDQOS_PROFILE_MAX_DISCARDS; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "discard seq %u 5 ", 512 + i);
	refuses(text, "profile: there are more than 24 discard rows of one order");
}

static void knows_for_how_long_the_drive_stops(void **state)
{
	parse(TEXT "stop 2100 240000\n");
	assert_int_equal(profile->stop_ms, 2100);
	assert_int_equal(profile->stop_kib, 240000);
	finish(state);
	parse(TEXT);
	assert_int_equal(profile->stop_ms, 0);
	finish(state);
	refuses(HEAD "stop 0 5", "profile stop in ms: '0' is not a number from 1 to 86400000");
	refuses(HEAD "stop 5 0", "profile KiB before a stop: '0' is not a number from 1 to 1073741824");
	refuses(HEAD "stop 5", "profile KiB before a stop: '' is not a number from 1 to 1073741824");
	refuses(HEAD "stop 5 5 stop 5 5", "profile: stop stands there twice");
}

static void refuses_half_a_profile(void **state)
{
	refuses(HEAD "cost read rand 512 1 900 5 6", "profile: no cost of a write is there");
	refuses(HEAD "cost write seq 512 1 900 5 6", "profile: no cost of a read is there");
	refuses(HEAD, "profile: no cost of a read is there");
}

#define TEXT_OF(number) #number
#define NR(number) TEXT_OF(number)

static void repeat(char *text, size_t size, const char *format, u32 nr)
{
	size_t used = strlen(text);

	for (u32 i = 1; i <= nr; i++)
		used += (size_t)snprintf(text + used, size - used, format, i);
	assert_true(used < size);
}

static void refuses_more_than_it_has_room_for(void **state)
{
	static char text[256 * 1024];
	char why[128];

	strcpy(text, "ssdqos-profile 1 window_ms");
	repeat(text, sizeof(text), " %u", SSDQOS_PROFILE_MAX_WINDOWS + 1);
	refuses(text, "profile: window_ms has more than " NR(SSDQOS_PROFILE_MAX_WINDOWS) " windows");
	strcpy(text, HEAD);
	repeat(text, sizeof(text), "mix %u 1000 ", SSDQOS_PROFILE_MAX_MIXES + 1);
	refuses(text, "profile: there are more than " NR(SSDQOS_PROFILE_MAX_MIXES) " mix rows");
	strcpy(text, "ssdqos-profile 1 window_ms 9 cost write seq 512 1 900 5 ");
	repeat(text, sizeof(text), "cost read rand 512 %u 900 5 ", SSDQOS_PROFILE_MAX_ROWS - 1);
	parse(text);
	assert_int_equal(profile->nr_rows, SSDQOS_PROFILE_MAX_ROWS);
	finish(state);
	repeat(text, sizeof(text), "cost read seq 512 %u 900 5 ", 1);
	snprintf(why, sizeof(why), "profile: %u rows of costs, 0 of mixtures and 0 beside writes are more than %u, %u and %u",
		 SSDQOS_PROFILE_MAX_ROWS + 1, SSDQOS_PROFILE_MAX_ROWS, SSDQOS_PROFILE_MAX_MIXED,
		 SSDQOS_PROFILE_MAX_MIXED);
	refuses(text, why);
}

static void says_that_there_is_no_memory(void **state)
{
	ssdqos_env_fail_at = 1;
	refuses(TEXT, "profile: no memory for 7 rows");
	assert_int_equal(ssdqos_env_fail_at, 0);
}

static void cuts_words_that_are_too_long(void **state)
{
	refuses(HEAD "costcostcostcostcostcostcost",
		"profile: 'costcostcostcostcostcos' is not one of window_ms, cost, mix, mixed, beside, beside_of, flush, discard, stop");
	refuses(HEAD "cost read rand 0000000000000000000000512 1 900 5 6",
		"profile size in bytes: '00000000000000000000005' is not a number from 512 to 16777216");
}

/* ---- costs ---- */

static void takes_the_longest_window_that_is_not_longer(void **state)
{
	parse(TEXT);
	assert_int_equal(ssdqos_profile_window(profile, 99), -ENOENT);
	assert_int_equal(ssdqos_profile_window(profile, 100), 0);
	assert_int_equal(ssdqos_profile_window(profile, 2999), 1);
	assert_int_equal(ssdqos_profile_window(profile, 60000), 2);
	look(2999, 990, 32, true);
	assert_int_equal(read_cost(4096), 100000);
	look(3000, 990, 32, true);
	assert_int_equal(read_cost(4096), 95000);
}

static void takes_the_smallest_confidence_that_is_not_below(void **state)
{
	parse(TEXT);
	look(1000, 900, 32, true);
	assert_int_equal(read_cost(4096), 90000);
	look(1000, 901, 32, true);
	assert_int_equal(read_cost(4096), 100000);
	look(1000, 500, 32, true);
	assert_int_equal(read_cost(4096), 90000);
	look(1000, 999, 32, true);
	assert_int_equal(read_cost(4096), 100000);
}

static void rates_lie_on_lines_between_depths(void **state)
{
	parse(TEXT);
	look(1000, 900, 1, true);
	assert_int_equal(read_cost(4096), 180000);
	/* 5,555 a second with one, 11,111 with 32: 10,931 with 31 */
	look(1000, 900, 31, true);
	assert_int_equal(read_cost(4096), 91476);
	look(1000, 900, 1024, true);
	assert_int_equal(read_cost(4096), 90000);
}

/* A client that has fewer than any depth that was measured gets no more than its part of that. */
static void below_the_least_depth_the_line_goes_through_zero(void **state)
{
	static const struct { u32 depth, ns; } reads[] = {
		/* of 16 KiB only depth 32 is known: 6,250 a second, with 8 of them a quarter */
		{ 8, 640000 }, { 1, 32 * 160000 },
		/* rounded up: 160000 * 32 / 3 = 1706666.7 */
		{ 3, 1706667 },
		/* where it was measured nothing changes, and above it neither */
		{ 32, 160000 }, { 33, 160000 },
	};

	parse(TEXT);
	for (u32 i = 0; i < 2 * ARRAY_SIZE(reads); i++) {
		look(1000, 990, reads[i / 2].depth, i % 2);
		assert_int_equal(read_cost(16384), reads[i / 2].ns);
	}
}

static void what_is_too_slow_then_is_not_promised(void **state)
{
	parse("ssdqos-profile 1 window_ms 1000 cost read rand 4096 32 900 134217727 "
	      "cost read rand 8192 32 900 134217728 cost write rand 4096 64 900 -");
	look(1000, 900, 1, true);
	assert_int_equal(read_cost(4096), 134217727u * 32);
	/* 32 times it is 2^32: no cost is that large; nor is what nothing was promised of */
	assert_true(read_cost(8192) == SSDQOS_COST_NONE);
	assert_true(read_cost(16384) == SSDQOS_COST_NONE);
	assert_true(write_cost(4096) == SSDQOS_COST_NONE);
}

static void the_order_of_rows_does_not_matter(void **state)
{
	parse("ssdqos-profile 1 window_ms 1000 "
	      "cost read rand 4096 64 990 1 cost read rand 4096 64 900 2 "
	      "cost read rand 4096 8 999 3 cost read rand 4096 8 900 4 "
	      "cost read rand 4096 8 950 5 cost read rand 4096 1 900 6 "
	      "cost write rand 4096 64 900 7 cost write rand 4096 32 900 8");
	look(1000, 900, 8, true);
	assert_int_equal(read_cost(4096), 4);
	look(1000, 901, 8, true);
	assert_int_equal(read_cost(4096), 5);
	look(1000, 999, 8, true);
	assert_int_equal(read_cost(4096), 3);
	look(1000, 900, 1, true);
	assert_int_equal(read_cost(4096), 6);
	/* of writes the least depth is 32 */
	assert_int_equal(write_cost(4096), 8 * 32);
	look(1000, 999, 64, true);
	assert_int_equal(read_cost(4096), 1);
	assert_int_equal(write_cost(4096), 7);
}

static void costs_of_other_sizes_lie_on_lines(void **state)
{
	parse(TEXT);
	look(1000, 990, 32, true);
	assert_int_equal(read_cost(16384), 160000);
	assert_int_equal(read_cost(8192), 120000);
	assert_int_equal(read_cost(12288), 140000);
	assert_int_equal(read_cost(4608), 102500);
	assert_int_equal(read_cost(512), 100000);
	assert_int_equal(read_cost(1), 100000);
	assert_int_equal(read_cost(32768), 320000);
	assert_int_equal(read_cost(49152), 480000);
	assert_int_equal(read_cost(16777216), 163840000);
	assert_int_equal(read_cost(33554432), 327680000);
}

static void lines_that_fall_are_rounded_down(void **state)
{
	parse("ssdqos-profile 1 window_ms 100 cost read rand 512 1 900 1000 "
	      "cost read rand 4096 1 900 990 cost write rand 512 1 900 1");
	look(100, 900, 1, true);
	/* 1000 - 10 / 7 = 998.6, 1000 - 30 / 7 = 995.7 */
	assert_int_equal(read_cost(1024), 998);
	assert_int_equal(read_cost(2048), 995);
	assert_int_equal(read_cost(4096), 990);
}

static void a_class_without_rows_takes_the_other_pattern(void **state)
{
	parse(TEXT);
	look(3000, 990, 32, true);
	assert_int_equal(cost(SSDQOS_QOS_READ, SSDQOS_QOS_SEQ, 4096), 95000);
	assert_int_equal(cost(SSDQOS_QOS_WRITE, SSDQOS_QOS_SEQ, 4096), 50000);
	assert_int_equal(cost(SSDQOS_QOS_WRITE, SSDQOS_QOS_SEQ, 131072), 100000);
}

static void nothing_is_promised_where_a_window_was_empty(void **state)
{
	parse(TEXT);
	look(1000, 990, 32, true);
	assert_true(write_cost(4096) == SSDQOS_COST_NONE);
	assert_true(write_cost(65536) == SSDQOS_COST_NONE);
	look(3000, 990, 32, true);
	assert_int_equal(write_cost(4096), 500000);
}

static void requests_are_charged_by_a_longer_window_there(void **state)
{
	parse(TEXT);
	look(100, 990, 32, false);
	assert_int_equal(write_cost(4096), 500000);
	assert_int_equal(read_cost(4096), 100000);
	look(1, 990, 32, false);
	assert_int_equal(read_cost(4096), 100000);
}

static void without_a_profile_costs_compare_requests(void **state)
{
	look(1000, 990, 32, true);
	assert_int_equal(read_cost(4096), 36000);
	assert_int_equal(write_cost(1048576), 20000 + 1024 * 4000);
}

/* ---- mixtures ---- */

static void mixtures_lie_on_lines(void **state)
{
	parse(TEXT);
	assert_int_equal(ssdqos_profile_mix_permille(profile, &key, 0, 0), 1000);
	assert_int_equal(ssdqos_profile_mix_permille(profile, &key, 1000000, 0), 1100);
	assert_int_equal(ssdqos_profile_mix_permille(profile, &key, 80, 20), 1100);
	assert_int_equal(ssdqos_profile_mix_permille(profile, &key, 60, 40), 1300);
	assert_int_equal(ssdqos_profile_mix_permille(profile, &key, 400000, 600000), 1500);
	assert_int_equal(ssdqos_profile_mix_permille(profile, &key, 0, 5), 1500);
	assert_int_equal(ssdqos_profile_mix_permille(NULL, &key, 50, 50), 1000);
}

/* ---- reads beside writes ---- */

#define BESIDE HEAD "cost read rand 512 1 900 5 6 cost write rand 512 1 900 5 6 " \
	"beside 10 1 990 4000 2000 beside 60 1 990 9000 3000 beside 60 8 990 5000 2500 "

static u32 beside_of(u32 bytes, u32 pct, u64 window_ms, u64 depth)
{
	const struct ssdqos_cost_key k = {
		.window_ms = window_ms, .confidence_permille = 990, .depth = depth,
	};
	struct ssdqos_mix_curve curve;

	ssdqos_profile_beside_curve(profile, &k, bytes, &curve);
	return curve.permille[pct];
}

static u32 beside(u32 pct, u64 window_ms, u64 depth)
{
	return beside_of(4096, pct, window_ms, depth);
}

static void reads_beside_writes_lie_on_lines_and_stay_behind_the_last(void **state)
{
	parse(BESIDE);
	assert_int_equal(profile->nr_beside, 3);
	assert_int_equal(beside(0, 100, 1), 1000);
	assert_int_equal(beside(5, 100, 1), 2500);
	assert_int_equal(beside(10, 100, 1), 4000);
	assert_int_equal(beside(35, 100, 1), 6500);
	assert_int_equal(beside(60, 100, 7), 9000);
	assert_int_equal(beside(100, 100, 1), 9000);
	assert_int_equal(beside(100, 200, 1), 3000);
	assert_int_equal(beside(30, 100, 32), 3000);
	finish(state);
	parse(HEAD "cost read rand 512 1 900 5 6 cost write rand 512 1 900 5 6 beside 60 1 990 - 2000");
	assert_int_equal(beside(1, 100, 1), 1000000);
	finish(state);
	parse(TEXT);
	assert_int_equal(beside(100, 1000, 1), 1000);
}

/* Reads of 4, 16 and 64 KiB; those of 16 are slowed down most.  Eight at a time of one size only. */
#define SIZES HEAD "cost read rand 512 1 900 5 6 cost write rand 512 1 900 5 6 " \
	"beside_of 4096 10 1 990 2000 1100 beside_of 65536 10 1 990 4000 1300 " \
	"beside_of 16384 10 1 990 5000 1500 beside_of 16384 40 1 990 9000 1500 " \
	"beside_of 4096 10 8 990 1800 1050 beside_of 4096 10 1 999 7000 1700 "

static void reads_beside_writes_go_by_their_size(void **state)
{
	parse(SIZES);
	assert_int_equal(profile->nr_beside, 6);
	assert_int_equal(beside_of(4096, 10, 100, 1), 2000);
	assert_int_equal(beside_of(16384, 10, 100, 1), 5000);
	assert_int_equal(beside_of(65536, 10, 100, 1), 4000);
	/* between two the worse one, beyond them the outermost one */
	assert_int_equal(beside_of(8192, 10, 100, 1), 5000);
	assert_int_equal(beside_of(32768, 10, 200, 1), 1500);
	assert_int_equal(beside_of(512, 10, 100, 1), 2000);
	assert_int_equal(beside_of(1048576, 10, 100, 1), 4000);
	/* where the other size was not measured its line goes on */
	assert_int_equal(beside_of(65536, 40, 100, 1), 4000);
	assert_int_equal(beside_of(32768, 40, 100, 1), 9000);
	assert_int_equal(beside_of(32768, 5, 100, 1), 3000);
	/* the depth comes before the size */
	assert_int_equal(beside_of(65536, 10, 100, 8), 1800);
	finish(state);
	/* older rows are for all sizes */
	parse(BESIDE);
	assert_int_equal(beside_of(512, 10, 100, 1), 4000);
	assert_int_equal(beside_of(65536, 10, 100, 1), 4000);
}

static void refuses_wrong_rows_beside_writes(void **state)
{
	refuses("ssdqos-profile 1 beside 10 1 990 5", "profile: window_ms has to come before beside");
	refuses(HEAD "beside 101 1 990 5 6", "profile writes in %: '101' is not a number from 1 to 100");
	refuses(HEAD "mixed 100 1 990 5 6", "profile writes in %: '100' is not a number from 1 to 99");
	refuses("ssdqos-profile 1 beside_of 4096 10 1 990 5", "profile: window_ms has to come before beside");
	refuses(HEAD "beside_of 6144 10 1 990 5 6", "profile size in bytes: '6144' is not a power of two");
	refuses(HEAD "beside_of 10 1 990 5 6", "profile size in bytes: '10' is not a number from 512 to 16777216");
	refuses(HEAD "beside 10 1 990 5", "profile cost in ns: '' is not a number from 1 to 4294967294");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(reads_what_is_written, finish),
		cmocka_unit_test_teardown(needs_no_line_ends, finish),
		cmocka_unit_test_teardown(refuses_another_format, finish),
		cmocka_unit_test_teardown(refuses_wrong_rows, finish),
		cmocka_unit_test_teardown(flushes_cost_what_was_measured, finish),
		cmocka_unit_test_teardown(flushes_are_not_free_where_they_were_not_measured, finish),
		cmocka_unit_test_teardown(refuses_wrong_flushes, finish),
		cmocka_unit_test_teardown(discards_cost_what_was_measured, finish),
		cmocka_unit_test_teardown(an_order_that_was_not_measured_takes_the_other, finish),
		cmocka_unit_test_teardown(profiles_without_discards_are_as_before, finish),
		cmocka_unit_test_teardown(refuses_wrong_discards, finish),
		cmocka_unit_test_teardown(knows_for_how_long_the_drive_stops, finish),
		cmocka_unit_test_teardown(refuses_half_a_profile, finish),
		cmocka_unit_test_teardown(refuses_more_than_it_has_room_for, finish),
		cmocka_unit_test_teardown(says_that_there_is_no_memory, finish),
		cmocka_unit_test_teardown(cuts_words_that_are_too_long, finish),
		cmocka_unit_test_teardown(takes_the_longest_window_that_is_not_longer, finish),
		cmocka_unit_test_teardown(takes_the_smallest_confidence_that_is_not_below, finish),
		cmocka_unit_test_teardown(rates_lie_on_lines_between_depths, finish),
		cmocka_unit_test_teardown(below_the_least_depth_the_line_goes_through_zero, finish),
		cmocka_unit_test_teardown(what_is_too_slow_then_is_not_promised, finish),
		cmocka_unit_test_teardown(the_order_of_rows_does_not_matter, finish),
		cmocka_unit_test_teardown(costs_of_other_sizes_lie_on_lines, finish),
		cmocka_unit_test_teardown(lines_that_fall_are_rounded_down, finish),
		cmocka_unit_test_teardown(a_class_without_rows_takes_the_other_pattern, finish),
		cmocka_unit_test_teardown(nothing_is_promised_where_a_window_was_empty, finish),
		cmocka_unit_test_teardown(requests_are_charged_by_a_longer_window_there, finish),
		cmocka_unit_test_teardown(without_a_profile_costs_compare_requests, finish),
		cmocka_unit_test_teardown(mixtures_lie_on_lines, finish),
		cmocka_unit_test_teardown(reads_beside_writes_lie_on_lines_and_stay_behind_the_last, finish),
		cmocka_unit_test_teardown(reads_beside_writes_go_by_their_size, finish),
		cmocka_unit_test_teardown(refuses_wrong_rows_beside_writes, finish),
	};

	return cmocka_run_group_tests_name("qos_profile", tests, NULL, NULL);
}
