/* SPDX-License-Identifier: GPL-2.0 */
/*
 * internal.h - what the files of core/qos share
 */
#ifndef SSDQOS_QOS_INTERNAL_H
#define SSDQOS_QOS_INTERNAL_H

#include "edf.h"

/* The streams without a guarantee, as one, in the heaps early and ready. */
#define EDF_GROUP SSDQOS_EDF_MAX_STREAMS
#define EDF_NR_IDS (SSDQOS_EDF_MAX_STREAMS + 1)

#define EDF_NS_PER_MS 1000000ULL
#define EDF_NS_PER_S 1000000000ULL
#define EDF_BYTES_PER_MB 1000000ULL

static inline bool edf_is_strict(const struct ssdqos_edf *edf)
{
	return edf->cfg.drive_mode == SSDQOS_QOS_STRICT;
}

bool edf_is_limited(const struct ssdqos_edf_stream *s, u64 now_ns);
void edf_place(struct ssdqos_edf_stream *s, u64 now_ns);
void edf_place_group(struct ssdqos_edf *edf, u64 now_ns);
void edf_unplace(struct ssdqos_edf_stream *s);
void edf_share_rest(struct ssdqos_edf *edf);
void edf_recost(struct ssdqos_edf_stream *s);
void edf_forget(struct ssdqos_edf_stream *s);

#endif /* SSDQOS_QOS_INTERNAL_H */
