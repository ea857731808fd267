// SPDX-License-Identifier: GPL-2.0
/*
 * drive.c - drives and streams come and go
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "below.h"
#include "compat.h"
#include "drive.h"
#include "meta.h"

static LIST_HEAD(qos_drives);
static DEFINE_MUTEX(qos_drives_mutex);

/**
 * ssdqos_qos_init - what all drives share
 *
 * Context: module init.
 * Return: 0 or -ENOMEM.
 */
int __init ssdqos_qos_init(void)
{
	return qos_meta_init();
}

/**
 * ssdqos_qos_exit - the opposite
 */
void ssdqos_qos_exit(void)
{
	qos_meta_exit();
}

/* ---- drives; qos_drives_mutex is held ---- */

/* Where memory is short a queue has one worker: the one that sends what has waited
 * must not be the one that waits for the mutex, whose holder may want memory.
 */
static bool qos_drive_create_queues(struct qos_drive *d)
{
	const unsigned int flags = WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_UNBOUND;

	d->wq = alloc_workqueue("ssdqos", flags, 0);
	d->trim_wq = alloc_workqueue("ssdqos_trim", flags, 0);
	return d->wq && d->trim_wq;
}

static void qos_drive_destroy_queues(struct qos_drive *d)
{
	if (d->trim_wq)
		destroy_workqueue(d->trim_wq);
	if (d->wq)
		destroy_workqueue(d->wq);
}

static void qos_drive_free(struct qos_drive *d)
{
	/* Each of them may yet start what comes after it, and nothing before:
	 *	life, watch	tell, and by qos_io_pump() io and trim
	 *	trim		tell and io; itself, until all slots are back
	 *	io		trim, if it finds one of its slots: there is none
	 *			after qos_trim_stop()
	 *	tell		nothing
	 */
	qos_life_stop(d);
	qos_watch_stop(d);
	qos_trim_stop(d);
	qos_io_stop(d);
	qos_tell_stop(d);
	qos_drive_destroy_queues(d);
	ssdqos_ready_destroy(d->ready);
	ssdqos_apart_destroy(&d->edf);
	mutex_destroy(&d->mutex);
	kfree(d);
}

static struct qos_drive *qos_drive_create(const struct qos_place *place)
{
	struct qos_drive *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return NULL;
	d->ready = ssdqos_ready_create();
	if (!ssdqos_apart_create(&d->edf, place->apart) || !d->ready ||
	    !qos_drive_create_queues(d) ||
	    qos_life_init(d, bdev_whole(place->bdev)->bd_dev)) {
		qos_drive_destroy_queues(d);
		ssdqos_ready_destroy(d->ready);
		ssdqos_apart_destroy(&d->edf);
		kfree(d);
		return NULL;
	}
	spin_lock_init(&d->lock);
	mutex_init(&d->mutex);
	INIT_LIST_HEAD(&d->streams);
	qos_io_init(d);
	qos_trim_init(d, bdev_discard_granularity(place->bdev));
	qos_tell_init(d);
	qos_watch_init(d);
	if (*place->drive_name)
		strscpy(d->name, place->drive_name, sizeof(d->name));
	else
		d->whole = bdev_whole(place->bdev);
	d->disk_bytes = bdev_nr_bytes(d->whole ? d->whole : place->bdev);
	qos_life_identify(d);
	list_add(&d->list, &qos_drives);
	return d;
}

static bool qos_drive_is_at(const struct qos_drive *d,
			    const struct qos_place *place)
{
	if (*place->drive_name)
		return !d->whole && !strcmp(d->name, place->drive_name);
	return d->whole == bdev_whole(place->bdev);
}

static struct qos_drive *qos_drive_find(const struct qos_place *place)
{
	struct qos_drive *d;

	lockdep_assert_held(&qos_drives_mutex);
	list_for_each_entry(d, &qos_drives, list)
		if (qos_drive_is_at(d, place))
			return d;
	return NULL;
}

/* ---- streams ---- */

static void qos_stream_free(struct qos_stream *st)
{
	free_percpu(st->counts);
	kvfree(st);
}

static struct qos_stream *qos_stream_alloc(const struct qos_place *place)
{
	struct qos_stream *st = kvzalloc(sizeof(*st), GFP_KERNEL);
	unsigned int cpu;

	if (!st)
		return NULL;
	st->counts = alloc_percpu(struct qos_cpu_counts);
	if (!st->counts) {
		kvfree(st);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(st->counts, cpu)->sync);
	kref_init(&st->ref);
	st->md = place->md;
	st->begin = place->begin;
	st->dev = disk_devt(dm_disk(place->md));
	return st;
}

static int qos_stream_join(struct qos_drive *d, struct qos_stream *st,
			   char *err)
{
	unsigned int noio = qos_drive_lock(d);
	int r;

	st->drive = d;
	spin_lock_irq(&d->lock);
	r = ssdqos_apart_add(&d->edf, &st->edf, ktime_get_ns(), err,
			     QOS_ERR_BYTES);
	if (!r)
		ssdqos_ready_add(d->ready, &st->ready, st->edf.reads.id);
	spin_unlock_irq(&d->lock);
	if (!r)
		list_add_tail(&st->list, &d->streams);
	qos_drive_unlock(d, noio);
	return r;
}

static struct qos_stream *qos_stream_find(const struct qos_drive *d,
					  const struct qos_place *place)
{
	struct qos_stream *st;

	list_for_each_entry(st, &d->streams, list)
		if (st->md == place->md && st->begin == place->begin)
			return st;
	return NULL;
}

static struct qos_stream *qos_stream_create(const struct qos_place *place,
					    struct qos_drive *d, char *err)
{
	struct qos_stream *st = qos_stream_alloc(place);

	if (!d && st)
		d = qos_drive_create(place);
	if (!st || !d) {
		scnprintf(err, QOS_ERR_BYTES, "no memory for a stream");
		goto failed;
	}
	if (!qos_stream_join(d, st, err))
		return st;
failed:
	if (st)
		qos_stream_free(st);
	return NULL;
}

static struct qos_stream *qos_stream_make(const struct qos_place *place,
					  char *err)
{
	struct qos_stream *st;
	struct qos_drive *d;

	mutex_lock(&qos_drives_mutex);
	d = qos_drive_find(place);
	st = d ? qos_stream_find(d, place) : NULL;
	if (st)
		kref_get(&st->ref);
	else
		st = qos_stream_create(place, d, err);
	mutex_unlock(&qos_drives_mutex);
	return st;
}

static void qos_stream_leave(struct qos_stream *st)
{
	struct qos_drive *d = st->drive;
	unsigned int noio = qos_drive_lock(d);
	u64 now_ns;

	qos_io_add_counts(st, &d->gone);
	list_del(&st->list);
	now_ns = qos_io_change_begin(d);
	qos_owner_leave(st);
	qos_tell_forget(st);
	ssdqos_ready_remove(&st->ready);
	ssdqos_apart_remove(&d->edf, &st->edf);
	/* what it had reserved may be what others wait for */
	qos_io_change_end(d, now_ns);
	qos_drive_unlock(d, noio);
}

static void qos_stream_last_put(struct kref *ref)
{
	struct qos_stream *st = container_of(ref, struct qos_stream, ref);
	struct qos_drive *d = st->drive;
	bool unused;

	qos_stream_leave(st);
	unused = list_empty(&d->streams);
	if (unused)
		list_del(&d->list);
	mutex_unlock(&qos_drives_mutex);	/* kref_put_mutex() took it */
	if (unused)
		qos_drive_free(d);
	qos_stream_free(st);
}

/**
 * qos_stream_put - give a reference back
 * @st: the stream; no request of the caller's target is under way
 *
 * Context: sleeps.
 */
void qos_stream_put(struct qos_stream *st)
{
	kref_put_mutex(&st->ref, qos_stream_last_put, &qos_drives_mutex);
}

/* ---- a drive with a name must not lie below itself ---- */

static bool qos_drive_has_dev(dev_t dev, void *drive)
{
	const struct qos_drive *d = drive;
	const struct qos_stream *st;
	bool found = false;

	mutex_lock(&qos_drives_mutex);
	list_for_each_entry(st, &d->streams, list)
		found |= st->dev == dev;
	mutex_unlock(&qos_drives_mutex);
	return found;
}

/* The device of one of its streams; 0 if it has less of them. */
static dev_t qos_drive_dev_at(const struct qos_drive *d, u32 index)
{
	const struct qos_stream *st;
	dev_t dev = 0;

	mutex_lock(&qos_drives_mutex);
	list_for_each_entry(st, &d->streams, list)
		if (!index--)
			dev = st->dev;
	mutex_unlock(&qos_drives_mutex);
	return dev;
}

static bool qos_is_dev(dev_t dev, void *wanted)
{
	return dev == *(const dev_t *)wanted;
}

/* Is one of its streams above a device that has been in use before? */
static int qos_drive_is_above(const struct qos_drive *d, dev_t dev)
{
	dev_t above;
	u32 i;
	int r = 0;

	for (i = 0; !r && (above = qos_drive_dev_at(d, i)); i++)
		if (above != dev)
			r = qos_below_find(above, qos_is_dev, &dev);
	return r;
}

/* Requests would wait for each other if they came by the same drive twice.
 * Nobody is kept out meanwhile: whoever joins looks after having joined, so of
 * two, one sees the other.
 */
static int qos_stream_check_stack(struct qos_stream *st,
				  const struct qos_place *place, char *err)
{
	dev_t data = place->bdev->bd_dev;
	struct qos_drive *d = st->drive;
	int r;

	if (d->whole)
		return 0;
	r = qos_drive_has_dev(data, d) ? 1 :
		qos_below_find(data, qos_drive_has_dev, d);
	if (!r && disk_openers(dm_disk(place->md)))
		r = qos_drive_is_above(d, st->dev);
	if (!r)
		return 0;
	if (r > 0)
		scnprintf(err, QOS_ERR_BYTES,
			  "drive: '%s' already schedules a device below or above %u:%u, where requests would wait for themselves",
			  place->drive_name, MAJOR(st->dev), MINOR(st->dev));
	else
		scnprintf(err, QOS_ERR_BYTES,
			  "drive: '%s': what lies below can't be found out (%d)",
			  place->drive_name, r);
	return r > 0 ? -ELOOP : r;
}

/**
 * qos_stream_get - the stream of a table segment
 * @place: where it is
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: may sleep.
 * Return: with a reference, the stream that the segment has on that drive, or
 * a new one without a guarantee; NULL on failure.
 */
struct qos_stream *qos_stream_get(const struct qos_place *place, char *err)
{
	struct qos_stream *st = qos_stream_make(place, err);

	if (!st || !qos_stream_check_stack(st, place, err))
		return st;
	qos_stream_put(st);
	return NULL;
}
