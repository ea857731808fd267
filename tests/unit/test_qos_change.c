// SPDX-License-Identifier: GPL-2.0
/*
 * Changes in two steps: reckoned while requests pass, then put in force.
 */
#include "qos_helper.h"

/* Everything costs half. */
#define FASTER								\
	"ssdqos-profile 1 window_ms 100 1000 "				\
	"cost read rand 4096 1 990 60000 50000 "			\
	"cost write rand 4096 1 990 - 200000 "

static struct ssdqos_profile *parse(const char *text)
{
	struct ssdqos_profile *profile = ssdqos_profile_parse(text, qos_err, sizeof(qos_err));

	if (!profile)
		fail_msg("%s", qos_err);
	return profile;
}

static struct ssdqos_edf_change *prepared(struct ssdqos_profile *profile)
{
	struct ssdqos_edf_change *change;

	assert_int_equal(ssdqos_edf_prepare_profile(qos_edf, profile, &change, qos_err, sizeof(qos_err)), 0);
	return change;
}

static void nothing_changes_before_it_is_put_in_force(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=1000");
	struct ssdqos_profile *profile = parse(FASTER);
	struct ssdqos_edf_change *change = prepared(profile);

	assert_int_equal(a->util_ppm, 100000);
	qos_read(a);
	assert_int_equal(qos_last_sent()->cost_ns, QOS_READ_NS);
	ssdqos_edf_end_change(change);
	assert_int_equal(a->util_ppm, 100000);
	qos_read(a);
	assert_int_equal(qos_last_sent()->cost_ns, QOS_READ_NS);
	ssdqos_profile_free(profile);
}

static void requests_pass_while_it_is_reckoned(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=1000 drive_queue_depth=2");
	struct ssdqos_edf_stream *b = qos_add("");
	struct ssdqos_profile *profile = parse(FASTER), *old = qos_edf->profile;
	struct ssdqos_edf_change *change = prepared(profile);

	for (u32 i = 0; i < 8; i++) {
		qos_read(a);
		qos_read(b);
	}
	qos_complete(qos_oldest());
	assert_non_null(qos_next());
	assert_ptr_equal(ssdqos_edf_commit(change, qos_now_ns), old);
	ssdqos_edf_end_change(change);
	ssdqos_profile_free(old);
	assert_int_equal(a->util_ppm, 50000);
	assert_int_equal(qos_edf->load.util_ppm[SSDQOS_QOS_READ], 50000);
	qos_serve(qos_now_ns + S, NULL);
	assert_int_equal(a->stats.reads + b->stats.reads, 16);
	qos_read(b);
	assert_int_equal(qos_last_sent()->cost_ns, QOS_READ_NS / 2);
}

/* Another depth has other costs, for all. */
static void another_depth_is_reckoned_for_all(void **state)
{
	static const char text[] = QOS_PROFILE_OF("32") "cost read rand 4096 4 990 240000 200000 ";
	struct ssdqos_edf_stream *a, *b;
	struct ssdqos_edf_change *change;
	struct ssdqos_qos_config config;

	assert_int_equal(qos_set_profile(text), 0);
	a = qos_add("min_iops=1000");
	b = qos_add("min_iops=1000");
	ssdqos_qos_config_init(&config);
	config.stream = b->cfg;
	qos_config(&config, "drive_queue_depth=4 weight=7");
	assert_int_equal(ssdqos_edf_prepare_set(b, &config, &change, qos_err, sizeof(qos_err)), 0);
	assert_int_equal(a->util_ppm, 100000);
	assert_null(ssdqos_edf_commit(change, qos_now_ns));
	ssdqos_edf_end_change(change);
	assert_int_equal(a->util_ppm, 200000);
	assert_int_equal(b->util_ppm, 200000);
	assert_int_equal(a->cfg.weight, SSDQOS_QOS_DEFAULT_WEIGHT);
	assert_int_equal(b->cfg.weight, 7);
}

static void without_memory_nothing_changes(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("min_iops=1000");
	struct ssdqos_qos_config config;

	ssdqos_qos_config_init(&config);
	qos_config(&config, "min_iops=2000");
	ssdqos_env_fail_at = 1;
	assert_int_equal(ssdqos_edf_set(a, &config, qos_now_ns, qos_err, sizeof(qos_err)), -ENOMEM);
	assert_string_equal(qos_err, "no memory to reckon the costs of 1 streams");
	assert_int_equal(a->util_ppm, 100000);
}

/* Of the drive, which a line that does not say it can't undo, nor contradict. */
static void what_others_have_said_holds(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_throttle=static drive_endurance_gb=100"), *b = qos_add("");

	assert_int_equal(qos_set(b, "drive_pe_cycles=3000"), -EINVAL);
	assert_string_equal(qos_err, "drive_endurance_gb, drive_pe_cycles: only one of them can be the endurance, the other has to be 0");
	assert_int_equal(qos_set(b, "drive_endurance_gb=0"), -EINVAL);
	assert_int_equal(qos_set(b, "drive_throttle=horizon"), 0);
	assert_int_equal(qos_set(b, "drive_trim_max_kib=64"), 0);
	assert_int_equal(qos_set(a, "drive_trim_min_kib=128"), -EINVAL);
	assert_int_equal(qos_set(b, "drive_pe_cycles=3000 drive_endurance_gb=0"), 0);
	assert_int_equal(qos_set(a, "weight=200"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_changes_before_it_is_put_in_force),
		TEST(requests_pass_while_it_is_reckoned),
		TEST(another_depth_is_reckoned_for_all),
		TEST(without_memory_nothing_changes),
		TEST(what_others_have_said_holds),
	};

	return cmocka_run_group_tests_name("qos_change", tests, NULL, NULL);
}
