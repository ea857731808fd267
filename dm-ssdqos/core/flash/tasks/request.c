// SPDX-License-Identifier: GPL-2.0
/*
 * request.c - the end of a request
 *
 * A request holds one reference on itself while it is being dealt with and
 * one for each thing that it waits for; at zero it is complete.
 */
#include "tasks.h"

/* Reads of a write's old data are no host reads. */
static void req_count_met(struct ssdqos_flash *f,
			  const struct ssdqos_flash_req *req)
{
	if (req->op != SSDQOS_FLASH_READ)
		return;
	f->stats.gc_blocked_reads += !!(req->met & SSDQOS_FLASH_MET_GC);
	f->stats.queue_blocked_reads += !!(req->met & SSDQOS_FLASH_MET_QUEUE);
}

static void req_complete(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	req->complete_ns = f->now_ns;
	if (!req->traced)
		flash_trip_none(f, req);
	req_count_met(f, req);
	f->nr_uncached -= req->uncached;
	flash_reqs_push(&f->done, req);
}

/* One thing that the request waited for has happened. */
void flash_req_put(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	if (!--req->pending)
		req_complete(f, req);
}
