// SPDX-License-Identifier: GPL-2.0
/*
 * tell.c - tell what was found
 *
 * What the scheduler finds (core/qos/watch.h) comes as events under the
 * drive's lock.  They wait in a ring until @event_work tells them, as uevents
 * of the mapped devices and as events of their tables (dmsetup wait).
 *
 * A uevent takes a mutex that all of the system's take.  Who holds it may wait for
 * memory, and that for a write to this very drive, which may need the drive's
 * mutex.  So it is sent without that: devices are held instead, some at a time.
 * An event of a table is not: only who holds that mutex knows the table.  It takes
 * one of device-mapper's, and waits for uevents where multipath devices have some.
 *
 * With each of them udev reads the device.  So of a stream's promise it hears
 * from time to time only; but how a change of risk ended, it hears in the end.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/sched/mm.h>

#include "drive.h"
#include "trace.h"

/* Missed windows of a stream, and changes of its risk, are told so often. */
#define TELL_PROMISE_EVERY_NS (10 * NSEC_PER_SEC)

/* "SSDQOS_EVENT=" and its like with their values. */
#define UEVENT_BYTES 64

/* Devices that are told before others may have the mutex. */
#define TELL_AT_ONCE 16u

/* What an event is about. */
enum qos_tell_topic {
	QOS_TELL_PROMISE,
	QOS_TELL_PROFILE,
	QOS_TELL_FOREIGN,
	QOS_TELL_LIFE,
	QOS_TELL_TRIM,
};

static enum qos_tell_topic
qos_tell_topic(const struct ssdqos_watch_event *what)
{
	switch (what->kind) {
	case SSDQOS_WATCH_PROMISE_MISSED:
	case SSDQOS_WATCH_PROMISE_AT_RISK:
	case SSDQOS_WATCH_PROMISE_SAFE:
		return QOS_TELL_PROMISE;
	case SSDQOS_WATCH_PROFILE_STALE:
	case SSDQOS_WATCH_PROFILE_OK:
		return QOS_TELL_PROFILE;
	case SSDQOS_WATCH_FOREIGN_WRITER:
	case SSDQOS_WATCH_FOREIGN_WRITER_GONE:
		return QOS_TELL_FOREIGN;
	case SSDQOS_WATCH_TRIM_FAILING:
	case SSDQOS_WATCH_TRIM_OK:
		return QOS_TELL_TRIM;
	default:
		return QOS_TELL_LIFE;
	}
}

static long long qos_tell_value(const struct ssdqos_watch_event *what)
{
	switch (qos_tell_topic(what)) {
	case QOS_TELL_PROMISE:
		return what->achieved;
	case QOS_TELL_PROFILE:
		return what->drift_pct;
	case QOS_TELL_FOREIGN:
		return what->foreign_pct;
	case QOS_TELL_LIFE:
		return what->delay_ns;
	case QOS_TELL_TRIM:
		return what->failed;
	}
	return 0;
}

/* Why, in a word; nothing if there is no reason to tell. */
static const char *qos_tell_why(const struct ssdqos_watch_event *what)
{
	switch (qos_tell_topic(what)) {
	case QOS_TELL_PROMISE:
		return ssdqos_miss_why_names[what->missed_why];
	case QOS_TELL_LIFE:
		return ssdqos_ready_why_names[what->why];
	default:
		return "";
	}
}

/* What a uevent says. */
struct qos_tell_words {
	char what[UEVENT_BYTES];
	char drive[UEVENT_BYTES];
	char value[UEVENT_BYTES];
	char why[UEVENT_BYTES];
};

static void qos_tell_print(const struct qos_drive *d,
			   const struct ssdqos_watch_event *what,
			   struct qos_tell_words *words)
{
	int len;

	scnprintf(words->what, UEVENT_BYTES, "SSDQOS_EVENT=%s",
		  ssdqos_watch_event_names[what->kind]);
	len = scnprintf(words->drive, UEVENT_BYTES, "SSDQOS_DRIVE=");
	qos_drive_print_name(d, words->drive + len, UEVENT_BYTES - len);
	scnprintf(words->value, UEVENT_BYTES, "SSDQOS_VALUE=%lld",
		  qos_tell_value(what));
	scnprintf(words->why, UEVENT_BYTES, "SSDQOS_WHY=%s",
		  qos_tell_why(what));
}

/* Some of the devices that have not been told of it yet, held: a drive's event goes
 * to each of its devices, so whoever looks after one of them hears of it.
 */
static u32 qos_tell_hold(struct qos_drive *d, const struct qos_event *event,
			 struct mapped_device **mds)
{
	struct qos_stream *st;
	u32 nr = 0;

	lockdep_assert_held(&d->mutex);
	list_for_each_entry(st, &d->streams, list) {
		if (nr == TELL_AT_ONCE)
			break;
		if (st->told == d->telling ||
		    (event->stream && event->stream != st))
			continue;
		st->told = d->telling;
		if (st->table)
			dm_table_event(st->table);
		/* who is being removed hears of nothing any more */
		if (!dm_hold(st->md))
			mds[nr++] = st->md;
	}
	return nr;
}

static void qos_tell_send(struct mapped_device **mds, u32 nr,
			  struct qos_tell_words *words)
{
	char *env[5];
	u32 i;

	env[0] = words->what;
	env[1] = words->drive;
	env[2] = words->value;
	env[3] = words->why;
	env[4] = NULL;
	for (i = 0; i < nr; i++) {
		kobject_uevent_env(&disk_to_dev(dm_disk(mds[i]))->kobj,
				   KOBJ_CHANGE, env);
		dm_put(mds[i]);
	}
}

static bool qos_tell_take(struct qos_drive *d, struct qos_event *event)
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

/* ---- what waits to be told ---- */

/* Has the work run at a time, if it won't before.  The drive's lock is held. */
static void qos_tell_arm(struct qos_drive *d, u64 at_ns, u64 now_ns)
{
	lockdep_assert_held(&d->lock);
	if (at_ns >= d->tell_armed_ns)
		return;
	d->tell_armed_ns = at_ns;
	mod_delayed_work(system_long_wq, &d->event_work, at_ns <= now_ns ? 0 :
			 nsecs_to_jiffies(at_ns - now_ns) + 1);
}

/* When too much waits, the oldest goes.  The drive's lock is held.
 * @st: to whom; NULL: to all
 */
static void qos_tell_put(struct qos_drive *d, struct qos_stream *st,
			 const struct ssdqos_watch_event *what)
{
	u32 at = (d->first_event + d->nr_events) % QOS_MAX_EVENTS;

	d->events[at] = (struct qos_event){
		.stream = st,
		.what = *what,
	};
	if (d->nr_events < QOS_MAX_EVENTS)
		d->nr_events++;
	else
		d->first_event = (d->first_event + 1) % QOS_MAX_EVENTS;
}

/* A change of risk is told now, and none for a while. */
static void qos_tell_note_risk(struct qos_risk *risk,
			       const struct ssdqos_watch_event *what, u64 now_ns)
{
	risk->told = what->kind;
	risk->quiet_until_ns = now_ns + TELL_PROMISE_EVERY_NS;
	risk->is_late = false;
}

/* Changes of risk that had to wait, and may be told by now. */
static void qos_tell_late(struct qos_drive *d)
{
	struct qos_stream *st;
	u64 now_ns;

	lockdep_assert_held(&d->mutex);
	spin_lock_irq(&d->lock);
	now_ns = ktime_get_ns();
	d->tell_armed_ns = SSDQOS_NEVER_NS;
	list_for_each_entry(st, &d->streams, list) {
		struct qos_risk *risk = &st->risk;

		if (!risk->is_late)
			continue;
		if (now_ns < risk->quiet_until_ns) {
			qos_tell_arm(d, risk->quiet_until_ns, now_ns);
			continue;
		}
		risk->is_late = false;
		qos_tell_note_risk(risk, &risk->late, now_ns);
		qos_tell_put(d, st, &risk->late);
	}
	spin_unlock_irq(&d->lock);
}

/* The oldest event; returns false if there is none.  Its stream is there as long as
 * the mutex is held for the first time: it has one device, so it is told by then.
 */
static bool qos_tell_next(struct qos_drive *d)
{
	struct mapped_device *mds[TELL_AT_ONCE];
	unsigned int noio = qos_drive_lock(d);
	struct qos_tell_words words;
	struct qos_event event;
	bool found;
	u32 nr = 0;

	found = qos_tell_take(d, &event);
	if (found) {
		d->telling++;
		qos_tell_print(d, &event.what, &words);
		nr = qos_tell_hold(d, &event, mds);
	}
	qos_drive_unlock(d, noio);
	qos_tell_send(mds, nr, &words);
	while (nr == TELL_AT_ONCE) {
		noio = qos_drive_lock(d);
		nr = qos_tell_hold(d, &event, mds);
		qos_drive_unlock(d, noio);
		qos_tell_send(mds, nr, &words);
	}
	return found;
}

static void qos_tell_event_work(struct work_struct *work)
{
	struct qos_drive *d = container_of(to_delayed_work(work),
					   struct qos_drive, event_work);
	unsigned int noio;

	noio = qos_drive_lock(d);
	qos_tell_late(d);
	qos_drive_unlock(d, noio);
	/* who takes the drive's last stream away waits for this */
	noio = memalloc_noio_save();
	while (qos_tell_next(d))
		cond_resched();
	memalloc_noio_restore(noio);
}

/* ---- what comes ---- */

static void qos_tell_trace_promise(const struct qos_stream *st,
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

static void qos_tell_trace(const struct qos_drive *d, struct qos_stream *st,
			   const struct ssdqos_watch_event *what)
{
	switch (qos_tell_topic(what)) {
	case QOS_TELL_PROMISE:
		qos_tell_trace_promise(st, what);
		break;
	case QOS_TELL_PROFILE:
		/* a discard that was not sent after all is of no stream */
		if (st)
			trace_ssdqos_qos_profile_drifted(st, what);
		break;
	case QOS_TELL_FOREIGN:
	case QOS_TELL_TRIM:
		break;
	case QOS_TELL_LIFE:
		trace_ssdqos_ready_epoch(d, what);
		break;
	}
}

/* What comes too early waits, unless it is what was told last: then nothing is to
 * be told but that.
 */
static bool qos_tell_is_risk_news(struct qos_stream *st,
				  const struct ssdqos_watch_event *what)
{
	struct qos_risk *risk = &st->risk;

	if (what->time_ns >= risk->quiet_until_ns) {
		qos_tell_note_risk(risk, what, what->time_ns);
		return true;
	}
	risk->is_late = what->kind != risk->told;
	risk->late = *what;
	if (risk->is_late)
		qos_tell_arm(st->drive, risk->quiet_until_ns, what->time_ns);
	return false;
}

/* Every missed window is counted and traced, and so is every change of risk; but
 * a drive that is too slow must not keep udev busy.
 */
static bool qos_tell_is_news(struct qos_stream *st,
			     const struct ssdqos_watch_event *what)
{
	switch (what->kind) {
	case SSDQOS_WATCH_PROMISE_AT_RISK:
	case SSDQOS_WATCH_PROMISE_SAFE:
		return qos_tell_is_risk_news(st, what);
	case SSDQOS_WATCH_PROMISE_MISSED:
		if (what->time_ns < st->quiet_until_ns)
			return false;
		st->quiet_until_ns = what->time_ns + TELL_PROMISE_EVERY_NS;
		return true;
	default:
		return true;
	}
}

/**
 * qos_tell_add - something that somebody should hear of
 * @d: the drive
 * @st: the stream that led to it; NULL only for a foreign writer, the lifetime,
 *	discards, and a profile that is found stale with one of these
 * @events: what
 * @nr: how many
 *
 * Context: the drive's lock is held.
 */
void qos_tell_add(struct qos_drive *d, struct qos_stream *st,
		  const struct ssdqos_watch_event *events, u32 nr)
{
	u32 i;

	lockdep_assert_held(&d->lock);
	for (i = 0; i < nr; i++) {
		bool own = qos_tell_topic(&events[i]) ==
			   QOS_TELL_PROMISE;

		qos_tell_trace(d, st, &events[i]);
		if (qos_tell_is_news(st, &events[i]))
			qos_tell_put(d, own ? st : NULL, &events[i]);
	}
	if (d->nr_events)
		qos_tell_arm(d, 0, 0);
}

/**
 * qos_tell_forget - a stream goes: nothing has to be told to it any more
 * @st: the stream
 *
 * Context: the drive's lock and its mutex are held.
 */
void qos_tell_forget(struct qos_stream *st)
{
	struct qos_drive *d = st->drive;
	u32 i, kept = 0, nr = d->nr_events;

	lockdep_assert_held(&d->lock);
	lockdep_assert_held(&d->mutex);
	st->risk.is_late = false;
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
 * qos_tell_init - prepare a drive for events
 * @d: the drive
 */
void qos_tell_init(struct qos_drive *d)
{
	d->tell_armed_ns = SSDQOS_NEVER_NS;
	INIT_DELAYED_WORK(&d->event_work, qos_tell_event_work);
}

/**
 * qos_tell_stop - nothing more to tell
 * @d: the drive; it has no streams, and nobody looks after it
 *
 * Context: sleeps.
 */
void qos_tell_stop(struct qos_drive *d)
{
	cancel_delayed_work_sync(&d->event_work);
}
