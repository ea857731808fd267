// SPDX-License-Identifier: GPL-2.0
/*
 * ianus_compare.c - compare a region of a mirror's members
 *
 * Some blocks of each member are read at a time.  What can't be read together is read
 * block by block, so that it is known which one can't be.
 */
#include <linux/bio.h>
#include <linux/bitops.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/string.h>

#include "ianus.h"
#include "ianus_trace.h"

/* Some blocks of a region: which ones, and in which of them somebody differs; a bit each. */
struct compare_part {
	struct ianus *mirror;
	const struct ssdqos_mirror_op *op;
	u32 first;
	u32 nr;
	u32 differ;
	u32 bad;
};

/**
 * ianus_compare_init - memory for what is compared
 * @x: the mirror
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ianus_compare_init(struct ianus *x)
{
	struct page **page = &x->compare[0][0];
	u32 i;

	for (i = 0; i < 2 * IANUS_COMPARE_BLOCKS; i++) {
		page[i] = alloc_page(GFP_KERNEL);
		if (!page[i])
			return -ENOMEM;
	}
	return 0;
}

/**
 * ianus_compare_exit - give the memory back
 * @x: the mirror
 *
 * Context: may sleep.
 */
void ianus_compare_exit(struct ianus *x)
{
	struct page **page = &x->compare[0][0];
	u32 i;

	for (i = 0; i < 2 * IANUS_COMPARE_BLOCKS; i++)
		if (page[i])
			__free_page(page[i]);
}

static int compare_read_some(const struct compare_part *part, u32 member,
			     u32 first, u32 nr, struct page **pages)
{
	const struct ianus_member *x = &part->mirror->members[member];
	struct bio_vec vecs[IANUS_COMPARE_BLOCKS];
	struct bio bio;
	u32 i;
	int r;

	bio_init(&bio, x->dev->bdev, vecs, nr, REQ_OP_READ | REQ_BACKGROUND);
	bio.bi_iter.bi_sector = x->offset +
		((part->op->block + first) << IANUS_BLOCK_SHIFT);
	for (i = 0; i < nr; i++)
		__bio_add_page(&bio, pages[i], SSDQOS_MIRROR_BLOCK_BYTES, 0);
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

/* Blocks that can't be read, a bit each. */
static u32 compare_read(const struct compare_part *part, u32 member,
			struct page **pages)
{
	u32 lost = 0, i;

	if (!compare_read_some(part, member, part->first, part->nr, pages))
		return 0;
	for (i = 0; i < part->nr; i++)
		if (compare_read_some(part, member, part->first + i, 1,
				      &pages[i]))
			lost |= 1u << i;
	return lost;
}

static void compare_with(struct compare_part *part, u32 member, u32 lost)
{
	struct ianus *x = part->mirror;
	u32 other = compare_read(part, member, x->compare[1]), i;

	for (i = 0; i < part->nr; i++) {
		u32 bit = 1u << i;

		if (ssdqos_mirror_skips(&x->mirror.scrub, part->first + i))
			continue;
		if (lost & bit)
			part->bad |= 1u << part->op->member;
		if ((other & bit) ||
		    (!(lost & bit) &&
		     memcmp(page_address(x->compare[0][i]),
			    page_address(x->compare[1][i]),
			    SSDQOS_MIRROR_BLOCK_BYTES)))
			part->bad |= 1u << member;
		else if (!(lost & bit))
			continue;
		part->differ |= bit;
	}
}

static void compare_part(struct compare_part *part)
{
	struct ianus *x = part->mirror;
	u32 lost = compare_read(part, part->op->member, x->compare[0]), i;

	for (i = 0; i < x->nr; i++)
		if (part->op->to & (1u << i))
			compare_with(part, i, lost);
}

/**
 * ianus_do_compare - compare a region
 * @work: of the instruction
 */
void ianus_do_compare(struct work_struct *work)
{
	struct ianus_op *op = container_of(work, struct ianus_op, work);
	struct compare_part part = { .mirror = op->mirror, .op = &op->op };
	u32 differ = 0;

	for (; part.first < op->op.nr; part.first += IANUS_COMPARE_BLOCKS) {
		part.nr = min(op->op.nr - part.first, IANUS_COMPARE_BLOCKS);
		part.differ = 0;
		compare_part(&part);
		differ += hweight32(part.differ);
	}
	op->op.differ = differ;
	if (differ)
		trace_ssdqos_ianus_differ(ianus_dev(op->mirror), op->op.block,
					  op->op.nr, differ, part.bad);
	ianus_op_done(op, part.bad);
}
