// SPDX-License-Identifier: GPL-2.0
/*
 * order.c - spare writes in order pay for the stop that they bring about
 *
 * Some drives put off collection while they are written in order, and then do
 * nothing else until they have made up for it.  The profile says how long such
 * a stop takes, T, and how many bytes came in order before it, B, on a drive
 * that was written at random ("stop").  Windows W that are at least twice as
 * long have time to make up for one (lead.c).  Of shorter ones a stop takes
 * all that it touches, T + W together, and a promise with the confidence c may
 * miss 1 - c of its time, half of which is left to other reasons.  So B bytes of
 * spare writes in order take no less time than
 *
 *	2 x (T + W) / (1 - c)
 *
 * with the shortest window and the highest confidence of the owners that are
 * there.  Other writes don't wait for these: this is a debt of its own.
 */
#include "internal.h"

/* Windows as long as so many stops make up for one. */
#define ORDER_WINDOW_STOPS 2
/* Stops may take one in so many of the windows that a promise may miss. */
#define ORDER_MISS_PART 2

/*
 * edf_order_reckon - what spare writes in order pay from now on
 *
 * Called when the owners that are there change.
 */
void edf_order_reckon(struct ssdqos_edf *edf)
{
	const struct ssdqos_cost_key *key = &edf->debt.load.key;
	const struct ssdqos_profile *p = edf->profile;
	u64 miss_permille, all_ms, kib_ns;

	edf->debt.order_kib_ns = 0;
	if (!p || !p->stop_ms || !key->confidence_permille ||
	    key->window_ms >= ORDER_WINDOW_STOPS * (u64)p->stop_ms)
		return;
	miss_permille = max(SSDQOS_QOS_PERMILLE - key->confidence_permille, 1ULL);
	all_ms = (p->stop_ms + key->window_ms) * SSDQOS_QOS_PERMILLE *
		 ORDER_MISS_PART;
	kib_ns = div64_u64(all_ms * EDF_NS_PER_MS, miss_permille * p->stop_kib);
	edf->debt.order_kib_ns = min(kib_ns, EDF_MOST_WAIT_NS);
}

/*
 * edf_order_sent - a spare write goes
 */
void edf_order_sent(struct ssdqos_edf *edf, const struct ssdqos_edf_req *req,
		    u64 now_ns)
{
	struct ssdqos_debt *d = &edf->debt;

	if (!d->order_kib_ns || req->pattern != SSDQOS_QOS_SEQ)
		return;
	d->order_until_ns = max(d->order_until_ns, now_ns) +
		div64_u64(req->bytes * d->order_kib_ns, EDF_BYTES_PER_KIB);
	d->order_until_ns = min(d->order_until_ns, now_ns + EDF_MOST_WAIT_NS);
}
