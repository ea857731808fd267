// SPDX-License-Identifier: GPL-2.0
/*
 * journal.c - a mirror's journal, while it runs
 *
 * Which writes share a record, when it is begun, where it goes, and when writes have to wait
 * is said by core/mirror/flow.c; here are the bios.
 *
 * All but the ends of bios is done by the work, or with the mirror at rest.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/crc32c.h>
#include <linux/device-mapper.h>
#include <linux/highmem.h>
#include <linux/mm.h>

#include "ianus.h"
#include "trace.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

/* ---- come and go ---- */

static bool journal_overlaps(struct ianus *x, struct block_device *bdev)
{
	struct block_device *own = x->journal.dev->bdev;

	if (own == bdev)
		return true;
	return own->bd_disk == bdev->bd_disk &&
	       (!bdev_is_partition(own) || !bdev_is_partition(bdev));
}

static int journal_check(struct ianus *x, char *err)
{
	const struct dm_dev *dev = x->journal.dev;
	u64 blocks = bdev_nr_sectors(dev->bdev) / SSDQOS_DISK_BLOCK_SECTORS;
	u32 i;

	if (bdev_is_zoned(dev->bdev)) {
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' is zoned, which a journal can't be on",
			  dev->name);
		return -EINVAL;
	}
	if (blocks < SSDQOS_JOURNAL_MIN_SIZE) {
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' has %llu blocks of 4 KiB, and %u are needed",
			  dev->name, blocks, SSDQOS_JOURNAL_MIN_SIZE);
		return -ENOSPC;
	}
	if (journal_overlaps(x, x->meta.dev->bdev)) {
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' is the metadata device, or one has the other",
			  dev->name);
		return -EINVAL;
	}
	for (i = 0; i < x->nr; i++) {
		if (!x->members[i].dev ||
		    !journal_overlaps(x, x->members[i].dev->bdev))
			continue;
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' is member %u, or one has the other",
			  dev->name, i);
		return -EINVAL;
	}
	return 0;
}

/**
 * ianus_journal_init - memory for what is written
 * @x: the mirror; its devices are known
 * @err: gets one sentence on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ianus_journal_init(struct ianus *x, char *err)
{
	struct ianus_journal *j = &x->journal;
	bool all = true;
	u32 i;
	int r;

	if (!j->dev)
		return 0;
	r = journal_check(x, err);
	if (r)
		return r;
	j->block = (u8 *)__get_free_page(GFP_KERNEL | __GFP_ZERO);
	for (i = 0; i < SSDQOS_FLOW_RECORDS; i++) {
		struct ianus_record *record = &j->records[i];

		record->mirror = x;
		record->header = (u8 *)__get_free_page(GFP_KERNEL);
		record->filler = (u8 *)__get_free_page(GFP_KERNEL);
		all = all && record->header && record->filler;
	}
	if (j->block && all)
		return 0;
	scnprintf(err, IANUS_ERR_BYTES, "journal: no memory");
	return -ENOMEM;
}

/**
 * ianus_journal_exit - give the memory back
 * @x: the mirror
 *
 * Context: may sleep.
 */
void ianus_journal_exit(struct ianus *x)
{
	struct ianus_journal *j = &x->journal;
	u32 i;

	ssdqos_flow_exit(&j->flow);
	free_page((unsigned long)j->block);
	for (i = 0; i < SSDQOS_FLOW_RECORDS; i++) {
		free_page((unsigned long)j->records[i].header);
		free_page((unsigned long)j->records[i].filler);
	}
}

/* ---- clients ---- */

static struct bio *journal_bio_of(struct ssdqos_flow_write *write)
{
	return dm_bio_from_per_bio_data(container_of(write, struct ianus_io, write),
					sizeof(struct ianus_io));
}

/**
 * ianus_journal_checksum - what the header of its record is to say of a write
 * @x: the mirror
 * @bio: the write
 * @slots: where its data are; they don't change any more
 * @nr: blocks
 *
 * Context: may sleep.
 */
void ianus_journal_checksum(struct ianus *x, struct bio *bio, const u32 *slots,
			    u32 nr)
{
	struct ianus_io *io = ianus_io_of(bio);
	u32 i;

	for (i = 0; i < nr; i++) {
		void *data = kmap_local_page(x->pages[slots[i]]);

		/* as ssdqos_crc32c() has it, by the processor's own means */
		io->checksums[i] = ~crc32c(~0u, data, SSDQOS_DISK_BLOCK_BYTES);
		kunmap_local(data);
	}
}

/**
 * ianus_journal_add - a write is to become part of a record
 * @x: the mirror
 * @bio: the write, with its checksums
 * @slots: where its data are
 * @nr: blocks
 *
 * Context: the lock is held; the caller kicks.
 * Return: false if there is no journal.
 */
bool ianus_journal_add(struct ianus *x, struct bio *bio, const u32 *slots,
		       u32 nr)
{
	struct ianus_io *io = ianus_io_of(bio);

	lockdep_assert_held(&x->lock);
	io->write.nr = nr;
	if (!ssdqos_flow_add(&x->journal.flow, &io->write))
		return false;
	memcpy(io->slots, slots, nr * sizeof(slots[0]));
	return true;
}

/* It is in a safe record, or there is no journal any more; or the last member has failed. */
static void journal_answer(struct ianus *x, struct ssdqos_flow_write *write,
			   u64 record)
{
	struct bio *bio = journal_bio_of(write);
	const u32 *slots = ianus_io_of(bio)->slots;
	blk_status_t status = BLK_STS_OK;
	bool answered = true;
	u32 i;

	spin_lock_irq(&x->lock);
	if (x->mirror.broken) {
		status = BLK_STS_IOERR;
		for (i = 0; i < write->nr; i++)
			ssdqos_mirror_give_back(&x->mirror, slots[i]);
		if (record)
			ssdqos_journal_put(&x->journal.flow.ring, record,
					   write->nr);
	} else {
		answered = ianus_publish(x, bio, slots, record);
	}
	spin_unlock_irq(&x->lock);
	if (answered)
		ianus_end_bio(bio, status);
}

/* ---- records ---- */

static void journal_record_done(struct bio *bio)
{
	struct ianus_record *record = bio->bi_private;
	struct ianus *x = record->mirror;
	unsigned long flags;

	if (bio->bi_status)
		WRITE_ONCE(record->failed, true);
	bio_put(bio);
	if (!atomic_dec_and_test(&record->left))
		return;
	spin_lock_irqsave(&x->lock, flags);
	ssdqos_flow_written(record->flow, READ_ONCE(record->failed));
	ianus_ended(x);
	spin_unlock_irqrestore(&x->lock, flags);
}

static struct bio *journal_bio(struct ianus *x, unsigned short vecs, u64 block,
			       bio_end_io_t *done, void *private)
{
	struct bio *bio = bio_alloc_bioset(x->journal.dev->bdev, vecs,
					   REQ_OP_WRITE | REQ_SYNC | REQ_IDLE |
					   REQ_FUA, GFP_NOIO, &x->bios);

	bio->bi_iter.bi_sector = block * SSDQOS_DISK_BLOCK_SECTORS;
	bio->bi_end_io = done;
	bio->bi_private = private;
	return bio;
}

static void journal_add_block(struct bio *bio, void *block)
{
	__bio_add_page(bio, virt_to_page(block), SSDQOS_DISK_BLOCK_BYTES,
		       offset_in_page(block));
}

/* What its header says of a client's write, and its data. */
static void journal_add_write(struct ianus_record *record, struct bio *to,
			      struct ssdqos_flow_write *write, u32 at)
{
	struct ianus *x = record->mirror;
	struct bio *from = journal_bio_of(write);
	const struct ianus_io *io = ianus_io_of(from);
	u64 block = ianus_block_of(x, from);
	u32 i;

	for (i = 0; i < write->nr; i++) {
		ssdqos_journal_record_add(record->header, at + i, block + i,
					  io->checksums[i]);
		__bio_add_page(to, x->pages[io->slots[i]],
			       SSDQOS_DISK_BLOCK_BYTES, 0);
	}
}

static void journal_send(struct ianus_record *record)
{
	struct ianus *x = record->mirror;
	const struct ssdqos_journal_record *place = &record->flow->place;
	struct bio *bio = journal_bio(x, place->nr + 1, place->at,
				      journal_record_done, record);
	struct ssdqos_flow_write *write = record->flow->writes.first;
	struct bio *filler = NULL;
	u32 at = 0;

	ssdqos_journal_record_begin(record->header);
	journal_add_block(bio, record->header);
	for (; write; write = write->next) {
		journal_add_write(record, bio, write, at);
		at += write->nr;
	}
	ssdqos_journal_record_seal(record->header, &x->journal.super, place);
	atomic_set(&record->left, place->filler_at ? 2 : 1);
	if (place->filler_at) {
		filler = journal_bio(x, 1, place->filler_at, journal_record_done,
				     record);
		ssdqos_journal_filler_encode(record->filler, &x->journal.super,
					     place);
		journal_add_block(filler, record->filler);
		submit_bio_noacct(filler);
	}
	submit_bio_noacct(bio);
}

/* The next record, if it may be written now. */
static struct ianus_record *journal_gather(struct ianus *x)
{
	struct ianus_journal *j = &x->journal;
	struct ssdqos_flow_record *flow = x->resting ?
					  NULL : ssdqos_flow_next(&j->flow);
	struct ianus_record *record;

	lockdep_assert_held(&x->lock);
	if (!flow)
		return NULL;
	record = &j->records[flow->number];
	record->flow = flow;
	record->failed = false;
	record->began_ns = ktime_get_ns();
	x->in_flight++;
	return record;
}

/* The oldest record has ended: what was in it is answered. */
static void journal_end(struct ianus *x, struct ssdqos_flow_record *flow, u64 seq)
{
	struct ianus_journal *j = &x->journal;
	const struct ianus_record *record = &j->records[flow->number];
	struct ssdqos_flow_write *write;

	trace_ssdqos_ianus_record(ianus_dev(x), flow->place.seq, flow->place.at,
				  flow->place.nr,
				  ktime_get_ns() - record->began_ns,
				  flow->failed);
	while ((write = ssdqos_flow_pop(&flow->writes)))
		journal_answer(x, write, seq);
	spin_lock_irq(&x->lock);
	ssdqos_flow_answered(&j->flow);
	spin_unlock_irq(&x->lock);
}

/* ---- the superblock ---- */

static void journal_tail_done(struct bio *bio)
{
	struct ianus *x = bio->bi_private;
	bool failed = bio->bi_status;
	unsigned long flags;

	bio_put(bio);
	spin_lock_irqsave(&x->lock, flags);
	x->journal.tail_failed = failed;
	x->journal.tail_done = true;
	ianus_ended(x);
	spin_unlock_irqrestore(&x->lock, flags);
}

static void journal_end_tail(struct ianus *x)
{
	struct ianus_journal *j = &x->journal;

	lockdep_assert_held(&x->lock);
	if (!j->tail_done)
		return;
	j->tail_done = false;
	if (!j->tail_failed) {
		j->super = j->next;
		j->super_slot = !j->super_slot;
	}
	ssdqos_flow_tail_ended(&j->flow, j->tail_failed);
}

static bool journal_wants_tail(struct ianus *x)
{
	struct ianus_journal *j = &x->journal;

	lockdep_assert_held(&x->lock);
	if (x->resting || !ssdqos_flow_wants_tail(&j->flow))
		return false;
	j->next = j->super;
	j->next.seq++;
	j->next.tail_at = j->flow.tail.at;
	j->next.tail_seq = j->flow.tail.seq;
	x->in_flight++;
	return true;
}

static void journal_send_tail(struct ianus *x)
{
	struct ianus_journal *j = &x->journal;
	struct bio *bio = journal_bio(x, 1, !j->super_slot, journal_tail_done, x);

	ssdqos_journal_super_encode(&j->next, j->block);
	journal_add_block(bio, j->block);
	submit_bio_noacct(bio);
}

/* ---- the work ---- */

/* Records that have ended, and writes that no record is to have. */
static void journal_answer_all(struct ianus *x)
{
	struct ssdqos_flow_record *flow;
	struct ssdqos_flow_write *write;
	u64 seq;

	do {
		spin_lock_irq(&x->lock);
		journal_end_tail(x);
		flow = ssdqos_flow_ended(&x->journal.flow, &seq);
		spin_unlock_irq(&x->lock);
		if (flow)
			journal_end(x, flow, seq);
	} while (flow);
	do {
		spin_lock_irq(&x->lock);
		write = ssdqos_flow_leave(&x->journal.flow);
		spin_unlock_irq(&x->lock);
		if (write)
			journal_answer(x, write, 0);
	} while (write);
}

/**
 * ianus_journal_work - go on with records
 * @x: the mirror
 *
 * Context: the work.
 */
void ianus_journal_work(struct ianus *x)
{
	struct ianus_record *record;
	bool tail;

	if (!x->journal.dev)
		return;
	journal_answer_all(x);
	do {
		spin_lock_irq(&x->lock);
		record = journal_gather(x);
		spin_unlock_irq(&x->lock);
		if (record)
			journal_send(record);
	} while (record);
	spin_lock_irq(&x->lock);
	tail = journal_wants_tail(x);
	spin_unlock_irq(&x->lock);
	if (tail)
		journal_send_tail(x);
}
