// SPDX-License-Identifier: GPL-2.0
/*
 * spare.c - time that nobody is owed: who takes it, and when
 *
 * Of the streams that may take it, the one with the least V is the next.  There
 * are five heaps, by what a stream's first request waits for, so that who
 * waits is not in the way of others:
 *
 *	free	nothing: it is owed something, its client is being suspended, or
 *		it is late and others are paced for it
 *	paced	the pace (pace.c)
 *	held	a write that waits for the drive's debt as well (debt.c)
 *	order	... and for others that were written in order (order.c)
 *	urgent	an urgent write: it waits for what was urgent before it, and no others
 *
 * Reads may get most of the spare time, and writes hardly any.  So what is spare
 * for writes that wait for a debt is shared by a V of its own, W, which only these
 * move: else who reads as well would write nothing beside somebody who only writes.
 * And who begins to wait has V (or W) no less than that of the last request that
 * went in spare time, but no more than the least of those who wait for the same
 * thing: they may be far behind others, and he is not to stand behind all of that.
 * For the same reason who turns from one kind of held writes to another is as far
 * ahead of those who wait for that as he was of those that he leaves: no farther, or
 * he would stand behind all of that, and no less, or he would be forgiven what he has
 * just had, with each turn.
 */
#include "internal.h"

static struct ssdqos_edf_stream *spare_first(const struct ssdqos_edf *edf,
					     u32 heap)
{
	return edf->spare[heap].nr ?
		edf->by_id[ssdqos_evq_next_id(&edf->spare[heap])] : NULL;
}

/*
 * edf_spare_wake_ns - when may pacing let a stream's first request go?
 */
u64 edf_spare_wake_ns(const struct ssdqos_edf_stream *s)
{
	return s->draining || edf_is_owed(s) ? 0 :
		edf_pace_wake_ns(s, s->first->cost_ns);
}

/*
 * edf_virtual_ns - what a request moves V by, or what else is shared by weight
 */
u64 edf_virtual_ns(const struct ssdqos_edf_stream *s, u32 cost_ns)
{
	return div64_u64((u64)cost_ns * SSDQOS_QOS_DEFAULT_WEIGHT,
			 s->cfg.weight);
}

/*
 * edf_spare_charge - a request goes that takes part in sharing
 */
void edf_spare_charge(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req)
{
	u64 virtual_ns = edf_virtual_ns(s, req->cost_ns);
	struct ssdqos_edf *edf = s->edf;

	edf->last_virtual_ns = max(edf->last_virtual_ns, s->virtual_ns);
	s->virtual_ns += virtual_ns;
	if (!edf_debt_holds(s, req))
		return;
	edf->last_held_ns = max(edf->last_held_ns, s->held_ns);
	s->held_ns += virtual_ns;
}

/*
 * edf_spare_refund - the drive never had it
 */
void edf_spare_refund(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req)
{
	u64 virtual_ns = edf_virtual_ns(s, req->cost_ns);

	s->virtual_ns -= min(s->virtual_ns, virtual_ns);
	if (edf_debt_holds(s, req))
		s->held_ns -= min(s->held_ns, virtual_ns);
}

static bool spare_is_debt(u32 heap)
{
	return heap == SSDQOS_EDF_SPARE_HELD || heap == SSDQOS_EDF_SPARE_ORDER ||
	       heap == SSDQOS_EDF_SPARE_URGENT;
}

/* ... and what it waits for by its heap. */
static u64 spare_heap_wake_ns(const struct ssdqos_edf_stream *s, u32 heap)
{
	u64 wake_ns = edf_spare_wake_ns(s);

	return spare_is_debt(heap) ?
		       max(wake_ns, edf_debt_until_ns(s, s->first)) : wake_ns;
}

static u32 spare_debt_heap(const struct ssdqos_edf_req *req)
{
	if (req->urgent)
		return SSDQOS_EDF_SPARE_URGENT;
	return req->pattern == SSDQOS_QOS_SEQ ? SSDQOS_EDF_SPARE_ORDER :
						SSDQOS_EDF_SPARE_HELD;
}

static u32 spare_heap(const struct ssdqos_edf_stream *s)
{
	if (edf_is_owed(s) || s->draining)
		return SSDQOS_EDF_SPARE_FREE;
	if (edf_debt_holds(s, s->first))
		return spare_debt_heap(s->first);
	return edf_pace_is_for(s) ? SSDQOS_EDF_SPARE_FREE :
				    SSDQOS_EDF_SPARE_PACED;
}

/* How far is a stream ahead of those that it waited among? */
static u64 spare_ahead_ns(const struct ssdqos_edf_stream *s)
{
	const struct ssdqos_edf *edf = s->edf;
	u64 level_ns = min(edf->last_held_ns,
			   ssdqos_evq_next_ns(&edf->spare[s->held_heap]));

	return s->held_ns - min(s->held_ns, level_ns);
}

/*
 * edf_spare_catch_up - what a stream did not get is no right to get it now
 * @s: the stream
 * @req: the request that it begins to wait with, or that is its first
 */
void edf_spare_catch_up(struct ssdqos_edf_stream *s,
			const struct ssdqos_edf_req *req)
{
	struct ssdqos_edf *edf = s->edf;
	u64 least_ns;
	u32 heap;

	least_ns = ssdqos_evq_next_ns(&edf->spare[SSDQOS_EDF_SPARE_PACED]);
	s->virtual_ns = max(s->virtual_ns, min(edf->last_virtual_ns, least_ns));
	if (!edf_debt_holds(s, req))
		return;
	heap = spare_debt_heap(req);
	least_ns = ssdqos_evq_next_ns(&edf->spare[heap]);
	if (heap != s->held_heap && edf->spare[heap].nr)
		s->held_ns = min(edf->last_held_ns, least_ns) + spare_ahead_ns(s);
	s->held_ns = max(s->held_ns, min(edf->last_held_ns, least_ns));
	s->held_heap = heap;
}

/* By what those in a heap share. */
static u64 spare_order_ns(const struct ssdqos_edf_stream *s, u32 heap)
{
	if (edf_is_owed(s))
		return 0;
	return spare_is_debt(heap) ? s->held_ns : s->virtual_ns;
}

/*
 * edf_spare_place - a stream may take spare time
 * @s: its first request is there
 *
 * Those that are owed something go before all others.
 */
void edf_spare_place(struct ssdqos_edf_stream *s)
{
	u32 heap = spare_heap(s);

	if (heap != s->spare) {
		edf_spare_cancel(s);
		edf_spare_catch_up(s, s->first);
	}
	s->spare = heap;
	ssdqos_evq_set(&s->edf->spare[heap], s->id, spare_order_ns(s, heap));
}

/*
 * edf_spare_cancel - a stream may not, or has nothing that waits
 */
void edf_spare_cancel(struct ssdqos_edf_stream *s)
{
	if (s->spare != SSDQOS_EDF_NR_SPARES)
		ssdqos_evq_drop(&s->edf->spare[s->spare], s->id);
	s->spare = SSDQOS_EDF_NR_SPARES;
}

/*
 * edf_spare_is_held - does a stream wait for the drive's debt?
 */
bool edf_spare_is_held(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	return spare_is_debt(s->spare) &&
	       edf_debt_until_ns(s, s->first) > now_ns;
}

/*
 * edf_spare_may_go - may a stream's first request go in spare time?
 */
bool edf_spare_may_go(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	return s->spare != SSDQOS_EDF_NR_SPARES &&
	       spare_heap_wake_ns(s, s->spare) <= now_ns;
}

/* Those who wait for a debt share by W, with others by V. */
static bool spare_is_before(const struct ssdqos_edf_stream *s, u32 heap,
			    const struct ssdqos_edf_stream *best)
{
	if (!best)
		return true;
	if (edf_is_owed(s) || edf_is_owed(best))
		return !edf_is_owed(best);
	if (spare_is_debt(heap) && spare_is_debt(best->spare))
		return s->held_ns < best->held_ns;
	return s->virtual_ns < best->virtual_ns;
}

/* Does a stream wait for what is under way, and for nothing else? */
static bool spare_is_crowded(const struct ssdqos_edf_stream *s, u32 heap,
			     u64 now_ns)
{
	return edf_spare_wake_ns(s) == SSDQOS_NEVER_NS &&
	       !(spare_is_debt(heap) &&
		 edf_debt_until_ns(s, s->first) > now_ns);
}

/*
 * edf_spare_first - whose request goes now, if anybody's
 *
 * If the next one is too large for what is under way, only who waits for nothing:
 * others behind it that are small enough would keep it out as long as there are any.
 */
struct ssdqos_edf_stream *edf_spare_first(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_edf_stream *best = NULL, *crowded = NULL, *s;
	u32 i;

	for (i = 0; i < SSDQOS_EDF_NR_SPARES; i++) {
		s = spare_first(edf, i);
		if (!s || !spare_is_before(s, i, best))
			continue;
		if (spare_heap_wake_ns(s, i) <= now_ns)
			best = s;
		else if (spare_is_crowded(s, i, now_ns) &&
			 spare_is_before(s, i, crowded))
			crowded = s;
		else if (edf->debt.until_ns > now_ns)
			edf->debt.held |= spare_is_debt(i);
	}
	edf->pace.full = crowded &&
			 (!best || spare_is_before(crowded, crowded->spare, best));
	if (!edf->pace.full)
		return best;
	s = spare_first(edf, SSDQOS_EDF_SPARE_FREE);
	return s && edf_spare_wake_ns(s) <= now_ns ? s : NULL;
}

/*
 * edf_spare_due_ns - when somebody's will go
 *
 * Return: time, SSDQOS_NEVER_NS if nobody waits for spare time.
 */
u64 edf_spare_due_ns(const struct ssdqos_edf *edf)
{
	const struct ssdqos_edf_stream *s;
	u64 due_ns = SSDQOS_NEVER_NS;
	u32 i;

	if (edf_pace_is_full(&edf->pace)) {
		s = spare_first(edf, SSDQOS_EDF_SPARE_FREE);
		return s ? edf_spare_wake_ns(s) : SSDQOS_NEVER_NS;
	}
	for (i = 0; i < SSDQOS_EDF_NR_SPARES; i++) {
		s = spare_first(edf, i);
		if (s)
			due_ns = min(due_ns, spare_heap_wake_ns(s, i));
	}
	return due_ns;
}
