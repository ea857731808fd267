// SPDX-License-Identifier: GPL-2.0
/*
 * rain.c - stripes with parity across the channels (ttFlash, FAST 2017,
 * section 3.2; the baseline "RAIN" of AutoSSD, section 5.2)
 *
 * N planes, one on each of the N channels, are a group.  A stripe is N - 1
 * consecutive logical units and a unit of their parity, one in each plane of a
 * group; stripes go round the groups, and from row to row the parity moves to
 * the next column.  With G groups,
 *
 *	stripe = lpn / (N - 1)		group = stripe % G	row = stripe / G
 *	parity column = row % N		plane = group x N + column
 *
 * Stripes are of units, not of whole flash pages, because the map is: neighbours
 * that were written alone would otherwise share a plane without sharing a page.
 *
 * Parity units have logical numbers of their own, so they are buffered, moved
 * and aged like data.
 *
 * Writing: a unit that enters the write buffer takes its parity unit along, or
 * finds it there.  When a page with parity is programmed, what the controller
 * lacks for it is read first: the units of the stripe that are not in the
 * buffer, or the old data and the old parity, whichever is less.
 *
 * Reading: where internal work (gc, scrub, wear) has operations in the plane, the
 * N - 1 other units of the stripe are read instead.  These may be blocked in
 * turn; nothing here limits how many planes of a group work at a time.
 *
 * A discard leaves parity as it is: as if the controller kept the old data of a
 * discarded unit for its stripe until that is written again.
 */
#include "../tasks/tasks.h"

/* A unit's place: which stripe, and which of its members; parity is the last. */
struct rain_place {
	u32 stripe;
	u32 member;
};

static u32 rain_data_units(const struct ssdqos_flash *f)
{
	return f->geo.stripe_units - 1;
}

static struct rain_place rain_place_of(const struct ssdqos_flash *f, u32 lpn)
{
	u32 nr_data = rain_data_units(f);
	struct rain_place at = {
		.stripe = lpn - f->geo.parity_lpn,
		.member = nr_data,
	};

	if (lpn < f->geo.parity_lpn) {
		at.stripe = lpn / nr_data;
		at.member = lpn % nr_data;
	}
	return at;
}

/* Logical unit of a place; SSDQOS_NIL behind the drive's end. */
static u32 rain_lpn(const struct ssdqos_flash *f, const struct rain_place *at)
{
	u32 nr_data = rain_data_units(f), lpn;

	if (at->member == nr_data)
		return f->geo.parity_lpn + at->stripe;
	lpn = at->stripe * nr_data + at->member;
	return lpn < f->geo.parity_lpn ? lpn : SSDQOS_NIL;
}

static u32 rain_groups(const struct ssdqos_flash *f)
{
	return f->geo.nr_planes / f->geo.stripe_units;
}

/* The plane that the stripe fixes for a unit of data or parity. */
u32 flash_rain_plane(const struct ssdqos_flash *f, u32 lpn)
{
	struct rain_place at = rain_place_of(f, lpn);
	u32 n = f->geo.stripe_units, groups = rain_groups(f);
	u32 parity = at.stripe / groups % n, column = at.member;

	if (at.member == n - 1)
		column = parity;
	else if (at.member >= parity)
		column++;
	return at.stripe % groups * n + column;
}

/* The other way round, for ageing: which logical unit do the stripes of row @row
 * have in a plane?  SSDQOS_NIL behind the end.
 */
u32 flash_rain_member(const struct ssdqos_flash *f, u32 plane, u32 row)
{
	u32 n = f->geo.stripe_units, column = plane % n, parity = row % n;
	struct rain_place at = {
		.stripe = row * rain_groups(f) + plane / n,
		.member = column == parity ? n - 1 : column - (column > parity),
	};

	return at.stripe < f->geo.map_lpn - f->geo.parity_lpn ?
	       rain_lpn(f, &at) : SSDQOS_NIL;
}

/* The unit of parity of a unit's stripe. */
u32 flash_rain_parity_of(const struct ssdqos_flash *f, u32 lpn)
{
	struct rain_place at = rain_place_of(f, lpn);

	at.member = rain_data_units(f);
	return rain_lpn(f, &at);
}

/* A unit of data is about to enter the write buffer: its parity first.  False
 * if there is no room.
 */
bool flash_rain_stage(struct ssdqos_flash *f, u32 lpn)
{
	if (!flash_buffer_insert(f, NULL, flash_rain_parity_of(f, lpn), false))
		return false;
	f->stats.parity_units++;
	return true;
}

/* In flash and nowhere else? */
static bool rain_in_flash(const struct ssdqos_flash *f, u32 lpn)
{
	return !(f->l2p[lpn] & FLASH_IN_BUFFER);
}

/* Read what is missing to compute a unit of parity; program @parent waits for
 * it.  Returns how many reads that are.
 */
u32 flash_rain_parity_reads(struct ssdqos_flash *f, u32 lpn, u32 parent)
{
	struct rain_place at = rain_place_of(f, lpn);
	u32 nr = 0;

	for (at.member = 0; at.member < rain_data_units(f) &&
	     nr < FLASH_PARITY_READS; at.member++) {
		u32 member = rain_lpn(f, &at);
		struct flash_op *op;

		if (member == SSDQOS_NIL || !rain_in_flash(f, member))
			continue;
		op = flash_op_get(f, SSDQOS_TASK_FLUSH, SSDQOS_NAND_READ,
				  flash_plane_of(f, f->l2p[member]));
		op->psn = f->l2p[member];
		op->nr_units = 1;
		op->src[0] = parent;
		f->stats.parity_reads++;
		flash_nand_queue(f, op);
		nr++;
	}
	return nr;
}

/* Could the rest of the stripe be read now, in place of a unit? */
static bool rain_may_rebuild(const struct ssdqos_flash *f, u32 lpn)
{
	u32 parity = flash_rain_parity_of(f, lpn);

	return f->l2p[parity] != FLASH_UNMAPPED &&
	       flash_mapcache_has(f, parity);
}

static void rain_rebuild(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
			 u32 lpn)
{
	struct rain_place at = rain_place_of(f, lpn);
	u32 own = at.member;

	for (at.member = 0; at.member < f->geo.stripe_units; at.member++) {
		u32 member = rain_lpn(f, &at);

		if (at.member != own && member != SSDQOS_NIL &&
		    rain_in_flash(f, member))
			flash_host_read_page(f, req, f->l2p[member], 1);
	}
}

static void rain_log(struct ssdqos_flash *f, u32 psn, u32 nr_units)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = SSDQOS_FLASH_EV_READ_RECONSTRUCTED,
		.task = SSDQOS_TASK_HOST,
		.units = (u16)nr_units,
		.plane = flash_plane_of(f, psn),
		.block = flash_block_of(f, psn),
	};

	f->stats.reconstructed_reads++;
	if (flash_log_wants(f, SSDQOS_FLASH_EV_READ_RECONSTRUCTED))
		flash_log_write(f, &rec);
}

/*
 * A host read of units that lie in one flash page: if internal work is in their
 * plane, read the rest of their stripes instead.  False: read them as usual.
 */
bool flash_rain_read(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
		     u32 lpn, u32 nr_units)
{
	u32 psn = f->l2p[lpn], i;

	if (!f->cfg.rain_reconstruct ||
	    !flash_nand_internal(f, flash_plane_of(f, psn)) ||
	    f->host_ops_left < nr_units * rain_data_units(f))
		return false;
	for (i = 0; i < nr_units; i++)
		if (!rain_may_rebuild(f, lpn + i))
			return false;
	rain_log(f, psn, nr_units);
	for (i = 0; i < nr_units; i++)
		rain_rebuild(f, req, lpn + i);
	return true;
}
