// SPDX-License-Identifier: GPL-2.0
/*
 * Discards that are kept count for their client's maximum, and cost the drive what
 * they have cost so far.
 */
#include "../../dm-ssdqos/core/qos/discard.h"
#include "qos_helper.h"

static const struct ssdqos_edf_req discard = {
	.kind = SSDQOS_EDF_KIND_DISCARD, .bytes = 1 << 30,
};

static void without_a_maximum_all_pass(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=100000");

	for (u32 i = 0; i < 1000; i++)
		assert_true(ssdqos_edf_pass(a, &discard, qos_now_ns));
	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
}

static void a_maximum_counts_each_as_one_request(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_iops=100 burst_ms=50");

	for (u32 i = 0; i < 6; i++)
		assert_true(ssdqos_edf_pass(a, &discard, qos_now_ns));
	assert_false(ssdqos_edf_pass(a, &discard, qos_now_ns));
	/* and others wait for them */
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	qos_at(10 * MS - 1);
	assert_false(ssdqos_edf_pass(a, &discard, qos_now_ns));
	qos_at(20 * MS);
	assert_true(ssdqos_edf_pass(a, &discard, qos_now_ns));
}

static void their_size_is_no_matter(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_mb_s=1 burst_ms=10");

	for (u32 i = 0; i < 19; i++)
		assert_true(ssdqos_edf_pass(a, &discard, qos_now_ns));
}

static void who_is_suspended_has_no_maximum(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_iops=1 burst_ms=0");

	assert_true(ssdqos_edf_pass(a, &discard, qos_now_ns));
	assert_false(ssdqos_edf_pass(a, &discard, qos_now_ns));
	ssdqos_edf_drain(a, true, qos_now_ns);
	assert_true(ssdqos_edf_pass(a, &discard, qos_now_ns));
}

static void what_is_not_kept_after_all_is_counted_once(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("max_iops=100 max_mb_s=1 burst_ms=0");

	for (u32 i = 0; i < 10; i++) {
		qos_at(i * 10 * MS);
		assert_true(ssdqos_edf_pass(a, &discard, qos_now_ns));
		ssdqos_edf_pass_back(a, &discard);
		assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_DISCARD, discard.bytes, 0), SSDQOS_EDF_GO);
		assert_false(ssdqos_edf_pass(a, &discard, qos_now_ns));
	}
}

static void what_is_sent_is_charged_what_it_costs(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("");
	struct ssdqos_edf_req req = { .kind = SSDQOS_EDF_KIND_DISCARD, .cost_ns = 5 * MS };
	struct ssdqos_watch_event events[SSDQOS_WATCH_MAX_EVENTS];

	ssdqos_edf_submit(a, &req, 0, SSDQOS_EDF_FLAG_COST, qos_now_ns);
	assert_int_equal(req.cost_ns, 5 * MS);
	ssdqos_edf_complete(&req, SSDQOS_EDF_DONE, qos_now_ns, events);
	ssdqos_edf_submit(a, &req, 0, 0, qos_now_ns);
	assert_true(req.cost_ns < MS);
	ssdqos_edf_complete(&req, SSDQOS_EDF_DONE, qos_now_ns, events);
}

/* ---- what the profile says ---- */

#define MEASURED QOS_PROFILE "discard rand 65536 2000000 discard rand 1048576 17000000 " \
	"discard seq 65536 500000 discard seq 1048576 8000000 "

/* What one is charged that passes. */
static u32 charged(struct ssdqos_edf_stream *s, u64 sector, u32 bytes)
{
	struct ssdqos_edf_req req = { .kind = SSDQOS_EDF_KIND_DISCARD, .bytes = bytes };
	u64 before_ns = s->stats.charged_ns;

	assert_int_equal(ssdqos_edf_submit(s, &req, sector, 0, qos_now_ns), SSDQOS_EDF_GO);
	ssdqos_edf_complete(&req, SSDQOS_EDF_DONE, qos_now_ns, qos_events);
	assert_int_equal(s->stats.charged_ns - before_ns, req.cost_ns);
	return req.cost_ns;
}

static void what_passes_is_charged_by_size_and_order(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(""), *b = qos_add("");

	assert_int_equal(charged(a, 0, 1 << 20), QOS_WRITE_NS);
	assert_int_equal(qos_set_profile(MEASURED), 0);
	assert_int_equal(charged(a, 1 << 20, 1 << 16), 2 * MS);
	assert_int_equal(charged(a, 0, 1 << 20), 17 * MS);
	/* the next one goes on there, whatever others do in between */
	assert_int_equal(charged(b, 2048, 1 << 16), 2 * MS);
	assert_int_equal(charged(a, 2048, 1 << 20), 8 * MS);
	assert_int_equal(charged(a, 4096, 1 << 16), 500 * US);
	assert_int_equal(charged(a, 4096, 1 << 16), 2 * MS);
	assert_int_equal(qos_set_profile(QOS_PROFILE), 0);
	assert_int_equal(charged(a, 0, 1 << 20), QOS_WRITE_NS);
}

static void a_maximum_counts_it_as_one_request_all_the_same(void **state)
{
	struct ssdqos_edf_stream *a;

	assert_int_equal(qos_set_profile(MEASURED), 0);
	a = qos_add("max_mb_s=1 burst_ms=10");
	for (u32 i = 0; i < 19; i++)
		assert_int_equal(charged(a, i << 20, 1 << 20), 17 * MS);
	assert_int_equal(qos_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
}

static void a_guarantee_pays_for_its_own(void **state)
{
	struct ssdqos_edf_stream *a;
	u64 start_ns;

	assert_int_equal(qos_set_profile(MEASURED), 0);
	a = qos_add("util_ppm=100000");
	start_ns = qos_now_ns;
	charged(a, 0, 1 << 20);
	assert_int_equal(a->start_ns - start_ns, 170 * MS);
}

static struct ssdqos_trim batch;

static void keep(u64 start, u64 end)
{
	assert_int_equal(ssdqos_trim_take(&batch, 0, start, end, qos_now_ns), end);
}

static void make_batch(u64 max_sectors)
{
	const struct ssdqos_trim_config cfg = {
		.max_age_ns = S, .max_sectors = max_sectors, .granule = 8, .depth = 2, .max_ranges = 1024,
	};

	assert_int_equal(ssdqos_trim_init(&batch, &cfg), 0);
}

static void the_first_of_a_batch_cost_what_the_profile_says(void **state)
{
	struct ssdqos_trim_run *run;

	make_batch(4096);
	keep(0, 2048);
	assert_int_equal(ssdqos_edf_trim_cost(qos_edf, &batch), SSDQOS_TRIM_FIRST_COST_NS);
	assert_int_equal(qos_set_profile(MEASURED), 0);
	assert_int_equal(ssdqos_edf_trim_cost(qos_edf, &batch), 8 * MS);
	/* as large as they are in the mean: 1 MiB and 64 KiB */
	keep(4096, 4224);
	assert_int_equal(ssdqos_edf_trim_cost(qos_edf, &batch), 500 * US + 7500 * US / 2);
	/* one under way has said nothing yet */
	ssdqos_trim_flush(&batch, 0, ~0ULL);
	run = ssdqos_trim_next(&batch, qos_now_ns);
	assert_non_null(run);
	assert_int_equal(ssdqos_edf_trim_cost(qos_edf, &batch), 500 * US);
	/* then it is learned from there: an eighth of the way, or so */
	ssdqos_trim_done(&batch, run, 500 * US + 8 * 100 * US, false);
	assert_int_equal(ssdqos_edf_trim_cost(qos_edf, &batch), 579688);
	run = ssdqos_trim_next(&batch, qos_now_ns);
	assert_int_equal(ssdqos_edf_trim_cost(qos_edf, &batch), 579688);
	ssdqos_trim_done(&batch, run, 600 * US, false);
	ssdqos_trim_exit(&batch);
}

static void a_large_piece_goes_in_several(void **state)
{
	assert_int_equal(qos_set_profile(MEASURED), 0);
	make_batch(2048);
	keep(0, 1 << 20);
	assert_int_equal(ssdqos_edf_trim_cost(qos_edf, &batch), 8 * MS);
	ssdqos_trim_exit(&batch);
}

/* ... and costs at the start no more than could be learned. */
static void the_first_costs_no_more_than_any(void **state)
{
	struct ssdqos_trim_run *run;

	assert_int_equal(qos_set_profile(QOS_PROFILE "discard seq 512 4294967294 "), 0);
	make_batch(2048);
	keep(0, 2048);
	ssdqos_trim_flush(&batch, 0, ~0ULL);
	assert_int_equal(ssdqos_edf_trim_cost(qos_edf, &batch), SSDQOS_TRIM_MAX_COST_NS);
	run = ssdqos_trim_next(&batch, qos_now_ns);
	ssdqos_trim_done(&batch, run, S, false);
	assert_in_range(ssdqos_edf_trim_cost(qos_edf, &batch), 90 * MS, 100 * MS);
	ssdqos_trim_exit(&batch);
}

static void parameters_say_how_they_are_kept(void **state)
{
	struct ssdqos_trim_config to;
	struct ssdqos_qos_config cfg;
	char err[256];

	ssdqos_qos_config_init(&cfg);
	assert_true(ssdqos_qos_config_set(&cfg, "drive_trim_age_ms", "20", err, sizeof(err)) >= 0);
	assert_true(ssdqos_qos_config_set(&cfg, "drive_trim_max_kib", "8", err, sizeof(err)) >= 0);
	ssdqos_qos_trim_config(&cfg.drive, 4096, &to);
	assert_int_equal(to.max_age_ns, 20 * MS);
	assert_int_equal(to.max_sectors, 16);
	assert_int_equal(to.granule, 8);
	/* what is given is worth more than what the drive says, or doesn't */
	ssdqos_qos_trim_config(&cfg.drive, 0, &to);
	assert_int_equal(to.granule, 1);
	assert_true(ssdqos_qos_config_set(&cfg, "drive_trim_granule_kib", "64", err, sizeof(err)) >= 0);
	ssdqos_qos_trim_config(&cfg.drive, 4096, &to);
	assert_int_equal(to.granule, 128);
	assert_true(ssdqos_qos_config_set(&cfg, "drive_trim_min_kib", "9", err, sizeof(err)) >= 0);
	assert_int_equal(ssdqos_qos_config_check(&cfg, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "drive_trim_min_kib: '9' is more than drive_trim_max_kib (8)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_maximum_all_pass),
		TEST(a_maximum_counts_each_as_one_request),
		TEST(their_size_is_no_matter),
		TEST(who_is_suspended_has_no_maximum),
		TEST(what_is_not_kept_after_all_is_counted_once),
		TEST(what_is_sent_is_charged_what_it_costs),
		TEST(what_passes_is_charged_by_size_and_order),
		TEST(a_maximum_counts_it_as_one_request_all_the_same),
		TEST(a_guarantee_pays_for_its_own),
		TEST(the_first_of_a_batch_cost_what_the_profile_says),
		TEST(a_large_piece_goes_in_several),
		TEST(the_first_costs_no_more_than_any),
		TEST(parameters_say_how_they_are_kept),
	};

	return cmocka_run_group_tests_name("qos_discard", tests, NULL, NULL);
}
