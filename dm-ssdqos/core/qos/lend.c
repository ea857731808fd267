// SPDX-License-Identifier: GPL-2.0
/*
 * lend.c - what owners don't ask for is lent to spare writes
 *
 * An owner that asks for a fifth of its promise (asking.c) leaves the rest, as one does
 * that is away (away.c), and spare writes may go faster for it:
 *
 *	c = (R + (R' - R) x a + (R" - R') x b) x g
 *
 * where R and R' are the room with all owners, and with those that are there (debt.c,
 * away.c), and R" that with what these ask for.  An owner asks for the part
 *
 *	q = max(p, what it got of its promise), 1 at most
 *
 * of what it owns: p is by how many requests it has, which are fewer than its rate takes
 * on a drive that is faster than it has to be.  If more is asked for that counts at once,
 * and less as its average over 16 steps of the debt, for a drive needs some seconds to
 * collect for what it was written.
 *
 * All may be asked for again at any time, and the drive should be such that it can be had.
 * Whether it is shows before anybody lacks something.  By Little's law
 *
 *	h = what it got of its promise / p
 *
 * says how much faster the drive is for an owner's requests than the promise needs.
 * So b begins with a quarter, and follows at the end of each step
 *
 *	b = b - b / 8		h is less than 17/16 of an owner that asks for less, or
 *				the pace had an owner behind (pace.c)
 *	b = b + b / 64		h is more than 5/4, writes were held back, and nobody is
 *				strained (budget.c)
 *	b = b x got, 1/2 at most	an owner misses a window after it asked for less, and
 *				its account is overdrawn
 *
 * and is a sixteenth at least.  Who got nothing has an h of 0, unless it asked for less than
 * half: a flush takes long and no device time, and a request that has just come has got
 * nothing yet.  Who asks for all has nothing to lend, and decides on g.
 */
#include "internal.h"

#define LEND_FIRST (EDF_DEBT_ONE / 4)
/* It doubles in 22 s, as g does. */
#define LEND_RISE_DIVISOR 64u
/* Twice as fast as a drive that does too much gets slower: it is half in 3 s. */
#define LEND_FALL_DIVISOR 8
/* The drive is hardly faster than it has to be, or fast enough to try more. */
#define LEND_HEADROOM_LEAST (EDF_DEBT_ONE + EDF_DEBT_ONE / 16)
#define LEND_HEADROOM_ENOUGH (EDF_DEBT_ONE + EDF_DEBT_ONE / 4)
/* A window that was missed by little says that it was too much, not by how much. */
#define LEND_MOST_GOT (EDF_DEBT_ONE / 2)
/* Steps: as long as it takes a drive to answer. */
#define LEND_AVERAGE_STEPS 16
/* A longer one says nothing of what was asked for in it, nor do its products fit. */
#define LEND_MOST_STEP_NS (8 * EDF_DEBT_STEP_NS)
/* Who asks for all but this part asks for all, as for the windows (watch.h). */
#define LEND_ALL_DIVISOR 20
/* Who asks for so much and gets nothing has no flush under way, but a drive that stands. */
#define LEND_STALL_DIVISOR 2

/*
 * edf_lend_init - nobody asks for less
 */
void edf_lend_init(struct ssdqos_lend *l)
{
	l->part = LEND_FIRST;
}

/*
 * edf_lend_begin - owners that are there are counted anew
 */
void edf_lend_begin(struct ssdqos_edf *edf)
{
	struct ssdqos_lend *l = &edf->debt.lend;

	edf_load_init(&l->load, &edf->cfg);
	l->headroom = SSDQOS_NEVER_NS;
	l->somebody = false;
}

/* For how much it asks is not known: for all. */
static void lend_asks_all(struct ssdqos_edf_stream *s)
{
	s->asked_ppm = s->util_ppm;
	s->lends = false;
	edf_load_add(&s->edf->debt.lend.load, &s->cfg, s->util_ppm);
}

/*
 * edf_lend_owner_is_there - an owner has a request, after it had none for long
 */
void edf_lend_owner_is_there(struct ssdqos_edf_stream *s)
{
	s->has_come = true;
	lend_asks_all(s);
}

/* Device time that it used, as part of that which its promise takes, of what it owns. */
static u64 lend_used_ppm(const struct ssdqos_edf_stream *s, u64 step_ns)
{
	u64 promised_ns = div64_u64(step_ns * s->promised_ppm, SSDQOS_QOS_PPM);

	return div64_u64(s->step_work_ns * s->util_ppm, max(promised_ns, 1ULL));
}

/* p, of what it owns */
static u64 lend_wanted_ppm(const struct ssdqos_edf_stream *s, u64 step_ns)
{
	u64 idle_ns = min(s->step_idle_ns, step_ns);

	return div64_u64((u64)s->util_ppm * (step_ns - idle_ns), max(step_ns, 1ULL));
}

/* h */
static u64 lend_headroom(u64 used_ppm, u64 wanted_ppm)
{
	return div64_u64(used_ppm * EDF_DEBT_ONE, max(wanted_ppm, 1ULL));
}

static u32 lend_average_ppm(const struct ssdqos_edf_stream *s, u64 asked_ppm)
{
	if (asked_ppm < s->asked_ppm)
		asked_ppm = s->asked_ppm - div64_u64(s->asked_ppm - asked_ppm,
						     LEND_AVERAGE_STEPS);
	return (u32)min_t(u64, asked_ppm, s->util_ppm);
}

/*
 * edf_lend_owner - an owner was there in a step that is over: for how much did it ask?
 * @s: its stream; what it did in the step, and did not ask for, is counted
 * @step_ns: length of the step
 */
void edf_lend_owner(struct ssdqos_edf_stream *s, u64 step_ns)
{
	struct ssdqos_lend *l = &s->edf->debt.lend;
	u64 used_ppm, wanted_ppm;

	if (s->has_come || step_ns > LEND_MOST_STEP_NS || !s->edf->cfg.drive_lend) {
		s->has_come = false;
		lend_asks_all(s);
		return;
	}
	used_ppm = lend_used_ppm(s, step_ns);
	wanted_ppm = lend_wanted_ppm(s, step_ns);
	s->asked_ppm = lend_average_ppm(s, max(used_ppm, wanted_ppm));
	if (s->asked_ppm + s->util_ppm / LEND_ALL_DIVISOR >= s->util_ppm) {
		edf_load_add(&l->load, &s->cfg, s->util_ppm);
		return;
	}
	s->lends = true;
	l->somebody = true;
	if (used_ppm || wanted_ppm > s->util_ppm / LEND_STALL_DIVISOR)
		l->headroom = min(l->headroom, lend_headroom(used_ppm, wanted_ppm));
	edf_load_add(&l->load, &s->cfg, s->asked_ppm);
}

/*
 * edf_lend_is_scarce - does the drive hardly do what is asked for by those who ask for less?
 * @edf: the drive; owners that are there are counted, and the step is not over
 */
bool edf_lend_is_scarce(const struct ssdqos_edf *edf)
{
	const struct ssdqos_lend *l = &edf->debt.lend;

	return l->somebody && (l->behinds != edf->pace.behinds ||
			       l->headroom < LEND_HEADROOM_LEAST);
}

/*
 * edf_lend_end_step - learn: a step of the debt is over, and all owners are counted
 */
void edf_lend_end_step(struct ssdqos_edf *edf)
{
	struct ssdqos_lend *l = &edf->debt.lend;
	bool scarce = edf_lend_is_scarce(edf);

	l->behinds = edf->pace.behinds;
	if (!l->somebody)
		return;
	if (scarce)
		l->part = max_t(u32, l->part - l->part / LEND_FALL_DIVISOR, EDF_DEBT_LEAST);
	else if (l->headroom > LEND_HEADROOM_ENOUGH && edf->debt.held && !edf->debt.strained)
		edf_part_rise(&l->part, &l->rest, LEND_RISE_DIVISOR);
}

/*
 * edf_lend_room_ppm - what is left to spare writes, beside what is without this rule
 * @edf: the drive
 * @there_ppm: R'
 */
u64 edf_lend_room_ppm(const struct ssdqos_edf *edf, u64 there_ppm)
{
	const struct ssdqos_lend *l = &edf->debt.lend;
	u64 asked_ppm;

	if (!l->somebody)
		return 0;
	asked_ppm = max(edf_load_room_ppm(edf->profile, &l->load), there_ppm);
	return div64_u64((asked_ppm - there_ppm) * l->part, EDF_DEBT_ONE);
}

/*
 * edf_lend_windows - windows of a stream have ended; its account knows of them
 */
void edf_lend_windows(struct ssdqos_edf_stream *s,
		      const struct ssdqos_watch_count *count)
{
	struct ssdqos_lend *l = &s->edf->debt.lend;

	if (edf_missed_since(s, &s->lends, count))
		l->part = edf_part_of(l->part, edf_window_got(s, LEND_MOST_GOT));
}
