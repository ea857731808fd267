// SPDX-License-Identifier: GPL-2.0
/*
 * meta_write.c - a drive's life is taken, and written
 */
#include <linux/bio.h>
#include <linux/device-mapper.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "life.h"
#include "meta_device.h"

#define DM_MSG_PREFIX "ssdqos"

/* After an error, tried again so soon; then twice as late each time. */
#define META_RETRY_JIFFIES HZ
#define META_MAX_RETRY_JIFFIES (60 * HZ)

/**
 * qos_meta_tell - something that somebody should hear of
 * @d: the drive
 * @kind: enum ssdqos_watch_event_kind
 *
 * Context: the drive's lock is held.
 */
void qos_meta_tell(struct qos_drive *d, u32 kind)
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

/**
 * qos_meta_set_lost - it can't be written, or can be again
 * @m: the device
 * @d: its drive, which is not let go meanwhile
 * @lost: it can't
 *
 * Return: true if that is news.
 */
bool qos_meta_set_lost(struct qos_meta *m, struct qos_drive *d, bool lost)
{
	bool news;

	spin_lock_irq(&d->lock);
	news = m->lost != lost;
	WRITE_ONCE(m->lost, lost);
	if (news)
		qos_meta_tell(d, lost ? SSDQOS_WATCH_LIFE_META_LOST :
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
	if (!m->drive || qos_meta_set_lost(m, m->drive, true))
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
		if (qos_meta_set_lost(m, m->drive, false))
			DMINFO("drive_meta: '%s' is written again", m->name);
	}
	mutex_unlock(&m->mutex);
}

/**
 * qos_meta_write - write what was taken
 * @m: the device
 *
 * Each write is durable before the next one: nothing has to be flushed that was
 * not written with FUA.
 *
 * Context: the device's work; sleeps for as long as the device takes.
 */
void qos_meta_write(struct qos_meta *m)
{
	const blk_opf_t opf = REQ_OP_WRITE | REQ_META | REQ_SYNC | REQ_IDLE |
		REQ_FUA;
	struct ssdqos_ready_write w;
	int r;

	while (ssdqos_ready_disk_next(&m->disk, &w)) {
		r = qos_meta_io(m, opf, w.at_bytes, m->disk.image + w.at_bytes,
				w.bytes);
		if (r) {
			meta_failed(m, r);
			return;
		}
		ssdqos_ready_disk_done(&m->disk);
	}
	meta_succeeded(m);
}

/**
 * qos_meta_rests - has it failed so lately that it is not tried again yet?
 * @m: the device
 */
bool qos_meta_rests(const struct qos_meta *m)
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

/**
 * qos_meta_take - take the state as it is now, to be written
 * @m: the device
 * @d: its drive
 * @all: even if nothing was charged since the last time
 *
 * Context: the device's work, with its mutex.
 * Return: true if there is something to write.
 */
bool qos_meta_take(struct qos_meta *m, struct qos_drive *d, bool all)
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
