// SPDX-License-Identifier: GPL-2.0
/*
 * apart.c - no two devices of a mirror may be the same place
 *
 * What is written to one would be in the other.  This is known of partitions and offsets of
 * one disk; of mapped devices below, only if they are the same one.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>

#include "core/mirror/disk.h"
#include "ianus.h"

/* Sectors of a device. */
struct apart_place {
	struct block_device *bdev;
	u64 first;
	u64 nr;
};

static bool apart_overlap(const struct apart_place *a, const struct apart_place *b)
{
	u64 first = get_start_sect(a->bdev) + a->first;
	u64 other = get_start_sect(b->bdev) + b->first;

	return a->bdev->bd_disk == b->bdev->bd_disk && first < other + b->nr &&
	       other < first + a->nr;
}

static struct apart_place apart_member(const struct ianus *x, u32 member)
{
	return (struct apart_place){
		.bdev = x->members[member].dev->bdev,
		.first = x->members[member].offset, .nr = x->ti->len,
	};
}

/* With what the tool keeps behind the masks, if there is room. */
static struct apart_place apart_meta(const struct ianus *x)
{
	u64 nr = ssdqos_mirror_meta_sectors(x->ti->len, ianus_region_sectors(x)) +
		 SSDQOS_DISK_SLOTS * SSDQOS_DISK_BLOCK_SECTORS;

	return (struct apart_place){
		.bdev = x->meta.dev->bdev,
		.nr = min_t(u64, nr, bdev_nr_sectors(x->meta.dev->bdev)),
	};
}

static int apart_check_member(const struct ianus *x, u32 member, char *err)
{
	struct apart_place place = apart_member(x, member), other;
	struct apart_place meta = apart_meta(x);
	u32 i;

	if (apart_overlap(&place, &meta)) {
		scnprintf(err, IANUS_ERR_BYTES,
			  "meta: '%s' has sectors of member %u",
			  x->meta.dev->name, member);
		return -EINVAL;
	}
	for (i = 0; i < member; i++) {
		if (!x->members[i].dev)
			continue;
		other = apart_member(x, i);
		if (!apart_overlap(&place, &other))
			continue;
		scnprintf(err, IANUS_ERR_BYTES,
			  "member %u: '%s' has sectors of member %u", member,
			  x->members[member].dev->name, i);
		return -EINVAL;
	}
	return 0;
}

/**
 * ianus_check_apart - are members and metadata different places?
 * @x: the mirror; its devices and parameters are known
 * @err: gets one sentence if not
 *
 * Context: process.
 * Return: 0 or -EINVAL.
 */
int ianus_check_apart(const struct ianus *x, char *err)
{
	int r = 0;
	u32 i;

	for (i = 0; i < x->nr && !r; i++)
		if (x->members[i].dev)
			r = apart_check_member(x, i, err);
	return r;
}
