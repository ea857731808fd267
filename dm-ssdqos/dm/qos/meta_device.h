/* SPDX-License-Identifier: GPL-2.0 */
/*
 * meta_device.h - a metadata device, and what is done with it
 */
#ifndef SSDQOS_QOS_META_DEVICE_H
#define SSDQOS_QOS_META_DEVICE_H

#include <linux/bio.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "core/ready/disk.h"
#include "drive.h"

/* "major:minor" */
#define META_NAME_BYTES 24

/**
 * struct qos_meta - a metadata device
 * @list: of all
 * @ref: of the tables together, and of the work
 * @mutex: nobody lets it go meanwhile; outside of the drive's
 * @drive: whose it is; NULL if it was let go
 * @users: tables that name it
 * @staying: of these, who have got it and don't go yet
 * @dev: the device
 * @writable: it was opened for writing
 * @on_drive: it lies on the disk whose life it keeps
 * @handle: it is open; @work's
 * @bdev: likewise
 * @name: "major:minor"
 * @disk: what lies on it; @work's, once it was read
 * @work: whatever may take for ever
 * @waiters: for @work
 * @is_read: it was read, with @read_error
 * @read_error: 0, or why it can't be used
 * @err: the same as a sentence
 * @wanted: number of the last save that somebody asked for
 * @done: of the last one that was done, or has failed
 * @busy: @work is writing
 * @busy_since: jiffies when it began
 * @lost: its failure was told
 * @retry_at: jiffies when it is tried again
 * @retry_jiffies: how long until the time after that
 * @begun: it was loaded, or is new; from then on it may be written
 * @unusable: what is on it can't be loaded, and stays
 * @renewed: the history on it is that of another life
 * @saved: of the drive, in the newest header; what stands in it
 * @taken: likewise, of the one that is being written
 *
 * @begun to @renewed are the drive's mutex's; @lost is its lock's.
 */
struct qos_meta {
	struct list_head list;
	struct kref ref;
	struct mutex mutex;
	struct qos_drive *drive;
	unsigned int users;
	unsigned int staying;
	dev_t dev;
	bool writable;
	bool on_drive;
	ssdqos_bdev_handle *handle;
	struct block_device *bdev;
	char name[META_NAME_BYTES];
	struct ssdqos_ready_disk disk;
	struct work_struct work;
	wait_queue_head_t waiters;
	bool is_read;
	int read_error;
	char err[QOS_ERR_BYTES];
	atomic_t wanted;
	int done;
	bool busy;
	unsigned long busy_since;
	bool lost;
	unsigned long retry_at;
	unsigned long retry_jiffies;
	bool begun;
	bool unusable;
	bool renewed;
	struct qos_meta_state {
		u64 used_bytes;
		u64 host_bytes;
		u64 window_end_ns;
	} saved, taken;
};

/* meta_read.c */
int qos_meta_io(struct qos_meta *m, blk_opf_t opf, u64 at_bytes, void *data,
		u32 bytes);
void qos_meta_read(struct qos_meta *m);

/* meta_write.c */
void qos_meta_tell(struct qos_drive *d, u32 kind);
bool qos_meta_set_lost(struct qos_meta *m, struct qos_drive *d, bool lost);
bool qos_meta_rests(const struct qos_meta *m);
bool qos_meta_take(struct qos_meta *m, struct qos_drive *d, bool all);
void qos_meta_write(struct qos_meta *m);

#endif /* SSDQOS_QOS_META_DEVICE_H */
