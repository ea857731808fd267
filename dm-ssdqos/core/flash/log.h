/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log.h - what the model did, as records for trace events and replays
 *
 * core/ calls nobody.  Where somebody wants to see decisions, it writes
 * records into a ring that the caller empties; ssdqos_flash_advance() stops
 * and says so before the ring could overflow.
 */
#ifndef SSDQOS_FLASH_LOG_H
#define SSDQOS_FLASH_LOG_H

#include "../env.h"

/* K(NAME, "text"): facts, in the past tense.  Programs that trace the kernel know them by
 * number, so new ones come last.
 */
#define SSDQOS_FLASH_EVENTS(K)						\
	K(NAND_STARTED, "nand_started")					\
	K(NAND_COMPLETED, "nand_completed")				\
	K(GC_STARTED, "gc_started")					\
	K(GC_VICTIM_CHOSEN, "gc_victim_chosen")				\
	K(GC_NO_VICTIM, "gc_no_victim")					\
	K(GC_STOPPED, "gc_stopped")					\
	K(WRITE_STALLED, "write_stalled")				\
	K(WRITE_RESUMED, "write_resumed")				\
	K(SCRUB_VICTIM_CHOSEN, "scrub_victim_chosen")			\
	K(WEAR_VICTIM_CHOSEN, "wear_victim_chosen")			\
	K(RELOCATION_ABANDONED, "relocation_abandoned")			\
	K(MAP_MISSED, "map_missed")					\
	K(READ_RECONSTRUCTED, "read_reconstructed")			\
	K(SHARE_CHANGED, "share_changed")				\
	K(OP_LENT, "op_lent")						\
	K(OP_PASSED, "op_passed")					\
	K(NAND_SUSPENDED, "nand_suspended")				\
	K(NAND_RESUMED, "nand_resumed")					\
	K(READ_BLOCKED, "read_blocked")					\
	K(TURN_REFUSED, "turn_refused")					\
	K(TURN_OVERRIDDEN, "turn_overridden")				\
	K(STRIPE_EVICTED, "stripe_evicted")				\
	K(STRIPE_SHIFTED, "stripe_shifted")				\
	K(BLOCK_VERIFIED, "block_verified")

enum ssdqos_flash_event {
#define K(name, text) SSDQOS_FLASH_EV_##name,
	SSDQOS_FLASH_EVENTS(K)
#undef K
	SSDQOS_FLASH_NR_EVENTS,
};

/**
 * enum ssdqos_flash_stall - why a write waits
 * @SSDQOS_FLASH_STALL_BUFFER: the write buffer is full, flash is busy
 * @SSDQOS_FLASH_STALL_SPACE: no plane has a block for the host; garbage
 *	collection is behind
 */
enum ssdqos_flash_stall {
	SSDQOS_FLASH_STALL_BUFFER,
	SSDQOS_FLASH_STALL_SPACE,
};

/**
 * enum ssdqos_flash_parity - from what the parity of a stripe follows
 * @SSDQOS_FLASH_PARITY_FULL: the stripe itself, all of which has changed
 * @SSDQOS_FLASH_PARITY_REST: what has changed, and the rest of the stripe
 * @SSDQOS_FLASH_PARITY_OLD: what has changed, what that was before, and the old parity
 */
enum ssdqos_flash_parity {
	SSDQOS_FLASH_PARITY_FULL,
	SSDQOS_FLASH_PARITY_REST,
	SSDQOS_FLASH_PARITY_OLD,
};

/**
 * struct ssdqos_flash_record - one event
 * @time_ns: model time
 * @event: enum ssdqos_flash_event
 * @task: enum ssdqos_flash_task that acted
 * @op: enum ssdqos_nand_op, for NAND_*; enum ssdqos_flash_stall, for WRITE_*; enum
 *	ssdqos_flash_parity, for STRIPE_EVICTED
 * @units: NAND_*, READ_RECONSTRUCTED: units transferred; of a plane's
 *	relocation: free blocks of the plane; STRIPE_*: units that have changed
 * @plane: plane, that of the parity for STRIPE_*; SHARE_CHANGED: old share in ppm
 * @block: block in the drive; STRIPE_*: stripe; MAP_MISSED: page of the map;
 *	SHARE_CHANGED: the error of equations 2 and 3; OP_*: operations of the task under way
 * @page: NAND_*: page in the block; STRIPE_EVICTED: flash reads for the parity;
 *	STRIPE_SHIFTED: columns further;
 *	*_VICTIM_CHOSEN: valid units of the block; SHARE_CHANGED: new share in ppm; OP_*: as
 *	many as the task's share is; BLOCK_VERIFIED: flash pages of the drive that are not
 */
struct ssdqos_flash_record {
	u64 time_ns;
	u8 event;
	u8 task;
	u8 op;
	u16 units;
	u32 plane;
	u32 block;
	u32 page;
};

extern const char *const ssdqos_flash_event_names[SSDQOS_FLASH_NR_EVENTS];

#endif /* SSDQOS_FLASH_LOG_H */
