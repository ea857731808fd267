// SPDX-License-Identifier: GPL-2.0
/*
 * delay.c - who of those that write is delayed by how much
 */
#include "internal.h"

/* A stream pays for others at most so many times the delay. */
#define DELAY_MAX_SHARE_PCT 10000

/*
 * ready_share_delay - what a stream's pages are delayed, so that the mean over all is d
 * @r: the drive; its delay has changed
 */
void ready_share_delay(struct ssdqos_ready *r)
{
	u64 pages = 0, weighed = 0, share_pct = 100;
	struct ssdqos_ready_stream *s;

	for (s = r->streams; s; s = s->next) {
		pages += s->last_pages;
		weighed += s->last_pages * s->delay_weight;
	}
	if (weighed)
		share_pct = min_t(u64, div64_u64(pages * 100 * 100, weighed),
				  DELAY_MAX_SHARE_PCT);
	for (s = r->streams; s; s = s->next)
		s->delay_ns = min(div64_u64(r->delay_ns * s->delay_weight *
					    share_pct, 100 * 100),
				  READY_MAX_DELAY_NS);
}
