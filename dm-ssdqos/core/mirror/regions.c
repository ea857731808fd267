// SPDX-License-Identifier: GPL-2.0
/*
 * regions.c - where members may differ, as the metadata say it
 *
 * Each region has a mask of the members that may lack what is newest in it.
 *
 *	0				all members have the same
 *	all but one (the region's	that one has all that was promised to be durable;
 *	leader)				it is what the others are made from after a crash
 *
 * A member is written in a region only where its mask says that members differ, and
 * masks are written before; so after a crash what differs is known, and no more has to
 * be copied.  A mask goes back to 0 when nothing of the region is in the cache: what
 * has left the cache is on stable storage of all members.  That is done when masks
 * beside it are written anyway, or when there is nothing else to do.
 *
 * Masks are written in blocks of SSDQOS_MIRROR_MAP_REGIONS, one at a time; what becomes
 * known while one is written goes with the next one.  If the device says that it has failed,
 * it may have been written all the same, so the next one is that one again, as it was.
 *
 * The caller serialises.
 */
#include "regions.h"

/**
 * ssdqos_regions_init - members differ nowhere
 * @r: the regions
 * @blocks: size of the mirror
 * @shift: blocks of a region, as a power of two
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -E2BIG if there would be more than 2^32 - 1.
 */
int ssdqos_regions_init(struct ssdqos_regions *r, u64 blocks, u32 shift)
{
	u64 nr = (blocks + (1ULL << shift) - 1) >> shift;

	*r = (struct ssdqos_regions){ .shift = shift };
	if (nr >= SSDQOS_NIL)
		return -E2BIG;
	r->nr = (u32)nr;
	r->nr_by_stale[0] = r->nr;
	r->nr_blocks = DIV_ROUND_UP(r->nr, SSDQOS_MIRROR_MAP_REGIONS);
	r->regions = ssdqos_env_alloc(nr * sizeof(r->regions[0]));
	r->blocks = ssdqos_env_alloc((u64)r->nr_blocks * sizeof(r->blocks[0]));
	if (r->regions && r->blocks)
		return 0;
	ssdqos_regions_exit(r);
	return -ENOMEM;
}

/**
 * ssdqos_regions_exit - give the memory back
 * @r: the regions
 *
 * Context: may sleep.
 */
void ssdqos_regions_exit(struct ssdqos_regions *r)
{
	ssdqos_env_free(r->regions);
	ssdqos_env_free(r->blocks);
	r->regions = NULL;
	r->blocks = NULL;
}

static struct ssdqos_map_block *map_block(struct ssdqos_regions *r, u32 region)
{
	return &r->blocks[region / SSDQOS_MIRROR_MAP_REGIONS];
}

static u32 map_first(u32 index)
{
	return index * SSDQOS_MIRROR_MAP_REGIONS;
}

static u32 map_nr(const struct ssdqos_regions *r, u32 index)
{
	return min(r->nr - map_first(index), SSDQOS_MIRROR_MAP_REGIONS);
}

/**
 * ssdqos_regions_load - what the metadata say
 * @r: the regions
 * @index: of the block of masks
 * @masks: of its regions
 *
 * Context: any.
 */
void ssdqos_regions_load(struct ssdqos_regions *r, u32 index, const u8 *masks)
{
	struct ssdqos_region *x = &r->regions[map_first(index)];
	u32 i;

	for (i = 0; i < map_nr(r, index); i++, x++) {
		x->disk = masks[i];
		x->want = masks[i];
		if (masks[i])
			ssdqos_regions_look(r, map_first(index) + i);
	}
}

/**
 * ssdqos_regions_want - the metadata are to say another mask
 * @r: the regions
 * @region: which one
 * @mask: members that may lack what is newest
 *
 * Context: any.
 */
void ssdqos_regions_want(struct ssdqos_regions *r, u32 region, u8 mask)
{
	struct ssdqos_map_block *b = map_block(r, region);

	if (r->regions[region].want == mask)
		return;
	r->regions[region].want = mask;
	r->nr_dirty += !b->dirty;
	b->dirty = true;
}

/**
 * ssdqos_regions_owe - a flush waits until a region's mask is on the metadata device
 * @r: the regions
 * @region: which one; its mask is to be written, or is being
 *
 * Context: any.
 */
void ssdqos_regions_owe(struct ssdqos_regions *r, u32 region)
{
	struct ssdqos_map_block *b = map_block(r, region);

	if (b->dirty && !b->owed) {
		b->owed = true;
		r->nr_owed++;
	} else if (!b->dirty && r->writing && !r->writing_owed &&
		   region / SSDQOS_MIRROR_MAP_REGIONS == r->index) {
		r->writing_owed = true;
		r->nr_owed++;
	}
}

/**
 * ssdqos_regions_flip - a region is to be led by another member, or is
 * @r: the regions
 * @region: which one
 * @flip: it is to be
 *
 * Context: any.
 */
void ssdqos_regions_flip(struct ssdqos_regions *r, u32 region, bool flip)
{
	struct ssdqos_region *x = &r->regions[region];

	if (x->flip == flip)
		return;
	x->flip = flip;
	if (flip) {
		map_block(r, region)->nr_flips++;
		r->nr_flips++;
	} else {
		map_block(r, region)->nr_flips--;
		r->nr_flips--;
		if (!x->nr)
			ssdqos_regions_look(r, region);
	}
}

/**
 * ssdqos_regions_stale - say who has to be copied to
 * @r: the regions
 * @region: which one
 * @stale: members
 *
 * Context: any.
 */
void ssdqos_regions_stale(struct ssdqos_regions *r, u32 region, u8 stale)
{
	struct ssdqos_region *x = &r->regions[region];
	u32 i;

	r->nr_stale += !!stale;
	r->nr_stale -= !!x->stale;
	for (i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++) {
		r->stale_of[i] += (stale >> i) & 1;
		r->stale_of[i] -= (x->stale >> i) & 1;
	}
	r->nr_by_stale[x->stale]--;
	r->nr_by_stale[stale]++;
	x->stale = stale;
	if (!stale)
		ssdqos_regions_look(r, region);
}

/**
 * ssdqos_regions_all_stale - is there a region where all of some members are stale?
 * @r: the regions
 * @members: a bit each; of nobody, all are anywhere
 *
 * Context: any; looks at counts, not at regions.
 */
bool ssdqos_regions_all_stale(const struct ssdqos_regions *r, u8 members)
{
	u32 mask;

	for (mask = 0; mask < SSDQOS_MIRROR_NR_MASKS; mask++)
		if (r->nr_by_stale[mask] && !(members & ~mask))
			return true;
	return false;
}

/**
 * ssdqos_regions_lacks - may the metadata say that a member lacks what is newest?
 * @r: the regions
 * @region: where
 * @member: a bit
 *
 * Context: any.
 */
bool ssdqos_regions_lacks(const struct ssdqos_regions *r, u32 region, u8 member)
{
	const struct ssdqos_region *x = &r->regions[region];
	u8 mask = x->disk | x->want;

	if (r->writing && region / SSDQOS_MIRROR_MAP_REGIONS == r->index)
		mask |= r->image[region % SSDQOS_MIRROR_MAP_REGIONS];
	return mask & member;
}

/**
 * ssdqos_regions_leads - may the metadata say that one of some members leads?
 * @r: the regions
 * @region: where
 * @members: a bit each
 *
 * Context: any.
 */
bool ssdqos_regions_leads(const struct ssdqos_regions *r, u32 region, u8 members)
{
	const struct ssdqos_region *x = &r->regions[region];
	u8 image = x->disk;

	if (r->writing && region / SSDQOS_MIRROR_MAP_REGIONS == r->index)
		image = r->image[region % SSDQOS_MIRROR_MAP_REGIONS];
	return (x->disk && (members & (u8)~x->disk)) ||
	       (x->want && (members & (u8)~x->want)) ||
	       (image && (members & (u8)~image));
}

/* May a member be written where the metadata have this mask? */
static bool mask_lets(u8 mask, u8 member, u8 all)
{
	return (mask & member) || mask == (u8)(all & ~member);
}

/**
 * ssdqos_regions_may - may a member be written in a region?
 * @r: the regions
 * @region: which one
 * @member: a bit
 * @all: a bit for each member
 *
 * Whatever a power cut leaves of masks that are being written, or will be, has to say
 * that this member differs, or that it leads.
 * Context: any.
 */
bool ssdqos_regions_may(const struct ssdqos_regions *r, u32 region, u8 member,
			u8 all)
{
	const struct ssdqos_region *x = &r->regions[region];

	if (!mask_lets(x->disk, member, all) || !mask_lets(x->want, member, all))
		return false;
	if (!r->writing || region / SSDQOS_MIRROR_MAP_REGIONS != r->index)
		return true;
	return mask_lets(r->image[region % SSDQOS_MIRROR_MAP_REGIONS], member,
			 all);
}

/**
 * ssdqos_regions_noted - do the metadata say of all these that they may lack something?
 * @r: the regions
 * @region: where
 * @members: a bit each
 *
 * Whatever a power cut leaves of a block of masks that is being written.
 * Context: any.
 */
bool ssdqos_regions_noted(const struct ssdqos_regions *r, u32 region, u8 members)
{
	u8 mask = r->regions[region].disk;

	if (r->writing && region / SSDQOS_MIRROR_MAP_REGIONS == r->index)
		mask &= r->image[region % SSDQOS_MIRROR_MAP_REGIONS];
	return !(members & (u8)~mask);
}

static void map_tidy(struct ssdqos_regions *r, u32 index)
{
	u32 first = map_first(index), i;

	for (i = 0; i < map_nr(r, index); i++) {
		const struct ssdqos_region *x = &r->regions[first + i];

		if (x->nr || x->stale)
			continue;
		/* all have all of it: anybody may lead, and no flush may come to say who */
		ssdqos_regions_flip(r, first + i, false);
		ssdqos_regions_want(r, first + i, 0);
	}
}

/**
 * ssdqos_regions_tidy - masks of regions that nothing is in the cache of become 0
 * @r: the regions; no member is missing
 *
 * Context: any; looks at SSDQOS_MIRROR_MAP_REGIONS regions.
 * Return: false if there was none to look at.
 */
bool ssdqos_regions_tidy(struct ssdqos_regions *r)
{
	struct ssdqos_map_block *b;

	if (!r->nr_clean)
		return false;
	while (!r->blocks[r->tidy_cursor].clean)
		r->tidy_cursor = r->tidy_cursor + 1 < r->nr_blocks ?
				 r->tidy_cursor + 1 : 0;
	b = &r->blocks[r->tidy_cursor];
	b->clean = false;
	r->nr_clean--;
	map_tidy(r, r->tidy_cursor);
	return true;
}

/**
 * ssdqos_regions_write - is a block of masks to be written?
 * @r: the regions
 *
 * If so, @index says which one, @image what it has to hold, and
 * ssdqos_regions_written() has to be called before the next one is.  After a failure it
 * is the same one again.
 * Context: any; looks at SSDQOS_MIRROR_MAP_REGIONS regions.
 */
bool ssdqos_regions_write(struct ssdqos_regions *r)
{
	u32 i, first;

	if (r->again) {
		r->again = false;
		return true;
	}
	if (!r->nr_dirty || r->writing)
		return false;
	while (!r->blocks[r->cursor].dirty)
		r->cursor = r->cursor + 1 < r->nr_blocks ? r->cursor + 1 : 0;
	r->index = r->cursor;
	first = map_first(r->index);
	memset(r->image, 0, sizeof(r->image));
	for (i = 0; i < map_nr(r, r->index); i++)
		r->image[i] = r->regions[first + i].want;
	r->blocks[r->index].dirty = false;
	r->nr_dirty--;
	r->writing_owed = r->blocks[r->index].owed;
	r->blocks[r->index].owed = false;
	r->writing = true;
	return true;
}

/**
 * ssdqos_regions_written - that block was written
 * @r: the regions
 * @failed: maybe not: it has to be again
 *
 * Context: any; looks at SSDQOS_MIRROR_MAP_REGIONS regions.
 */
void ssdqos_regions_written(struct ssdqos_regions *r, bool failed)
{
	u32 first = map_first(r->index), i;

	/* the device may have it all the same: it counts as being written until it was */
	r->again = failed;
	if (failed)
		return;
	r->writing = false;
	r->nr_owed -= r->writing_owed;
	for (i = 0; i < map_nr(r, r->index); i++)
		r->regions[first + i].disk = r->image[i];
	r->cursor = r->cursor + 1 < r->nr_blocks ? r->cursor + 1 : 0;
}
