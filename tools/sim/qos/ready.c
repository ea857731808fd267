// SPDX-License-Identifier: GPL-2.0
#include "ready.h"

/* In a report, 0 is "unknown": counters begin here. */
#define REPORT_FROM SSDQOS_UNIT_BYTES

void qos_ready_join(struct qos_plan *plan)
{
	for (u32 i = 0; i < plan->nr_streams; i++)
		ssdqos_ready_add(plan->ready, &plan->streams[i].ready, i);
	qos_ready_set(plan, 0);
}

void qos_ready_leave(struct qos_plan *plan)
{
	for (u32 i = 0; i < plan->nr_streams; i++)
		if (plan->streams[i].ready.ready)
			ssdqos_ready_remove(&plan->streams[i].ready);
}

void qos_ready_set(struct qos_plan *plan, u64 now_ns)
{
	ssdqos_ready_set(plan->ready, &plan->edf.reads->cfg, qos_below_bytes(&plan->below),
			 now_ns);
	for (u32 i = 0; i < plan->nr_streams; i++)
		ssdqos_ready_set_stream(&plan->streams[i].ready,
					plan->streams[i].edf.reads.cfg.delay_weight);
}

/* As in the kernel, an emulated drive tells how worn it is, unless it is to be one that
 * does not.  Nobody else writes to it.
 */
static void report_wear(struct qos_plan *plan, u64 now_ns)
{
	struct ssdqos_wear_report report = { .host_bytes = REPORT_FROM + plan->ready->host_bytes };
	char err[SIM_ERROR_BYTES];
	u64 flash_bytes;

	if (plan->silent || !plan->ready->counting ||
	    !qos_below_wear(&plan->below, &flash_bytes))
		return;
	report.flash_bytes = REPORT_FROM + flash_bytes;
	/* what is wrong with it is an event */
	ssdqos_ready_report(plan->ready, &report, now_ns, err, sizeof(err));
}

u32 qos_ready_tick(struct qos_plan *plan, u64 now_ns, struct ssdqos_watch_event *events)
{
	static u64 sums[SSDQOS_READY_NR_SUMS];
	struct ssdqos_ready *ready = plan->ready;
	u32 nr;

	if (ready->search) {
		nr = ssdqos_ready_history(ready, sums);
		ssdqos_ready_search(ready, ssdqos_ready_best_windows(sums, nr,
								     ssdqos_ready_most_windows(ready)));
	}
	report_wear(plan, now_ns);
	return ssdqos_ready_tick(ready, now_ns, events);
}

u64 qos_ready_tick_ns(const struct qos_plan *plan, u64 now_ns)
{
	return plan->ready->counting ? now_ns + ssdqos_ready_period_ns(plan->ready) :
				       SSDQOS_NEVER_NS;
}

bool qos_ready_submit(struct qos_plan *plan, struct qos_stream *stream,
		      struct ssdqos_ready_req *req, u64 now_ns)
{
	if (plan->ready->enforcing && !plan->bypass) {
		req->urgent = false;
		return ssdqos_ready_submit(&stream->ready, req, now_ns);
	}
	ssdqos_ready_wrote(plan->ready, req->bytes, now_ns);
	return true;
}

bool qos_ready_complete(struct ssdqos_ready_req *req, u64 now_ns)
{
	return req->stream && ssdqos_ready_complete(req, now_ns);
}
