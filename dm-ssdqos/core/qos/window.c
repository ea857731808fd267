// SPDX-License-Identifier: GPL-2.0
/*
 * window.c - windows of a stream's promise end: what follows from that
 */
#include "internal.h"

/*
 * edf_windows_end - windows of a stream are over
 * @s: the stream
 * @now_ns: time
 * @event: filled if some were missed
 *
 * Return: number of events that somebody should hear of.
 */
u32 edf_windows_end(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *event)
{
	struct ssdqos_watch_count count;
	bool missed = ssdqos_watch_roll(&s->watch, now_ns, &count, event);
	u32 why = missed ? edf_miss_why(s, event, &count.span) :
			   SSDQOS_MISS_NONE;

	s->stats.windows += count.met + count.missed + count.idle;
	s->stats.windows_met += count.met;
	s->stats.windows_missed += count.missed;
	s->stats.windows_idle += count.idle;
	if (missed) {
		event->missed_why = why;
		edf_miss_count(s, count.missed, why);
	}
	/* no neighbour does that, nor would one that is slowed down help */
	if (why == SSDQOS_MISS_ERRORS)
		count.missed = 0;
	edf_self_limited_count(s, &count);
	edf_slump_count(s, &count);
	edf_lead_learn(s, &count);
	edf_catch_up_windows(s, &count);
	edf_budget_count(s, &count);
	edf_away_windows(s, &count);
	edf_lend_windows(s, &count);
	edf_miss_begin(s, count.parts);
	return missed;
}

/*
 * edf_windows_end_unheard - windows that ended while the client had no requests
 *
 * They are hardly ever missed, and then nobody waits to hear of it.
 */
void edf_windows_end_unheard(struct ssdqos_edf_stream *s, u64 now_ns)
{
	struct ssdqos_watch_event unheard;

	edf_windows_end(s, now_ns, &unheard);
}

/*
 * edf_window_half - half of a stream's window has passed
 * @s: the stream
 * @now_ns: time
 * @event: filled if the promise has come into danger, or out of it
 *
 * Return: number of events that somebody should hear of.
 */
u32 edf_window_half(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *event)
{
	struct ssdqos_watch_span span;

	if (!ssdqos_watch_half(&s->watch, now_ns, &span, event))
		return 0;
	if (event->kind == SSDQOS_WATCH_PROMISE_AT_RISK)
		event->missed_why = edf_miss_why(s, event, &span);
	return 1;
}

/*
 * edf_window_risk - a promise has come into danger, or out of it, while no request ended
 * @s: the stream; its windows that are over are closed
 * @now_ns: time
 * @event: filled if that is so
 *
 * Return: number of events that somebody should hear of.
 */
u32 edf_window_risk(struct ssdqos_edf_stream *s, u64 now_ns,
		    struct ssdqos_watch_event *event)
{
	if (!ssdqos_watch_risk(&s->watch, now_ns, event))
		return 0;
	if (event->kind == SSDQOS_WATCH_PROMISE_AT_RISK)
		event->missed_why = s->missed_why;
	return 1;
}
