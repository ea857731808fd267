/* SPDX-License-Identifier: GPL-2.0 */
/*
 * asking_way.h - what each request on its way needs of asking.c
 *
 * Each completion and each submission comes here, so what most of them need is
 * without a call.
 */
#ifndef SSDQOS_QOS_ASKING_WAY_H
#define SSDQOS_QOS_ASKING_WAY_H

#include "internal.h"

void edf_asking_reckon(struct ssdqos_edf_stream *s);
void edf_asking_peak(struct ssdqos_edf_stream *s, u32 nr, u64 now_ns);
bool edf_asking_end_window(struct ssdqos_edf_stream *s, u64 now_ns);
void edf_asking_idle(struct ssdqos_edf_stream *s, u64 floor_ns, u64 pause_ns);

/* Several times as long as most stops of a drive, no longer than any window. */
#define EDF_ASKING_PEAK_NS 100000000ULL

/*
 * edf_asking_requests - how many a client has that ask for what was promised
 */
static inline u32 edf_asking_requests(const struct ssdqos_edf_stream *s)
{
	return s->queued + s->in_flight - s->discards;
}

/*
 * edf_asking_came - a request comes: how many has the client at the most?
 * @s: the stream
 * @nr: so many, with it
 * @now_ns: time
 *
 * Unless it is a discard.
 */
static inline void edf_asking_came(struct ssdqos_edf_stream *s, u32 nr, u64 now_ns)
{
	const struct ssdqos_asking *a = &s->asking;

	if (unlikely(nr > a->peak ||
		     now_ns - a->peak_since_ns >= EDF_ASKING_PEAK_NS))
		edf_asking_peak(s, nr, now_ns);
}

/*
 * edf_asking_part - for how much of its promise a client asks with so many requests
 */
static inline u32 edf_asking_part(const struct ssdqos_asking *a, u32 nr)
{
	if (nr >= a->all_from)
		return SSDQOS_WATCH_ASKS_ALL;
	if (!nr)
		return 0;
	return (u32)max(div64_u64((u64)nr * SSDQOS_WATCH_ASKS_ALL, a->all_from),
			1ULL);
}

/*
 * edf_asking_changed - a stream has more requests than before, or fewer
 * @s: the stream; edf_asking_count() has been told of the time
 * @nr: so many, here and in the drive
 * @now_ns: time
 */
static inline void edf_asking_changed(struct ssdqos_edf_stream *s, u32 nr, u64 now_ns)
{
	u32 part = edf_asking_part(&s->asking, nr);

	s->asking.part = part;
	if (part == s->watch.asks)
		return;
	if (likely(!ssdqos_watch_is_over(&s->watch, now_ns)) ||
	    edf_asking_end_window(s, now_ns))
		ssdqos_watch_asks(&s->watch, part, now_ns);
}

/*
 * edf_asking_take_pause - a request comes while none waits: how long was the pause?
 * @s: the stream
 * @credit_ns: what a pause that is no shorter is worth
 *
 * Return: time for which it did not ask, since this was last called.
 */
static inline u64 edf_asking_take_pause(struct ssdqos_edf_stream *s, u64 credit_ns)
{
	struct ssdqos_asking *a = &s->asking;
	u64 paused_ns = a->paused_ns;

	if (paused_ns >= credit_ns)
		a->credit_ns = credit_ns;
	a->paused_ns = 0;
	return paused_ns;
}

/*
 * edf_asking_count - time passes: how much of it did a stream not ask for? (asking.c)
 */
static inline void edf_asking_count(struct ssdqos_edf_stream *s, u64 now_ns)
{
	struct ssdqos_asking *a = &s->asking;
	u64 paused_ns;

	if (a->part < SSDQOS_WATCH_ASKS_ALL) {
		paused_ns = ssdqos_watch_asked_ns(now_ns - a->since_ns,
						  SSDQOS_WATCH_ASKS_ALL - a->part);
		a->paused_ns += paused_ns;
		s->step_idle_ns += paused_ns;
	}
	a->since_ns = now_ns;
}

/*
 * edf_asking_had - a guarantee has paid for a request: it may be the credit of a pause
 */
static inline void edf_asking_had(struct ssdqos_edf_stream *s, u64 own_ns)
{
	struct ssdqos_asking *a = &s->asking;
	u64 had_ns;

	if (!a->credit_ns)
		return;
	had_ns = min(ssdqos_watch_asked_ns(own_ns, a->part), a->credit_ns);
	a->credit_ns -= had_ns;
	s->paused_ns -= min(s->paused_ns, had_ns);
}

#endif /* SSDQOS_QOS_ASKING_WAY_H */
