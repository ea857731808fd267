// SPDX-License-Identifier: GPL-2.0
/*
 * rebuild.c - reads that need not wait for internal work: from the rest of the stripe
 * (GC-tolerant reads: ttFlash, section 4.3)
 *
 * A unit whose plane can't be read for T is computed from the N - 1 others of its
 * stripe.  Those reads cost nothing where their planes and channels are idle, and
 * each that is not makes somebody wait, so with B of them busy it is done if
 *
 *	T > B x (tR + transfer)
 *
 * and what is not done is *waited* for knowingly.  The controller knows T (left.c), so
 * nothing is done in vain.  Units that the request reads anyway are not read twice.  So it
 * is for what a write of a part of a unit or granule has to read before.
 * Where another plane of the stripe is blocked as well, or a unit's place is
 * not in memory, or there are too few operations, the read is *blocked*: with
 * rotation the first happens only when a turn was overridden (turn.c), or where planes of
 * a chip have one array and so wait for those of other groups.
 *
 * This is asked when a read is made, and once more for reads that are parked when a
 * block of their plane begins to be emptied (hold.c).
 */
#include "tasks.h"

enum rebuild {
	REBUILD_READS,		/* the others are read */
	REBUILD_WAITS,		/* it will be there sooner */
	REBUILD_BLOCKED,
};

/* Units that the request reads anyway. */
struct rebuild_own {
	u32 lpn;
	u32 end;
};

static bool rebuild_is_own(const struct rebuild_own *own, u32 lpn)
{
	return lpn >= own->lpn && lpn < own->end;
}

/* Is a read of it one more that others wait for? */
static bool rebuild_is_busy(const struct ssdqos_flash *f, u32 plane)
{
	const struct flash_plane *p = &f->planes[plane];

	return p->array_op != SSDQOS_NIL ||
	       f->channels[p->channel].op != SSDQOS_NIL;
}

/* Where member @i of a unit's stripe is read, if it is another one; or FLASH_OLD_*. */
static u32 rebuild_source(const struct ssdqos_flash *f, u32 lpn, u32 i)
{
	if (f->layout->member(f, lpn, i) == lpn)
		return FLASH_OLD_NOTHING;
	return flash_dirty_source(f, lpn, i);
}

/* Is what lies there read anyway? */
static bool rebuild_has(const struct ssdqos_flash *f, const struct rebuild_own *own,
			u32 psn)
{
	u32 lpn = f->p2l[psn];

	return rebuild_is_own(own, lpn) && f->l2p[lpn] == psn;
}

/* The reads in place of one: how many planes or channels are busy with other things.
 * SSDQOS_NIL if they would have to wait for internal work, too, or there is nothing left that
 * the parity stands for.
 */
static u32 rebuild_busy(const struct ssdqos_flash *f, u32 lpn,
			const struct rebuild_own *own)
{
	u32 i, nr = 0;

	for (i = 0; i < f->geo.stripe_units; i++) {
		u32 psn = rebuild_source(f, lpn, i), plane;

		if (psn == FLASH_OLD_NOTHING)
			continue;
		if (psn == FLASH_OLD_LOST)
			return SSDQOS_NIL;
		plane = flash_plane_of(f, psn);
		if (flash_plane_left_ns(f, plane))
			return SSDQOS_NIL;
		nr += !rebuild_has(f, own, psn) && rebuild_is_busy(f, plane);
	}
	return nr;
}

/* Is it known where the parity is, is there any, and does it stand for the unit? */
static bool rebuild_is_possible(const struct ssdqos_flash *f, u32 lpn)
{
	u32 parity = f->layout->partner(f, lpn);

	return f->l2p[parity] != FLASH_UNMAPPED &&
	       flash_mapcache_has(f, parity) && !flash_dirty_has_changed(f, lpn);
}

/* What is best for a part of a page whose plane can't be read for @left_ns. */
static enum rebuild rebuild_choose(const struct ssdqos_flash *f, u32 lpn,
				   u32 nr_units, u64 left_ns,
				   const struct rebuild_own *own)
{
	u64 read_ns = f->timing.read_ns + f->timing.xfer_unit_ns[1];
	u32 i, busy, most = 0;

	if (f->host_ops_left < nr_units * (f->geo.stripe_units - 1))
		return REBUILD_BLOCKED;
	for (i = 0; i < nr_units; i++) {
		if (!rebuild_is_possible(f, lpn + i))
			return REBUILD_BLOCKED;
		busy = rebuild_busy(f, lpn + i, own);
		if (busy == SSDQOS_NIL)
			return REBUILD_BLOCKED;
		most += busy;
	}
	return left_ns > most * read_ns ? REBUILD_READS : REBUILD_WAITS;
}

static void rebuild_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
			u32 psn, u32 nr_units)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = (u8)event,
		.task = SSDQOS_TASK_HOST,
		.units = (u16)nr_units,
		.plane = flash_plane_of(f, psn),
		.block = flash_block_of(f, psn),
	};

	if (flash_log_wants(f, event))
		flash_log_write(f, &rec);
}

static void rebuild_count(struct ssdqos_flash *f, enum rebuild what, u32 psn,
			  u32 nr_units)
{
	switch (what) {
	case REBUILD_READS:
		f->stats.reconstructed_reads++;
		rebuild_log(f, SSDQOS_FLASH_EV_READ_RECONSTRUCTED, psn, nr_units);
		break;
	case REBUILD_WAITS:
		f->stats.waited_reads++;
		break;
	case REBUILD_BLOCKED:
		f->stats.blocked_reads++;
		rebuild_log(f, SSDQOS_FLASH_EV_READ_BLOCKED, psn, nr_units);
		break;
	}
}

/* Read the others; @of: the read that is given up, or NULL.  Returns how many are read, those
 * that the request reads anyway included.
 */
static u32 rebuild_read(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
			u32 lpn, const struct rebuild_own *own,
			const struct flash_trip *of)
{
	u32 i, nr = 0;

	for (i = 0; i < f->geo.stripe_units; i++) {
		u32 psn = rebuild_source(f, lpn, i);

		if (psn == FLASH_OLD_NOTHING)
			continue;
		nr++;
		if (!rebuild_has(f, own, psn))
			flash_read_again(f, req, psn, 1, of);
	}
	return nr;
}

/* A write doesn't read what it covers. */
static struct rebuild_own rebuild_own(const struct ssdqos_flash_req *req)
{
	struct rebuild_own own = { 0, 0 };

	if (req->op == SSDQOS_FLASH_READ) {
		own.lpn = (u32)(req->sector >> SSDQOS_UNIT_SECTOR_SHIFT);
		own.end = req->lpn_end;
	}
	return own;
}

/* Read the rest of their stripes in place of units that lie in one flash page, if their
 * plane works for itself and that is better.  False if it isn't.  @nr_reads gets how many reads
 * that takes: none if all the others are in memory.
 */
bool flash_read_rebuild(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
			u32 lpn, u32 nr_units, u32 *nr_reads)
{
	struct rebuild_own own = rebuild_own(req);
	u32 psn = f->l2p[lpn], i;
	u64 left_ns = flash_plane_left_ns(f, flash_plane_of(f, psn));
	enum rebuild what;

	if (!left_ns)
		return false;
	what = rebuild_choose(f, lpn, nr_units, left_ns, &own);
	rebuild_count(f, what, psn, nr_units);
	if (what != REBUILD_READS)
		return false;
	*nr_reads = 0;
	for (i = 0; i < nr_units; i++)
		*nr_reads += rebuild_read(f, req, lpn + i, &own, NULL);
	return true;
}

/* Is it a read of the host, of data that is still there, as one run of units? */
static bool rebuild_may_replace(const struct ssdqos_flash *f,
				const struct flash_op *op)
{
	u32 i;

	if (op->kind != SSDQOS_NAND_READ || !op->trip)
		return false;
	for (i = 0; i < op->nr_units; i++)
		if (f->p2l[op->psn + i] == SSDQOS_NIL ||
		    f->p2l[op->psn + i] != f->p2l[op->psn] + i)
			return false;
	return true;
}

/* Replace a read that is parked, if that is better.  True if it was. */
static bool rebuild_replace(struct ssdqos_flash *f, struct flash_op *op,
			    u64 left_ns)
{
	struct rebuild_own none = { 0, 0 };
	struct flash_trip *trip = op->trip;
	u32 lpn, i, nr = 0;

	if (!rebuild_may_replace(f, op))
		return false;
	lpn = f->p2l[op->psn];
	if (rebuild_choose(f, lpn, op->nr_units, left_ns, &none) != REBUILD_READS)
		return false;
	for (i = 0; i < op->nr_units; i++)
		nr += rebuild_read(f, trip->req, lpn + i, &none, trip);
	if (!nr)	/* all is in the buffer: nothing would end the request */
		return false;
	rebuild_count(f, REBUILD_READS, op->psn, op->nr_units);
	f->stats.reconstructed_late++;
	flash_read_drop(f, op);
	return true;
}

static void rebuild_parked_of(struct ssdqos_flash *f, u32 plane, u64 left_ns)
{
	struct flash_hold *h = &f->holds[plane];
	struct flash_list rest = h->parked;

	flash_list_init(&h->parked);
	while (!flash_list_empty(&rest)) {
		struct flash_op *op = flash_ops_pop(f, &rest);

		if (!rebuild_replace(f, op, left_ns))
			flash_ops_push(f, &h->parked, op);
	}
}

/* A block of plane @by begins to be emptied: reads that were parked for that. */
void flash_rebuild_parked(struct ssdqos_flash *f, u32 by)
{
	u32 step = f->holds[by].step, i;
	u64 left_ns;

	if (!step || !f->cfg.rain_reconstruct)
		return;
	left_ns = flash_plane_left_ns(f, by);
	for (i = by % step; i < f->geo.nr_planes; i += step)
		rebuild_parked_of(f, i, left_ns);
}
