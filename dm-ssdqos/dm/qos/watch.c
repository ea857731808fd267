// SPDX-License-Identifier: GPL-2.0
/*
 * watch.c - look after a drive once a second
 */
#include <linux/blkdev.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/part_stat.h>

#include "drive.h"
#include "trace.h"

/* Streams that are looked at in one hold of the lock: some 100 us. */
#define WATCH_AT_ONCE 64u

/**
 * qos_watch_live - which table is told of events, and where its data are
 * @st: the stream
 * @table: that is live from now on; NULL: none is
 * @below: the device with its data; NULL without a table
 *
 * Context: may sleep.
 */
void qos_watch_live(struct qos_stream *st, struct dm_table *table,
		    struct block_device *below)
{
	unsigned int noio = qos_drive_lock(st->drive);

	if (below)
		st->trim_base = qos_trim_find_base(st, below);
	st->table = table;
	st->below = below;
	qos_drive_unlock(st->drive, noio);
}

/* ---- once a second ---- */

/* Sectors that the disk has written, less what the scheduler does not see of
 * our own.  @mutex is held.
 */
static u64 qos_watch_disk_wrote(const struct qos_drive *d)
{
	u64 sectors = part_stat_read(d->whole, sectors[STAT_WRITE]);
	struct qos_counts counts;

	qos_drive_counts(d, &counts);
	return sectors - (counts.unseen_bytes >> SECTOR_SHIFT);
}

/**
 * qos_watch_tick - windows end also while no request does
 * @st: the stream
 * @now_ns: time
 *
 * Context: the drive's lock is held.
 */
void qos_watch_tick(struct qos_stream *st, u64 now_ns)
{
	struct ssdqos_watch_event events[SSDQOS_WATCH_MAX_EVENTS];
	u32 nr = ssdqos_edf_tick(&st->edf.reads, now_ns, events);

	if (nr)
		qos_tell_add(st->drive, st, events, nr);
	if (!st->drive->edf.writes)
		return;
	nr = ssdqos_edf_tick(&st->edf.writes, now_ns, events);
	if (nr)
		qos_tell_add(st->drive, st, events, nr);
}

static void qos_watch_foreign(struct qos_drive *d, u64 sectors, u64 now_ns)
{
	struct ssdqos_watch_event events[SSDQOS_WATCH_MAX_EVENTS];
	u32 nr = ssdqos_edf_disk_wrote(ssdqos_apart_writes(&d->edf), sectors,
				       now_ns, events);

	if (nr)
		qos_tell_add(d, NULL, events, nr);
}

/* The disk below has gone: what waits would do so for nothing, maybe for years.
 * It goes there all the same, where it fails at once, until the device is taken
 * away or gets another disk.  Of a drive that only has a name, only what lies
 * directly below its streams is known.
 */
static void qos_watch_disk(struct qos_stream *st, u64 now_ns)
{
	struct qos_drive *d = st->drive;

	if (!st->below || !test_bit(GD_DEAD, &st->below->bd_disk->state))
		return;
	if (d->whole)
		d->lost = true;
	qos_io_let_go(st, true, now_ns);
}

/* All streams, some of them in each hold of the lock: bios wait for it. */
static void qos_watch_streams(struct qos_drive *d)
{
	u64 now_ns = qos_io_change_begin(d);
	struct qos_stream *st;
	u32 nr = 0;

	lockdep_assert_held(&d->mutex);
	list_for_each_entry(st, &d->streams, list) {
		if (nr++ == WATCH_AT_ONCE) {
			nr = 1;
			qos_io_change_end(d, now_ns);
			cond_resched();
			now_ns = qos_io_change_begin(d);
		}
		qos_watch_tick(st, now_ns);
		qos_watch_disk(st, now_ns);
	}
	qos_io_change_end(d, now_ns);
}

static void qos_watch_look(struct work_struct *work)
{
	struct qos_drive *d = container_of(to_delayed_work(work),
					   struct qos_drive, look);
	unsigned int noio = qos_drive_lock(d);
	u64 sectors = d->whole ? qos_watch_disk_wrote(d) : 0;
	u64 now_ns;

	qos_watch_streams(d);
	now_ns = qos_ready_change_begin(d);
	qos_ready_tick(d, now_ns);
	if (d->whole)
		qos_watch_foreign(d, sectors, now_ns);
	d->looking = d->seq != d->looked_seq || ssdqos_apart_in_flight(&d->edf) ||
		     ssdqos_apart_queued(&d->edf) ||
		     d->charged_bypassed_bytes != d->looked_bypassed_bytes ||
		     ssdqos_ready_wake_ns(d->ready) != SSDQOS_NEVER_NS;
	d->looked_seq = d->seq;
	d->looked_bypassed_bytes = d->charged_bypassed_bytes;
	if (d->looking)
		schedule_delayed_work(&d->look, QOS_LOOK_EVERY);
	qos_io_change_end(d, now_ns);
	qos_ready_search(d);
	qos_drive_unlock(d, noio);
}

/**
 * qos_watch_init - prepare a drive for being looked after
 * @d: the drive
 */
void qos_watch_init(struct qos_drive *d)
{
	INIT_DELAYED_WORK(&d->look, qos_watch_look);
}

/**
 * qos_watch_stop - no more looks
 * @d: the drive; it has no streams
 *
 * Context: sleeps.
 */
void qos_watch_stop(struct qos_drive *d)
{
	cancel_delayed_work_sync(&d->look);
}
