// SPDX-License-Identifier: GPL-2.0
/*
 * read.c - flash reads for requests
 */
#include "tasks.h"

/* Read a part of one flash page for a request; @of: the read in whose place, or NULL. */
void flash_read_again(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
		      u32 psn, u32 nr_units, const struct flash_trip *of)
{
	u32 plane = flash_plane_of(f, psn);
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_HOST,
					   SSDQOS_NAND_READ, plane);

	op->psn = psn;
	op->nr_units = (u8)nr_units;
	op->trip = of ? flash_trip_again(f, of) : flash_trip_begin(f, req);
	op->ready_ns = flash_delay_ns(f, f->cfg.lookup_min_ns,
				      f->cfg.lookup_max_ns);
	req->pending++;
	f->host_ops_left--;
	flash_chip_queue(f, op);
}

/* Read a part of one flash page for a request. */
void flash_read_page(struct ssdqos_flash *f, struct ssdqos_flash_req *req,
		     u32 psn, u32 nr_units)
{
	flash_read_again(f, req, psn, nr_units, NULL);
}

/* A read that is parked is not made after all: others were made in its place. */
void flash_read_drop(struct ssdqos_flash *f, struct flash_op *op)
{
	op->trip->req->pending--;
	f->host_ops_left++;
	flash_trip_drop(f, op->trip);
	flash_op_put(f, op);
}
