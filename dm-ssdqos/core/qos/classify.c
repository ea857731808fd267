// SPDX-License-Identifier: GPL-2.0
/*
 * classify.c - what a request is, and what it costs by that
 */
#include "internal.h"

/* Does it go on where one of the last ones ended?  Then that track goes on;
 * if not, it replaces the oldest.
 */
static u32 edf_pattern(struct ssdqos_edf_stream *s, u32 op, u64 sector,
		       u64 end_sector)
{
	u64 *track = s->track[op];
	u32 i;

	for (i = 0; i < SSDQOS_EDF_TRACKS; i++) {
		if (track[i] == sector) {
			track[i] = end_sector;
			return SSDQOS_QOS_SEQ;
		}
	}
	i = s->oldest_track[op];
	track[i] = end_sector;
	s->oldest_track[op] = (u8)((i + 1) % SSDQOS_EDF_TRACKS);
	return SSDQOS_QOS_RAND;
}

/*
 * edf_classify - what a request is, and what it costs
 * @s: the stream
 * @req: its kind and size are known
 * @sector: where it begins
 */
void edf_classify(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
		  u64 sector)
{
	req->op = req->kind == SSDQOS_EDF_KIND_READ ? SSDQOS_QOS_READ :
						      SSDQOS_QOS_WRITE;
	req->pattern = SSDQOS_QOS_RAND;
	switch (req->kind) {
	case SSDQOS_EDF_KIND_FLUSH:
		req->cost_ns = (u32)s->edf->cfg.drive_flush_ns;
		return;
	case SSDQOS_EDF_KIND_DISCARD:
		req->cost_ns = s->costs.ns[req->op][req->pattern][0];
		return;
	}
	req->pattern = (u8)edf_pattern(s, req->op, sector, sector +
				       req->bytes / SSDQOS_QOS_MIN_BYTES);
	req->cost_ns = ssdqos_cost_lookup(&s->costs, req->op, req->pattern,
					  req->bytes);
}
