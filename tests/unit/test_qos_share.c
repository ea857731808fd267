// SPDX-License-Identifier: GPL-2.0
/*
 * Shares of the device time over a long time, on a drive that takes what requests cost.
 */
#include "qos_helper.h"

#define DEPTH 8
#define BACKLOG 4

/* What a stream got of the device, in ns, and what it keeps asking for. */
struct client {
	u64 owned_ns;
	u64 other_ns;
	u32 kind;
	u32 bytes;
};

static struct client clients[QOS_STREAMS];
static bool asks;

static struct client *client_of(const struct ssdqos_edf_stream *s)
{
	return &clients[s - qos_streams];
}

static u64 all_ns(const struct ssdqos_edf_stream *s)
{
	return client_of(s)->owned_ns + client_of(s)->other_ns;
}

static void ask(struct ssdqos_edf_stream *s)
{
	qos_submit(s, client_of(s)->kind, client_of(s)->bytes, 0);
}

/* One comes for one that is done. */
static void done(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	if (req->decision == SSDQOS_EDF_RESERVED)
		client_of(s)->owned_ns += req->cost_ns;
	else
		client_of(s)->other_ns += req->cost_ns;
	if (asks)
		ask(s);
}

static struct ssdqos_edf_stream *add(const char *words, u32 kind, u32 bytes, u32 depth)
{
	struct ssdqos_edf_stream *s = qos_add(words);

	*client_of(s) = (struct client){ .kind = kind, .bytes = bytes };
	while (depth--)
		ask(s);
	return s;
}

static int start(void **state)
{
	qos_start(QOS_PROFILE);
	memset(clients, 0, sizeof(clients));
	asks = true;
	return 0;
}

static int finish(void **state)
{
	asks = false;
	return qos_finish(state);
}

static void serve(u64 ns)
{
	qos_serve(qos_now_ns + ns, done);
}

/* Parts from 0.5 to 31.5 %, 98 % in all, of all kinds and sizes, and two greedy streams. */
static void add_many(const char *mode)
{
	static const u32 permille[] = { 5, 20, 35, 80, 105, 170, 250, 315 };
	char words[128];

	for (u32 i = 0; i < 8; i++) {
		snprintf(words, sizeof(words), "util_ppm=%u000 drive_mode=%s drive_queue_depth=%u",
			 permille[i], mode, DEPTH);
		add(words, i % 2 ? SSDQOS_EDF_KIND_WRITE : SSDQOS_EDF_KIND_READ,
		    4096 << i % 3, DEPTH + BACKLOG);
	}
	add("", SSDQOS_EDF_KIND_WRITE, 1 << 20, 256);
	add("weight=10000", SSDQOS_EDF_KIND_READ, 4096, 256);
}

/* Owners may be late by what the drive has, and by one request of each stream. */
#define SLACK_NS (40 * MS)

static void owners_get_what_they_own(void **state)
{
	u64 sum_ns = 0;

	add_many("work_conserving");
	serve(20 * S);
	for (u32 i = 0; i < 8; i++) {
		const u64 own_ns = 20 * S / SSDQOS_QOS_PPM * qos_streams[i].util_ppm;

		assert_true(clients[i].owned_ns + SLACK_NS >= own_ns);
		assert_true(clients[i].owned_ns <= own_ns + SLACK_NS);
	}
	for (u32 i = 0; i < 10; i++)
		sum_ns += clients[i].owned_ns + clients[i].other_ns;
	assert_true(sum_ns + SLACK_NS >= 20 * S);
}

static void in_strict_mode_they_get_no_more(void **state)
{
	add_many("strict");
	serve(20 * S);
	for (u32 i = 0; i < 8; i++) {
		const u64 own_ns = 20 * S / SSDQOS_QOS_PPM * qos_streams[i].util_ppm;

		assert_true(clients[i].owned_ns + SLACK_NS >= own_ns);
		assert_true(clients[i].owned_ns <= own_ns + SLACK_NS);
		assert_int_equal(clients[i].other_ns, 0);
	}
	/* the rest is 2 % */
	assert_true(clients[8].other_ns + clients[9].other_ns + SLACK_NS >= 400 * MS);
}

static void best_effort_never_starves(void **state)
{
	struct ssdqos_edf_stream *owner = add("util_ppm=990000 weight=10000 drive_queue_depth=8",
					      SSDQOS_EDF_KIND_READ, 4096, 64);
	struct ssdqos_edf_stream *other = add("weight=1", SSDQOS_EDF_KIND_WRITE, 16384, 1);

	serve(20 * S);
	assert_true(all_ns(other) >= 20 * S / 100 - 2 * MS);
	assert_true(all_ns(owner) >= 20 * S / 100 * 99 - SLACK_NS);
}

/* With one request at a time of those that want spare time, up to the drive's depth. */
static void spare_time_goes_by_weight(void **state)
{
	static const u32 weight[] = { 100, 50, 300, 1000 };
	const u64 run_ns = 10 * S;
	u64 sum = 0;
	char words[64];

	for (u32 i = 0; i < 4; i++) {
		snprintf(words, sizeof(words), "weight=%u drive_queue_depth=%u", weight[i], DEPTH);
		add(words, i % 2 ? SSDQOS_EDF_KIND_WRITE : SSDQOS_EDF_KIND_READ, 4096 << i, 64);
		sum += weight[i];
	}
	serve(run_ns);
	for (u32 i = 0; i < 4; i++) {
		const u64 fair_ns = run_ns / sum * weight[i];

		assert_true(all_ns(&qos_streams[i]) + 10 * MS >= fair_ns);
		assert_true(all_ns(&qos_streams[i]) <= fair_ns + 10 * MS);
	}
}

static void what_owners_leave_goes_by_weight(void **state)
{
	struct ssdqos_edf_stream *a = add("util_ppm=200000 weight=300 drive_queue_depth=8",
					  SSDQOS_EDF_KIND_READ, 4096, 64);
	struct ssdqos_edf_stream *b = add("util_ppm=300000 weight=100", SSDQOS_EDF_KIND_READ, 4096, 64);
	struct ssdqos_edf_stream *c = add("weight=100", SSDQOS_EDF_KIND_READ, 4096, 64);

	serve(10 * S);
	/* the other half: 3 : 1 : 1 */
	assert_in_range(all_ns(a), 5000 * MS - SLACK_NS, 5000 * MS + SLACK_NS);
	assert_in_range(all_ns(b), 4000 * MS - SLACK_NS, 4000 * MS + SLACK_NS);
	assert_in_range(all_ns(c), 1000 * MS - SLACK_NS, 1000 * MS + SLACK_NS);
}

static void an_idle_owner_s_time_is_not_lost(void **state)
{
	struct ssdqos_edf_stream *a, *b;

	qos_add("util_ppm=600000 drive_queue_depth=8");
	a = add("util_ppm=100000", SSDQOS_EDF_KIND_READ, 4096, 64);
	b = add("", SSDQOS_EDF_KIND_READ, 4096, 64);
	serve(10 * S);
	assert_true(all_ns(a) + all_ns(b) >= 10 * S - 10 * MS);
	assert_in_range(all_ns(a), 5500 * MS - SLACK_NS, 5500 * MS + SLACK_NS);
}

/* It has one request at a time, and others would fill the drive's queue. */
static void a_shallow_owner_is_not_drowned(void **state)
{
	struct ssdqos_edf_stream *a = add("util_ppm=400000 drive_queue_depth=32 drive_credit_ms=100",
					  SSDQOS_EDF_KIND_READ, 4096, 1);

	add("", SSDQOS_EDF_KIND_READ, 4096, 256);
	serve(S);	/* it takes a while until the pace is found */
	client_of(a)->owned_ns = 0;
	serve(10 * S);
	assert_true(client_of(a)->owned_ns >= 3500 * MS);
}

static void pacing_ends_when_nobody_is_behind(void **state)
{
	struct ssdqos_edf_stream *a = add("util_ppm=400000 drive_queue_depth=32 drive_credit_ms=100",
					  SSDQOS_EDF_KIND_READ, 4096, 1);

	add("", SSDQOS_EDF_KIND_READ, 4096, 256);
	serve(S);
	assert_true(qos_edf->in_flight < 32);
	assert_int_equal(qos_set(a, "util_ppm=0"), 0);
	serve(S);
	assert_int_equal(qos_edf->in_flight, 32);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(owners_get_what_they_own),
		TEST(in_strict_mode_they_get_no_more),
		TEST(best_effort_never_starves),
		TEST(spare_time_goes_by_weight),
		TEST(what_owners_leave_goes_by_weight),
		TEST(an_idle_owner_s_time_is_not_lost),
		TEST(a_shallow_owner_is_not_drowned),
		TEST(pacing_ends_when_nobody_is_behind),
	};

	return cmocka_run_group_tests_name("qos_share", tests, NULL, NULL);
}
