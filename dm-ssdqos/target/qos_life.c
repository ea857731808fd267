// SPDX-License-Identifier: GPL-2.0
/*
 * qos_life.c - where a drive's wear is known from, and how its life survives
 *
 * Once a period, while wear is counted: an ssdqos-flash drive below is asked
 * what its flash has gone through, and the state goes to the metadata device,
 * if there is one (qos_meta.c).  Who has none may read and write the file
 * life_state in sysfs.
 */
#include <linux/device-mapper.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "flash_drive.h"
#include "qos_drive.h"
#include "qos_life.h"
#include "sysfs_dir.h"

#define DM_MSG_PREFIX "ssdqos"

/* Life that passes faster than time would have too many periods in a second. */
#define LIFE_MIN_PERIOD_NS (10 * NSEC_PER_MSEC)
#define LIFE_STATE_BYTES (SSDQOS_READY_HEADER_BYTES + SSDQOS_READY_HISTORY_BYTES)
/* Nobody tells when a program has written all that it has: a state that is cut
 * short ends with a part of a block, or the next one doesn't come in this time.
 */
#define LIFE_STATE_BLOCK_BYTES 4096u
#define LIFE_STATE_WAIT_S 5
/* In a report, 0 is "unknown": all counters of a flash are so much larger. */
#define LIFE_REPORT_FROM SSDQOS_UNIT_BYTES

/**
 * qos_life_wall_s - time of day, which goes on without power
 *
 * Return: seconds since 1970.
 */
u64 qos_life_wall_s(void)
{
	return max_t(s64, ktime_get_real_seconds(), 0);
}

/* ---- the flash below ---- */

/* What hosts have written, by the flash, and what we have not yet sent there:
 * or what waits in queues would look as if somebody else had written it.
 */
static u64 life_host_bytes(struct qos_drive *d, u64 flash_host_bytes)
{
	struct qos_keep *k = &d->keep;
	u64 own = d->ready->host_bytes;
	s64 more;

	if (!k->started) {
		k->started = true;
		k->host_base_bytes = flash_host_bytes - own;
		k->foreign_bytes = 0;
	}
	more = flash_host_bytes - own - k->host_base_bytes;
	if (more > (s64)k->foreign_bytes)
		k->foreign_bytes = more;
	return own + k->host_base_bytes + k->foreign_bytes;
}

/* @mutex is held, so that nobody charges between the two looks. */
static void life_ask_flash(struct qos_drive *d)
{
	struct ssdqos_wear_report report = { };
	char err[QOS_ERR_BYTES];
	struct flash_wear wear;
	u64 now_ns;

	lockdep_assert_held(&d->mutex);
	if (!d->keep.is_flash || flash_drive_wear(d->keep.below, &wear))
		return;
	now_ns = qos_ready_change_begin(d);
	report.flash_bytes = LIFE_REPORT_FROM + wear.flash_bytes;
	report.host_bytes = LIFE_REPORT_FROM +
		life_host_bytes(d, wear.host_bytes);
	/* a flash that was made anew begins at 0: that is an event, no error */
	if (ssdqos_ready_report(d->ready, &report, now_ns, err, sizeof(err)))
		d->keep.started = false;
	qos_ready_tick(d, now_ns);
	qos_io_change_end(d, now_ns);
}

/* ---- once a period ---- */

static void life_go_on(struct qos_drive *d, u64 period_ns)
{
	mod_delayed_work(ssdqos_qos_wq, &d->keep.work,
			 nsecs_to_jiffies(max_t(u64, period_ns,
						LIFE_MIN_PERIOD_NS)));
}

/* Asks, and writes; returns true if it has to be done again. */
static bool life_round(struct qos_drive *d, bool all)
{
	struct qos_keep *k = &d->keep;
	unsigned int noio = qos_drive_lock(d);
	bool write = false, again;
	u64 now_ns;

	life_ask_flash(d);
	mutex_lock(&k->mutex);
	again = d->ready->counting && (k->meta || k->is_flash);
	if (k->meta && d->ready->counting) {
		now_ns = qos_ready_change_begin(d);
		qos_ready_tick(d, now_ns);
		write = qos_meta_take(k->meta, d, all);
		qos_io_change_end(d, now_ns);
	}
	/* others may change the rules while it is written */
	mutex_unlock(&d->mutex);
	if (write)
		qos_meta_write(k->meta, d);
	mutex_unlock(&k->mutex);
	memalloc_noio_restore(noio);
	return again;
}

static void life_work(struct work_struct *work)
{
	struct qos_drive *d = container_of(to_delayed_work(work),
					   struct qos_drive, keep.work);

	if (life_round(d, false))
		life_go_on(d, ssdqos_ready_period_ns(d->ready));
}

/**
 * qos_life_begin - wear may be counted from now on
 * @d: the drive
 *
 * Context: the drive's mutex is held; may sleep.
 */
void qos_life_begin(struct qos_drive *d)
{
	struct qos_keep *k = &d->keep;
	struct flash_wear wear;

	lockdep_assert_held(&d->mutex);
	if (!d->ready->counting)
		return;
	mutex_lock(&k->mutex);
	if (k->meta)
		qos_meta_begin(k->meta, d);
	mutex_unlock(&k->mutex);
	WRITE_ONCE(k->is_flash,
		   flash_drive_wear(k->below, &wear) != -ENOENT);
	life_ask_flash(d);
	if (k->meta || k->is_flash)
		life_go_on(d, 0);
}

/**
 * qos_life_save - write the state as it is now, if there is where to
 * @d: the drive
 *
 * Context: sleeps.
 */
void qos_life_save(struct qos_drive *d)
{
	life_round(d, true);
}

/* ---- a state that is written to sysfs ---- */

static_assert(LIFE_STATE_BYTES % LIFE_STATE_BLOCK_BYTES == 0);

static void life_state_print_cut(u64 bytes, char *err)
{
	scnprintf(err, QOS_ERR_BYTES,
		  "life_state: it ends after %llu of %u bytes, and changes nothing (pieces are multiples of %u)",
		  bytes, LIFE_STATE_BYTES, LIFE_STATE_BLOCK_BYTES);
}

/* What has not come by now won't. */
static void life_state_late(struct work_struct *work)
{
	struct qos_keep *k = container_of(to_delayed_work(work),
					  struct qos_keep, state_late);
	char err[QOS_ERR_BYTES];
	bool cut;

	mutex_lock(&k->mutex);
	cut = !k->state_error && k->state_used % LIFE_STATE_BYTES;
	if (cut) {
		life_state_print_cut(k->state_used, err);
		k->state_error = -EINVAL;
	}
	mutex_unlock(&k->mutex);
	if (cut)
		DMERR("%s", err);
}

/**
 * qos_life_init - prepare a drive for that
 * @d: the drive
 * @below: number of the disk that it is on
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int qos_life_init(struct qos_drive *d, dev_t below)
{
	struct qos_keep *k = &d->keep;

	k->state = kvmalloc(LIFE_STATE_BYTES, GFP_KERNEL);
	if (!k->state)
		return -ENOMEM;
	k->below = below;
	mutex_init(&k->mutex);
	INIT_DELAYED_WORK(&k->work, life_work);
	INIT_DELAYED_WORK(&k->state_late, life_state_late);
	return 0;
}

/**
 * qos_life_stop - it is not looked after any more
 * @d: the drive; it has no streams and no metadata device
 *
 * Context: sleeps.
 */
void qos_life_stop(struct qos_drive *d)
{
	cancel_delayed_work_sync(&d->keep.work);
	cancel_delayed_work_sync(&d->keep.state_late);
	mutex_destroy(&d->keep.mutex);
	kvfree(d->keep.state);
}

/* ---- /sys/block/dm-N/ssdqos/life_state ---- */

/* Whoever reads from the begin gets the present; sysfs reads in pages. */
static int life_state_save(struct qos_drive *d)
{
	unsigned int noio = qos_drive_lock(d);
	struct qos_keep *k = &d->keep;
	bool counting;
	u64 now_ns;

	mutex_lock(&k->mutex);
	now_ns = qos_ready_change_begin(d);
	qos_ready_tick(d, now_ns);
	counting = d->ready->counting;
	if (counting) {
		ssdqos_ready_save_header(d->ready, 0, qos_life_wall_s(),
					 k->state);
		ssdqos_ready_save_history(d->ready, k->state +
					  SSDQOS_READY_HEADER_BYTES);
	}
	qos_io_change_end(d, now_ns);
	k->state_used = counting ? LIFE_STATE_BYTES : 0;
	mutex_unlock(&k->mutex);
	qos_drive_unlock(d, noio);
	return counting ? 0 : -ENODATA;
}

static ssize_t life_state_read(struct file *file, struct kobject *kobj,
			       ssdqos_bin_attribute *attr, char *buf,
			       loff_t offset, size_t count)
{
	struct qos_stream *st = ssdqos_dir_owner(kobj);
	struct qos_keep *k = &st->drive->keep;
	ssize_t n = 0;
	int r;

	if (!offset) {
		r = life_state_save(st->drive);
		if (r)
			return r;
	}
	mutex_lock(&k->mutex);
	if (offset < k->state_used) {
		n = min_t(u64, count, k->state_used - offset);
		memcpy(buf, k->state + offset, n);
	}
	mutex_unlock(&k->mutex);
	return n;
}

/* @offset is that of the last piece. */
static int life_state_load(struct qos_drive *d, u64 offset, char *err)
{
	unsigned int noio = qos_drive_lock(d);
	struct qos_keep *k = &d->keep;
	u64 now_ns;
	int r;

	mutex_lock(&k->mutex);
	now_ns = qos_ready_change_begin(d);
	r = ssdqos_ready_load(d->ready, k->state, k->state +
			      SSDQOS_READY_HEADER_BYTES, qos_life_wall_s(),
			      now_ns, err, QOS_ERR_BYTES);
	if (r == -EBADMSG)
		r = -EINVAL;
	if (!r)
		k->started = false;
	else
		k->state_used = offset;
	k->state_error = r;
	qos_io_change_end(d, now_ns);
	if (!r && k->meta)
		qos_meta_renew(k->meta);
	mutex_unlock(&k->mutex);
	if (!r)
		qos_life_begin(d);
	qos_drive_unlock(d, noio);
	return r;
}

/* A piece that doesn't go on where the last one ended, or ends too early. */
static int life_state_refuse(struct qos_keep *k, u64 offset, size_t count,
			     char *err)
{
	if (offset == k->state_used && count < LIFE_STATE_BYTES - offset)
		life_state_print_cut(offset + count, err);
	else
		scnprintf(err, QOS_ERR_BYTES,
			  "life_state: %u bytes are expected, from the first to the last",
			  LIFE_STATE_BYTES);
	k->state_used = offset;
	k->state_error = -EINVAL;
	return k->state_error;
}

/* Returns 1 when the state is whole, and an error without a sentence if that
 * piece was refused already: some programs try it again.
 */
static int life_state_add(struct qos_keep *k, const char *buf, u64 offset,
			  size_t count, char *err)
{
	bool whole = false;
	int r = 0;

	*err = '\0';
	mutex_lock(&k->mutex);
	if (!offset) {
		k->state_used = 0;
		k->state_error = 0;
	}
	if (k->state_error && offset == k->state_used) {
		r = k->state_error;
	} else if (k->state_error || offset != k->state_used ||
		   count > LIFE_STATE_BYTES - offset ||
		   count % LIFE_STATE_BLOCK_BYTES) {
		r = life_state_refuse(k, offset, count, err);
	} else {
		memcpy(k->state + offset, buf, count);
		k->state_used += count;
		whole = k->state_used == LIFE_STATE_BYTES;
		mod_delayed_work(system_long_wq, &k->state_late,
				 LIFE_STATE_WAIT_S * HZ);
	}
	mutex_unlock(&k->mutex);
	return r ? r : whole;
}

static ssize_t life_state_write(struct file *file, struct kobject *kobj,
				ssdqos_bin_attribute *attr, char *buf,
				loff_t offset, size_t count)
{
	struct qos_stream *st = ssdqos_dir_owner(kobj);
	char err[QOS_ERR_BYTES];
	int r = life_state_add(&st->drive->keep, buf, offset, count, err);

	if (r > 0)
		r = life_state_load(st->drive, offset, err);
	if (!r)
		return count;
	if (*err)
		DMERR("%s", err);
	return r;
}

static const struct bin_attribute life_state_file = {
	.attr = { .name = "life_state", .mode = 0600 },
	.size = LIFE_STATE_BYTES,
	.read = life_state_read,
	.write = life_state_write,
};

/**
 * qos_life_add_file - show the state in sysfs
 * @kobj: a stream's directory
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int qos_life_add_file(struct kobject *kobj)
{
	return sysfs_create_bin_file(kobj, &life_state_file);
}
