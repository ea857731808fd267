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

/* A discard moves no data, however much it covers. */
static u32 limit_bytes(const struct ssdqos_edf_req *req)
{
	return req->kind == SSDQOS_EDF_KIND_DISCARD ? SSDQOS_QOS_MIN_BYTES :
						      req->bytes;
}

/*
 * edf_limit_steps - for how long a request uses up the maximum
 * @s: the stream
 * @req: the request
 *
 * Return: by number and by size; 0 where there is no limit.
 */
struct edf_limit_steps edf_limit_steps(const struct ssdqos_edf_stream *s,
				       const struct ssdqos_edf_req *req)
{
	struct edf_limit_steps steps = { 0 };

	if (s->cfg.max_iops)
		steps.iops_ns = div64_u64(EDF_NS_PER_S, s->cfg.max_iops);
	if (s->cfg.max_mb_s)
		steps.bytes_ns = div64_u64((u64)limit_bytes(req) * EDF_NS_PER_S,
					   s->cfg.max_mb_s * EDF_BYTES_PER_MB);
	return steps;
}

void edf_limit_charge(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req, u64 now_ns)
{
	struct edf_limit_steps steps = edf_limit_steps(s, req);

	if (steps.iops_ns)
		s->limit_iops_ns = max(s->limit_iops_ns, now_ns) +
				   steps.iops_ns;
	if (steps.bytes_ns)
		s->limit_bytes_ns = max(s->limit_bytes_ns, now_ns) +
				    steps.bytes_ns;
}

/*
 * edf_limit_refund - a request was refused: it used nothing up
 */
void edf_limit_refund(struct ssdqos_edf_stream *s,
		      const struct ssdqos_edf_req *req)
{
	struct edf_limit_steps steps = edf_limit_steps(s, req);

	s->limit_iops_ns -= min(s->limit_iops_ns, steps.iops_ns);
	s->limit_bytes_ns -= min(s->limit_bytes_ns, steps.bytes_ns);
}
