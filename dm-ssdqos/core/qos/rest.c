// SPDX-License-Identifier: GPL-2.0
/*
 * rest.c - what is not reserved
 */
#include "internal.h"

/*
 * edf_share_rest - share it out
 * @edf: the drive; what streams own has changed, or its parameters
 *
 * It belongs to streams without a guarantee, if nobody else may have it.
 */
void edf_share_rest(struct ssdqos_edf *edf)
{
	u64 least = edf->cfg.drive_best_effort_permille *
		    (SSDQOS_QOS_PPM / SSDQOS_QOS_PERMILLE);
	u64 used, rest;

	edf_load_of(edf, NULL, &edf->cfg, &edf->load);
	edf->longest_ns = edf->load.key.longest_ms ?
		edf->load.key.longest_ms * EDF_NS_PER_MS : SSDQOS_NEVER_NS;
	used = ssdqos_edf_used_ppm(edf);
	edf->overcommitted = used > SSDQOS_QOS_PPM;
	rest = used < SSDQOS_QOS_PPM ? SSDQOS_QOS_PPM - used : 0;
	edf->group_ppm = (u32)least;
	if (edf->cfg.drive_mode == SSDQOS_QOS_STRICT)
		edf->group_ppm = (u32)max(least, rest);
	edf->configured = edf->nr_rules || edf->cfg.drive_batch_ms ||
			  edf->cfg.drive_mode == SSDQOS_QOS_STRICT;
	edf_depth_reckon(edf);
	edf_debt_reckon(edf);
}
