// SPDX-License-Identifier: GPL-2.0
/*
 * place.c - the heaps: where a stream that has requests waiting belongs
 */
#include "internal.h"

/* A look at the heaps moves no more streams than this, of limits and of
 * guarantees each: some ten microseconds.
 */
#define PLACE_WAKE_MAX 64

/* Whose turn it is of those without a guarantee.  What begins a batch decides for all
 * of it, which is spare: that goes by V.
 */
static u64 edf_effort_ns(const struct ssdqos_edf_stream *s)
{
	return s->edf->cfg.drive_batch_ms ? s->virtual_ns : s->effort_ns;
}

static u32 edf_effort_cost_ns(const struct ssdqos_edf *edf)
{
	return edf->by_id[ssdqos_evq_next_id(&edf->effort)]->first->cost_ns;
}

static void edf_place_owner(struct ssdqos_edf *edf, u32 id, u64 start_ns,
			    u64 deadline_ns, u64 now_ns)
{
	if (start_ns <= now_ns) {
		ssdqos_evq_cancel(&edf->early, id);
		ssdqos_evq_set(&edf->ready, id, deadline_ns);
	} else {
		ssdqos_evq_cancel(&edf->ready, id);
		ssdqos_evq_set(&edf->early, id, start_ns);
	}
}

/*
 * edf_place_group - put the streams without a guarantee where they belong
 *
 * Called whenever one of them begins or ceases to wait, or went.
 */
void edf_place_group(struct ssdqos_edf *edf, u64 now_ns)
{
	if (edf->effort.nr) {
		edf_place_owner(edf, EDF_GROUP, edf->group_start_ns,
				edf->group_start_ns +
				edf_own_ns(edf_effort_cost_ns(edf),
					   edf->group_ppm), now_ns);
	} else {
		ssdqos_evq_cancel(&edf->early, EDF_GROUP);
		ssdqos_evq_cancel(&edf->ready, EDF_GROUP);
	}
}

/* Takes a stream out of all heaps; the group's place is the caller's concern. */
void edf_unplace(struct ssdqos_edf_stream *s)
{
	struct ssdqos_edf *edf = s->edf;

	ssdqos_evq_cancel(&edf->limited, s->id);
	ssdqos_evq_cancel(&edf->early, s->id);
	ssdqos_evq_cancel(&edf->ready, s->id);
	edf_spare_cancel(s);
	ssdqos_evq_cancel(&edf->effort, s->id);
}

static void edf_place_limited(struct ssdqos_edf_stream *s, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;

	if (!ssdqos_evq_pending(&edf->limited, s->id))
		s->stats.limited++;
	edf_unplace(s);
	ssdqos_evq_set(&edf->limited, s->id, edf_limit_ns(s));
	if (!s->util_ppm)
		edf_place_group(edf, now_ns);
}

/*
 * edf_floor_ns - how far the past counts for somebody who begins to wait (idle rule)
 *
 * Where nobody waits for what he owns, the drive is behind with nothing: what it
 * was behind with before is no measure for who comes next.
 */
u64 edf_floor_ns(struct ssdqos_edf *edf, u64 credit_ns, u64 now_ns)
{
	u64 floor_ns = now_ns;

	if (edf->ready.nr || ssdqos_evq_next_ns(&edf->early) <= now_ns)
		floor_ns = min(floor_ns, edf->last_start_ns);
	else
		edf->last_start_ns = max(edf->last_start_ns, now_ns);
	return floor_ns > credit_ns ? floor_ns - credit_ns : 0;
}

/* Who was held back by its own maximum has saved nothing up. */
static void edf_leave_limited(struct ssdqos_edf_stream *s, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;
	u64 credit_ns = edf->cfg.drive_credit_ms * EDF_NS_PER_MS;

	if (!ssdqos_evq_pending(&edf->limited, s->id))
		return;
	ssdqos_evq_drop(&edf->limited, s->id);
	s->start_ns = max(s->start_ns, edf_floor_ns(edf, credit_ns, now_ns));
}

/*
 * edf_wake_group - one of the streams without a guarantee gets a request
 *
 * The idle rule, for all of them together.
 */
void edf_wake_group(struct ssdqos_edf *edf, u64 now_ns)
{
	if (!edf->effort.nr)
		edf->group_start_ns = max(edf->group_start_ns,
					  edf_floor_ns(edf, 0, now_ns));
}

/*
 * edf_group_turn - who goes when the streams without a guarantee are the first
 *
 * The group steps back while pacing holds its request.
 * Return: the stream, NULL if nobody else is owed time.
 */
struct ssdqos_edf_stream *edf_group_turn(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_edf_stream *effort = edf_first(edf, &edf->effort), *s;
	u64 deadline_ns;

	if (edf_spare_wake_ns(effort) <= now_ns)
		return effort;
	ssdqos_evq_pop(&edf->ready, &deadline_ns);
	s = edf_first(edf, &edf->ready);
	ssdqos_evq_set(&edf->ready, EDF_GROUP, deadline_ns);
	return s;
}

/* X of who comes: no less than the last one had, nor more than the least of those
 * who wait has, which may be far behind: urgent requests move X without a turn.
 */
static u64 place_effort_ns(const struct ssdqos_edf *edf)
{
	if (edf->cfg.drive_batch_ms)
		return edf->last_effort_ns;
	return min(edf->last_effort_ns, ssdqos_evq_next_ns(&edf->effort));
}

/*
 * edf_place - put a stream that waits into the heaps where it belongs
 * @s: its first request is there
 * @now_ns: time
 */
void edf_place(struct ssdqos_edf_stream *s, u64 now_ns)
{
	struct ssdqos_edf *edf = s->edf;
	u64 start_ns;

	if (edf_is_limited(s, now_ns)) {
		edf_place_limited(s, now_ns);
		return;
	}
	edf_leave_limited(s, now_ns);
	if (edf_is_owed(s) || !edf_is_strict(edf) || s->draining)
		edf_spare_place(s);
	else
		edf_spare_cancel(s);
	if (s->util_ppm) {
		start_ns = s->start_ns;
		if (start_ns > now_ns)
			start_ns = edf_lead_start_ns(s);
		edf_place_owner(edf, s->id, start_ns, s->start_ns +
				edf_own_ns(s->first->cost_ns, s->util_ppm),
				now_ns);
	} else {
		edf_wake_group(edf, now_ns);
		if (!ssdqos_evq_pending(&edf->effort, s->id))
			s->effort_ns = max(s->effort_ns, place_effort_ns(edf));
		ssdqos_evq_set(&edf->effort, s->id, edf_effort_ns(s));
		edf_place_group(edf, now_ns);
	}
}

/*
 * edf_place_again - a stream was charged, or refunded; it may wait, or others
 * with it
 */
void edf_place_again(struct ssdqos_edf_stream *s, u64 now_ns)
{
	if (s->queued)
		edf_place(s, now_ns);
	else if (!s->util_ppm)
		edf_place_group(s->edf, now_ns);
}

static void place_early(struct ssdqos_edf *edf, u64 now_ns)
{
	u64 time_ns;
	u32 id = ssdqos_evq_pop(&edf->early, &time_ns);

	if (id == EDF_GROUP)
		edf_place_group(edf, now_ns);
	else
		edf_place(edf->by_id[id], now_ns);
}

/*
 * edf_wake_due - move what has become due since the last time
 *
 * What is beyond PLACE_WAKE_MAX stays due, so that ssdqos_edf_wake_ns() is not
 * in the future.
 */
void edf_wake_due(struct ssdqos_edf *edf, u64 now_ns)
{
	u32 nr;

	for (nr = 0; nr < PLACE_WAKE_MAX &&
	     ssdqos_evq_next_ns(&edf->limited) <= now_ns; nr++)
		edf_place(edf->by_id[ssdqos_evq_next_id(&edf->limited)],
			  now_ns);
	for (nr = 0; nr < PLACE_WAKE_MAX &&
	     ssdqos_evq_next_ns(&edf->early) <= now_ns; nr++)
		place_early(edf, now_ns);
}
