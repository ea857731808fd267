// SPDX-License-Identifier: GPL-2.0
/*
 * begin.c - carry out what the mirror says
 *
 * Writes, flushes and blocks of metadata are one bio each.  Discards and copies may sleep,
 * so they have a work each; there is one copy at a time, and a member has one discard.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/dm-kcopyd.h>

#include "ianus.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

static void ianus_bio_done(struct bio *bio)
{
	struct ianus_op *op = bio->bi_private;
	u32 failed = bio->bi_status ? 1u << op->op.member : 0;

	bio_put(bio);
	ianus_op_done(op, failed);
}

static struct bio *ianus_bio(struct ianus_op *op, struct block_device *bdev,
			     unsigned short vecs, blk_opf_t opf, sector_t sector)
{
	struct bio *bio = bio_alloc_bioset(bdev, vecs, opf, GFP_NOIO,
					   &op->mirror->bios);

	bio->bi_iter.bi_sector = sector;
	bio->bi_private = op;
	bio->bi_end_io = ianus_bio_done;
	return bio;
}

static sector_t ianus_sector(const struct ianus_op *op, u32 member)
{
	return op->mirror->members[member].offset +
	       (op->op.block << IANUS_BLOCK_SHIFT);
}

static struct block_device *ianus_bdev(const struct ianus_op *op, u32 member)
{
	return op->mirror->members[member].dev->bdev;
}

static void ianus_begin_write(struct ianus_op *op)
{
	/* who asks for it has been answered; those who throttle background writes would
	 * let the work wait, and all members with it
	 */
	struct bio *bio = ianus_bio(op, ianus_bdev(op, op->op.member), op->op.nr,
				    REQ_OP_WRITE | REQ_SYNC | REQ_IDLE,
				    ianus_sector(op, op->op.member));
	u32 i;

	for (i = 0; i < op->op.nr; i++)
		__bio_add_page(bio, op->mirror->pages[op->op.slots[i]],
			       SSDQOS_MIRROR_BLOCK_BYTES, 0);
	submit_bio_noacct(bio);
}

static void ianus_begin_flush(struct ianus_op *op)
{
	submit_bio_noacct(ianus_bio(op, ianus_bdev(op, op->op.member), 0,
				    REQ_OP_WRITE | REQ_PREFLUSH, 0));
}

static void ianus_begin_meta(struct ianus_op *op)
{
	struct ianus *x = op->mirror;
	void *data;
	sector_t sector = ianus_meta_prepare(x, &op->op, &data);
	struct bio *bio = ianus_bio(op, x->meta.dev->bdev, 1,
				    REQ_OP_WRITE | REQ_SYNC | REQ_META |
				    REQ_PREFLUSH | REQ_FUA, sector);

	/* whoever looks at a metadata's failure asks whether there was one */
	op->op.member = 0;
	__bio_add_page(bio, virt_to_page(data), SSDQOS_DISK_BLOCK_BYTES,
		       offset_in_page(data));
	submit_bio_noacct(bio);
}

/* ---- what may sleep ---- */

static void ianus_do_discard(struct work_struct *work)
{
	struct ianus_op *op = container_of(work, struct ianus_op, work);
	struct block_device *bdev = ianus_bdev(op, op->op.member);

	/* a hint: who can't, does not */
	if (bdev_max_discard_sectors(bdev))
		blkdev_issue_discard(bdev, ianus_sector(op, op->op.member),
				     (sector_t)op->op.nr << IANUS_BLOCK_SHIFT,
				     GFP_NOIO);
	ianus_op_done(op, 0);
}

struct ianus_copy_end {
	struct completion done;
	int read_error;
	unsigned long write_errors;
};

static void ianus_copied(int read_err, unsigned long write_err, void *context)
{
	struct ianus_copy_end *end = context;

	end->read_error = read_err;
	end->write_errors = write_err;
	complete(&end->done);
}

static void ianus_region_of(const struct ianus_op *op, u32 member,
			    struct dm_io_region *region)
{
	region->bdev = ianus_bdev(op, member);
	region->sector = ianus_sector(op, member);
	region->count = (sector_t)op->op.nr << IANUS_BLOCK_SHIFT;
}

/* Return: who of those copied to has failed, and who was read if that was it; a bit each. */
static u32 ianus_copy_to(const struct ianus_op *op, u32 members)
{
	struct ianus *x = op->mirror;
	struct dm_io_region from, to[SSDQOS_MIRROR_MAX_MEMBERS];
	u32 who[SSDQOS_MIRROR_MAX_MEMBERS], nr = 0, failed = 0, i;
	struct ianus_copy_end end;

	init_completion(&end.done);
	ianus_region_of(op, op->op.member, &from);
	for (i = 0; i < x->nr; i++)
		if (members & (1u << i)) {
			ianus_region_of(op, i, &to[nr]);
			who[nr++] = i;
		}
	dm_kcopyd_copy(x->kcopyd, &from, nr, to, 0, ianus_copied, &end);
	wait_for_completion_io(&end.done);
	if (end.read_error) {
		DMERR_LIMIT("member %u: %u blocks of 4 KiB from %llu on can't be read",
			    op->op.member, op->op.nr, op->op.block);
		failed = 1u << op->op.member;
	}
	for (i = 0; i < nr; i++)
		if ((end.write_errors & (1ul << i)) ||
		    blkdev_issue_flush(to[i].bdev))
			failed |= 1u << who[i];
	return failed;
}

static void ianus_do_copy(struct work_struct *work)
{
	struct ianus_op *op = container_of(work, struct ianus_op, work);
	u32 to = op->op.to, failed, all_failed = 0;

	/* when it can't write to one, kcopyd stops for all, and names only that one */
	do {
		failed = ianus_copy_to(op, to);
		all_failed |= failed;
		to &= ~failed;
	} while (failed && to && !(failed & (1u << op->op.member)));
	ianus_op_done(op, all_failed);
}

static void ianus_later(struct ianus_op *op, work_func_t func)
{
	INIT_WORK(&op->work, func);
	queue_work(op->mirror->wq, &op->work);
}

/**
 * ianus_begin - carry out an instruction
 * @op: the instruction
 *
 * Context: the work.
 */
void ianus_begin(struct ianus_op *op)
{
	switch (op->op.kind) {
	case SSDQOS_MIRROR_OP_WRITE:
		ianus_begin_write(op);
		break;
	case SSDQOS_MIRROR_OP_FLUSH:
		ianus_begin_flush(op);
		break;
	case SSDQOS_MIRROR_OP_DISCARD:
		ianus_later(op, ianus_do_discard);
		break;
	case SSDQOS_MIRROR_OP_COPY:
		ianus_later(op, ianus_do_copy);
		break;
	case SSDQOS_MIRROR_OP_COMPARE:
		ianus_later(op, ianus_do_compare);
		break;
	default:
		ianus_begin_meta(op);
	}
}
