/* SPDX-License-Identifier: GPL-2.0 */
/*
 * life.h - what becomes of a drive: ageing, saving, loading, checking
 *
 *	blank.c		a drive that was never written
 *	age.c		steady state by arithmetic: the whole
 *	age_plane.c	what a plane looks like in steady state
 *	age_deal.c	which units lie next to which: the pattern of the writes
 *	age_place.c	units into the blocks of a plane
 *	age_buffer.c	what is in the write buffer
 *	state.c		save what a drive has become
 *	state_load.c	and load it
 *	check.c		the invariants
 */
#ifndef SSDQOS_FLASH_LIFE_H
#define SSDQOS_FLASH_LIFE_H

#include "../tasks/tasks.h"

/* ---- blank.c ---- */
void flash_blank(struct ssdqos_flash *f);
void flash_blank_blocks(struct ssdqos_flash *f);
void flash_survey(struct ssdqos_flash *f);

/* ---- ageing ---- */

/**
 * struct flash_age_cycle - what the planes' cycles of collection have in common
 * @span_pages: pages that the host writes to a plane in one
 * @since_pages: of a drive that collects as a whole: pages that each plane has
 *	taken since it did last
 * @gain_pages: what the collection of one block gains
 */
struct flash_age_cycle {
	u32 span_pages;
	u32 since_pages;
	u32 gain_pages;
};

/**
 * struct flash_age_phase - where in its cycle a plane is
 * @open_pages: programmed pages of each stream's open block, 0 if it has none
 * @used_blocks: blocks that are not free, the open ones included
 * @used_units: units in their programmed pages
 * @decay: L, fixed-point
 * @one_minus_end: 1 - u*, fixed-point
 * @block_units: units of a whole block
 * @block_exp: exp(-x L) for them, fixed-point
 * @sequential: written from begin to end again and again, so the youngest units
 *	are valid and no others
 */
struct flash_age_phase {
	u32 open_pages[FLASH_NR_STREAMS];
	u32 used_blocks;
	u64 used_units;
	u64 decay;
	u64 one_minus_end;
	u32 block_units;
	u64 block_exp;
	bool sequential;
};

/**
 * struct flash_age_sum - so far, from a plane's youngest unit on
 * @units: programmed
 * @exp: exp(-x L) of them, fixed-point
 */
struct flash_age_sum {
	u64 units;
	u64 exp;
};

/* An entry of a deal: a unit's place in its piece, and the number of that. */
#define FLASH_AGE_PIECE_BITS	10
#define FLASH_AGE_MAX_PIECES	(1u << FLASH_AGE_PIECE_BITS)
#define FLASH_AGE_PIECE_MASK	(FLASH_AGE_MAX_PIECES - 1)

/**
 * struct flash_age_deal - to which plane, and behind what, units go
 * @grain_units: units that one write left in one page: they stay together
 * @lump_grains: grains that one write left in one plane, one behind the other
 * @page_grains: grains that are put into a page one behind the other: more than one
 *	where runs are among them
 * @piece_units: neighbouring units that are dealt together, see age_deal.c
 * @nr_pieces: that are dealt at a time
 * @nr_pages: flash pages that they are
 * @entry: first units of grains, in the order from young to old, plane by plane
 * @first: of a plane's in @entry; one more at the end
 */
struct flash_age_deal {
	u32 grain_units;
	u32 lump_grains;
	u32 page_grains;
	u32 piece_units;
	u32 nr_pieces;
	u32 nr_pages;
	u32 *entry;
	u32 *first;
};

/**
 * struct flash_age_cursor - where a plane's next grain goes
 * @phase: flash_age_draw()
 * @block: in the plane
 * @k: grains of it that are placed
 * @valid: grains that it gets
 * @room: units that are programmed
 * @missing: units that its grains have too few: the last one is short
 * @psn: its first unit
 * @position: of its next grain
 * @placed: grains in blocks before it
 * @sum: units of it and of blocks before it
 * @total: grains of the plane
 * @rng: random numbers that it shares with its twins, if it has any
 */
struct flash_age_cursor {
	struct flash_age_phase phase;
	u32 block;
	u32 k;
	u32 valid;
	u32 room;
	u32 missing;
	u32 psn;
	const u16 *position;
	u64 placed;
	struct flash_age_sum sum;
	u64 total;
	struct ssdqos_rng rng;
};

/**
 * struct flash_age_place - what placing needs
 * @f: the drive
 * @rng: random numbers
 * @deal: grains and lumps
 * @base: first unit of each piece that is dealt
 * @position: places of grains in a block, twice: it is read from anywhere
 * @nr_positions: half of it
 * @step: it is read from multiples of this; 0 is from the beginning
 * @nr_twins: neighbouring planes that hold the same in the same places
 */
struct flash_age_place {
	struct ssdqos_flash *f;
	struct ssdqos_rng rng;
	struct flash_age_deal deal;
	u32 base[FLASH_AGE_MAX_PIECES];
	u16 *position;
	u32 nr_positions;
	u32 step;
	u32 nr_twins;
};

/**
 * struct flash_age_recent - what an aged drive was written last
 * @rng: random numbers
 * @host_units: units of the host that it holds
 * @nr_pieces: pieces that hold data
 * @piece_units: units of data in a piece
 * @first_piece: the youngest
 * @sequential: it was written from begin to end
 */
struct flash_age_recent {
	struct ssdqos_rng *rng;
	u64 host_units;
	u32 nr_pieces;
	u32 piece_units;
	u32 first_piece;
	bool sequential;
};

void flash_age_buffer(struct ssdqos_flash *f, const struct flash_age_recent *recent);
u64 flash_age_most_valid(const struct ssdqos_flash *f);
void flash_age_begin(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
		     u64 valid, struct flash_age_cycle *cycle);
u32 flash_age_since(const struct flash_age_cycle *cycle,
		    struct ssdqos_rng *rng);
void flash_age_draw(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
		    const struct flash_age_cycle *cycle, u32 since, u64 valid,
		    struct flash_age_phase *phase);
void flash_age_settle(struct ssdqos_flash *f, struct ssdqos_rng *rng, u32 plane,
		      const struct flash_age_phase *phase);
u32 flash_age_block_units(const struct ssdqos_flash *f,
			  const struct flash_age_phase *phase, u32 block);
u64 flash_age_valid_in(const struct flash_age_phase *phase,
		       struct flash_age_sum *sum, u64 valid, u32 units);

u32 flash_age_gcd(u32 a, u32 b);
u32 flash_age_chunk(const struct ssdqos_flash *f);
u32 flash_age_in_step(const struct ssdqos_flash *f);
u32 flash_age_twins(const struct ssdqos_flash *f);
void flash_age_shuffle(struct ssdqos_rng *rng, u32 *a, u32 n);
int flash_age_deal_make(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
			struct flash_age_deal *deal);
void flash_age_deal_free(struct flash_age_deal *deal);

int flash_age_place_make(struct flash_age_place *p);
void flash_age_place_free(struct flash_age_place *p);
struct ssdqos_rng *flash_age_rng(struct flash_age_place *p,
				 struct flash_age_cursor *c);
void flash_age_enter_block(struct flash_age_place *p,
			   struct flash_age_cursor *c, u32 plane);
void flash_age_close_plane(struct flash_age_place *p,
			   struct flash_age_cursor *c, u32 plane);
void flash_age_put_grains(struct flash_age_place *p, struct flash_age_cursor *c,
			  u32 plane, const u32 *entry, u32 nr);
void flash_age_put_units(struct flash_age_place *p, struct flash_age_cursor *c,
			 u32 plane, u32 lpn, u32 nr);

/* ---- the format of a saved state, see state.c ---- */

#define STATE_MAGIC	0x31534f5144535344ULL	/* "DSSDQOS1" */
#define STATE_FORMAT	4
#define STATE_FORMAT_TASKS 6	/* that there were when it came */
/* It has a share for each task: with other tasks it is another version. */
#define STATE_VERSION	(STATE_FORMAT + ((SSDQOS_NR_TASKS - STATE_FORMAT_TASKS) << 16))
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
	u16 state;
	u16 kind;
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

#endif /* SSDQOS_FLASH_LIFE_H */
