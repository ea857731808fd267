/* SPDX-License-Identifier: GPL-2.0 */
/*
 * grow.h - a mirror that becomes larger, or gets more members (grow.c)
 */
#ifndef SSDQOS_MIRROR_GROW_H
#define SSDQOS_MIRROR_GROW_H

#include "disk.h"

/**
 * struct ssdqos_mirror_wanted - what a table says of a mirror
 * @sectors: its size
 * @region_sectors: of a region
 * @members: how many
 * @here: those that are, a bit each
 */
struct ssdqos_mirror_wanted {
	u64 sectors;
	u32 region_sectors;
	u32 members;
	u8 here;
};

/* The leader, those who have all, those who are here, all. */
#define SSDQOS_MIRROR_GROWTH_LEADERS 4u

/**
 * struct ssdqos_mirror_growth - what is new of it
 * @all: its members, a bit each
 * @before: those that it had
 * @leaders: sets of those, the best first: who has what is where the mirror was not is of
 *	the first one in which somebody may have all
 * @whole: regions that it had to their end
 * @known: regions that it had, in part at least
 * @larger: it had fewer sectors
 */
struct ssdqos_mirror_growth {
	u8 all;
	u8 before;
	u8 leaders[SSDQOS_MIRROR_GROWTH_LEADERS];
	u64 whole;
	u64 known;
	bool larger;
};

int ssdqos_mirror_check_regions(u64 sectors, u32 region_sectors, char *err,
				u32 err_size);
int ssdqos_mirror_grow_begin(struct ssdqos_mirror_growth *g,
			     const struct ssdqos_mirror_super *s,
			     const struct ssdqos_mirror_wanted *wanted,
			     const char *name, char *err, u32 err_size);
void ssdqos_mirror_grow_masks(const struct ssdqos_mirror_growth *g, u64 first,
			      u8 *masks, u32 nr);
void ssdqos_mirror_grow_super(const struct ssdqos_mirror_growth *g,
			      const struct ssdqos_mirror_wanted *wanted,
			      struct ssdqos_mirror_super *s);

#endif /* SSDQOS_MIRROR_GROW_H */
