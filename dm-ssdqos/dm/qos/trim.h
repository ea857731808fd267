/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trim.h - discards of a drive's clients are kept for a while (trim.c)
 */
#ifndef SSDQOS_QOS_TRIM_H
#define SSDQOS_QOS_TRIM_H

#include <linux/bio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/trim/trim.h"

struct qos_drive;
struct qos_io;
struct qos_stream;
struct qos_trim_batch;
struct ssdqos_edf_req;
struct ssdqos_qos_drive_config;

/**
 * struct qos_trim - of a drive; with its lock, but for what is said otherwise
 * @batch: what is kept, or NULL
 * @next: what takes its place when nothing is kept any more
 * @replacing: @next will be that, even if it is NULL
 * @flushers: who wait until nothing is kept
 * @busy: something is kept, or under way; writes have to look.  Whoever was told
 *	that his discard is done sees it, without the lock
 * @held: writes to what is being discarded, that shall be looked at
 * @seen: those that were, since the last discard ended
 * @gone: what batches have done that are no more
 * @granule_bytes: of the disk, as it says
 * @work: sends discards
 * @armed_ns: for when it is queued
 * @wait: for those who wait until nothing is kept
 * @failing: it was said that discards fail
 */
struct qos_trim {
	struct qos_trim_batch *batch;
	struct qos_trim_batch *next;
	bool replacing;
	u32 flushers;
	bool busy;
	struct bio_list held;
	struct bio_list seen;
	struct ssdqos_trim_stats gone;
	u32 granule_bytes;
	struct delayed_work work;
	u64 armed_ns;
	wait_queue_head_t wait;
	bool failing;
};

/**
 * struct qos_trim_look - a moment of it
 * @on: discards are kept
 * @waiting: ranges
 * @waiting_sectors: in them
 * @under_way: discards that the drive has
 * @oldest_ms: for how long the oldest one has been kept
 * @cost_ns: what the last discard was charged, or the next one will be
 * @stats: since the drive was made
 */
struct qos_trim_look {
	bool on;
	u32 waiting;
	u64 waiting_sectors;
	u32 under_way;
	u64 oldest_ms;
	u32 cost_ns;
	struct ssdqos_trim_stats stats;
};

/* What a bio has to do with it. */
enum qos_trim_verdict {
	QOS_TRIM_GO_ON,		/* nothing: it goes its way */
	QOS_TRIM_TAKEN,		/* it is kept, and has to be ended */
	QOS_TRIM_HELD,		/* it waits here */
};

/* trim_ask.c */
enum qos_trim_verdict qos_trim_ask(struct qos_stream *st, struct bio *bio,
				   struct qos_io *io, bool first);
void qos_trim_granted(struct qos_drive *d, struct ssdqos_edf_req *req);
bool qos_trim_owns(const struct qos_drive *d, const struct ssdqos_edf_req *req);

/* trim.c */
void qos_trim_init(struct qos_drive *d, u32 granule_bytes);
void qos_trim_stop(struct qos_drive *d);
int qos_trim_prepare(struct qos_drive *d,
		     const struct ssdqos_qos_drive_config *cfg,
		     struct qos_trim_batch **next, char *err);
struct qos_trim_batch *qos_trim_commit(struct qos_drive *d,
				       struct qos_trim_batch *next, u64 now_ns);
void qos_trim_drop(struct qos_trim_batch *batch);
u64 qos_trim_find_base(const struct qos_stream *st,
		       const struct block_device *below);
void qos_trim_leave(struct qos_stream *st, u64 start, u64 sectors);
void qos_trim_flush(struct qos_drive *d);
int qos_trim_sync(struct qos_drive *d);
void qos_trim_look(struct qos_drive *d, u64 now_ns, struct qos_trim_look *look);

#endif /* SSDQOS_QOS_TRIM_H */
