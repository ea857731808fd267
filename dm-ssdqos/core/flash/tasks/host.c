// SPDX-License-Identifier: GPL-2.0
/*
 * host.c - host requests
 *
 *	READ	one flash read for each flash page that holds some of it; units
 *		in the write buffer, and units never written, come from the
 *		controller's memory (ram_ns).  What is not in the buffer is
 *		looked up in the map, which may have to be read first
 *	WRITE	units enter the write buffer in order of arrival and wait for
 *		room; a unit of which only a part is written is read first, if
 *		it is in flash.  Complete when all units are in the buffer, or
 *		programmed (cache none; FUA with a volatile cache)
 *	DISCARD	see trim.c
 *	FLUSH	with a volatile cache, complete when all units that were in the
 *		buffer at its arrival are programmed; otherwise at once
 *
 * Flash is read in read.c; when a request is complete says request.c.
 */
#include "tasks.h"

enum host_phase {
	HOST_PHASE_READ,
	HOST_PHASE_RMW,		/* a write waits for the old data of its edges */
	HOST_PHASE_INSERT,	/* a write enters the buffer */
	HOST_PHASE_OTHER,
};

/* Edges of a write of which only a part is written. */
#define HOST_EDGE_HEAD	(1u << 0)
#define HOST_EDGE_TAIL	(1u << 1)

static void host_write_insert(struct ssdqos_flash *f,
			      struct ssdqos_flash_req *req);

/* One thing that the request waited for has happened. */
static void host_put(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	if (req->phase == HOST_PHASE_RMW && req->pending == 1)
		host_write_insert(f, req);
	else
		flash_req_put(f, req);
}

/* ---- what the controller's memory serves: a fixed delay, hence a FIFO ---- */

static void host_ram_add(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	u64 due_ns = f->now_ns + f->cfg.ram_ns;

	req->pending++;
	req->ram_next = NULL;
	if (!f->ram_head) {
		f->ram_head = req;
		ssdqos_evq_set(&f->evq, flash_timer_id(f, FLASH_TIMER_RAM),
			       due_ns);
	} else {
		/* ram_ns may have been lowered meanwhile: stay a FIFO */
		due_ns = max(due_ns, f->ram_tail->due_ns);
		f->ram_tail->ram_next = req;
	}
	f->ram_tail = req;
	req->due_ns = due_ns;
}

/* A part of a read is there without one of flash. */
static void host_ram_read(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	if (req->due_ns == SSDQOS_NEVER_NS)
		host_ram_add(f, req);
}

void flash_host_ram_event(struct ssdqos_flash *f)
{
	struct ssdqos_flash_req *req = f->ram_head;

	f->ram_head = req->ram_next;
	if (f->ram_head)
		ssdqos_evq_set(&f->evq, flash_timer_id(f, FLASH_TIMER_RAM),
			       f->ram_head->due_ns);
	host_put(f, req);
}

/* ---- reads ---- */

/* What a step of a request came to. */
enum host_step {
	HOST_STEP_DONE,
	HOST_STEP_NO_SLOT,	/* all operations are in use: keep it in order */
	HOST_STEP_NO_MAP,	/* it waits for a page of the map */
};

/* How many units from @lpn on lie in the same flash page as the first, and have
 * their entries in the same page of the map.
 */
static u32 host_page_run(const struct ssdqos_flash *f, u32 lpn, u32 end)
{
	u32 page = f->l2p[lpn] >> f->geo.page_shift, nr = 1;

	if (f->map.page)
		end = min(end, (lpn | (SSDQOS_MAP_ENTRIES - 1)) + 1);

	while (lpn + nr < end && f->l2p[lpn + nr] >> f->geo.page_shift == page)
		nr++;
	return nr;
}

/* Issue reads until the request is through or something is missing. */
static enum host_step host_read_step(struct ssdqos_flash *f,
				     struct ssdqos_flash_req *req)
{
	while (req->lpn < req->lpn_end) {
		u32 at = f->l2p[req->lpn], nr = 1;

		if (!flash_at_in_buffer(at) &&
		    !flash_mapcache_lookup(f, req, req->lpn))
			return HOST_STEP_NO_MAP;
		if (at & FLASH_IN_BUFFER) {	/* unmapped ones, too */
			f->stats.ram_read_units++;
			host_ram_read(f, req);
		} else {
			if (!f->host_ops_left)
				return HOST_STEP_NO_SLOT;
			nr = host_page_run(f, req->lpn, req->lpn_end);
			if (!flash_read_units(f, req, req->lpn, nr))
				host_ram_read(f, req);
		}
		req->lpn += nr;
	}
	host_put(f, req);
	return HOST_STEP_DONE;
}

static void host_read_start(struct ssdqos_flash *f,
			    struct ssdqos_flash_req *req)
{
	f->stats.reads++;
	f->stats.host_read_units += req->lpn_end - req->lpn;
	req->phase = HOST_PHASE_READ;
	req->due_ns = SSDQOS_NEVER_NS;
	if (f->read_wait.head || host_read_step(f, req) == HOST_STEP_NO_SLOT)
		flash_reqs_push(&f->read_wait, req);
}

/* The first or last unit, if the write covers a part of it, and it is in
 * flash: its old data has to be read.
 */
static enum host_step host_edge_step(struct ssdqos_flash *f,
				     struct ssdqos_flash_req *req, u8 edge,
				     u32 lpn)
{
	u32 at = f->l2p[lpn];

	if (!(req->edges & edge))
		return HOST_STEP_DONE;
	if (!flash_at_in_buffer(at) && !flash_mapcache_lookup(f, req, lpn))
		return HOST_STEP_NO_MAP;
	if (!(at & FLASH_IN_BUFFER)) {
		if (!f->host_ops_left)
			return HOST_STEP_NO_SLOT;
		f->stats.rmw_reads++;
		flash_read_units(f, req, lpn, 1);
	}
	req->edges &= ~edge;
	return HOST_STEP_DONE;
}

/* The rest of the granules, as far as it is in flash. */
static enum host_step host_granule_step(struct ssdqos_flash *f,
					struct ssdqos_flash_req *req)
{
	while (req->old_lpn < req->lpn_end) {
		u32 lpn = req->old_lpn, at = f->l2p[lpn], nr = 1;

		if (lpn == req->own_lpn) {
			req->old_lpn = req->own_end;
			continue;
		}
		if (!flash_at_in_buffer(at) && !flash_mapcache_lookup(f, req, lpn))
			return HOST_STEP_NO_MAP;
		if (!(at & FLASH_IN_BUFFER)) {
			if (!f->host_ops_left)
				return HOST_STEP_NO_SLOT;
			nr = host_page_run(f, lpn, lpn < req->own_lpn ?
					   req->own_lpn : req->lpn_end);
			f->stats.rmw_reads++;
			flash_read_units(f, req, lpn, nr);
		}
		req->old_lpn += nr;
	}
	return HOST_STEP_DONE;
}

static enum host_step host_rmw_step(struct ssdqos_flash *f,
				    struct ssdqos_flash_req *req)
{
	enum host_step step = host_edge_step(f, req, HOST_EDGE_HEAD,
					     req->own_lpn);

	if (step == HOST_STEP_DONE)
		step = host_edge_step(f, req, HOST_EDGE_TAIL,
				      req->own_end - 1);
	if (step == HOST_STEP_DONE)
		step = host_granule_step(f, req);
	if (step == HOST_STEP_DONE)
		host_put(f, req);
	return step;
}

static enum host_step host_step(struct ssdqos_flash *f,
				struct ssdqos_flash_req *req)
{
	return req->phase == HOST_PHASE_RMW ? host_rmw_step(f, req) :
					      host_read_step(f, req);
}

/* The page of the map that the request waited for is in memory. */
static void host_map_ready(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	req->map_ns += f->now_ns - req->map_since_ns;
	if (host_step(f, req) == HOST_STEP_NO_SLOT)
		flash_reqs_push(&f->read_wait, req);
}

static void host_read_op_done(struct ssdqos_flash *f, struct flash_op *op)
{
	struct ssdqos_flash_req *req;

	f->host_ops_left++;
	req = op->trip->req;
	flash_trip_end(f, op->trip);
	host_put(f, req);
	while (f->read_wait.head && f->host_ops_left) {
		req = flash_reqs_pop(&f->read_wait);
		if (host_step(f, req) != HOST_STEP_NO_SLOT)
			continue;
		flash_reqs_unpop(&f->read_wait, req);
		break;
	}
}

const struct flash_task_ops flash_host_task = {
	.op_done = host_read_op_done,
	.map_ready = host_map_ready,
};

/* ---- writes ---- */

static bool host_must_program(const struct ssdqos_flash *f,
			      const struct ssdqos_flash_req *req)
{
	return f->cfg.cache == SSDQOS_FLASH_CACHE_NONE ||
	       (f->cfg.cache == SSDQOS_FLASH_CACHE_VOLATILE && req->fua);
}

static void host_log_stall(struct ssdqos_flash *f, u32 event, u8 reason)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = (u8)event,
		.task = SSDQOS_TASK_HOST,
		.op = reason,
	};

	if (flash_log_wants(f, event))
		flash_log_write(f, &rec);
}

static void host_stall_begin(struct ssdqos_flash *f,
			     struct ssdqos_flash_req *req)
{
	u8 reason = flash_buffer_rests(f) ? SSDQOS_FLASH_STALL_SPACE :
					    SSDQOS_FLASH_STALL_BUFFER;

	req->stall = reason + 1;
	req->due_ns = f->now_ns;
	if (reason == SSDQOS_FLASH_STALL_SPACE)
		f->stats.space_stalls++;
	else
		f->stats.buffer_stalls++;
	host_log_stall(f, SSDQOS_FLASH_EV_WRITE_STALLED, reason);
}

static void host_stall_end(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	u64 waited_ns = f->now_ns - req->due_ns;

	if (!req->stall)
		return;
	if (req->stall == SSDQOS_FLASH_STALL_SPACE + 1)
		f->stats.space_stall_ns += waited_ns;
	else
		f->stats.buffer_stall_ns += waited_ns;
	host_log_stall(f, SSDQOS_FLASH_EV_WRITE_RESUMED, req->stall - 1);
	req->stall = 0;
}

/* Fill the buffer from one write; false if it is full. */
static bool host_write_step(struct ssdqos_flash *f,
			    struct ssdqos_flash_req *req)
{
	bool wait = host_must_program(f, req);

	while (req->lpn < req->lpn_end) {
		bool own = req->lpn >= req->own_lpn && req->lpn < req->own_end;

		/* the rest of a granule that isn't in flash stays where it is */
		if (!own && f->l2p[req->lpn] & FLASH_IN_BUFFER) {
			req->lpn++;
			continue;
		}
		if (f->layout->partner && !flash_buffer_enter(f, req->lpn, wait))
			return false;
		if (!flash_buffer_insert(f, req, req->lpn, wait))
			return false;
		f->stats.host_write_units += own;
		f->stats.granule_units += !own;
		req->lpn++;
	}
	host_stall_end(f, req);
	if (!wait)
		host_ram_add(f, req);
	host_put(f, req);
	return true;
}

/* Without a cache, some drives program few writes at a time: may this one go? */
static bool host_may_program(struct ssdqos_flash *f,
			     struct ssdqos_flash_req *req)
{
	if (req->uncached || !f->cfg.uncached_writes ||
	    f->cfg.cache != SSDQOS_FLASH_CACHE_NONE)
		return true;
	if (f->nr_uncached >= f->cfg.uncached_writes)
		return false;
	req->uncached = true;
	f->nr_uncached++;
	return true;
}

/* Writes that still need room, in order of arrival. */
static void host_write_pump(struct ssdqos_flash *f)
{
	while (f->write_wait.head) {
		struct ssdqos_flash_req *req = f->write_wait.head;

		if (!host_may_program(f, req))
			break;
		if (!host_write_step(f, req)) {
			/* first, or the reason of the stall would be wrong */
			flash_buffer_pump(f);
			if (!req->stall)
				host_stall_begin(f, req);
			/* nothing fills a page any more: pad, or wait forever */
			if (!f->buffer.nr_ready && flash_buffer_rests(f))
				flash_buffer_force(f);
			break;
		}
		flash_reqs_pop(&f->write_wait);
	}
	flash_buffer_pump(f);
}

void flash_host_slots_freed(struct ssdqos_flash *f)
{
	if (f->write_wait.head)
		host_write_pump(f);
	while (f->flush_wait.head &&
	       f->flush_wait.head->flush_seq < flash_buffer_oldest_seq(f))
		host_put(f, flash_reqs_pop(&f->flush_wait));
}

static void host_write_insert(struct ssdqos_flash *f,
			      struct ssdqos_flash_req *req)
{
	bool first = !f->write_wait.head;

	req->phase = HOST_PHASE_INSERT;
	req->pending = 1;
	flash_reqs_push(&f->write_wait, req);
	if (first)
		host_write_pump(f);
}

/* The rest of a granule is expected to follow, if a run of writes goes on. */
static void host_widen(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	u32 granule = (u32)f->cfg.write_granule_kib >> 2;

	req->own_lpn = req->lpn;
	req->own_end = req->lpn_end;
	if (!flash_gc_note_write(f, req->lpn, req->lpn_end)) {
		req->lpn -= req->lpn % granule;
		req->lpn_end += granule - 1;
		req->lpn_end -= req->lpn_end % granule;
		req->lpn_end = min(req->lpn_end, f->geo.nr_lpn);
	}
	req->old_lpn = req->lpn;
}

static void host_write_start(struct ssdqos_flash *f,
			     struct ssdqos_flash_req *req)
{
	u64 end_sector = req->sector + req->nr_sectors;
	u32 inside = SSDQOS_UNIT_SECTORS - 1;

	f->stats.writes++;
	req->phase = HOST_PHASE_RMW;
	req->edges = 0;
	host_widen(f, req);
	if (req->sector & inside)
		req->edges |= HOST_EDGE_HEAD;
	if (end_sector & inside)
		req->edges |= HOST_EDGE_TAIL;
	if (req->edges == (HOST_EDGE_HEAD | HOST_EDGE_TAIL) &&
	    req->own_end - req->own_lpn == 1)
		req->edges = HOST_EDGE_HEAD;	/* one unit, read once */
	if (f->read_wait.head || host_rmw_step(f, req) == HOST_STEP_NO_SLOT)
		flash_reqs_push(&f->read_wait, req);
}

/* ---- flushes ---- */

static void host_flush_start(struct ssdqos_flash *f,
			     struct ssdqos_flash_req *req)
{
	f->stats.flushes++;
	req->phase = HOST_PHASE_OTHER;
	req->flush_seq = f->buffer.seq;
	if (f->cfg.cache != SSDQOS_FLASH_CACHE_VOLATILE ||
	    req->flush_seq < flash_buffer_oldest_seq(f)) {
		host_ram_add(f, req);
		host_put(f, req);
		return;
	}
	flash_reqs_push(&f->flush_wait, req);
	flash_buffer_force(f);
	flash_buffer_pump(f);
}

/* A command was taken. */
void flash_host_start(struct ssdqos_flash *f, struct ssdqos_flash_req *req)
{
	switch (req->op) {
	case SSDQOS_FLASH_READ:
		host_read_start(f, req);
		break;
	case SSDQOS_FLASH_WRITE:
		host_write_start(f, req);
		break;
	case SSDQOS_FLASH_DISCARD:
		req->phase = HOST_PHASE_OTHER;
		flash_trim_start(f, req);
		break;
	default:
		host_flush_start(f, req);
	}
}
