// SPDX-License-Identifier: GPL-2.0
/*
 * io.c - reads, writes, flushes and discards of a mirror's clients
 *
 * A write is copied into pages of the cache and answered; it waits if there is no room, or
 * if it would come faster than members can write, and goes through the journal first, if
 * there is one (journal.c).  A read is copied from there, or goes to
 * the member that the mirror names; if that one can't, to another one.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/highmem.h>

#include "compat.h"
#include "dm/common/bio_keep.h"
#include "ianus.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

/* Writes that are let in before members' writes are looked at again. */
#define IANUS_LET_IN 64u

/* ---- data ---- */

/* Between a bio and the pages of some slots. */
static void ianus_copy(struct ianus *x, struct bio *bio, const u32 *slots)
{
	struct bvec_iter iter;
	struct bio_vec bv;
	size_t at = 0;

	bio_for_each_segment(bv, bio, iter) {
		size_t done = 0;

		while (done < bv.bv_len) {
			size_t in_page = at % SSDQOS_MIRROR_BLOCK_BYTES;
			size_t n = min_t(size_t, bv.bv_len - done,
					 SSDQOS_MIRROR_BLOCK_BYTES - in_page);
			struct page *page =
				x->pages[slots[at / SSDQOS_MIRROR_BLOCK_BYTES]];

			if (bio_data_dir(bio) == WRITE)
				memcpy_page(page, in_page, bv.bv_page,
					    bv.bv_offset + done, n);
			else
				memcpy_page(bv.bv_page, bv.bv_offset + done,
					    page, in_page, n);
			done += n;
			at += n;
		}
	}
}

/* ---- writes ---- */

/* It has its slots. */
static void ianus_write_now(struct ianus *x, struct bio *bio, const u32 *slots)
{
	u32 nr = ianus_blocks_of(bio);
	bool answered = false;
	unsigned long flags;

	ianus_copy(x, bio, slots);
	if (READ_ONCE(x->journal.flow.on))
		ianus_journal_checksum(x, bio, slots, nr);
	spin_lock_irqsave(&x->lock, flags);
	/* it goes off for ever while clients come, and never on */
	if (!ianus_journal_add(x, bio, slots, nr))
		answered = ianus_publish(x, bio, slots, 0);
	spin_unlock_irqrestore(&x->lock, flags);
	if (answered)
		ianus_end_bio(bio, BLK_STS_OK);
	ianus_kick(x);
}

static void ianus_write(struct ianus *x, struct bio *bio)
{
	u32 slots[IANUS_MAX_BLOCKS];
	unsigned long flags;
	bool broken;
	u64 at_ns = SSDQOS_NEVER_NS;

	spin_lock_irqsave(&x->lock, flags);
	broken = x->mirror.broken;
	if (!broken && bio_list_empty(&x->writes) && !x->letting_in)
		at_ns = ssdqos_mirror_take(&x->mirror, ianus_blocks_of(bio),
					   slots, ktime_get_ns());
	if (!broken && at_ns) {
		if (bio_list_empty(&x->writes))
			x->accept_ns = at_ns;
		bio_list_add(&x->writes, bio);
	}
	spin_unlock_irqrestore(&x->lock, flags);
	if (broken)
		ianus_end_bio(bio, BLK_STS_IOERR);
	else if (at_ns)
		ianus_kick(x);
	else
		ianus_write_now(x, bio, slots);
}

/* The first write that waits, if it may come now. */
static struct bio *ianus_next_write(struct ianus *x, u32 *slots, u64 now_ns)
{
	struct bio *bio;

	spin_lock_irq(&x->lock);
	bio = bio_list_peek(&x->writes);
	x->accept_ns = SSDQOS_NEVER_NS;
	if (bio && !x->mirror.broken)
		x->accept_ns = ssdqos_mirror_take(&x->mirror,
						  ianus_blocks_of(bio), slots,
						  now_ns);
	if (bio && (x->mirror.broken || !x->accept_ns))
		bio_list_pop(&x->writes);
	else
		bio = NULL;
	/* what comes until it is published waits behind it: clients' writes stay in order */
	x->letting_in = bio;
	spin_unlock_irq(&x->lock);
	return bio;
}

/* The last one is published, so what comes now need not wait behind it. */
static void ianus_let_in_later(struct ianus *x)
{
	spin_lock_irq(&x->lock);
	x->letting_in = false;
	x->accept_ns = SSDQOS_NEVER_NS;
	ianus_kick(x);
	spin_unlock_irq(&x->lock);
}

/**
 * ianus_let_in - writes that had to wait go on, as far as there is room
 * @x: the mirror
 * @now_ns: the time
 *
 * If there are many, the work comes again.
 * Context: the work.
 */
void ianus_let_in(struct ianus *x, u64 now_ns)
{
	u32 slots[IANUS_MAX_BLOCKS], n = 0;
	struct bio *bio;

	while (n++ < IANUS_LET_IN && (bio = ianus_next_write(x, slots, now_ns))) {
		if (READ_ONCE(x->mirror.broken))
			ianus_end_bio(bio, BLK_STS_IOERR);
		else
			ianus_write_now(x, bio, slots);
	}
	/* who writes again and again would keep the work here */
	if (n > IANUS_LET_IN)
		ianus_let_in_later(x);
}

/* ---- flushes ---- */

static struct bio *ianus_next_flush(struct ianus *x, blk_status_t *status)
{
	struct bio *bio;

	spin_lock_irq(&x->lock);
	bio = bio_list_peek(&x->flushes);
	*status = x->mirror.broken ? BLK_STS_IOERR : BLK_STS_OK;
	if (bio && (x->mirror.broken || ssdqos_mirror_flushed(&x->mirror) >=
					ianus_io_of(bio)->mark))
		bio_list_pop(&x->flushes);
	else
		bio = NULL;
	spin_unlock_irq(&x->lock);
	return bio;
}

/**
 * ianus_end_flushes - answer flushes that are done
 * @x: the mirror
 *
 * Context: the work.
 */
void ianus_end_flushes(struct ianus *x)
{
	blk_status_t status;
	struct bio *bio;

	while ((bio = ianus_next_flush(x, &status)))
		ianus_end_bio(bio, status);
}

static void ianus_flush(struct ianus *x, struct bio *bio)
{
	unsigned long flags;
	bool durable;

	spin_lock_irqsave(&x->lock, flags);
	durable = ssdqos_flow_flush(&x->journal.flow);
	if (!durable)
		ianus_add_flush(x, bio);
	spin_unlock_irqrestore(&x->lock, flags);
	if (durable)
		ianus_end_bio(bio, BLK_STS_OK);
	else
		ianus_kick(x);
}

static void ianus_discard(struct ianus *x, struct bio *bio)
{
	unsigned long flags;

	spin_lock_irqsave(&x->lock, flags);
	ssdqos_mirror_discard(&x->mirror, ianus_block_of(x, bio),
			      ianus_blocks_of(bio));
	spin_unlock_irqrestore(&x->lock, flags);
	ianus_end_bio(bio, BLK_STS_OK);
	ianus_kick(x);
}

/* ---- reads ---- */

/* Blocks in the cache from the bio's first one on, pinned; 0: @source says who has it. */
static u32 ianus_find(struct ianus *x, struct bio *bio, u32 *slots,
		      struct ssdqos_mirror_source *source)
{
	u64 block = ianus_block_of(x, bio);
	u32 nr = min(ianus_blocks_of(bio), IANUS_MAX_BLOCKS), found = 0;
	struct ianus_io *io = ianus_io_of(bio);
	unsigned long flags;

	spin_lock_irqsave(&x->lock, flags);
	while (found < nr) {
		/* after the first one, only what the cache has is of interest */
		if (found && !ssdqos_mirror_has_cached(&x->mirror, block + found))
			break;
		ssdqos_mirror_read(&x->mirror, block + found,
				   ianus_blocks_of(bio) - found, io->tried,
				   source);
		if (source->slot == SSDQOS_NIL)
			break;
		slots[found++] = source->slot;
	}
	spin_unlock_irqrestore(&x->lock, flags);
	return found;
}

static void ianus_unpin(struct ianus *x, const u32 *slots, u32 nr)
{
	unsigned long flags;
	bool room = false;
	u32 i;

	spin_lock_irqsave(&x->lock, flags);
	for (i = 0; i < nr; i++)
		room |= ssdqos_mirror_unpin(&x->mirror, slots[i]);
	/* members have all of it, so nothing else would come and let in who waits */
	if (room)
		ianus_kick(x);
	spin_unlock_irqrestore(&x->lock, flags);
}

static void ianus_point(struct ianus *x, struct bio *bio, u32 member,
			sector_t sector)
{
	const struct ianus_member *m = &x->members[member];

	bio_set_dev(bio, m->dev->bdev);
	bio->bi_iter.bi_sector = m->offset + sector;
}

static int ianus_read(struct ianus *x, struct bio *bio)
{
	u32 slots[IANUS_MAX_BLOCKS], found;
	struct ssdqos_mirror_source source;
	struct ianus_io *io = ianus_io_of(bio);
	sector_t sector = dm_target_offset(x->ti, bio->bi_iter.bi_sector);

	io->tried = 0;
	found = ianus_find(x, bio, slots, &source);
	if (found) {
		if (found < ianus_blocks_of(bio))
			dm_accept_partial_bio(bio, found << IANUS_BLOCK_SHIFT);
		ianus_copy(x, bio, slots);
		ianus_unpin(x, slots, found);
		ianus_end_bio(bio, BLK_STS_OK);
		return DM_MAPIO_SUBMITTED;
	}
	if (source.member == SSDQOS_MIRROR_NOBODY)
		return DM_MAPIO_KILL;
	if (source.nr < ianus_blocks_of(bio))
		dm_accept_partial_bio(bio, source.nr << IANUS_BLOCK_SHIFT);
	io->member = source.member;
	io->iter = bio->bi_iter;
	/* where it is on the mirror, for another try */
	io->iter.bi_sector = sector;
	ianus_point(x, bio, source.member, sector);
	return DM_MAPIO_REMAPPED;
}

/*
 * Another member, or the error goes up.  What was written since the read came need not be
 * in its answer, so the cache is not asked again.
 */
static void ianus_read_again(struct ianus *x, struct bio *bio)
{
	struct ianus_io *io = ianus_io_of(bio);
	u64 block = io->iter.bi_sector >> IANUS_BLOCK_SHIFT;
	u32 nr = io->iter.bi_size / SSDQOS_MIRROR_BLOCK_BYTES;
	unsigned long flags;

	spin_lock_irqsave(&x->lock, flags);
	io->member = ssdqos_mirror_read_other(&x->mirror, block, nr, io->tried);
	spin_unlock_irqrestore(&x->lock, flags);
	if (io->member == SSDQOS_MIRROR_NOBODY) {
		ianus_end_bio(bio, BLK_STS_IOERR);
		return;
	}
	bio->bi_iter = io->iter;
	bio->bi_status = BLK_STS_OK;
	ianus_point(x, bio, io->member, io->iter.bi_sector);
	submit_bio_noacct(bio);
}

/**
 * ianus_retry - reads that have failed at a member go to another one
 * @x: the mirror
 *
 * Context: the work.
 */
void ianus_retry(struct ianus *x)
{
	struct bio_list again;
	struct bio *bio;

	spin_lock_irq(&x->lock);
	again = x->retries;
	bio_list_init(&x->retries);
	spin_unlock_irq(&x->lock);
	while ((bio = bio_list_pop(&again)))
		ianus_read_again(x, bio);
}

/* ---- device-mapper ---- */

/* All is done in whole blocks.  Who sent it for a table of before, whose blocks were smaller,
 * does not know that.
 */
static bool ianus_is_whole(struct ianus *x, struct bio *bio)
{
	sector_t sector = dm_target_offset(x->ti, bio->bi_iter.bi_sector);

	if (!bio_sectors(bio) ||
	    !((sector | bio_sectors(bio)) % SSDQOS_MIRROR_BLOCK_SECTORS))
		return true;
	DMERR_LIMIT("%u sectors from sector %llu on are not whole blocks of 4 KiB",
		    bio_sectors(bio), (unsigned long long)sector);
	return false;
}

/**
 * ianus_map - a bio comes
 * @ti: the target
 * @bio: the bio
 *
 * Context: may sleep.
 * Return: DM_MAPIO_*
 */
int ianus_map(struct dm_target *ti, struct bio *bio)
{
	struct ianus *x = ti->private;

	ianus_io_of(bio)->member = SSDQOS_MIRROR_NOBODY;
	if (unlikely(!ianus_is_whole(x, bio)))
		return DM_MAPIO_KILL;
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return ianus_read(x, bio);
	case REQ_OP_WRITE:
		if (bio->bi_opf & REQ_PREFLUSH)
			ianus_flush(x, bio);
		else
			ianus_write(x, bio);
		return DM_MAPIO_SUBMITTED;
	case REQ_OP_FLUSH:
		ianus_flush(x, bio);
		return DM_MAPIO_SUBMITTED;
	case REQ_OP_DISCARD:
		ianus_discard(x, bio);
		return DM_MAPIO_SUBMITTED;
	default:
		return DM_MAPIO_KILL;
	}
}

/* Another member would answer these likewise. */
static bool ianus_has_failed(blk_status_t error)
{
	return error != BLK_STS_OK && error != BLK_STS_NOTSUPP &&
	       error != SSDQOS_STS_INVAL;
}

/**
 * ianus_end_io - a bio has ended at a member, or here
 * @ti: the target
 * @bio: the bio
 * @error: its status
 *
 * Context: any.
 * Return: DM_ENDIO_*
 */
int ianus_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error)
{
	struct ianus *x = ti->private;
	struct ianus_io *io = ianus_io_of(bio);
	bool failed = ianus_has_failed(*error);
	/* what is read ahead may be dropped by a drive that is all right */
	bool counts = failed && !(bio->bi_opf & REQ_RAHEAD);
	unsigned long flags;

	if (io->member == SSDQOS_MIRROR_NOBODY)
		return DM_ENDIO_DONE;
	spin_lock_irqsave(&x->lock, flags);
	ssdqos_mirror_read_done(&x->mirror, io->member, counts, ktime_get_ns());
	io->tried |= 1u << io->member;
	io->member = SSDQOS_MIRROR_NOBODY;
	if (failed) {
		ssdqos_bio_keep(bio);
		bio_list_add(&x->retries, bio);
		/* with the lock held: without, it may have ended, and all be freed */
		ianus_kick(x);
	}
	spin_unlock_irqrestore(&x->lock, flags);
	return failed ? DM_ENDIO_INCOMPLETE : DM_ENDIO_DONE;
}
