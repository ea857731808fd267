/* SPDX-License-Identifier: GPL-2.0 */
/*
 * age.h - what ageing knows of a plane in steady state; age_plane.c says why
 */
#ifndef SSDQOS_FLASH_AGE_H
#define SSDQOS_FLASH_AGE_H

#include "internal.h"

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
 */
struct flash_age_phase {
	u32 open_pages[FLASH_NR_STREAMS];
	u32 used_blocks;
	u64 used_units;
	u64 decay;
	u64 one_minus_end;
};

void flash_age_begin(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
		     u64 valid, struct flash_age_cycle *cycle);
void flash_age_draw(const struct ssdqos_flash *f, struct ssdqos_rng *rng,
		    const struct flash_age_cycle *cycle, u64 valid,
		    struct flash_age_phase *phase);
void flash_age_settle(struct ssdqos_flash *f, struct ssdqos_rng *rng, u32 plane,
		      const struct flash_age_phase *phase);
u32 flash_age_block_units(const struct ssdqos_flash *f,
			  const struct flash_age_phase *phase, u32 block);
u64 flash_age_valid_in(const struct flash_age_phase *phase, u64 valid,
		       u64 units);

#endif /* SSDQOS_FLASH_AGE_H */
