// SPDX-License-Identifier: GPL-2.0
/*
 * Urgent requests - flushes, metadata, swap - go before their turn, but no flood of them takes from
 * anybody what he owns: a cap, a debt that their client pays, and limits that hold for them, too.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/engine/rng.h"

#define URGENT SSDQOS_EDF_FLAG_URGENT
/* A quarter of the default depth. */
#define CAP 8
/* What may be owed, by default, in device time; and what each without a guarantee may. */
#define DEBT_NS (2000 * US)
#define SHARE_NS (DEBT_NS / 2)
/* Time in which those without a guarantee own a nanosecond of the device. */
#define BEST_EFFORT 100

static enum ssdqos_edf_verdict urgent_read(struct ssdqos_edf_stream *s)
{
	return qos_submit(s, SSDQOS_EDF_KIND_READ, 4096, URGENT);
}

/* Takes all that the drive may have. */
static void fill_drive(struct ssdqos_edf_stream *s)
{
	while (qos_edf->in_flight < qos_edf->cfg.drive_queue_depth)
		assert_int_equal(qos_read(s), SSDQOS_EDF_GO);
}

/* How many of at most @most go before their turn. */
static u32 goes_first(struct ssdqos_edf_stream *s, u32 most)
{
	u32 nr = 0;

	while (nr < most && urgent_read(s) == SSDQOS_EDF_GO) {
		assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_URGENT);
		nr++;
	}
	return nr;
}

/* ---- floods ---- */

/* Clients that ask again as soon as they are answered. */
static struct {
	bool again;
	u8 kind;
	u32 flags;
} asks[QOS_STREAMS];

static int setup(void **state)
{
	memset(asks, 0, sizeof(asks));
	return qos_setup(state);
}

static void ask(struct ssdqos_edf_stream *s)
{
	const u32 i = (u32)(s - qos_streams);

	qos_submit(s, asks[i].kind, asks[i].kind == SSDQOS_EDF_KIND_FLUSH ? 0 : 4096,
		   asks[i].flags);
}

static void again(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	if (asks[s - qos_streams].again)
		ask(s);
}

static struct ssdqos_edf_stream *asker(const char *words, u8 kind, u32 flags)
{
	struct ssdqos_edf_stream *s = qos_add(words);

	asks[s - qos_streams].again = true;
	asks[s - qos_streams].kind = kind;
	asks[s - qos_streams].flags = flags;
	return s;
}

static void begin_asking(struct ssdqos_edf_stream *s, u32 nr)
{
	while (nr--)
		ask(s);
}

/* Reads in a second that 90 % of the drive pay for. */
#define OWNED (S / QOS_READ_NS * 9 / 10)

/* In which the pacing goes up and down. */
#define LONG_S 5

/* What an owner of 90 % with one request at a time gets done: in a second, in the next one, and in LONG_S that begin with it. */
static void owner_gets(u8 kind, u32 flags, u64 *first, u64 *next, u64 *all)
{
	struct ssdqos_edf_stream *owner;

	setup(NULL);
	owner = asker("util_ppm=900000 drive_flush_ns=1000000", SSDQOS_EDF_KIND_READ, 0);
	begin_asking(asker("", kind, flags), 40);
	begin_asking(owner, 1);
	qos_serve(qos_now_ns + S, again);
	*first = owner->stats.reads;
	qos_serve(qos_now_ns + S, again);
	*next = owner->stats.reads - *first;
	qos_serve(qos_now_ns + (LONG_S - 1) * S, again);
	*all = owner->stats.reads - *first;
	qos_finish(NULL);
}

/*
 * As with as many requests that aren't urgent, up to what it owns: until the pacing is there, that
 * fills the drive, to which the cap comes.
 */
static void a_flood_leaves_an_owner_what_is_his(void **state)
{
	static const struct { u8 kind; u64 cost_ns; } floods[] = {
		{ SSDQOS_EDF_KIND_READ, QOS_READ_NS }, { SSDQOS_EDF_KIND_WRITE, QOS_WRITE_NS },
		{ SSDQOS_EDF_KIND_DISCARD, QOS_WRITE_NS }, { SSDQOS_EDF_KIND_FLUSH, 1000 * US },
	};

	for (u32 i = 0; i < sizeof(floods) / sizeof(floods[0]); i++) {
		const u64 cap = CAP * floods[i].cost_ns / QOS_READ_NS;
		u64 first, next, all, flooded_first, flooded_next, flooded_all;

		owner_gets(floods[i].kind, 0, &first, &next, &all);
		owner_gets(floods[i].kind, URGENT, &flooded_first, &flooded_next, &flooded_all);
		/* the pacing is not the same to the last request */
		assert_true(flooded_first + cap >= first * 99 / 100);
		assert_true(flooded_next >= min(next, OWNED) * 99 / 100);
		assert_true(flooded_all >= all * 99 / 100);
	}
}

/* Owned and urgent, with a random number of requests each at a time. */
static void draw_clients(struct ssdqos_rng *rng, u32 flags)
{
	static const u8 kinds[] = { SSDQOS_EDF_KIND_READ, SSDQOS_EDF_KIND_WRITE,
				    SSDQOS_EDF_KIND_FLUSH, SSDQOS_EDF_KIND_DISCARD };
	u32 owners = 1 + ssdqos_rng_below(rng, 4), floods = 1 + ssdqos_rng_below(rng, 12), i;
	char words[64];

	for (i = 0; i < owners; i++) {
		snprintf(words, sizeof(words), "util_ppm=%u window_ms=1000 drive_flush_ns=500000",
			 100000 + ssdqos_rng_below(rng, 140000));
		begin_asking(asker(words, (u8)ssdqos_rng_below(rng, 2), 0),
			     2 + ssdqos_rng_below(rng, 30));
	}
	for (i = 0; i < floods; i++) {
		snprintf(words, sizeof(words), "weight=%u", 1 + ssdqos_rng_below(rng, 1000));
		begin_asking(asker(words, kinds[ssdqos_rng_below(rng, 4)], flags),
			     1 + ssdqos_rng_below(rng, 64));
	}
}

static u64 missed_by_owners(u64 seed, u32 flags)
{
	struct ssdqos_rng rng;
	u64 missed = 0;

	setup(NULL);
	ssdqos_rng_seed(&rng, seed);
	draw_clients(&rng, flags);
	qos_serve(qos_now_ns + 5 * S, again);
	for (u32 i = 0; i < QOS_STREAMS; i++)
		missed += qos_streams[i].stats.windows_missed;
	qos_finish(NULL);
	return missed;
}

static void owners_windows_are_met_as_without_urgency(void **state)
{
	for (u64 seed = 1; seed <= 30; seed++) {
		u64 without = missed_by_owners(seed, 0), with = missed_by_owners(seed, URGENT);

		/* who is late takes spare time in another order: a window is missed by a request */
		if (with > without + 1)
			fail_msg("seed %llu: %llu windows missed, %llu without urgency", seed, with,
				 without);
	}
}

/* ---- the cap ---- */

static void only_some_go_before_their_turn(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_urgent_us=1000000");

	fill_drive(a);
	assert_int_equal(goes_first(a, 2 * CAP), CAP);
	assert_int_equal(ssdqos_edf_why(a, qos_now_ns), SSDQOS_EDF_WAITS_URGENT_CAP);
	assert_int_equal(a->stats.urgent_waited, 1);
	assert_int_equal(a->stats.dispatched_urgent, CAP);
}

static void the_cap_can_be_set_but_leaves_a_slot(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_urgent_us=1000000 drive_urgent_depth=3");
	struct ssdqos_edf_stream *b = qos_add("drive_queue_depth=4 drive_urgent_depth=1000");

	assert_int_equal(qos_set(a, "drive_queue_depth=32 drive_urgent_depth=3"), 0);
	fill_drive(b);
	assert_int_equal(goes_first(a, 2 * CAP), 3);
	assert_int_equal(qos_set(a, "drive_urgent_depth=1000 drive_queue_depth=4"), 0);
	while (qos_edf->in_flight)
		qos_complete(qos_oldest());
	while (qos_next())
		;
	fill_drive(b);
	assert_int_equal(goes_first(a, 2 * CAP), 3);
}

/* Urgent requests stay under way all the time; who is owed goes all the same. */
static void slots_stay_for_who_is_owed(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=2 drive_urgent_us=1000000");
	struct ssdqos_edf_stream *b = qos_add("util_ppm=500000");
	struct ssdqos_edf_req *urgent;

	fill_drive(a);
	assert_int_equal(goes_first(a, 1), 1);
	urgent = qos_last_sent();
	qos_complete(qos_oldest());
	assert_int_equal(qos_read(b), SSDQOS_EDF_WAIT);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_oldest(), urgent);
	assert_ptr_equal(qos_next(), b);
}

static void a_drive_of_one_slot_has_room_for_both(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_queue_depth=1 drive_urgent_us=1000000");
	struct ssdqos_edf_stream *b = qos_add("util_ppm=500000");

	fill_drive(a);
	assert_int_equal(goes_first(a, 2), 1);
	assert_int_equal(qos_read(b), SSDQOS_EDF_WAIT);
	qos_complete(qos_oldest());
	assert_ptr_equal(qos_next(), b);
	assert_int_equal(qos_edf->in_flight, 2);
}

/* ---- the debt ---- */

static void who_may_go_anyway_owes_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("");

	assert_int_equal(urgent_read(a), SSDQOS_EDF_GO);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_SPARE);
	assert_int_equal(a->urgent_paid_ns, 0);
	assert_int_equal(qos_edf->urgent_in_flight, 0);
}

static void a_debt_has_a_bound(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_urgent_depth=31");

	fill_drive(a);
	assert_int_equal(goes_first(a, 100), SHARE_NS / QOS_READ_NS);
	assert_int_equal(ssdqos_edf_why(a, qos_now_ns), SSDQOS_EDF_WAITS_URGENT_DEBT);
}

static void it_is_paid_by_what_is_owned(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_urgent_depth=31");

	fill_drive(a);
	goes_first(a, SHARE_NS / QOS_READ_NS);
	qos_now_ns += QOS_READ_NS * BEST_EFFORT;
	assert_int_equal(goes_first(a, 2), 1);
}

static void one_flood_leaves_others_their_journals(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_urgent_depth=31"), *b = qos_add("");
	struct ssdqos_edf_stream *c = qos_add("");

	fill_drive(a);
	goes_first(a, 100);
	assert_int_equal(goes_first(b, 100), SHARE_NS / QOS_READ_NS);
	/* but all without a guarantee have no more than they own together */
	assert_int_equal(goes_first(c, 1), 0);
	assert_int_equal(ssdqos_edf_why(c, qos_now_ns), SSDQOS_EDF_WAITS_URGENT_DEBT);
}

static void an_owner_pays_with_his_guarantee(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=500000 drive_urgent_depth=31 drive_credit_ms=0");
	struct ssdqos_edf_stream *b = qos_add("");

	fill_drive(b);
	assert_int_equal(goes_first(a, 100), DEBT_NS / QOS_READ_NS);
	/* twenty of 200 us each are ahead of his guarantee */
	assert_int_equal(qos_since(a->start_ns), 2 * DEBT_NS);
}

static void who_owns_little_owes_little(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=5000 drive_urgent_depth=31");
	struct ssdqos_edf_stream *b = qos_add("");

	fill_drive(b);
	/* 500 us are what it owns in a tenth of a second */
	assert_int_equal(goes_first(a, 100), 5);
}

/* Others share the spare time by weight; what went before its turn counts. */
static void it_counts_in_the_share_of_spare_time(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(""), *b = qos_add("");

	fill_drive(b);
	assert_int_equal(goes_first(a, 4), 4);
	assert_true(a->virtual_ns >= 4 * QOS_READ_NS);
}

static void a_new_promise_settles_it(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(""), *b = qos_add("");

	fill_drive(b);
	goes_first(a, 2);
	assert_true(a->urgent_paid_ns);
	assert_int_equal(qos_set(a, "util_ppm=100000"), 0);
	assert_int_equal(a->urgent_paid_ns, 0);
}

/* ---- those that wait ---- */

static void it_is_the_first_of_its_stream(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_urgent_us=0 drive_urgent_depth=1");
	struct ssdqos_edf_stream *b = qos_add("");

	fill_drive(a);
	assert_int_equal(goes_first(b, 2), 1);	/* which takes the cap */
	assert_int_equal(qos_write(a), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_read(a), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_FLUSH, 0, URGENT), SSDQOS_EDF_WAIT);
	assert_int_equal(urgent_read(a), SSDQOS_EDF_WAIT);
	while (qos_edf->in_flight)
		qos_complete(qos_oldest());
	while (qos_next())
		;
	assert_int_equal(a->queued + b->queued, 0);
	/* b's, then a's four in the order of its lists; b's is among them by its turn */
	for (u32 i = 0, n = 0; i < 5; i++) {
		static const struct { u8 kind; bool urgent; } order[] = {
			{ SSDQOS_EDF_KIND_FLUSH, true }, { SSDQOS_EDF_KIND_READ, true },
			{ SSDQOS_EDF_KIND_READ, false }, { SSDQOS_EDF_KIND_WRITE, false },
		};
		struct ssdqos_edf_req *req = qos_oldest();

		if (req->stream == a) {
			assert_int_equal(req->kind, order[n].kind);
			assert_int_equal(req->urgent, order[n].urgent);
			n++;
		}
		qos_complete(req);
	}
}

static void its_own_bulk_does_not_hold_it_back(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("util_ppm=100000 drive_mode=strict drive_credit_ms=0 max_mb_s=1");

	/* S is far ahead, and so is the maximum */
	qos_submit(a, SSDQOS_EDF_KIND_WRITE, 4 << 20, 0);
	qos_submit(a, SSDQOS_EDF_KIND_WRITE, 4 << 20, 0);
	assert_int_equal(a->queued, 1);
	assert_int_equal(qos_submit(a, SSDQOS_EDF_KIND_FLUSH, 0, URGENT), SSDQOS_EDF_GO);
	assert_int_equal(qos_last_sent()->decision, SSDQOS_EDF_URGENT);
}

/* Everything is reserved and used; then a best-effort client's journal waits. */
static void its_wait_has_a_bound(void **state)
{
	struct ssdqos_edf_stream *a = asker("util_ppm=990000", SSDQOS_EDF_KIND_READ, 0);
	struct ssdqos_edf_stream *b = asker("", SSDQOS_EDF_KIND_READ, URGENT);

	begin_asking(a, 32);
	begin_asking(b, 1);
	qos_serve(qos_now_ns + 10 * S, again);
	assert_true(b->stats.reads >= 10 * S / (QOS_READ_NS * BEST_EFFORT));
	assert_true(b->queue_hist.max_ns <= (DEBT_NS + 2 * QOS_READ_NS) * BEST_EFFORT);
}

/* ---- limits ---- */

static void metadata_have_a_maximum_too(void **state)
{
	struct ssdqos_edf_stream *a = asker("max_iops=1000 drive_urgent_us=1000000",
					    SSDQOS_EDF_KIND_READ, URGENT);

	begin_asking(a, 4);
	qos_serve(qos_now_ns + S, again);
	/* a burst, and as much by urgency */
	assert_in_range(a->stats.reads, 1000, 1000 + 100 + 100 + 4);
	qos_serve(qos_now_ns + S, again);
	assert_in_range(a->stats.reads, 2000, 2000 + 100 + 100 + 4);
}

/* ---- drains ---- */

/* The flood of one stream goes on while the other one is suspended. */
static void a_flood_does_not_block_a_drain(void **state)
{
	struct ssdqos_edf_stream *a = asker("", SSDQOS_EDF_KIND_READ, URGENT);
	struct ssdqos_edf_stream *b = qos_add("max_iops=1");
	u64 since_ns;

	begin_asking(a, 200);
	for (u32 i = 0; i < 50; i++)
		qos_write(b);
	ssdqos_edf_drain(b, true, qos_now_ns);
	for (since_ns = qos_now_ns; b->queued && qos_now_ns < since_ns + S;)
		qos_serve(qos_now_ns + 10 * MS, again);
	assert_int_equal(b->queued, 0);
}

static void who_drains_waits_for_no_debt(void **state)
{
	struct ssdqos_edf_stream *a = qos_add("drive_urgent_us=0 drive_urgent_depth=1");

	fill_drive(a);
	ssdqos_edf_drain(a, true, qos_now_ns);
	assert_int_equal(goes_first(a, 20), 20);
}

/* Somebody who flushes by his own clock, whatever others do: he never owes anything, and needs no turn. */
#define FLUSH_EVERY_NS (755 * US)
static struct ssdqos_edf_stream *flusher;
static u64 next_flush_ns;

static void flush_and_again(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	if (qos_now_ns >= next_flush_ns && !flusher->queued) {
		next_flush_ns = qos_now_ns + FLUSH_EVERY_NS;
		qos_submit(flusher, SSDQOS_EDF_KIND_FLUSH, 0, URGENT);
	}
	again(s, req);
}

static void who_flushes_by_the_clock_leaves_others_their_part(void **state)
{
	struct ssdqos_edf_stream *owner, *reader;
	u64 before;

	owner = asker("util_ppm=600000 drive_mode=strict drive_flush_ns=300000", SSDQOS_EDF_KIND_READ, 0);
	flusher = qos_add("");
	reader = asker("", SSDQOS_EDF_KIND_READ, 0);
	next_flush_ns = qos_now_ns;
	begin_asking(owner, 32);
	begin_asking(reader, 8);
	qos_serve(qos_now_ns + S, flush_and_again);
	before = reader->stats.reads;
	qos_serve(qos_now_ns + 3 * S, flush_and_again);
	/* half of what the owner leaves */
	assert_in_range(reader->stats.reads - before, 5500, 6500);
}

/* What was urgent has moved X of its client far ahead, and that one has gone. */
static void who_comes_stands_behind_nobodys_past(void **state)
{
	struct ssdqos_edf_stream *waits, *comes;
	u64 before;

	qos_add("util_ppm=600000 drive_mode=strict drive_flush_ns=300000");
	flusher = qos_add("weight=10");
	waits = asker("", SSDQOS_EDF_KIND_READ, 0);
	comes = asker("", SSDQOS_EDF_KIND_READ, 0);
	next_flush_ns = qos_now_ns;
	begin_asking(waits, 8);
	qos_serve(qos_now_ns + 9 * S, flush_and_again);
	begin_asking(comes, 8);
	before = waits->stats.reads;
	qos_serve(qos_now_ns + S, again);
	assert_in_range(comes->stats.reads, 1900, 2100);
	assert_in_range(waits->stats.reads - before, 1900, 2100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flood_leaves_an_owner_what_is_his),
		cmocka_unit_test(owners_windows_are_met_as_without_urgency),
		TEST(only_some_go_before_their_turn),
		TEST(the_cap_can_be_set_but_leaves_a_slot),
		TEST(slots_stay_for_who_is_owed),
		TEST(a_drive_of_one_slot_has_room_for_both),
		TEST(who_may_go_anyway_owes_nothing),
		TEST(a_debt_has_a_bound),
		TEST(it_is_paid_by_what_is_owned),
		TEST(one_flood_leaves_others_their_journals),
		TEST(an_owner_pays_with_his_guarantee),
		TEST(who_owns_little_owes_little),
		TEST(it_counts_in_the_share_of_spare_time),
		TEST(a_new_promise_settles_it),
		TEST(it_is_the_first_of_its_stream),
		TEST(its_own_bulk_does_not_hold_it_back),
		TEST(its_wait_has_a_bound),
		TEST(metadata_have_a_maximum_too),
		TEST(a_flood_does_not_block_a_drain),
		TEST(who_drains_waits_for_no_debt),
		TEST(who_flushes_by_the_clock_leaves_others_their_part),
		TEST(who_comes_stands_behind_nobodys_past),
	};

	return cmocka_run_group_tests_name("qos_urgent", tests, NULL, NULL);
}
