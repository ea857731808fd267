// SPDX-License-Identifier: GPL-2.0
/*
 * discard.c - discards that are kept (core/trim), as the scheduler sees them
 *
 * One that is kept costs its client nothing but a request of its maximum.  When it
 * goes to the drive, it is a request of a stream without a guarantee, the batch,
 * and costs what discards have cost so far (SSDQOS_EDF_FLAG_COST).
 */
#include "internal.h"
#include "../trim/trim.h"

#define DISCARD_SECTOR_SHIFT 9
#define DISCARD_SECTORS_PER_KIB 2

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
