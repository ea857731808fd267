// SPDX-License-Identifier: GPL-2.0
/*
 * Spare writes pay what they cost in the end: how many go, who is not held, and what is learned.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

/* Half of the device: 4 KiB take 200 us of the owner's time; spare writes may use the other half. */
#define OWNER "util_ppm=500000 window_ms=1000 "
#define NEIGHBOURS_WRITES (S / 2 / QOS_WRITE_NS)
/* What streams without a guarantee own together is not held. */
#define EFFORT_WRITES (S / 100 / QOS_WRITE_NS)
#define STEP (500 * MS)

static struct asks {
	bool again;
	u32 kind;
	u32 flags;
} asks[QOS_STREAMS];

static int setup(void **state)
{
	memset(asks, 0, sizeof(asks));
	qos_start(QOS_PROFILE);
	qos_edf->cfg.drive_debt = 1;
	/* a rule of its own (test_qos_lend.c) */
	qos_edf->cfg.drive_lend = 0;
	qos_edf->cfg.drive_budget = 0;
	return 0;
}

static void ask(struct ssdqos_edf_stream *s)
{
	const struct asks *a = &asks[s - qos_streams];

	qos_submit(s, a->kind, 4096, a->flags);
}

static void again(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req)
{
	if (asks[s - qos_streams].again)
		ask(s);
}

/* A client that always has so many requests. */
static struct ssdqos_edf_stream *client(const char *words, u32 kind, u32 flags, u32 depth)
{
	struct ssdqos_edf_stream *s = qos_add(words);

	asks[s - qos_streams] = (struct asks){ true, kind, flags };
	while (depth--)
		ask(s);
	return s;
}

static u64 writes_in(struct ssdqos_edf_stream *s, u64 ns)
{
	u64 before = s->stats.writes;

	qos_serve(qos_now_ns + ns, again);
	return s->stats.writes - before;
}

static u64 writes_in_a_second(struct ssdqos_edf_stream *s)
{
	return writes_in(s, S);
}

static void spare_writes_go_at_the_rate_that_is_left(void **state)
{
	struct ssdqos_edf_stream *b;

	client(OWNER, SSDQOS_EDF_KIND_READ, 0, 8);
	b = client("", SSDQOS_EDF_KIND_WRITE, 0, 32);
	qos_serve(qos_now_ns + STEP, again);
	assert_in_range(writes_in_a_second(b), NEIGHBOURS_WRITES * 95 / 100,
			NEIGHBOURS_WRITES + 2 * EFFORT_WRITES);
}

static void reads_go_while_a_write_is_held(void **state)
{
	struct ssdqos_edf_stream *b, *c;

	qos_add(OWNER);
	b = qos_add("");
	c = qos_add("");
	qos_edf->group_start_ns = qos_now_ns + S;
	qos_edf->debt.until_ns = qos_now_ns + S;
	assert_int_equal(qos_write(b), SSDQOS_EDF_WAIT);
	assert_int_equal(qos_read(c), SSDQOS_EDF_GO);
}

static void the_reason_is_said(void **state)
{
	struct ssdqos_edf_stream *b;

	qos_add(OWNER);
	b = qos_add("");
	qos_edf->group_start_ns = qos_now_ns + S;
	qos_edf->debt.until_ns = qos_now_ns + S;
	assert_int_equal(qos_write(b), SSDQOS_EDF_WAIT);
	assert_int_equal(ssdqos_edf_why(b, qos_now_ns), SSDQOS_EDF_WAITS_DEBT);
	assert_int_equal(ssdqos_edf_wake_ns(qos_edf), qos_now_ns + S);
}

static void what_is_urgent_or_a_discard_is_not_held(void **state)
{
	struct ssdqos_edf_stream *b;

	qos_add(OWNER);
	b = qos_add("");
	qos_edf->group_start_ns = qos_now_ns + S;
	qos_edf->debt.until_ns = qos_now_ns + S;
	assert_int_equal(qos_submit(b, SSDQOS_EDF_KIND_DISCARD, 4096, 0), SSDQOS_EDF_GO);
	assert_int_equal(qos_submit(b, SSDQOS_EDF_KIND_WRITE, 4096, SSDQOS_EDF_FLAG_URGENT),
			 SSDQOS_EDF_GO);
	assert_int_equal(qos_write(b), SSDQOS_EDF_WAIT);
}

static enum ssdqos_edf_verdict journal(struct ssdqos_edf_stream *s)
{
	return qos_submit(s, SSDQOS_EDF_KIND_WRITE, 4096, SSDQOS_EDF_FLAG_URGENT);
}

/* A client whose urgent writes may not go before their turn any more. */
static struct ssdqos_edf_stream *has_gone_before_its_turn(void)
{
	struct ssdqos_edf_stream *s = qos_add("");

	s->urgent_paid_ns = qos_now_ns + S;
	qos_edf->group_start_ns = qos_now_ns + S;
	return s;
}

/* Or whoever says that all of his writes are metadata would have all of the drive. */
static void what_is_urgent_beyond_its_share_is_held(void **state)
{
	struct ssdqos_edf_stream *b;

	qos_read(qos_add(OWNER));
	b = has_gone_before_its_turn();
	while (journal(b) == SSDQOS_EDF_GO)
		assert_true(b->stats.dispatched_spare < 100);
	assert_true(b->stats.dispatched_spare);
	assert_int_equal(ssdqos_edf_wake_ns(qos_edf), qos_edf->debt.urgent_until_ns);
}

static void a_journal_does_not_wait_for_what_others_wrote(void **state)
{
	struct ssdqos_edf_stream *b, *c;

	qos_add(OWNER);
	b = has_gone_before_its_turn();
	c = qos_add("");
	qos_edf->debt.until_ns = qos_now_ns + S;
	assert_int_equal(qos_write(c), SSDQOS_EDF_WAIT);
	qos_edf->debt.urgent_until_ns = qos_now_ns + MS;
	assert_int_equal(journal(b), SSDQOS_EDF_WAIT);
	qos_now_ns += MS;
	assert_ptr_equal(qos_next(), b);
}

static void others_wait_for_a_journal(void **state)
{
	u64 before_ns;

	qos_read(qos_add(OWNER));
	qos_edf->debt.until_ns = qos_now_ns;
	before_ns = qos_edf->debt.until_ns;
	assert_int_equal(journal(has_gone_before_its_turn()), SSDQOS_EDF_GO);
	assert_true(qos_edf->debt.until_ns > before_ns);
}

/* 16 MiB at a hundredth of the device would be minutes. */
static void no_write_waits_for_long(void **state)
{
	struct ssdqos_edf_stream *b;

	qos_read(qos_add("util_ppm=990000"));
	b = qos_add("");
	for (int i = 0; i < 4; i++)
		qos_submit(b, SSDQOS_EDF_KIND_WRITE, 16 << 20, 0);
	assert_true(qos_edf->debt.until_ns > qos_now_ns);
	assert_true(qos_edf->debt.until_ns <= qos_now_ns + 10 * S);
}

static void nor_does_a_journal(void **state)
{
	struct ssdqos_edf_stream *b;

	qos_read(qos_add("util_ppm=990000"));
	b = has_gone_before_its_turn();
	for (int i = 0; i < 4; i++)
		qos_submit(b, SSDQOS_EDF_KIND_WRITE, 16 << 20, SSDQOS_EDF_FLAG_URGENT);
	assert_true(qos_edf->debt.urgent_until_ns > qos_now_ns);
	assert_true(qos_edf->debt.urgent_until_ns <= qos_now_ns + 10 * S);
}

static void the_only_owner_is_in_nobodys_way(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER "op=write");

	a->start_ns = qos_now_ns + S;
	qos_edf->debt.until_ns = qos_now_ns + S;
	assert_int_equal(qos_write(a), SSDQOS_EDF_GO);
	qos_add("util_ppm=100000");
	assert_int_equal(qos_write(a), SSDQOS_EDF_WAIT);
}

static void its_own_spare_writes_cost_others_no_wait(void **state)
{
	struct ssdqos_edf_stream *a = client(OWNER "op=write", SSDQOS_EDF_KIND_WRITE, 0, 8);

	qos_edf->debt.rate_ppm = 10000;
	qos_serve(qos_now_ns + STEP / 2, again);
	assert_true(a->stats.dispatched_spare);
	assert_true(qos_edf->debt.until_ns <= qos_now_ns);
}

static void without_a_promise_nothing_is_held(void **state)
{
	struct ssdqos_edf_stream *b = qos_add("weight=200");

	qos_edf->debt.until_ns = qos_now_ns + S;
	assert_int_equal(qos_write(b), SSDQOS_EDF_GO);
}

/* A step ends when a request comes after it. */
static void other_comes(void)
{
	static struct ssdqos_edf_stream *other;

	if (!other || other->edf != qos_edf)
		other = qos_add("weight=50");
	assert_int_equal(qos_read(other), SSDQOS_EDF_GO);
	qos_complete(qos_last_sent());
}

static void without_a_profile_costs_are_no_times(void **state)
{
	struct ssdqos_edf_stream *b;

	qos_add(OWNER);
	b = qos_add("");
	assert_int_equal(qos_set_profile(NULL), 0);
	qos_edf->group_start_ns = qos_now_ns + S;
	qos_edf->debt.until_ns = qos_now_ns + S;
	assert_int_equal(qos_write(b), SSDQOS_EDF_GO);
	assert_int_equal(ssdqos_edf_spare_write_ppm(qos_edf), 1000000);
}

/* Ends a step in which an owner that was busy has done so much of what it was promised in half a second. */
static void step_of(struct ssdqos_edf_stream *owner, u64 done_pct, u64 ns)
{
	owner->step_work_ns = STEP / 2 * done_pct / 100;
	owner->step_idle_ns = 0;
	qos_asks(owner, true);
	qos_edf->debt.held = true;
	qos_edf->debt.step_ns = qos_now_ns;
	qos_at(qos_since(qos_now_ns) + ns);
	other_comes();
	qos_asks(owner, false);
}

static void step(struct ssdqos_edf_stream *owner, u64 done_pct)
{
	step_of(owner, done_pct, STEP);
}

static void who_lacks_lowers_the_rate_and_who_has_more_raises_it(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 full, low;

	step(a, 100);
	full = qos_edf->debt.rate_ppm;
	assert_int_equal(full, 500000);
	step(a, 90);
	low = qos_edf->debt.rate_ppm;
	assert_in_range(low, full * 89 / 100, full * 91 / 100);
	step(a, 40);
	assert_in_range(qos_edf->debt.rate_ppm, low * 74 / 100, low * 76 / 100);
	low = qos_edf->debt.rate_ppm;
	step(a, 102);
	assert_int_equal(qos_edf->debt.rate_ppm, low);
	for (int i = 0; i < 8; i++)
		step(a, 200);
	assert_in_range(qos_edf->debt.rate_ppm, low * 105 / 100, full * 3 / 4 * 102 / 100);
}

/* In the first half of a window all of it may be done, and has to be only for one that was missed. */
static void to_be_early_is_due_where_windows_were_missed(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	a->lead_ns = STEP;
	a->lead_seen_ns = STEP;
	step(a, 100);
	assert_int_equal(qos_edf->debt.rate_ppm, 500000);
	qos_at(2 * STEP);
	a->lead_seen_ns = STEP / 2;
	step(a, 100);
	assert_in_range(qos_edf->debt.rate_ppm, 500000 * 74 / 100, 500000 * 76 / 100);
}

/* Nobody asks for anything while the drive stands still with all that is wanted of it. */
static void a_stop_counts_as_so_many_steps(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 full, known, low;

	step(a, 100);
	full = qos_edf->debt.rate_ppm;
	known = qos_edf->debt.factor * 3 / 4;
	step_of(a, 50, 4 * STEP);
	low = qos_edf->debt.rate_ppm;
	assert_in_range(low, full * 31 / 100, full * 32 / 100);
	assert_int_equal(qos_edf->debt.known, known);
	/* one that takes a minute is not worse than one of four seconds */
	qos_edf->debt.factor = 1024;
	step_of(a, 50, 120 * STEP);
	assert_in_range(qos_edf->debt.rate_ppm, full * 9 / 100, full * 11 / 100);
}

/* What was not seen is no surplus, and who asked for nothing saw no stop. */
static void a_long_step_raises_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	step(a, 100);
	step_of(a, 1600, 4 * STEP);
	assert_int_equal(qos_edf->debt.rate_ppm, 500000);
	a->step_work_ns = 1;
	a->step_idle_ns = 0;
	qos_at(qos_since(qos_now_ns) + 4 * STEP);
	other_comes();
	assert_int_equal(qos_edf->debt.rate_ppm, 500000);
}

static void the_least_rate_is_not_what_somebody_lacks_something_for(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u32 known;

	step(a, 100);
	step(a, 50);
	known = qos_edf->debt.known;
	for (int i = 0; i < 20; i++)
		step(a, 50);
	assert_int_equal(qos_edf->debt.factor, EDF_DEBT_LEAST);
	for (int i = 0; i < 10; i++)
		step(a, i % 2 ? 50 : 100);
	assert_int_equal(qos_edf->debt.known, known);
}

/* Where it has lacked something, one window in so many as the promise may miss is risked again. */
static void it_comes_back_slowly_to_where_it_was_wrong(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	u64 known;

	step(a, 100);
	step(a, 95);
	known = qos_edf->debt.known;
	qos_edf->debt.factor = (u32)known;
	for (int i = 0; i < 100; i++)
		step(a, 200);
	assert_in_range(qos_edf->debt.factor, known + 1, known * 108 / 100);
}

static void who_was_idle_says_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	step(a, 100);
	a->step_work_ns = 1;
	a->step_idle_ns = STEP / 2;
	qos_at(qos_since(qos_now_ns) + STEP);
	other_comes();
	assert_int_equal(qos_edf->debt.rate_ppm, 500000);
}

static void owners_that_are_away_leave_their_time(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	/* it counts from its first request on */
	assert_int_equal(qos_edf->debt.rate_ppm, 1000000);
	qos_read(a);
	assert_int_equal(qos_edf->debt.rate_ppm, 500000);
	qos_complete(qos_last_sent());
	step(a, 100);
	assert_int_equal(qos_edf->debt.rate_ppm, 500000);
	qos_at(qos_since(qos_now_ns) + STEP);
	other_comes();
	assert_int_equal(qos_edf->debt.rate_ppm, 1000000);
	/* ... until they come back */
	qos_read(a);
	assert_int_equal(qos_edf->debt.rate_ppm, 500000);
}

/* Nine tenths of the device for reads; and so many writes that were made at once and wait, and no others come. */
#define MOST_OWNER "util_ppm=900000 window_ms=1000 "
#define BACKLOG 3700

static struct ssdqos_edf_stream *backlog(struct ssdqos_edf_stream **owner)
{
	struct ssdqos_edf_stream *b;
	u32 i;

	*owner = client(MOST_OWNER, SSDQOS_EDF_KIND_READ, 0, 8);
	b = qos_add("");
	for (i = 0; i < BACKLOG; i++)
		qos_write(b);
	return b;
}

static void goes_away(const struct ssdqos_edf_stream *owner)
{
	asks[owner - qos_streams].again = false;
}

/* So many are left that it could go on. */
static void assert_has_all_of_the_drive(struct ssdqos_edf_stream *b)
{
	assert_in_range(writes_in(b, S / 4), S / 4 / QOS_WRITE_NS * 95 / 100, S / 4 / QOS_WRITE_NS);
	assert_true(b->queued);
}

static void assert_has_what_is_left(struct ssdqos_edf_stream *b)
{
	assert_in_range(writes_in(b, S / 4), 1, S / 4 / QOS_WRITE_NS / 5);
}

static void what_waits_goes_when_the_owners_are_away_though_nobody_comes(void **state)
{
	struct ssdqos_edf_stream *owner, *b = backlog(&owner);

	assert_has_what_is_left(b);
	goes_away(owner);
	/* the rest of a step in which they had requests, one without, and the pace */
	qos_serve(qos_now_ns + 3 * STEP, again);
	assert_int_equal(qos_edf->debt.rate_ppm, 1000000);
	assert_has_all_of_the_drive(b);
}

/* Its requests are stuck in the drive: it is not away, and the stop is counted once, when it is over. */
static void an_owner_is_there_whose_drive_stands_still(void **state)
{
	struct ssdqos_edf_stream *owner, *b = backlog(&owner);
	u32 factor;

	assert_has_what_is_left(b);
	goes_away(owner);
	owner->in_flight++;
	factor = qos_edf->debt.factor;
	qos_serve(qos_now_ns + 3 * STEP, again);
	assert_has_what_is_left(b);
	assert_int_equal(qos_edf->debt.factor, factor);
	owner->in_flight--;
}

static void the_pace_comes_back_though_nobody_comes(void **state)
{
	struct ssdqos_edf_stream *owner, *b = backlog(&owner);

	qos_edf->cfg.drive_debt = 0;
	goes_away(owner);
	qos_serve(qos_now_ns + S / 10, again);
	qos_edf->pace.rate_ppm = qos_edf->group_ppm;
	assert_has_what_is_left(b);
	qos_serve(qos_now_ns + 5 * STEP, again);
	assert_has_all_of_the_drive(b);
}

static struct ssdqos_debt_change changed(void)
{
	struct ssdqos_debt_change change;

	assert_true(ssdqos_edf_take_debt_change(qos_edf, qos_now_ns, &change));
	/* once is enough */
	assert_false(ssdqos_edf_take_debt_change(qos_edf, qos_now_ns, &change));
	return change;
}

static void assert_unchanged(void)
{
	struct ssdqos_debt_change change;

	assert_false(ssdqos_edf_take_debt_change(qos_edf, qos_now_ns, &change));
}

static void what_was_learned_is_told_with_its_owner(void **state)
{
	struct ssdqos_edf_stream *rich = qos_add(OWNER), *poor;
	struct ssdqos_debt_change change;

	step(rich, 100);
	assert_int_equal(changed().why, SSDQOS_DEBT_WHY_LOAD_CHANGED);
	poor = qos_add("util_ppm=100000");
	poor->step_work_ns = STEP / 10 * 90 / 100;
	qos_asks(poor, true);
	step(rich, 130);
	change = changed();
	assert_int_equal(change.why, SSDQOS_DEBT_WHY_LACK);
	assert_int_equal(change.owner, poor->id);
	assert_in_range(change.got_permille, 899, 900);
	assert_int_equal(change.old_permille, 1000);
	assert_in_range(change.new_permille, 899, 901);
	assert_int_equal(change.time_ns, qos_now_ns);
	assert_int_equal(change.rate_ppm, qos_edf->debt.rate_ppm);
	assert_in_range(change.rate_ppm, change.room_ppm * 899 / 1000, change.room_ppm * 901 / 1000);
	/* and the other way round, whoever comes first in the list */
	poor->step_work_ns = STEP / 10 * 120 / 100;
	step(rich, 80);
	change = changed();
	assert_int_equal(change.owner, rich->id);
	assert_in_range(change.got_permille, 799, 800);
	qos_asks(poor, false);
}

static void a_step_that_changes_no_rate_is_not_told(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	step(a, 100);
	changed();
	step(a, 102);
	assert_unchanged();
}

static void both_ways_to_rise_are_told_apart(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	struct ssdqos_debt_change change;

	step(a, 100);
	step(a, 200);
	change = changed();
	assert_int_equal(change.why, SSDQOS_DEBT_WHY_SURPLUS);
	assert_int_equal(change.owner, a->id);
	assert_true(change.new_permille > change.old_permille);
	qos_edf->debt.known = qos_edf->debt.factor;
	qos_edf->debt.rest = 1023;
	step(a, 200);
	assert_int_equal(changed().why, SSDQOS_DEBT_WHY_SLOW_SURPLUS);
}

/* Nobody is told of the past, nor where the rate holds nobody. */
static void only_the_request_that_ends_a_step_tells_and_only_with_the_debt_on(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	step(a, 100);
	qos_at(qos_since(qos_now_ns) + 1);
	assert_unchanged();
	step(a, 80);
	qos_edf->cfg.drive_debt = 0;
	assert_unchanged();
	qos_edf->cfg.drive_debt = 1;
	assert_int_equal(changed().why, SSDQOS_DEBT_WHY_LACK);
}

static void owners_that_left_are_a_change_of_the_load(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);
	struct ssdqos_debt_change change;

	step(a, 100);
	a->step_work_ns = 0;
	qos_at(qos_since(qos_now_ns) + STEP);
	other_comes();
	change = changed();
	assert_int_equal(change.why, SSDQOS_DEBT_WHY_LOAD_CHANGED);
	assert_int_equal(change.owner, SSDQOS_NIL);
	assert_int_equal(change.rate_ppm, 1000000);
}

static void another_profile_is_learned_anew(void **state)
{
	struct ssdqos_debt *d = &qos_edf->debt;
	u64 rate_ppm;

	qos_serve(qos_now_ns + STEP, again);
	qos_add(OWNER);
	qos_edf->pace.known_ppm = SSDQOS_QOS_PPM / 4;
	d->factor = EDF_DEBT_ONE / 4;
	d->known = d->factor;
	d->away.part = d->factor;
	d->lend.part = EDF_DEBT_ONE;
	edf_debt_reckon(qos_edf);
	rate_ppm = d->rate_ppm;
	assert_int_equal(qos_set_profile(QOS_PROFILE), 0);
	assert_int_equal(d->factor, EDF_DEBT_ONE);
	assert_true(d->known > EDF_DEBT_ONE);
	assert_int_equal(d->away.part, EDF_DEBT_ONE);
	assert_true(d->lend.part < EDF_DEBT_ONE);
	assert_int_equal(qos_edf->pace.known_ppm, SSDQOS_PACE_FREE);
	/* at once, not after a step */
	assert_true(d->rate_ppm >= 4 * rate_ppm);
}

static void other_changes_forget_nothing(void **state)
{
	struct ssdqos_edf_stream *a = qos_add(OWNER);

	qos_edf->debt.factor = EDF_DEBT_ONE / 4;
	assert_int_equal(qos_set(a, "util_ppm=400000"), 0);
	assert_int_equal(qos_edf->debt.factor, EDF_DEBT_ONE / 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, qos_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(spare_writes_go_at_the_rate_that_is_left),
		TEST(reads_go_while_a_write_is_held),
		TEST(the_reason_is_said),
		TEST(what_is_urgent_or_a_discard_is_not_held),
		TEST(what_is_urgent_beyond_its_share_is_held),
		TEST(a_journal_does_not_wait_for_what_others_wrote),
		TEST(others_wait_for_a_journal),
		TEST(no_write_waits_for_long),
		TEST(nor_does_a_journal),
		TEST(the_only_owner_is_in_nobodys_way),
		TEST(its_own_spare_writes_cost_others_no_wait),
		TEST(without_a_promise_nothing_is_held),
		TEST(without_a_profile_costs_are_no_times),
		TEST(who_lacks_lowers_the_rate_and_who_has_more_raises_it),
		TEST(to_be_early_is_due_where_windows_were_missed),
		TEST(a_stop_counts_as_so_many_steps),
		TEST(a_long_step_raises_nothing),
		TEST(the_least_rate_is_not_what_somebody_lacks_something_for),
		TEST(it_comes_back_slowly_to_where_it_was_wrong),
		TEST(who_was_idle_says_nothing),
		TEST(owners_that_are_away_leave_their_time),
		TEST(what_waits_goes_when_the_owners_are_away_though_nobody_comes),
		TEST(an_owner_is_there_whose_drive_stands_still),
		TEST(the_pace_comes_back_though_nobody_comes),
		TEST(what_was_learned_is_told_with_its_owner),
		TEST(a_step_that_changes_no_rate_is_not_told),
		TEST(both_ways_to_rise_are_told_apart),
		TEST(only_the_request_that_ends_a_step_tells_and_only_with_the_debt_on),
		TEST(owners_that_left_are_a_change_of_the_load),
		TEST(another_profile_is_learned_anew),
		TEST(other_changes_forget_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
