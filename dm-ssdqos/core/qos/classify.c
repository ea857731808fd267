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

/*
 * edf_classify - what a request is, and what it costs
 * @s: the stream
 * @req: its kind and size are known
 * @sector: where it begins
 *
 * Return: the track that it goes on with, for edf_follow().
 */
u32 edf_classify(const struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
		 u64 sector)
{
	u32 track;

	req->op = req->kind == SSDQOS_EDF_KIND_READ ? SSDQOS_QOS_READ :
						      SSDQOS_QOS_WRITE;
	req->pattern = SSDQOS_QOS_RAND;
	switch (req->kind) {
	case SSDQOS_EDF_KIND_FLUSH:
		req->cost_ns = (u32)s->edf->cfg.drive_flush_ns;
		return SSDQOS_NIL;
	case SSDQOS_EDF_KIND_DISCARD:
		req->cost_ns = s->costs.ns[req->op][req->pattern][0];
		return SSDQOS_NIL;
	}
	track = edf_track(s, req->op, sector);
	if (track < SSDQOS_EDF_TRACKS)
		req->pattern = SSDQOS_QOS_SEQ;
	req->cost_ns = ssdqos_cost_lookup(&s->costs, req->op, req->pattern,
					  req->bytes);
	return track;
}

/*
 * edf_follow - a request is taken: the next one may go on where it ends
 * @s: the stream
 * @req: the request
 * @track: from edf_classify(); if there is none, it replaces the oldest
 * @sector: where the request begins
 */
void edf_follow(struct ssdqos_edf_stream *s, const struct ssdqos_edf_req *req,
		u32 track, u64 sector)
{
	u8 *oldest = &s->oldest_track[req->op];

	if (track == SSDQOS_NIL)
		return;
	if (track == SSDQOS_EDF_TRACKS) {
		track = *oldest;
		*oldest = (u8)((track + 1) % SSDQOS_EDF_TRACKS);
	}
	s->track[req->op][track] = sector + req->bytes / SSDQOS_QOS_MIN_BYTES;
}
