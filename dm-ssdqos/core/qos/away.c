// SPDX-License-Identifier: GPL-2.0
/*
 * away.c - owners that are away come back
 *
 * What an owner leaves while it is away is for spare writes, too (debt.c).  But a
 * drive that has taken as many as it can collects for seconds after that, and the
 * owner that comes back finds it so.  The debt's factor g can't help: it follows
 * what an owner gets while it is there, when there are few writes to hold back.
 * So there is a second one, a, for what being away adds:
 *
 *	c = (R + (R' - R) x a) x g
 *
 * where R is the room that the profile leaves with all owners there, and R' with
 * those that are there.  It begins with 1, and is learned:
 *
 *	a = a x what it got of its promise, 1/2 at most, or 1/8 if a is 1
 *			an owner misses the first window that counts since it was
 *			away, others wrote meanwhile, and its account is overdrawn
 *			(budget.c)
 *	a = a + a / 256	a step of the debt in which an owner is away, and no owner's
 *			account is overdrawn
 *
 * and is a sixteenth at least.  All that is missing counts at once, unlike for g:
 * what the owner finds is the sum of what was done while it was away, and it will
 * be the next time that it comes back before anybody sees what a lower a is good
 * for.  From 1, which is no trial, it falls far: who comes down to what a promise can
 * bear costs it a window for each step, and who goes up to that one in all.  An
 * account that pays in half of what the promise may miss lets a rise no sooner than
 * the promise can bear one more try.
 *
 * Nobody waits forever for who does not come back: a rises, too, if the owners
 * whose accounts are overdrawn have been away for ten minutes.
 */
#include "internal.h"

/* A window that was missed by little says that it was too much, not by how much. */
#define AWAY_MOST_GOT (EDF_DEBT_ONE / 2)
/* Three halvings at once. */
#define AWAY_MOST_FIRST (EDF_DEBT_ONE / 8)
/* It doubles in a minute and a half. */
#define AWAY_RISE_DIVISOR 256u
/* Longer than a job's pauses, and shorter than anybody likes to be held for nobody. */
#define AWAY_GONE_NS (600 * EDF_NS_PER_S)

void edf_away_init(struct ssdqos_away *a)
{
	a->part = EDF_DEBT_ONE;
	a->told = EDF_DEBT_ONE;
}

/* ... and may be back soon. */
static bool away_is_waited_for(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	return s->is_there || now_ns - s->done_ns < AWAY_GONE_NS;
}

/*
 * edf_away_is_overdrawn - has an owner missed too much that is there, or may be back soon?
 */
bool edf_away_is_overdrawn(const struct ssdqos_edf *edf, u64 now_ns)
{
	const struct ssdqos_edf_stream *s;

	for (s = edf->streams; s; s = s->next)
		if (edf_is_strained(s) && away_is_waited_for(s, now_ns))
			return true;
	return false;
}

/*
 * edf_away_end_step - a step of the debt is over: who is away?
 */
void edf_away_end_step(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_away *a = &edf->debt.away;
	const struct ssdqos_edf_stream *s;

	a->somebody = false;
	for (s = edf->streams; s; s = s->next)
		a->somebody |= s->util_ppm && !s->is_there;
	a->wrote &= a->somebody;
	if (a->somebody && !edf_away_is_overdrawn(edf, now_ns))
		edf_part_rise(&a->part, &a->rest, AWAY_RISE_DIVISOR);
}

/*
 * edf_away_room_ppm - what is left to spare writes
 * @edf: the drive
 * @room_ppm: R'
 */
u64 edf_away_room_ppm(const struct ssdqos_edf *edf, u64 room_ppm)
{
	const struct ssdqos_away *a = &edf->debt.away;
	u64 all_ppm;

	if (!a->somebody || a->part == EDF_DEBT_ONE || !edf->cfg.drive_away)
		return room_ppm;
	all_ppm = min(edf_load_room_ppm(edf->profile, &edf->load), room_ppm);
	return all_ppm + div64_u64((room_ppm - all_ppm) * a->part, EDF_DEBT_ONE);
}

/*
 * edf_away_is_back - an owner has a request, after it had none for long
 */
void edf_away_is_back(struct ssdqos_edf_stream *s)
{
	s->is_back = s->edf->debt.away.wrote;
}

static void away_fall(struct ssdqos_away *a, const struct ssdqos_edf_stream *s)
{
	u64 most = a->part == EDF_DEBT_ONE ? AWAY_MOST_FIRST : AWAY_MOST_GOT;

	a->part = edf_part_of(a->part, edf_window_got(s, most));
}

/*
 * edf_away_windows - windows of a stream have ended; its account knows of them
 */
void edf_away_windows(struct ssdqos_edf_stream *s,
		      const struct ssdqos_watch_count *count)
{
	if (edf_missed_since(s, &s->is_back, count) && s->edf->cfg.drive_away)
		away_fall(&s->edf->debt.away, s);
}

/*
 * edf_away_why - why the rate of spare writes has changed, if not by the debt
 * @a: what it is now; somebody is told
 */
u32 edf_away_why(struct ssdqos_away *a)
{
	u32 told = a->told;

	if (!a->somebody)
		return SSDQOS_DEBT_WHY_LOAD_CHANGED;
	a->told = a->part;
	if (a->part == told)
		return SSDQOS_DEBT_WHY_LOAD_CHANGED;
	return a->part < told ? SSDQOS_DEBT_WHY_RETURN_LACK :
				SSDQOS_DEBT_WHY_AWAY;
}
