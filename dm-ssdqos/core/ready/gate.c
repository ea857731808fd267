// SPDX-License-Identifier: GPL-2.0
/*
 * gate.c - writes stop, go, and are delayed
 */
#include "internal.h"

/* A sync of metadata takes no longer than that part of a window. */
#define GATE_URGENT_PARTS 8
/* So many writes begin their delays at once, with the caller's lock held. */
#define GATE_MOST_MOVES 64

/* ---- lists of requests that wait ---- */

/* Keys of those who come before all others: who has to go comes before who may
 * go when nobody else may.
 */
enum gate_first_key {
	GATE_KEY_DRAINING,
	GATE_KEY_IMPORTANT,
	GATE_NR_FIRST_KEYS,
};

static u64 gate_key(const struct ssdqos_ready_stream *s, u32 place)
{
	if (s->draining)
		return GATE_KEY_DRAINING;
	if (place != SSDQOS_READY_STOPPED)
		return s->lists[place].first->until_ns;
	return s->delay_weight ? GATE_NR_FIRST_KEYS + s->virtual_bytes :
				 GATE_KEY_IMPORTANT;
}

static void gate_place(struct ssdqos_ready_stream *s, u32 place)
{
	struct ssdqos_evq *heap = &s->ready->heaps[place];

	if (s->lists[place].nr)
		ssdqos_evq_set(heap, s->id, gate_key(s, place));
	else
		ssdqos_evq_cancel(heap, s->id);
}

/*
 * ready_place_stopped - its turn has changed
 * @s: the stream
 */
void ready_place_stopped(struct ssdqos_ready_stream *s)
{
	gate_place(s, SSDQOS_READY_STOPPED);
}

static void gate_put(struct ssdqos_ready_stream *s, u32 place,
		     struct ssdqos_ready_req *req)
{
	struct ssdqos_ready_list *list = &s->lists[place];

	req->next = NULL;
	if (list->nr++)
		list->last->next = req;
	else
		list->first = req;
	list->last = req;
	if (list->nr == 1)
		gate_place(s, place);
}

static struct ssdqos_ready_req *gate_take(struct ssdqos_ready_stream *s,
					  u32 place)
{
	struct ssdqos_ready_list *list = &s->lists[place];
	struct ssdqos_ready_req *req = list->first;

	list->first = req->next;
	list->nr--;
	gate_place(s, place);
	return req;
}

static struct ssdqos_ready_stream *gate_first(const struct ssdqos_ready *r,
					      u32 place)
{
	const struct ssdqos_evq *heap = &r->heaps[place];

	return heap->nr ? r->by_id[ssdqos_evq_next_id(heap)] : NULL;
}

/* ---- may it go? ---- */

/* What may have been charged by now, for a stream. */
static u64 gate_limit(const struct ssdqos_ready_stream *s)
{
	const struct ssdqos_ready_epoch *e = &s->ready->epoch;
	u64 limit = e->period_bytes;

	if (!s->delay_weight)
		limit = max(limit, e->capacity_bytes);
	if (ready_borrows(s->ready))
		limit += e->spare_bytes;
	return min(limit, ready_left_to_share(s->ready));
}

/* When a write that has stopped may go by the floor, if that is free. */
static u64 gate_floor_from_ns(const struct ssdqos_ready *r,
			      const struct ssdqos_ready_req *req)
{
	if (r->cfg.drive_floor_kb_s)
		return 0;
	return req->since_ns + r->cfg.drive_max_stop_s * READY_NS_PER_S;
}

static bool gate_floor_allows(const struct ssdqos_ready *r,
			      const struct ssdqos_ready_req *req)
{
	return r->floor_ns <= r->life_ns &&
	       gate_floor_from_ns(r, req) <= r->now_ns;
}

/* The floor's rate is one by the caller's clock.  Who was faster waits for a
 * period at most: what was within the budget is no debt.
 */
static void gate_floor_charge(struct ssdqos_ready *r, u64 bytes)
{
	u64 scale = r->cfg.drive_time_scale, ns;

	ns = div64_u64(bytes * READY_NS_PER_MS, ready_floor_kb_s(r));
	ns = min(ns, div64_u64(READY_MAX_LIFE_NS, scale)) * scale;
	r->floor_ns = min(max(r->floor_ns, r->life_ns) + ns,
			  r->life_ns + max(ns, ready_life_period_ns(r)));
}

static u32 gate_decide(const struct ssdqos_ready_stream *s,
		       const struct ssdqos_ready_req *req, u64 charge)
{
	const struct ssdqos_ready *r = s->ready;
	const struct ssdqos_ready_epoch *e = &r->epoch;
	u64 left = ready_left_to_share(r);

	if (!r->enforcing || ready_is_over(r))
		return SSDQOS_READY_FREE;
	if (req->urgent)
		return SSDQOS_READY_URGENT;
	if (s->draining)
		return SSDQOS_READY_DRAIN;
	if (ready_plans(r))
		return SSDQOS_READY_PLAN;
	if (e->used_bytes + charge <= left) {
		if (e->used_bytes < e->period_bytes)
			return SSDQOS_READY_PERIOD;
		if (e->used_bytes < gate_limit(s))
			return s->delay_weight ? SSDQOS_READY_SPARE :
						 SSDQOS_READY_IMPORTANT;
	}
	if (gate_floor_allows(r, req))
		return SSDQOS_READY_FLOOR;
	return e->used_bytes + charge > left ? SSDQOS_READY_STOP_SPENT :
					       SSDQOS_READY_STOP_PERIOD;
}

static void gate_charge(struct ssdqos_ready_stream *s, u64 bytes)
{
	struct ssdqos_ready *r = s->ready;
	u64 start = max(s->virtual_bytes, r->last_virtual_bytes);

	s->virtual_bytes = start + bytes;
	/* while nobody waits, it is everybody's turn */
	if (!r->heaps[SSDQOS_READY_STOPPED].nr)
		r->last_virtual_bytes = start;
	if (!r->counting)
		return;
	s->pages += DIV_ROUND_UP(bytes, SSDQOS_READY_PAGE_BYTES);
	ready_count_host(r, bytes);
	gate_floor_charge(r, bytes);
}

static void gate_count_urgent(struct ssdqos_ready *r, u64 charge)
{
	u64 eighth = div64_u64(r->life_ns,
			       ready_window_ns(r) / GATE_URGENT_PARTS);

	if (eighth != r->eighth) {
		r->eighth = eighth;
		r->eighth_urgent_bytes = 0;
	}
	r->eighth_urgent_bytes += charge;
	r->window_burst_bytes = max(r->window_burst_bytes,
				    r->eighth_urgent_bytes);
}

/* Decides, and charges what goes. */
static bool gate_pass(struct ssdqos_ready_stream *s,
		      struct ssdqos_ready_req *req)
{
	/* up: what is charged may be a byte more, with the rest of others */
	u32 rest = READY_ROUND_UP;
	u64 charge = ready_charge_of(s->ready, req->bytes, &rest);

	req->decision = (u8)gate_decide(s, req, charge);
	if (req->decision >= SSDQOS_READY_STOP_PERIOD)
		return false;
	gate_charge(s, req->bytes);
	if (req->urgent)
		gate_count_urgent(s->ready, charge);
	return true;
}

/* ---- delays ---- */

/* Nobody is delayed any more, nor are those whose delay has begun. */
static bool gate_delays_end(const struct ssdqos_ready *r)
{
	return !r->enforcing || ready_is_over(r);
}

/* Longest delay of a page that still leaves the floor's rate. */
static u64 gate_most_delay_ns(const struct ssdqos_ready *r)
{
	if (ready_plans(r))
		return r->plan.most_ns;
	return r->cfg.drive_floor_kb_s ? ready_floor_page_ns(r) :
					 READY_MAX_DELAY_NS;
}

/* Longest wait of a write for its delay. */
static u64 gate_most_hold_ns(const struct ssdqos_ready *r)
{
	return ready_plans(r) ? r->plan.wait_ns : READY_MAX_HOLD_NS;
}

/* Delays a request; false if there is nothing to wait for. */
static bool gate_delay(struct ssdqos_ready_stream *s,
		       struct ssdqos_ready_req *req, u32 place, u64 now_ns)
{
	struct ssdqos_ready *r = s->ready;
	u64 pages = DIV_ROUND_UP(req->bytes, SSDQOS_READY_PAGE_BYTES);
	u64 delay_ns = div64_u64(s->delay_ns, r->cfg.drive_time_scale);
	u64 from_ns = max(s->release_ns, now_ns);

	delay_ns = min(delay_ns, gate_most_delay_ns(r)) * pages;
	if (req->urgent || s->draining || gate_delays_end(r))
		return false;
	/* what has not gone yet must not be overtaken */
	if (!delay_ns && !(place == SSDQOS_READY_BEFORE && s->lists[place].nr))
		return false;
	s->release_ns = min(from_ns + delay_ns, now_ns + gate_most_hold_ns(r));
	req->until_ns = s->release_ns;
	s->stats.delayed++;
	s->stats.delay_ns += req->until_ns - now_ns;
	r->held_ns += (max(s->release_ns, from_ns) - from_ns) *
		r->cfg.drive_time_scale;
	gate_put(s, place, req);
	return true;
}

/* A write that goes may have to wait for its delay first. */
static bool gate_go(struct ssdqos_ready_stream *s,
		    struct ssdqos_ready_req *req, u64 now_ns)
{
	return s->ready->cfg.drive_delay_at != SSDQOS_QOS_AT_SUBMISSION ||
	       !gate_delay(s, req, SSDQOS_READY_BEFORE, now_ns);
}

/**
 * ssdqos_ready_submit - a write comes
 * @s: the stream
 * @req: with @bytes and @urgent set
 * @now_ns: time
 *
 * Context: caller serialises; O(log streams).
 * Return: true if it may go on now; false if it comes out of
 * ssdqos_ready_next() later.
 */
bool ssdqos_ready_submit(struct ssdqos_ready_stream *s,
			 struct ssdqos_ready_req *req, u64 now_ns)
{
	struct ssdqos_ready *r = s->ready;
	u32 waiting = s->lists[SSDQOS_READY_STOPPED].nr;

	if (r->counting)
		ready_roll(r, now_ns);
	req->stream = s;
	req->since_ns = now_ns;
	req->until_ns = 0;
	if ((!waiting || req->urgent) && gate_pass(s, req)) {
		if (waiting)
			ready_place_stopped(s);
		return gate_go(s, req, now_ns);
	}
	if (waiting)
		req->decision = SSDQOS_READY_STOP_PERIOD;
	s->stats.stopped++;
	if (!r->heaps[SSDQOS_READY_STOPPED].nr)
		r->stopped_since_ns = r->life_ns;
	s->virtual_bytes = max(s->virtual_bytes, r->last_virtual_bytes);
	gate_put(s, SSDQOS_READY_STOPPED, req);
	return false;
}

/* The first write whose delay is over. */
static struct ssdqos_ready_req *gate_next_late(struct ssdqos_ready *r,
					       u32 place, u64 now_ns)
{
	if (!r->heaps[place].nr || (!gate_delays_end(r) &&
				    ssdqos_evq_next_ns(&r->heaps[place]) > now_ns))
		return NULL;
	return gate_take(gate_first(r, place), place);
}

/**
 * ssdqos_ready_next - a write that has waited and goes on now
 * @r: the drive
 * @now_ns: time
 *
 * To be called until it returns NULL, at ssdqos_ready_wake_ns() and when
 * parameters have changed.  Of those that stop no more, and are delayed then,
 * only some are looked at; if there are more, that time is now.
 * Context: caller serialises; O(log streams).
 * Return: the write, NULL if there is none.
 */
struct ssdqos_ready_req *ssdqos_ready_next(struct ssdqos_ready *r, u64 now_ns)
{
	struct ssdqos_ready_stream *s;
	struct ssdqos_ready_req *req;
	u32 moves = 0;

	r->more_moves = false;
	req = gate_next_late(r, SSDQOS_READY_BEFORE, now_ns);
	if (req || !r->heaps[SSDQOS_READY_STOPPED].nr)
		return req;
	if (r->counting)
		ready_roll(r, now_ns);
	while ((s = gate_first(r, SSDQOS_READY_STOPPED))) {
		r->more_moves = moves++ == GATE_MOST_MOVES;
		if (r->more_moves)
			return NULL;
		req = s->lists[SSDQOS_READY_STOPPED].first;
		if (!gate_pass(s, req))
			return NULL;
		r->last_virtual_bytes = max(r->last_virtual_bytes,
					    s->virtual_bytes - req->bytes);
		s->stats.stop_ns += now_ns - req->since_ns;
		gate_take(s, SSDQOS_READY_STOPPED);
		if (!r->heaps[SSDQOS_READY_STOPPED].nr)
			r->stopped_ns += r->life_ns - r->stopped_since_ns;
		if (gate_go(s, req, now_ns))
			return req;
	}
	return NULL;
}

/* It has not been charged, or its delay has begun. */
static struct ssdqos_ready_req *gate_give_up(struct ssdqos_ready_stream *s,
					     u32 place, u64 now_ns)
{
	struct ssdqos_ready *r = s->ready;
	struct ssdqos_ready_req *req = gate_take(s, place);

	if (place != SSDQOS_READY_STOPPED)
		return req;
	s->stats.stop_ns += now_ns - req->since_ns;
	if (!r->heaps[SSDQOS_READY_STOPPED].nr)
		r->stopped_ns += r->life_ns - r->stopped_since_ns;
	return req;
}

/**
 * ssdqos_ready_fail - the disk is gone: a write that waits to get there
 * @r: the drive
 * @now_ns: time
 *
 * To be called until it returns NULL; the caller ends the writes with an error.
 * Those that the disk has done before are not meant: ssdqos_ready_next_done()
 * gives them when their delay is over, or at once for a stream that is drained.
 * Context: caller serialises; O(log streams).
 * Return: the write, which may not go any more; NULL if none waits.
 */
struct ssdqos_ready_req *ssdqos_ready_fail(struct ssdqos_ready *r, u64 now_ns)
{
	struct ssdqos_ready_stream *s;
	u32 place;

	if (r->counting)
		ready_roll(r, now_ns);
	for (place = 0; place < SSDQOS_READY_AFTER; place++) {
		s = gate_first(r, place);
		if (s)
			return gate_give_up(s, place, now_ns);
	}
	return NULL;
}

/**
 * ssdqos_ready_refund - a write that went was refused, and is not on the drive
 * @req: went through ssdqos_ready_submit()
 *
 * What was charged may be of an epoch that is over, so it is not taken back:
 * as much is free for whoever writes next, mostly the same write once more.
 * Context: caller serialises.
 */
void ssdqos_ready_refund(const struct ssdqos_ready_req *req)
{
	struct ssdqos_ready *r = req->stream->ready;

	if (r->counting)
		r->refund_bytes += req->bytes;
}

/**
 * ssdqos_ready_complete - the drive has done a write
 * @req: went through ssdqos_ready_submit()
 * @now_ns: time
 *
 * Context: caller serialises; O(log streams).
 * Return: true if it shall not be told yet, and comes out of
 * ssdqos_ready_next_done(); false if it is done.
 */
bool ssdqos_ready_complete(struct ssdqos_ready_req *req, u64 now_ns)
{
	struct ssdqos_ready_stream *s = req->stream;

	/* it was delayed before it went */
	if (req->until_ns ||
	    s->ready->cfg.drive_delay_at != SSDQOS_QOS_AT_COMPLETION)
		return false;
	return gate_delay(s, req, SSDQOS_READY_AFTER, now_ns);
}

/**
 * ssdqos_ready_next_done - a write that is done, and whose delay is over
 * @r: the drive
 * @now_ns: time
 *
 * Context: caller serialises; O(log streams).
 * Return: the write, NULL if there is none.
 */
struct ssdqos_ready_req *ssdqos_ready_next_done(struct ssdqos_ready *r,
						u64 now_ns)
{
	return gate_next_late(r, SSDQOS_READY_AFTER, now_ns);
}

/* A life time by the caller's clock. */
static u64 gate_clock_ns(const struct ssdqos_ready *r, u64 life_ns)
{
	life_ns -= min(life_ns, r->life_ns);
	return r->now_ns + div64_u64(life_ns + r->cfg.drive_time_scale - 1,
				     r->cfg.drive_time_scale);
}

/**
 * ssdqos_ready_wake_ns - when to ask again
 * @r: the drive
 *
 * Return: time for ssdqos_ready_next() and ssdqos_ready_next_done();
 * SSDQOS_NEVER_NS if nothing waits.
 */
u64 ssdqos_ready_wake_ns(const struct ssdqos_ready *r)
{
	u64 wake_ns = min(ssdqos_evq_next_ns(&r->heaps[SSDQOS_READY_BEFORE]),
			  ssdqos_evq_next_ns(&r->heaps[SSDQOS_READY_AFTER]));
	u64 due_ns = min(r->epoch.period_end_ns, r->window_end_ns), floor_ns;
	const struct ssdqos_ready_stream *first;

	if (!r->heaps[SSDQOS_READY_STOPPED].nr)
		return wake_ns;
	first = gate_first(r, SSDQOS_READY_STOPPED);
	if (r->more_moves || first->draining || gate_delays_end(r) || ready_plans(r))
		return 0;
	/* the last period may end after the target, or its epoch */
	due_ns = min(due_ns, ready_target_ns(r));
	due_ns = gate_clock_ns(r, due_ns);
	floor_ns = gate_floor_from_ns(r,
				      first->lists[SSDQOS_READY_STOPPED].first);
	floor_ns = max(floor_ns, gate_clock_ns(r, r->floor_ns));
	return min(wake_ns, min(due_ns, floor_ns));
}

/**
 * ssdqos_ready_drain - let all writes of a stream go, and end their delays
 * @s: the stream
 * @draining: or not any more
 *
 * Context: caller serialises, and asks ssdqos_ready_next() and
 * ssdqos_ready_next_done() then.
 */
void ssdqos_ready_drain(struct ssdqos_ready_stream *s, bool draining)
{
	u32 place;

	s->draining = draining;
	s->release_ns = 0;
	for (place = 0; place < SSDQOS_READY_NR_PLACES; place++)
		gate_place(s, place);
}

/* ---- many writes at once, for the simulator of a whole life ---- */

/**
 * ssdqos_ready_room - how much could be written now without a stop
 * @s: the stream
 * @now_ns: time
 *
 * Context: caller serialises.
 * Return: bytes of data; ~0 if nothing is enforced.
 */
u64 ssdqos_ready_room(struct ssdqos_ready_stream *s, u64 now_ns)
{
	struct ssdqos_ready *r = s->ready;
	u64 limit;

	ready_roll(r, now_ns);
	if (gate_delays_end(r))
		return ~0ULL;
	limit = ready_plans(r) ?
		r->plan.look_bytes - r->used_bytes + r->epoch.used_bytes :
		gate_limit(s);
	if (r->epoch.used_bytes >= limit)
		return 0;
	limit -= r->epoch.used_bytes;
	return ready_counts_host(r) ? limit :
		div64_u64(limit * READY_PERMILLE, r->waf_permille);
}

/**
 * ssdqos_ready_bulk - many writes go
 * @s: the stream
 * @bytes: of data, no more than ssdqos_ready_room() says
 * @now_ns: time
 *
 * Context: caller serialises.
 */
void ssdqos_ready_bulk(struct ssdqos_ready_stream *s, u64 bytes, u64 now_ns)
{
	ready_roll(s->ready, now_ns);
	s->ready->held_ns += div64_u64(bytes, SSDQOS_READY_PAGE_BYTES) * s->delay_ns;
	gate_charge(s, bytes);
}

/**
 * ssdqos_ready_bulk_stop - there is no room, and somebody waits for some
 * @s: the stream
 * @now_ns: time
 *
 * Context: caller serialises.
 * Return: when there may be some, by the caller's clock.
 */
u64 ssdqos_ready_bulk_stop(struct ssdqos_ready_stream *s, u64 now_ns)
{
	struct ssdqos_ready *r = s->ready;
	u64 wait_ns;

	ready_roll(r, now_ns);
	wait_ns = r->epoch.period_end_ns - r->life_ns;
	r->stopped_ns += wait_ns;
	return now_ns + div64_u64(wait_ns + r->cfg.drive_time_scale - 1,
				  r->cfg.drive_time_scale);
}
