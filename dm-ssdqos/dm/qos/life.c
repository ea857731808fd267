// SPDX-License-Identifier: GPL-2.0
/*
 * life.c - where a drive's wear is known from, and how its life survives
 *
 * Once a period, while wear is counted: an ssdqos-flash drive below is asked
 * what its flash has gone through, life that passes faster than time goes on,
 * and the state goes to the metadata device, if there is one (meta.c).  Who
 * has none may read and write the file life_state in sysfs.
 *
 * The work that does it waits for no metadata device, which may take for ever:
 * that has another one.
 */
#include <linux/blkdev.h>
#include <linux/capability.h>
#include <linux/device-mapper.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "core/engine/crc32c.h"
#include "core/ready/state.h"
#include "dm/common/sysfs_dir.h"
#include "dm/flash/drive.h"
#include "drive.h"
#include "life.h"
#include "meta.h"

#define DM_MSG_PREFIX "ssdqos"

/* Life that passes faster than time would have too many periods in a second:
 * what ends between two looks ends late, and is made up for.
 */
#define LIFE_MIN_PERIOD_NS (10 * NSEC_PER_MSEC)
#define LIFE_STATE_BYTES (SSDQOS_READY_HEADER_BYTES + SSDQOS_READY_HISTORY_BYTES)
/* Nobody tells when a program has written all that it has: a state that is cut
 * short ends with a part of a block, or the next one doesn't come in this time.
 */
#define LIFE_STATE_BLOCK_BYTES 4096u
#define LIFE_STATE_WAIT_S 5
/* In a report, 0 is "unknown": all counters of a flash are so much larger. */
#define LIFE_REPORT_FROM SSDQOS_UNIT_BYTES

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

static void life_report(struct qos_drive *d, const struct flash_wear *wear,
			u64 now_ns)
{
	const struct ssdqos_wear_report report = {
		.flash_bytes = LIFE_REPORT_FROM + wear->flash_bytes,
		.host_bytes = LIFE_REPORT_FROM +
			      life_host_bytes(d, wear->host_bytes),
	};
	char err[QOS_ERR_BYTES];

	/* a flash that was made anew begins at 0: that is an event, no error */
	if (ssdqos_ready_report(d->ready, &report, now_ns, err, sizeof(err)))
		d->keep.started = false;
}

/* Asks the flash, and lets life go on.  @mutex is held, so that nobody charges
 * between the flash's counters and ours.
 */
static void life_look(struct qos_drive *d)
{
	struct flash_wear wear;
	bool told;
	u64 now_ns;

	lockdep_assert_held(&d->mutex);
	told = d->keep.is_flash && !flash_drive_wear(d->keep.below, &wear);
	now_ns = qos_ready_change_begin(d);
	if (told)
		life_report(d, &wear, now_ns);
	qos_ready_tick(d, now_ns);
	qos_io_change_end(d, now_ns);
}

/* ---- once a period ---- */

/* Is it looked after here?  Otherwise watch.c does, while it is in use. */
static bool life_has_periods(const struct qos_drive *d)
{
	return d->ready->counting &&
	       (d->keep.meta || d->keep.is_flash ||
		d->edf.reads->cfg.drive_time_scale > 1);
}

static unsigned long life_period_jiffies(const struct qos_drive *d)
{
	return nsecs_to_jiffies(max_t(u64, ssdqos_ready_period_ns(d->ready),
				      LIFE_MIN_PERIOD_NS));
}

static void life_work(struct work_struct *work)
{
	struct qos_drive *d = container_of(to_delayed_work(work),
					   struct qos_drive, keep.work);
	unsigned int noio = qos_drive_lock(d);

	if (life_has_periods(d)) {
		queue_delayed_work(system_highpri_wq, &d->keep.work,
				   life_period_jiffies(d));
		life_look(d);
		if (d->keep.meta)
			qos_meta_kick(d->keep.meta, d);
		qos_ready_search(d);
	}
	qos_drive_unlock(d, noio);
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
	qos_ready_stale(d);
	if (!d->ready->counting)
		return;
	if (k->meta)
		qos_meta_begin(k->meta, d);
	WRITE_ONCE(k->is_flash, !flash_drive_wear(k->below, &wear));
	life_look(d);
	/* now, since the period may be shorter than it was */
	if (life_has_periods(d))
		mod_delayed_work(system_highpri_wq, &k->work, 0);
}

/**
 * qos_life_save - write the state as it is now, if there is where to
 * @d: the drive
 *
 * Context: sleeps, QOS_META_WAIT_S at most.
 */
void qos_life_save(struct qos_drive *d)
{
	unsigned int noio = qos_drive_lock(d);

	life_look(d);
	qos_drive_unlock(d, noio);
	qos_meta_save(d);
}

/**
 * qos_life_put_meta - a table that names the drive's metadata device goes
 * @d: the drive
 *
 * Context: sleeps, twice QOS_META_WAIT_S at most; writes.
 */
void qos_life_put_meta(struct qos_drive *d)
{
	if (qos_meta_leave(d->keep.meta))
		qos_life_save(d);
	qos_meta_put(d);
}

/* ---- a state that is written to sysfs ---- */

static_assert(LIFE_STATE_BYTES % LIFE_STATE_BLOCK_BYTES == 0);

static void life_state_print_cut(u64 bytes, char *err)
{
	scnprintf(err, QOS_ERR_BYTES,
		  "life_state: it ends after %llu of %u bytes, and changes nothing (pieces are multiples of %u)",
		  bytes, LIFE_STATE_BYTES, LIFE_STATE_BLOCK_BYTES);
}

/* Has somebody begun to write one, and not come to its end? */
static bool life_state_is_open(const struct qos_keep *k)
{
	return !k->state_error && k->state_used % LIFE_STATE_BYTES;
}

/* What has not come by now won't. */
static void life_state_late(struct work_struct *work)
{
	struct qos_keep *k = container_of(to_delayed_work(work),
					  struct qos_keep, state_late);
	char err[QOS_ERR_BYTES];
	bool cut;

	mutex_lock(&k->mutex);
	cut = life_state_is_open(k);
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
	INIT_LIST_HEAD(&k->shown);
	return 0;
}

/* ---- which drive it is ---- */

/* What no other disk in the world has, if its driver knows it. */
static void life_identify_disk(struct gendisk *disk,
			       struct ssdqos_ready_identity *identity)
{
	static const enum blk_unique_id kinds[] = {
		BLK_UID_NAA, BLK_UID_EUI64, BLK_UID_T10,
	};
	u8 id[sizeof(identity->unique)] = { 0 };
	u32 i;

	static_assert(sizeof(id) == 16);
	if (!disk->fops->get_unique_id)
		return;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (disk->fops->get_unique_id(disk, id, kinds[i]) > 0)
			break;
	if (i < ARRAY_SIZE(kinds))
		memcpy(identity->unique, id, sizeof(id));
}

/* A size is never that large. */
#define LIFE_NAME_BIT (1ULL << 63)

/**
 * qos_life_identify - say which drive it is, for states that are saved
 * @d: the drive
 *
 * With a name, that is all that is known; what its streams lie on may be others
 * tomorrow.
 * Context: may sleep.
 */
void qos_life_identify(struct qos_drive *d)
{
	struct ssdqos_ready_identity *identity = &d->ready->identity;

	if (d->whole) {
		life_identify_disk(d->whole->bd_disk, identity);
		identity->place = d->disk_bytes;
	} else {
		identity->place = LIFE_NAME_BIT |
			ssdqos_crc32c(d->name, strlen(d->name));
	}
}

/* ---- states that are read from sysfs ---- */

/* So many may be read at the same time. */
#define LIFE_MAX_SHOWN 4

/**
 * struct life_shown - a state that somebody reads in pieces
 * @list: of the drive's, the last one first
 * @file: by which it is read; may be closed
 * @state: LIFE_STATE_BYTES
 */
struct life_shown {
	struct list_head list;
	const struct file *file;
	u8 state[LIFE_STATE_BYTES];
};

static void life_forget_shown(struct qos_keep *k)
{
	struct life_shown *s, *next;

	list_for_each_entry_safe(s, next, &k->shown, list)
		kvfree(s);
}

/* The one of a file; @is_new: or one for it, in place of the oldest. */
static struct life_shown *life_find_shown(struct qos_keep *k,
					  const struct file *file, bool is_new)
{
	struct life_shown *s;
	u32 nr = 0;

	list_for_each_entry(s, &k->shown, list) {
		if (s->file == file)
			goto found;
		nr++;
	}
	if (!is_new)
		return NULL;
	if (nr < LIFE_MAX_SHOWN) {
		/* without I/O, as dir_store() in sysfs_dir.c */
		s = kvzalloc(sizeof(*s), GFP_NOIO);
		if (!s)
			return NULL;
		list_add(&s->list, &k->shown);
	} else {
		s = list_last_entry(&k->shown, struct life_shown, list);
	}
	s->file = file;
found:
	list_move(&s->list, &k->shown);
	return s;
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
	life_forget_shown(&d->keep);
	mutex_destroy(&d->keep.mutex);
	kvfree(d->keep.state);
}

/* ---- /sys/block/dm-N/ssdqos/life_state ---- */

/* Returns false if there is none. */
static bool life_state_save(struct qos_drive *d, u8 *state)
{
	u8 *history = state + SSDQOS_READY_HEADER_BYTES;
	unsigned int noio = qos_drive_lock(d);
	u64 now_ns = qos_ready_change_begin(d);
	bool counting = d->ready->counting;

	qos_ready_tick(d, now_ns);
	if (counting) {
		ssdqos_ready_save_header(d->ready, 0, qos_life_wall_s(), state);
		ssdqos_ready_save_history(d->ready, 0, history);
	}
	qos_io_change_end(d, now_ns);
	qos_drive_unlock(d, noio);
	if (!counting)
		return false;
	ssdqos_ready_name_history(state, 0, ssdqos_ready_seal_history(history));
	ssdqos_ready_seal_header(state);
	return true;
}

/* Whoever reads from the begin gets the present; sysfs reads in pieces. */
static ssize_t life_state_read(struct file *file, struct kobject *kobj,
			       ssdqos_bin_attribute *attr, char *buf,
			       loff_t offset, size_t count)
{
	struct qos_stream *st = ssdqos_dir_owner(kobj);
	struct qos_keep *k = &st->drive->keep;
	struct life_shown *s;
	ssize_t n = 0;

	mutex_lock(&k->mutex);
	s = life_find_shown(k, file, !offset);
	if (!s)
		n = offset ? -ESTALE : -ENOMEM;
	else if (!offset && !life_state_save(st->drive, s->state))
		n = -ENODATA;
	/* what nothing was saved into is nobody's to go on with */
	if (n == -ENODATA)
		s->file = NULL;
	if (!n && offset < LIFE_STATE_BYTES) {
		n = min_t(u64, count, LIFE_STATE_BYTES - offset);
		memcpy(buf, s->state + offset, n);
	}
	mutex_unlock(&k->mutex);
	return n;
}

/* @offset is that of the last piece. */
static int life_state_load(struct qos_drive *d, u64 offset, char *err)
{
	struct qos_keep *k = &d->keep;
	unsigned int noio;
	u64 now_ns;
	int r;

	mutex_lock(&k->mutex);
	noio = qos_drive_lock(d);
	now_ns = qos_ready_change_begin(d);
	r = ssdqos_ready_load(d->ready, k->state, k->state +
			      SSDQOS_READY_HEADER_BYTES, qos_life_wall_s(),
			      now_ns, err, QOS_ERR_BYTES);
	if (r == -EBADMSG || r == -EOVERFLOW)
		r = -EINVAL;
	if (!r)
		k->started = false;
	else
		k->state_used = offset;
	k->state_error = r;
	qos_io_change_end(d, now_ns);
	if (!r && k->meta)
		qos_meta_renew(k->meta);
	if (!r)
		qos_life_begin(d);
	qos_drive_unlock(d, noio);
	mutex_unlock(&k->mutex);
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
static int life_state_add(struct qos_keep *k, const struct file *by,
			  const char *buf, u64 offset, size_t count, char *err)
{
	bool whole = false;
	int r = 0;

	*err = '\0';
	mutex_lock(&k->mutex);
	if (!offset || (by != k->state_by && !life_state_is_open(k))) {
		k->state_used = 0;
		k->state_error = 0;
		k->state_by = by;
	}
	if (by != k->state_by) {
		scnprintf(err, QOS_ERR_BYTES,
			  "life_state: another program has begun to write one meanwhile");
		r = -EBUSY;
	} else if (k->state_error && offset == k->state_used) {
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
	unsigned int noio;
	int r;

	/* as qos_param_store() */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	noio = qos_drive_lock(st->drive);
	r = qos_owner_may_change(st, "life_state", err);
	qos_drive_unlock(st->drive, noio);
	if (!r)
		r = life_state_add(&st->drive->keep, file, buf, offset,
				   count, err);
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
