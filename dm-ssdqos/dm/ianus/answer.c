// SPDX-License-Identifier: GPL-2.0
/*
 * answer.c - a client's write becomes what reads get, and is answered
 */
#include <linux/bio.h>
#include <linux/device-mapper.h>

#include "ianus.h"

/**
 * ianus_end_bio - answer a client
 * @bio: its bio
 * @status: how it went
 *
 * Context: any; no lock is held.
 */
void ianus_end_bio(struct bio *bio, blk_status_t status)
{
	bio->bi_status = status;
	bio_endio(bio);
}

/**
 * ianus_add_flush - a bio is answered when all that was written before is durable
 * @x: the mirror
 * @bio: the bio
 *
 * Context: the lock is held.
 */
void ianus_add_flush(struct ianus *x, struct bio *bio)
{
	lockdep_assert_held(&x->lock);
	ianus_io_of(bio)->mark = ssdqos_mirror_flush(&x->mirror);
	bio_list_add(&x->flushes, bio);
}

/**
 * ianus_publish - from now on reads get what is written
 * @x: the mirror
 * @bio: a write
 * @slots: where its data are
 * @record: number of the record of the journal that it is in, which is safe; 0: of none
 *
 * Context: the lock is held.
 * Return: whether it can be answered; if not, it is when it is durable.
 */
bool ianus_publish(struct ianus *x, struct bio *bio, const u32 *slots,
		   u64 record)
{
	u64 block = ianus_block_of(x, bio);
	u32 nr = ianus_blocks_of(bio), i;

	lockdep_assert_held(&x->lock);
	for (i = 0; i < nr; i++) {
		ssdqos_mirror_publish(&x->mirror, block + i, slots[i]);
		if (record)
			ssdqos_mirror_journaled(&x->mirror, slots[i], record);
	}
	if (record || !(bio->bi_opf & REQ_FUA))
		return true;
	ianus_add_flush(x, bio);
	return false;
}
