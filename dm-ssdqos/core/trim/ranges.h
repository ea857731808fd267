/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ranges.h - a bounded set of sectors that wait to be discarded (ranges.c)
 */
#ifndef SSDQOS_TRIM_RANGES_H
#define SSDQOS_TRIM_RANGES_H

#include "../env.h"

/* Fewer are no use: what is added may need two. */
#define SSDQOS_RANGES_LEAST 16u
/* Ranges that one call looks at: some ten microseconds with a lock held. */
#define SSDQOS_RANGES_STEP 64u

/**
 * struct ssdqos_range - sectors that follow each other, of one area
 * @node: in the tree of all; its key is the first sector
 * @large: likewise, in the tree of the large ones
 * @end: the sector behind the last one
 * @since_ns: when the oldest of them came
 * @area: whose they are; areas are not merged
 * @older: the one that came before, or NULL
 * @younger: the one that came after, or NULL; of free ones, the next
 * @is_large: it is in the tree of those
 */
struct ssdqos_range {
	struct ssdqos_tree_node node;
	struct ssdqos_tree_node large;
	u64 end;
	u64 since_ns;
	struct ssdqos_range *older;
	struct ssdqos_range *younger;
	u32 area;
	bool is_large;
};

/**
 * struct ssdqos_ranges - the set
 * @pool: memory of all
 * @free: those that are not used
 * @oldest: of those that are used
 * @youngest: likewise
 * @all: by first sector
 * @large: those whose whole granules have @least sectors
 * @granule: sectors of the drive's granule
 * @align: first sector of any granule
 * @least: sectors
 * @nr: how many are used
 * @max: how many there are
 * @sectors: in all of them
 * @lost: sectors that were left out since a range could not be split
 */
struct ssdqos_ranges {
	struct ssdqos_range *pool;
	struct ssdqos_range *free;
	struct ssdqos_range *oldest;
	struct ssdqos_range *youngest;
	struct ssdqos_tree all;
	struct ssdqos_tree large;
	u64 granule;
	u64 align;
	u64 least;
	u32 nr;
	u32 max;
	u64 sectors;
	u64 lost;
};

static inline u64 ssdqos_range_start(const struct ssdqos_range *x)
{
	return x->node.key;
}

int ssdqos_ranges_init(struct ssdqos_ranges *r, u32 max, u64 granule, u64 align,
		       u64 least);
void ssdqos_ranges_exit(struct ssdqos_ranges *r);
u64 ssdqos_ranges_add(struct ssdqos_ranges *r, u32 area, u64 start, u64 end,
		      u64 now_ns);
u64 ssdqos_ranges_cut(struct ssdqos_ranges *r, u64 start, u64 end);
struct ssdqos_range *ssdqos_ranges_from(const struct ssdqos_ranges *r,
					u64 sector);
struct ssdqos_range *ssdqos_ranges_large_from(const struct ssdqos_ranges *r,
					      u64 sector);
void ssdqos_ranges_granules(const struct ssdqos_ranges *r,
			    const struct ssdqos_range *x, u64 *start, u64 *end);

#endif /* SSDQOS_TRIM_RANGES_H */
