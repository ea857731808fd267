// SPDX-License-Identifier: GPL-2.0
/*
 * Spare writes in order pay for the stop of the drive that they bring about.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

/* 300 ms after a MiB in order. */
#define STOPS QOS_PROFILE "stop 300 1024 "
#define OWNER "util_ppm=500000 window_ms=500 confidence_permille=900 "
/* Twice the stop and a window, of which a tenth may be missed, for a MiB. */
#define ALL_NS (2 * (300 + 500) * 10 * MS)
#define KIB_NS (ALL_NS / 1024)
#define BYTES 4096
#define SECTORS (BYTES / 512)

static u64 next_sector;

static int setup(void **state)
{
	next_sector = 1 << 20;
	qos_start(STOPS);
	qos_edf->cfg.drive_debt = 1;
	return 0;
}

/* What costs, and the time that is kept for all without a promise, say nothing. */
static void only_order_holds(void)
{
	qos_edf->debt.until_ns = 0;
	qos_edf->group_start_ns = qos_now_ns + S;
}

/* A write that goes on where the one before has ended. */
static enum ssdqos_edf_verdict in_order(struct ssdqos_edf_stream *s)
{
	enum ssdqos_edf_verdict verdict;

	only_order_holds();
	verdict = qos_submit_at(s, qos_request(SSDQOS_EDF_KIND_WRITE, BYTES), next_sector, 0);
	next_sector += SECTORS;
	return verdict;
}

/* The owner is there, and somebody has begun to write in order. */
static struct ssdqos_edf_stream *writer(const char *owner)
{
	struct ssdqos_edf_stream *b;

	qos_read(qos_add(owner));
	b = qos_add("");
	assert_int_equal(in_order(b), SSDQOS_EDF_GO);
	return b;
}

static void each_kib_takes_its_part_of_what_a_stop_needs(void **state)
{
	struct ssdqos_edf_stream *b = writer(OWNER);
	u64 all_ns = 4 * KIB_NS;

	assert_int_equal(qos_edf->debt.order_kib_ns, KIB_NS);
	assert_int_equal(in_order(b), SSDQOS_EDF_GO);
	assert_int_equal(qos_edf->debt.order_until_ns, qos_now_ns + all_ns);
	assert_int_equal(in_order(b), SSDQOS_EDF_WAIT);
	only_order_holds();
	assert_int_equal(ssdqos_edf_why(b, qos_now_ns), SSDQOS_EDF_WAITS_DEBT);
	assert_int_equal(ssdqos_edf_wake_ns(qos_edf), qos_now_ns + all_ns);
	qos_now_ns += all_ns - 1;
	only_order_holds();
	assert_null(qos_next());
	qos_now_ns++;
	assert_ptr_equal(qos_next(), b);
}

static void writes_somewhere_else_do_not_wait(void **state)
{
	struct ssdqos_edf_stream *b = writer(OWNER), *c = qos_add("");

	in_order(b);
	assert_int_equal(in_order(b), SSDQOS_EDF_WAIT);
	only_order_holds();
	assert_int_equal(qos_write(c), SSDQOS_EDF_GO);
}

static void a_window_that_makes_up_for_a_stop_asks_nothing(void **state)
{
	struct ssdqos_edf_stream *b = writer("util_ppm=500000 window_ms=600 confidence_permille=900");

	assert_int_equal(qos_edf->debt.order_kib_ns, 0);
	in_order(b);
	assert_int_equal(in_order(b), SSDQOS_EDF_GO);
}

static void a_drive_that_does_not_stop_asks_nothing(void **state)
{
	struct ssdqos_edf_stream *b;

	assert_int_equal(qos_set_profile(QOS_PROFILE), 0);
	b = writer(OWNER);
	assert_int_equal(qos_edf->debt.order_kib_ns, 0);
	in_order(b);
	assert_int_equal(in_order(b), SSDQOS_EDF_GO);
}

static void without_a_promise_nothing_is_asked(void **state)
{
	struct ssdqos_edf_stream *b = qos_add("weight=200");

	in_order(b);
	in_order(b);
	assert_int_equal(in_order(b), SSDQOS_EDF_GO);
}

static void no_write_waits_for_long(void **state)
{
	struct ssdqos_edf_stream *b;

	assert_int_equal(qos_set_profile(QOS_PROFILE "stop 86400000 1 "), 0);
	b = writer(OWNER);
	in_order(b);
	assert_int_equal(qos_edf->debt.order_until_ns, qos_now_ns + 10 * S);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_kib_takes_its_part_of_what_a_stop_needs),
		TEST(writes_somewhere_else_do_not_wait),
		TEST(a_window_that_makes_up_for_a_stop_asks_nothing),
		TEST(a_drive_that_does_not_stop_asks_nothing),
		TEST(without_a_promise_nothing_is_asked),
		TEST(no_write_waits_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
