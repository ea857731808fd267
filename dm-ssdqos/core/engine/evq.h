/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evq.h - event queue: at most one pending event for each of a fixed set of ids
 *
 * Order is (time, sequence): of two events at one time, the one that was
 * set first comes first, so a run never depends on the heap's shape.
 * Insert, move and cancel are O(log n), the next time is O(1).  The caller
 * owns the memory and serialises.  Nothing here sleeps or allocates.
 *
 * A server (a plane, a channel, a timer) has one id and hence one event: this
 * keeps the heap as small as the hardware and needs no event allocation.
 */
#ifndef SSDQOS_CORE_EVQ_H
#define SSDQOS_CORE_EVQ_H

#include "../env.h"

/* The sequence number and the id share a word: 48 bits of sequence last nine
 * years at a million events a second; 16 bits of id are 65,535 servers.
 */
#define SSDQOS_EVQ_ID_BITS 16
#define SSDQOS_EVQ_MAX_IDS ((1u << SSDQOS_EVQ_ID_BITS) - 1)

struct ssdqos_evq_entry {
	u64 time_ns;
	u64 seq_id;	/* sequence << SSDQOS_EVQ_ID_BITS | id */
};

/* Events in order before the heap: all of a drive with a few chips. */
#define SSDQOS_EVQ_NEAR 32

/**
 * struct ssdqos_evq - the queue; fields are private
 * @room: memory for @near and for what comes after it: 2 * SSDQOS_EVQ_NEAR
 * @near: all that come before the heap's, the earliest last; it begins in the
 *	first half of @room, or right after that
 * @heap: 4-ary heap of the pending events that are not near
 * @pos: by id, index into @heap, or that it is near; SSDQOS_NIL where nothing is
 *	pending
 * @nr_ids: ids are 0 to @nr_ids - 1
 * @nr: pending events
 * @nr_near: those in @near; 0 only if nothing is pending
 * @nr_heap: those in @heap
 * @seq: next sequence number
 */
struct ssdqos_evq {
	struct ssdqos_evq_entry *room;
	struct ssdqos_evq_entry *near;
	struct ssdqos_evq_entry *heap;
	u32 *pos;
	u32 nr_ids;
	u32 nr;
	u32 nr_near;
	u32 nr_heap;
	u64 seq;
};

u64 ssdqos_evq_bytes(u32 nr_ids);
void ssdqos_evq_init(struct ssdqos_evq *q, u32 nr_ids, void *mem);
void ssdqos_evq_put(struct ssdqos_evq *q, struct ssdqos_evq_entry e);
void ssdqos_evq_drop(struct ssdqos_evq *q, u32 id);
u64 ssdqos_evq_time_ns(const struct ssdqos_evq *q, u32 id);
u32 ssdqos_evq_pop(struct ssdqos_evq *q, u64 *time_ns);

/**
 * ssdqos_evq_next_ns - time of the earliest event
 * @q: the queue
 *
 * Return: nanoseconds, SSDQOS_NEVER_NS if nothing is pending.
 */
static inline u64 ssdqos_evq_next_ns(const struct ssdqos_evq *q)
{
	return q->nr_near ? q->near[q->nr_near - 1].time_ns : SSDQOS_NEVER_NS;
}

/**
 * ssdqos_evq_next_id - whose event is the earliest
 * @q: the queue; must not be empty
 *
 * Return: the id.
 */
static inline u32 ssdqos_evq_next_id(const struct ssdqos_evq *q)
{
	return (u32)(q->near[q->nr_near - 1].seq_id & SSDQOS_EVQ_MAX_IDS);
}

/**
 * ssdqos_evq_pending - is an event set for this id?
 * @q: the queue
 * @id: the id
 */
static inline bool ssdqos_evq_pending(const struct ssdqos_evq *q, u32 id)
{
	return q->pos[id] != SSDQOS_NIL;
}

/**
 * ssdqos_evq_set - set or move the event of an id
 * @q: the queue
 * @id: the id
 * @time_ns: when it is due; may lie in the past
 *
 * A moved event gets a new sequence number: it queues behind others of its
 * new time.  One that is alone, as a drive's only client, has nowhere to move.
 */
static inline void ssdqos_evq_set(struct ssdqos_evq *q, u32 id, u64 time_ns)
{
	struct ssdqos_evq_entry e = {
		.time_ns = time_ns,
		.seq_id = q->seq++ << SSDQOS_EVQ_ID_BITS | id,
	};

	if (q->nr == 1 && ssdqos_evq_pending(q, id))
		*q->near = e;
	else
		ssdqos_evq_put(q, e);
}

/**
 * ssdqos_evq_cancel - drop the event of an id
 * @q: the queue
 * @id: the id; nothing happens if no event is pending for it
 */
static inline void ssdqos_evq_cancel(struct ssdqos_evq *q, u32 id)
{
	if (ssdqos_evq_pending(q, id))
		ssdqos_evq_drop(q, id);
}

#endif /* SSDQOS_CORE_EVQ_H */
