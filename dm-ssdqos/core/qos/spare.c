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

/*
 * edf_spare_place - a stream may take spare time
 * @s: its first request is there
 *
 * Those that are owed something go before all others.
 */
void edf_spare_place(struct ssdqos_edf_stream *s)
{
	u64 virtual_ns = edf_is_owed(s) ? 0 : s->virtual_ns;
	u32 heap = spare_heap(s);

	if (heap != s->spare)
		edf_spare_cancel(s);
	s->spare = heap;
	ssdqos_evq_set(&s->edf->spare[heap], s->id, virtual_ns);
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

/*
 * edf_spare_first - whose request goes now, if anybody's
 */
struct ssdqos_edf_stream *edf_spare_first(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_edf_stream *best = NULL, *s;
	u64 best_ns = SSDQOS_NEVER_NS, virtual_ns;
	u32 i;

	for (i = 0; i < SSDQOS_EDF_NR_SPARES; i++) {
		s = spare_first(edf, i);
		virtual_ns = ssdqos_evq_next_ns(&edf->spare[i]);
		if (!s || virtual_ns >= best_ns)
			continue;
		if (spare_heap_wake_ns(s, i) <= now_ns) {
			best = s;
			best_ns = virtual_ns;
		} else if (edf->debt.until_ns > now_ns) {
			edf->debt.held |= spare_is_debt(i);
		}
	}
	return best;
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

	for (i = 0; i < SSDQOS_EDF_NR_SPARES; i++) {
		s = spare_first(edf, i);
		if (s)
			due_ns = min(due_ns, spare_heap_wake_ns(s, i));
	}
	return due_ns;
}
