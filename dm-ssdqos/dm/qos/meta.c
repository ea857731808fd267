// SPDX-License-Identifier: GPL-2.0
/*
 * meta.c - a device on which a drive's life survives power cuts
 *
 * What lies where, and in which order it is written, is core/ready/disk.h;
 * here it is read and written.
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
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "below.h"
#include "compat.h"
#include "core/ready/disk.h"
#include "drive.h"
#include "label.h"
#include "life.h"
#include "meta.h"

#define DM_MSG_PREFIX "ssdqos"

#define META_NAME_BYTES 24
/* A state is written into blocks of this size. */
#define META_BLOCK_BYTES 4096
/* After an error, tried again so soon; then twice as late each time. */
#define META_RETRY_JIFFIES HZ
#define META_MAX_RETRY_JIFFIES (60 * HZ)

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

/* ---- reading it ---- */

/* Reads or writes whole blocks; needs no memory that others may wait for. */
static int meta_io(struct qos_meta *m, blk_opf_t opf, u64 at_bytes, void *data,
		   u32 bytes)
{
	struct bio_vec vec;
	struct bio bio;
	int r;

	bio_init(&bio, m->bdev, &vec, 1, opf);
	bio.bi_iter.bi_sector = at_bytes >> SECTOR_SHIFT;
	__bio_add_page(&bio, virt_to_page(data), bytes, offset_in_page(data));
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

/* Why it can't be used; NULL if it can. */
static const char *meta_fault(const struct qos_meta *m)
{
	if (bdev_nr_bytes(m->bdev) < SSDQOS_READY_DISK_BYTES)
		return "is too small: it takes 72 KiB";
	if (m->writable && bdev_read_only(m->bdev))
		return "can't be written";
	if (bdev_logical_block_size(m->bdev) > META_BLOCK_BYTES)
		return "has blocks of more than 4 KiB";
	return NULL;
}

static int meta_open(struct qos_meta *m)
{
	const char *fault;

	m->handle = ssdqos_bdev_claim(m->dev, m->writable, m);
	if (IS_ERR(m->handle)) {
		int r = PTR_ERR(m->handle);

		m->handle = NULL;
		scnprintf(m->err, QOS_ERR_BYTES, r == -EBUSY ?
			  "drive_meta: '%s', or its disk, is mounted or in use (%d)" :
			  "drive_meta: '%s' can't be opened (%d)", m->name, r);
		return r;
	}
	m->bdev = ssdqos_bdev_of(m->handle);
	fault = meta_fault(m);
	if (!fault)
		return 0;
	scnprintf(m->err, QOS_ERR_BYTES, "drive_meta: '%s' %s", m->name, fault);
	return -EINVAL;
}

static int meta_refuse_label(struct qos_meta *m, const char *label)
{
	scnprintf(m->err, QOS_ERR_BYTES,
		  "drive_meta: '%s' has %s on it; if nobody needs that, clear it first (wipefs -a, then zero its first %u bytes)",
		  m->name, label, SSDQOS_READY_DISK_BYTES);
	return -EINVAL;
}

static int meta_read_error(struct qos_meta *m, int r)
{
	scnprintf(m->err, QOS_ERR_BYTES,
		  "drive_meta: '%s' can't be read (%d)", m->name, r);
	return r;
}

/* What lies at its end does so even if a life is at its begin. */
static int meta_read_end(struct qos_meta *m)
{
	u64 size = bdev_nr_bytes(m->bdev);
	u32 bytes = min_t(u64, size, QOS_LABEL_TAIL_BYTES);
	void *tail = alloc_pages_exact(QOS_LABEL_TAIL_BYTES, GFP_NOIO);
	const char *label = NULL;
	int r;

	if (!tail) {
		scnprintf(m->err, QOS_ERR_BYTES,
			  "drive_meta: no memory to look at the end of '%s'",
			  m->name);
		return -ENOMEM;
	}
	r = meta_io(m, REQ_OP_READ | REQ_META, size - bytes, tail, bytes);
	if (!r)
		label = qos_label_at_end(tail, bytes, size);
	free_pages_exact(tail, QOS_LABEL_TAIL_BYTES);
	if (r)
		return meta_read_error(m, r);
	return label ? meta_refuse_label(m, label) : 0;
}

static int meta_read_begin(struct qos_meta *m)
{
	struct ssdqos_ready_disk *disk = &m->disk;
	const char *label;
	int r = meta_io(m, REQ_OP_READ | REQ_META, 0, disk->image,
			SSDQOS_READY_DISK_BYTES);

	if (r)
		return meta_read_error(m, r);
	r = ssdqos_ready_disk_find(disk);
	if (!r)
		return 0;
	if (r == -EOVERFLOW) {
		scnprintf(m->err, QOS_ERR_BYTES,
			  "drive_meta: the life on '%s' was saved by a later version, and is left alone",
			  m->name);
		return r;
	}
	label = qos_label_at_begin(disk->image, SSDQOS_READY_DISK_BYTES);
	return meta_refuse_label(m, label ? label : "something else");
}

static void meta_read(struct qos_meta *m)
{
	int r = meta_open(m);

	if (!r)
		r = meta_read_begin(m);
	if (!r)
		r = meta_read_end(m);
	m->read_error = r;
	/* pairs with the acquire of whoever waits */
	smp_store_release(&m->is_read, true);
}

/* ---- writing it ---- */

/* The drive's lock is held. */
static void meta_tell(struct qos_drive *d, u32 kind)
{
	const struct ssdqos_watch_event event = {
		.kind = kind,
		.time_ns = ktime_get_ns(),
		.delay_ns = d->ready->delay_ns,
		.why = d->ready->why,
	};

	lockdep_assert_held(&d->lock);
	qos_tell_add(d, NULL, &event, 1);
}

/* Returns true if that is news.  The drive is not let go meanwhile. */
static bool meta_set_lost(struct qos_meta *m, struct qos_drive *d, bool lost)
{
	bool news;

	spin_lock_irq(&d->lock);
	news = m->lost != lost;
	WRITE_ONCE(m->lost, lost);
	if (news)
		meta_tell(d, lost ? SSDQOS_WATCH_LIFE_META_LOST :
				    SSDQOS_WATCH_LIFE_META_OK);
	spin_unlock_irq(&d->lock);
	return news;
}

static void meta_failed(struct qos_meta *m, int r)
{
	ssdqos_ready_disk_failed(&m->disk);
	m->retry_jiffies = m->retry_jiffies ?
		min_t(unsigned long, 2 * m->retry_jiffies,
		      META_MAX_RETRY_JIFFIES) : META_RETRY_JIFFIES;
	m->retry_at = jiffies + m->retry_jiffies;
	mutex_lock(&m->mutex);
	if (!m->drive || meta_set_lost(m, m->drive, true))
		DMERR("drive_meta: '%s' can't be written (%d), and is tried again",
		      m->name, r);
	mutex_unlock(&m->mutex);
}

static void meta_succeeded(struct qos_meta *m)
{
	m->retry_jiffies = 0;
	mutex_lock(&m->mutex);
	if (m->drive) {
		m->saved = m->taken;
		if (meta_set_lost(m, m->drive, false))
			DMINFO("drive_meta: '%s' is written again", m->name);
	}
	mutex_unlock(&m->mutex);
}

/* Each of them is durable before the next one: nothing has to be flushed that
 * was not written with FUA.
 */
static void meta_write(struct qos_meta *m)
{
	const blk_opf_t opf = REQ_OP_WRITE | REQ_META | REQ_SYNC | REQ_IDLE |
		REQ_FUA;
	struct ssdqos_ready_write w;
	int r;

	while (ssdqos_ready_disk_next(&m->disk, &w)) {
		r = meta_io(m, opf, w.at_bytes, m->disk.image + w.at_bytes,
			    w.bytes);
		if (r) {
			meta_failed(m, r);
			return;
		}
		ssdqos_ready_disk_done(&m->disk);
	}
	meta_succeeded(m);
}

static bool meta_rests(const struct qos_meta *m)
{
	return m->retry_jiffies && time_before(jiffies, m->retry_at);
}

static bool meta_is_stale(const struct qos_meta *m,
			  const struct ssdqos_ready *r)
{
	return r->used_bytes != m->saved.used_bytes ||
	       r->host_bytes != m->saved.host_bytes ||
	       r->window_end_ns != m->saved.window_end_ns;
}

/* What is written to the drive's own disk wears it as any other write does. */
static void meta_charge(struct qos_meta *m, struct qos_drive *d, u64 now_ns)
{
	u64 bytes = ssdqos_ready_disk_bytes(&m->disk, d->ready);

	d->ready->meta_bytes += bytes;
	if (!m->on_drive)
		return;
	ssdqos_ready_wrote(d->ready, bytes, now_ns);
	d->gone.unseen_bytes += bytes;
}

/* Nothing of it is being written.  The drive's mutex and its lock are held, for
 * some ten microseconds.  @all: even if nothing was charged
 */
static bool meta_take_locked(struct qos_meta *m, struct qos_drive *d, bool all,
			     u64 now_ns)
{
	const struct ssdqos_ready *r = d->ready;

	lockdep_assert_held(&d->mutex);
	lockdep_assert_held(&d->lock);
	if (!m->begun || m->unusable || !m->writable || !r->counting ||
	    (!all && !meta_is_stale(m, r)))
		return false;
	if (m->renewed)
		ssdqos_ready_disk_renew(&m->disk);
	m->renewed = false;
	meta_charge(m, d, now_ns);
	ssdqos_ready_disk_take(&m->disk, r, qos_life_wall_s());
	m->taken = (struct qos_meta_state){
		.used_bytes = r->used_bytes,
		.host_bytes = r->host_bytes,
		.window_end_ns = r->window_end_ns,
	};
	return true;
}

/* Takes the state, to be written.  Return: there is something to write. */
static bool meta_take(struct qos_meta *m, struct qos_drive *d, bool all)
{
	unsigned int noio = qos_drive_lock(d);
	u64 now_ns = qos_ready_change_begin(d);
	bool taken;

	qos_ready_tick(d, now_ns);
	taken = meta_take_locked(m, d, all, now_ns);
	qos_io_change_end(d, now_ns);
	qos_drive_unlock(d, noio);
	return taken;
}

static void meta_save(struct qos_meta *m)
{
	int wanted = atomic_read(&m->wanted);
	bool all = wanted != m->done, taken = false;

	mutex_lock(&m->mutex);
	if (m->drive && (all || !meta_rests(m)))
		taken = meta_take(m, m->drive, all);
	mutex_unlock(&m->mutex);
	if (taken) {
		m->busy_since = jiffies;
		/* pairs with the acquire of meta_hangs() */
		smp_store_release(&m->busy, true);
		meta_write(m);
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
		meta_read(m);
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
	if (meta_set_lost(m, d, true))
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
	/* pairs with the release of meta_read() */
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
	if (r) {
		m->unusable = true;
		meta_tell(d, SSDQOS_WATCH_LIFE_META_LOST);
	}
	qos_io_change_end(d, now_ns);
	if (r)
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
