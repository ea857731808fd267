// SPDX-License-Identifier: GPL-2.0
/*
 * grow.c - a mirror that becomes larger, or gets more members
 *
 * That is told by a table which is longer than what the superblock says, or has members
 * behind those that it knows of.  When such a table is resumed, before anything else:
 *
 *	masks		where the mirror was		new members lack all
 *			where it was not		one has what is there, all others lack it
 *			in a region that is both	likewise: who leads it, if somebody does
 *	superblock	the new size, and the new members are behind
 *
 * Masks are written before the superblock, so until that is there nothing has happened: a
 * power cut leaves a mirror as it was, whose masks may name members that it does not have,
 * and what they say of those does not count.  Then it begins as after any power cut.
 *
 * Nothing is ever taken away: a shorter table, or one with fewer members, is refused.
 */
#include "grow.h"

/**
 * ssdqos_mirror_check_regions - would a superblock be read that says so?
 * @sectors: size of the mirror
 * @region_sectors: of a region
 * @err: gets one sentence if not
 * @err_size: its size
 *
 * What is not asked before it is written is refused ever after.
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int ssdqos_mirror_check_regions(u64 sectors, u32 region_sectors, char *err,
				u32 err_size)
{
	u64 nr = ssdqos_mirror_nr_regions(sectors, region_sectors);

	if (nr <= SSDQOS_DISK_MAX_REGIONS)
		return 0;
	scnprintf(err, err_size,
		  "region_kib: '%u' makes %llu regions of %llu sectors, which have to be 1 to %llu",
		  region_sectors / SSDQOS_DISK_SECTORS_PER_KIB, nr, sectors,
		  SSDQOS_DISK_MAX_REGIONS);
	return -EINVAL;
}

static int grow_check_size(const struct ssdqos_mirror_super *s, u64 sectors,
			   const char *name, char *err, u32 err_size)
{
	if (s->sectors <= sectors)
		return 0;
	scnprintf(err, err_size,
		  "meta: '%s' is of a mirror of %llu sectors, and this one has %llu: it can't become smaller",
		  name, s->sectors, sectors);
	return -EINVAL;
}

static int grow_check_members(const struct ssdqos_mirror_super *s, u32 members,
			      u8 here, const char *name, char *err, u32 err_size)
{
	if (s->nr_members > members) {
		scnprintf(err, err_size,
			  "meta: '%s' is of a mirror of %u members, and this one has %u: '-' stands for one that is not here",
			  name, s->nr_members, members);
		return -EINVAL;
	}
	if (here & ((1u << s->nr_members) - 1))
		return 0;
	scnprintf(err, err_size,
		  "none of the %u members of the mirror on '%s' is here",
		  s->nr_members, name);
	return -EINVAL;
}

/**
 * ssdqos_mirror_grow_begin - does a table fit the superblock, and what is new in it?
 * @g: gets what is new
 * @s: what the superblock says
 * @wanted: what the table says: size, members and those that are here
 * @name: of the metadata device, for the sentence
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: any.
 * Return: 1 if it is to grow, 0 if it is as it was; -EINVAL if it does not fit or
 * none of those that were members is here.
 */
int ssdqos_mirror_grow_begin(struct ssdqos_mirror_growth *g,
			     const struct ssdqos_mirror_super *s,
			     const struct ssdqos_mirror_wanted *wanted,
			     const char *name, char *err, u32 err_size)
{
	u8 before = (u8)((1u << s->nr_members) - 1);
	u8 here = wanted->here & before;
	int r;

	if (s->region_sectors != wanted->region_sectors) {
		scnprintf(err, err_size,
			  "region_kib: '%u' is not that of the mirror on '%s' (%u)",
			  wanted->region_sectors / SSDQOS_DISK_SECTORS_PER_KIB, name,
			  s->region_sectors / SSDQOS_DISK_SECTORS_PER_KIB);
		return -EINVAL;
	}
	r = grow_check_size(s, wanted->sectors, name, err, err_size);
	if (!r)
		r = ssdqos_mirror_check_regions(wanted->sectors, s->region_sectors,
						err, err_size);
	if (!r)
		r = grow_check_members(s, wanted->members, wanted->here, name, err,
				       err_size);
	if (r)
		return r;
	*g = (struct ssdqos_mirror_growth){
		.all = (u8)((1u << wanted->members) - 1), .before = before,
		/* the best first */
		.leaders = { here & (u8)(1u << s->leader),
			     here & (u8)~s->out_mask, here, before },
		/* a region that the mirror had in part has members that differ behind it */
		.whole = div64_u64(s->sectors, s->region_sectors),
		.known = ssdqos_mirror_nr_regions(s->sectors, s->region_sectors),
		.larger = s->sectors < wanted->sectors,
	};
	return g->larger || g->all != before;
}

/* Who has what is in a region. */
static u8 grow_leader(const struct ssdqos_mirror_growth *g, u8 lacks)
{
	u8 able = 0;
	u32 i;

	for (i = 0; i < SSDQOS_MIRROR_GROWTH_LEADERS && !able; i++)
		able = g->leaders[i] & (u8)~lacks;
	/* a mask that names all is none of ours */
	able = able ? able : g->before;
	return able & (u8)-able;
}

/**
 * ssdqos_mirror_grow_masks - what masks have to say of the mirror as it becomes
 * @g: what is new
 * @first: number of the first region
 * @masks: as the metadata have them; anything where they have nothing
 * @nr: how many
 *
 * To be written before the superblock is.
 * Context: any.
 */
void ssdqos_mirror_grow_masks(const struct ssdqos_mirror_growth *g, u64 first,
			      u8 *masks, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		u8 lacks = first + i < g->known ? masks[i] & g->before : 0;

		if (g->larger && first + i >= g->whole)
			masks[i] = g->all & (u8)~grow_leader(g, lacks);
		else
			masks[i] = lacks | (g->all & (u8)~g->before);
	}
}

/**
 * ssdqos_mirror_grow_super - what the superblock has to say then
 * @g: what is new
 * @wanted: what the table says
 * @s: gets it, but for its number
 *
 * Context: any.
 */
void ssdqos_mirror_grow_super(const struct ssdqos_mirror_growth *g,
			      const struct ssdqos_mirror_wanted *wanted,
			      struct ssdqos_mirror_super *s)
{
	s->sectors = wanted->sectors;
	s->nr_members = wanted->members;
	s->out_mask |= g->all & (u8)~g->before;
}
