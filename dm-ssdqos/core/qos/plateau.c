// SPDX-License-Identifier: GPL-2.0
/*
 * plateau.c - a rate of spare work stays near what made owners late
 *
 * Spare work is halved each 10 ms in which an owner is behind, and from the least it has all of
 * the drive a second and a half later (pace.c).  If the drive bears a third of that,
 * an owner is behind each second: others have thirty times as much at the end
 * of it as at its begin, half a second of it is hardly anything, and other owners,
 * whose spare work is paced as well, have less, too.  So a rate that made owners late is
 * remembered.  When an owner begins to be behind, be
 *
 *	P	the most that was sent since one did the last time, as a mean of
 *		160 ms, and P' that of the time before
 *	T	the time since then, and T' the one before
 *	R	the plateau, infinite at first
 *
 *	R = infinite	3/4 P is less than a sixteenth of the drive
 *	R = infinite	else, if it was not infinite, and T < 5/4 T'
 *	R = P - P / 4	else, if P and P' differ by a fifth or less
 *	R = infinite	else
 *
 * Below R the rate rises as before, up to R.  From there on it rises in the n-th step by
 * n / 2^17 of it: a third more is sent after 2.7 s, twice as much after 4.3 s, ten times as much
 * after 8.  If nobody is late for that, it was not the rate, or the drive bears more now.
 *
 * Many drives stop by themselves, whatever is sent, and a plateau would only take from others.
 * But then one is behind at one rate and then at another; and if it happens to be the same one,
 * less does not put the next stop off.
 *
 * Rates below a sixteenth of the drive are up again before they do any harm.  Nobody can
 * be late while no owner is there, or only some that have less by their own doing
 * (self_limited.c), and without a profile costs are no times: there is none then.
 *
 * Cubic growth of windows in networks (RFC 9438) is the same thought: stay near where it was
 * too much, and leave that faster and faster.
 */
#include "internal.h"

/* What is borne is so much less than what was sent when an owner fell behind. */
#define PLATEAU_LACK_DIVISOR 4
#define PLATEAU_SAME_DIVISOR 5
/* With a quarter less the next one should come later by a quarter at the least. */
#define PLATEAU_LATER_DIVISOR 4
/* Less is no plateau: a sixteenth of the drive. */
#define PLATEAU_LEAST_PPM (SSDQOS_QOS_PPM / 16ULL)
#define PLATEAU_RISE_SHIFT 17
/* The fastest growth is a thirty-second (pace.c), so after 41 s. */
#define PLATEAU_MOST_STEPS (1u << 12)

/*
 * edf_plateau_learn_anew - costs are others from now on: no rate was tried
 */
void edf_plateau_learn_anew(struct ssdqos_plateau *p)
{
	*p = (struct ssdqos_plateau){ .rate_ppm = SSDQOS_PACE_FREE };
}

static bool plateau_is_there(const struct ssdqos_plateau *p)
{
	return p->rate_ppm != SSDQOS_PACE_FREE;
}

static bool plateau_is_used(const struct ssdqos_edf *edf)
{
	return edf->profile && edf->cfg.drive_plateau;
}

/* The rate was lower, and the next stop came as soon. */
static bool plateau_is_no_use(const struct ssdqos_plateau *p, u64 interval_ns)
{
	return plateau_is_there(p) && interval_ns < p->interval_ns +
						   p->interval_ns / PLATEAU_LATER_DIVISOR;
}

static bool plateau_is_same_rate(u64 a_ppm, u64 b_ppm)
{
	u64 most_ppm = max(a_ppm, b_ppm);

	return most_ppm - min(a_ppm, b_ppm) <= div64_u64(most_ppm, PLATEAU_SAME_DIVISOR);
}

/*
 * edf_plateau_fell - an owner begins to be behind
 */
void edf_plateau_fell(struct ssdqos_edf *edf, u64 now_ns)
{
	struct ssdqos_plateau *p = &edf->pace.plateau;
	u64 interval_ns = now_ns - p->fell_ns;
	u64 borne_ppm = p->peak_ppm - p->peak_ppm / PLATEAU_LACK_DIVISOR;
	bool tells = borne_ppm >= PLATEAU_LEAST_PPM &&
		     plateau_is_same_rate(p->peak_ppm, p->last_ppm) &&
		     !plateau_is_no_use(p, interval_ns);

	if (!plateau_is_used(edf))
		return;
	*p = (struct ssdqos_plateau){
		.rate_ppm = tells ? borne_ppm : SSDQOS_PACE_FREE,
		.last_ppm = p->peak_ppm,
		.fell_ns = now_ns,
		.interval_ns = interval_ns,
	};
}

/*
 * edf_plateau_see - so much is sent, as a mean
 */
void edf_plateau_see(struct ssdqos_plateau *p, u64 sent_ppm)
{
	p->peak_ppm = max(p->peak_ppm, sent_ppm);
}

/*
 * edf_plateau_rise_ppm - by what the rate of spare work rises in a step
 * @edf: the drive
 * @most_ppm: by what it does without a plateau
 */
u64 edf_plateau_rise_ppm(struct ssdqos_edf *edf, u64 most_ppm)
{
	struct ssdqos_plateau *p = &edf->pace.plateau;
	u64 rate_ppm = edf->pace.rate_ppm;

	if (!plateau_is_used(edf) || !plateau_is_there(p) || !edf->debt.heeded)
		return most_ppm;
	if (rate_ppm < p->rate_ppm)
		return min(most_ppm, p->rate_ppm - rate_ppm);
	p->steps = min(p->steps + 1, PLATEAU_MOST_STEPS);
	return min(most_ppm, (rate_ppm * p->steps) >> PLATEAU_RISE_SHIFT);
}
