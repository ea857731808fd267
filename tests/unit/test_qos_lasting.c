// SPDX-License-Identifier: GPL-2.0
/*
 * What was learned, or used up, does not hold anybody back for ever.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/internal.h"

/* A drive that needs 32 requests at a time for its speed. */
#define DEEP_PROFILE						\
	"ssdqos-profile 1 window_ms 100 1000 "			\
	"cost read rand 4096 1 990 1100000 1100000 "		\
	"cost read rand 4096 32 990 100000 100000 "		\
	"cost write rand 4096 1 990 1100000 1100000 "		\
	"cost write rand 4096 32 990 400000 400000 "
#define MIN (60 * S)
#define MIB (1U << 20)
#define SECTORS_PER_MIB 2048U

/* Reads and writes of a client: @depth at a time, or one each @gap_ns if fewer are there. */
struct load {
	struct ssdqos_edf_stream *s;
	bool writes;
	u32 depth;
	u64 gap_ns;
	u64 next_ns;
	u64 done;
	u64 work_ns;
	/* of large writes in order and small ones elsewhere, one after the other */
	bool turns;
	/* of small ones in order and elsewhere, likewise */
	bool alternates;
	bool in_order;
	u32 bytes;
	u64 sector;
};

static struct load owner, neighbour, other, fourth;
/* The drive takes one after the other; until then it stands still. */
static u64 stall_until_ns;
/* When it will be done with what it has, if it has something. */
static bool busy;
static u64 busy_until_ns;
/* What else a request takes that is alone, as with a drive that needs many at a time. */
static u64 alone_ns;
/* What a write leaves to be collected, at once when it is too much, or while nobody asks. */
static u64 garbage_each_ns, garbage_ns, idle_from_ns;
#define GARBAGE_MOST_NS (1500 * MS)

static void begin(const char *profile)
{
	qos_start(profile);
	qos_edf->cfg.drive_debt = 1;
	qos_edf->cfg.drive_lead = 1;
	qos_edf->cfg.drive_narrow = 1;
	stall_until_ns = 0;
	busy = false;
	alone_ns = 0;
	garbage_each_ns = 0;
	garbage_ns = 0;
	idle_from_ns = qos_now_ns;
	owner = neighbour = other = fourth = (struct load){ 0 };
}

/* Where no request was yet. */
static u64 elsewhere = 1ULL << 36;

static struct load client(const char *words, bool writes, u32 depth, u64 gap_ns)
{
	return (struct load){ .s = qos_add(words), .writes = writes, .depth = depth,
			      .gap_ns = gap_ns };
}

static void send(struct load *l)
{
	u32 kind = l->writes ? SSDQOS_EDF_KIND_WRITE : SSDQOS_EDF_KIND_READ;
	struct ssdqos_edf_req *req;

	if (!l->turns) {
		req = qos_request(kind, l->bytes ? l->bytes : 4096);
		if (l->alternates)
			l->in_order = !l->in_order;
		if (l->in_order) {
			qos_submit_at(l->s, req, l->sector, 0);
			l->sector += 8;
		} else {
			qos_submit_at(l->s, req, elsewhere, 0);
			elsewhere += 4 * SECTORS_PER_MIB;
		}
		return;
	}
	l->sector += SECTORS_PER_MIB;
	req = qos_request(SSDQOS_EDF_KIND_WRITE, 4096);
	qos_submit_at(l->s, req, l->sector - 8, 0);
	req = qos_request(SSDQOS_EDF_KIND_WRITE, MIB);
	qos_submit_at(l->s, req, l->sector, 0);
}

static void send_due(struct load *l)
{
	if (!l->s)
		return;
	for (; l->next_ns <= qos_now_ns; l->next_ns += l->gap_ns) {
		if (l->s->queued + l->s->in_flight < l->depth)
			send(l);
		else if (!l->gap_ns)
			break;
	}
}

static u64 next_ns(const struct load *l, u64 until_ns)
{
	return l->s && l->gap_ns ? min(until_ns, l->next_ns) : until_ns;
}

static struct load *load_of(const struct ssdqos_edf_stream *s)
{
	return s == owner.s ? &owner : s == neighbour.s ? &neighbour :
	       s == fourth.s ? &fourth : &other;
}

/* The drive begins with the oldest one, if it has any. */
static void drive_begins(void)
{
	const struct ssdqos_edf_req *req;

	if (busy || !qos_edf->in_flight)
		return;
	req = qos_oldest();
	garbage_ns -= min(garbage_ns, qos_now_ns - idle_from_ns);
	if (garbage_ns > GARBAGE_MOST_NS) {
		stall_until_ns = qos_now_ns + garbage_ns;
		garbage_ns = 0;
	}
	busy = true;
	busy_until_ns = max(qos_now_ns, stall_until_ns) + req->cost_ns;
	if (req->stream == owner.s)
		busy_until_ns += alone_ns;
}

static void drive_ends(void)
{
	struct ssdqos_edf_req *req;
	struct load *l;

	if (!busy || busy_until_ns > qos_now_ns)
		return;
	req = qos_oldest();
	l = load_of(req->stream);
	l->done++;
	l->work_ns += req->cost_ns;
	if (l->writes)
		garbage_ns += garbage_each_ns;
	qos_complete(req);
	idle_from_ns = qos_now_ns;
	busy = false;
}

static void run(u64 for_ns)
{
	u64 end_ns = qos_now_ns + for_ns, t_ns;

	owner.done = neighbour.done = other.done = fourth.done = 0;
	owner.work_ns = neighbour.work_ns = other.work_ns = fourth.work_ns = 0;
	while (qos_now_ns < end_ns) {
		send_due(&owner);
		send_due(&neighbour);
		send_due(&other);
		send_due(&fourth);
		while (qos_next())
			;
		drive_begins();
		t_ns = next_ns(&fourth, next_ns(&other, next_ns(&neighbour, next_ns(&owner, end_ns))));
		if (busy)
			t_ns = min(t_ns, busy_until_ns);
		qos_now_ns = min(t_ns, max(ssdqos_edf_wake_ns(qos_edf), qos_now_ns + US));
		drive_ends();
	}
}

/* ---- the debt's factor ---- */

/* An owner sends a fifth of its promise; the drive stands still once, for 3 s. */
static void stop_once(void)
{
	begin(QOS_PROFILE);
	owner = client("min_iops=4000 window_ms=1000 iodepth=16", false, 64, 1250 * US);
	neighbour = client("", true, 16, 0);
	run(MIN);
	stall_until_ns = qos_now_ns + 3 * S;
	run(5 * S);
	assert_in_range(qos_edf->debt.factor, 1, EDF_DEBT_ONE / 2);
}

static void a_stop_is_forgotten(void **state)
{
	(void)state;
	stop_once();
	/* ten minutes until its windows are made up for, and some more to what it lacked something at */
	run(40 * MIN);
	assert_in_range(qos_edf->debt.factor, EDF_DEBT_ONE * 7 / 8, EDF_DEBT_ONE);
}

static void a_stop_is_forgotten_when_its_owner_has_gone(void **state)
{
	(void)state;
	stop_once();
	owner.gap_ns = 100 * MIN;
	owner.next_ns = qos_now_ns + owner.gap_ns;
	run(15 * MIN);
	run(MIN);
	/* of 2,500 a second */
	assert_in_range(neighbour.done / 60, 2400, 2500);
}

/* What a drive bears beyond its profile is no guess to be taken back. */
static void more_than_the_profile_stays(void **state)
{
	(void)state;
	begin(QOS_PROFILE);
	owner = client("min_iops=4000 window_ms=1000 iodepth=16", false, 64, 1250 * US);
	neighbour = client("", true, 16, 0);
	run(10 * S);
	qos_edf->debt.factor = EDF_DEBT_ONE * 2;
	run(MIN);
	assert_int_equal(qos_edf->debt.factor, EDF_DEBT_ONE * 2);
}

/* Who has missed too much is waited for, and finds the drive as it has learned to need it. */
static void a_pause_is_no_reason_to_forget(void **state)
{
	u64 missed, met;
	u32 i;

	(void)state;
	begin(QOS_PROFILE);
	garbage_each_ns = 300 * US;
	owner = client("min_iops=3000 window_ms=200 iodepth=16", false, 16, 0);
	neighbour = client("", true, 16, 0);
	run(2 * MIN);
	missed = owner.s->stats.windows_missed;
	met = owner.s->stats.windows_met;
	for (i = 0; i < 10; i++) {
		owner.next_ns = qos_now_ns + MIN;
		run(MIN);
		run(5 * S);
	}
	missed = owner.s->stats.windows_missed - missed;
	met = owner.s->stats.windows_met - met;
	/* a sixth without that */
	assert_in_range(missed, 0, (met + missed) / 20);
}

/* A promise that is changed in the middle of a step was not asked for in all of it. */
static void another_promise_is_no_lack(void **state)
{
	u32 i;

	(void)state;
	begin(QOS_PROFILE);
	owner = client("min_iops=4000 window_ms=1000", false, 16, 0);
	neighbour = client("", true, 16, 0);
	run(20 * S);
	for (i = 0; i < 8; i++) {
		while (qos_now_ns - qos_edf->debt.step_ns < 450 * MS)
			run(5 * MS);
		assert_int_equal(qos_set(owner.s, i & 1 ? "min_iops=4000" : "min_iops=4001"), 0);
		run(2 * S);
	}
	assert_in_range(qos_edf->debt.factor, EDF_DEBT_ONE * 9 / 10, EDF_DEBT_ONE * 2);
}

/* ---- who has few requests at a time, and pauses ---- */

static void few_with_pauses(u64 gap_ns)
{
	begin(DEEP_PROFILE);
	owner = client("min_iops=5000 window_ms=1000", false, 1, gap_ns);
	neighbour = client("", false, 16, 0);
	alone_ns = MS;
	run(MIN);
	run(MIN);
}

static void who_is_slow_by_itself_slows_nobody(void **state)
{
	(void)state;
	few_with_pauses(50 * MS);
	assert_true(owner.s->self_limited);
	assert_in_range(neighbour.done / 60, 9000, 10000);
	qos_finish(state);
	/* 250 of these a second would take a quarter of the drive */
	few_with_pauses(4 * MS);
	assert_in_range(neighbour.done / 60, 5000, 10000);
}

static void what_it_has_missed_is_made_up_for(void **state)
{
	(void)state;
	few_with_pauses(50 * MS);
	owner.s->budget.left = -10000;
	run(200 * MIN);
	assert_in_range(owner.s->budget.left, 0, 10000);
}

/* ... but not by being away. */
static void who_is_away_earns_nothing(void **state)
{
	(void)state;
	few_with_pauses(50 * MS);
	owner.s->budget.left = -10000;
	owner.next_ns = qos_now_ns + 30 * MIN;
	run(31 * MIN);
	assert_true(owner.s->budget.left < -9000);
}

/* It has said that it may have 32, and asks for a hundredth: others' large reads are what is slow. */
static void who_asks_for_little_is_served(void **state)
{
	(void)state;
	begin(DEEP_PROFILE);
	owner = client("min_iops=5000 window_ms=1000 iodepth=32", false, 32, 20 * MS);
	neighbour = client("", false, 64, 0);
	neighbour.bytes = 65536;
	run(20 * S);
	assert_false(owner.s->self_limited);
	assert_int_equal(owner.s->stats.windows_missed, 0);
}

/* Nothing has ended, so its requests are not few, but all under way. */
static void a_drive_that_stands_is_nobodys_doing(void **state)
{
	struct ssdqos_watch_count count = { .missed = 1 };

	(void)state;
	begin(DEEP_PROFILE);
	owner = client("min_iops=5000 window_ms=1000 iodepth=32", false, 32, 0);
	stall_until_ns = qos_now_ns + 2 * S;
	run(1900 * MS);
	ssdqos_drift_advance(&qos_edf->drift, qos_edf->in_flight, qos_now_ns);
	count.span.asked_ns = S;
	edf_self_limited_count(owner.s, &count);
	assert_false(owner.s->self_limited);
}

static void nobody_knows_of_sums_that_were_begun_anew(void **state)
{
	struct ssdqos_watch_count count = { .missed = 1 };

	(void)state;
	begin(DEEP_PROFILE);
	owner = client("min_iops=5000 window_ms=1000 iodepth=32", false, 32, 0);
	run(900 * MS);
	ssdqos_edf_reset_stats(owner.s);
	run(200 * MS);
	count.span.asked_ns = S;
	edf_self_limited_count(owner.s, &count);
	assert_false(owner.s->self_limited);
}

/* With as many requests at a time as its promise takes, pauses are no fault of its own. */
static void who_is_not_is_waited_for(void **state)
{
	struct ssdqos_watch_count count = { .idle = 1, .lacked = 1 };

	begin(DEEP_PROFILE);
	owner = client("min_iops=5000 window_ms=1000", false, 32, 0);
	run(990 * MS);
	ssdqos_drift_advance(&qos_edf->drift, qos_edf->in_flight, qos_now_ns + 20 * MS);
	owner.s->self_limited = true;
	count.span.idle_ns = 900 * MS;
	count.span.asked_ns = 100 * MS;
	edf_self_limited_count(owner.s, &count);
	assert_false(owner.s->self_limited);
	(void)state;
}

/* ---- S ---- */

/* One large read of a stream with next to nothing promised is worth minutes of that. */
static void a_raised_promise_begins_at_once(void **state)
{
	int strict;

	for (strict = 0; strict <= 1; strict++) {
		begin(QOS_PROFILE);
		owner = client(strict ? "min_iops=1 window_ms=1000 drive_mode=strict" :
					"min_iops=1 window_ms=1000", false, 8, 0);
		qos_submit(owner.s, SSDQOS_EDF_KIND_READ, MIB, 0);
		qos_complete(qos_last_sent());
		assert_true(owner.s->start_ns > qos_now_ns + MIN);
		assert_int_equal(qos_set(owner.s, "min_iops=5000"), 0);
		neighbour = client("", false, 32, 0);
		run(10 * S);
		assert_in_range(owner.done / 10, 4900, 10000);
		/* one goes by until the pace knows that the drive has too many at a time */
		assert_in_range(owner.s->stats.windows_missed, 0, 1);
		qos_finish(state);
	}
}

static void work_without_a_promise_is_not_of_the_first_step(void **state)
{
	struct ssdqos_edf_stream *s;

	(void)state;
	begin(QOS_PROFILE);
	qos_add("util_ppm=1000");
	neighbour = client("", false, 4, 0);
	s = neighbour.s;
	run(10 * S);
	assert_int_equal(qos_set(s, "min_iops=5000 window_ms=1000"), 0);
	assert_int_equal(s->step_work_ns, 0);
	assert_int_equal(s->step_idle_ns, qos_now_ns - qos_edf->debt.step_ns);
	assert_true(s->has_come);
}

static void nothing_is_left_of_another_promise(void **state)
{
	struct ssdqos_edf_stream *s;

	(void)state;
	begin(QOS_PROFILE);
	s = qos_add("min_iops=1000 window_ms=1000");
	s->paused_ns = 1;
	s->late_since_ns = 1;
	s->asking.credit_ns = 1;
	s->watch.counted = 1;
	assert_int_equal(qos_set(s, "min_iops=1000 weight=7"), 0);
	assert_int_equal(s->paused_ns, 1);
	assert_int_equal(qos_set(s, "min_iops=2000"), 0);
	assert_int_equal(s->paused_ns, 0);
	assert_int_equal(s->late_since_ns, 0);
	assert_int_equal(s->asking.credit_ns, 0);
	assert_int_equal(s->watch.counted, 0);
}

/* What others leave in mode strict is used by those without a promise at once. */
static void what_was_reserved_is_used_when_it_is_free(void **state)
{
	struct ssdqos_edf_stream *a, *b;

	begin(QOS_PROFILE);
	a = qos_add("util_ppm=970000 window_ms=1000 drive_mode=strict");
	b = qos_add("");
	qos_submit(b, SSDQOS_EDF_KIND_WRITE, MIB, 0);
	qos_complete(qos_last_sent());
	qos_write(b);
	assert_null(qos_next());
	ssdqos_edf_remove(a);
	memset(a, 0, sizeof(*a));
	assert_ptr_equal(qos_next(), b);
	qos_finish(state);
}

/* ---- a number that was somebody's ---- */

static void a_new_client_is_not_who_was_late(void **state)
{
	struct ssdqos_edf_stream *gone, *s;
	u32 id;

	begin(QOS_PROFILE);
	gone = qos_add("min_iops=3000 window_ms=1000");
	qos_add("min_iops=1000 window_ms=1000");
	id = gone->id;
	qos_edf->pace.late = id;
	qos_edf->pace.rate_ppm = qos_edf->group_ppm;
	qos_edf->pace.came = id;
	qos_edf->pace.came_before = id;
	ssdqos_edf_remove(gone);
	memset(gone, 0, sizeof(*gone));
	s = &qos_streams[QOS_STREAMS - 1];
	assert_int_equal(ssdqos_edf_add(qos_edf, s, qos_now_ns, qos_err, sizeof(qos_err)), 0);
	assert_int_equal(s->id, id);
	assert_false(edf_pace_is_for(s));
	assert_int_not_equal(qos_edf->pace.came, id);
	assert_int_not_equal(qos_edf->pace.came_before, id);
	ssdqos_edf_remove(s);
	memset(s, 0, sizeof(*s));
	qos_finish(state);
}

static void who_has_nothing_promised_any_more_is_not_late(void **state)
{
	struct ssdqos_edf_stream *s;

	(void)state;
	begin(QOS_PROFILE);
	s = qos_add("min_iops=3000 window_ms=1000");
	qos_add("min_iops=1000 window_ms=1000");
	qos_edf->pace.late = s->id;
	assert_int_equal(qos_set(s, "min_iops=0"), 0);
	assert_false(edf_pace_is_for(s));
}

/* ---- turns ---- */

/* Small writes and large ones in order by turns are worth no more than either. */
static void who_turns_has_no_more(void **state)
{
	(void)state;
	begin(QOS_PROFILE);
	owner = client("util_ppm=500000 window_ms=1000 iodepth=8", false, 8, MS);
	neighbour = client("", true, 16, 0);
	other = client("", true, 2, 0);
	other.turns = true;
	other.sector = 1ULL << 25;
	run(MIN);
	run(MIN);
	assert_in_range(other.work_ns, neighbour.work_ns / 2, neighbour.work_ns * 2);
}

static void turns_beside_both_kinds(const char *words, u64 gap_ns)
{
	begin(QOS_PROFILE);
	fourth = client("util_ppm=400000 window_ms=1000 iodepth=8", false, 8, 0);
	owner = client(words, true, gap_ns ? 4 : 16, gap_ns);
	owner.alternates = true;
	owner.sector = 1ULL << 30;
	neighbour = client("", true, 16, 0);
	other = client("", true, 16, 0);
	other.in_order = true;
	other.sector = 1ULL << 35;
	run(MIN);
}

static void who_turns_has_no_less(void **state)
{
	(void)state;
	turns_beside_both_kinds("", 0);
	run(MIN);
	assert_in_range(owner.work_ns, neighbour.work_ns * 9 / 10, neighbour.work_ns * 11 / 10);
	assert_in_range(owner.work_ns, other.work_ns * 9 / 10, other.work_ns * 11 / 10);
}

/* What its promise has paid for is not held against it. */
static void an_owner_that_turns_has_its_spare_part(void **state)
{
	u64 spare;

	(void)state;
	turns_beside_both_kinds("util_ppm=200000 op=write window_ms=1000 iodepth=4", 2100 * US);
	spare = owner.s->stats.dispatched_spare;
	owner.gap_ns = 0;
	owner.depth = 16;
	run(30 * S);
	assert_true(owner.s->stats.dispatched_spare - spare > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_stop_is_forgotten, qos_finish),
		cmocka_unit_test_teardown(a_stop_is_forgotten_when_its_owner_has_gone, qos_finish),
		cmocka_unit_test_teardown(more_than_the_profile_stays, qos_finish),
		cmocka_unit_test_teardown(who_is_slow_by_itself_slows_nobody, qos_finish),
		cmocka_unit_test_teardown(what_it_has_missed_is_made_up_for, qos_finish),
		cmocka_unit_test_teardown(who_is_not_is_waited_for, qos_finish),
		cmocka_unit_test(a_raised_promise_begins_at_once),
		cmocka_unit_test_teardown(work_without_a_promise_is_not_of_the_first_step, qos_finish),
		cmocka_unit_test(a_new_client_is_not_who_was_late),
		cmocka_unit_test_teardown(a_pause_is_no_reason_to_forget, qos_finish),
		cmocka_unit_test_teardown(another_promise_is_no_lack, qos_finish),
		cmocka_unit_test_teardown(who_is_away_earns_nothing, qos_finish),
		cmocka_unit_test_teardown(who_asks_for_little_is_served, qos_finish),
		cmocka_unit_test_teardown(a_drive_that_stands_is_nobodys_doing, qos_finish),
		cmocka_unit_test_teardown(nobody_knows_of_sums_that_were_begun_anew, qos_finish),
		cmocka_unit_test_teardown(nothing_is_left_of_another_promise, qos_finish),
		cmocka_unit_test_teardown(who_has_nothing_promised_any_more_is_not_late, qos_finish),
		cmocka_unit_test_teardown(who_turns_has_no_less, qos_finish),
		cmocka_unit_test_teardown(an_owner_that_turns_has_its_spare_part, qos_finish),
		cmocka_unit_test(what_was_reserved_is_used_when_it_is_free),
		cmocka_unit_test_teardown(who_turns_has_no_more, qos_finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
