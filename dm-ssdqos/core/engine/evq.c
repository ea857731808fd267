// SPDX-License-Identifier: GPL-2.0
/*
 * evq.c - event queue ordered by (time, sequence)
 *
 * An indexed 4-ary heap.  Four children of 16 bytes fill one cache line, so a
 * level costs one miss; with a few hundred servers the heap has four levels.
 */
#include "evq.h"

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
		u32 end = min(child + EVQ_ARITY, q->nr);
		u32 best = child;

		if (child >= q->nr)
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

/**
 * ssdqos_evq_bytes - memory that a queue needs
 * @nr_ids: number of ids, at most SSDQOS_EVQ_MAX_IDS
 *
 * Return: bytes for ssdqos_evq_init().
 */
u64 ssdqos_evq_bytes(u32 nr_ids)
{
	return (u64)nr_ids * (sizeof(struct ssdqos_evq_entry) + sizeof(u32));
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

	q->heap = mem;
	q->pos = (u32 *)(q->heap + nr_ids);
	q->nr_ids = nr_ids;
	q->nr = 0;
	q->seq = 0;
	for (id = 0; id < nr_ids; id++)
		q->pos[id] = SSDQOS_NIL;
}

/**
 * ssdqos_evq_set - set or move the event of an id
 * @q: the queue
 * @id: the id
 * @time_ns: when it is due; may lie in the past
 *
 * A moved event gets a new sequence number: it queues behind others of its
 * new time.
 */
void ssdqos_evq_set(struct ssdqos_evq *q, u32 id, u64 time_ns)
{
	struct ssdqos_evq_entry e = {
		.time_ns = time_ns,
		.seq_id = q->seq++ << SSDQOS_EVQ_ID_BITS | id,
	};

	if (q->pos[id] == SSDQOS_NIL)
		evq_sift_up(q, q->nr++, e);
	else
		evq_fill(q, q->pos[id], e);
}

/**
 * ssdqos_evq_cancel - drop the event of an id
 * @q: the queue
 * @id: the id; nothing happens if no event is pending for it
 */
void ssdqos_evq_cancel(struct ssdqos_evq *q, u32 id)
{
	u32 at = q->pos[id];

	if (at == SSDQOS_NIL)
		return;
	q->pos[id] = SSDQOS_NIL;
	q->nr--;
	if (at < q->nr)
		evq_fill(q, at, q->heap[q->nr]);
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
	u32 id = evq_id(&q->heap[0]);

	*time_ns = q->heap[0].time_ns;
	q->pos[id] = SSDQOS_NIL;
	q->nr--;
	if (q->nr)
		evq_sift_down(q, 0, q->heap[q->nr]);
	return id;
}
