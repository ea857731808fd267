// SPDX-License-Identifier: GPL-2.0
/*
 * trim.c - discards
 *
 * They are served one after the other by one server, in steps of 4 MiB, so that no
 * event takes longer than a hundred others (event.c): trim_ns for the first one, trim_step_ns
 * for each other; parts of a granule are left.  With trim_command the controller is busy with
 * it for that time, then it is done.  With rain_flush units a discard leaves parity as it is:
 * as if the controller kept the old data of a discarded unit for its stripe until that is
 * written again.  With stripes the parity changes, see evict.c.
 */
#include "tasks.h"

/* One step of the discard server: 4 MiB. */
#define TRIM_STEP_UNITS 1024

#define KIB_SECTOR_SHIFT 1

static u32 trim_granule_units(const struct ssdqos_flash *f)
{
	return (u32)(f->cfg.trim_granule_kib << KIB_SECTOR_SHIFT >>
		     SSDQOS_UNIT_SECTOR_SHIFT);
}

/* Only whole, aligned granules are discarded. */
static void trim_align(struct ssdqos_flash *f,
		       struct ssdqos_flash_req *req)
{
	u32 granule = trim_granule_units(f);
	u64 end = (req->sector + req->nr_sectors) >> SSDQOS_UNIT_SECTOR_SHIFT;
	u64 begin = (req->sector + SSDQOS_UNIT_SECTORS - 1) >>
		    SSDQOS_UNIT_SECTOR_SHIFT;

	f->stats.discarded_units += max(begin, end) - begin;
	begin = div64_u64(begin + granule - 1, granule) * granule;
	end = div64_u64(end, granule) * granule;
	req->lpn = (u32)begin;
	req->lpn_end = (u32)max(begin, end);
}

/* How long a discard takes as a command. */
u64 flash_trim_ns(const struct ssdqos_flash *f,
		  const struct ssdqos_flash_req *req)
{
	u32 steps = DIV_ROUND_UP(req->lpn_end - req->lpn, TRIM_STEP_UNITS);

	return f->cfg.trim_ns + max(steps, 1u) * f->cfg.trim_step_ns -
	       f->cfg.trim_step_ns;
}

/* @ns: of the next step; as a command, it has taken its time before. */
static void trim_arm(struct ssdqos_flash *f, u64 ns)
{
	ssdqos_evq_set(&f->evq, flash_timer_id(f, FLASH_TIMER_TRIM),
		       f->now_ns + (f->cfg.trim_command ? 0 : ns));
}

/* Forget a logical unit, wherever it is. */
static void trim_unit(struct ssdqos_flash *f, u32 lpn)
{
	u32 at = f->l2p[lpn];

	if (at == FLASH_UNMAPPED)
		return;
	f->l2p[lpn] = FLASH_UNMAPPED;
	f->mapped--;
	f->stats.trimmed_units++;
	flash_mapcache_update(f, lpn);
	flash_buffer_discard(f, lpn, at);
}

void flash_trim_event(struct ssdqos_flash *f)
{
	struct ssdqos_flash_req *req = f->trim_wait.head;
	u32 end = min(req->lpn_end, req->lpn + TRIM_STEP_UNITS);
	u64 next_ns = f->cfg.trim_step_ns;

	f->event_units += end - req->lpn;
	while (req->lpn < end)
		trim_unit(f, req->lpn++);
	if (req->lpn == req->lpn_end) {
		next_ns = f->cfg.trim_ns;
		flash_reqs_pop(&f->trim_wait);
		flash_req_put(f, req);
	}
	if (f->trim_wait.head)
		trim_arm(f, next_ns);
	flash_mark_slots_freed(f);
}

/* A discard was taken. */
void flash_trim_start(struct ssdqos_flash *f,
		      struct ssdqos_flash_req *req)
{
	bool first = !f->trim_wait.head;

	f->stats.discards++;
	trim_align(f, req);
	flash_reqs_push(&f->trim_wait, req);
	if (first)
		trim_arm(f, f->cfg.trim_ns);
}
