// SPDX-License-Identifier: GPL-2.0
/*
 * The past counts for nobody who comes: what was not used, or not to be had, is no right to
 * leave others without anything.
 */
#include "qos_helper.h"

/* Full of it, the drive has no room left. */
#define DEPTH 32
/* Long enough to starve somebody for minutes, if it counted. */
#define IDLE_NS (600 * S)
/* A mixture of whatever parts takes nearly twice the time, so spare writes get little. */
#define DEAR_MIXTURES QOS_PROFILE "mix 0 1000 mix 1 1900 mix 99 1900 mix 100 1000 "

struct client {
	u64 nr;
	u32 kind;
	u32 bytes;
	/* where its next request begins; 0: somewhere else each time */
	u64 sector;
};

static struct client clients[QOS_STREAMS];
static bool asks;

static struct client *client_of(const struct ssdqos_edf_stream *s)
{
	return &clients[s - qos_streams];
}

static void ask(struct ssdqos_edf_stream *s)
{
	struct client *c = client_of(s);

	if (!c->sector) {
		qos_submit(s, c->kind, c->bytes, 0);
		return;
	}
	qos_submit_at(s, qos_request(c->kind, c->bytes), c->sector, 0);
	c->sector += c->bytes >> 9;
}

static void ask_many(struct ssdqos_edf_stream *s, u32 nr)
{
	while (nr--)
		ask(s);
}

/* One comes for one that is done. */
static void done(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	client_of(s)->nr++;
	if (asks)
		ask(s);
}

static struct ssdqos_edf_stream *add(const char *words, u32 kind, u32 bytes)
{
	struct ssdqos_edf_stream *s = qos_add(words);

	*client_of(s) = (struct client){ .kind = kind, .bytes = bytes };
	return s;
}

static struct ssdqos_edf_stream *add_reader(const char *words)
{
	return add(words, SSDQOS_EDF_KIND_READ, 4096);
}

static void begin(const char *profile)
{
	qos_start(profile);
	memset(clients, 0, sizeof(clients));
	asks = true;
}

static int start(void **state)
{
	begin(QOS_PROFILE);
	return 0;
}

static int start_dear(void **state)
{
	begin(DEAR_MIXTURES);
	qos_edf->cfg.drive_debt = 1;
	return 0;
}

static int finish(void **state)
{
	asks = false;
	return qos_finish(state);
}

/* What a stream gets done in a time. */
static u64 serve(struct ssdqos_edf_stream *s, u64 ns)
{
	u64 before = client_of(s)->nr;

	qos_serve(qos_now_ns + ns, done);
	return client_of(s)->nr - before;
}

/* An owner comes back after a long time, and a neighbour has just filled the drive without waiting. */
static void come_back_behind(struct ssdqos_edf_stream *owner, struct ssdqos_edf_stream *neighbour)
{
	qos_at(IDLE_NS);
	ask_many(neighbour, DEPTH);
	ask_many(owner, DEPTH);
}

static void idle_time_is_no_arrears(void **state)
{
	struct ssdqos_edf_stream *a = add_reader("min_iops=5000 op=read");
	struct ssdqos_edf_stream *b = add_reader("min_iops=2000 op=read");
	struct ssdqos_edf_stream *neighbour = add_reader("");

	come_back_behind(a, neighbour);
	ask_many(b, DEPTH);
	serve(a, 3 * S);
	assert_in_range(client_of(a)->nr, 3 * 4950, ~0ULL);
	assert_in_range(client_of(b)->nr, 3 * 1980, ~0ULL);
}

static void nor_is_that_of_those_without_a_promise(void **state)
{
	struct ssdqos_edf_stream *a = add_reader("min_iops=5000 op=read");
	struct ssdqos_edf_stream *neighbour = add_reader("");

	come_back_behind(a, neighbour);
	ask_many(neighbour, DEPTH);
	assert_in_range(serve(a, 3 * S), 3 * 4950, ~0ULL);
}

/* It owns more than its cheap requests use, and its maximum lets it send no more of them. */
static struct ssdqos_edf_stream *held_by_its_maximum(const char *words)
{
	struct ssdqos_edf_stream *s = add_reader(words);

	client_of(s)->sector = 8;
	ask_many(s, DEPTH);
	return s;
}

static void turn_to_large_reads(struct ssdqos_edf_stream *s)
{
	client_of(s)->sector = 0;
	client_of(s)->bytes = 1 << 20;
}

static void a_maximum_saves_no_guarantee_up(void **state)
{
	struct ssdqos_edf_stream *a = held_by_its_maximum("min_iops=1000 max_iops=1000 op=read");
	struct ssdqos_edf_stream *b = add_reader("min_iops=5000 op=read");

	ask_many(b, DEPTH);
	serve(b, 60 * S);
	turn_to_large_reads(a);
	assert_in_range(serve(b, 3 * S), 3 * 4950, ~0ULL);
}

static void nor_a_share_of_spare_time(void **state)
{
	struct ssdqos_edf_stream *a = held_by_its_maximum("max_iops=1000");
	struct ssdqos_edf_stream *b = add_reader("");
	u64 half;

	ask_many(b, DEPTH);
	serve(b, 60 * S);
	turn_to_large_reads(a);
	/* what the drive has of the old ones */
	serve(b, S / 10);
	half = 2 * S / QOS_READ_NS / 2;
	assert_in_range(serve(b, 2 * S), half * 9 / 10, ~0ULL);
}

static void writes_that_are_held_save_no_reads_up(void **state)
{
	struct ssdqos_edf_stream *a = add_reader("min_iops=5000 op=read");
	struct ssdqos_edf_stream *b = add("", SSDQOS_EDF_KIND_WRITE, 4096);
	struct ssdqos_edf_stream *c = add_reader("");
	u64 alone;

	ask_many(a, DEPTH);
	ask_many(b, DEPTH);
	ask_many(c, DEPTH / 2);
	serve(c, 59 * S);
	alone = serve(c, S);
	client_of(b)->kind = SSDQOS_EDF_KIND_READ;
	ask_many(b, 4 * DEPTH);
	assert_in_range(serve(c, 2 * S), 2 * alone / 3, ~0ULL);
}

/* Whoever always waits has the least V, and somebody else's reads have moved all others' up. */
static void who_comes_now_and_then_waits_behind_no_one_s_past(void **state)
{
	struct ssdqos_edf_stream *a = add_reader("min_iops=5000 op=read");
	struct ssdqos_edf_stream *bulk = add("", SSDQOS_EDF_KIND_WRITE, 4096);
	struct ssdqos_edf_stream *reader = add_reader("");
	struct ssdqos_edf_stream *single = add("", SSDQOS_EDF_KIND_WRITE, 4096);
	u64 others;

	ask_many(a, DEPTH);
	ask_many(bulk, DEPTH);
	ask_many(reader, DEPTH);
	serve(a, 30 * S);
	ask_many(single, 1);
	others = client_of(bulk)->nr;
	serve(a, 30 * S);
	others = client_of(bulk)->nr - others;
	assert_in_range(client_of(single)->nr, others / 3, ~0ULL);
}

/* The drive was promised 1.4 times for a minute. */
static void a_new_promise_stands_behind_no_arrears(void **state)
{
	struct ssdqos_edf_stream *a = add_reader("util_ppm=800000 drive_overcommit=on");
	struct ssdqos_edf_stream *b = add_reader("util_ppm=600000");
	struct ssdqos_edf_stream *c;

	ask_many(a, DEPTH);
	ask_many(b, DEPTH);
	serve(a, 60 * S);
	assert_int_equal(qos_set(a, "util_ppm=300000"), 0);
	assert_int_equal(qos_set(b, "util_ppm=300000"), 0);
	c = add_reader("util_ppm=200000 drive_overcommit=off");
	ask_many(c, DEPTH);
	assert_in_range(serve(c, S), 1950, ~0ULL);
}

/* The windows that were missed in that minute are over. */
static void nobody_else_waits_for_arrears_of_a_minute(void **state)
{
	struct ssdqos_edf_stream *a = add_reader("util_ppm=700000 window_ms=1000 drive_overcommit=on");
	struct ssdqos_edf_stream *b = add_reader("util_ppm=600000 window_ms=2000");
	struct ssdqos_edf_stream *c = add_reader("");
	u64 third;

	ask_many(a, DEPTH);
	ask_many(b, DEPTH);
	ask_many(c, DEPTH);
	serve(c, 60 * S);
	assert_int_equal(qos_set(b, "util_ppm=0"), 0);
	serve(c, 5 * S);
	third = S * 3 / 10 / QOS_READ_NS / 3;
	assert_in_range(serve(c, S), third * 9 / 10, ~0ULL);
}

/* While there was much to spare, reads had most of it; then there is only what they own together. */
static void both_have_half_of_it(struct ssdqos_edf_stream *a, const char *words, struct ssdqos_edf_stream *b,
				 struct ssdqos_edf_stream *c)
{
	u64 half = 10 * S / 100 / 2, bs, cs;

	ask_many(a, DEPTH);
	ask_many(b, DEPTH / 2);
	ask_many(c, DEPTH);
	serve(a, 60 * S);
	assert_int_equal(qos_set(a, "util_ppm=995000 drive_overcommit=on"), 0);
	serve(a, S);
	assert_int_equal(qos_set(a, words), 0);
	bs = b->stats.charged_ns;
	cs = c->stats.charged_ns;
	serve(a, 10 * S);
	assert_in_range(b->stats.charged_ns - bs, half * 8 / 10, ~0ULL);
	assert_in_range(c->stats.charged_ns - cs, half * 8 / 10, ~0ULL);
}

static void what_they_own_is_shared_whatever_was_spare_before(void **state)
{
	both_have_half_of_it(add_reader("util_ppm=500000"), "drive_batch_ms=0", add_reader(""),
			     add("", SSDQOS_EDF_KIND_WRITE, 4096));
}

/* These go by V, which is far beyond what they had of their own. */
static void likewise_when_there_are_no_batches_any_more(void **state)
{
	both_have_half_of_it(add_reader("util_ppm=500000 drive_batch_ms=200"), "drive_batch_ms=0", add_reader(""),
			     add_reader(""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)
#define DEAR_TEST(name) cmocka_unit_test_setup_teardown(name, start_dear, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(idle_time_is_no_arrears),
		TEST(nor_is_that_of_those_without_a_promise),
		TEST(a_maximum_saves_no_guarantee_up),
		TEST(nor_a_share_of_spare_time),
		DEAR_TEST(writes_that_are_held_save_no_reads_up),
		DEAR_TEST(who_comes_now_and_then_waits_behind_no_one_s_past),
		TEST(a_new_promise_stands_behind_no_arrears),
		DEAR_TEST(what_they_own_is_shared_whatever_was_spare_before),
		TEST(likewise_when_there_are_no_batches_any_more),
		TEST(nobody_else_waits_for_arrears_of_a_minute),
	};

	return cmocka_run_group_tests_name("qos_past", tests, NULL, NULL);
}
