// SPDX-License-Identifier: GPL-2.0
/*
 * read.c - flash reads for requests: as it lies there, or from the rest of its stripe
 *
 * With stripes, where internal work (gc, scrub, wear) has operations in the plane, the
 * N - 1 other units of the stripe are read instead.  These may be blocked in
 * turn; nothing here limits how many planes of a group work at a time.
 */
#include "tasks.h"

/* Read a part of one flash page for a request. */
void flash_read_page(struct ssdqos_flash *f,
		     struct ssdqos_flash_req *req, u32 psn, u32 nr_units)
{
	u32 plane = flash_plane_of(f, psn);
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_HOST,
					   SSDQOS_NAND_READ, plane);

	op->psn = psn;
	op->nr_units = (u8)nr_units;
	op->trip = flash_trip_begin(f, req);
	op->ready_ns = flash_delay_ns(f, f->cfg.lookup_min_ns,
				      f->cfg.lookup_max_ns);
	req->pending++;
	f->host_ops_left--;
	flash_chip_queue(f, op);
}

/* Could the rest of the stripe be read now, in place of a unit? */
static bool read_may_rebuild(const struct ssdqos_flash *f, u32 lpn)
{
	u32 parity = f->layout->partner(f, lpn);

	return f->l2p[parity] != FLASH_UNMAPPED &&
	       flash_mapcache_has(f, parity);
}

static void read_rest(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
		      u32 lpn)
{
	u32 i;

	for (i = 0; i < f->geo.stripe_units; i++) {
		u32 member = f->layout->member(f, lpn, i);

		if (member != lpn && member != SSDQOS_NIL &&
		    flash_unit_in_flash(f, member))
			flash_read_page(f, req, f->l2p[member], 1);
	}
}

static void read_log_rebuilt(struct ssdqos_flash *f, u32 psn, u32 nr_units)
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

/* If internal work is in their plane, read the rest of their stripes instead. */
bool flash_read_rebuild(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
			u32 lpn, u32 nr_units)
{
	u32 psn = f->l2p[lpn], i;

	if (!f->cfg.rain_reconstruct ||
	    !flash_plane_internal(f, flash_plane_of(f, psn)) ||
	    f->host_ops_left < nr_units * (f->geo.stripe_units - 1))
		return false;
	for (i = 0; i < nr_units; i++)
		if (!read_may_rebuild(f, lpn + i))
			return false;
	read_log_rebuilt(f, psn, nr_units);
	for (i = 0; i < nr_units; i++)
		read_rest(f, req, lpn + i);
	return true;
}
