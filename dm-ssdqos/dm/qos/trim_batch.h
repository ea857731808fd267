/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trim_batch.h - what is kept of discards, for trim.c and trim_ask.c
 */
#ifndef SSDQOS_QOS_TRIM_BATCH_H
#define SSDQOS_QOS_TRIM_BATCH_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include "drive.h"

/**
 * struct qos_trim_slot - a discard on its way
 * @bio: it
 * @req: what the scheduler knows of it
 * @drive: the drive
 * @stream: whose sectors they are; it stays as long as this is under way
 * @run: what the core knows of it, once it was chosen
 * @sent_ns: when it went to the drive
 * @managed: the scheduler knows it
 * @list: where it is: free, or granted
 */
struct qos_trim_slot {
	struct bio bio;
	struct ssdqos_edf_req req;
	struct qos_drive *drive;
	struct qos_stream *stream;
	struct ssdqos_trim_run *run;
	u64 sent_ns;
	bool managed;
	struct list_head list;
};

/**
 * struct qos_trim_batch - what is kept
 * @core: the ranges, and what to do with them
 * @cfg: as it was asked for
 * @edf: the scheduler's view
 * @joined: the scheduler has it
 * @slots: discards on their way
 * @free: slots that are not used
 * @granted: those that may be sent
 * @nr_out: those that are not free
 */
struct qos_trim_batch {
	struct ssdqos_trim core;
	struct ssdqos_trim_config cfg;
	struct ssdqos_edf_stream edf;
	bool joined;
	struct qos_trim_slot slots[SSDQOS_TRIM_MAX_DEPTH];
	struct list_head free;
	struct list_head granted;
	u32 nr_out;
};

/* The work looks at once. */
static inline void qos_trim_kick(struct qos_drive *d)
{
	d->trim.armed_ns = 0;
	mod_delayed_work(d->trim_wq, &d->trim.work, 0);
}

/* May another slot ask for the drive's time? */
static inline bool qos_trim_may_ask(const struct qos_trim_batch *b)
{
	return !list_empty(&b->free) &&
	       ssdqos_trim_may_ask(&b->core, b->nr_out - b->core.nr_under_way);
}

/* Sectors of the disk, with its number. */
static inline u64 qos_trim_base(const struct qos_stream *st,
				const struct block_device *bdev)
{
	return st->trim_base + get_start_sect((struct block_device *)bdev);
}

static inline u64 qos_trim_start(const struct qos_stream *st,
				 const struct bio *bio)
{
	return qos_trim_base(st, bio->bi_bdev) + bio->bi_iter.bi_sector;
}

static inline struct qos_trim_slot *
qos_trim_slot_of(struct ssdqos_edf_req *req)
{
	return container_of(req, struct qos_trim_slot, req);
}

/* trim_ask.c */
void qos_trim_arm(struct qos_drive *d, u64 now_ns);

#endif /* SSDQOS_QOS_TRIM_BATCH_H */
