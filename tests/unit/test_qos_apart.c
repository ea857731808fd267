// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes have all of the drive's time each, if the drive was made so.
 */
#include "qos_helper.h"

#include "../../dm-ssdqos/core/qos/apart.h"

#define BLOCK 4096
#define RESERVED "min_iops=7000 block_bytes=4096 window_ms=1000"
/* With the drive's margin. */
#define RESERVED_PPM 717500
#define CLIENTS 3

static struct ssdqos_apart drive;
static struct ssdqos_apart_stream clients[CLIENTS];
static struct ssdqos_edf_req requests[8];

/* A request of 4 KiB takes 100 us, whatever it is. */
#define FLAT								\
	"ssdqos-profile 1 window_ms 100 1000 "				\
	"cost read rand 4096 1 990 - 100000 "				\
	"cost write rand 4096 1 990 - 100000 "

static void start(bool apart)
{
	struct ssdqos_profile *profile = ssdqos_profile_parse(FLAT, qos_err, sizeof(qos_err));

	assert_non_null(profile);
	assert_true(ssdqos_apart_create(&drive, apart));
	assert_int_equal(ssdqos_apart_set_profile(&drive, &profile, 0, qos_err, sizeof(qos_err)), 0);
	assert_null(profile);
	memset(clients, 0, sizeof(clients));
	for (u32 i = 0; i < CLIENTS; i++)
		assert_int_equal(ssdqos_apart_add(&drive, &clients[i], 0, qos_err,
						  sizeof(qos_err)), 0);
}

static int setup(void **state)
{
	start(true);
	return 0;
}

static int setup_one(void **state)
{
	start(false);
	return 0;
}

static int finish(void **state)
{
	for (u32 i = 0; i < CLIENTS; i++)
		ssdqos_apart_remove(&drive, &clients[i]);
	ssdqos_apart_destroy(&drive);
	return 0;
}

static int set(struct ssdqos_apart_stream *s, const char *words)
{
	struct ssdqos_qos_config config;
	int r;

	ssdqos_qos_config_init(&config);
	qos_config(&config, words);
	r = ssdqos_apart_check(&drive, s, &config, qos_err, sizeof(qos_err));
	assert_int_equal(ssdqos_apart_set(&drive, s, &config, 0, qos_err, sizeof(qos_err)), r);
	return r;
}

static struct ssdqos_edf_req *submit(u32 i, struct ssdqos_apart_stream *s, u32 kind,
				     enum ssdqos_edf_verdict verdict)
{
	struct ssdqos_edf_req *req = &requests[i];

	*req = (struct ssdqos_edf_req){ .kind = (u8)kind, .bytes = BLOCK };
	assert_int_equal(ssdqos_edf_submit(ssdqos_apart_side(&drive, s, kind), req, i * 1000, 0, 0),
			 verdict);
	return req;
}

static void complete(struct ssdqos_edf_req *req)
{
	ssdqos_edf_complete(req, SSDQOS_EDF_DONE, QOS_READ_NS, qos_events);
}

static void reads_and_writes_have_all_of_the_time_each(void **state)
{
	assert_int_equal(set(&clients[0], RESERVED), 0);
	assert_int_equal(set(&clients[1], RESERVED " op=write"), 0);
	assert_int_equal(set(&clients[2], RESERVED), -ENOSPC);
	assert_int_equal(set(&clients[2], RESERVED " op=write"), -ENOSPC);
	assert_int_equal(ssdqos_edf_used_ppm(drive.reads), RESERVED_PPM);
	assert_int_equal(ssdqos_edf_used_ppm(drive.writes), RESERVED_PPM);
}

static void one_drive_has_it_once(void **state)
{
	assert_int_equal(set(&clients[0], RESERVED), 0);
	assert_int_equal(set(&clients[1], RESERVED " op=write"), -ENOSPC);
	assert_null(drive.writes);
	assert_ptr_equal(ssdqos_apart_writes(&drive), drive.reads);
	assert_ptr_equal(ssdqos_apart_side(&drive, &clients[0], SSDQOS_EDF_KIND_WRITE),
			 &clients[0].reads);
}

/* Nobody owns with the one what he was promised of the other one. */
static void a_guarantee_belongs_to_its_op(void **state)
{
	struct ssdqos_apart_stream *s = &clients[0];

	assert_int_equal(set(s, RESERVED " weight=7"), 0);
	assert_ptr_equal(ssdqos_apart_owner(&drive, s), &s->reads);
	assert_int_equal(s->reads.util_ppm, RESERVED_PPM);
	assert_int_equal(s->writes.util_ppm, 0);
	assert_int_equal(s->writes.cfg.weight, 7);
	assert_int_equal(set(s, RESERVED " op=write"), 0);
	assert_ptr_equal(ssdqos_apart_owner(&drive, s), &s->writes);
	assert_int_equal(s->reads.util_ppm, 0);
	assert_int_equal(s->writes.util_ppm, RESERVED_PPM);
	assert_ptr_equal(ssdqos_apart_stream_of(&drive, &s->reads), s);
	assert_ptr_equal(ssdqos_apart_stream_of(&drive, &s->writes), s);
}

/* What is full is the side, not the drive. */
static void reads_do_not_wait_for_writes(void **state)
{
	struct ssdqos_edf_req *write, *read, *kept;

	assert_int_equal(set(&clients[0], RESERVED " drive_queue_depth=1"), 0);
	write = submit(0, &clients[1], SSDQOS_EDF_KIND_WRITE, SSDQOS_EDF_GO);
	submit(1, &clients[1], SSDQOS_EDF_KIND_WRITE, SSDQOS_EDF_WAIT);
	read = submit(2, &clients[0], SSDQOS_EDF_KIND_READ, SSDQOS_EDF_GO);
	assert_int_equal(ssdqos_apart_queued(&drive), 1);
	assert_int_equal(ssdqos_apart_in_flight(&drive), 2);
	assert_null(ssdqos_apart_next(&drive, 0));
	complete(read);
	assert_null(ssdqos_apart_next(&drive, QOS_READ_NS));
	complete(write);
	kept = ssdqos_apart_next(&drive, QOS_READ_NS);
	assert_ptr_equal(kept, &requests[1]);
	complete(kept);
}

static void flushes_and_discards_go_with_writes(void **state)
{
	for (u32 kind = 0; kind < SSDQOS_EDF_NR_KINDS; kind++)
		assert_ptr_equal(ssdqos_apart_side(&drive, &clients[0], kind)->edf,
				 kind == SSDQOS_EDF_KIND_READ ? drive.reads : drive.writes);
}

static void both_are_counted(void **state)
{
	struct ssdqos_edf_stats stats;

	complete(submit(0, &clients[0], SSDQOS_EDF_KIND_READ, SSDQOS_EDF_GO));
	complete(submit(1, &clients[0], SSDQOS_EDF_KIND_WRITE, SSDQOS_EDF_GO));
	ssdqos_apart_stats(&drive, &clients[0], &stats);
	assert_int_equal(stats.reads, 1);
	assert_int_equal(stats.writes, 1);
	ssdqos_apart_reset_stats(&drive, &clients[0]);
	ssdqos_apart_stats(&drive, &clients[0], &stats);
	assert_int_equal(stats.reads + stats.writes, 0);
}

static void both_drain(void **state)
{
	struct ssdqos_edf_req *req;

	assert_int_equal(set(&clients[0], "max_iops=1 burst_ms=0"), 0);
	complete(submit(0, &clients[0], SSDQOS_EDF_KIND_READ, SSDQOS_EDF_GO));
	complete(submit(1, &clients[0], SSDQOS_EDF_KIND_WRITE, SSDQOS_EDF_GO));
	submit(2, &clients[0], SSDQOS_EDF_KIND_READ, SSDQOS_EDF_WAIT);
	submit(3, &clients[0], SSDQOS_EDF_KIND_WRITE, SSDQOS_EDF_WAIT);
	assert_null(ssdqos_apart_next(&drive, QOS_READ_NS));
	assert_in_range(ssdqos_apart_wake_ns(&drive), QOS_READ_NS + 1, 2 * S);
	ssdqos_apart_drain(&drive, &clients[0], true, QOS_READ_NS);
	for (u32 i = 2; i < 4; i++) {
		req = ssdqos_apart_next(&drive, QOS_READ_NS);
		assert_ptr_equal(req, &requests[i]);
		complete(req);
	}
}

static void it_stays_as_it_was_made(void **state)
{
	assert_int_equal(set(&clients[0], "drive_apart=on"), 0);
	assert_int_equal(set(&clients[0], "drive_apart=off"), -EINVAL);
	assert_string_equal(qos_err,
			    "drive_apart: '0' can't be set, the drive's first client came with '1'");
}

/* One profile that does not fit one of the two changes neither. */
static void a_profile_is_of_both_or_of_none(void **state)
{
	struct ssdqos_profile *slow = ssdqos_profile_parse("ssdqos-profile 1 window_ms 1000 "
							   "cost read rand 4096 32 990 100000 "
							   "cost write rand 4096 32 990 200000 ",
							   qos_err, sizeof(qos_err));
	const struct ssdqos_profile *before = drive.reads->profile;

	assert_int_equal(set(&clients[0], RESERVED " op=write"), 0);
	assert_int_equal(ssdqos_apart_set_profile(&drive, &slow, 0, qos_err, sizeof(qos_err)),
			 -ENOSPC);
	assert_ptr_equal(drive.reads->profile, before);
	assert_ptr_equal(drive.writes->profile, before);
	ssdqos_profile_free(slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_and_writes_have_all_of_the_time_each, setup, finish),
		cmocka_unit_test_setup_teardown(one_drive_has_it_once, setup_one, finish),
		cmocka_unit_test_setup_teardown(a_guarantee_belongs_to_its_op, setup, finish),
		cmocka_unit_test_setup_teardown(reads_do_not_wait_for_writes, setup, finish),
		cmocka_unit_test_setup_teardown(flushes_and_discards_go_with_writes, setup, finish),
		cmocka_unit_test_setup_teardown(both_are_counted, setup, finish),
		cmocka_unit_test_setup_teardown(both_drain, setup, finish),
		cmocka_unit_test_setup_teardown(it_stays_as_it_was_made, setup, finish),
		cmocka_unit_test_setup_teardown(a_profile_is_of_both_or_of_none, setup, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
