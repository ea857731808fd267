// SPDX-License-Identifier: GPL-2.0
/*
 * slump.c - windows of a promise are missed for longer than any stop lasts
 *
 * A drive that stops for a moment makes an owner miss a window or two, and there is
 * much to be done about that: to be early (lead.c), to get back what the drive owes
 * (edf.h).  If windows of W are missed in a row for longer than
 *
 *	2 s + 4 W
 *
 * the drive does not stop, for a stop that a lead can bear has 2 s at most, and four
 * missed windows make any lead the longest.  It is slow, or more was promised than it
 * has, or it collects for a minute.  That is a *slump*, and what helps against a stop
 * does harm when it is over: one owner would be early by half of each window for the
 * next 180 of them, and be granted as much again as it owns, while another one misses
 * its own for that.  Example: after a minute in which twice as much was promised as
 * there was, writes two at a time had 9,000 a second, of 4,759 promised, and reads
 * beside them half of what they were promised, for minutes.
 *
 * So in a slump the lead is what it was before, and nothing is owed or granted yet.  All
 * S stay where they are: who has missed the most is the first, and if one of them were
 * moved, that owner would wait until all others have made up for what they lack.
 *
 * It ends with a window that is met.  But an owner that is late in that window by more
 * than its lead makes up for something yet: this is no stop to learn from, and the slump
 * goes on, for as many windows as were missed in it at the most.
 */
#include "internal.h"

/*
 * edf_slump_begin - something new is promised
 */
void edf_slump_begin(struct ssdqos_edf_stream *s)
{
	s->slump = (struct ssdqos_slump){ 0 };
}

static void slump_forget(struct ssdqos_edf_stream *s)
{
	edf_lead_forget(s, s->slump.lead_ns);
	s->owed_ns = 0;
}

static void slump_missed(struct ssdqos_edf_stream *s, u64 windows)
{
	struct ssdqos_slump *p = &s->slump;

	if (!p->row_ns)
		p->lead_ns = s->lead_ns;
	p->row_ns += windows * s->watch.part_ns;
	if (edf_is_slump(s))
		slump_forget(s);
}

static void slump_met(struct ssdqos_edf_stream *s)
{
	struct ssdqos_slump *p = &s->slump;

	if (!edf_is_slump(s) || s->lag_ns <= p->lead_ns) {
		p->row_ns = 0;
		return;
	}
	p->row_ns -= s->watch.part_ns;
	slump_forget(s);
}

/*
 * edf_slump_count - windows have ended
 *
 * Before edf_lead_learn(), which raises the lead.
 */
void edf_slump_count(struct ssdqos_edf_stream *s,
		     const struct ssdqos_watch_count *count)
{
	if (count->missed)
		slump_missed(s, count->missed);
	else if (count->met)
		slump_met(s);
}
