// SPDX-License-Identifier: GPL-2.0
/*
 * discard.c - discards that are kept (core/trim), as the scheduler sees them
 *
 * One that passes costs its client what the profile says of its size and order;
 * where the profile says nothing of discards, as much as the smallest write.
 *
 * One that is kept costs its client nothing but a request of its maximum.  When it
 * goes to the drive, it is a request of a stream without a guarantee, the batch,
 * and costs what discards have cost so far (SSDQOS_EDF_FLAG_COST).  The first ones
 * cost what the profile says.
 */
#include "discard.h"
#include "internal.h"

#define DISCARD_SECTOR_SHIFT 9
#define DISCARD_SECTORS_PER_KIB 2

/*
 * edf_discard_cost - what a discard costs that passes
 * @s: the stream
 * @req: its size is known
 * @sector: where it begins
 *
 * Return: ns of device time.
 */
u32 edf_discard_cost(struct ssdqos_edf_stream *s,
		     const struct ssdqos_edf_req *req, u64 sector)
{
	u32 pattern = sector == s->discard_track ? SSDQOS_QOS_SEQ :
						   SSDQOS_QOS_RAND;

	s->discard_track = sector + (req->bytes >> DISCARD_SECTOR_SHIFT);
	if (!ssdqos_profile_has_discards(s->edf->profile))
		return s->costs.ns[SSDQOS_QOS_WRITE][SSDQOS_QOS_RAND][0];
	return ssdqos_profile_discard_ns(s->edf->profile, pattern, req->bytes);
}

/**
 * ssdqos_edf_trim_cost - what the next discard of a batch is charged
 * @edf: the drive
 * @t: the batch; learns on from the answer
 *
 * Until the drive has done one, that is what the profile says of discards as
 * large as the pieces that are kept, in ascending order.
 * Context: caller serialises.
 * Return: ns of device time.
 */
u32 ssdqos_edf_trim_cost(const struct ssdqos_edf *edf, struct ssdqos_trim *t)
{
	u64 sectors, cost_ns;

	if (t->stats.sent != t->nr_under_way || !t->waiting.nr ||
	    !ssdqos_profile_has_discards(edf->profile))
		return t->cost_ns;
	sectors = div64_u64(t->waiting.sectors, t->waiting.nr);
	sectors = min(sectors, t->cfg.max_sectors);
	cost_ns = ssdqos_profile_discard_ns(edf->profile, SSDQOS_QOS_SEQ,
					    sectors << DISCARD_SECTOR_SHIFT);
	/* nor would more be learned */
	t->cost_ns = (u32)min(cost_ns, SSDQOS_TRIM_MAX_COST_NS);
	return t->cost_ns;
}

/**
 * ssdqos_edf_pass - may a request be answered without the drive?
 * @s: the stream
 * @req: the request; only its kind and size are known
 * @now_ns: time
 *
 * It is none of the scheduler's but for the stream's maximum, which counts it.
 * Context: caller serialises.
 * Return: false if the maximum says not yet: it has to wait as others do.
 */
bool ssdqos_edf_pass(struct ssdqos_edf_stream *s,
		     const struct ssdqos_edf_req *req, u64 now_ns)
{
	if (!s->draining && edf_limit_ns(s) > now_ns)
		return false;
	edf_limit_charge(s, req, now_ns);
	return true;
}

/**
 * ssdqos_edf_pass_back - a request is not answered without the drive after all
 * @s: the stream
 * @req: for which ssdqos_edf_pass() was true just now
 *
 * It goes to the drive as others do, and is counted by the maximum then.
 * Context: caller serialises.
 */
void ssdqos_edf_pass_back(struct ssdqos_edf_stream *s,
			  const struct ssdqos_edf_req *req)
{
	edf_limit_refund(s, req);
}

/**
 * ssdqos_qos_trim_config - how discards are kept, by a drive's parameters
 * @cfg: the parameters
 * @granule_bytes: of the drive, as it says; 0 if it says nothing
 * @to: filled
 */
void ssdqos_qos_trim_config(const struct ssdqos_qos_drive_config *cfg,
			    u64 granule_bytes, struct ssdqos_trim_config *to)
{
	*to = (struct ssdqos_trim_config){
		.max_age_ns = cfg->drive_trim_age_ms * EDF_NS_PER_MS,
		.min_sectors = cfg->drive_trim_min_kib * DISCARD_SECTORS_PER_KIB,
		.max_sectors = cfg->drive_trim_max_kib * DISCARD_SECTORS_PER_KIB,
		.granule = cfg->drive_trim_granule_kib * DISCARD_SECTORS_PER_KIB,
		.depth = (u32)cfg->drive_trim_depth,
		.max_ranges = (u32)cfg->drive_trim_ranges,
	};
	if (!to->granule)
		to->granule = max(granule_bytes >> DISCARD_SECTOR_SHIFT, 1ULL);
}
