// SPDX-License-Identifier: GPL-2.0
/*
 * lead.c - time to make up for a stop of the drive within a window
 *
 * A drive that stops for 100 ms now and then is as fast as its profile on
 * average, and an owner catches up at once, for its deadlines are the earliest.
 * But if the stop is at the end of a window there is no time to catch up in, and
 * of windows of 500 ms each fifth may have its stop there.  So an owner may do
 * its part of a window early: if the window is W long and begins at B, a request
 * with the start S may go at
 *
 *	B + (S - B) x (1 - L / W)
 *
 * and the window's last part L is left to make up for a stop.  It owns no more
 * than before, and nobody's deadline moves: what it takes early it takes of
 * spare time, and leaves as much to others before the window ends.
 *
 * The lead L is learned, for where nothing stops, it only makes neighbours'
 * service uneven.  It begins with an eighth of the window, or 100 ms if that is
 * less, and is half of it or 2 s at most (longer stops are the profile's concern):
 *
 *	L = max(L - L / 256, l)		a window ends that was met
 *	L = L + W / 8			one that was missed
 *
 * So it is halved in some 180 windows where nothing stops, and stays where one
 * window in a hundred is missed.  Many in a row teach nothing (slump.c).  l is the
 * longest stop in that window: by how much its owner was late, at most, when its
 * guarantee paid for a request,
 *
 *	l = (R - S + owed - paused) x (1 - L / W)
 *
 * where R is the latest start that may go at that time.  The last factor takes out
 * that who is early goes faster.  A stop in the middle of a window costs nobody one,
 * but the next may be at the end.
 *
 * A window that slides may begin anywhere, so what is done early for its end is
 * missing in one that begins later: to be ahead by a fixed time changes the sum
 * of no window.  One with a stop of L has W - L left to do its part in, so its
 * owner has to be faster than it was promised all the time, by
 *
 *	W / (W - L)
 *
 * Each request that the guarantee pays for therefore grants L / (W - L) of what
 * it owns for more requests, in spare time.  They go like those that the drive
 * owes (edf.h): before other spare work, but after everybody's guarantee, so
 * they take from nobody what is his.  M is what was granted and not yet used:
 *
 *	M = min(M + own x L / (W - L), L)	its guarantee pays for a request
 *	M = M - own				one goes for M > 0
 *	M = M - own, as long as M > -L		one goes in spare time as any other
 *
 * where own = e / u.  So who gets as much of spare time anyway takes no more of
 * it, neighbours lose what is needed and not the whole grant, and a grant that
 * finds no spare time is lost beyond L.  L is learned by the rule above, of which
 * each of the eight windows that end in the time of one has an eighth.
 *
 * Who was promised writes has both, whatever its windows.  Drives stop for what
 * was written, for longer than for anything else, and what writers may have
 * beyond their promise is held (debt.c): with the margin alone they lose each
 * window with a stop that comes too soon for L, or with two.  So their lead
 * begins with an eighth of the window up to 500 ms.
 *
 * Who can't be as early as windows that were missed have asked for is late for
 * that, and others' spare work goes slower (pace.c, debt.c).  What was only seen
 * is no reason for that.
 *
 * What is granted fills the drive, as what is owned does.  While an owner waits in
 * it although the drive has as few requests as it may (depth.c), nobody is granted
 * more, except for those who have missed more windows than they may (budget.c).  And
 * writes lengthen each read of a client that has few at a time, whoever's time they are:
 * such a client has nothing to make up with, and once spare work is at its least (pace.c),
 * others' grants are all that is left.  So while an owner that is there misses too much, or
 * another one is behind though spare work is at its least, those are granted nothing who
 * have missed nothing for long, and are not late themselves.  If it was the grant that kept
 * them from it, they miss a window and have it again: one in as many as their account takes
 * to be whole, which is half of what they may miss.  Such a window asks for no longer lead,
 * or they would have more than before.
 *
 * With mode strict nobody takes spare time, so nobody has a lead.
 */
#include "internal.h"

#define LEAD_MISS_DIVISOR 8
#define LEAD_MOST_DIVISOR 2
#define LEAD_FIRST_DIVISOR 8
#define LEAD_FIRST_NS 100000000ULL
#define LEAD_FIRST_WRITE_NS 500000000ULL
#define LEAD_FADE_DIVISOR 256
/* Of L / (W - L): what the largest request owns at 1 ppm, times that, fits. */
#define LEAD_ONE 1024ULL
#define LEAD_GRAIN_SHIFT 4

static u64 lead_most_ns(const struct ssdqos_edf_stream *s)
{
	if (!s->edf->cfg.drive_lead)
		return 0;
	return min(s->watch.promise.window_ns / LEAD_MOST_DIVISOR,
		   EDF_LEAD_MOST_NS);
}

/*
 * edf_lead_begin - something new is promised
 */
void edf_lead_begin(struct ssdqos_edf_stream *s)
{
	u64 first_ns = min(s->watch.promise.window_ns / LEAD_FIRST_DIVISOR,
			   s->cfg.op == SSDQOS_QOS_WRITE ?
				   LEAD_FIRST_WRITE_NS : LEAD_FIRST_NS);

	s->lead_ns = min(first_ns, lead_most_ns(s));
	s->lead_seen_ns = s->lead_ns;
	s->lag_ns = 0;
	s->more_ns = 0;
	s->withheld_parts = 0;
}

/* What a lead is after a window that was met. */
static u64 lead_after_ns(const struct ssdqos_edf_stream *s, u64 lead_ns)
{
	u32 parts = ssdqos_watch_parts(&s->watch.promise);

	lead_ns -= div64_u64(lead_ns, LEAD_FADE_DIVISOR * parts);
	return max(lead_ns, s->lag_ns);
}

/*
 * edf_lead_learn - a window has ended, or several
 */
void edf_lead_learn(struct ssdqos_edf_stream *s,
		    const struct ssdqos_watch_count *count)
{
	if (count->missed) {
		/* to be early is no help against what it does itself, and
		 * a longer lead none where there was no grant
		 */
		if (!edf_is_slump(s) && !s->self_limited && !s->withheld_parts)
			s->lead_ns += s->watch.part_ns / LEAD_MISS_DIVISOR;
	} else if (count->met) {
		s->lead_ns = lead_after_ns(s, s->lead_ns);
		s->lead_seen_ns = lead_after_ns(s, s->lead_seen_ns);
	}
	s->lead_ns = min(s->lead_ns, lead_most_ns(s));
	s->lead_seen_ns = min(s->lead_seen_ns, s->lead_ns);
	s->lag_ns = 0;
	s->withheld_parts -= !!s->withheld_parts;
}

/*
 * edf_lead_forget - what made a stream late is no stop to learn from (slump.c)
 * @s: the stream
 * @lead_ns: its lead before that
 */
void edf_lead_forget(struct ssdqos_edf_stream *s, u64 lead_ns)
{
	s->lead_ns = lead_ns;
	s->lag_ns = 0;
	s->more_ns = min(s->more_ns, 0LL);
}

/* Begin of the window that a time is in; the stream has a lead. */
static u64 lead_begin_ns(const struct ssdqos_edf_stream *s, u64 time_ns)
{
	u64 window_ns = s->watch.promise.window_ns, begin_ns = s->watch.start_ns;

	if (time_ns >= begin_ns && time_ns - begin_ns < window_ns)
		return begin_ns;
	if (time_ns < begin_ns)
		return begin_ns - div64_u64(begin_ns - time_ns + window_ns - 1,
					    window_ns) * window_ns;
	return begin_ns + div64_u64(time_ns - begin_ns, window_ns) * window_ns;
}

static bool lead_is_on(const struct ssdqos_edf_stream *s)
{
	return s->lead_ns && !edf_is_strict(s->edf);
}

/* An owner is behind though spare work is at its least, and it is not this one. */
static bool lead_is_others_last_hope(const struct ssdqos_edf_stream *s)
{
	return edf_pace_is_exhausted(s->edf) && s->edf->pace.late != s->id &&
	       !s->late_since_ns;
}

/* Somebody misses too much, or is going to. */
static bool lead_is_needed_by_others(const struct ssdqos_edf_stream *s)
{
	return s->edf->debt.strained || lead_is_others_last_hope(s);
}

/* Somebody lacks what he was promised, and this owner can do without more than that;
 * or somebody waits in the drive behind others however few requests it gets.
 */
static bool lead_is_in_the_way(const struct ssdqos_edf_stream *s)
{
	return (s->budget.is_whole && lead_is_needed_by_others(s)) ||
	       (edf_depth_is_least(s->edf) && !edf_is_strained(s));
}

static bool lead_grants(const struct ssdqos_edf_stream *s)
{
	return edf_lead_may_grant(s) && lead_is_on(s) && !lead_is_in_the_way(s);
}

/*
 * edf_lead_more_ns - what a guarantee gives beyond what it paid for
 */
s64 edf_lead_more_ns(const struct ssdqos_edf_stream *s, u64 own_ns)
{
	u64 part;

	if (!lead_grants(s))
		return 0;
	part = div64_u64(s->lead_ns * LEAD_ONE,
			 s->watch.promise.window_ns - s->lead_ns);
	return (s64)div64_u64(own_ns * part, LEAD_ONE);
}

/*
 * edf_lead_give - a guarantee has paid for a request
 *
 * Only if edf_lead_may_grant(), as the next one.
 */
void edf_lead_give(struct ssdqos_edf_stream *s, u64 own_ns)
{
	if (lead_is_on(s) && lead_is_in_the_way(s))
		s->withheld_parts = ssdqos_watch_parts(&s->watch.promise);
	s->more_ns = min(s->more_ns + edf_lead_more_ns(s, own_ns),
			 (s64)s->lead_ns);
}

/*
 * edf_lead_pay - a request goes beyond the guarantee: first for what is owed
 *
 * Return: so much of that.
 */
u64 edf_lead_pay(struct ssdqos_edf_stream *s, u64 own_ns)
{
	u64 owed_ns = min(s->owed_ns, own_ns);

	if (owed_ns)
		s->owed_ns -= owed_ns;
	else
		s->more_ns -= (s64)own_ns;
	return owed_ns;
}

/*
 * edf_lead_spare - a request goes in spare time, which counts all the same
 */
void edf_lead_spare(struct ssdqos_edf_stream *s, u32 cost_ns)
{
	if (lead_grants(s) && s->more_ns > -(s64)s->lead_ns)
		s->more_ns -= (s64)edf_own_ns(cost_ns, s->util_ppm);
}

/* Those that slide have no end to be ready for. */
static bool lead_is_early(const struct ssdqos_edf_stream *s)
{
	return lead_is_on(s) && !s->watch.promise.sliding;
}

/* L of so long, for what lies in it.  A window of a minute times a lead of two
 * seconds has more than 64 bits of ns; of 16 ns it has less.
 */
static u64 lead_part_ns(const struct ssdqos_edf_stream *s, u64 in_ns, u64 of_ns)
{
	return div64_u64((in_ns >> LEAD_GRAIN_SHIFT) * s->lead_ns,
			 of_ns >> LEAD_GRAIN_SHIFT);
}

/*
 * edf_lead_reach_ns - up to which start a guarantee pays at a time
 */
u64 edf_lead_reach_ns(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	u64 begin_ns, into_ns, rest_ns;

	if (!lead_is_early(s))
		return now_ns;
	begin_ns = lead_begin_ns(s, now_ns);
	rest_ns = s->watch.promise.window_ns - s->lead_ns;
	into_ns = min(now_ns - begin_ns, rest_ns);
	return begin_ns + into_ns + lead_part_ns(s, into_ns, rest_ns);
}

/*
 * edf_lead_is_late - a guarantee pays for a request whose S is in the past
 */
void edf_lead_is_late(struct ssdqos_edf_stream *s, u64 now_ns)
{
	u64 late_ns = edf_lead_reach_ns(s, now_ns) - s->start_ns + s->owed_ns;

	late_ns -= min(s->paused_ns, late_ns);
	late_ns = min(late_ns, s->watch.promise.window_ns);
	if (lead_is_early(s))
		late_ns -= lead_part_ns(s, late_ns, s->watch.promise.window_ns);
	s->lag_ns = max(s->lag_ns, late_ns);
}

/*
 * edf_lead_start_ns - when a guarantee begins to pay for a stream's next request
 */
u64 edf_lead_start_ns(const struct ssdqos_edf_stream *s)
{
	u64 into_ns;

	if (!lead_is_early(s) || s->start_ns <= s->watch.start_ns)
		return s->start_ns;
	into_ns = s->start_ns - lead_begin_ns(s, s->start_ns);
	return s->start_ns -
	       lead_part_ns(s, into_ns, s->watch.promise.window_ns);
}
