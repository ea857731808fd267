// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at random, against a reference that knows who waits and in which order.
 */
#include "qos_helper.h"
#include "../../dm-ssdqos/core/engine/rng.h"

#define OPERATIONS 100000
#define WAITING_MAX 32
#define OUTSTANDING_MAX (QOS_REQUESTS - WAITING_MAX)
#define GROUP SSDQOS_QOS_MAX_STREAMS
#define LIMIT_PPM 990000u
/* How often a list that waits is passed over before it has a turn: 8 times, and by another's turn. */
#define PASSED_MAX (8 + SSDQOS_EDF_NR_LISTS)

/* What the reference knows: who waits, oldest first, and how many are under way. */
static struct reference {
	struct ssdqos_edf_req *waiting[WAITING_MAX];
	u32 nr_waiting;
	u32 passed[SSDQOS_EDF_NR_LISTS];
	u32 in_flight;
	u64 completed;
} refs[QOS_STREAMS];

static struct ssdqos_edf_req *in_flight[QOS_REQUESTS];
static u32 nr_in_flight;
static u32 nr_streams;
static struct ssdqos_rng rng;

static u32 below(u32 n)
{
	return ssdqos_rng_below(&rng, n);
}

static struct reference *ref_of(const struct ssdqos_edf_stream *s)
{
	return &refs[s - qos_streams];
}

static u32 list_of(const struct ssdqos_edf_req *req)
{
	if (req->urgent)
		return SSDQOS_EDF_LIST_URGENT;
	return req->kind == SSDQOS_EDF_KIND_READ ? SSDQOS_EDF_LIST_READ : SSDQOS_EDF_LIST_OTHER;
}

/* The oldest that waits in a list: its index, or the number of those that wait. */
static u32 oldest(const struct reference *ref, u32 list)
{
	u32 i = 0;

	while (i < ref->nr_waiting && list_of(ref->waiting[i]) != list)
		i++;
	return i;
}

static u32 most_in_flight(void)
{
	const u32 depth = (u32)qos_edf->cfg.drive_queue_depth;

	return depth > qos_edf->urgent_in_flight ? depth : qos_edf->urgent_in_flight + 1;
}

/* ---- what must hold ---- */

static u32 spare_heaps(const struct ssdqos_edf_stream *s)
{
	u32 n = 0;

	for (u32 i = 0; i < SSDQOS_EDF_NR_SPARES; i++)
		n += ssdqos_evq_pending(&qos_edf->spare[i], s->id);
	return n;
}

static void check_stream(const struct ssdqos_edf_stream *s)
{
	const struct reference *ref = ref_of(s);
	const bool limited = ssdqos_evq_pending(&qos_edf->limited, s->id);
	const bool early = ssdqos_evq_pending(&qos_edf->early, s->id);
	const bool ready = ssdqos_evq_pending(&qos_edf->ready, s->id);
	const u32 spare = spare_heaps(s);
	const bool effort = ssdqos_evq_pending(&qos_edf->effort, s->id);
	const bool strict = qos_edf->cfg.drive_mode == SSDQOS_QOS_STRICT && !s->draining;

	assert_int_equal(s->queued, ref->nr_waiting);
	assert_int_equal(s->in_flight, ref->in_flight);
	assert_true(s->discards <= s->queued + s->in_flight);
	assert_int_equal(s->watch.asks > 0, s->queued + s->in_flight > s->discards);
	assert_int_equal(limited + early + ready + effort, s->queued ? 1 : 0);
	assert_false((early || ready) && !s->util_ppm);
	assert_false(effort && s->util_ppm);
	assert_int_equal(spare, s->queued && !limited && (!strict || s->owed_ns));
	if (s->queued)
		assert_ptr_equal(s->first, ref->waiting[oldest(ref, list_of(s->first))]);
}

static void check_group(void)
{
	const bool early = ssdqos_evq_pending(&qos_edf->early, GROUP);
	const bool ready = ssdqos_evq_pending(&qos_edf->ready, GROUP);

	assert_int_equal(early + ready, qos_edf->effort.nr ? 1 : 0);
}

static void check(void)
{
	u64 util_ppm[SSDQOS_QOS_NR_OPS] = { 0 };
	u32 queued = 0, urgent = 0, i;

	for (i = 0; i < nr_in_flight; i++)
		urgent += in_flight[i]->decision == SSDQOS_EDF_URGENT;
	assert_int_equal(qos_edf->urgent_in_flight, urgent);
	for (i = 0; i < nr_streams; i++) {
		check_stream(&qos_streams[i]);
		queued += qos_streams[i].queued;
		util_ppm[qos_streams[i].cfg.op] += qos_streams[i].util_ppm;
	}
	check_group();
	assert_int_equal(qos_edf->queued, queued);
	assert_int_equal(qos_edf->in_flight, nr_in_flight);
	assert_memory_equal(util_ppm, qos_edf->load.util_ppm, sizeof(util_ppm));
	assert_true(ssdqos_edf_used_ppm(qos_edf) <= LIMIT_PPM);
}

/* ---- what happens ---- */

static void take(struct ssdqos_edf_req *req)
{
	in_flight[nr_in_flight++] = req;
	ref_of(req->stream)->in_flight++;
	assert_true(req->decision != SSDQOS_EDF_NONE);
	assert_true(req->sent_ns == qos_now_ns);
}

static void submit(struct ssdqos_edf_stream *s)
{
	static const u32 kinds[] = { SSDQOS_EDF_KIND_READ, SSDQOS_EDF_KIND_WRITE,
				     SSDQOS_EDF_KIND_READ, SSDQOS_EDF_KIND_WRITE,
				     SSDQOS_EDF_KIND_DISCARD, SSDQOS_EDF_KIND_FLUSH };
	const u32 most = most_in_flight();
	struct reference *ref = ref_of(s);
	struct ssdqos_edf_req *req;
	u32 flags = 0;

	if (ref->nr_waiting == WAITING_MAX || nr_in_flight + qos_edf->queued >= OUTSTANDING_MAX)
		return;
	if (!below(16))
		flags |= SSDQOS_EDF_FLAG_URGENT;
	req = qos_request(kinds[below(6)], 512 * (1 + below(512)));
	switch (qos_submit_at(s, req, 8 * below(64), flags)) {
	case SSDQOS_EDF_GO:
		if (req->decision != SSDQOS_EDF_URGENT)
			assert_true(!ref->nr_waiting && nr_in_flight < most);
		else if (!s->draining)
			assert_int_equal(oldest(ref, SSDQOS_EDF_LIST_URGENT), ref->nr_waiting);
		take(req);
		break;
	case SSDQOS_EDF_WAIT:
		assert_false(flags && s->draining);
		ref->waiting[ref->nr_waiting++] = req;
		break;
	}
}

static bool send(void)
{
	const struct ssdqos_edf_stream *s = qos_next();
	struct reference *ref;
	u32 list, i;

	if (!s)
		return false;
	ref = ref_of(s);
	list = list_of(qos_last_sent());
	i = oldest(ref, list);
	assert_true(nr_in_flight < most_in_flight());
	assert_true(i < ref->nr_waiting);
	assert_ptr_equal(qos_last_sent(), ref->waiting[i]);
	ref->nr_waiting--;
	memmove(&ref->waiting[i], &ref->waiting[i + 1],
		(ref->nr_waiting - i) * sizeof(ref->waiting[0]));
	for (i = 0; i < SSDQOS_EDF_NR_LISTS; i++) {
		ref->passed[i] = i == list || oldest(ref, i) == ref->nr_waiting ? 0 : ref->passed[i] + 1;
		assert_true(ref->passed[i] <= PASSED_MAX);
	}
	take(qos_last_sent());
	return true;
}

static void complete(void)
{
	struct ssdqos_edf_req *req;
	u32 i;

	if (!nr_in_flight)
		return;
	i = below(nr_in_flight);
	req = in_flight[i];
	in_flight[i] = in_flight[--nr_in_flight];
	ref_of(req->stream)->in_flight--;
	ref_of(req->stream)->completed++;
	assert_in_range(qos_complete(req), 0, SSDQOS_WATCH_MAX_EVENTS);
}

/* Refusals are fine, as long as they change nothing. */
static void retune(struct ssdqos_edf_stream *s)
{
	static const char *const changes[] = {
		"min_iops=0 min_mb_s=0 util_ppm=0", "util_ppm=0 min_mb_s=0 min_iops=%u", "weight=%u",
		"min_iops=0 min_mb_s=0 util_ppm=%u00", "max_iops=0", "max_iops=1%u", "max_mb_s=%u",
		"max_mb_s=0", "burst_ms=%u", "op=write", "op=read", "window_ms=%u00",
		"drive_mode=strict", "drive_mode=work_conserving", "drive_queue_depth=%u",
		"drive_credit_ms=%u",
	};
	const struct ssdqos_qos_stream_config before = s->cfg;
	const u32 util_ppm = s->util_ppm;
	char words[64];

	snprintf(words, sizeof(words), changes[below(sizeof(changes) / sizeof(changes[0]))], 1 + below(300));
	if (qos_set(s, words)) {
		assert_memory_equal(&before, &s->cfg, sizeof(before));
		assert_int_equal(util_ppm, s->util_ppm);
		assert_true(*qos_err);
	}
}

static void replace(struct ssdqos_edf_stream *s)
{
	if (s->queued || s->in_flight)
		return;
	ssdqos_edf_remove(s);
	memset(s, 0, sizeof(*s));
	assert_int_equal(ssdqos_edf_add(qos_edf, s, qos_now_ns, qos_err, sizeof(qos_err)), 0);
}

static void pass(void)
{
	u64 wake_ns = ssdqos_edf_wake_ns(qos_edf);

	/* who may go now goes before time passes, as its callers do */
	while (send())
		;
	assert_true(ssdqos_edf_wake_ns(qos_edf) > qos_now_ns);
	wake_ns = ssdqos_edf_wake_ns(qos_edf);
	if (below(2) && wake_ns != SSDQOS_NEVER_NS) {
		qos_now_ns = wake_ns;
		if (send())
			return;
		/* what became due is late spare work at most */
		assert_true(ssdqos_edf_wake_ns(qos_edf) > qos_now_ns);
	} else {
		qos_now_ns += below(1 << below(24));
	}
}

static void something(void)
{
	struct ssdqos_edf_stream *s = &qos_streams[below(nr_streams)];
	const u32 what = below(1000);

	if (what < 400)
		submit(s);
	else if (what < 750)
		complete();
	else if (what < 850)
		send();
	else if (what < 960)
		pass();
	else if (what < 980)
		retune(s);
	else if (what < 985)
		ssdqos_edf_drain(s, !s->draining, qos_now_ns);
	else if (what < 990)
		replace(s);
	else if (what < 992)
		ssdqos_edf_reset_stats(s);
	else
		assert_in_range(ssdqos_edf_tick(s, qos_now_ns, qos_events), 0,
				SSDQOS_WATCH_MAX_EVENTS);
	assert_in_range(ssdqos_edf_why(s, qos_now_ns), 0, SSDQOS_EDF_NR_REASONS - 1);
}

static void run(u32 streams, u64 seed)
{
	u64 completed = 0;

	qos_start(QOS_PROFILE);
	memset(refs, 0, sizeof(refs));
	nr_in_flight = 0;
	ssdqos_rng_seed(&rng, seed);
	for (nr_streams = 0; nr_streams < streams; nr_streams++)
		qos_add("");
	for (u32 i = 0; i < OPERATIONS; i++) {
		something();
		check();
	}
	for (u32 i = 0; i < streams; i++)
		ssdqos_edf_drain(&qos_streams[i], true, qos_now_ns);
	while (send() || nr_in_flight)
		complete();
	check();
	for (u32 i = 0; i < streams; i++) {
		const struct ssdqos_edf_stats *stats = &qos_streams[i].stats;

		assert_int_equal(refs[i].nr_waiting, 0);
		assert_int_equal(stats->windows, stats->windows_met + stats->windows_missed +
						 stats->windows_idle);
#define W(A, NAME, name, ...) + stats->missed_##name
		assert_int_equal(stats->windows_missed, 0 SSDQOS_MISS_WHYS(W, 0));
#undef W
		completed += refs[i].completed;
	}
	assert_true(completed > OPERATIONS / 10);
	qos_finish(NULL);
}

static void keeps_account_of_one_stream(void **state)
{
	run(1, 1);
}

static void keeps_account_of_a_few_streams(void **state)
{
	run(5, 2);
}

static void keeps_account_of_many_streams(void **state)
{
	run(QOS_STREAMS, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_account_of_one_stream),
		cmocka_unit_test(keeps_account_of_a_few_streams),
		cmocka_unit_test(keeps_account_of_many_streams),
	};

	return cmocka_run_group_tests_name("qos_stress", tests, NULL, NULL);
}
