// SPDX-License-Identifier: GPL-2.0
/*
 * evq.c - event queue ordered by (time, sequence)
 *
 * What comes next lies in a short array, in order, and the rest behind it in an
 * indexed 4-ary heap.  A drive mostly has so few events pending that all of them
 * are near: taking the next one costs nothing then, and a new one is moved down
 * from the early end, past those before it, unless it is the latest: there is room
 * at that end, too.  In a heap nearly each of its comparisons goes either way as if
 * by chance, so the processor foresees none.
 *
 * Of the heap, four children of 16 bytes fill one cache line, so a level costs one
 * miss; with a few hundred servers it has four levels.
 */
#include "evq.h"

/* The @pos of what is in the array. */
#define EVQ_NEAR (SSDQOS_NIL - 1)

/* So many come from the heap when the array is empty; room for new ones stays. */
#define EVQ_REFILL (SSDQOS_EVQ_NEAR / 2)

#define EVQ_ARITY_SHIFT 2
#define EVQ_ARITY (1u << EVQ_ARITY_SHIFT)
#define EVQ_ID_MASK ((1u << SSDQOS_EVQ_ID_BITS) - 1)

static bool evq_before(const struct ssdqos_evq_entry *a,
		       const struct ssdqos_evq_entry *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->seq_id < b->seq_id;
}

static u32 evq_id(const struct ssdqos_evq_entry *e)
{
	return (u32)e->seq_id & EVQ_ID_MASK;
}

static void evq_place(struct ssdqos_evq *q, u32 at, struct ssdqos_evq_entry e)
{
	q->heap[at] = e;
	q->pos[evq_id(&e)] = at;
}

static void evq_sift_up(struct ssdqos_evq *q, u32 at, struct ssdqos_evq_entry e)
{
	while (at) {
		u32 parent = (at - 1) >> EVQ_ARITY_SHIFT;

		if (!evq_before(&e, &q->heap[parent]))
			break;
		evq_place(q, at, q->heap[parent]);
		at = parent;
	}
	evq_place(q, at, e);
}

static void evq_sift_down(struct ssdqos_evq *q, u32 at,
			  struct ssdqos_evq_entry e)
{
	for (;;) {
		u32 child = (at << EVQ_ARITY_SHIFT) + 1;
		u32 end = min(child + EVQ_ARITY, q->nr_heap);
		u32 best = child;

		if (child >= q->nr_heap)
			break;
		while (++child < end)
			if (evq_before(&q->heap[child], &q->heap[best]))
				best = child;
		if (!evq_before(&q->heap[best], &e))
			break;
		evq_place(q, at, q->heap[best]);
		at = best;
	}
	evq_place(q, at, e);
}

/* Put @e where the hole at @at is; the hole may be above or below its place. */
static void evq_fill(struct ssdqos_evq *q, u32 at, struct ssdqos_evq_entry e)
{
	if (at && evq_before(&e, &q->heap[(at - 1) >> EVQ_ARITY_SHIFT]))
		evq_sift_up(q, at, e);
	else
		evq_sift_down(q, at, e);
}

static void evq_heap_push(struct ssdqos_evq *q, struct ssdqos_evq_entry e)
{
	evq_sift_up(q, q->nr_heap++, e);
}

static void evq_heap_remove(struct ssdqos_evq *q, u32 at)
{
	q->nr_heap--;
	if (at < q->nr_heap)
		evq_fill(q, at, q->heap[q->nr_heap]);
}

/* ---- the array ---- */

/* The earliest of the heap follow upon what was near. */
static void evq_refill(struct ssdqos_evq *q)
{
	u32 nr = min_t(u32, q->nr_heap, EVQ_REFILL);

	q->nr_near = nr;
	while (nr--) {
		q->near[nr] = q->heap[0];
		q->pos[evq_id(&q->heap[0])] = EVQ_NEAR;
		evq_heap_remove(q, 0);
	}
}

/* The latest leaves; all in the heap come after it. */
static void evq_near_evict(struct ssdqos_evq *q)
{
	struct ssdqos_evq_entry latest = q->near[0];
	u32 i;

	q->nr_near--;
	if (q->near < q->room + SSDQOS_EVQ_NEAR)
		q->near++;
	else
		for (i = 0; i < q->nr_near; i++)
			q->near[i] = q->near[i + 1];
	evq_heap_push(q, latest);
}

/* The latest of all that are near; once in SSDQOS_EVQ_NEAR times there is no room
 * at its end.
 */
static void evq_near_append(struct ssdqos_evq *q, struct ssdqos_evq_entry e)
{
	u32 i = q->nr_near++;

	if (unlikely(q->near == q->room)) {
		q->near += SSDQOS_EVQ_NEAR;
		while (i--)
			q->near[i] = q->room[i];
	}
	*--q->near = e;
}

/* A new event, which comes after all others of its time. */
static void evq_near_add(struct ssdqos_evq *q, struct ssdqos_evq_entry e)
{
	u32 at = q->nr_near;

	q->pos[evq_id(&e)] = EVQ_NEAR;
	if (at && q->near[0].time_ns <= e.time_ns) {
		evq_near_append(q, e);
		return;
	}
	q->nr_near++;
	for (; at && q->near[at - 1].time_ns <= e.time_ns; at--)
		q->near[at] = q->near[at - 1];
	q->near[at] = e;
}

static u32 evq_near_find(const struct ssdqos_evq *q, u32 id)
{
	u32 at = q->nr_near;

	while (evq_id(&q->near[--at]) != id)
		;
	return at;
}

static void evq_near_take(struct ssdqos_evq *q, u32 at)
{
	q->nr_near--;
	for (; at < q->nr_near; at++)
		q->near[at] = q->near[at + 1];
}

/* An event gets another time, and stays near. */
static void evq_near_move(struct ssdqos_evq *q, struct ssdqos_evq_entry e)
{
	u32 at = evq_near_find(q, evq_id(&e));

	if (at && q->near[0].time_ns <= e.time_ns) {
		evq_near_take(q, at);
		evq_near_append(q, e);
		return;
	}
	for (; at && q->near[at - 1].time_ns <= e.time_ns; at--)
		q->near[at] = q->near[at - 1];
	for (; at + 1 < q->nr_near && q->near[at + 1].time_ns > e.time_ns; at++)
		q->near[at] = q->near[at + 1];
	q->near[at] = e;
}

/* Moves a pending event to another time where it lies; false if it has to
 * change from the array to the heap, or back.
 */
static bool evq_move(struct ssdqos_evq *q, u32 at, struct ssdqos_evq_entry e)
{
	if (at == EVQ_NEAR) {
		if (q->nr_heap && q->heap[0].time_ns <= e.time_ns)
			return false;
		evq_near_move(q, e);
	} else {
		if (e.time_ns < q->near[0].time_ns)
			return false;
		evq_fill(q, at, e);
	}
	return true;
}

/* Does a new event come before all in the heap, and is it among the first? */
static bool evq_is_near(const struct ssdqos_evq *q, u64 time_ns)
{
	if (q->nr_heap && q->heap[0].time_ns <= time_ns)
		return false;
	return q->nr_near < SSDQOS_EVQ_NEAR || time_ns < q->near[0].time_ns;
}

/* ---- the queue ---- */

/**
 * ssdqos_evq_bytes - memory that a queue needs
 * @nr_ids: number of ids, at most SSDQOS_EVQ_MAX_IDS
 *
 * Return: bytes for ssdqos_evq_init().
 */
u64 ssdqos_evq_bytes(u32 nr_ids)
{
	return (2 * SSDQOS_EVQ_NEAR + (u64)nr_ids) * sizeof(struct ssdqos_evq_entry) +
	       (u64)nr_ids * sizeof(u32);
}

/**
 * ssdqos_evq_init - make an empty queue
 * @q: the queue
 * @nr_ids: number of ids, at most SSDQOS_EVQ_MAX_IDS
 * @mem: ssdqos_evq_bytes(@nr_ids) bytes, aligned to 8, owned by the caller
 *       for as long as @q is used
 */
void ssdqos_evq_init(struct ssdqos_evq *q, u32 nr_ids, void *mem)
{
	u32 id;

	q->room = mem;
	q->near = q->room + SSDQOS_EVQ_NEAR;
	q->heap = q->room + 2 * SSDQOS_EVQ_NEAR;
	q->pos = (u32 *)(q->heap + nr_ids);
	q->nr_ids = nr_ids;
	q->nr = 0;
	q->nr_near = 0;
	q->nr_heap = 0;
	q->seq = 0;
	for (id = 0; id < nr_ids; id++)
		q->pos[id] = SSDQOS_NIL;
}

/**
 * ssdqos_evq_put - ssdqos_evq_set() of what is not alone
 * @q: the queue
 * @e: the event, with a new sequence number
 */
void ssdqos_evq_put(struct ssdqos_evq *q, struct ssdqos_evq_entry e)
{
	u32 id = evq_id(&e);

	if (ssdqos_evq_pending(q, id)) {
		if (evq_move(q, q->pos[id], e))
			return;
		ssdqos_evq_drop(q, id);
	}
	q->nr++;
	if (!evq_is_near(q, e.time_ns)) {
		evq_heap_push(q, e);
		return;
	}
	if (unlikely(q->nr_near == SSDQOS_EVQ_NEAR))
		evq_near_evict(q);
	evq_near_add(q, e);
}

/**
 * ssdqos_evq_drop - drop the event of an id
 * @q: the queue
 * @id: the id; its event is pending
 */
void ssdqos_evq_drop(struct ssdqos_evq *q, u32 id)
{
	u32 at = q->pos[id];

	q->pos[id] = SSDQOS_NIL;
	q->nr--;
	if (at != EVQ_NEAR) {
		evq_heap_remove(q, at);
		return;
	}
	evq_near_take(q, evq_near_find(q, id));
	if (!q->nr_near && q->nr_heap)
		evq_refill(q);
}

/**
 * ssdqos_evq_time_ns - when the event of an id is due
 * @q: the queue
 * @id: the id; its event is pending
 *
 * Return: nanoseconds.
 */
u64 ssdqos_evq_time_ns(const struct ssdqos_evq *q, u32 id)
{
	u32 at = q->pos[id];

	return at == EVQ_NEAR ? q->near[evq_near_find(q, id)].time_ns :
				q->heap[at].time_ns;
}

/**
 * ssdqos_evq_pop - take the earliest event
 * @q: the queue; must not be empty
 * @time_ns: set to the time of the event
 *
 * Return: the id.
 */
u32 ssdqos_evq_pop(struct ssdqos_evq *q, u64 *time_ns)
{
	const struct ssdqos_evq_entry *next = &q->near[--q->nr_near];
	u32 id = evq_id(next);

	*time_ns = next->time_ns;
	q->pos[id] = SSDQOS_NIL;
	q->nr--;
	if (!q->nr_near && q->nr_heap)
		evq_refill(q);
	return id;
}
