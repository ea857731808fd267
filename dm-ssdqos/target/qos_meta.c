// SPDX-License-Identifier: GPL-2.0
/*
 * qos_meta.c - a device on which a drive's life survives power cuts
 *
 * In blocks of 4 KiB:
 *
 *	0, 1		headers, written in turns; the larger number is newer
 *	2..9, 10..17	histories: that of a header is in the first one if its
 *			ring goes on at an even place, else in the second one
 *
 * A header is written once a period if something was charged, a history before
 * the first header that needs it.  So whatever a power cut tears, an older
 * header is whole, and so is the history before.  The very first header has
 * none, so that nobody takes a history alone for a foreign disk.
 *
 * The device is that of the tables which name it: it is let go with the last
 * one, after what is to be kept has been written.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "qos_drive.h"
#include "qos_life.h"

#define DM_MSG_PREFIX "ssdqos"

#define META_COPIES 2
#define META_HISTORY_AT (META_COPIES * SSDQOS_READY_HEADER_BYTES)
#define META_BYTES (META_HISTORY_AT + META_COPIES * SSDQOS_READY_HISTORY_BYTES)
#define META_NAME_BYTES 24
/* A place that no ring goes on at. */
#define META_NO_HISTORY SSDQOS_READY_HISTORY

/**
 * struct qos_meta - a metadata device
 * @list: of all
 * @drive: whose it is
 * @users: tables that name it
 * @bdev: the device
 * @name: "major:minor"
 * @pages: its contents, as of the last read or write
 * @seq: number of the newest header
 * @found: there was a life on it
 * @begun: it was loaded, or is new; from then on it may be written
 * @failed: it is not used any more
 * @history_at: place of the ring in the newest history
 * @history_is_new: it has to be written
 * @saved_used_bytes: in the newest header
 * @saved_host_bytes: likewise
 * @saved_window_end_ns: likewise
 *
 * Until @begun, all of it is the drive's mutex's; then what is written, and how
 * far that is, belongs to who has the drive's keep.mutex.
 */
struct qos_meta {
	struct list_head list;
	struct qos_drive *drive;
	unsigned int users;
	struct block_device *bdev;
	char name[META_NAME_BYTES];
	u8 *pages;
	u64 seq;
	bool found;
	bool begun;
	bool failed;
	u32 history_at;
	bool history_is_new;
	u64 saved_used_bytes;
	u64 saved_host_bytes;
	u64 saved_window_end_ns;
};

static LIST_HEAD(qos_metas);
static DEFINE_MUTEX(qos_metas_mutex);

static u8 *meta_header(const struct qos_meta *m, u64 seq)
{
	return m->pages + seq % META_COPIES * SSDQOS_READY_HEADER_BYTES;
}

static u8 *meta_history(const struct qos_meta *m, u32 at)
{
	return m->pages + META_HISTORY_AT +
		at % META_COPIES * SSDQOS_READY_HISTORY_BYTES;
}

/* Reads or writes a part of @pages; needs no memory that others may wait for. */
static int meta_io(struct qos_meta *m, blk_opf_t opf, u8 *data, u32 bytes)
{
	struct bio_vec vec;
	struct bio bio;
	int r;

	bio_init(&bio, m->bdev, &vec, 1, opf);
	bio.bi_iter.bi_sector = (data - m->pages) >> SECTOR_SHIFT;
	__bio_add_page(&bio, virt_to_page(data), bytes, offset_in_page(data));
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

/* ---- what is on it ---- */

static int meta_unknown(const struct qos_meta *m, char *err)
{
	scnprintf(err, QOS_ERR_BYTES,
		  "drive_meta: '%s' has something else on it; only a device that begins with %u zeroes is taken",
		  m->name, META_BYTES);
	return -EINVAL;
}

/* Finds the newest header.  One that is torn is ours, if there is no better
 * one, only as the first one of a new life.
 */
static int meta_find(struct qos_meta *m, char *err)
{
	u64 copy, seq, torn = 0;
	int r;

	if (!memchr_inv(m->pages, 0, META_BYTES))
		return 0;
	for (copy = 0; copy < META_COPIES; copy++) {
		r = ssdqos_ready_header_seq(meta_header(m, copy), &seq);
		if (r == -EBADMSG)
			torn++;
		if (!r && seq % META_COPIES == copy &&
		    (!m->found || seq > m->seq)) {
			m->found = true;
			m->seq = seq;
		}
	}
	if (m->found)
		return 0;
	for (copy = 0; copy < META_COPIES; copy++)
		if (!memchr_inv(meta_header(m, copy), 0,
				SSDQOS_READY_HEADER_BYTES) && torn)
			return 0;
	return meta_unknown(m, err);
}

static int meta_read(struct qos_meta *m, char *err)
{
	int r = meta_io(m, REQ_OP_READ | REQ_META, m->pages, META_BYTES);

	if (!r)
		return meta_find(m, err);
	scnprintf(err, QOS_ERR_BYTES, "drive_meta: '%s' can't be read (%d)",
		  m->name, r);
	return r;
}

/* ---- come and go; qos_metas_mutex is held ---- */

static void meta_free(struct qos_meta *m)
{
	if (m->pages)
		free_pages_exact(m->pages, META_BYTES);
	kfree(m);
}

static void meta_print_name(struct block_device *bdev, char *name)
{
	scnprintf(name, META_NAME_BYTES, "%u:%u", MAJOR(bdev->bd_dev),
		  MINOR(bdev->bd_dev));
}

/* Why it can't be used; NULL if it can. */
static const char *meta_fault(const struct qos_drive *d,
			      struct block_device *bdev,
			      struct block_device *data)
{
	struct block_device *whole = bdev_whole(bdev);
	const struct qos_stream *st;

	if (bdev_nr_bytes(bdev) < META_BYTES)
		return "is too small: it takes 72 KiB";
	if (bdev_read_only(bdev))
		return "can't be written";
	if (bdev_logical_block_size(bdev) > SSDQOS_READY_HEADER_BYTES)
		return "has blocks of more than 4 KiB";
	if (whole == bdev_whole(data) && (bdev == data || bdev == whole ||
					  data == whole))
		return "has the data on it";
	list_for_each_entry(st, &d->streams, list)
		if (dm_disk(st->md) == bdev->bd_disk)
			return "is on the drive, and would wear it for ever";
	return NULL;
}

static struct qos_meta *meta_create(struct qos_drive *d,
				    struct block_device *bdev, char *err)
{
	struct qos_meta *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (m)
		m->pages = alloc_pages_exact(META_BYTES,
					     GFP_KERNEL | __GFP_ZERO);
	if (!m || !m->pages) {
		kfree(m);
		scnprintf(err, QOS_ERR_BYTES,
			  "no memory for a metadata device");
		return NULL;
	}
	m->bdev = bdev;
	m->drive = d;
	meta_print_name(bdev, m->name);
	if (!meta_read(m, err))
		return m;
	meta_free(m);
	return NULL;
}

/* Sets the device of a drive, or none. */
static void meta_attach(struct qos_drive *d, struct qos_meta *m)
{
	unsigned int noio;

	mutex_lock(&d->keep.mutex);
	noio = qos_drive_lock(d);
	d->keep.meta = m;
	qos_drive_unlock(d, noio);
	mutex_unlock(&d->keep.mutex);
}

/* The one that is in use already; NULL if there is none.  @err says if that
 * is not for this drive, or another one for it.
 */
static struct qos_meta *meta_in_use(struct qos_drive *d,
				    struct block_device *bdev, char *err)
{
	struct qos_meta *m;

	*err = '\0';
	list_for_each_entry(m, &qos_metas, list) {
		if (m->drive == d && m->bdev == bdev)
			return m;
		if (m->drive == d)
			scnprintf(err, QOS_ERR_BYTES,
				  "drive_meta: the drive has '%s' already, which has to go first",
				  m->name);
		else if (m->bdev == bdev)
			scnprintf(err, QOS_ERR_BYTES,
				  "drive_meta: '%s' is that of another drive",
				  m->name);
	}
	return NULL;
}

static int meta_add(struct qos_drive *d, struct block_device *bdev,
		    struct block_device *data, char *err)
{
	unsigned int noio = qos_drive_lock(d);
	const char *fault = meta_fault(d, bdev, data);
	char name[META_NAME_BYTES];
	struct qos_meta *m;

	qos_drive_unlock(d, noio);
	if (fault) {
		meta_print_name(bdev, name);
		scnprintf(err, QOS_ERR_BYTES, "drive_meta: '%s' %s", name,
			  fault);
		return -EINVAL;
	}
	m = meta_create(d, bdev, err);
	if (!m)
		return -EINVAL;
	m->users = 1;
	list_add(&m->list, &qos_metas);
	meta_attach(d, m);
	return 0;
}

/**
 * qos_meta_get - a table names a metadata device
 * @d: its drive
 * @bdev: the device; stays open until qos_meta_put()
 * @data: where the table's data are
 * @err: QOS_ERR_BYTES for one sentence on failure
 *
 * Context: sleeps, reads.
 * Return: 0 or a negative error.
 */
int qos_meta_get(struct qos_drive *d, struct block_device *bdev,
		 struct block_device *data, char *err)
{
	struct qos_meta *m;
	int r = 0;

	mutex_lock(&qos_metas_mutex);
	m = meta_in_use(d, bdev, err);
	if (m)
		m->users++;
	else if (*err)
		r = -EBUSY;
	else
		r = meta_add(d, bdev, data, err);
	mutex_unlock(&qos_metas_mutex);
	return r;
}

/**
 * qos_meta_put - a table that names the drive's metadata device goes
 * @d: the drive
 *
 * Context: sleeps, writes.
 */
void qos_meta_put(struct qos_drive *d)
{
	struct qos_meta *m;

	mutex_lock(&qos_metas_mutex);
	m = d->keep.meta;
	if (!--m->users) {
		qos_life_save(d);
		meta_attach(d, NULL);
		list_del(&m->list);
		meta_free(m);
	}
	mutex_unlock(&qos_metas_mutex);
}

/* ---- load and save ---- */

/* It is not known which history is the header's until that is loaded, and not
 * whether it was whole until then.  The other one lacks a window or so.
 */
static int meta_load(struct qos_meta *m, struct ssdqos_ready *r, u64 now_ns,
		     char *err)
{
	static const u32 tries[] = { 0, 1, 0 };
	u64 wall_s = qos_life_wall_s();
	u32 i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		ret = ssdqos_ready_load(r, meta_header(m, m->seq),
					meta_history(m, tries[i]), wall_s,
					now_ns, err, QOS_ERR_BYTES);
		if (ret)
			return ret;
		if (r->nr_history && r->next_history % META_COPIES == tries[i])
			break;
	}
	return 0;
}

/* Goes on without it.  The drive's lock is held. */
static void meta_fail(struct qos_meta *m, struct qos_drive *d)
{
	const struct ssdqos_watch_event event = {
		.kind = SSDQOS_WATCH_LIFE_META_LOST,
		.time_ns = ktime_get_ns(),
		.delay_ns = d->ready->delay_ns,
		.why = d->ready->why,
	};

	lockdep_assert_held(&d->lock);
	m->failed = true;
	qos_watch_add(d, NULL, &event, 1);
}

/**
 * qos_meta_renew - all that is on the device is of another life
 * @m: the device
 *
 * Context: the drive's mutex is held, and nothing is being written.
 */
void qos_meta_renew(struct qos_meta *m)
{
	m->history_at = META_NO_HISTORY;
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
	qos_meta_renew(m);
	if (!m->found)
		return;
	/* what has bypassed is charged later, to the life that is found */
	now_ns = qos_io_change_begin(d);
	r = meta_load(m, d->ready, now_ns, err);
	if (r)
		meta_fail(m, d);
	qos_io_change_end(d, now_ns);
	if (r)
		DMERR("drive_meta: '%s' is not used: %s", m->name, err);
}

static bool meta_is_stale(const struct qos_meta *m,
			  const struct ssdqos_ready *r)
{
	return r->used_bytes != m->saved_used_bytes ||
	       r->host_bytes != m->saved_host_bytes ||
	       r->window_end_ns != m->saved_window_end_ns;
}

/**
 * qos_meta_take - take the drive's state, to be written
 * @m: the device
 * @d: its drive
 * @all: even if nothing was charged
 *
 * Context: the drive's mutexes and its lock are held; some ten microseconds.
 * Return: true if the caller shall call qos_meta_write(), without the lock.
 */
bool qos_meta_take(struct qos_meta *m, struct qos_drive *d, bool all)
{
	const struct ssdqos_ready *r = d->ready;

	lockdep_assert_held(&d->keep.mutex);
	lockdep_assert_held(&d->mutex);
	lockdep_assert_held(&d->lock);
	if (!m->begun || m->failed || !r->counting ||
	    (!all && !meta_is_stale(m, r)))
		return false;
	m->history_is_new = m->seq && r->next_history != m->history_at;
	if (m->history_is_new) {
		m->history_at = r->next_history;
		ssdqos_ready_save_history(r, meta_history(m, m->history_at));
	}
	m->seq++;
	ssdqos_ready_save_header(r, m->seq, qos_life_wall_s(),
				 meta_header(m, m->seq));
	m->saved_used_bytes = r->used_bytes;
	m->saved_host_bytes = r->host_bytes;
	m->saved_window_end_ns = r->window_end_ns;
	return true;
}

/**
 * qos_meta_write - write what qos_meta_take() took
 * @m: the device
 * @d: its drive
 *
 * Context: sleeps; the drive's keep.mutex is held.
 */
void qos_meta_write(struct qos_meta *m, struct qos_drive *d)
{
	const blk_opf_t opf = REQ_OP_WRITE | REQ_META | REQ_SYNC | REQ_IDLE |
		REQ_PREFLUSH | REQ_FUA;
	int r = 0;

	lockdep_assert_held(&d->keep.mutex);
	if (m->history_is_new)
		r = meta_io(m, opf, meta_history(m, m->history_at),
			    SSDQOS_READY_HISTORY_BYTES);
	if (!r)
		r = meta_io(m, opf, meta_header(m, m->seq),
			    SSDQOS_READY_HEADER_BYTES);
	if (!r)
		return;
	DMERR("drive_meta: '%s' can't be written (%d): the drive's life is not kept on it any more",
	      m->name, r);
	spin_lock_irq(&d->lock);
	meta_fail(m, d);
	spin_unlock_irq(&d->lock);
}
