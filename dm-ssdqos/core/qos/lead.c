// SPDX-License-Identifier: GPL-2.0
/*
 * lead.c - windows are begun a little faster, where their end is in danger
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
 * less; each window that was missed adds an eighth, up to a quarter or 200 ms
 * (longer stops are the profile's concern); each that was met takes a 256th of
 * it away.  So it stays where one window in a hundred is missed, and is halved
 * in some 180 windows where none is.
 *
 * Windows that slide have no end to be ready for, and with mode strict nobody
 * takes spare time: both have no lead.
 */
#include "internal.h"

#define LEAD_MISS_DIVISOR 8
#define LEAD_MOST_DIVISOR 4
#define LEAD_MOST_NS 200000000ULL
#define LEAD_FADE_DIVISOR 256

static u64 lead_most_ns(const struct ssdqos_edf_stream *s)
{
	const struct ssdqos_promise *p = &s->watch.promise;

	if (p->sliding || !s->edf->cfg.drive_lead)
		return 0;
	return min(p->window_ns / LEAD_MOST_DIVISOR, LEAD_MOST_NS);
}

/*
 * edf_lead_begin - something new is promised
 */
void edf_lead_begin(struct ssdqos_edf_stream *s)
{
	s->lead_ns = lead_most_ns(s) / 2;
}

/*
 * edf_lead_learn - a window has ended, or several
 */
void edf_lead_learn(struct ssdqos_edf_stream *s,
		    const struct ssdqos_watch_count *count)
{
	if (count->missed)
		s->lead_ns += s->watch.promise.window_ns / LEAD_MISS_DIVISOR;
	else if (count->met)
		s->lead_ns -= s->lead_ns / LEAD_FADE_DIVISOR;
	s->lead_ns = min(s->lead_ns, lead_most_ns(s));
}

/* Begin of the window that a time is in; the stream has a lead. */
static u64 lead_begin_ns(const struct ssdqos_edf_stream *s, u64 time_ns)
{
	u64 window_ns = s->watch.promise.window_ns, begin_ns = s->watch.start_ns;

	if (time_ns < begin_ns)
		return begin_ns - div64_u64(begin_ns - time_ns + window_ns - 1,
					    window_ns) * window_ns;
	return begin_ns + div64_u64(time_ns - begin_ns, window_ns) * window_ns;
}

static bool lead_is_on(const struct ssdqos_edf_stream *s)
{
	return s->lead_ns && !edf_is_strict(s->edf);
}

/*
 * edf_lead_reach_ns - up to which start a guarantee pays at a time
 */
u64 edf_lead_reach_ns(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	u64 window_ns = s->watch.promise.window_ns, begin_ns, into_ns;

	if (!lead_is_on(s))
		return now_ns;
	begin_ns = lead_begin_ns(s, now_ns);
	into_ns = min(now_ns - begin_ns, window_ns - s->lead_ns);
	return begin_ns + into_ns +
	       div64_u64(into_ns * s->lead_ns, window_ns - s->lead_ns);
}

/*
 * edf_lead_start_ns - when a guarantee begins to pay for a stream's next request
 */
u64 edf_lead_start_ns(const struct ssdqos_edf_stream *s)
{
	u64 into_ns;

	if (!lead_is_on(s) || s->start_ns <= s->watch.start_ns)
		return s->start_ns;
	into_ns = s->start_ns - lead_begin_ns(s, s->start_ns);
	return s->start_ns - div64_u64(into_ns * s->lead_ns,
				       s->watch.promise.window_ns);
}
