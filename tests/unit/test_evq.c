// SPDX-License-Identifier: GPL-2.0
/*
 * The event queue against a naive reference: a table that is searched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/evq.h"
#include "../../dm-ssdqos/core/engine/rng.h"

#define RANDOM_OPERATIONS 100000
#define FEW_IDS 61
#define FEW_TIMES 32	/* many events at one time */

struct naive {
	bool pending;
	u64 time_ns;
	u64 seq;
};

static struct naive ref[SSDQOS_EVQ_MAX_IDS];
static u64 ref_seq;
static struct ssdqos_evq q;
static void *mem;

static void start(u32 nr_ids)
{
	mem = malloc(ssdqos_evq_bytes(nr_ids));
	assert_non_null(mem);
	ssdqos_evq_init(&q, nr_ids, mem);
	memset(ref, 0, sizeof(ref));
	ref_seq = 0;
}

static int finish(void **state)
{
	free(mem);
	mem = NULL;
	return 0;
}

static void set(u32 id, u64 time_ns)
{
	ssdqos_evq_set(&q, id, time_ns);
	ref[id] = (struct naive){ true, time_ns, ref_seq++ };
}

static void cancel(u32 id)
{
	ssdqos_evq_cancel(&q, id);
	ref[id].pending = false;
}

/* The id that has to come next, SSDQOS_NIL if none. */
static u32 naive_first(u32 nr_ids)
{
	u32 i, best = SSDQOS_NIL;

	for (i = 0; i < nr_ids; i++)
		if (ref[i].pending &&
		    (best == SSDQOS_NIL || ref[i].time_ns < ref[best].time_ns ||
		     (ref[i].time_ns == ref[best].time_ns && ref[i].seq < ref[best].seq)))
			best = i;
	return best;
}

static void check_order(const struct ssdqos_evq_entry *a, const struct ssdqos_evq_entry *b)
{
	assert_true(a->time_ns < b->time_ns ||
		    (a->time_ns == b->time_ns && a->seq_id < b->seq_id));
}

/* Where an event lies whose id is pending. */
static const struct ssdqos_evq_entry *entry_of(u32 id)
{
	u32 i;

	for (i = 0; i < q.nr_near; i++)
		if ((q.near[i].seq_id & SSDQOS_EVQ_MAX_IDS) == id)
			return &q.near[i];
	return &q.heap[q.pos[id]];
}

static void check_heap(void)
{
	u32 i, nr = 0;

	for (i = 1; i < q.nr_heap; i++)
		check_order(&q.heap[(i - 1) / 4], &q.heap[i]);
	for (i = 1; i < q.nr_near; i++)
		check_order(&q.near[i], &q.near[i - 1]);
	if (q.nr_heap)
		check_order(&q.near[0], &q.heap[0]);
	assert_int_equal(q.nr, q.nr_near + q.nr_heap);
	for (i = 0; i < q.nr_ids; i++) {
		assert_int_equal(ssdqos_evq_pending(&q, i), ref[i].pending);
		nr += ref[i].pending;
		if (!ref[i].pending)
			continue;
		assert_int_equal(entry_of(i)->seq_id & SSDQOS_EVQ_MAX_IDS, i);
		assert_true(ssdqos_evq_time_ns(&q, i) == ref[i].time_ns);
	}
	assert_int_equal(nr, q.nr);
}

static void check_pop(u32 nr_ids)
{
	u32 want = naive_first(nr_ids);
	u64 time_ns = 0;

	if (want == SSDQOS_NIL) {
		assert_true(ssdqos_evq_next_ns(&q) == SSDQOS_NEVER_NS);
		return;
	}
	assert_true(ssdqos_evq_next_ns(&q) == ref[want].time_ns);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), want);
	assert_true(time_ns == ref[want].time_ns);
	ref[want].pending = false;
}

static void orders_by_time_then_by_sequence(void **state)
{
	u64 time_ns;

	start(5);
	set(3, 20);
	set(1, 10);
	set(4, 10);
	set(0, 10);
	set(2, 5);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 2);
	assert_true(time_ns == 5);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 1);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 4);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 0);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 3);
	assert_true(time_ns == 20);
	assert_true(ssdqos_evq_next_ns(&q) == SSDQOS_NEVER_NS);
}

static void moved_event_queues_behind_others_of_its_time(void **state)
{
	u64 time_ns;

	start(3);
	set(0, 10);
	set(1, 10);
	set(2, 5);
	set(0, 10);	/* not moved in time, but set again */
	set(2, 10);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 1);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 0);
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 2);
}

static void works_with_one_id(void **state)
{
	u64 time_ns;

	start(1);
	ssdqos_evq_cancel(&q, 0);
	assert_false(ssdqos_evq_pending(&q, 0));
	set(0, 7);
	set(0, 3);
	set(0, 9);
	assert_true(ssdqos_evq_next_ns(&q) == 9);
	cancel(0);
	assert_true(ssdqos_evq_next_ns(&q) == SSDQOS_NEVER_NS);
	set(0, 0);
	check_heap();
	assert_int_equal(ssdqos_evq_pop(&q, &time_ns), 0);
	assert_true(time_ns == 0);
	assert_true(ssdqos_evq_next_ns(&q) == SSDQOS_NEVER_NS);
}

static void cancels_any_element(void **state)
{
	u32 victim, i;

	for (victim = 0; victim < 40; victim++) {
		start(40);
		for (i = 0; i < 40; i++)
			set(i, (i * 17) % 23);
		cancel(victim);
		cancel((victim + 13) % 40);
		check_heap();
		for (i = 0; i < 40; i++)
			check_pop(40);
		finish(NULL);
	}
}

static void agrees_with_reference_over_random_operations(void **state)
{
	struct ssdqos_rng rng;
	u64 now = 0;
	u32 i, id;

	ssdqos_rng_seed(&rng, 1);
	start(FEW_IDS);
	for (i = 0; i < RANDOM_OPERATIONS; i++) {
		id = ssdqos_rng_below(&rng, FEW_IDS);
		switch (ssdqos_rng_below(&rng, 8)) {
		case 0: case 1: case 2: case 3:
			set(id, now + ssdqos_rng_below(&rng, FEW_TIMES));
			break;
		case 4:
			cancel(id);
			break;
		case 5:	/* also in the past */
			set(id, ssdqos_rng_below(&rng, FEW_TIMES));
			break;
		default:
			check_pop(FEW_IDS);
			now++;
		}
		if (i % 16 == 0)
			check_heap();
	}
	while (q.nr)
		check_pop(FEW_IDS);
}

static int by_time_and_seq(const void *a, const void *b)
{
	const struct naive *x = &ref[*(const u32 *)a], *y = &ref[*(const u32 *)b];

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void works_with_the_most_ids(void **state)
{
	static u32 order[SSDQOS_EVQ_MAX_IDS];
	struct ssdqos_rng rng;
	u32 i, nr = 0;
	u64 time_ns;

	ssdqos_rng_seed(&rng, 2);
	start(SSDQOS_EVQ_MAX_IDS);
	for (i = 0; i < RANDOM_OPERATIONS; i++)
		set(ssdqos_rng_below(&rng, SSDQOS_EVQ_MAX_IDS), ssdqos_rng_below(&rng, 4096));
	set(SSDQOS_EVQ_MAX_IDS - 1, 5);
	for (i = 0; i < RANDOM_OPERATIONS / 8; i++)
		cancel(ssdqos_rng_below(&rng, SSDQOS_EVQ_MAX_IDS - 1));
	check_heap();
	for (i = 0; i < SSDQOS_EVQ_MAX_IDS; i++)
		if (ref[i].pending)
			order[nr++] = i;
	qsort(order, nr, sizeof(u32), by_time_and_seq);
	for (i = 0; i < nr; i++) {
		assert_int_equal(ssdqos_evq_pop(&q, &time_ns), order[i]);
		assert_true(time_ns == ref[order[i]].time_ns);
	}
	assert_int_equal(q.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(orders_by_time_then_by_sequence, finish),
		cmocka_unit_test_teardown(moved_event_queues_behind_others_of_its_time, finish),
		cmocka_unit_test_teardown(works_with_one_id, finish),
		cmocka_unit_test_teardown(cancels_any_element, finish),
		cmocka_unit_test_teardown(agrees_with_reference_over_random_operations, finish),
		cmocka_unit_test_teardown(works_with_the_most_ids, finish),
	};

	return cmocka_run_group_tests_name("evq", tests, NULL, NULL);
}
