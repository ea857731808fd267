// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of one class in a row: who goes first, for how long, and when a batch is cut short.
 */
#include "qos_helper.h"

#define DEPTH 4
#define DRIVE "drive_queue_depth=4 "
#define BATCH DRIVE "drive_batch_ms=100 "
#define IN_A_ROW 8
/* A read of 4 KiB owns 10 ms; with a hundredth of the group nearly all of that may be given to others. */
#define SMALL_OWNER "util_ppm=10000 "
#define SMALL_OWNER_SLACK (9800 * US)

static void submit(struct ssdqos_edf_stream *s, u32 kind, u32 nr)
{
	while (nr--)
		qos_submit(s, kind, 4096, 0);
}

/* The oldest is done; whose request goes instead? */
static struct ssdqos_edf_stream *one_goes(void)
{
	qos_complete(qos_oldest());
	return qos_next();
}

static u32 of_a_row(const struct ssdqos_edf_stream *s)
{
	u32 nr = 0;

	for (u32 i = 0; i < IN_A_ROW; i++)
		nr += one_goes() == s;
	return nr;
}

/* A reader and a writer without a guarantee.  The drive has as much as it gets, all of the reader. */
static struct ssdqos_edf_stream *reader, *writer;

static void reader_and_writer(const char *words)
{
	reader = qos_add(words);
	writer = qos_add("");
	submit(reader, SSDQOS_EDF_KIND_READ, DEPTH + 2 * IN_A_ROW);
	submit(writer, SSDQOS_EDF_KIND_WRITE, 2 * IN_A_ROW);
}

static void without_it_they_take_turns(void **state)
{
	reader_and_writer(DRIVE);
	assert_in_range(of_a_row(reader), 1, IN_A_ROW - 1);
}

static void those_of_one_class_go_in_a_row(void **state)
{
	reader_and_writer(BATCH);
	assert_int_equal(of_a_row(reader), IN_A_ROW);
}

static void it_ends_when_nobody_has_more_of_it(void **state)
{
	reader_and_writer(BATCH);
	assert_int_equal(of_a_row(reader) + of_a_row(reader), 2 * IN_A_ROW);
	assert_ptr_equal(one_goes(), writer);
}

/* Without a guarantee, too: so requests may not pass unseen. */
static void to_ask_for_it_is_a_rule(void **state)
{
	struct ssdqos_edf_stream *s = qos_add("");

	assert_false(qos_edf->configured);
	qos_set(s, "drive_batch_ms=100");
	assert_true(qos_edf->configured);
}

static void it_ends_after_its_time(void **state)
{
	reader_and_writer(BATCH);
	assert_int_equal(of_a_row(reader), IN_A_ROW);
	qos_at(qos_since(qos_now_ns) + 101 * MS);
	/* it has the least V, and a batch of its own now */
	assert_int_equal(of_a_row(writer), IN_A_ROW);
}

static void sequential_and_random_writes_go_apart(void **state)
{
	struct ssdqos_edf_stream *seq = qos_add(BATCH), *rand = qos_add("");
	u64 sector = 1 << 20;

	for (u32 i = 0; i < DEPTH + 2 * IN_A_ROW; i++, sector += 8)
		qos_submit_at(seq, qos_request(SSDQOS_EDF_KIND_WRITE, 4096), sector, 0);
	submit(rand, SSDQOS_EDF_KIND_WRITE, IN_A_ROW);
	assert_int_equal(of_a_row(seq), IN_A_ROW);
}

/* A batch of writes, and an owner with a read that may wait for a while. */
static struct ssdqos_edf_stream *owner_beside_writes(const char *words)
{
	struct ssdqos_edf_stream *owner = qos_add(words);

	writer = qos_add(SMALL_OWNER "op=write");
	qos_at(qos_since(qos_now_ns) + S);
	writer->start_ns = qos_now_ns + 10 * S;
	owner->start_ns = qos_now_ns;
	submit(writer, SSDQOS_EDF_KIND_WRITE, DEPTH + 4 * IN_A_ROW);
	assert_int_equal(qos_read(owner), SSDQOS_EDF_WAIT);
	return owner;
}

static void without_it_who_is_owed_comes_first(void **state)
{
	struct ssdqos_edf_stream *owner = owner_beside_writes(DRIVE SMALL_OWNER);

	assert_ptr_equal(one_goes(), owner);
}

static void who_is_owed_lets_a_batch_go_on(void **state)
{
	owner_beside_writes(BATCH SMALL_OWNER);
	assert_int_equal(of_a_row(writer), IN_A_ROW);
}

static void a_batch_is_cut_short_for_a_deadline(void **state)
{
	struct ssdqos_edf_stream *owner = owner_beside_writes(BATCH SMALL_OWNER), *other = qos_add("");
	u64 begin_ns = qos_now_ns, drive_ns = (DEPTH - 1) * QOS_WRITE_NS;

	/* another one with reads, whose turn it is much later */
	other->virtual_ns = 10 * S;
	qos_edf->group_start_ns = qos_now_ns + 10 * S;
	submit(other, SSDQOS_EDF_KIND_READ, IN_A_ROW);
	qos_at(qos_since(begin_ns) + SMALL_OWNER_SLACK - drive_ns - 400 * US);
	assert_ptr_equal(one_goes(), writer);
	qos_at(qos_since(begin_ns) + SMALL_OWNER_SLACK - drive_ns + 100 * US);
	assert_ptr_equal(one_goes(), owner);
	assert_true(qos_now_ns + drive_ns + QOS_READ_NS <= qos_last_sent()->deadline_ns);
	/* ... which begins none of its own class */
	assert_int_equal(of_a_row(writer), IN_A_ROW);
}

static void where_all_is_promised_nobody_steps_back(void **state)
{
	struct ssdqos_edf_stream *owner = owner_beside_writes(BATCH SMALL_OWNER);

	qos_edf->load.util_ppm[SSDQOS_QOS_READ] = 1000000;
	assert_ptr_equal(one_goes(), owner);
}

static void who_is_owed_goes_first_within_a_batch(void **state)
{
	struct ssdqos_edf_stream *owner;

	reader_and_writer(BATCH);
	owner = qos_add("util_ppm=100000");
	owner->virtual_ns = 10 * S;
	assert_int_equal(qos_read(owner), SSDQOS_EDF_WAIT);
	assert_ptr_equal(one_goes(), owner);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_RESERVED);
	assert_int_equal(of_a_row(reader), IN_A_ROW);
}

/* The debt says when spare writes go, not a batch of reads. */
static void spare_writes_beside_an_owner_keep_their_turn(void **state)
{
	qos_edf->cfg.drive_debt = 1;
	reader_and_writer(BATCH);
	qos_add("util_ppm=100000 drive_debt=on");
	qos_edf->debt.until_ns = 0;
	assert_ptr_equal(one_goes(), writer);
	qos_edf->debt.until_ns = qos_now_ns + S;
	assert_int_equal(of_a_row(reader), IN_A_ROW);
}

static void again(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	qos_submit(s, req->kind, 4096, 0);
}

static void a_guarantee_is_kept_beside_batches(void **state)
{
	struct ssdqos_edf_stream *owner = qos_add(BATCH "min_iops=3000 window_ms=100");

	submit(owner, SSDQOS_EDF_KIND_READ, DEPTH);
	submit(qos_add(""), SSDQOS_EDF_KIND_WRITE, 2 * DEPTH);
	submit(qos_add(""), SSDQOS_EDF_KIND_READ, 2 * DEPTH);
	qos_serve(qos_now_ns + 5 * S, again);
	assert_true(owner->stats.windows >= 49);
	assert_int_equal(owner->stats.windows_missed, 0);
}

static void weights_hold_over_several_batches(void **state)
{
	struct ssdqos_edf_stream *heavy = qos_add(DRIVE "drive_batch_ms=20 weight=300"), *light = qos_add("");

	submit(heavy, SSDQOS_EDF_KIND_READ, 2 * DEPTH);
	submit(light, SSDQOS_EDF_KIND_WRITE, 2 * DEPTH);
	qos_serve(qos_now_ns + 10 * S, again);
	assert_in_range(heavy->stats.charged_ns, light->stats.charged_ns * 28 / 10,
			light->stats.charged_ns * 32 / 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qos_setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_it_they_take_turns),
		TEST(those_of_one_class_go_in_a_row),
		TEST(it_ends_when_nobody_has_more_of_it),
		TEST(to_ask_for_it_is_a_rule),
		TEST(it_ends_after_its_time),
		TEST(sequential_and_random_writes_go_apart),
		TEST(without_it_who_is_owed_comes_first),
		TEST(who_is_owed_lets_a_batch_go_on),
		TEST(a_batch_is_cut_short_for_a_deadline),
		TEST(where_all_is_promised_nobody_steps_back),
		TEST(who_is_owed_goes_first_within_a_batch),
		TEST(spare_writes_beside_an_owner_keep_their_turn),
		TEST(a_guarantee_is_kept_beside_batches),
		TEST(weights_hold_over_several_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
