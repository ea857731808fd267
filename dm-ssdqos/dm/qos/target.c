// SPDX-License-Identifier: GPL-2.0
/*
 * target.c - the device-mapper target "ssdqos"
 *
 *	<start> <length> ssdqos <dev> <offset>
 *		[<#args> [drive <name>] [drive_meta <dev>] [<key> <value>]...]
 *
 * A client of a drive that it shares with others.  Data pass as with
 * dm-linear; what the client was promised (rows of SSDQOS_QOS_STREAM_PARAMS)
 * decides when.  The drive is the disk under <dev>, or has a name where
 * another mapped device lies between.  Its life is kept on drive_meta.
 */
#include <linux/blk-integrity.h>
#include <linux/blkdev.h>
#include <linux/ctype.h>
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "compat.h"
#include "dm/common/segment.h"
#include "drive.h"
#include "meta.h"
#include "print.h"
#include "sysfs.h"
#include "target.h"

#define DM_MSG_PREFIX "ssdqos"

/* 1 MiB, so that nobody waits longer for one than for a large write. */
#define QOS_MAX_ZEROES_SECTORS 2048u

/**
 * struct qos_target - a table segment
 * @seg: where the data are; first, as dm/common/segment.c expects
 * @stream: the client
 * @drive_name: as given, or ""
 * @meta: number of the device on which the drive's life is kept, or 0
 * @meta_name: the same as "major:minor"
 * @cfg: parameters of the table line
 * @applied: they are in force, or have been
 * @before: what they replaced when they were put in force
 * @table: the table that it belongs to
 * @list: of all targets; those of a table from its first segment to the last
 */
struct qos_target {
	struct ssdqos_segment seg;
	struct qos_stream *stream;
	char drive_name[QOS_NAME_BYTES];
	dev_t meta;
	char meta_name[QOS_NAME_BYTES];
	struct ssdqos_qos_config cfg;
	bool applied;
	struct ssdqos_qos_config before;
	struct dm_table *table;
	struct list_head list;
};

static_assert(!offsetof(struct qos_target, seg));

static LIST_HEAD(qos_targets);
static DEFINE_MUTEX(qos_targets_mutex);

static void qos_list_target(struct qos_target *t, struct dm_table *table)
{
	t->table = table;
	mutex_lock(&qos_targets_mutex);
	list_add_tail(&t->list, &qos_targets);
	mutex_unlock(&qos_targets_mutex);
}

static void qos_unlist_target(struct qos_target *t)
{
	mutex_lock(&qos_targets_mutex);
	list_del(&t->list);
	mutex_unlock(&qos_targets_mutex);
}

/* ---- constructor ---- */

/* No colon: a name must not look like the number of a disk. */
static bool qos_name_is_valid(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum(*c) && !strchr("_.-", *c))
			return false;
	return c > name && c - name < QOS_NAME_BYTES;
}

static int qos_parse_name(struct qos_target *t, const char *name, bool first,
			  char *err)
{
	if (!first)
		scnprintf(err, QOS_ERR_BYTES,
			  "drive: '%s' has to be the first key", name);
	else if (!qos_name_is_valid(name))
		scnprintf(err, QOS_ERR_BYTES,
			  "drive: '%s' is not a name of 1 to %d letters, digits, '_', '.' or '-'",
			  name, QOS_NAME_BYTES - 1);
	else
		return strscpy(t->drive_name, name, sizeof(t->drive_name));
	return -EINVAL;
}

/* "major:minor", or a path.  A number that is too large would be that of another
 * device.
 */
static int qos_parse_dev(const char *path, dev_t *dev, char *err)
{
	unsigned int major, minor;
	char rest;
	int r;

	if (sscanf(path, "%u:%u%c", &major, &minor, &rest) == 2) {
		*dev = MKDEV(major, minor);
		if (!*dev) {
			scnprintf(err, QOS_ERR_BYTES,
				  "drive_meta: '%s' is no block device", path);
			return -EINVAL;
		}
		if (MAJOR(*dev) == major && MINOR(*dev) == minor)
			return 0;
		scnprintf(err, QOS_ERR_BYTES,
			  "drive_meta: '%s' is above %u:%u, the last number of a device",
			  path, MAJOR(U32_MAX), MINOR(U32_MAX));
		return -EINVAL;
	}
	r = lookup_bdev(path, dev);
	if (r)
		scnprintf(err, QOS_ERR_BYTES,
			  "drive_meta: '%s' is no block device (%d)", path, r);
	return r;
}

/* It is opened where it is used (meta.c), for us alone. */
static int qos_parse_meta(struct qos_target *t, const char *path, char *err)
{
	int r;

	if (t->meta) {
		scnprintf(err, QOS_ERR_BYTES,
			  "drive_meta: '%s' is one too many", path);
		return -EINVAL;
	}
	r = qos_parse_dev(path, &t->meta, err);
	scnprintf(t->meta_name, sizeof(t->meta_name), "%u:%u", MAJOR(t->meta),
		  MINOR(t->meta));
	return r;
}

static int qos_parse_params(struct dm_target *ti, struct qos_target *t,
			    struct dm_arg_set *as)
{
	char err[QOS_ERR_BYTES];
	int nr, i, r;

	ssdqos_qos_config_init(&t->cfg);
	nr = ssdqos_segment_count_args(ti, as, SSDQOS_QOS_NR_PARAMS + 2);
	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i += 2) {
		const char *key = dm_shift_arg(as), *value = dm_shift_arg(as);

		if (!strcmp(key, "drive"))
			r = qos_parse_name(t, value, !i, err);
		else if (!strcmp(key, "drive_meta"))
			r = qos_parse_meta(t, value, err);
		else
			r = ssdqos_qos_config_set(&t->cfg, key, value, err,
						  sizeof(err));
		if (r < 0) {
			DMERR("%s", err);
			ti->error = "Invalid parameter";
			return -EINVAL;
		}
	}
	return 0;
}

static int qos_join_drive(struct dm_target *ti, struct qos_target *t)
{
	const struct qos_place place = {
		.md = dm_table_get_md(ti->table),
		.begin = ti->begin,
		.bdev = t->seg.dev->bdev,
		.drive_name = t->drive_name,
		.apart = t->cfg.drive.drive_apart,
	};
	const struct qos_meta_use use = {
		.dev = t->meta,
		.data = t->seg.dev->bdev->bd_dev,
		.writable = dm_table_get_mode(ti->table) & SSDQOS_MODE_WRITE,
		.accept = t->cfg.drive.drive_accept_life,
	};
	char err[QOS_ERR_BYTES];
	int r = -EINVAL;

	t->stream = qos_stream_get(&place, err);
	if (!t->stream) {
		ti->error = "Can't join the drive";
		goto failed;
	}
	/* others may be faster until this table is live: preresume decides */
	r = qos_rules_check(t->stream, &t->cfg, err);
	if (r) {
		ti->error = "Not admitted";
		goto failed_with_stream;
	}
	if (!t->meta)
		return 0;
	r = qos_meta_get(t->stream->drive, &use, err);
	if (!r)
		return 0;
	ti->error = "Can't use the metadata device";
failed_with_stream:
	qos_stream_put(t->stream);
failed:
	DMERR("%s", err);
	return r;
}

static void qos_set_features(struct dm_target *ti)
{
	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_secure_erase_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->accounts_remapped_io = true;
	/* What waits here fills no queue, so who reclaims memory would send all
	 * of it, and nobody could swap in before that was written.
	 */
	ti->limit_swap_bios = true;
	ti->per_io_data_size = sizeof(struct qos_io);
}

static int qos_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	struct qos_target *t;
	int r;

	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t) {
		ti->error = "No memory";
		return -ENOMEM;
	}
	r = ssdqos_segment_open(&t->seg, ti, &as);
	if (r)
		goto out_with_target;
	r = qos_parse_params(ti, t, &as);
	if (r)
		goto out_with_segment;
	r = qos_join_drive(ti, t);
	if (r)
		goto out_with_segment;
	qos_set_features(ti);
	qos_list_target(t, ti->table);
	ti->private = t;
	return 0;

out_with_segment:
	ssdqos_segment_close(&t->seg, ti);
out_with_target:
	kfree(t);
	return r;
}

static void qos_dtr(struct dm_target *ti)
{
	struct qos_target *t = ti->private;

	qos_unlist_target(t);
	if (t->meta)
		qos_life_put_meta(t->stream->drive);
	qos_stream_put(t->stream);
	ssdqos_segment_close(&t->seg, ti);
	kfree(t);
}

/* ---- I/O ---- */

/* Those of zones are left alone: of what dm takes for an append there is only one.
 * What is to be done whole, or not at all, stays whole.
 */
static bool qos_may_cut(struct block_device *bdev, const struct bio *bio)
{
	return (bio_op(bio) == REQ_OP_READ || bio_op(bio) == REQ_OP_WRITE) &&
	       !(bio->bi_opf & (REQ_PREFLUSH | SSDQOS_REQ_ATOMIC)) &&
	       !bdev_is_zoned(bdev);
}

/* A large request is one for the drive, and all others wait behind it there, so it
 * comes in pieces.  Not if its submitter must not sleep: the disk may refuse a
 * piece that it can't take at once, and when others have been done it is too late
 * to send all of it again.  (The kernel does not split such requests, either.)
 * Return: a piece of it is taken, or all; or else it has to be sent again.
 */
static bool qos_take_piece(const struct qos_target *t, struct bio *bio)
{
	struct block_device *bdev = t->seg.dev->bdev;
	const u32 bytes = bio->bi_iter.bi_size;
	const u32 kind = bio_op(bio) == REQ_OP_READ ? SSDQOS_EDF_KIND_READ :
						      SSDQOS_EDF_KIND_WRITE;
	u32 piece = (u32)ssdqos_apart_piece_bytes(&t->stream->drive->edf,
						  &t->stream->edf, kind, bytes);

	if (likely(piece == bytes) || !qos_may_cut(bdev, bio))
		return true;
	/* dm would send what is polled for again by itself, where nobody can */
	if ((bio->bi_opf & (REQ_NOWAIT | REQ_POLLED)) == REQ_NOWAIT)
		return false;
	qos_io_will_wait(bio);
	/* What was promised may have any size, but a disk takes no part of a block;
	 * and many that take 512 bytes write 4 KiB at a time.
	 */
	piece = round_down(piece, max_t(u32, bdev_logical_block_size(bdev),
					SZ_4K));
	dm_accept_partial_bio(bio, piece >> SECTOR_SHIFT);
	/* dm has cut its checksums before, to what it gave us */
	if (bio_integrity(bio))
		bio_integrity_trim(bio);
	return true;
}

static int qos_map(struct dm_target *ti, struct bio *bio)
{
	struct qos_target *t = ti->private;
	sector_t sector = dm_target_offset(ti, bio->bi_iter.bi_sector);

	if (unlikely(!qos_take_piece(t, bio)))
		return qos_io_again(bio);
	bio_set_dev(bio, t->seg.dev->bdev);
	bio->bi_iter.bi_sector = t->seg.offset + sector;
	return qos_io_map(t->stream, bio, sector);
}

static int qos_end_io(struct dm_target *ti, struct bio *bio,
		      blk_status_t *error)
{
	struct qos_target *t = ti->private;

	return qos_io_end(t->stream, bio, *error);
}

/* ---- suspend and resume ---- */

/* What waits must go, or the device could not be suspended before its limit
 * allows it.
 */
static void qos_presuspend(struct dm_target *ti)
{
	struct qos_target *t = ti->private;

	qos_io_drain(t->stream, true);
}

static void qos_presuspend_undo(struct dm_target *ti)
{
	struct qos_target *t = ti->private;

	qos_io_drain(t->stream, false);
}

static void qos_postsuspend(struct dm_target *ti)
{
	struct qos_target *t = ti->private;

	qos_trim_leave(t->stream, t->seg.offset, ti->len);
	qos_watch_live(t->stream, NULL, NULL);
	qos_sysfs_remove(t->stream);
	qos_life_save(t->stream->drive);
}

/* What is put back says all that the line said, of the drive as well. */
static void qos_keep_before(struct qos_target *t)
{
	qos_rules_config(t->stream, &t->before);
	t->before.given = t->cfg.given;
}

/* A segment of the table is refused, which leaves the device suspended: the
 * segments before it must not have what they were promised.  Backwards, so that
 * each step is one to what was in force a moment ago.
 */
static void qos_put_back(const struct dm_table *table)
{
	char err[QOS_ERR_BYTES];
	struct qos_target *t;

	mutex_lock(&qos_targets_mutex);
	list_for_each_entry_reverse(t, &qos_targets, list) {
		if (t->table != table || !t->applied)
			continue;
		if (qos_rules_apply(t->stream, &t->before, err))
			DMERR("%u:%u: the rules before can't be put back: %s",
			      MAJOR(t->stream->dev), MINOR(t->stream->dev), err);
		t->applied = false;
	}
	mutex_unlock(&qos_targets_mutex);
}

/* A new line for a stream that lives on: its parameters hold from now on,
 * until messages change them.
 */
static int qos_preresume(struct dm_target *ti)
{
	struct qos_target *t = ti->private;
	char err[QOS_ERR_BYTES];
	int r;

	if (t->applied)
		return 0;
	qos_keep_before(t);
	r = qos_rules_apply(t->stream, &t->cfg, err);
	if (!r) {
		t->applied = true;
		return 0;
	}
	DMERR("%s: %s", dm_table_device_name(ti->table), err);
	qos_put_back(ti->table);
	return r;
}

static void qos_resume(struct dm_target *ti)
{
	struct qos_target *t = ti->private;

	qos_io_drain(t->stream, false);
	qos_watch_live(t->stream, ti->table, t->seg.dev->bdev);
	qos_sysfs_add(t->stream);
}

/* ---- status ---- */

/* The arguments of a live line are those in force now. */
static void qos_print_line(struct qos_target *t, char *buf, unsigned int size)
{
	struct ssdqos_qos_config cfg = t->cfg;

	if (t->applied)
		qos_rules_config(t->stream, &cfg);
	/* who makes the streams again by their lines shall have the same owner */
	if (t->applied && !qos_rules_owns(t->stream))
		cfg.drive.drive_locked = false;
	qos_print_args(t->stream->drive, t->meta ? t->meta_name : NULL,
		       &cfg, buf, size);
}

static void qos_status(struct dm_target *ti, status_type_t type,
		       unsigned int status_flags, char *result,
		       unsigned int maxlen)
{
	struct qos_target *t = ti->private;
	unsigned int sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		qos_print_status(t->stream, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		DMEMIT("%s %llu ", t->seg.dev->name,
		       (unsigned long long)t->seg.offset);
		qos_print_line(t, result + sz, maxlen - sz);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",device_name=%s,offset=%llu;", t->seg.dev->name,
		       (unsigned long long)t->seg.offset);
		break;
	}
}

static int qos_target_message(struct dm_target *ti, unsigned int argc,
			      char **argv, char *result, unsigned int maxlen)
{
	struct qos_target *t = ti->private;

	return qos_message(t->stream, argc, argv, result, maxlen);
}

/* ---- what the device below can do ---- */

/* What goes past the block layer goes past us, reads and writes as well: only for
 * who may do all with the disk, even if the segment is all of it.
 */
static int qos_prepare_ioctl(struct dm_target *ti, struct block_device **bdev
			     SSDQOS_PREPARE_IOCTL_REST)
{
	struct qos_target *t = ti->private;

	*bdev = t->seg.dev->bdev;
	return 1;
}

/* Zeroes that may not unmap are written, however many; dm sends them in pieces. */
static void qos_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	ssdqos_limit_write_zeroes(limits, QOS_MAX_ZEROES_SECTORS);
}

#ifdef CONFIG_BLK_DEV_ZONED
static int qos_report_zones(struct dm_target *ti,
			    struct dm_report_zones_args *args,
			    unsigned int nr_zones)
{
	struct qos_target *t = ti->private;

	return dm_report_zones(t->seg.dev->bdev, t->seg.offset,
			       t->seg.offset +
			       dm_target_offset(ti, args->next_sector),
			       args, nr_zones);
}
#else
#define qos_report_zones NULL
#endif

struct target_type ssdqos_qos_target = {
	.name = "ssdqos",
	.version = { 0, 1, 0 },
	.features = DM_TARGET_PASSES_INTEGRITY | DM_TARGET_NOWAIT |
		    DM_TARGET_ZONED_HM | DM_TARGET_PASSES_CRYPTO |
		    SSDQOS_TARGET_ATOMIC_WRITES,
	.module = THIS_MODULE,
	.ctr = qos_ctr,
	.dtr = qos_dtr,
	.map = qos_map,
	.end_io = qos_end_io,
	.presuspend = qos_presuspend,
	.presuspend_undo = qos_presuspend_undo,
	.postsuspend = qos_postsuspend,
	.preresume = qos_preresume,
	.resume = qos_resume,
	.status = qos_status,
	.message = qos_target_message,
	.prepare_ioctl = qos_prepare_ioctl,
	.report_zones = qos_report_zones,
	.iterate_devices = ssdqos_segment_iterate_devices,
	.io_hints = qos_io_hints,
};
