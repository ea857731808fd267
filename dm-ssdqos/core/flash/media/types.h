/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types.h - what the hardware is made of: operations, and who serves them
 */
#ifndef SSDQOS_FLASH_MEDIA_TYPES_H
#define SSDQOS_FLASH_MEDIA_TYPES_H

#include "../flash.h"

/* An index-linked FIFO. */
struct flash_list {
	u32 head;
	u32 tail;
};

/* Kinds of blocks: those of a kind have as many pages.  Which kind a block is, is
 * decided when it is opened.
 */
enum flash_kind {
	FLASH_KIND_FULL,	/* all pages that the geometry says */
	FLASH_NR_KINDS,
};

struct flash_kind_row {
	u8 pages_shift;		/* it has 1 / 2^shift of those pages */
};

/* In headers, so that the only kind costs nothing. */
static const struct flash_kind_row flash_kinds[FLASH_NR_KINDS] = {
	[FLASH_KIND_FULL] = { .pages_shift = 0 },
};

/* Who fills an open block; data of different lifetimes stays apart. */
enum flash_stream {
	FLASH_STREAM_HOST,
	FLASH_STREAM_GC,	/* whatever is moved */
	FLASH_STREAM_MAP,	/* pages of the map that have changed */
	FLASH_NR_STREAMS,
};

struct flash_stream_row {
	u8 kind;		/* enum flash_kind of the blocks that it opens */
	bool takes_reserve;	/* and the last free one of a plane, too */
};

static const struct flash_stream_row flash_streams[FLASH_NR_STREAMS] = {
	[FLASH_STREAM_HOST] = { .kind = FLASH_KIND_FULL },
	[FLASH_STREAM_GC] = { .kind = FLASH_KIND_FULL, .takes_reserve = true },
	[FLASH_STREAM_MAP] = { .kind = FLASH_KIND_FULL },
};

static inline u32 flash_stream_kind(u32 stream)
{
	return flash_streams[stream].kind;
}

static inline u32 flash_kind_pages(const struct ssdqos_flash_geo *geo, u32 kind)
{
	return geo->pages_per_block >> flash_kinds[kind].pages_shift;
}

static inline u32 flash_kind_units(const struct ssdqos_flash_geo *geo, u32 kind)
{
	return 1u << (geo->block_shift - flash_kinds[kind].pages_shift);
}

/* One NAND operation. */
struct flash_op {
	struct flash_trip *trip;	/* READ of the host: whose it is */
	u64 queued_ns;
	u64 ready_ns;		/* made by the controller: no start before it */
	u32 next;
	u32 order;		/* of arrival, for the fifo scheduler; wraps */
	u32 psn;		/* first unit of the page, or of the block */
	/* relocation: psn; flush: buffer slot; map: page of the map; parity
	 * read: [0] is the program that waits for it
	 */
	u32 src[SSDQOS_MAX_UNITS_PER_PAGE];
	u16 plane;
	u8 kind;		/* enum ssdqos_nand_op */
	u8 task;		/* enum ssdqos_flash_task */
	u8 nr_units;
	u8 nr_reads;		/* program of parity: reads that it waits for */
};

/* A host read on its way through the drive, see trip.c. */
struct flash_trip {
	struct ssdqos_flash_req *req;
	struct flash_trip *next;	/* free list */
	u64 mark_ns;		/* the causes cover the time up to here */
	u64 held_ns;		/* of bursts, when it was put into a queue */
	u64 busy_ns[SSDQOS_NR_TASKS];	/* of the server it waits for, then */
	u64 wait_ns[SSDQOS_NR_WAITS];
};

/* Who has used a server, and since when its present user does. */
struct flash_use {
	u64 start_ns;
	u64 busy_ns[SSDQOS_NR_TASKS];
};

struct flash_channel {
	struct flash_list wait;
	u32 op;
	struct flash_use use;
};

struct flash_timing {
	u64 read_ns;
	u64 program_ns;
	u64 erase_ns;
	u64 xfer_unit_ns[SSDQOS_MAX_UNITS_PER_PAGE + 1];	/* by units */
	u64 suspend_ns[SSDQOS_NR_NAND_OPS];	/* 0: it can't be */
	bool suspends;		/* something can be, or could since the drive was made */
};

/* What makes way for host reads, see suspend.c. */
enum flash_suspend_state {
	FLASH_SUSPEND_NONE,
	FLASH_SUSPEND_STOPPING,	/* the array stops what it does */
	FLASH_SUSPEND_HELD,	/* it has; the operation is the first of @loaded */
};

/* Of a plane. */
struct flash_suspend {
	u64 left_ns;		/* of the array's work on it */
	u8 state;		/* enum flash_suspend_state */
	u8 nr_times;		/* that it did */
	bool lent;		/* its register serves reads */
};

/*
 * With gc_blocking, collection comes in bursts:
 *
 *	NONE -> (a block is collected) -> BLOCKING -> (none is any more) -> NONE
 *	                                  |      ^
 *	                      gc_burst_ns |      | gc_pause_ns, and there is more
 *	                                  +-> PAUSING -> (no more) -> NONE
 */
enum flash_burst_state {
	FLASH_BURST_NONE,
	FLASH_BURST_BLOCKING,
	FLASH_BURST_PAUSING,
};

struct flash_burst {
	u64 since_ns;		/* BLOCKING: begin */
	u64 held_ns;		/* sum of all bursts that have ended */
	u32 nr_collecting;	/* planes that empty a block */
	u8 state;		/* enum flash_burst_state */
};

struct flash_log {
	struct ssdqos_flash_record *ring;
	u32 size;		/* a power of two */
	u32 mask;		/* of enum ssdqos_flash_event bits */
	u32 head;
	u32 nr;
};

#endif /* SSDQOS_FLASH_MEDIA_TYPES_H */
