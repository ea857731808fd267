// SPDX-License-Identifier: GPL-2.0
/*
 * flash_sysfs.c - /sys/block/dm-N/ssdqos/ of an emulated drive
 *
 *	params/NAME	a file for each row of the parameter table
 *	stats/NAME	a file for each row of the counter table
 *	geometry, latency, status	text
 *	state		binary: what message "save" kept; write a state here
 *			and send message "load" to use it
 *
 * A segment that does not begin at sector 0 has "ssdqos-BEGIN".  The files
 * are there while the device is live: they are made in .resume, when the disk
 * surely is in sysfs, and removed in .postsuspend.
 */
#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/kobject.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "flash_drive.h"
#include "flash_print.h"
#include "flash_sysfs.h"

#define DM_MSG_PREFIX "ssdqos-flash"

/**
 * struct flash_sysfs - what stands in sysfs
 * @kobj: the directory
 * @drive: whose it is
 * @released: nobody uses @kobj any more
 */
struct flash_sysfs {
	struct kobject kobj;
	struct flash_drive *drive;
	struct completion released;
};

/* A file; @index is the row of its table. */
struct flash_attr {
	struct attribute attr;
	ssize_t (*show)(struct flash_drive *d, u32 index, char *buf);
	ssize_t (*store)(struct flash_drive *d, u32 index, const char *buf,
			 size_t count);
	u32 index;
};

static ssize_t flash_param_show(struct flash_drive *d, u32 index, char *buf)
{
	struct ssdqos_flash_config cfg;
	int len;

	flash_drive_snapshot(d, &cfg, NULL, NULL);
	len = ssdqos_param_format(&ssdqos_flash_params[index],
				  *ssdqos_flash_config_value(&cfg, index), buf,
				  PAGE_SIZE);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static ssize_t flash_param_store(struct flash_drive *d, u32 index,
				 const char *buf, size_t count)
{
	char *value = kstrndup(buf, count, GFP_KERNEL), err[FLASH_ERR_BYTES];
	int r;

	if (!value)
		return -ENOMEM;
	r = flash_drive_set(d, ssdqos_flash_params[index].name,
			    strim(value), err);
	kfree(value);
	if (!r)
		return count;
	DMERR("%s", err);
	return r;
}

static ssize_t flash_stat_show(struct flash_drive *d, u32 index, char *buf)
{
	struct ssdqos_flash_stats stats;

	flash_drive_snapshot(d, NULL, &stats, NULL);
	return scnprintf(buf, PAGE_SIZE, "%llu\n", ((u64 *)&stats)[index]);
}

static ssize_t flash_geometry_show(struct flash_drive *d, u32 index, char *buf)
{
	return flash_print_geometry(d, buf, PAGE_SIZE);
}

static ssize_t flash_latency_show(struct flash_drive *d, u32 index, char *buf)
{
	return flash_print_latency(d, buf, PAGE_SIZE);
}

static ssize_t flash_status_show(struct flash_drive *d, u32 index, char *buf)
{
	int len = flash_print_status(d, buf, PAGE_SIZE);

	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static struct flash_attr flash_param_files[SSDQOS_FLASH_NR_PARAMS];
static struct attribute *flash_param_list[SSDQOS_FLASH_NR_PARAMS + 1];
static struct flash_attr flash_stat_files[SSDQOS_FLASH_NR_STATS];
static struct attribute *flash_stat_list[SSDQOS_FLASH_NR_STATS + 1];

static struct flash_attr flash_text_files[] = {
	{ .attr = { "geometry", 0444 }, .show = flash_geometry_show },
	{ .attr = { "latency", 0444 }, .show = flash_latency_show },
	{ .attr = { "status", 0444 }, .show = flash_status_show },
};

static struct attribute *flash_text_list[ARRAY_SIZE(flash_text_files) + 1];

static const struct attribute_group flash_text_group = {
	.attrs = flash_text_list,
};

static const struct attribute_group flash_param_group = {
	.name = "params",
	.attrs = flash_param_list,
};

static const struct attribute_group flash_stat_group = {
	.name = "stats",
	.attrs = flash_stat_list,
};

static const struct attribute_group *flash_groups[] = {
	&flash_text_group,
	&flash_param_group,
	&flash_stat_group,
	NULL,
};

static struct flash_drive *flash_kobj_drive(struct kobject *kobj)
{
	return container_of(kobj, struct flash_sysfs, kobj)->drive;
}

static ssize_t flash_attr_show(struct kobject *kobj, struct attribute *attr,
			       char *buf)
{
	struct flash_attr *a = container_of(attr, struct flash_attr, attr);

	return a->show(flash_kobj_drive(kobj), a->index, buf);
}

static ssize_t flash_attr_store(struct kobject *kobj, struct attribute *attr,
				const char *buf, size_t count)
{
	struct flash_attr *a = container_of(attr, struct flash_attr, attr);

	if (!a->store)
		return -EPERM;
	return a->store(flash_kobj_drive(kobj), a->index, buf, count);
}

static ssize_t flash_state_read(struct file *file, struct kobject *kobj,
				ssdqos_bin_attribute *attr, char *buf,
				loff_t offset, size_t count)
{
	struct flash_drive *d = flash_kobj_drive(kobj);
	ssize_t n = 0;

	mutex_lock(&d->mutex);
	if (offset < d->state_used) {
		n = min_t(u64, count, d->state_used - offset);
		memcpy(buf, d->state + offset, n);
	}
	mutex_unlock(&d->mutex);
	return n;
}

static ssize_t flash_state_write(struct file *file, struct kobject *kobj,
				 ssdqos_bin_attribute *attr, char *buf,
				 loff_t offset, size_t count)
{
	int r = flash_drive_upload(flash_kobj_drive(kobj), buf, offset, count);

	return r ? r : count;
}

static const struct bin_attribute flash_state_file = {
	.attr = { .name = "state", .mode = 0600 },
	.read = flash_state_read,
	.write = flash_state_write,
};

static void flash_kobj_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct flash_sysfs, kobj)->released);
}

static const struct sysfs_ops flash_sysfs_ops = {
	.show = flash_attr_show,
	.store = flash_attr_store,
};

/* not const: 6.1's kobject_init() takes it so */
static struct kobj_type flash_kobj_type = {
	.sysfs_ops = &flash_sysfs_ops,
	.release = flash_kobj_release,
	.default_groups = flash_groups,
};

/**
 * ssdqos_flash_sysfs_init - make the lists of files from the tables
 *
 * Context: module init, once.
 */
void __init ssdqos_flash_sysfs_init(void)
{
	u32 i;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		bool live = ssdqos_flash_params[i].when == SSDQOS_PARAM_LIVE;

		flash_param_files[i] = (struct flash_attr) {
			.attr = {
				.name = ssdqos_flash_params[i].name,
				.mode = live ? 0644 : 0444,
			},
			.show = flash_param_show,
			.store = live ? flash_param_store : NULL,
			.index = i,
		};
		flash_param_list[i] = &flash_param_files[i].attr;
	}
	for (i = 0; i < SSDQOS_FLASH_NR_STATS; i++) {
		flash_stat_files[i] = (struct flash_attr) {
			.attr = {
				.name = ssdqos_flash_stat_rows[i].name,
				.mode = 0444,
			},
			.show = flash_stat_show,
			.index = i,
		};
		flash_stat_list[i] = &flash_stat_files[i].attr;
	}
	for (i = 0; i < ARRAY_SIZE(flash_text_files); i++)
		flash_text_list[i] = &flash_text_files[i].attr;
}

static void flash_sysfs_drop(struct flash_sysfs *s)
{
	kobject_put(&s->kobj);
	wait_for_completion(&s->released);
	kfree(s);
}

static int flash_sysfs_register(struct flash_sysfs *s)
{
	struct flash_drive *d = s->drive;
	struct kobject *parent = &disk_to_dev(dm_disk(d->md))->kobj;
	int r;

	if (d->begin)
		r = kobject_init_and_add(&s->kobj, &flash_kobj_type, parent,
					 "ssdqos-%llu", d->begin);
	else
		r = kobject_init_and_add(&s->kobj, &flash_kobj_type, parent,
					 "ssdqos");
	if (!r)
		r = sysfs_create_bin_file(&s->kobj, &flash_state_file);
	return r;
}

/**
 * flash_sysfs_add - show a drive in sysfs
 * @d: the drive; its device is being resumed
 *
 * A drive works without its files: failure is only reported.  Context: may
 * sleep, and does no I/O for want of memory, since the device is suspended.
 */
void flash_sysfs_add(struct flash_drive *d)
{
	unsigned int noio;
	struct flash_sysfs *s;

	if (d->sysfs)
		return;
	noio = memalloc_noio_save();
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (s) {
		s->drive = d;
		init_completion(&s->released);
		if (flash_sysfs_register(s)) {
			flash_sysfs_drop(s);
			s = NULL;
		}
	}
	memalloc_noio_restore(noio);
	if (!s)
		DMWARN("can't make the sysfs files of %u:%u",
		       MAJOR(d->dev), MINOR(d->dev));
	d->sysfs = s;
}

/**
 * flash_sysfs_remove - take a drive out of sysfs
 * @d: the drive
 *
 * Context: sleeps until nobody uses the files.
 */
void flash_sysfs_remove(struct flash_drive *d)
{
	if (d->sysfs)
		flash_sysfs_drop(d->sysfs);
	d->sysfs = NULL;
}
