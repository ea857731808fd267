// SPDX-License-Identifier: GPL-2.0
/*
 * meta.c - where a mirror keeps what it must know after a power cut
 *
 * What lies where is core/mirror/disk.h.  All is read when the mirror begins; from then on
 * a block of masks, or the superblock, is written to the place of the older copy.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "core/mirror/grow.h"
#include "ianus.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

/* Read or write one block, and wait for it. */
static int meta_io(struct ianus *x, blk_opf_t opf, u64 sector, void *block)
{
	struct bio_vec vec;
	struct bio bio;
	int r;

	bio_init(&bio, x->meta.dev->bdev, &vec, 1, opf | REQ_SYNC | REQ_META);
	bio.bi_iter.bi_sector = sector;
	__bio_add_page(&bio, virt_to_page(block), SSDQOS_DISK_BLOCK_BYTES,
		       offset_in_page(block));
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

static int meta_write(struct ianus *x, u64 sector, void *block, char *err)
{
	int r = meta_io(x, REQ_OP_WRITE | REQ_FUA | REQ_PREFLUSH, sector, block);

	if (r)
		scnprintf(err, IANUS_ERR_BYTES, "meta: '%s' can't be written (%d)",
			  x->meta.dev->name, r);
	return r;
}

static int meta_write_super(struct ianus *x, char *err)
{
	struct ianus_meta *meta = &x->meta;
	int r = meta_write(x, ssdqos_mirror_super_sector(!meta->super_slot),
			   meta->super_block, err);

	if (!r)
		meta->super_slot = !meta->super_slot;
	return r;
}

static u32 meta_maps(const struct ianus *x)
{
	return x->mirror.regions.nr_blocks;
}

/**
 * ianus_meta_init - memory for what is written
 * @x: the mirror; its core is there
 * @err: gets one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ianus_meta_init(struct ianus *x, char *err)
{
	struct ianus_meta *meta = &x->meta;
	u32 region_sectors = ianus_region_sectors(x);
	u64 need = ssdqos_mirror_meta_sectors(x->ti->len, region_sectors);
	u64 have = bdev_nr_sectors(meta->dev->bdev);

	if (have < need) {
		scnprintf(err, IANUS_ERR_BYTES,
			  "meta: '%s' has %llu sectors, and %llu are needed",
			  meta->dev->name, have, need);
		return -ENOSPC;
	}
	meta->slots = kvcalloc(meta_maps(x), sizeof(meta->slots[0]), GFP_KERNEL);
	meta->seqs = kvcalloc(meta_maps(x), sizeof(meta->seqs[0]), GFP_KERNEL);
	meta->block = (u8 *)__get_free_page(GFP_KERNEL | __GFP_ZERO);
	meta->super_block = (u8 *)__get_free_page(GFP_KERNEL | __GFP_ZERO);
	if (meta->slots && meta->seqs && meta->block && meta->super_block)
		return 0;
	scnprintf(err, IANUS_ERR_BYTES, "meta: no memory");
	return -ENOMEM;
}

/**
 * ianus_meta_exit - give the memory back
 * @x: the mirror
 *
 * Context: may sleep.
 */
void ianus_meta_exit(struct ianus *x)
{
	kvfree(x->meta.slots);
	kvfree(x->meta.seqs);
	free_page((unsigned long)x->meta.block);
	free_page((unsigned long)x->meta.super_block);
}

/* ---- a new mirror ---- */

static int meta_format(struct ianus *x, char *err)
{
	struct ssdqos_mirror_super *s = &x->meta.super;
	u32 i;
	int r = 0;

	*s = (struct ssdqos_mirror_super){
		.seq = 1, .sectors = x->ti->len,
		.region_sectors = ianus_region_sectors(x),
		.nr_members = x->nr,
		.durability = (u32)ssdqos_mirror_super_says(&x->mirror),
	};
	get_random_bytes(s->uuid, sizeof(s->uuid));
	for (i = 0; i < meta_maps(x) && !r; i++) {
		x->meta.slots[i] = 0;
		x->meta.seqs[i] = 1;
		/* who is copied to is known from the masks, should this be cut short */
		memset(x->mirror.regions.image,
		       x->cfg.assume_same ? 0 : x->mirror.all & ~1u,
		       sizeof(x->mirror.regions.image));
		ssdqos_mirror_regions_encode(s->uuid, i, 1,
					     x->mirror.regions.image,
					     min(x->mirror.regions.nr -
						 i * SSDQOS_MIRROR_MAP_REGIONS,
						 SSDQOS_MIRROR_MAP_REGIONS),
					     x->meta.block);
		ssdqos_regions_load(&x->mirror.regions, i,
				    x->mirror.regions.image);
		r = meta_write(x, ssdqos_mirror_regions_sector(i, 0),
			       x->meta.block, err);
	}
	for (i = 0; i < SSDQOS_DISK_SLOTS && !r; i++) {
		s->seq = i + 1;
		ssdqos_mirror_super_encode(s, x->meta.block);
		r = meta_write(x, ssdqos_mirror_super_sector(i), x->meta.block,
			       err);
		x->meta.super_slot = i;
	}
	return r;
}

/* ---- one that was here before ---- */

static int meta_read(struct ianus *x, u64 sector, u8 *block, char *err)
{
	int r = meta_io(x, REQ_OP_READ, sector, block);

	if (r)
		scnprintf(err, IANUS_ERR_BYTES, "meta: '%s' can't be read (%d)",
			  x->meta.dev->name, r);
	return r;
}

/* What the masks of a block are, and where the newest copy of it is. */
static int meta_read_map(struct ianus *x, u32 index, u8 *masks, char *err)
{
	const u8 *slots[SSDQOS_DISK_SLOTS] = {
		x->meta.block, x->meta.super_block,
	};
	struct ssdqos_disk_choice choice;
	const u8 *found;
	int r;

	r = meta_read(x, ssdqos_mirror_regions_sector(index, 0), x->meta.block,
		      err);
	if (!r)
		r = meta_read(x, ssdqos_mirror_regions_sector(index, 1),
			      x->meta.super_block, err);
	if (r)
		return r;
	found = ssdqos_mirror_regions_choose(slots, x->meta.super.uuid, index,
					     &x->meta.seqs[index], &choice, err,
					     IANUS_ERR_BYTES);
	if (!found)
		return -EBADMSG;
	x->meta.slots[index] = choice.newest;
	memcpy(masks, found, SSDQOS_MIRROR_MAP_REGIONS);
	return 0;
}

static struct ssdqos_mirror_wanted meta_wanted(const struct ianus *x)
{
	return (struct ssdqos_mirror_wanted){
		.sectors = x->ti->len, .members = x->nr,
		.region_sectors = ianus_region_sectors(x),
		.here = x->mirror.all & (u8)~ianus_absent(x),
	};
}

/* Does the table fit the superblock?  1 if it has more. */
static int meta_check(const struct ianus *x, struct ssdqos_mirror_growth *growth,
		      char *err)
{
	struct ssdqos_mirror_wanted wanted = meta_wanted(x);

	return ssdqos_mirror_grow_begin(growth, &x->meta.super, &wanted,
					x->meta.dev->name, err, IANUS_ERR_BYTES);
}

/* 1 if there is one; 0 if the device is blank. */
static int meta_read_super(struct ianus *x, char *err)
{
	const u8 *slots[SSDQOS_DISK_SLOTS] = {
		x->meta.block, x->meta.super_block,
	};
	struct ssdqos_disk_choice choice;
	int r;

	r = meta_read(x, ssdqos_mirror_super_sector(0), x->meta.block, err);
	if (!r)
		r = meta_read(x, ssdqos_mirror_super_sector(1),
			      x->meta.super_block, err);
	if (r)
		return r;
	if (ssdqos_disk_is_blank(x->meta.block) &&
	    ssdqos_disk_is_blank(x->meta.super_block))
		return 0;
	r = ssdqos_mirror_super_choose(slots, NULL, &x->meta.super, &choice, err,
				       IANUS_ERR_BYTES);
	x->meta.super_slot = choice.newest;
	return r < 0 ? r : 1;
}

/* Can all masks that there are be read? */
static int meta_look_maps(struct ianus *x, const struct ssdqos_mirror_growth *growth,
			  char *err)
{
	u32 i;
	int r = 0;

	for (i = 0; (u64)i * SSDQOS_MIRROR_MAP_REGIONS < growth->known && !r; i++)
		r = meta_read_map(x, i, x->mirror.regions.image, err);
	return r;
}

/**
 * ianus_meta_look - can a mirror begin with what is on its metadata device?
 * @x: the mirror
 * @err: gets one sentence if not
 *
 * When its table is loaded: what is refused later stops the mirror that is there, which
 * then can't begin again either.  That one may write blocks meanwhile, one of the two copies
 * at a time, so the other one is good.
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ianus_meta_look(struct ianus *x, char *err)
{
	struct ssdqos_mirror_growth growth;
	int r = meta_read_super(x, err);

	if (r <= 0)
		return r;
	r = meta_check(x, &growth, err);
	return r < 0 ? r : meta_look_maps(x, &growth, err);
}

/* ---- one that was smaller ---- */

static int meta_grow_map(struct ianus *x, const struct ssdqos_mirror_growth *growth,
			 u32 index, char *err)
{
	struct ssdqos_regions *regions = &x->mirror.regions;
	struct ianus_meta *meta = &x->meta;
	u32 first = index * SSDQOS_MIRROR_MAP_REGIONS;
	u32 nr = min(regions->nr - first, SSDQOS_MIRROR_MAP_REGIONS);
	int r = 0;

	/* behind what there was the first copy is written, as of a new mirror */
	meta->slots[index] = 1;
	meta->seqs[index] = 0;
	if (first < growth->known)
		r = meta_read_map(x, index, regions->image, err);
	if (r)
		return r;
	ssdqos_mirror_grow_masks(growth, first, regions->image, nr);
	ssdqos_mirror_regions_encode(meta->super.uuid, index, ++meta->seqs[index],
				     regions->image, nr, meta->block);
	meta->slots[index] = !meta->slots[index];
	r = meta_write(x, ssdqos_mirror_regions_sector(index, meta->slots[index]),
		       meta->block, err);
	if (!r)
		ssdqos_regions_load(regions, index, regions->image);
	return r;
}

static int meta_grow(struct ianus *x, const struct ssdqos_mirror_growth *growth,
		     char *err)
{
	struct ssdqos_mirror_wanted wanted = meta_wanted(x);
	struct ianus_meta *meta = &x->meta;
	u32 i;
	int r = 0;

	for (i = 0; i < meta_maps(x) && !r; i++)
		r = meta_grow_map(x, growth, i, err);
	if (r)
		return r;
	ssdqos_mirror_grow_super(growth, &wanted, &meta->super);
	meta->super.seq++;
	ssdqos_mirror_super_encode(&meta->super, meta->super_block);
	r = meta_write_super(x, err);
	if (!r)
		DMINFO("it has grown to %llu sectors on %u members",
		       meta->super.sectors, meta->super.nr_members);
	return r;
}

static int meta_load_maps(struct ianus *x, char *err)
{
	struct ssdqos_regions *regions = &x->mirror.regions;
	u32 i, n;
	int r;

	for (i = 0; i < meta_maps(x); i++) {
		r = meta_read_map(x, i, regions->image, err);
		if (r)
			return r;
		/* power was cut before the superblock knew of others */
		for (n = 0; n < SSDQOS_MIRROR_MAP_REGIONS; n++)
			regions->image[n] &= x->mirror.all;
		ssdqos_regions_load(regions, i, regions->image);
	}
	return 0;
}

/* One that the superblock knows; @growth gets what is new in it. */
static int meta_go_on(struct ianus *x, struct ssdqos_mirror_growth *growth,
		      char *err)
{
	int r = meta_check(x, growth, err);

	if (r < 0)
		return r;
	return r ? meta_grow(x, growth, err) : meta_load_maps(x, err);
}

/**
 * ianus_meta_load - what is known from before; a blank device begins a new mirror
 * @x: the mirror; gets its masks
 * @known: gets what else there is
 * @err: gets one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ianus_meta_load(struct ianus *x, struct ssdqos_mirror_known *known,
		    char *err)
{
	struct ssdqos_mirror_growth growth = { 0 };
	int r = meta_read_super(x, err);

	if (r < 0)
		return r;
	r = r ? meta_go_on(x, &growth, err) : meta_format(x, err);
	if (r)
		return r;
	*known = (struct ssdqos_mirror_known){
		.leader = x->meta.super.leader,
		.moment = x->meta.super.durability == SSDQOS_MIRROR_VOLATILE,
		.behind = (u8)x->meta.super.out_mask,
		.rebuild = growth.all & (u8)~growth.before,
	};
	return 0;
}

/* ---- while it runs ---- */

static void meta_prepare_map(struct ianus *x, u32 index)
{
	struct ianus_meta *meta = &x->meta;
	u32 left = x->mirror.regions.nr - index * SSDQOS_MIRROR_MAP_REGIONS;

	ssdqos_mirror_regions_encode(meta->super.uuid, index,
				     meta->seqs[index] + 1,
				     x->mirror.regions.image,
				     min(left, SSDQOS_MIRROR_MAP_REGIONS),
				     meta->block);
}

static void meta_prepare_super(struct ianus *x)
{
	struct ianus_meta *meta = &x->meta;

	spin_lock_irq(&x->lock);
	meta->super.seq++;
	meta->super.leader = x->mirror.leader;
	/* who is to lead instead of one that has failed does not have all yet */
	meta->super.out_mask = ssdqos_mirror_behind(&x->mirror) &
			       ~(1u << x->mirror.leader);
	meta->super.durability = (u32)ssdqos_mirror_super_says(&x->mirror);
	spin_unlock_irq(&x->lock);
	ssdqos_mirror_super_encode(&meta->super, meta->super_block);
}

/**
 * ianus_meta_note - write the superblock, and wait for it
 * @x: the mirror, at rest
 * @err: gets one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ianus_meta_note(struct ianus *x, char *err)
{
	meta_prepare_super(x);
	return meta_write_super(x, err);
}

/**
 * ianus_meta_prepare - put together what is to be written
 * @x: the mirror
 * @op: a map or a superblock
 * @data: gets the block
 *
 * Context: the work; what it is made of does not change until it was written.
 * Return: where it goes.
 */
sector_t ianus_meta_prepare(struct ianus *x, const struct ssdqos_mirror_op *op,
			    void **data)
{
	struct ianus_meta *meta = &x->meta;
	u32 index = (u32)op->block;

	if (op->kind == SSDQOS_MIRROR_OP_MAP) {
		meta_prepare_map(x, index);
		*data = meta->block;
		return ssdqos_mirror_regions_sector(index, !meta->slots[index]);
	}
	meta_prepare_super(x);
	*data = meta->super_block;
	return ssdqos_mirror_super_sector(!meta->super_slot);
}

/**
 * ianus_meta_written - a block was written
 * @x: the mirror
 * @op: a map or a superblock
 * @failed: it was not; the next try goes to the same place
 *
 * Context: any; the lock is held.
 */
void ianus_meta_written(struct ianus *x, const struct ssdqos_mirror_op *op,
			bool failed)
{
	struct ianus_meta *meta = &x->meta;

	lockdep_assert_held(&x->lock);
	if (failed)
		return;
	if (op->kind == SSDQOS_MIRROR_OP_MAP) {
		meta->slots[op->block] = !meta->slots[op->block];
		meta->seqs[op->block]++;
	} else {
		meta->super_slot = !meta->super_slot;
	}
}
