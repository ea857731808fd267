// SPDX-License-Identifier: GPL-2.0
/*
 * age_place.c - units of an aged drive into the blocks of a plane
 *
 * Blocks are filled from the youngest to the oldest, each with as many grains
 * as age_plane.c says that are valid in it, in places that are shuffled once and
 * read from anywhere (of sequential writes: from the end to the beginning).
 */
#include "life.h"

/* Grains for which the compiler knows the number of units. */
#define AGE_ONE_UNIT 1
#define AGE_FOUR_UNITS 4

/* Grains ahead of which a place is asked for: the blocks that all planes are
 * filling don't fit the L1 cache.
 */
#define AGE_AHEAD 16

static void age_clear_block(struct ssdqos_flash *f, u32 block)
{
	memset(&f->p2l[flash_block_first(f, block)], 0xff,
	       sizeof(u32) * flash_kind_units(&f->geo, FLASH_KIND_FULL));
}

/* Grains in a plane's blocks up to this one.  What one write left in it is valid
 * as a whole or not at all; rounded up, so that what is left for the last block
 * always fits.
 */
static u64 age_valid_until(const struct flash_age_place *p,
			   struct flash_age_cursor *c)
{
	u32 grain = p->deal.grain_units;
	u64 lump = (u64)grain * p->deal.lump_grains;
	u64 units = flash_age_valid_in(&c->phase, &c->sum, c->total * grain,
				       c->room);

	return min(div64_u64(units + lump - 1, lump) * p->deal.lump_grains,
		   c->total);
}

/* Twins draw the same. */
struct ssdqos_rng *flash_age_rng(struct flash_age_place *p,
				 struct flash_age_cursor *c)
{
	return p->nr_twins > 1 ? &c->rng : &p->rng;
}

/* Nothing is valid in a block yet; cleared block by block, while it is in the
 * cache to be filled.
 */
void flash_age_enter_block(struct flash_age_place *p,
			   struct flash_age_cursor *c, u32 plane)
{
	struct ssdqos_flash *f = p->f;
	u32 block = plane * f->geo.blocks_per_plane + c->block;
	u64 until;

	age_clear_block(f, block);
	c->room = flash_age_block_units(f, &c->phase, c->block);
	until = age_valid_until(p, c);
	c->k = 0;
	c->missing = 0;
	c->valid = (u32)min_t(u64, until - min(until, c->placed),
			      c->room / p->deal.grain_units);
	c->psn = flash_block_first(f, block);
	c->position = p->position;
	if (p->step)
		c->position += ssdqos_rng_below(flash_age_rng(p, c),
						p->nr_positions / p->step) *
			       p->step;
}

static void age_leave_block(struct flash_age_place *p,
			    struct flash_age_cursor *c, u32 plane)
{
	u32 block = plane * p->f->geo.blocks_per_plane + c->block;

	p->f->blocks[block].valid = (u16)(c->k * p->deal.grain_units -
					  c->missing);
	c->placed += c->k;
}

static void age_next_block(struct flash_age_place *p,
			   struct flash_age_cursor *c, u32 plane)
{
	do {
		age_leave_block(p, c, plane);
		c->block++;
		flash_age_enter_block(p, c, plane);
	} while (!c->valid && c->block + 1 < c->phase.used_blocks);
}

void flash_age_close_plane(struct flash_age_place *p,
			   struct flash_age_cursor *c, u32 plane)
{
	u32 first = plane * p->f->geo.blocks_per_plane, block;

	age_leave_block(p, c, plane);
	for (block = c->block + 1; block < p->f->geo.blocks_per_plane; block++)
		age_clear_block(p->f, first + block);
}

static inline void age_put(struct ssdqos_flash *f, u32 lpn, u32 psn, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		f->l2p[lpn + i] = psn + i;
		f->p2l[psn + i] = lpn + i;
	}
}

/* All of one block, which is full; @units is a constant where it is called. */
static inline void age_put_many(const struct flash_age_place *p,
				struct flash_age_cursor *c, const u32 *entry,
				u32 nr, u32 units)
{
	u32 *l2p = p->f->l2p, *p2l = &p->f->p2l[c->psn], psn = c->psn, i, j;
	const u16 *position = c->position;
	const u32 *base = p->base;

	for (i = 0; i < nr; i++) {
		u32 lpn = base[entry[i] & FLASH_AGE_PIECE_MASK] +
			  (entry[i] >> FLASH_AGE_PIECE_BITS);
		u32 at = position[i];

		prefetchw(&p2l[position[i + AGE_AHEAD]]);
		for (j = 0; j < units; j++) {
			l2p[lpn + j] = psn + at + j;
			p2l[at + j] = lpn + j;
		}
	}
	c->position += nr;
	c->k += nr;
}

/* The next place in a block that is not all programmed. */
static u32 age_next_psn(struct flash_age_cursor *c)
{
	while (*c->position >= c->room)
		c->position++;
	return c->psn + *c->position++;
}

/* Into the cursor's block, which takes them. */
static void age_put_into(const struct flash_age_place *p,
			 struct flash_age_cursor *c, const u32 *entry, u32 nr)
{
	if (c->room < c->phase.block_units) {
		while (nr--) {
			age_put(p->f, p->base[*entry & FLASH_AGE_PIECE_MASK] +
				      (*entry >> FLASH_AGE_PIECE_BITS),
				age_next_psn(c), p->deal.grain_units);
			entry++;
			c->k++;
		}
	} else if (p->deal.grain_units == AGE_ONE_UNIT) {
		age_put_many(p, c, entry, nr, AGE_ONE_UNIT);
	} else if (p->deal.grain_units == AGE_FOUR_UNITS) {
		age_put_many(p, c, entry, nr, AGE_FOUR_UNITS);
	} else {
		age_put_many(p, c, entry, nr, p->deal.grain_units);
	}
}

/**
 * flash_age_put_grains - place some grains in a plane
 * @p: what placing needs
 * @c: the plane's cursor
 * @plane: the plane
 * @entry: of the deal
 * @nr: of them
 */
void flash_age_put_grains(struct flash_age_place *p, struct flash_age_cursor *c,
			  u32 plane, const u32 *entry, u32 nr)
{
	while (nr) {
		u32 part;

		if (c->k == c->valid)
			age_next_block(p, c, plane);
		part = min(nr, c->valid - c->k);
		age_put_into(p, c, entry, part);
		entry += part;
		nr -= part;
	}
}

/**
 * flash_age_put_units - place one grain, which may be short
 * @p: what placing needs
 * @c: the plane's cursor
 * @plane: the plane
 * @lpn: its first unit
 * @nr: its units
 */
void flash_age_put_units(struct flash_age_place *p, struct flash_age_cursor *c,
			 u32 plane, u32 lpn, u32 nr)
{
	if (c->k == c->valid)
		age_next_block(p, c, plane);
	age_put(p->f, lpn, age_next_psn(c), nr);
	c->missing += p->deal.grain_units - nr;
	c->k++;
}

/* Lumps go anywhere, their youngest grain comes first. */
static void age_deal_positions(struct flash_age_place *p, u32 *lump,
			       u32 lump_grains)
{
	u32 nr = p->nr_positions / lump_grains, i, j, k = 0;

	for (i = 0; i < nr; i++)
		lump[i] = i;
	flash_age_shuffle(&p->rng, lump, nr);
	for (i = 0; i < nr; i++)
		for (j = lump_grains; j--;)
			p->position[k++] = (u16)((lump[i] * lump_grains + j) *
						 p->deal.grain_units);
	memcpy(p->position + k, p->position, k * sizeof(*p->position));
}

/**
 * flash_age_place_make - make the table of places
 * @p: the drive, random numbers and the deal; the rest is zeroed
 *
 * Return: 0 or -ENOMEM; flash_age_place_free() in any case.
 */
int flash_age_place_make(struct flash_age_place *p)
{
	bool fixed = p->f->cfg.aged_pattern == SSDQOS_FLASH_AGED_SEQUENTIAL;
	u32 lump_grains, *lump;

	p->nr_twins = flash_age_twins(p->f);
	p->nr_positions = flash_stream_units(p->f, FLASH_STREAM_HOST) /
			  p->deal.grain_units;
	lump_grains = fixed ? p->nr_positions :
			      min(max(p->deal.lump_grains, p->deal.page_grains),
				  p->nr_positions);
	p->step = fixed ? 0 : lump_grains;
	p->position = ssdqos_env_alloc((2ULL * p->nr_positions + AGE_AHEAD) *
				       sizeof(u16));
	lump = ssdqos_env_alloc(p->nr_positions * sizeof(u32));
	if (p->position && lump)
		age_deal_positions(p, lump, lump_grains);
	ssdqos_env_free(lump);
	return p->position && lump ? 0 : -ENOMEM;
}

/**
 * flash_age_place_free - free what flash_age_place_make() allocated
 * @p: it
 */
void flash_age_place_free(struct flash_age_place *p)
{
	ssdqos_env_free(p->position);
}
