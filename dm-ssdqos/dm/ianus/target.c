// SPDX-License-Identifier: GPL-2.0
/*
 * target.c - the device-mapper target "ssdqos-ianus"
 *
 *	<start> <length> ssdqos-ianus <#devs> [<dev> <offset>]... <meta dev>
 *		[<#args> [<key> <value>]...]
 *
 * A mirror of 2 to 8 devices that take turns (core/mirror).  A device that is not here is
 * "-".  The metadata device says where members differ after a power cut; a blank one
 * begins a new mirror, with the data of the first member.  Keys are the rows of
 * SSDQOS_MIRROR_PARAMS, and "journal" with the device of the journal, or "-".
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "core/mirror/grow.h"
#include "dm/common/segment.h"
#include "ianus.h"
#include "print.h"
#include "sysfs.h"
#include "target.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

#define IANUS_MIN_MEMBERS 2
/* In place of a device that is not here. */
#define IANUS_ABSENT "-"
#define IANUS_JOURNAL_KEY "journal"
/* Instructions that can always be given, whatever memory there is. */
#define IANUS_MIN_OPS 64
/* A work for each copy and discard besides the one for all. */
#define IANUS_WQ_ACTIVE 16
#define IANUS_MAX_DISCARD_SECTORS (1u << 21)
/* Where durability is volatile, so many are looked at in one hold of the lock: some
 * ten microseconds.
 */
#define IANUS_MAX_DISCARD_REGIONS 1024u

/* ---- constructor, in steps ---- */

static int ianus_parse_member(struct dm_target *ti, struct ianus *x,
			      struct dm_arg_set *as)
{
	struct ianus_member *m = &x->members[x->nr];
	const char *path = dm_shift_arg(as), *offset = dm_shift_arg(as);
	unsigned long long sectors;
	int r = 0;

	if (!path || !offset || kstrtoull(offset, 10, &sectors)) {
		DMERR("member %u: '%s' '%s' is not a device and a number of sectors",
		      x->nr, path ? path : "", offset ? offset : "");
		ti->error = "<dev> <offset> are required for each member";
		return -EINVAL;
	}
	m->offset = sectors;
	x->nr++;
	if (strcmp(path, IANUS_ABSENT))
		r = dm_get_device(ti, path, dm_table_get_mode(ti->table), &m->dev);
	if (r) {
		DMERR("member %u: '%s' can't be opened (%d)", x->nr - 1, path, r);
		ti->error = "Invalid device";
	} else if (m->dev && bdev_is_zoned(m->dev->bdev)) {
		DMERR("member %u: '%s' is zoned, which a mirror can't be made of",
		      x->nr - 1, path);
		ti->error = "Zoned device";
		r = -EINVAL;
	}
	return r;
}

static int ianus_parse_members(struct dm_target *ti, struct ianus *x,
			       struct dm_arg_set *as)
{
	static const struct dm_arg count = {
		IANUS_MIN_MEMBERS, SSDQOS_MIRROR_MAX_MEMBERS,
		"#devs: not a number from 2 to 8",
	};
	unsigned int nr;
	int r = dm_read_arg(&count, as, &nr, &ti->error);

	while (!r && x->nr < nr)
		r = ianus_parse_member(ti, x, as);
	if (!r && ianus_absent(x) == (1u << x->nr) - 1) {
		ti->error = "No member is here";
		r = -ENXIO;
	}
	return r;
}

static int ianus_parse_meta(struct dm_target *ti, struct ianus *x,
			    struct dm_arg_set *as)
{
	const char *path = dm_shift_arg(as);
	int r;

	if (!path) {
		ti->error = "<meta dev> is required";
		return -EINVAL;
	}
	r = dm_get_device(ti, path, dm_table_get_mode(ti->table), &x->meta.dev);
	if (r) {
		DMERR("meta: '%s' can't be opened (%d)", path, r);
		ti->error = "Invalid metadata device";
	}
	return r;
}

static int ianus_parse_journal(struct dm_target *ti, struct ianus *x,
			       const char *path, char *err)
{
	int r;

	if (x->journal.dev || x->journal.absent) {
		scnprintf(err, IANUS_ERR_BYTES, "journal: '%s' is the second one",
			  path);
		return -EINVAL;
	}
	x->journal.absent = !strcmp(path, IANUS_ABSENT);
	if (x->journal.absent)
		return 0;
	r = dm_get_device(ti, path, dm_table_get_mode(ti->table),
			  &x->journal.dev);
	if (r)
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' can't be opened (%d)", path, r);
	return r;
}

static int ianus_parse_param(struct dm_target *ti, struct ianus *x,
			     const char *key, const char *value, char *err)
{
	int r;

	if (!strcmp(key, IANUS_JOURNAL_KEY))
		return ianus_parse_journal(ti, x, value, err);
	r = ssdqos_mirror_config_set(&x->cfg, key, value, err, IANUS_ERR_BYTES);
	return min(r, 0);
}

/* There is one if it is of use, and only then. */
static int ianus_check_journal(const struct ianus *x, char *err)
{
	bool wanted = x->cfg.durability == SSDQOS_MIRROR_JOURNAL;
	bool told = x->journal.dev || x->journal.absent;

	if (wanted == told)
		return 0;
	scnprintf(err, IANUS_ERR_BYTES, wanted ?
		  "durability: 'journal' needs a device for it: journal <dev>" :
		  "journal: a device for it is of use with durability journal only");
	return -EINVAL;
}

static int ianus_parse_params(struct dm_target *ti, struct ianus *x,
			      struct dm_arg_set *as)
{
	char err[IANUS_ERR_BYTES];
	int nr, i;

	ssdqos_mirror_config_init(&x->cfg);
	/* all rows, and the journal's device */
	nr = ssdqos_segment_count_args(ti, as, SSDQOS_MIRROR_NR_PARAMS + 1);
	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i += 2) {
		const char *key = dm_shift_arg(as), *value = dm_shift_arg(as);

		if (ianus_parse_param(ti, x, key, value, err))
			goto invalid;
	}
	if (!ssdqos_mirror_config_check(&x->cfg, x->nr, err, sizeof(err)) &&
	    !ssdqos_mirror_check_regions(ti->len, ianus_region_sectors(x), err,
					 sizeof(err)) &&
	    !ianus_check_journal(x, err) && !ianus_check_apart(x, err))
		return 0;
invalid:
	DMERR("%s", err);
	ti->error = "Invalid parameter";
	return -EINVAL;
}

static int ianus_check_mode(struct dm_target *ti)
{
	if (dm_table_get_mode(ti->table) & SSDQOS_MODE_WRITE)
		return 0;
	ti->error = "The table is read-only, and a mirror writes to its devices";
	return -EROFS;
}

static int ianus_check_size(struct dm_target *ti)
{
	if (ti->len % SSDQOS_MIRROR_BLOCK_SECTORS ||
	    ti->begin % SSDQOS_MIRROR_BLOCK_SECTORS) {
		ti->error = "Begin and length have to be multiples of 8 sectors";
		return -EINVAL;
	}
	return 0;
}

static void ianus_free_pages(struct ianus *x)
{
	u32 i;

	for (i = 0; x->pages && i < x->mirror.cache.nr && x->pages[i]; i++)
		__free_page(x->pages[i]);
	kvfree(x->pages);
}

static int ianus_make_pages(struct ianus *x)
{
	u32 i;

	x->pages = kvcalloc(x->mirror.cache.nr, sizeof(x->pages[0]), GFP_KERNEL);
	for (i = 0; x->pages && i < x->mirror.cache.nr; i++) {
		x->pages[i] = alloc_page(GFP_KERNEL | __GFP_NORETRY |
					 __GFP_NOWARN);
		if (!x->pages[i])
			break;
		cond_resched();
	}
	if (x->pages && i == x->mirror.cache.nr)
		return 0;
	DMERR("cache_kib: '%llu' KiB of memory are not there", x->cfg.cache_kib);
	return -ENOMEM;
}

static int ianus_make_core(struct ianus *x)
{
	char err[IANUS_ERR_BYTES];
	int r = ssdqos_mirror_init(&x->mirror, &x->cfg, x->nr,
				   x->ti->len >> IANUS_BLOCK_SHIFT);

	if (r)
		return r;
	r = ianus_meta_init(x, err);
	if (!r)
		r = ianus_meta_look(x, err);
	if (!r)
		r = ianus_journal_init(x, err);
	if (!r)
		r = ianus_journal_may(x, err);
	if (r)
		DMERR("%s", err);
	if (!r)
		r = ianus_make_pages(x);
	return r ? r : ianus_compare_init(x);
}

static int ianus_make_helpers(struct ianus *x)
{
	int r = bioset_init(&x->bios, IANUS_MIN_OPS, 0, BIOSET_NEED_BVECS);

	if (!r)
		r = mempool_init_kmalloc_pool(&x->ops, IANUS_MIN_OPS,
					      sizeof(struct ianus_op));
	if (r)
		return r;
	x->wq = alloc_workqueue("ssdqos-ianus",
				WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_HIGHPRI,
				IANUS_WQ_ACTIVE);
	if (!x->wq)
		return -ENOMEM;
	x->kcopyd = dm_kcopyd_client_create(NULL);
	if (IS_ERR(x->kcopyd)) {
		r = PTR_ERR(x->kcopyd);
		x->kcopyd = NULL;
	}
	return r;
}

static void ianus_free(struct ianus *x)
{
	u32 i;

	ianus_unnoted_forget(x);
	if (x->wq)
		destroy_workqueue(x->wq);
	/* what the last drain has found has yet to be told */
	flush_work(&x->tell);
	if (x->kcopyd)
		dm_kcopyd_client_destroy(x->kcopyd);
	if (x->spare)
		mempool_free(x->spare, &x->ops);
	mempool_exit(&x->ops);
	bioset_exit(&x->bios);
	ianus_meta_exit(x);
	ianus_compare_exit(x);
	ianus_journal_exit(x);
	ianus_free_pages(x);
	ssdqos_mirror_exit(&x->mirror);
	if (x->meta.dev)
		dm_put_device(x->ti, x->meta.dev);
	if (x->journal.dev)
		dm_put_device(x->ti, x->journal.dev);
	for (i = 0; i < x->nr; i++)
		if (x->members[i].dev)
			dm_put_device(x->ti, x->members[i].dev);
	kvfree(x);
}

static struct ianus *ianus_alloc(struct dm_target *ti)
{
	struct ianus *x = kvzalloc(sizeof(*x), GFP_KERNEL);

	if (!x)
		return NULL;
	x->ti = ti;
	spin_lock_init(&x->lock);
	INIT_WORK(&x->work, ianus_work);
	INIT_WORK(&x->tell, ianus_tell);
	hrtimer_setup(&x->timer, ianus_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	init_waitqueue_head(&x->idle);
	INIT_LIST_HEAD(&x->unnoted.list);
	x->accept_ns = SSDQOS_NEVER_NS;
	/* it knows nothing yet: whatever it would do is wrong */
	x->resting = true;
	return x;
}

static void ianus_set_features(struct dm_target *ti)
{
	ti->num_flush_bios = 1;
	ti->flush_supported = true;
	ti->num_discard_bios = 1;
	ti->discards_supported = true;
	/* As many as there are may wait for room. */
	ti->limit_swap_bios = true;
	ti->per_io_data_size = sizeof(struct ianus_io);
}

static int ianus_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	struct ianus *x = ianus_alloc(ti);
	int r;

	if (!x) {
		ti->error = "No memory";
		return -ENOMEM;
	}
	r = ianus_check_mode(ti);
	if (!r)
		r = ianus_parse_members(ti, x, &as);
	if (!r)
		r = ianus_parse_meta(ti, x, &as);
	if (!r)
		r = ianus_parse_params(ti, x, &as);
	if (!r)
		r = ianus_check_size(ti);
	if (!r)
		r = dm_set_target_max_io_len(ti, IANUS_MAX_BLOCKS <<
						 IANUS_BLOCK_SHIFT);
	if (r)
		goto failed;
	ti->error = "Can't make the mirror";
	r = ianus_make_helpers(x);
	if (!r)
		r = ianus_make_core(x);
	if (r)
		goto failed;
	ianus_set_features(ti);
	ti->private = x;
	return 0;

failed:
	ianus_free(x);
	return r;
}

static void ianus_dtr(struct dm_target *ti)
{
	ianus_free(ti->private);
}

/* ---- suspend and resume ---- */

static void ianus_postsuspend(struct dm_target *ti)
{
	ianus_sysfs_remove(ti->private);
	ianus_stop(ti->private);
}

static int ianus_preresume(struct dm_target *ti)
{
	struct ianus *x = ti->private;
	char err[IANUS_ERR_BYTES] = "it could not begin: load the table again";
	int r = -EIO;

	if (x->resumed)
		r = ianus_journal_go_on(x, err);
	else if (!x->spoiled)
		r = ianus_start(x, err);
	if (r)
		DMERR("%s", err);
	return r;
}

static void ianus_resume(struct dm_target *ti)
{
	ianus_go_on(ti->private);
	ianus_sysfs_add(ti->private);
}

/* ---- status ---- */

static unsigned int ianus_print_devices(struct ianus *x, char *result,
					unsigned int maxlen)
{
	unsigned int sz = 0;
	u32 i;

	DMEMIT("%u", x->nr);
	for (i = 0; i < x->nr; i++)
		DMEMIT(" %s %llu",
		       x->members[i].dev ? x->members[i].dev->name : "-",
		       (unsigned long long)x->members[i].offset);
	DMEMIT(" %s", x->meta.dev->name);
	return sz;
}

static void ianus_print_table(struct ianus *x, char *result, unsigned int maxlen)
{
	unsigned int sz = ianus_print_devices(x, result, maxlen);
	struct ssdqos_mirror_config cfg;
	char value[IANUS_ERR_BYTES];
	u32 i, nr = 0;

	/* how many words there are, and the words, are of one moment */
	spin_lock_irq(&x->lock);
	cfg = x->cfg;
	spin_unlock_irq(&x->lock);
	for (i = 0; i < SSDQOS_MIRROR_NR_PARAMS; i++)
		nr += *ssdqos_mirror_config_value(&cfg, i) !=
		      ssdqos_mirror_params[i].def;
	nr += x->journal.dev || x->journal.absent;
	DMEMIT(" %u", 2 * nr);
	for (i = 0; i < SSDQOS_MIRROR_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_mirror_params[i];
		u64 now = *ssdqos_mirror_config_value(&cfg, i);

		if (now == row->def)
			continue;
		ssdqos_param_format(row, now, value, sizeof(value));
		DMEMIT(" %s %s", row->name, value);
	}
	if (x->journal.dev || x->journal.absent)
		DMEMIT(" %s %s", IANUS_JOURNAL_KEY, x->journal.dev ?
		       x->journal.dev->name : IANUS_ABSENT);
}

static void ianus_status(struct dm_target *ti, status_type_t type,
			 unsigned int status_flags, char *result,
			 unsigned int maxlen)
{
	struct ianus *x = ti->private;
	unsigned int sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		ianus_print_status(x, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		ianus_print_table(x, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",members=%u,durability=%llu;", x->nr, x->cfg.durability);
		break;
	}
}

/* ---- devices and limits ---- */

static int ianus_iterate_devices(struct dm_target *ti,
				 iterate_devices_callout_fn fn, void *data)
{
	struct ianus *x = ti->private;
	int r = 0;
	u32 i;

	for (i = 0; i < x->nr && !r; i++)
		if (x->members[i].dev)
			r = fn(ti, x->members[i].dev, x->members[i].offset,
			       ti->len, data);
	return r;
}

static void ianus_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	const struct ianus *x = ti->private;

	limits->logical_block_size = max(limits->logical_block_size,
					 SSDQOS_MIRROR_BLOCK_BYTES);
	limits->physical_block_size = max(limits->physical_block_size,
					  SSDQOS_MIRROR_BLOCK_BYTES);
	limits->io_min = max(limits->io_min, SSDQOS_MIRROR_BLOCK_BYTES);
	limits->max_discard_sectors =
		min(IANUS_MAX_DISCARD_SECTORS,
		    IANUS_MAX_DISCARD_REGIONS * ianus_region_sectors(x));
	limits->max_hw_discard_sectors = limits->max_discard_sectors;
	limits->discard_granularity = SSDQOS_MIRROR_BLOCK_BYTES;
}

struct target_type ssdqos_ianus_target = {
	.name = "ssdqos-ianus",
	.version = { 0, 1, 0 },
	.module = THIS_MODULE,
	.ctr = ianus_ctr,
	.dtr = ianus_dtr,
	.map = ianus_map,
	.end_io = ianus_end_io,
	.postsuspend = ianus_postsuspend,
	.preresume = ianus_preresume,
	.resume = ianus_resume,
	.status = ianus_status,
	.message = ianus_message,
	.iterate_devices = ianus_iterate_devices,
	.io_hints = ianus_io_hints,
};
