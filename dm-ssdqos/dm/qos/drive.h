/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drive.h - one physical drive and its clients (streams)
 *
 * A stream is a segment of a mapped device on a drive.  It is made with the
 * first target of that segment and lives until the last one goes, so it
 * outlives a reload of the table.  The drive lives as long as a stream does.
 *
 * Life of a bio, where rules are in force:
 *
 *	map -> edf: GO ------------------------------> drive -> end_io -> edf
 *	        \-> WAIT .. completion, timer -> lane -> work ----/
 *
 * A write passes the lifetime (core/ready/ready.h) before, where a policy is
 * enforced, and has its delay after that:
 *
 *	map -> ready: true -> edf ... end_io -> edf -> ready: no delay -> done
 *	        \-> false .. timer -> edf              \-> timer -> @done -> work
 *
 * Whoever may let bios go (a completion, the timer, a change of the rules)
 * takes them out of the scheduler, puts them into a lane and queues its work,
 * because only a process may submit them; that of reads ends those in @done as
 * well.  Reads have a lane of their own: whoever submits a write may have to
 * sleep below (blk-wbt, no request free), and one client's writes must not keep
 * another's reads.
 *
 * A lock is held, and interrupts are off, for a batch of bios at most; what is
 * more waits for the work, which takes the next batch.
 *
 * Locks, outermost first:
 *	drives_mutex (drive.c)		the list of drives, and who is on them
 *	mutex of struct qos_meta	a drive does not let go of its metadata
 *					device; nobody waits for that device
 *					who holds any of these
 *	targets_mutex (target.c)	the list of targets of all tables
 *	@keep.mutex (life.h)		states that come or go by sysfs
 *	@mutex, may sleep		changes of rules, profile, @streams, and
 *					all that must not meet them; its holders
 *					allocate without I/O, since a suspended
 *					device may wait for them
 *	@lock, irqs off			the scheduler and all that bios touch;
 *					completions come from hard interrupts
 * Rules change with both @mutex and @lock held, so either is enough to read
 * them.  dm core ends a device's bios before it lets go of a target, and with
 * it of the stream: nothing of a stream is under way when it is freed.
 */
#ifndef SSDQOS_QOS_DRIVE_H
#define SSDQOS_QOS_DRIVE_H

#include <linux/bio.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/u64_stats_sync.h>
#include <linux/workqueue.h>

#include "core/qos/apart.h"
#include "core/ready/ready.h"
#include "life.h"
#include "trim.h"

struct dm_table;
struct mapped_device;
struct ssdqos_dir;

/* One sentence about what is wrong. */
#define QOS_ERR_BYTES 256
/* The name of a drive, with its end. */
#define QOS_NAME_BYTES 32
/* A drive in use is looked after so often. */
#define QOS_LOOK_EVERY HZ
/* Events that wait to be told; more than come at once, and older ones go. */
#define QOS_MAX_EVENTS 64

/**
 * struct qos_io - what the target keeps of each bio
 * @req: the scheduler's view
 * @ready: what the lifetime knows of it, if it is a write
 * @stream: whose it is
 * @sector: where it begins in the segment
 * @seq: number of the request on the drive
 * @managed: the scheduler knows it
 * @throttled: the lifetime knows it
 * @finished: its delay is over, it ends for the second time
 */
struct qos_io {
	struct ssdqos_edf_req req;
	struct ssdqos_ready_req ready;
	struct qos_stream *stream;
	u64 sector;
	u64 seq;
	bool managed;
	bool throttled;
	bool finished;
};

/**
 * struct qos_counts - what passed without the scheduler
 * @nr: requests, by enum ssdqos_edf_kind
 * @read_bytes: read
 * @write_bytes: written
 * @unseen_bytes: what the disk may count as written and the scheduler doesn't
 * @bypassed_bytes: written, and the lifetime was not asked
 */
struct qos_counts {
	u64 nr[SSDQOS_EDF_NR_KINDS];
	u64 read_bytes;
	u64 write_bytes;
	u64 unseen_bytes;
	u64 bypassed_bytes;
};

/* The same of one CPU, where it is counted. */
struct qos_cpu_sums {
	u64_stats_t nr[SSDQOS_EDF_NR_KINDS];
	u64_stats_t read_bytes;
	u64_stats_t write_bytes;
	u64_stats_t unseen_bytes;
	u64_stats_t bypassed_bytes;
};

/**
 * struct qos_cpu_counts - what passed on one CPU without the scheduler
 * @sent: what came
 * @refused: of that, what the device below did not take; its submitter will
 *	send it again
 * @sync: sums are not seen in two halves
 */
struct qos_cpu_counts {
	struct qos_cpu_sums sent;
	struct qos_cpu_sums refused;
	struct u64_stats_sync sync;
};

/* Bios that have waited, by what may make them wait below. */
enum qos_lane_id {
	QOS_LANE_READ,
	QOS_LANE_OTHER,
	QOS_NR_LANES,
};

/**
 * struct qos_lane - bios that may go to the drive
 * @go: the bios, in this order
 * @kicked: @work is queued, or runs and will look at @go again
 * @work: submits them
 * @drive: the drive
 */
struct qos_lane {
	struct bio_list go;
	bool kicked;
	struct work_struct work;
	struct qos_drive *drive;
};

/**
 * struct qos_event - something that shall be told
 * @stream: to whom; NULL: to all of the drive
 * @what: what
 */
struct qos_event {
	struct qos_stream *stream;
	struct ssdqos_watch_event what;
};

/**
 * struct qos_drive - a physical drive
 * @edf: who schedules
 * @ready: write throttling for the lifetime
 * @whole: the disk; not with @name
 * @wq: submits bios that have waited: needs no memory to go on, and the drive is idle
 *	until it does.  On any CPU: the one whose interrupt let them go may be taken by
 *	a task that nobody else gets it from.  A drive's own, since what it submits may
 *	wait for another drive below
 * @trim_wq: the same for discards that were kept, which waits for @mutex
 * @looking: @look is queued
 * @calm: nothing waits, and nothing is in force: writes to zones may pass freely
 * @lost: the disk has gone, and will not come back
 * @lock: see above
 * @more: more may go or end than one batch
 * @lanes: bios that may go to the drive
 * @done: bios that the drive has done, and whose delay is over
 * @armed_ns: for when @timer is set
 * @seq: requests so far
 * @trim: discards that are kept
 * @timer: fires when bios may go without an event
 * @said: room for what a completion says; on the stack the kernel would zero it
 *	each time
 * @mutex: see above
 * @keep: what keeps its life
 * @disk_bytes: size of the disk, or of the first stream's device if the drive
 *	has a name
 * @owner: the stream by which alone the drive may be changed, or NULL
 * @gauges: of its life, as they were not long ago; with @mutex
 * @gauges_until_ns: when they are too old
 * @events: ring
 * @first_event: index of the oldest
 * @nr_events: how many
 * @event_work: tells them
 * @tell_armed_ns: for when it is queued
 * @telling: number of the event that it tells
 * @look: looks after the drive once a second while it is in use
 * @looked_seq: @seq when it last ran
 * @looked_bypassed_bytes: @charged_bypassed_bytes then
 * @gone: counts of streams that are no more
 * @charged_bypassed_bytes: of all streams, what was charged
 * @name: given by the administrator, or ""
 * @streams: of the drive
 * @list: of all drives
 */
struct qos_drive {
	/* what all requests read, and hardly any writes */
	struct ssdqos_apart edf;
	struct ssdqos_ready *ready;
	struct block_device *whole;
	struct workqueue_struct *wq;
	struct workqueue_struct *trim_wq;
	bool looking;
	bool calm;
	bool lost;

	/* what is written with each request that is scheduled */
	spinlock_t lock ____cacheline_aligned_in_smp;
	bool more;
	struct qos_lane lanes[QOS_NR_LANES];
	struct bio_list done;
	u64 armed_ns;
	u64 seq;
	struct hrtimer timer;
	struct qos_trim trim;
	struct ssdqos_watch_event said[SSDQOS_WATCH_MAX_EVENTS];

	struct mutex mutex ____cacheline_aligned_in_smp;
	struct qos_keep keep;
	u64 disk_bytes;
	struct qos_stream *owner;
	struct ssdqos_ready_gauges gauges;
	u64 gauges_until_ns;
	struct qos_event events[QOS_MAX_EVENTS];
	u32 first_event;
	u32 nr_events;
	struct delayed_work event_work;
	u64 tell_armed_ns;
	u64 telling;
	struct delayed_work look;
	u64 looked_seq;
	u64 looked_bypassed_bytes;
	struct qos_counts gone;
	u64 charged_bypassed_bytes;
	char name[QOS_NAME_BYTES];
	struct list_head streams;
	struct list_head list;
};

/**
 * struct qos_risk - what is told of a promise's risk (tell.c)
 * @told: enum ssdqos_watch_event_kind of what was told last
 * @quiet_until_ns: until then, nothing is told
 * @is_late: @late differs from it, and waits for that time
 * @late: what came last
 */
struct qos_risk {
	u32 told;
	u64 quiet_until_ns;
	bool is_late;
	struct ssdqos_watch_event late;
};

/**
 * struct qos_stream - a client of a drive
 * @edf: the scheduler's view
 * @ready: what the lifetime knows of it
 * @drive: its drive
 * @counts: what passed without the scheduler
 * @since_reset: sum of @counts at the last message "reset_stats"
 * @dev: number of the mapped device
 * @md: mapped device
 * @begin: first sector of the segment
 * @table: the live one, under the drive's mutex; or NULL
 * @below: the device with its data, while there is a live table
 * @trim_base: number of its disk among those of the drive's streams (trim.c)
 * @quiet_until_ns: until then, nobody is told of missed windows
 * @risk: what is told of its promise's risk
 * @told: number of the drive's event that it was told last
 * @ref: references by targets
 * @list: of the drive's streams
 * @sysfs: what stands in sysfs now, or NULL
 */
struct qos_stream {
	struct ssdqos_apart_stream edf;
	struct ssdqos_ready_stream ready;
	struct qos_drive *drive;
	struct qos_cpu_counts __percpu *counts;
	struct qos_counts since_reset;
	dev_t dev;
	struct mapped_device *md;
	u64 begin;
	struct dm_table *table;
	struct block_device *below;
	u64 trim_base;
	u64 quiet_until_ns;
	struct qos_risk risk;
	u64 told;
	struct kref ref;
	struct list_head list;
	struct ssdqos_dir *sysfs;
};

/**
 * struct qos_place - where a stream is
 * @md: mapped device
 * @begin: first sector of the segment
 * @bdev: the device that it is on
 * @drive_name: name of the drive, or "" for the disk of @bdev
 * @apart: if the drive is new, reads and writes have all of its time each
 */
struct qos_place {
	struct mapped_device *md;
	u64 begin;
	struct block_device *bdev;
	const char *drive_name;
	bool apart;
};

/* drive.c */
int ssdqos_qos_init(void);
void ssdqos_qos_exit(void);
struct qos_stream *qos_stream_get(const struct qos_place *place, char *err);
void qos_stream_put(struct qos_stream *st);

/* base.c */
unsigned int qos_drive_lock(struct qos_drive *d);
void qos_drive_unlock(struct qos_drive *d, unsigned int noio);
int qos_drive_print_name(const struct qos_drive *d, char *buf,
			 unsigned int size);
void qos_drive_start_looking(struct qos_drive *d);

/* counts.c */
void qos_io_add_counts(const struct qos_stream *st, struct qos_counts *sum);
void qos_drive_counts(const struct qos_drive *d, struct qos_counts *sum);

/* owner.c */
int qos_owner_may_change(const struct qos_stream *st, const char *what,
			 char *err);
void qos_owner_set(struct qos_stream *st);
void qos_owner_leave(struct qos_stream *st);

/* The view with the guarantee: of reads or of writes. */
static inline const struct ssdqos_edf_stream *
qos_stream_owner(const struct qos_stream *st)
{
	return ssdqos_apart_owner(&st->drive->edf, &st->edf);
}

/* io.c */
void qos_io_init(struct qos_drive *d);
void qos_io_stop(struct qos_drive *d);
int qos_io_again(struct bio *bio);
int qos_io_map(struct qos_stream *st, struct bio *bio, u64 sector);
int qos_io_end(struct qos_stream *st, struct bio *bio, blk_status_t error);
u64 qos_io_change_begin(struct qos_drive *d) __acquires(&d->lock);
void qos_io_change_end(struct qos_drive *d, u64 now_ns) __releases(&d->lock);
void qos_io_let_go(struct qos_stream *st, bool draining, u64 now_ns);
void qos_io_drain(struct qos_stream *st, bool draining);
struct qos_stream *qos_io_stream_of(struct bio *bio);
void qos_io_go_on(struct qos_stream *st, struct bio *bio, u64 now_ns);

/* When a bio that waits goes, its submitter is gone: nobody could try again,
 * or poll for it.
 */
static inline void qos_io_will_wait(struct bio *bio)
{
	bio->bi_opf &= ~(REQ_NOWAIT | REQ_POLLED);
}

/* tell.c */
void qos_tell_init(struct qos_drive *d);
void qos_tell_stop(struct qos_drive *d);
void qos_tell_add(struct qos_drive *d, struct qos_stream *st,
		  const struct ssdqos_watch_event *events, u32 nr);
void qos_tell_forget(struct qos_stream *st);

/* watch.c */
void qos_watch_init(struct qos_drive *d);
void qos_watch_stop(struct qos_drive *d);
void qos_watch_tick(struct qos_stream *st, u64 now_ns);
void qos_watch_live(struct qos_stream *st, struct dm_table *table,
		    struct block_device *below);

/* ready.c */
u64 qos_ready_change_begin(struct qos_drive *d) __acquires(&d->lock);
void qos_ready_set(struct qos_stream *st, u64 now_ns);
void qos_ready_tick(struct qos_drive *d, u64 now_ns);
void qos_ready_search(struct qos_drive *d);
void qos_ready_stale(struct qos_drive *d);
void qos_ready_look(struct qos_drive *d, struct ssdqos_ready_gauges *gauges);
void qos_ready_gauges(struct qos_drive *d, struct ssdqos_ready_gauges *gauges);
int qos_ready_report(struct qos_stream *st, unsigned int argc, char **argv,
		     char *err);

/**
 * struct qos_stats - counters of a stream, all of them u64
 * @edf: with what passed without the scheduler
 * @direct: requests that did
 * @ready: of the lifetime
 * @trim: of the drive's discards that are kept
 */
struct qos_stats {
	struct ssdqos_edf_stats edf;
	u64 direct;
	struct ssdqos_ready_stats ready;
	struct ssdqos_trim_stats trim;
};

/**
 * struct qos_snapshot - a stream and its drive at one moment
 * @cfg: parameters in force
 * @stats: counters
 * @util_ppm: device time that the stream owns
 * @used_ppm: what is reserved on the drive
 * @free_ppm: what could be yet
 * @spare_write_ppm: what writes may use that no guarantee pays for
 * @queued: requests of the stream that wait
 * @in_flight: that the drive has
 * @drive_queued: of all streams
 * @drive_in_flight: likewise
 * @drive_depth: requests that the drive gets at a time
 * @lead_ns: a stop of the drive that the stream's windows are to bear
 * @promised: per window
 * @achieved: in the last window
 * @at_risk: windows in a row that were behind at their half
 * @missed_why: reason of the last one that was missed
 * @reason: why the first one waits
 * @profiled: the drive has a profile
 * @discards: it says what discards cost
 * @stale: which does not hold any more
 * @drift_pct: cost seen against it
 * @unmanaged: somebody else writes
 * @counting: the drive's wear is counted
 * @life: of the drive
 * @trim: of the drive
 */
struct qos_snapshot {
	struct ssdqos_qos_config cfg;
	struct qos_stats stats;
	u32 util_ppm;
	u64 used_ppm;
	u64 free_ppm;
	u64 spare_write_ppm;
	u32 queued;
	u32 in_flight;
	u32 drive_queued;
	u32 drive_in_flight;
	u32 drive_depth;
	u64 lead_ns;
	u64 promised;
	u64 achieved;
	u32 at_risk;
	u32 missed_why;
	u32 reason;
	bool profiled;
	bool discards;
	bool stale;
	s64 drift_pct;
	bool unmanaged;
	bool counting;
	struct ssdqos_ready_gauges life;
	struct qos_trim_look trim;
};

/* rules.c */
int qos_rules_check(struct qos_stream *st, const struct ssdqos_qos_config *cfg,
		    char *err);
int qos_rules_apply(struct qos_stream *st, const struct ssdqos_qos_config *cfg,
		    char *err);
int qos_rules_set(struct qos_stream *st, unsigned int argc, char **argv,
		  char *err);
int qos_rules_admit(struct qos_stream *st, unsigned int argc, char **argv,
		    char *buf, unsigned int size, char *err);
int qos_rules_profile(struct qos_stream *st, unsigned int argc, char **argv,
		      char *err);
void qos_rules_reset_stats(struct qos_stream *st);
bool qos_rules_owns(const struct qos_stream *st);
void qos_rules_config(struct qos_stream *st, struct ssdqos_qos_config *cfg);
void qos_rules_stats(struct qos_stream *st, struct qos_stats *stats);
void qos_rules_snapshot(struct qos_stream *st, struct qos_snapshot *snap);

#endif /* SSDQOS_QOS_DRIVE_H */
