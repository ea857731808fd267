/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a trace and a load generator hand to the simulated drive.
 */
#ifndef SSDQOS_SIM_REQUEST_H
#define SSDQOS_SIM_REQUEST_H

#include "../common/types.h"

/**
 * enum sim_op - what a request does
 * @SIM_OP_READ: read data
 * @SIM_OP_WRITE: write data
 * @SIM_OP_DISCARD: say that data is no longer needed (TRIM)
 * @NR_SIM_OPS: number of operations that loads generate and other traces have
 * @SIM_OP_FLUSH: make all completed writes durable; has no size (recorded runs only)
 * @SIM_OP_WRITE_FUA: write and make it durable (recorded runs only)
 * @NR_TRACE_OPS: number of operations of the project trace
 */
enum sim_op {
	SIM_OP_READ,
	SIM_OP_WRITE,
	SIM_OP_DISCARD,
	NR_SIM_OPS,
	SIM_OP_FLUSH = NR_SIM_OPS,
	SIM_OP_WRITE_FUA,
	NR_TRACE_OPS,
};

/* The letters of the operations in the project trace, in the order of enum sim_op. */
#define SIM_OP_LETTERS "RWDFU"

/* Offset plus size may not pass this, the largest size a Linux block device can have. */
#define SIM_ADDRESS_MAX_BYTES ((1ULL << 63) - 1)

/**
 * struct sim_request - one request
 * @arrival_ns: when the drive gets it, in virtual time
 * @offset_bytes: first byte
 * @size_bytes: number of bytes, at least 1 (a flush: 0); a discard may be larger than 4 GiB
 * @op: an enum sim_op
 */
struct sim_request {
	u64 arrival_ns;
	u64 offset_bytes;
	u64 size_bytes;
	u8 op;
};

#endif
