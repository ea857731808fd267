// SPDX-License-Identifier: GPL-2.0
/*
 * catch_up.c - what an owner lacks, and its window makes up for
 *
 * The rate of spare writes falls if an owner gets less than its promise in a step of half
 * a second (debt.c), but a promise is kept in windows.  Whoever has four times as much as
 * it was promised in each of these may have nothing in half a second, and lacks nothing;
 * with one request at a time that happens beside any writes.  How much a window can make
 * up for is told by those before it.  Of a window of length W, be
 *
 *	h	what the owner gets in a bad window, of its promise.  It begins with 1; a
 *		window ends in which it got x:
 *			h = x			if that is less
 *			h = h + (x - h) / 64	else, so about the worst of sixty-four; or
 *						512 that slide, which overlap
 *	D	what it lacks; a step ends in which it got x:
 *			D = max(D + (1 - x) step, 0)
 *	T	since when D is more than 0
 *
 * In the rest of a window that has all of that in it, it gets (h - 1) (W - T) more than
 * its promise if others go on as before.  As long as D is no more than half of that, what
 * the step lacked makes nothing fall, nor rise.  Half, since h may be of windows in which
 * others did less.
 *
 * Likewise an owner may be late (pace.c, depth.c) by (h - 1) W / 8, and a quarter of its
 * window at the most: that leaves half of the window, and of that half of what it gets.
 *
 * All that it lacks counts where a window is no longer than a step, and for an owner that
 * is strained (budget.c): something did tell against it.
 */
#include "internal.h"

#define CATCH_UP_WINDOWS 64
/* One in so many of what is made up for is counted on. */
#define CATCH_UP_PART 2
/* Of a window, for each time the promise that it has more; up to a quarter. */
#define CATCH_UP_SLACK_PART 8
#define CATCH_UP_MOST_MORE (EDF_DEBT_ONE * 2)
/* More than that is no safer, and nothing overflows. */
#define CATCH_UP_MOST_GOT (EDF_DEBT_ONE * 64)

/*
 * edf_catch_up_begin - something new is promised
 */
void edf_catch_up_begin(struct ssdqos_edf_stream *s)
{
	s->catch_up = (struct ssdqos_catch_up){ .headroom = EDF_DEBT_ONE };
}

/*
 * edf_catch_up_windows - windows of a stream have ended
 */
void edf_catch_up_windows(struct ssdqos_edf_stream *s,
			  const struct ssdqos_watch_count *count)
{
	u32 windows = CATCH_UP_WINDOWS * ssdqos_watch_parts(&s->watch.promise);
	struct ssdqos_catch_up *c = &s->catch_up;
	u64 got;

	if (!count->met && !count->missed)
		return;
	got = edf_window_got(s, CATCH_UP_MOST_GOT);
	if (got < c->headroom)
		c->headroom = got;
	else
		c->headroom += div64_u64(got - c->headroom + windows - 1, windows);
}

/*
 * edf_catch_up_rest - an owner asked for less in a step: its windows say no more than that
 */
void edf_catch_up_rest(struct ssdqos_edf_stream *s)
{
	s->catch_up.lack_ns = 0;
	s->catch_up.run_ns = 0;
}

/* h - 1, as far as that is believed */
static u64 catch_up_more(const struct ssdqos_edf_stream *s)
{
	u64 headroom = s->catch_up.headroom;

	return edf_is_strained(s) ? 0 : headroom - min(headroom, EDF_DEBT_ONE);
}

/*
 * edf_catch_up_slack_ns - by how much an owner may be late, since its window makes up for it
 * @s: its stream
 */
u64 edf_catch_up_slack_ns(const struct ssdqos_edf_stream *s)
{
	u64 more = min(catch_up_more(s), CATCH_UP_MOST_MORE);

	if (!s->edf->cfg.drive_catch_up)
		return 0;
	return div64_u64(more * s->cfg.window_ms * EDF_NS_PER_MS,
			 EDF_DEBT_ONE * CATCH_UP_SLACK_PART);
}

static void catch_up_add(struct ssdqos_catch_up *c, u64 got, u64 step_ns)
{
	if (got < EDF_DEBT_ONE)
		c->lack_ns += div64_u64(step_ns * (EDF_DEBT_ONE - got), EDF_DEBT_ONE);
	else
		c->lack_ns -= min(c->lack_ns, div64_u64(step_ns * (got - EDF_DEBT_ONE),
							EDF_DEBT_ONE));
	c->run_ns = c->lack_ns ? c->run_ns + step_ns : 0;
}

static bool catch_up_can(const struct ssdqos_edf_stream *s, u64 window_ns)
{
	const struct ssdqos_catch_up *c = &s->catch_up;
	u64 left_ns = window_ns - min(window_ns, c->run_ns);

	return c->lack_ns <= div64_u64(catch_up_more(s) * left_ns,
				       EDF_DEBT_ONE * CATCH_UP_PART);
}

/*
 * edf_catch_up_got - part of its promise that an owner got in a step, as far as it tells
 * @s: its stream
 * @got: what it got, in EDF_DEBT_ONE
 * @step_ns: length of the step
 *
 * Return: EDF_DEBT_ONE where it got less, and its window can make up for that.
 */
u64 edf_catch_up_got(struct ssdqos_edf_stream *s, u64 got, u64 step_ns)
{
	u64 window_ns = s->cfg.window_ms * EDF_NS_PER_MS;

	if (!s->edf->cfg.drive_catch_up || step_ns >= window_ns) {
		edf_catch_up_rest(s);
		return got;
	}
	catch_up_add(&s->catch_up, min(got, CATCH_UP_MOST_GOT), step_ns);
	return got < EDF_DEBT_ONE && catch_up_can(s, window_ns) ? EDF_DEBT_ONE : got;
}
