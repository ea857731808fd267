// SPDX-License-Identifier: GPL-2.0
/*
 * compare.c - compare a region of a mirror's members
 *
 * Some blocks of each member are read at a time.  What can't be read together is read
 * block by block, so that it is known which one can't be.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ianus.h"
#include "trace.h"

/* Some blocks of a region, and what was found so far in it: in how many, and who. */
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
	u32 nr = x->nr * IANUS_COMPARE_BLOCKS, i;

	x->compare = kcalloc(nr, sizeof(x->compare[0]), GFP_KERNEL);
	for (i = 0; x->compare && i < nr; i++) {
		x->compare[i] = alloc_page(GFP_KERNEL);
		if (!x->compare[i])
			return -ENOMEM;
	}
	return x->compare ? 0 : -ENOMEM;
}

/**
 * ianus_compare_exit - give the memory back
 * @x: the mirror
 *
 * Context: may sleep.
 */
void ianus_compare_exit(struct ianus *x)
{
	u32 i;

	for (i = 0; x->compare && i < x->nr * IANUS_COMPARE_BLOCKS; i++)
		if (x->compare[i])
			__free_page(x->compare[i]);
	kfree(x->compare);
}

/* Pages for what a member has. */
static struct page **compare_pages(const struct compare_part *part, u32 member)
{
	return &part->mirror->compare[member * IANUS_COMPARE_BLOCKS];
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

static bool compare_same(const struct compare_part *part, u32 i, u32 one,
			 u32 other)
{
	return !memcmp(page_address(compare_pages(part, one)[i]),
		       page_address(compare_pages(part, other)[i]),
		       SSDQOS_MIRROR_BLOCK_BYTES);
}

static void compare_block(struct compare_part *part, u32 i,
			  const u32 lost[SSDQOS_MIRROR_MAX_MEMBERS])
{
	u32 who = part->op->to | (1u << part->op->member), blind = 0, bad;
	u32 twins[SSDQOS_MIRROR_MAX_MEMBERS] = { 0 }, m;

	for (m = 0; m < part->mirror->nr; m++) {
		twins[m] = m;
		if (!(who & (1u << m)))
			continue;
		blind |= ((lost[m] >> i) & 1) << m;
		/* the first one that has the same */
		for (twins[m] = 0; twins[m] < m; twins[m]++)
			if ((who & (1u << twins[m])) &&
			    !((lost[twins[m]] >> i) & 1) &&
			    compare_same(part, i, twins[m], m))
				break;
	}
	bad = ssdqos_mirror_judge(part->op, blind, twins);
	part->bad |= bad;
	part->differ += !!bad;
}

static void compare_part(struct compare_part *part)
{
	u32 who = part->op->to | (1u << part->op->member), i;
	u32 lost[SSDQOS_MIRROR_MAX_MEMBERS] = { 0 };

	for (i = 0; i < part->mirror->nr; i++)
		if (who & (1u << i))
			lost[i] = compare_read(part, i, compare_pages(part, i));
	for (i = 0; i < part->nr; i++)
		if (!ssdqos_mirror_skips(&part->mirror->mirror.scrub,
					 part->first + i))
			compare_block(part, i, lost);
}

/**
 * ianus_do_compare - compare a region
 * @work: of the instruction
 */
void ianus_do_compare(struct work_struct *work)
{
	struct ianus_op *op = container_of(work, struct ianus_op, work);
	struct compare_part part = { .mirror = op->mirror, .op = &op->op };

	for (; part.first < op->op.nr; part.first += IANUS_COMPARE_BLOCKS) {
		part.nr = min(op->op.nr - part.first, IANUS_COMPARE_BLOCKS);
		compare_part(&part);
	}
	op->op.differ = part.differ;
	if (part.bad)
		trace_ssdqos_ianus_differ(ianus_dev(op->mirror), op->op.block,
					  op->op.nr, part.differ, part.bad);
	ianus_op_done(op, part.bad);
}
