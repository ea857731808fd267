// SPDX-License-Identifier: GPL-2.0
/*
 * meta.c - a device on which a drive's life survives power cuts
 *
 * What lies where, and in which order it is written, is core/ready/disk.h; it
 * is read in meta_read.c and written in meta_write.c.
 *
 * Whatever touches the device is done by one work, because the device may take
 * for ever, and nobody waits for that longer than QOS_META_WAIT_S: not the
 * tables that name it, nor suspend and removal.  The work has a reference, so a
 * device that is let go while it hangs is closed when it answers; until then
 * nobody else gets it, and the module stays.
 *
 * The device is opened for us alone: dm core has one owner for all of its
 * tables, so that a second table might have it as data.
 *
 * The device is that of the tables which name it: it is let go with the last
 * one, after what is to be kept has been written.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "below.h"
#include "life.h"
#include "meta.h"
#include "meta_device.h"

#define DM_MSG_PREFIX "ssdqos"

static LIST_HEAD(qos_metas);
/* Of the list, and who uses what. */
static DEFINE_SPINLOCK(qos_metas_lock);
/* One of the list has gone. */
static DECLARE_WAIT_QUEUE_HEAD(qos_metas_gone);
static struct workqueue_struct *qos_meta_wq;

static unsigned long meta_wait_jiffies(void)
{
	return QOS_META_WAIT_S * HZ;
}

/* ---- come and go ---- */

static void meta_release(struct kref *ref)
{
	struct qos_meta *m = container_of(ref, struct qos_meta, ref);

	if (m->handle)
		ssdqos_bdev_release(m->handle, m->writable, m);
	spin_lock(&qos_metas_lock);
	list_del(&m->list);
	spin_unlock(&qos_metas_lock);
	wake_up_all(&qos_metas_gone);
	if (m->disk.image)
		free_pages_exact(m->disk.image, SSDQOS_READY_DISK_BYTES);
	mutex_destroy(&m->mutex);
	kfree(m);
	module_put(THIS_MODULE);
}

static void meta_queue(struct qos_meta *m)
{
	kref_get(&m->ref);
	/* it was queued already, and has a reference for that */
	if (!queue_work(qos_meta_wq, &m->work))
		kref_put(&m->ref, meta_release);
}

/* One that was let go, and doesn't answer. */
static bool meta_is_going(dev_t dev)
{
	const struct qos_meta *m;
	bool found = false;

	spin_lock(&qos_metas_lock);
	list_for_each_entry(m, &qos_metas, list)
		found |= m->dev == dev && !m->users;
	spin_unlock(&qos_metas_lock);
	return found;
}

static void meta_await_gone(dev_t dev, unsigned long most_jiffies)
{
	wait_event_timeout(qos_metas_gone, !meta_is_going(dev), most_jiffies);
}

/* ---- the work ---- */

static void meta_save(struct qos_meta *m)
{
	int wanted = atomic_read(&m->wanted);
	bool all = wanted != m->done, taken = false;

	mutex_lock(&m->mutex);
	if (m->drive && (all || !qos_meta_rests(m)))
		taken = qos_meta_take(m, m->drive, all);
	mutex_unlock(&m->mutex);
	if (taken) {
		m->busy_since = jiffies;
		/* pairs with the acquire of meta_hangs() */
		smp_store_release(&m->busy, true);
		qos_meta_write(m);
		WRITE_ONCE(m->busy, false);
	}
	WRITE_ONCE(m->done, wanted);
}

static void meta_work(struct work_struct *work)
{
	struct qos_meta *m = container_of(work, struct qos_meta, work);
	/* a suspended device may wait for it */
	unsigned int noio = memalloc_noio_save();

	if (!m->is_read)
		qos_meta_read(m);
	else if (!m->read_error)
		meta_save(m);
	wake_up_all(&m->waiters);
	memalloc_noio_restore(noio);
	kref_put(&m->ref, meta_release);
}

static bool meta_hangs(const struct qos_meta *m)
{
	/* pairs with the release of meta_save() */
	return smp_load_acquire(&m->busy) &&
	       time_after(jiffies, m->busy_since + meta_wait_jiffies());
}

/* Says so once.  The drive is not let go meanwhile. */
static void meta_say_hangs(struct qos_meta *m, struct qos_drive *d)
{
	if (qos_meta_set_lost(m, d, true))
		DMERR("drive_meta: '%s' has not answered for %u s, and is waited for",
		      m->name, QOS_META_WAIT_S);
}

/**
 * qos_meta_kick - write what has changed, if it has
 * @m: the device
 * @d: its drive
 *
 * Context: the drive's mutex is held; waits for nothing.
 */
void qos_meta_kick(struct qos_meta *m, struct qos_drive *d)
{
	lockdep_assert_held(&d->mutex);
	if (meta_hangs(m))
		meta_say_hangs(m, d);
	meta_queue(m);
}

static bool meta_is_done(const struct qos_meta *m, int wanted)
{
	return READ_ONCE(m->done) - wanted >= 0;
}

/**
 * qos_meta_save - write the state as it is now, if there is where to
 * @d: the drive
 *
 * Context: sleeps, QOS_META_WAIT_S at most; not at all for a device that is known
 * to hang.
 */
void qos_meta_save(struct qos_drive *d)
{
	unsigned int noio = qos_drive_lock(d);
	struct qos_meta *m = d->keep.meta;
	unsigned long most = meta_wait_jiffies();
	int wanted;

	if (m)
		kref_get(&m->ref);
	qos_drive_unlock(d, noio);
	if (!m)
		return;
	if (READ_ONCE(m->busy) && READ_ONCE(m->lost))
		most = 0;
	wanted = atomic_inc_return(&m->wanted);
	meta_queue(m);
	if (!wait_event_timeout(m->waiters, meta_is_done(m, wanted), most))
		meta_say_hangs(m, d);
	kref_put(&m->ref, meta_release);
}

/* ---- tables name it ---- */

/* The one that is in use already; NULL if there is none.  @err says if that
 * is not for this drive, or another one for it.
 */
static struct qos_meta *meta_in_use(struct qos_drive *d,
				    const struct qos_meta_use *use, char *err)
{
	struct qos_meta *m;

	lockdep_assert_held(&qos_metas_lock);
	*err = '\0';
	list_for_each_entry(m, &qos_metas, list) {
		if (m->dev == use->dev && !m->users)
			scnprintf(err, QOS_ERR_BYTES,
				  "drive_meta: '%s' has not yet answered to those who used it before",
				  m->name);
		else if (m->drive == d && m->dev == use->dev &&
			 use->writable && !m->writable)
			scnprintf(err, QOS_ERR_BYTES,
				  "drive_meta: '%s' is that of a read-only table, which has to go first",
				  m->name);
		else if (m->drive == d && m->dev == use->dev)
			return m;
		else if (m->drive == d)
			scnprintf(err, QOS_ERR_BYTES,
				  "drive_meta: the drive has '%s' already, which has to go first",
				  m->name);
		else if (m->dev == use->dev)
			scnprintf(err, QOS_ERR_BYTES,
				  "drive_meta: '%s' is that of another drive",
				  m->name);
	}
	return NULL;
}

static struct qos_meta *meta_alloc(struct qos_drive *d,
				   const struct qos_meta_use *use)
{
	struct qos_meta *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return NULL;
	m->disk.image = alloc_pages_exact(SSDQOS_READY_DISK_BYTES,
					  GFP_KERNEL | __GFP_ZERO);
	if (!m->disk.image) {
		kfree(m);
		return NULL;
	}
	kref_init(&m->ref);
	mutex_init(&m->mutex);
	INIT_WORK(&m->work, meta_work);
	init_waitqueue_head(&m->waiters);
	m->drive = d;
	m->users = 1;
	m->dev = use->dev;
	m->writable = use->writable;
	scnprintf(m->name, sizeof(m->name), "%u:%u", MAJOR(m->dev),
		  MINOR(m->dev));
	return m;
}

static void meta_free_unused(struct qos_meta *m)
{
	free_pages_exact(m->disk.image, SSDQOS_READY_DISK_BYTES);
	mutex_destroy(&m->mutex);
	kfree(m);
}

/* One that is in use, or a new one that nobody has read yet. */
static struct qos_meta *meta_find_or_add(struct qos_drive *d,
					 const struct qos_meta_use *use,
					 char *err)
{
	struct qos_meta *new = meta_alloc(d, use), *m;

	if (!new) {
		scnprintf(err, QOS_ERR_BYTES,
			  "no memory for a metadata device");
		return NULL;
	}
	spin_lock(&qos_metas_lock);
	m = meta_in_use(d, use, err);
	if (m) {
		m->users++;
	} else if (!*err) {
		m = new;
		__module_get(THIS_MODULE);
		list_add(&m->list, &qos_metas);
	}
	spin_unlock(&qos_metas_lock);
	if (m == new)
		meta_queue(m);
	else
		meta_free_unused(new);
	return m;
}

/* The last table that names it goes: it is closed by whoever is done last. */
static void meta_drop(struct qos_meta *m, struct qos_drive *d)
{
	dev_t dev = m->dev;
	bool is_last, is_lost = READ_ONCE(m->lost) || !m->is_read;
	unsigned int noio;

	mutex_lock(&m->mutex);
	noio = qos_drive_lock(d);
	spin_lock(&qos_metas_lock);
	is_last = !--m->users;
	if (is_last) {
		m->drive = NULL;
		d->keep.meta = NULL;
	}
	spin_unlock(&qos_metas_lock);
	qos_drive_unlock(d, noio);
	mutex_unlock(&m->mutex);
	if (!is_last)
		return;
	kref_put(&m->ref, meta_release);
	if (!is_lost)
		meta_await_gone(dev, meta_wait_jiffies());
}

static bool meta_is_stream(dev_t dev, void *drive)
{
	struct qos_drive *d = drive;
	unsigned int noio = qos_drive_lock(d);
	const struct qos_stream *st;
	bool found = false;

	list_for_each_entry(st, &d->streams, list)
		found |= st->dev == dev;
	qos_drive_unlock(d, noio);
	return found;
}

static bool meta_is_disk(dev_t dev, void *drive)
{
	const struct qos_drive *d = drive;

	return d->whole && d->whole->bd_dev == dev;
}

/* What is wrong with it before it is touched. */
static int meta_check_place(struct qos_drive *d, const struct qos_meta_use *use,
			    char *err)
{
	const char *fault = NULL;
	int r;

	if (use->dev == use->data || meta_is_disk(use->dev, d)) {
		fault = "has the data on it";
	} else {
		r = meta_is_stream(use->dev, d) ? 1 :
			qos_below_find(use->dev, meta_is_stream, d);
		if (r > 0)
			fault = "is on the drive, and would wear it for ever";
		else if (r < 0)
			fault = "can't be used: what lies below it can't be found out";
	}
	if (!fault)
		return 0;
	scnprintf(err, QOS_ERR_BYTES, "drive_meta: '%u:%u' %s", MAJOR(use->dev),
		  MINOR(use->dev), fault);
	return -EINVAL;
}

/* Whose life is on it? */
static int meta_check_life(struct qos_meta *m, struct qos_drive *d, bool accept,
			   char *err)
{
	struct ssdqos_ready_header h;
	char why[QOS_ERR_BYTES / 2];

	if (m->begun || !m->disk.found || accept)
		return 0;
	h = m->disk.header;
	if (!ssdqos_ready_is_other(d->ready, &h.identity))
		return 0;
	scnprintf(why, sizeof(why),
		  "its serial number, size or name differs");
	scnprintf(err, QOS_ERR_BYTES,
		  "drive_meta: '%s' has the life of another drive (%s); drive_accept_life 1 takes it over",
		  m->name, why);
	return -EINVAL;
}

/* It was read, and may be used. */
static int meta_await_read(struct qos_meta *m, struct qos_drive *d,
			   const struct qos_meta_use *use, char *err)
{
	/* pairs with the release of qos_meta_read() */
	if (!wait_event_timeout(m->waiters, smp_load_acquire(&m->is_read),
				meta_wait_jiffies())) {
		scnprintf(err, QOS_ERR_BYTES,
			  "drive_meta: '%s' has not answered for %u s",
			  m->name, QOS_META_WAIT_S);
		return -ETIMEDOUT;
	}
	if (!m->read_error)
		return meta_check_life(m, d, use->accept, err);
	strscpy(err, m->err, QOS_ERR_BYTES);
	return m->read_error;
}

/**
 * qos_meta_get - a table names a metadata device
 * @d: its drive
 * @use: how
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: sleeps, twice QOS_META_WAIT_S at most.
 * Return: 0 or a negative error.
 */
int qos_meta_get(struct qos_drive *d, const struct qos_meta_use *use, char *err)
{
	int r = meta_check_place(d, use, err);
	bool on_drive = qos_below_find(use->dev, meta_is_disk, d) > 0;
	struct qos_meta *m;
	unsigned int noio;

	if (r)
		return r;
	meta_await_gone(use->dev, meta_wait_jiffies());
	m = meta_find_or_add(d, use, err);
	if (!m)
		return -EBUSY;
	r = meta_await_read(m, d, use, err);
	if (r) {
		meta_drop(m, d);
		return r;
	}
	noio = qos_drive_lock(d);
	m->on_drive = on_drive;
	d->keep.meta = m;
	spin_lock(&qos_metas_lock);
	m->staying++;
	spin_unlock(&qos_metas_lock);
	qos_drive_unlock(d, noio);
	return 0;
}

/**
 * qos_meta_leave - a table that names a metadata device is about to go
 * @m: the device; the table has it until qos_meta_put()
 *
 * Of several that go at once, one is the last.
 *
 * Return: true if no other stays, so that this one has to save.
 */
bool qos_meta_leave(struct qos_meta *m)
{
	bool is_last;

	spin_lock(&qos_metas_lock);
	is_last = !--m->staying;
	spin_unlock(&qos_metas_lock);
	return is_last;
}

/**
 * qos_meta_put - a table that names the drive's metadata device goes
 * @d: the drive
 *
 * Context: sleeps, QOS_META_WAIT_S at most.
 */
void qos_meta_put(struct qos_drive *d)
{
	meta_drop(d->keep.meta, d);
}

/* ---- load ---- */

/**
 * qos_meta_renew - all that is on the device is of another life
 * @m: the device
 *
 * Context: the drive's mutex is held.
 */
void qos_meta_renew(struct qos_meta *m)
{
	m->renewed = true;
}

/**
 * qos_meta_begin - wear is counted: take over what is on the device
 * @m: the device
 * @d: its drive
 *
 * Only the first time; nothing is written before.
 * Context: the drive's mutex is held.
 */
void qos_meta_begin(struct qos_meta *m, struct qos_drive *d)
{
	char err[QOS_ERR_BYTES];
	u64 now_ns;
	int r = 0;

	lockdep_assert_held(&d->mutex);
	if (m->begun)
		return;
	m->begun = true;
	if (!m->disk.found)
		return;
	/* what has bypassed is charged later, to the life that is found */
	now_ns = qos_io_change_begin(d);
	r = ssdqos_ready_disk_load(&m->disk, d->ready, qos_life_wall_s(),
				   now_ns, err, QOS_ERR_BYTES);
	if (r < 0) {
		m->unusable = true;
		qos_meta_tell(d, SSDQOS_WATCH_LIFE_META_LOST);
	}
	qos_io_change_end(d, now_ns);
	/* what is on the device is an earlier moment of this life */
	if (r > 0)
		m->renewed = true;
	if (r < 0)
		DMERR("drive_meta: '%s' is not used: %s", m->name, err);
}

/**
 * qos_meta_init - what all devices share
 *
 * Context: module init.
 * Return: 0 or -ENOMEM.
 */
int __init qos_meta_init(void)
{
	qos_meta_wq = alloc_workqueue("ssdqos_meta", WQ_UNBOUND | WQ_HIGHPRI,
				      0);
	return qos_meta_wq ? 0 : -ENOMEM;
}

/**
 * qos_meta_exit - the opposite
 *
 * Context: module exit; no device is left, and the last work ends.
 */
void qos_meta_exit(void)
{
	destroy_workqueue(qos_meta_wq);
}
