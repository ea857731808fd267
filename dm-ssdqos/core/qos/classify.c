// SPDX-License-Identifier: GPL-2.0
/*
 * classify.c - what a request is, and what it costs by that
 */
#include "internal.h"

/* The track that goes on at a sector, SSDQOS_EDF_TRACKS if none does. */
static u32 edf_track(const struct ssdqos_edf_stream *s, u32 op, u64 sector)
{
	u32 i = 0;

	while (i < SSDQOS_EDF_TRACKS && s->track[op][i] != sector)
		i++;
	return i;
}

/* The next request may go on where @req ends.  If it goes on with no track, it
 * replaces the oldest.
 */
static void edf_follow(struct ssdqos_edf_stream *s,
		       const struct ssdqos_edf_req *req, u32 track, u64 sector)
{
	u8 *oldest = &s->oldest_track[req->op];

	if (track == SSDQOS_EDF_TRACKS) {
		track = *oldest;
		*oldest = (u8)((track + 1) % SSDQOS_EDF_TRACKS);
	}
	s->track[req->op][track] = sector + req->bytes / SSDQOS_QOS_MIN_BYTES;
}

/* A drive without a volatile cache has nothing to do for it. */
static u32 edf_flush_cost(const struct ssdqos_edf_stream *s, u32 flags)
{
	u64 said_ns = s->edf->cfg.drive_flush_ns;

	if (said_ns)
		return (u32)said_ns;
	return flags & SSDQOS_EDF_FLAG_NO_CACHE ? 0 : s->costs.flush_ns;
}

/*
 * edf_classify - what a request is, and what it costs
 * @s: the stream
 * @req: its kind and size are known
 * @sector: where it begins
 * @flags: SSDQOS_EDF_FLAG_*
 */
void edf_classify(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
		  u64 sector, u32 flags)
{
	u32 track;

	req->op = req->kind == SSDQOS_EDF_KIND_READ ? SSDQOS_QOS_READ :
						      SSDQOS_QOS_WRITE;
	req->pattern = SSDQOS_QOS_RAND;
	switch (req->kind) {
	case SSDQOS_EDF_KIND_FLUSH:
		req->cost_ns = edf_flush_cost(s, flags);
		return;
	case SSDQOS_EDF_KIND_DISCARD:
		if (flags & SSDQOS_EDF_FLAG_COST)
			return;
		req->cost_ns = edf_discard_cost(s, req, sector);
		return;
	}
	track = edf_track(s, req->op, sector);
	if (track < SSDQOS_EDF_TRACKS)
		req->pattern = SSDQOS_QOS_SEQ;
	req->cost_ns = ssdqos_cost_lookup(&s->costs, req->op, req->pattern,
					  req->bytes);
	if (flags & SSDQOS_EDF_FLAG_FLUSHED)
		req->cost_ns = (u32)min_t(u64, SSDQOS_COST_NONE - 1,
					  (u64)req->cost_ns +
					  edf_flush_cost(s, flags));
	edf_follow(s, req, track, sector);
}
