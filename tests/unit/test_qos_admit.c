// SPDX-License-Identifier: GPL-2.0
/*
 * Guarantees: what they cost, whether they fit, how they change.  The numbers are worked out by
 * hand from the costs of qos_helper.h; 1 % is kept for best effort.
 */
#include "qos_helper.h"

/* Reads and writes half and half take 1.2 times as long. */
#define MIXED QOS_PROFILE "mix 0 1000 mix 50 1200 mix 100 1000 "

static struct ssdqos_edf_answer answer;

static int start_mixed(void **state)
{
	qos_start(MIXED);
	return 0;
}

static int start_without_profile(void **state)
{
	qos_start(NULL);
	return 0;
}

static void refuses(struct ssdqos_edf_stream *s, const char *words, int r, const char *why)
{
	assert_int_equal(qos_set(s, words), r);
	assert_string_equal(qos_err, why);
}

static int ask(const struct ssdqos_edf_stream *self, const char *words)
{
	struct ssdqos_qos_config config;

	ssdqos_qos_config_init(&config);
	qos_config(&config, words);
	return ssdqos_edf_admit(qos_edf, self, &config, &answer, qos_err, sizeof(qos_err));
}

/* ---- what a guarantee costs ---- */

static void a_rate_takes_cost_times_rate(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=1000");

	assert_int_equal(a->util_ppm, 100000);
	assert_int_equal(a->promise_cost_ns, 100000);
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 100000);
	assert_int_equal(ssdqos_edf_free_ppm(qos_edf), 890000);
	assert_int_equal(qos_set(a, "min_iops=1"), 0);
	assert_int_equal(a->util_ppm, 100);
	assert_int_equal(qos_set(a, "min_iops=1000 block_bytes=8192"), 0);
	assert_int_equal(a->util_ppm, 150000);
	assert_int_equal(qos_set(a, "block_bytes=4096 pattern=seq"), 0);
	assert_int_equal(a->util_ppm, 50000);
	assert_int_equal(qos_set(a, "pattern=rand window_ms=999"), 0);
	assert_int_equal(a->util_ppm, 120000);
	assert_int_equal(qos_set(a, "op=write window_ms=60000"), 0);
	assert_int_equal(a->util_ppm, 400000);
}

static void megabytes_are_rounded_up(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_mb_s=10");

	/* 10^7 / 4096 reads of 100 us: 244,140.6 ppm */
	assert_int_equal(a->util_ppm, 244141);
	assert_int_equal(qos_set(a, "block_bytes=16384"), 0);
	assert_int_equal(a->util_ppm, 152588);
}

static void device_time_needs_no_profile(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=123456");

	assert_int_equal(a->util_ppm, 123456);
	assert_int_equal(a->promise_cost_ns, 0);
	refuses(a, "util_ppm=0 min_iops=7", -EINVAL,
		"min_iops: '7' needs a profile of the drive; load one, or reserve device time with util_ppm");
	refuses(a, "util_ppm=0 min_mb_s=7", -EINVAL,
		"min_mb_s: '7' needs a profile of the drive; load one, or reserve device time with util_ppm");
	assert_int_equal(a->util_ppm, 123456);
}

static void a_mixture_takes_longer(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=2000"), *b;

	/* who has no guarantee writes with 1 % of the time: 4 % of 210,000 are 1.016 times */
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 203360);
	b = qos_add("min_iops=500 op=write");
	assert_int_equal(b->util_ppm, 200000);
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 480360);
	/* a fourth writes: 1.1 times */
	assert_int_equal(qos_set(a, "min_iops=6000"), 0);
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 881000);
	refuses(a, "min_iops=7500", -ENOSPC,
		"min_iops: '7500' would make guarantees take 1030640 ppm of the device time, and 990000 ppm can be reserved");
}

static void a_few_reads_may_cost_writes_as_much_as_many(void **state)
{
	struct ssdqos_edf_stream *a;

	qos_set_profile(QOS_PROFILE "mixed 90 32 990 1400 1400 ");
	a = qos_add("util_ppm=500000 op=write");
	/* who has no guarantee may read: 98 % of 510,000 are writes, which is no less than at 90 % */
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 714000 - 10000);
	assert_int_equal(qos_set(a, "op=read"), 0);
	/* or write: 1 % of them */
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 512040 - 10000);
}

/* Reads, one at a time, are four times as slow beside a tenth of the writes. */
#define SHALLOW QOS_PROFILE_OF("32") "cost read rand 4096 1 990 100000 100000 " \
	"beside 1 1 990 1000 1000 beside 10 1 990 4000 4000 beside 11 8 990 1000 1000 "

static void who_has_one_request_at_a_time_can_t_use_what_writes_leave(void **state)
{
	struct ssdqos_edf_stream *reader, *writer;

	qos_set_profile(SHALLOW);
	reader = qos_add("min_iops=4000 iodepth=1");
	/* alone, and beside the 1 % that everybody may write with, it is as fast as ever */
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 400000);
	/* with 3 % more, a third of the way from 1 to 10 %, reads are twice as slow; who owns less may be granted so much */
	writer = qos_add("util_ppm=26666 op=write");
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 800000 - 10000);
	refuses(writer, "util_ppm=70000", -ENOSPC,
		"util_ppm: '70000' would make guarantees take 1456400 ppm of the device time, and 990000 ppm can be reserved");
	assert_int_equal(qos_set(reader, "iodepth=32"), 0);
	assert_int_equal(qos_set(writer, "util_ppm=70000"), 0);
	refuses(reader, "iodepth=1", -ENOSPC,
		"min_iops: '4000' would make guarantees take 1456400 ppm of the device time, and 990000 ppm can be reserved");
}

static void large_reads_one_at_a_time_bear_fewer_writes(void **state)
{
	struct ssdqos_edf_stream *small, *large;

	qos_set_profile(QOS_PROFILE_OF("32") "cost read rand 4096 1 990 100000 100000 beside_of 4096 10 1 990 2000 2000 "
			"beside_of 65536 10 1 990 5000 5000 ");
	qos_add("util_ppm=90000 op=write");
	small = qos_add("util_ppm=300000 iodepth=1");
	/* beside 10 %, with what is kept for those without a promise */
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 600000 - 10000);
	large = qos_add("util_ppm=150000 iodepth=1 block_bytes=65536");
	/* what two clients take counts for itself, each by its size */
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 750000 - 10000);
	refuses(large, "util_ppm=210000", -ENOSPC,
		"util_ppm: '210000' would make guarantees take 1040000 ppm of the device time, and 990000 ppm can be reserved");
	assert_int_equal(qos_set(large, "util_ppm=0"), 0);
	assert_int_equal(qos_set(small, "util_ppm=490000"), 0);
	refuses(small, "block_bytes=8192", -ENOSPC,
		"util_ppm: '490000' would make guarantees take 2440000 ppm of the device time, and 990000 ppm can be reserved");
}

static void others_may_write_what_a_single_request_bears(void **state)
{
	qos_set_profile(SHALLOW);
	qos_add("min_iops=4000 iodepth=1");
	assert_int_equal(ask(NULL, "util_ppm=1"), 0);
	/* slower than 2.5 times would be too slow: 1 + 4.5 / 9 x 3 */
	assert_int_equal(answer.spare_write_before_ppm, 50000);
}

/* ---- whether it fits ---- */

static void all_but_the_best_effort_can_be_reserved(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=4900"), *b = qos_add("min_iops=5000");

	assert_int_equal(ssdqos_edf_free_ppm(qos_edf), 0);
	refuses(a, "min_iops=4901", -ENOSPC,
		"min_iops: '4901' would make guarantees take 990100 ppm of the device time, and 990000 ppm can be reserved");
	refuses(a, "min_iops=0 util_ppm=490001", -ENOSPC,
		"util_ppm: '490001' would make guarantees take 990001 ppm of the device time, and 990000 ppm can be reserved");
	assert_int_equal(qos_set(b, "min_iops=4999"), 0);
	assert_int_equal(qos_set(a, "min_iops=4901"), 0);
	refuses(b, "drive_best_effort_permille=10 min_iops=5000", -ENOSPC,
		"min_iops: '5000' would make guarantees take 990100 ppm of the device time, and 990000 ppm can be reserved");
	assert_int_equal(qos_set(b, "drive_best_effort_permille=9 min_iops=5000"), 0);
}

static void what_an_empty_window_shows_cannot_be_promised(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("");

	refuses(a, "min_iops=1 op=write window_ms=999", -EINVAL,
		"window_ms: '999' is too short to promise a rand write of 4096 bytes, the profile allows 1000 and more");
	assert_int_equal(qos_set(a, "min_iops=1 op=write window_ms=1000"), 0);
	assert_int_equal(qos_set_profile("ssdqos-profile 1 window_ms 500 cost read rand 4096 32 990 5 "
					 "cost write rand 4096 32 990 -"), -EINVAL);
	assert_string_equal(qos_err,
			    "window_ms: in no window of the profile can a rand write of 4096 bytes be promised");
	assert_int_equal(qos_set(a, "min_iops=0"), 0);
	assert_int_equal(qos_set_profile("ssdqos-profile 1 window_ms 500 cost read rand 4096 32 990 5 "
					 "cost write rand 4096 32 990 -"), 0);
	refuses(a, "min_iops=1 op=read window_ms=499", -EINVAL,
		"window_ms: '499' is too short to promise a rand read of 4096 bytes, the profile allows 500 and more");
}

static void a_stream_is_refused_as_a_whole(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=100000 weight=50");

	refuses(a, "util_ppm=990001 weight=60 max_iops=5 drive_mode=strict drive_queue_depth=3",
		-ENOSPC, "drive_queue_depth: '3' would make guarantees take 990001 ppm of the device time, and 990000 ppm can be reserved");
	assert_int_equal(a->cfg.weight, 50);
	assert_int_equal(a->cfg.max_iops, 0);
	assert_int_equal(a->util_ppm, 100000);
	assert_int_equal(qos_edf->cfg.drive_mode, SSDQOS_QOS_WORK_CONSERVING);
	assert_int_equal(qos_edf->cfg.drive_queue_depth, 32);
	refuses(a, "min_iops=5", -EINVAL,
		"min_iops, min_mb_s, util_ppm: only one of them can be the guarantee, the others have to be 0");
	refuses(a, "util_ppm=0 min_iops=5 max_iops=4", -EINVAL,
		"min_iops: '5' is more than max_iops (4)");
}

static void what_is_kept_for_others_is_kept_from_no_owner(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=9000");

	refuses(a, "drive_best_effort_permille=500", -ENOSPC,
		"drive_best_effort_permille: '500' would make guarantees take 900000 ppm of the device time, and 500000 ppm can be reserved");
	assert_int_equal(qos_set(a, "drive_best_effort_permille=100"), 0);
	/* less than now is always possible, also where that is too much */
	assert_int_equal(qos_set(a, "drive_best_effort_permille=500 drive_overcommit=on"), 0);
	assert_int_equal(qos_set(a, "drive_overcommit=off"), 0);
	assert_int_equal(qos_set(a, "min_iops=8000"), 0);
	assert_int_equal(qos_set(a, "drive_best_effort_permille=450"), 0);
	refuses(a, "drive_best_effort_permille=451", -ENOSPC,
		"drive_best_effort_permille: '451' would make guarantees take 800000 ppm of the device time, and 549000 ppm can be reserved");
}

static void overcommitment_has_to_be_allowed(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=900000"), *b = qos_add("");

	assert_int_equal(qos_set(b, "util_ppm=900000"), -ENOSPC);
	assert_int_equal(qos_set(b, "util_ppm=900000 drive_overcommit=on"), 0);
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 1800000);
	assert_int_equal(ssdqos_edf_free_ppm(qos_edf), 0);
	assert_int_equal(qos_set(a, "drive_overcommit=off"), 0);
	/* less than now is always possible, more is not */
	assert_int_equal(qos_set(b, "util_ppm=800000"), 0);
	assert_int_equal(qos_set(b, "util_ppm=800001"), -ENOSPC);
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 1700000);
}

/* ---- dry runs ---- */

static void a_dry_run_says_what_would_fit(void **state)
{
	qos_add("min_iops=5000");
	assert_int_equal(ask(NULL, "min_iops=6000"), 0);
	assert_false(answer.fits);
	assert_int_equal(answer.util_ppm, 600000);
	assert_int_equal(answer.used_ppm, 1100000);
	assert_int_equal(answer.free_ppm, 490000);
	assert_int_equal(answer.mix_factor_permille, 1000);
	assert_int_equal(answer.cost_ns, 100000);
	assert_int_equal(answer.fit_iops, 4900);
	assert_int_equal(answer.fit_mb_s, 0);
	assert_int_equal(answer.fit_util_ppm, 0);
	assert_int_equal(answer.fit_window_ms, 0);
	assert_int_equal(ask(NULL, "min_iops=4500"), 0);
	assert_true(answer.fits);
	assert_int_equal(answer.fit_window_ms, 1000);
	assert_int_equal(ask(NULL, "min_iops=4000"), 0);
	assert_int_equal(answer.fit_window_ms, 100);
	assert_int_equal(ask(NULL, "min_mb_s=21 block_bytes=16384"), 0);
	assert_true(answer.fits);
	assert_int_equal(answer.fit_mb_s, 32);
	assert_int_equal(ask(NULL, "util_ppm=490001"), 0);
	assert_false(answer.fits);
	assert_int_equal(answer.fit_iops + answer.fit_window_ms, 0);
	assert_int_equal(answer.fit_util_ppm, 490000);
	assert_int_equal(ask(NULL, "util_ppm=1"), 0);
	assert_true(answer.fits);
	assert_int_equal(answer.fit_util_ppm, 490000);
	assert_int_equal(qos_edf->nr_streams, 1);
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 500000);
}

/* Reads need their part of the drive's queue depth, 32 here; writes end in its buffer. */
static void a_dry_run_says_which_depth_it_needs(void **state)
{
	assert_int_equal(ask(NULL, "util_ppm=31250"), 0);
	assert_int_equal(answer.least_depth, 1);
	assert_int_equal(ask(NULL, "util_ppm=31251"), 0);
	assert_int_equal(answer.least_depth, 2);
	assert_int_equal(ask(NULL, "min_iops=6000"), 0);
	assert_int_equal(answer.least_depth, 20);
	assert_int_equal(ask(NULL, "min_iops=6000 drive_queue_depth=8"), 0);
	assert_int_equal(answer.least_depth, 5);
	assert_int_equal(ask(NULL, "op=write min_iops=1000"), 0);
	assert_int_equal(answer.least_depth, 0);
}

static void a_dry_run_counts_the_drive_s_parameters(void **state)
{
	assert_int_equal(ask(NULL, "util_ppm=800000 drive_best_effort_permille=300"), 0);
	assert_false(answer.fits);
	assert_int_equal(answer.free_ppm, 700000);
	assert_int_equal(qos_edf->cfg.drive_best_effort_permille, 10);
}

static void a_dry_run_for_a_stream_replaces_its_guarantee(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=900000");

	assert_int_equal(ask(NULL, "util_ppm=500000"), 0);
	assert_false(answer.fits);
	assert_int_equal(ask(a, "util_ppm=500000"), 0);
	assert_true(answer.fits);
	assert_int_equal(answer.free_ppm, 990000);
}

/* The rate that fits has to be found with the mixture, which the rate changes. */
static void a_dry_run_knows_mixtures(void **state)
{
	qos_add("min_iops=5000");
	assert_int_equal(ask(NULL, "min_iops=1000 op=write"), 0);
	assert_false(answer.fits);
	assert_int_equal(answer.mix_factor_permille, 1180);
	assert_int_equal(answer.used_ppm, 1063800);
	assert_true(answer.fit_iops < 1000);
	assert_int_equal(ask(NULL, "min_iops=800 op=write"), 0);
	assert_int_equal(answer.fits, answer.fit_iops >= 800);
}

#define SEVERAL "ssdqos-profile 1 window_ms 100 1000 "			\
	"cost read rand 4096 1 900 400000 300000 cost read rand 4096 8 990 100000 90000 "	\
	"cost read rand 65536 8 950 900000 800000 cost write rand 4096 8 990 900000 900000 "	\
	"mix 50 1500 "

static void comes_from(const char *words, const u64 *wanted)
{
	assert_int_equal(ask(NULL, words), 0);
	const u64 found[] = { answer.asked_depth, answer.from_pattern, answer.from_bytes,
			      answer.from_bytes_to, answer.from_window_ms, answer.from_depth,
			      answer.from_depth_to, answer.from_confidence_permille };

	assert_memory_equal(found, wanted, sizeof(found));
}

/* Between two depths the lesser confidence of both counts, and so with two sizes. */
static void a_dry_run_says_which_rows_its_cost_comes_from(void **state)
{
	const u64 none = SSDQOS_QOS_NR_PATTERNS;

	qos_set_profile(SEVERAL);
	comes_from("min_iops=1 iodepth=8", (u64[]){ 8, 0, 4096, 4096, 1000, 8, 8, 990 });
	comes_from("min_iops=1 iodepth=4", (u64[]){ 4, 0, 4096, 4096, 1000, 1, 8, 900 });
	comes_from("min_iops=1", (u64[]){ 32, 0, 4096, 4096, 1000, 8, 8, 990 });
	comes_from("min_iops=1 iodepth=8 block_bytes=16384 window_ms=999",
		   (u64[]){ 8, 0, 4096, 65536, 100, 8, 8, 950 });
	comes_from("min_iops=1 block_bytes=131072", (u64[]){ 32, 0, 65536, 65536, 1000, 8, 8, 950 });
	comes_from("min_iops=1 block_bytes=512", (u64[]){ 32, 0, 4096, 4096, 1000, 8, 8, 990 });
	comes_from("min_mb_s=1 pattern=seq", (u64[]){ 32, 0, 4096, 4096, 1000, 8, 8, 990 });
	comes_from("util_ppm=1", (u64[]){ 0, none, 0, 0, 0, 0, 0, 0 });
}

/* Reads of 290000 ppm and writes besides, which take half as much again; best effort is 10000. */
static void a_dry_run_says_what_it_costs_others(void **state)
{
	qos_set_profile(SEVERAL);
	assert_int_equal(ask(NULL, "util_ppm=290000"), 0);
	assert_int_equal(answer.spare_write_before_ppm, 1000000 * 2 / 3 / 10000 * 10000);
	assert_int_equal(answer.spare_write_ppm, 370000);
	assert_int_equal(answer.left_before_ppm, 1000000);
	assert_int_equal(answer.left_ppm, 1000000 - 440000);
	assert_int_equal(ask(NULL, "util_ppm=900000"), 0);
	assert_int_equal(answer.left_ppm, 0);
	assert_int_equal(answer.spare_write_ppm, 0);
}

static void a_dry_run_says_whose_guarantee_is_the_largest(void **state)
{
	struct ssdqos_edf_stream *a, *b;

	assert_int_equal(ask(NULL, "util_ppm=1"), 0);
	assert_null(answer.largest);
	a = qos_add("util_ppm=200000");
	b = qos_add("util_ppm=300000");
	qos_add("util_ppm=300000");
	qos_add("");
	assert_int_equal(ask(NULL, "util_ppm=1"), 0);
	assert_ptr_equal(answer.largest, b);
	assert_int_equal(answer.largest_ppm, 300000);
	qos_set(b, "util_ppm=0");
	assert_int_equal(ask(NULL, "util_ppm=1"), 0);
	assert_ptr_not_equal(answer.largest, a);
	assert_ptr_not_equal(answer.largest, b);
}

/* Even if all numbers are as long as can be. */
static void an_answer_is_text_of_less_than_a_kib(void **state)
{
	char text[1024];

	assert_int_equal(ask(NULL, "min_iops=1"), 0);
	memset(&answer, 0xff, offsetof(struct ssdqos_edf_answer, from_pattern));
	assert_in_range(ssdqos_edf_answer_format(&answer, text, sizeof(text)), 500, 960);
	assert_non_null(strstr(text, " from_pattern=rand"));
	assert_int_equal(ssdqos_edf_answer_format(&answer, text, 10), 9);
	assert_int_equal(strlen(text), 9);
}

static void a_question_without_sense_is_refused(void **state)
{
	assert_int_equal(ask(NULL, "min_iops=1 min_mb_s=1"), -EINVAL);
}

/* No sentence of an error: who asks wants to know which window would do. */
static void what_the_profile_promises_nothing_of_does_not_fit(void **state)
{
	qos_add("util_ppm=100000");
	assert_int_equal(ask(NULL, "min_iops=1 op=write window_ms=100"), 0);
	assert_int_equal(answer.fits, 0);
	assert_int_equal(answer.cost_ns + answer.util_ppm + answer.fit_iops + answer.from_bytes, 0);
	assert_int_equal(answer.fit_window_ms, 1000);
	assert_int_equal(answer.used_ppm, 100000);
	assert_int_equal(answer.free_ppm, 890000);
	assert_int_equal(answer.left_ppm, answer.left_before_ppm);
	assert_int_equal(answer.spare_write_ppm, answer.spare_write_before_ppm);
	assert_int_equal(answer.largest_ppm, 100000);
	assert_int_equal(ask(NULL, "min_mb_s=1000 op=write window_ms=100"), 0);
	assert_int_equal(answer.fits + answer.fit_window_ms, 0);
}

/* ---- changes ---- */

static void another_profile_means_other_parts(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=1000"), *b = qos_add("util_ppm=200000");

	assert_int_equal(qos_set_profile("ssdqos-profile 1 window_ms 100 cost read rand 4096 1 900 300000 "
					 "cost write rand 512 1 900 300000"), 0);
	assert_int_equal(a->util_ppm, 300000);
	assert_int_equal(b->util_ppm, 200000);
	assert_int_equal(a->costs.ns[SSDQOS_QOS_READ][SSDQOS_QOS_RAND][3], 300000);
	assert_int_equal(qos_set_profile("ssdqos-profile 1 window_ms 100 cost read rand 4096 1 900 800000 "
					 "cost write rand 512 1 900 300000"), -ENOSPC);
	assert_string_equal(qos_err, "profile: with it guarantees would take 1000000 ppm of the device time, and 990000 ppm can be reserved");
	assert_int_equal(a->util_ppm, 300000);
	assert_int_equal(qos_set_profile(NULL), -EINVAL);
	assert_int_equal(a->util_ppm, 300000);
	assert_int_equal(qos_set(a, "min_iops=0"), 0);
	assert_int_equal(qos_set_profile(NULL), 0);
	assert_null(qos_edf->profile);
}

#define DEPTHS "ssdqos-profile 1 window_ms 100 "				\
	"cost read rand 4096 1 990 400000 cost read rand 4096 8 990 100000 "	\
	"cost write rand 4096 1 990 900000 "

static void another_depth_means_other_costs(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=2000"), *b;

	assert_int_equal(qos_set_profile(DEPTHS), 0);
	assert_int_equal(a->util_ppm, 200000);
	b = qos_add("drive_queue_depth=1");
	assert_int_equal(a->util_ppm, 800000);
	assert_int_equal(a->costs.ns[SSDQOS_QOS_READ][SSDQOS_QOS_RAND][3], 400000);
	assert_int_equal(qos_set(b, "drive_queue_depth=8"), 0);
	assert_int_equal(a->util_ppm, 200000);
	assert_int_equal(qos_set(a, "min_iops=3000"), 0);
	refuses(b, "drive_queue_depth=1", -ENOSPC,
		"drive_queue_depth: '1' would make guarantees take 1200000 ppm of the device time, and 990000 ppm can be reserved");
	assert_int_equal(qos_edf->cfg.drive_queue_depth, 8);
}

static void the_promise_is_what_was_asked_for(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=250 window_ms=3000");
	struct ssdqos_edf_stream *b = qos_add("min_mb_s=3 window_ms=2000 block_bytes=16384");
	struct ssdqos_edf_stream *c = qos_add("util_ppm=100000 window_ms=500");

	assert_int_equal(a->watch.promise.window_ns, 3 * S);
	assert_int_equal(a->watch.promise.amount, 750);
	assert_int_equal(a->watch.promise.unit, SSDQOS_WATCH_REQUESTS);
	assert_int_equal(a->watch.promise.device_ns, 75 * MS);
	assert_int_equal(a->watch.promise.slack, 1);
	assert_int_equal(b->watch.promise.amount, 6000000);
	assert_int_equal(b->watch.promise.unit, SSDQOS_WATCH_BYTES);
	assert_int_equal(b->watch.promise.slack, 16384);
	assert_int_equal(c->watch.promise.amount, 50 * MS);
	assert_int_equal(c->watch.promise.unit, SSDQOS_WATCH_DEVICE_NS);
}

static void only_another_promise_begins_a_window(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=250"), *b = qos_add("");
	u64 start_ns = a->watch.start_ns;

	qos_now_ns += 400 * MS;
	qos_set(a, "weight=7 max_iops=9999");
	qos_set(b, "util_ppm=5000 drive_queue_depth=3");
	assert_true(a->watch.start_ns == start_ns);
	qos_set(a, "min_iops=251");
	assert_true(a->watch.start_ns == qos_now_ns);
}

/* 10 % of writes cost nothing more in windows of 100 ms, and half more in those of a second. */
static void a_mixture_counts_in_the_worst_of_the_windows(void **state)
{
	assert_int_equal(qos_set_profile(QOS_PROFILE "mixed 10 32 990 1000 1500 mixed 99 32 990 1000 1500 "), 0);
	qos_add("min_iops=100 op=write window_ms=1000");
	qos_add("util_ppm=300000 window_ms=1000");
	/* 340,000 and 10,000 for best effort, times 1.5 */
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 515000);
	qos_add("util_ppm=50000 window_ms=100");
	assert_int_equal(ssdqos_edf_used_ppm(qos_edf), 590000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)
#define TEST_MIXED(name) cmocka_unit_test_setup_teardown(name, start_mixed, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_rate_takes_cost_times_rate),
		TEST(megabytes_are_rounded_up),
		cmocka_unit_test_setup_teardown(device_time_needs_no_profile,
						start_without_profile, qos_finish),
		TEST_MIXED(a_mixture_takes_longer),
		TEST(a_mixture_counts_in_the_worst_of_the_windows),
		TEST(a_few_reads_may_cost_writes_as_much_as_many),
		TEST(who_has_one_request_at_a_time_can_t_use_what_writes_leave),
		TEST(large_reads_one_at_a_time_bear_fewer_writes),
		TEST(others_may_write_what_a_single_request_bears),
		TEST(all_but_the_best_effort_can_be_reserved),
		TEST(what_an_empty_window_shows_cannot_be_promised),
		TEST(a_stream_is_refused_as_a_whole),
		TEST(overcommitment_has_to_be_allowed),
		TEST(what_is_kept_for_others_is_kept_from_no_owner),
		TEST(a_dry_run_says_what_would_fit),
		TEST(a_dry_run_says_which_depth_it_needs),
		TEST(a_dry_run_counts_the_drive_s_parameters),
		TEST(a_dry_run_for_a_stream_replaces_its_guarantee),
		TEST_MIXED(a_dry_run_knows_mixtures),
		TEST(a_dry_run_says_which_rows_its_cost_comes_from),
		TEST(a_dry_run_says_what_it_costs_others),
		TEST(a_dry_run_says_whose_guarantee_is_the_largest),
		TEST(an_answer_is_text_of_less_than_a_kib),
		TEST(a_question_without_sense_is_refused),
		TEST(what_the_profile_promises_nothing_of_does_not_fit),
		TEST(another_profile_means_other_parts),
		TEST(another_depth_means_other_costs),
		TEST(the_promise_is_what_was_asked_for),
		TEST(only_another_promise_begins_a_window),
	};

	return cmocka_run_group_tests_name("qos_admit", tests, NULL, NULL);
}
