// SPDX-License-Identifier: GPL-2.0
/*
 * target.c - the device-mapper target "ssdqos-flash"
 *
 *	<start> <length> ssdqos-flash <dev> <offset> [<#args> [<key> <value>]...]
 *
 * An emulated SSD: data lives at the same address on <dev>, time comes from
 * the flash model (drive.c, core/flash).  Keys are the rows of
 * SSDQOS_FLASH_PARAMS; "preset" has to be the first.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "dm/common/segment.h"
#include "drive.h"
#include "print.h"
#include "sysfs.h"
#include "target.h"

#define DM_MSG_PREFIX "ssdqos-flash"

/* The model looks at each 4 KiB of a discard in steps of 4 MiB. */
#define FLASH_MAX_DISCARD_SECTORS (64u << 11)

/**
 * struct flash_target - a table segment
 * @seg: where the data are; first, as dm/common/segment.c expects
 * @drive: the emulated drive
 * @cfg: parameters of the table line
 * @resumed: they are in force, or have been
 */
struct flash_target {
	struct ssdqos_segment seg;
	struct flash_drive *drive;
	struct ssdqos_flash_config cfg;
	bool resumed;
};

static_assert(!offsetof(struct flash_target, seg));

/* ---- constructor ---- */

static int flash_parse_params(struct dm_target *ti, struct flash_target *t,
			      struct dm_arg_set *as)
{
	char err[FLASH_ERR_BYTES];
	int nr, i;

	ssdqos_flash_config_init(&t->cfg, SSDQOS_FLASH_AUTOSSD);
	nr = ssdqos_segment_count_args(ti, as, SSDQOS_FLASH_NR_PARAMS);
	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i += 2) {
		const char *key = dm_shift_arg(as), *value = dm_shift_arg(as);
		int param = ssdqos_flash_config_set(&t->cfg, key, value, err,
						    sizeof(err));

		if (param == SSDQOS_FLASH_P_preset && i) {
			scnprintf(err, sizeof(err),
				  "preset: '%s' has to be the first key",
				  value);
			param = -EINVAL;
		}
		if (param < 0) {
			DMERR("%s", err);
			ti->error = "Invalid parameter";
			return -EINVAL;
		}
	}
	return 0;
}

static int flash_make_drive(struct dm_target *ti, struct flash_target *t)
{
	char err[FLASH_ERR_BYTES];

	if (ssdqos_flash_config_check(&t->cfg, err, sizeof(err)))
		goto failed;
	t->drive = flash_drive_get(dm_table_get_md(ti->table), ti->begin,
				   ti->len, &t->cfg, err);
	if (t->drive)
		return 0;
failed:
	DMERR("%s", err);
	ti->error = "Can't make the drive";
	return -EINVAL;
}

static void flash_set_features(struct dm_target *ti)
{
	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->discards_supported = true;
	ti->flush_supported = true;
	/* whoever lets a bio go that was held may have ended it before map
	 * returns; what ends without going below is accounted then
	 */
	ti->accounts_remapped_io = true;
	/* As many as there are may wait in the drive's queue. */
	ti->limit_swap_bios = true;
	ti->per_io_data_size = sizeof(struct flash_io);
}

static int flash_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	struct flash_target *t;
	int r;

	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t) {
		ti->error = "No memory";
		return -ENOMEM;
	}
	r = ssdqos_segment_open(&t->seg, ti, &as);
	if (r)
		goto out_with_target;
	r = flash_parse_params(ti, t, &as);
	if (r)
		goto out_with_segment;
	r = flash_make_drive(ti, t);
	if (r)
		goto out_with_segment;
	flash_set_features(ti);
	ti->private = t;
	return 0;

out_with_segment:
	ssdqos_segment_close(&t->seg, ti);
out_with_target:
	kfree(t);
	return r;
}

static void flash_dtr(struct dm_target *ti)
{
	struct flash_target *t = ti->private;

	flash_drive_put(t->drive);
	ssdqos_segment_close(&t->seg, ti);
	kfree(t);
}

/* ---- I/O ---- */

/* Does the backing device have a part in this bio? */
static bool flash_has_data(const struct flash_target *t, const struct bio *bio)
{
	return bio_op(bio) != REQ_OP_DISCARD ||
	       bdev_max_discard_sectors(t->seg.dev->bdev);
}

static int flash_map(struct dm_target *ti, struct bio *bio)
{
	struct flash_target *t = ti->private;
	struct flash_io *io = dm_per_bio_data(bio, sizeof(*io));
	sector_t sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	bool no_data = !flash_has_data(t, bio);

	io->no_data = no_data;
	io->no_wait = bio->bi_opf & REQ_NOWAIT;
	bio_set_dev(bio, t->seg.dev->bdev);
	bio->bi_iter.bi_sector = t->seg.offset + sector;
	/* The backing device may make the submitter wait for a moment: its "try
	 * again" would only get up when the model is done, from an interrupt,
	 * where nobody can try again.
	 */
	bio->bi_opf &= ~REQ_NOWAIT;
	if (!flash_drive_start(t->drive, bio, sector) || no_data)
		return DM_MAPIO_SUBMITTED;
	return DM_MAPIO_REMAPPED;
}

static int flash_end_io(struct dm_target *ti, struct bio *bio,
			blk_status_t *error)
{
	struct flash_target *t = ti->private;
	struct flash_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (io->finished || flash_drive_data_done(t->drive, io))
		return DM_ENDIO_DONE;
	return DM_ENDIO_INCOMPLETE;
}

/* ---- suspend and resume ---- */

static void flash_postsuspend(struct dm_target *ti)
{
	struct flash_target *t = ti->private;

	flash_sysfs_remove(t->drive);
}

static void flash_resume(struct dm_target *ti)
{
	struct flash_target *t = ti->private;
	char err[FLASH_ERR_BYTES];

	/* A new line for a drive that lives on: its tunables hold from now on,
	 * until messages change them.
	 */
	if (!t->resumed && flash_drive_retune(t->drive, &t->cfg, err))
		DMERR("%s", err);
	t->resumed = true;
	flash_sysfs_add(t->drive);
}

/* ---- status and messages ---- */

/* The arguments of a live line are those in force now. */
static int flash_print_line(struct flash_target *t, char *buf,
			    unsigned int size)
{
	struct ssdqos_flash_config cfg = t->cfg;

	if (t->resumed)
		flash_drive_snapshot(t->drive, &cfg, NULL, NULL);
	return flash_print_args(&cfg, buf, size);
}

static void flash_status(struct dm_target *ti, status_type_t type,
			 unsigned int status_flags, char *result,
			 unsigned int maxlen)
{
	struct flash_target *t = ti->private;
	unsigned int sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		flash_print_status(t->drive, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		DMEMIT("%s %llu ", t->seg.dev->name,
		       (unsigned long long)t->seg.offset);
		flash_print_line(t, result + sz, maxlen - sz);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",device_name=%s,offset=%llu,preset=%llu;", t->seg.dev->name,
		       (unsigned long long)t->seg.offset, t->cfg.preset);
		break;
	}
}

static int flash_message_age(struct flash_target *t, unsigned int argc,
			     char **argv, char *err)
{
	unsigned int fill_pct = 100;
	u64 seed = t->cfg.seed;

	if (argc > 1 && kstrtouint(argv[1], 10, &fill_pct)) {
		scnprintf(err, FLASH_ERR_BYTES,
			  "age: '%s' is not a number from 0 to 100 %%",
			  argv[1]);
		return -EINVAL;
	}
	if (argc > 2 && kstrtoull(argv[2], 10, &seed)) {
		scnprintf(err, FLASH_ERR_BYTES,
			  "age: seed '%s' is not a number", argv[2]);
		return -EINVAL;
	}
	return flash_drive_age(t->drive, fill_pct, seed, err);
}

static int flash_message_save(struct flash_target *t, unsigned int argc,
			      char **argv, char *err)
{
	return flash_drive_save(t->drive, err);
}

static int flash_message_load(struct flash_target *t, unsigned int argc,
			      char **argv, char *err)
{
	return flash_drive_load(t->drive, err);
}

static int flash_message_reset_stats(struct flash_target *t, unsigned int argc,
				     char **argv, char *err)
{
	flash_drive_reset_stats(t->drive);
	return 0;
}

/* One row per message that is not a tunable. */
static const struct flash_message_row {
	const char *name;
	unsigned int max_argc;
	int (*run)(struct flash_target *t, unsigned int argc, char **argv,
		   char *err);
} flash_messages[] = {
	{ "age", 3, flash_message_age },		/* age [pct [seed]] */
	{ "save", 1, flash_message_save },
	{ "load", 1, flash_message_load },
	{ "reset_stats", 1, flash_message_reset_stats },
};

static int flash_message_run(struct flash_target *t, unsigned int argc,
			     char **argv, char *err)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(flash_messages); i++)
		if (!strcmp(argv[0], flash_messages[i].name) &&
		    argc <= flash_messages[i].max_argc)
			return flash_messages[i].run(t, argc, argv, err);
	if (argc == 2)
		return flash_drive_set(t->drive, argv[0], argv[1], err);
	scnprintf(err, FLASH_ERR_BYTES,
		  "'%s' with %u arguments is not a message; use age, save, load, reset_stats, or a parameter and its value",
		  argv[0], argc - 1);
	return -EINVAL;
}

static int flash_message(struct dm_target *ti, unsigned int argc, char **argv,
			 char *result, unsigned int maxlen)
{
	struct flash_target *t = ti->private;
	char err[FLASH_ERR_BYTES];
	int r = flash_message_run(t, argc, argv, err);

	if (r)
		DMERR("%s", err);
	return r;
}

/* ---- limits ---- */

static void flash_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	limits->max_discard_sectors = FLASH_MAX_DISCARD_SECTORS;
	limits->max_hw_discard_sectors = FLASH_MAX_DISCARD_SECTORS;
	/* a discard for the model, but the device below has to have them */
	ssdqos_limit_write_zeroes(limits, FLASH_MAX_DISCARD_SECTORS);
	limits->discard_granularity = SSDQOS_UNIT_BYTES;
	/* 4 KiB is written without reading first; more needs no alignment */
	limits->io_min = max(limits->io_min, SSDQOS_UNIT_BYTES);
}

struct target_type ssdqos_flash_target = {
	.name = "ssdqos-flash",
	.version = { 0, 1, 0 },
	.features = DM_TARGET_NOWAIT,
	.module = THIS_MODULE,
	.ctr = flash_ctr,
	.dtr = flash_dtr,
	.map = flash_map,
	.end_io = flash_end_io,
	.postsuspend = flash_postsuspend,
	.resume = flash_resume,
	.status = flash_status,
	.message = flash_message,
	.iterate_devices = ssdqos_segment_iterate_devices,
	.io_hints = flash_io_hints,
};
