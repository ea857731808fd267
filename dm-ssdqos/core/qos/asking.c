// SPDX-License-Identifier: GPL-2.0
/*
 * asking.c - for how much of its promise does a client ask?
 *
 * Who has a promise of 10,000 requests a second and sends 5,000 gets no more however
 * the drive is, and is not to be late for what it never asked for: all others would be
 * held to their least for as long as it likes.  But a client whose requests are kept
 * sends no more of them, either.  What tells the two apart is how many it has at a
 * time.  With N of them here and in the drive, of the d that it can have, it asks for
 *
 *	p = min(N / (d / 2), 1)
 *
 * of its promise, so for all of it with half of them: clients that send some
 * at once, and wait for those, have half on average.  What the drive has kept from it
 * since S is then
 *
 *	E = integral of p dt - what it got, as its own time,	0 at the least.
 *
 * By Little's law a client that sends at its own rate, with requests that take T, has
 * N = rate x T.  So E grows if they take longer than
 *
 *	T = d / 2 / promised rate
 *
 * whatever the rate: that is how fast the drive has to be for the promise.
 *
 * In the scheduler's terms: E = late - paused + owed (pace.c, lead.c), where
 * late is the time since S, and paused the integral of 1 - p.  The idle rule (edf.h)
 * moves S on: pauses in what it cuts off are not owed.  What is paused beyond late
 * is time in which the client was given more than it asked for: it pays for what
 * is owed.
 *
 * d is what the client said (iodepth).  Of one that did not, it is the most that it
 * had in the last tenths of a second: so little is remembered, because one that has
 * many requests for a moment, and then few, is kept with the few just the same.  That
 * leaves neighbours less than where it is said.
 *
 * Who comes back from a long pause has a credit: S is in the past (drive_credit_ms).  It is
 * to have that, too, and is late if it can't.  So until it has had as much, what it gets
 * is taken off paused as well: of that the part p.
 *
 * Discards don't count: with nothing else a client asks for nothing that was promised,
 * and they may take as long as the drive likes.
 *
 * The windows of its promise know p, too (watch.h): who asks for half of it, and gets
 * half, has missed nothing.
 */
#include "asking_way.h"

/* A part of d that asks for all: see above. */
#define ASKING_DEPTH_DIVISOR 2

/*
 * edf_asking_reckon - of a client that asks for all, how many has it at the least?
 *
 * Whenever what it said changes, or what it had.
 */
void edf_asking_reckon(struct ssdqos_edf_stream *s)
{
	struct ssdqos_asking *a = &s->asking;
	u32 most = s->cfg.iodepth ? s->cfg.iodepth : max(a->peak, a->peak_before);

	/* to whom nothing is promised asks for all with any */
	a->all_from = s->util_ppm ? max(DIV_ROUND_UP(most, ASKING_DEPTH_DIVISOR), 1U) : 1;
}

/*
 * edf_asking_peak - a client has more at a time than before, or a period is over
 * @s: the client
 * @nr: so many
 * @now_ns: time
 */
void edf_asking_peak(struct ssdqos_edf_stream *s, u32 nr, u64 now_ns)
{
	struct ssdqos_asking *a = &s->asking;
	u64 period_ns = now_ns - a->peak_since_ns;

	if (period_ns >= EDF_ASKING_PEAK_NS) {
		a->peak_before = period_ns < 2 * EDF_ASKING_PEAK_NS ? a->peak : 0;
		a->peak = 0;
		a->peak_since_ns = now_ns;
	}
	a->peak = max(a->peak, nr);
	edf_asking_reckon(s);
}

/*
 * edf_asking_end_window - a client asks for more or less while its window is over
 *
 * If it has other requests, the window hears of it with the next completion: that is
 * what tells whoever wants to know of a window that was missed.
 * Return: the next window has begun.
 */
bool edf_asking_end_window(struct ssdqos_edf_stream *s, u64 now_ns)
{
	if (s->watch.asks)
		return false;
	edf_windows_end_unheard(s, now_ns);
	return true;
}

/*
 * edf_asking_idle - the idle rule moves S on: how much of that was not idle?
 * @s: the stream; its pauses are known
 * @floor_ns: the new S, later than the old one
 * @pause_ns: the last pause
 */
void edf_asking_idle(struct ssdqos_edf_stream *s, u64 floor_ns, u64 pause_ns)
{
	u64 window_ns = s->cfg.window_ms * EDF_NS_PER_MS;
	u64 cut_ns = floor_ns - s->start_ns;
	u64 excused_ns = min(s->paused_ns, cut_ns);

	s->start_ns = floor_ns;
	s->paused_ns -= excused_ns;
	if (!s->util_ppm || !s->edf->cfg.drive_owe)
		return;
	s->owed_ns = min(s->owed_ns + cut_ns - excused_ns, window_ns);
	if (pause_ns > window_ns)
		s->owed_ns = 0;
}
