// SPDX-License-Identifier: GPL-2.0
/*
 * Discards that are kept count for their client's maximum, and cost the drive what
 * they have cost so far.
 */
#include "../../dm-ssdqos/core/trim/trim.h"
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
		TEST(what_is_sent_is_charged_what_it_costs),
		TEST(parameters_say_how_they_are_kept),
	};

	return cmocka_run_group_tests_name("qos_discard", tests, NULL, NULL);
}
