// SPDX-License-Identifier: GPL-2.0
/*
 * server.c - one thing that serves operations: the array of a plane, a channel
 */
#include "media.h"

/* Time of the array for an operation. */
u64 flash_array_ns(const struct ssdqos_flash *f, const struct flash_op *op)
{
	switch (op->kind) {
	case SSDQOS_NAND_READ:
		return f->timing.read_ns;
	case SSDQOS_NAND_PROGRAM:
		return f->timing.program_ns;
	case SSDQOS_NAND_ERASE:
		return f->timing.erase_ns;
	default:
		return f->timing.read_ns + f->timing.program_ns;
	}
}

/* A server begins to serve an operation; returns when it will have done so. */
u64 flash_serve(struct ssdqos_flash *f, struct flash_use *use,
		struct flash_op *op, u64 start_ns, u64 service_ns)
{
	use->start_ns = start_ns;
	if (op->trip) {
		op->trip->wait_ns[SSDQOS_WAIT_CONTROLLER] +=
			start_ns - f->now_ns;
		op->trip->wait_ns[SSDQOS_WAIT_FLASH] += service_ns;
		op->trip->mark_ns = start_ns + service_ns;
	}
	return start_ns + service_ns;
}

/* When a server that is free can begin with an operation. */
u64 flash_start_ns(const struct ssdqos_flash *f, const struct flash_op *op)
{
	return max(f->now_ns, op->ready_ns);
}

/* It has done so. */
void flash_served(const struct ssdqos_flash *f, struct flash_use *use,
		  const struct flash_op *op)
{
	use->busy_ns[op->task] += f->now_ns - use->start_ns;
}
