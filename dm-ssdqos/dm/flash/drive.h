/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drive.h - an emulated drive in the kernel: model, lock, timer
 *
 * A drive belongs to one segment of one mapped device and survives a reload
 * of its table, as a real drive would, as long as the new line describes the
 * same drive (length and parameters that can't change).  All targets of that
 * segment, the live one and one being loaded, hold a reference.
 *
 * Locking: @lock (spinlock, taken in hard interrupts) protects the model and
 * the requests in it.  @mutex (may sleep, taken outside @lock) serialises
 * messages, status and sysfs against each other and against the long
 * operations, which run without @lock while @held keeps all requests out.  A
 * device that is resumed waits for it, so it is taken as in dm/common/noio.h.
 */
#ifndef SSDQOS_FLASH_DRIVE_H
#define SSDQOS_FLASH_DRIVE_H

#include <linux/bio.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "core/engine/hist.h"
#include "core/flash/flash.h"

struct mapped_device;
struct flash_sysfs;

/* One sentence about what is wrong. */
#define FLASH_ERR_BYTES 200

/**
 * struct flash_io - what the target keeps of each bio
 * @req: the model's view
 * @seq: number of the request since the drive was made
 * @next: list of bios to end
 * @pending: 2: data and model, 1: one of them, 0: the bio ends
 * @no_data: the backing device has no part in it
 * @no_wait: it must not wait before it gets to the model
 * @finished: the bio is being ended
 */
struct flash_io {
	struct ssdqos_flash_req req;
	u64 seq;
	struct flash_io *next;
	atomic_t pending;
	bool no_data;
	bool no_wait;
	bool finished;
};

/**
 * struct flash_latency - histograms, reset together
 * @model: latency of requests in the model, by enum ssdqos_flash_op
 * @late: time from a completion in the model to its delivery
 */
struct flash_latency {
	struct ssdqos_hist model[SSDQOS_FLASH_NR_OPS];
	struct ssdqos_hist late;
};

/**
 * struct flash_wear - what a drive's flash has gone through, in bytes
 * @flash_bytes: programmed, for any purpose
 * @host_bytes: written by the host
 */
struct flash_wear {
	u64 flash_bytes;
	u64 host_bytes;
};

/**
 * struct flash_drive - an emulated drive
 * @lock: see above
 * @mutex: see above
 * @model: the flash model
 * @timer: fires at the model's next event
 * @armed_ns: model time for which @timer is set
 * @behind: the model has not come to the present
 * @epoch_ns: ktime at model time 0
 * @dev: device number, for trace events
 * @seq: requests so far
 * @outstanding: requests in the model
 * @past: what was programmed and written before the last reset of the counters
 * @held: no request may enter the model
 * @hold: bios that wait for that to end
 * @idle: woken when nothing is in the model any more
 * @latency: histograms
 * @backing_late: requests whose data came after the model's completion
 * @backing_late_ns: sum of those delays
 * @state: saved or uploaded state, under @mutex
 * @state_bytes: room in @state
 * @state_used: bytes in @state
 * @created: parameters and length of the line that made the drive
 * @nr_sectors: length
 * @md: mapped device
 * @begin: first sector of the segment
 * @list: of all drives
 * @ref: references by targets
 * @sysfs: what stands in sysfs now, or NULL
 */
struct flash_drive {
	spinlock_t lock;
	struct mutex mutex;
	struct ssdqos_flash *model;
	struct hrtimer timer;
	u64 armed_ns;
	bool behind;
	u64 epoch_ns;
	dev_t dev;
	u64 seq;
	u64 outstanding;
	struct flash_wear past;
	bool held;
	struct bio_list hold;
	wait_queue_head_t idle;
	struct flash_latency *latency;
	atomic64_t backing_late;
	atomic64_t backing_late_ns;
	void *state;
	u64 state_bytes;
	u64 state_used;
	struct ssdqos_flash_config created;
	u64 nr_sectors;
	struct mapped_device *md;
	u64 begin;
	struct list_head list;
	struct kref ref;
	struct flash_sysfs *sysfs;
};

/**
 * struct flash_work - who worked with flash, and what the host waited for
 * @task: by enum ssdqos_flash_task
 * @waits: the host's flash reads
 */
struct flash_work {
	struct ssdqos_flash_task_stats task[SSDQOS_NR_TASKS];
	struct ssdqos_flash_host_waits waits;
};

struct flash_drive *flash_drive_get(struct mapped_device *md, u64 begin,
				    u64 nr_sectors,
				    const struct ssdqos_flash_config *cfg,
				    char *err);
void flash_drive_put(struct flash_drive *d);

bool flash_drive_start(struct flash_drive *d, struct bio *bio, sector_t sector);
bool flash_drive_data_done(struct flash_drive *d, struct flash_io *io);

int flash_drive_set(struct flash_drive *d, const char *key, const char *value,
		    char *err);
int flash_drive_retune(struct flash_drive *d,
		       const struct ssdqos_flash_config *cfg, char *err);
int flash_drive_age(struct flash_drive *d, u32 fill_pct, u64 seed, char *err);
int flash_drive_save(struct flash_drive *d, char *err);
int flash_drive_load(struct flash_drive *d, char *err);
void flash_drive_reset_stats(struct flash_drive *d);
int flash_drive_upload(struct flash_drive *d, const char *buf, u64 offset,
		       u64 bytes);
void flash_drive_snapshot(struct flash_drive *d,
			  struct ssdqos_flash_config *cfg,
			  struct ssdqos_flash_stats *stats,
			  struct ssdqos_flash_gauges *gauges);
void flash_drive_in_force(struct flash_drive *d,
			  struct ssdqos_flash_config *cfg);
void flash_drive_work(struct flash_drive *d, struct flash_work *work);
int flash_drive_wear(dev_t dev, struct flash_wear *wear);

#endif /* SSDQOS_FLASH_DRIVE_H */
