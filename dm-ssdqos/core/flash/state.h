/* SPDX-License-Identifier: GPL-2.0 */
/*
 * state.h - format of a saved state, see state.c
 */
#ifndef SSDQOS_FLASH_STATE_H
#define SSDQOS_FLASH_STATE_H

#include "internal.h"

#define STATE_MAGIC	0x31534f5144535344ULL	/* "DSSDQOS1" */
#define STATE_VERSION	4
#define STATE_BUFFERED	FLASH_IN_BUFFER		/* l2p: see the list */
#define STATE_DIRTY	0x80000000u		/* of a page of the map */
#define STATE_DEFERRED	0x40000000u		/* not in memory, has changed */
#define STATE_PAGE	0x3fffffffu

struct state_header {
	u64 magic;
	u64 bytes;
	u64 checksum;		/* of all words behind this one */
	u32 version;
	u32 nr_lpn;
	u32 nr_psn;
	u32 nr_blocks;
	u32 nr_planes;
	u32 block_shift;
	u32 page_shift;
	u32 nr_buffered;
	u32 rotor;
	u32 nr_all;
	u32 nr_chips;
	u32 nr_cached;
	u32 map_rotor;
	u32 map_credit;
	u32 gc_active;
	u32 last_run;
	u64 share_age_ns;	/* since the last step of the share controller */
	u64 host_age_ns;	/* since the last read or write */
	u32 share_ppm[SSDQOS_NR_TASKS];
	u32 next_chip[SSDQOS_NR_TASKS];
	struct flash_run run[FLASH_NR_RUNS];
	struct ssdqos_rng rng;
};

struct state_chip {
	u64 vtime[SSDQOS_NR_TASKS];	/* ahead of the chip's */
};

struct state_block {
	u64 age_ns;
	u32 pe_cycles;
	u32 read_count;
	u32 done_pages;
	u32 state;
};

struct state_plane {
	u32 open_block[FLASH_NR_STREAMS];
	u32 next_page[FLASH_NR_STREAMS];
	u32 seeking;
	u32 erase_empty;
	u32 read_max_block;
	u32 pe_min_hint;
	u32 wear_credit;
	u32 reserved;
};

/* The parts of a state in memory. */
struct state_parts {
	struct state_header *header;
	struct state_chip *chips;
	u32 *l2p;
	struct state_block *blocks;
	u32 *order;
	struct state_plane *planes;
	u32 *buffered;
	u32 *cached;
};

u64 flash_state_bytes(const struct ssdqos_flash *f, u32 nr_buffered,
		      u32 nr_cached);
void flash_state_split(const struct ssdqos_flash *f, const void *buf,
		       struct state_parts *p);
u64 flash_state_checksum(const struct state_header *h);

#endif /* SSDQOS_FLASH_STATE_H */
