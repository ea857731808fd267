/* SPDX-License-Identifier: GPL-2.0 */
/*
 * regions.h - where members may differ, as the metadata say it (regions.c)
 */
#ifndef SSDQOS_MIRROR_REGIONS_H
#define SSDQOS_MIRROR_REGIONS_H

#include "config.h"

/* Regions whose masks one write to the metadata covers: a block but for its header. */
#define SSDQOS_MIRROR_MAP_REGIONS 4032u

/**
 * struct ssdqos_region - a part of the mirror
 * @disk: members that may lack what is newest here, as the metadata have it
 * @want: what the metadata are to say
 * @stale: members that have to be copied to before they are read or written here
 * @flip: it is to be led by another member
 * @nr: blocks of it in the cache
 */
struct ssdqos_region {
	u8 disk;
	u8 want;
	u8 stale;
	bool flip;
	u32 nr;
};

/**
 * struct ssdqos_map_block - masks that are written together
 * @dirty: @want differs from @disk somewhere
 * @owed: a flush waits until it is written
 * @clean: some region may be clean again
 * @nr_flips: regions that are to be led by another member
 */
struct ssdqos_map_block {
	bool dirty;
	bool owed;
	bool clean;
	u32 nr_flips;
};

/**
 * struct ssdqos_regions - all of them
 * @regions: by number
 * @nr: how many
 * @shift: blocks of a region, as a power of two
 * @blocks: of masks
 * @nr_blocks: how many
 * @nr_dirty: of them, to be written
 * @nr_clean: of them, in which some region may be clean again
 * @nr_flips: regions that are to be led by another member
 * @nr_owed: blocks that a flush waits for
 * @nr_stale: regions where somebody is stale
 * @stale_of: by member, regions where it is
 * @nr_by_stale: how many there are, by who is stale
 * @copy_cursor: looked for those up to here
 * @tidy_cursor: block that is looked at next for masks that may be 0
 * @cursor: likewise, for what to write
 * @writing: a block of masks is being written, or has to be again
 * @again: the latter: nobody knows whether it was
 * @writing_owed: a flush waits for that
 * @index: which one
 * @image: what is written there
 */
struct ssdqos_regions {
	struct ssdqos_region *regions;
	u32 nr;
	u32 shift;
	struct ssdqos_map_block *blocks;
	u32 nr_blocks;
	u32 nr_dirty;
	u32 nr_clean;
	u32 nr_flips;
	u32 nr_owed;
	u32 nr_stale;
	u32 stale_of[SSDQOS_MIRROR_MAX_MEMBERS];
	u32 nr_by_stale[SSDQOS_MIRROR_NR_MASKS];
	u32 copy_cursor;
	u32 tidy_cursor;
	u32 cursor;
	bool writing;
	bool again;
	bool writing_owed;
	u32 index;
	u8 image[SSDQOS_MIRROR_MAP_REGIONS];
};

int ssdqos_regions_init(struct ssdqos_regions *r, u64 blocks, u32 shift);
void ssdqos_regions_exit(struct ssdqos_regions *r);
void ssdqos_regions_load(struct ssdqos_regions *r, u32 index, const u8 *masks);
void ssdqos_regions_want(struct ssdqos_regions *r, u32 region, u8 mask);
void ssdqos_regions_owe(struct ssdqos_regions *r, u32 region);
void ssdqos_regions_flip(struct ssdqos_regions *r, u32 region, bool flip);
void ssdqos_regions_stale(struct ssdqos_regions *r, u32 region, u8 stale);
bool ssdqos_regions_all_stale(const struct ssdqos_regions *r, u8 members);
bool ssdqos_regions_lacks(const struct ssdqos_regions *r, u32 region,
			  u8 member);
bool ssdqos_regions_leads(const struct ssdqos_regions *r, u32 region,
			  u8 members);
bool ssdqos_regions_may(const struct ssdqos_regions *r, u32 region, u8 member,
			u8 all);
bool ssdqos_regions_noted(const struct ssdqos_regions *r, u32 region,
			  u8 members);
bool ssdqos_regions_tidy(struct ssdqos_regions *r);
bool ssdqos_regions_write(struct ssdqos_regions *r);
void ssdqos_regions_written(struct ssdqos_regions *r, bool failed);

/**
 * ssdqos_region_of - the region of a block
 * @r: the regions
 * @block: a block of the mirror
 */
static inline u32 ssdqos_region_of(const struct ssdqos_regions *r, u64 block)
{
	return (u32)(block >> r->shift);
}

/**
 * ssdqos_regions_look - a region may be clean again
 * @r: the regions
 * @region: which one
 */
static inline void ssdqos_regions_look(struct ssdqos_regions *r, u32 region)
{
	struct ssdqos_map_block *b =
		&r->blocks[region / SSDQOS_MIRROR_MAP_REGIONS];

	r->nr_clean += !b->clean;
	b->clean = true;
}

/**
 * ssdqos_regions_gone - a block has left the cache
 * @r: the regions
 * @region: whose it was
 */
static inline void ssdqos_regions_gone(struct ssdqos_regions *r, u32 region)
{
	if (!--r->regions[region].nr && r->regions[region].want)
		ssdqos_regions_look(r, region);
}

/**
 * ssdqos_region_blocks - size of a region; the last one may have less
 * @r: the regions
 */
static inline u32 ssdqos_region_blocks(const struct ssdqos_regions *r)
{
	return 1u << r->shift;
}

#endif /* SSDQOS_MIRROR_REGIONS_H */
