// SPDX-License-Identifier: GPL-2.0
/*
 * qos_watch.c - look after a drive once a second, tell what was found
 *
 * What the scheduler finds (core/qos/watch.h) comes as events under the
 * drive's lock.  They wait in a ring until @event_work tells them, as uevents
 * of the mapped devices and as events of their tables (dmsetup wait).
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/part_stat.h>

#include "qos_drive.h"
#include "qos_trace.h"

#define LOOK_EVERY HZ
#define TELL_MISSED_EVERY_NS (10 * NSEC_PER_SEC)

/* "SSDQOS_EVENT=" and its like with their values. */
#define UEVENT_BYTES 64

/* ---- events ---- */

static void qos_watch_tell_stream(const struct qos_stream *st,
				  const struct ssdqos_watch_event *what,
				  char **env)
{
	kobject_uevent_env(&disk_to_dev(dm_disk(st->md))->kobj, KOBJ_CHANGE,
			   env);
	if (st->table)
		dm_table_event(st->table);
}

/* What an event is about. */
enum qos_watch_topic {
	QOS_WATCH_PROMISE,
	QOS_WATCH_PROFILE,
	QOS_WATCH_FOREIGN,
	QOS_WATCH_LIFE,
	QOS_WATCH_TRIM,
};

static enum qos_watch_topic
qos_watch_topic(const struct ssdqos_watch_event *what)
{
	switch (what->kind) {
	case SSDQOS_WATCH_PROMISE_MISSED:
	case SSDQOS_WATCH_PROMISE_AT_RISK:
	case SSDQOS_WATCH_PROMISE_SAFE:
		return QOS_WATCH_PROMISE;
	case SSDQOS_WATCH_PROFILE_STALE:
	case SSDQOS_WATCH_PROFILE_OK:
		return QOS_WATCH_PROFILE;
	case SSDQOS_WATCH_FOREIGN_WRITER:
	case SSDQOS_WATCH_FOREIGN_WRITER_GONE:
		return QOS_WATCH_FOREIGN;
	case SSDQOS_WATCH_TRIM_FAILING:
	case SSDQOS_WATCH_TRIM_OK:
		return QOS_WATCH_TRIM;
	default:
		return QOS_WATCH_LIFE;
	}
}

static long long qos_watch_value(const struct ssdqos_watch_event *what)
{
	switch (qos_watch_topic(what)) {
	case QOS_WATCH_PROMISE:
		return what->achieved;
	case QOS_WATCH_PROFILE:
		return what->drift_pct;
	case QOS_WATCH_FOREIGN:
		return what->foreign_pct;
	case QOS_WATCH_LIFE:
		return what->delay_ns;
	case QOS_WATCH_TRIM:
		return what->failed;
	}
	return 0;
}

/* Why, in a word; nothing if there is no reason to tell. */
static const char *qos_watch_why(const struct ssdqos_watch_event *what)
{
	switch (qos_watch_topic(what)) {
	case QOS_WATCH_PROMISE:
		return ssdqos_miss_why_names[what->missed_why];
	case QOS_WATCH_LIFE:
		return ssdqos_ready_why_names[what->why];
	default:
		return "";
	}
}

/* A drive's event goes to each of its devices: whoever looks after one of them
 * hears of it.
 */
static void qos_watch_tell(struct qos_drive *d, const struct qos_event *event)
{
	char what[UEVENT_BYTES], drive[UEVENT_BYTES], value[UEVENT_BYTES];
	char why[UEVENT_BYTES];
	struct qos_stream *st;
	char *env[5];
	int len;

	env[0] = what;
	env[1] = drive;
	env[2] = value;
	env[3] = why;
	env[4] = NULL;
	scnprintf(what, sizeof(what), "SSDQOS_EVENT=%s",
		  ssdqos_watch_event_names[event->what.kind]);
	len = scnprintf(drive, sizeof(drive), "SSDQOS_DRIVE=");
	qos_drive_print_name(d, drive + len, sizeof(drive) - len);
	scnprintf(value, sizeof(value), "SSDQOS_VALUE=%lld",
		  qos_watch_value(&event->what));
	scnprintf(why, sizeof(why), "SSDQOS_WHY=%s",
		  qos_watch_why(&event->what));
	list_for_each_entry(st, &d->streams, list)
		if (!event->stream || event->stream == st)
			qos_watch_tell_stream(st, &event->what, env);
}

static bool qos_watch_take(struct qos_drive *d, struct qos_event *event)
{
	bool found;

	spin_lock_irq(&d->lock);
	found = d->nr_events;
	if (found) {
		*event = d->events[d->first_event];
		d->first_event = (d->first_event + 1) % QOS_MAX_EVENTS;
		d->nr_events--;
	}
	spin_unlock_irq(&d->lock);
	return found;
}

static void qos_watch_event_work(struct work_struct *work)
{
	struct qos_drive *d = container_of(work, struct qos_drive, event_work);
	struct qos_event event;
	unsigned int noio;

	/* with the mutex, so that no stream goes while it is told something */
	noio = qos_drive_lock(d);
	while (qos_watch_take(d, &event))
		qos_watch_tell(d, &event);
	qos_drive_unlock(d, noio);
}

static void qos_watch_trace_promise(const struct qos_stream *st,
				    const struct ssdqos_watch_event *what)
{
	switch (what->kind) {
	case SSDQOS_WATCH_PROMISE_MISSED:
		trace_ssdqos_qos_window_missed(st, what);
		break;
	case SSDQOS_WATCH_PROMISE_AT_RISK:
		trace_ssdqos_qos_promise_at_risk(st, what);
		break;
	default:
		trace_ssdqos_qos_promise_safe(st, what);
	}
}

static void qos_watch_trace(const struct qos_drive *d, struct qos_stream *st,
			    const struct ssdqos_watch_event *what)
{
	switch (qos_watch_topic(what)) {
	case QOS_WATCH_PROMISE:
		qos_watch_trace_promise(st, what);
		break;
	case QOS_WATCH_PROFILE:
		trace_ssdqos_qos_profile_drifted(st, what);
		break;
	case QOS_WATCH_FOREIGN:
	case QOS_WATCH_TRIM:
		break;
	case QOS_WATCH_LIFE:
		trace_ssdqos_ready_epoch(d, what);
		break;
	}
}

/* Every missed window is counted and traced; udev hears of them from time to
 * time, so that a drive that is too slow does not keep it busy.
 */
static bool qos_watch_is_news(struct qos_stream *st,
			      const struct ssdqos_watch_event *what)
{
	if (what->kind != SSDQOS_WATCH_PROMISE_MISSED)
		return true;
	if (what->time_ns < st->quiet_until_ns)
		return false;
	st->quiet_until_ns = what->time_ns + TELL_MISSED_EVERY_NS;
	return true;
}

/**
 * qos_watch_add - something that somebody should hear of
 * @d: the drive
 * @st: the stream that led to it; NULL only for a foreign writer, the lifetime
 *	and discards
 * @events: what
 * @nr: how many
 *
 * Context: the drive's lock is held.
 */
void qos_watch_add(struct qos_drive *d, struct qos_stream *st,
		   const struct ssdqos_watch_event *events, u32 nr)
{
	u32 i;

	lockdep_assert_held(&d->lock);
	for (i = 0; i < nr; i++) {
		bool own = qos_watch_topic(&events[i]) ==
			   QOS_WATCH_PROMISE;
		u32 at = (d->first_event + d->nr_events) % QOS_MAX_EVENTS;

		qos_watch_trace(d, st, &events[i]);
		if (!qos_watch_is_news(st, &events[i]))
			continue;
		d->events[at] = (struct qos_event){
			.stream = own ? st : NULL,
			.what = events[i],
		};
		if (d->nr_events < QOS_MAX_EVENTS)
			d->nr_events++;
		else
			d->first_event = (d->first_event + 1) % QOS_MAX_EVENTS;
	}
	if (d->nr_events)
		schedule_work(&d->event_work);
}

/**
 * qos_watch_forget - a stream goes: nothing has to be told to it any more
 * @st: the stream
 *
 * Context: the drive's lock and its mutex are held.
 */
void qos_watch_forget(struct qos_stream *st)
{
	struct qos_drive *d = st->drive;
	u32 i, kept = 0, nr = d->nr_events;

	lockdep_assert_held(&d->lock);
	lockdep_assert_held(&d->mutex);
	for (i = 0; i < nr; i++) {
		struct qos_event *e =
			&d->events[(d->first_event + i) % QOS_MAX_EVENTS];

		if (e->stream != st)
			d->events[(d->first_event + kept++) % QOS_MAX_EVENTS] =
				*e;
	}
	d->nr_events = kept;
}

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
		qos_watch_add(st->drive, st, events, nr);
	if (!st->drive->edf.writes)
		return;
	nr = ssdqos_edf_tick(&st->edf.writes, now_ns, events);
	if (nr)
		qos_watch_add(st->drive, st, events, nr);
}

static void qos_watch_foreign(struct qos_drive *d, u64 sectors, u64 now_ns)
{
	struct ssdqos_watch_event events[SSDQOS_WATCH_MAX_EVENTS];
	u32 nr = ssdqos_edf_disk_wrote(ssdqos_apart_writes(&d->edf), sectors,
				       now_ns, events);

	if (nr)
		qos_watch_add(d, NULL, events, nr);
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

static void qos_watch_look(struct work_struct *work)
{
	struct qos_drive *d = container_of(to_delayed_work(work),
					   struct qos_drive, look);
	unsigned int noio = qos_drive_lock(d);
	u64 sectors = d->whole ? qos_watch_disk_wrote(d) : 0;
	u64 now_ns = qos_ready_change_begin(d);
	struct qos_stream *st;

	list_for_each_entry(st, &d->streams, list) {
		qos_watch_tick(st, now_ns);
		qos_watch_disk(st, now_ns);
	}
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
		schedule_delayed_work(&d->look, LOOK_EVERY);
	qos_io_change_end(d, now_ns);
	qos_ready_search(d);
	qos_drive_unlock(d, noio);
}

/**
 * qos_watch_start_looking - the drive is in use again
 * @d: the drive
 *
 * Context: the drive's lock is held.
 */
void qos_watch_start_looking(struct qos_drive *d)
{
	lockdep_assert_held(&d->lock);
	d->looking = true;
	schedule_delayed_work(&d->look, LOOK_EVERY);
}

/**
 * qos_watch_init - prepare a drive for being looked after
 * @d: the drive
 */
void qos_watch_init(struct qos_drive *d)
{
	INIT_WORK(&d->event_work, qos_watch_event_work);
	INIT_DELAYED_WORK(&d->look, qos_watch_look);
}

/**
 * qos_watch_stop - no more looks, nothing more to tell
 * @d: the drive; it has no streams
 *
 * Context: sleeps.
 */
void qos_watch_stop(struct qos_drive *d)
{
	cancel_delayed_work_sync(&d->look);
	cancel_work_sync(&d->event_work);
}
