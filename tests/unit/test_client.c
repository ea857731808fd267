// SPDX-License-Identifier: GPL-2.0
/*
 * Clients: when requests of a load arrive.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../tools/sim/load/client.h"

#define DRIVE_BYTES (64ULL << 20)
#define MS 1000000ULL

static struct client client;
static struct load *load;

static void start(const char *job, u64 now_ns)
{
	struct sim_error error;

	load = load_create(job, DRIVE_BYTES, &error);
	assert_non_null(load);
	client_start(&client, load, now_ns);
}

static int finish(void **state)
{
	client_stop(&client);
	load_destroy(load);
	return 0;
}

/* Takes all that has arrived; returns how many that were. */
static u32 take_all(u64 now_ns)
{
	struct sim_request request;
	u32 nr = 0;

	while (client_take(&client, now_ns, &request)) {
		assert_true(request.arrival_ns <= now_ns);
		nr++;
	}
	return nr;
}

static void a_closed_loop_keeps_its_depth(void **state)
{
	start("randread iodepth=5 number_ios=9", 7);
	assert_int_equal(client_next_ns(&client), 7);
	assert_int_equal(take_all(7), 5);
	assert_true(client_next_ns(&client) == SSDQOS_NEVER_NS);
	client_completed(&client, 3, 100);
	assert_int_equal(client_next_ns(&client), 100);
	assert_int_equal(take_all(100), 3);
	client_completed(&client, 5, 200);
	assert_int_equal(take_all(200), 1);
	assert_true(client_next_ns(&client) == SSDQOS_NEVER_NS);
}

static void thinktime_comes_after_completion(void **state)
{
	start("randread iodepth=2 thinktime_us=10 number_ios=100", 0);
	assert_int_equal(client_next_ns(&client), 10000);
	assert_int_equal(take_all(9999), 0);
	assert_int_equal(take_all(10000), 2);
	client_completed(&client, 1, 20000);
	client_completed(&client, 1, 25000);
	assert_int_equal(client_next_ns(&client), 30000);
	assert_int_equal(take_all(34999), 1);
	assert_int_equal(client_next_ns(&client), 35000);
}

static void an_open_loop_does_not_wait(void **state)
{
	start("randread rate_iops=1000 number_ios=3", 0);
	assert_int_equal(client_next_ns(&client), 0);
	assert_int_equal(take_all(0), 1);
	assert_int_equal(client_next_ns(&client), MS);
	client_completed(&client, 1, 0);
	assert_int_equal(client_next_ns(&client), MS);
	assert_int_equal(take_all(5 * MS), 2);
	assert_true(client_next_ns(&client) == SSDQOS_NEVER_NS);
}

static void nothing_comes_before_the_start(void **state)
{
	start("randread iodepth=3 start=20ms runtime=10ms", 5 * MS);
	assert_int_equal(client_next_ns(&client), 25 * MS);
	assert_int_equal(take_all(25 * MS), 3);
	client_completed(&client, 1, 34 * MS);
	assert_int_equal(take_all(34 * MS), 1);
	client_completed(&client, 1, 35 * MS);
	assert_int_equal(take_all(50 * MS), 0);
}

static void an_open_loop_starts_late_too(void **state)
{
	start("randread rate_iops=1000 start=20ms runtime=3ms", 0);
	assert_int_equal(client_next_ns(&client), 20 * MS);
	assert_int_equal(take_all(100 * MS), 3);
}

static void progress_begins_with_the_start(void **state)
{
	start("randread start=10ms runtime=10ms", 0);
	assert_int_equal(load_progress_ppm(load, 5 * MS), 0);
	assert_int_equal(load_progress_ppm(load, 15 * MS), 500000);
}

static void a_stopped_client_asks_for_nothing(void **state)
{
	start("randread iodepth=4", 0);
	client_stop(&client);
	assert_true(client_next_ns(&client) == SSDQOS_NEVER_NS);
	client_completed(&client, 4, 10);
	assert_int_equal(take_all(1000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_closed_loop_keeps_its_depth, finish),
		cmocka_unit_test_teardown(thinktime_comes_after_completion, finish),
		cmocka_unit_test_teardown(an_open_loop_does_not_wait, finish),
		cmocka_unit_test_teardown(nothing_comes_before_the_start, finish),
		cmocka_unit_test_teardown(an_open_loop_starts_late_too, finish),
		cmocka_unit_test_teardown(progress_begins_with_the_start, finish),
		cmocka_unit_test_teardown(a_stopped_client_asks_for_nothing, finish),
	};

	return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
