/* SPDX-License-Identifier: GPL-2.0 */
/*
 * discard.h - discards that are kept, as the scheduler sees them (discard.c)
 */
#ifndef SSDQOS_QOS_DISCARD_H
#define SSDQOS_QOS_DISCARD_H

#include "edf.h"
#include "../trim/trim.h"

void ssdqos_qos_trim_config(const struct ssdqos_qos_drive_config *cfg,
			    u64 granule_bytes, struct ssdqos_trim_config *to);
bool ssdqos_edf_pass(struct ssdqos_edf_stream *s,
		     const struct ssdqos_edf_req *req, u64 now_ns);
void ssdqos_edf_pass_back(struct ssdqos_edf_stream *s,
			  const struct ssdqos_edf_req *req);
u32 ssdqos_edf_trim_cost(const struct ssdqos_edf *edf, struct ssdqos_trim *t);

#endif /* SSDQOS_QOS_DISCARD_H */
