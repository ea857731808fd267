// SPDX-License-Identifier: GPL-2.0
/*
 * limit.c - a stream's maximum, with bursts
 *
 * For each limit a stream has the time at which all that it has sent so far
 * would have been the maximum.  It may be ahead of that by the burst.
 */
#include "internal.h"

/* Earliest time at which the limits let a request go. */
u64 edf_limit_ns(const struct ssdqos_edf_stream *s)
{
	u64 until_ns = max(s->limit_iops_ns, s->limit_bytes_ns);
	u64 burst_ns = s->cfg.burst_ms * EDF_NS_PER_MS;

	return until_ns > burst_ns ? until_ns - burst_ns : 0;
}

bool edf_is_limited(const struct ssdqos_edf_stream *s, u64 now_ns)
{
	return !s->draining && edf_limit_ns(s) > now_ns;
}

void edf_limit_charge(struct ssdqos_edf_stream *s, u32 bytes, u64 now_ns)
{
	if (s->cfg.max_iops)
		s->limit_iops_ns = max(s->limit_iops_ns, now_ns) +
			div64_u64(EDF_NS_PER_S, s->cfg.max_iops);
	if (s->cfg.max_mb_s)
		s->limit_bytes_ns = max(s->limit_bytes_ns, now_ns) +
			div64_u64((u64)bytes * EDF_NS_PER_S,
				  s->cfg.max_mb_s * EDF_BYTES_PER_MB);
}
