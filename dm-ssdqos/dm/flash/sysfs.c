// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs.c - /sys/block/dm-N/ssdqos/ of an emulated drive
 *
 *	params/NAME	a file for each row of the parameter table
 *	in_force/NAME	the same as the drive goes by it, which may be too small
 *			for what was asked
 *	stats/NAME	a file for each row of the counter table
 *	tasks/TASK/NAME	files for each row of the table of tasks
 *	geometry, latency, status, waits	text
 *	state		binary: what message "save" kept; write a state here
 *			and send message "load" to use it
 *
 * A segment that does not begin at sector 0 has "ssdqos-BEGIN".  The files
 * are there while the device is live: they are made in .resume, when the disk
 * surely is in sysfs, and removed in .postsuspend.
 */
#include <linux/capability.h>
#include <linux/device-mapper.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "dm/common/sysfs_dir.h"
#include "drive.h"
#include "print.h"
#include "sysfs.h"

#define DM_MSG_PREFIX "ssdqos-flash"

/**
 * struct flash_sysfs - what stands in sysfs
 * @top: the directory of the drive
 * @tasks: one in it, for groups of groups there are none
 */
struct flash_sysfs {
	struct ssdqos_dir top;
	struct ssdqos_dir tasks;
};

static ssize_t flash_param_show(void *owner, u32 index, char *buf)
{
	struct ssdqos_flash_config cfg;
	int len;

	flash_drive_snapshot(owner, &cfg, NULL, NULL);
	len = ssdqos_param_format(&ssdqos_flash_params[index],
				  *ssdqos_flash_config_value(&cfg, index), buf,
				  PAGE_SIZE);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static ssize_t flash_in_force_show(void *owner, u32 index, char *buf)
{
	struct ssdqos_flash_config cfg;
	int len;

	flash_drive_in_force(owner, &cfg);
	len = ssdqos_param_format(&ssdqos_flash_params[index],
				  *ssdqos_flash_config_value(&cfg, index), buf,
				  PAGE_SIZE);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static int flash_param_store(void *owner, u32 index, char *text)
{
	char err[FLASH_ERR_BYTES];
	int r;

	/* as for messages: who is root in a container need not have that */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	r = flash_drive_set(owner, ssdqos_flash_params[index].name, text, err);
	if (r)
		DMERR("%s", err);
	return r;
}

static ssize_t flash_stat_show(void *owner, u32 index, char *buf)
{
	struct ssdqos_flash_stats stats;

	flash_drive_snapshot(owner, NULL, &stats, NULL);
	return scnprintf(buf, PAGE_SIZE, "%llu\n", ((u64 *)&stats)[index]);
}

static ssize_t flash_geometry_show(void *owner, u32 index, char *buf)
{
	return flash_print_geometry(owner, buf, PAGE_SIZE);
}

static ssize_t flash_latency_show(void *owner, u32 index, char *buf)
{
	return flash_print_latency(owner, buf, PAGE_SIZE);
}

static ssize_t flash_status_show(void *owner, u32 index, char *buf)
{
	int len = flash_print_status(owner, buf, PAGE_SIZE);

	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static ssize_t flash_waits_show(void *owner, u32 index, char *buf)
{
	return flash_print_waits(owner, buf, PAGE_SIZE);
}

static ssize_t flash_share_show(void *owner, u32 index, char *buf)
{
	struct ssdqos_flash_gauges g;
	int len;

	flash_drive_snapshot(owner, NULL, NULL, &g);
	len = flash_print_share(g.share_ppm[index], buf, PAGE_SIZE);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static int flash_share_store(void *owner, u32 index, char *text)
{
	return flash_param_store(owner, ssdqos_flash_task_rows[index].share,
				 text);
}

static ssize_t flash_issued_show(void *owner, u32 index, char *buf)
{
	struct flash_work work;

	flash_drive_work(owner, &work);
	return scnprintf(buf, PAGE_SIZE, "%llu\n", work.task[index].issued);
}

static ssize_t flash_wait_show(void *owner, u32 index, char *buf)
{
	struct flash_work work;

	flash_drive_work(owner, &work);
	return scnprintf(buf, PAGE_SIZE, "%llu\n", work.task[index].wait_ns);
}

/* Files of a task whose @index is the task; @store only where it has a share
 * of its own.
 */
static const struct ssdqos_file flash_task_own[] = {
	{
		.attr = { "share", 0444 },
		.show = flash_share_show,
		.store = flash_share_store,
	},
	{ .attr = { "issued", 0444 }, .show = flash_issued_show },
	{ .attr = { "wait_ns", 0444 }, .show = flash_wait_show },
};

/* Files of a task that are one of its parameters. */
static const struct {
	const char *name;
	size_t offset;	/* of the parameter's number in the row */
} flash_task_tuned[] = {
	{ "mode", offsetof(struct ssdqos_flash_task_row, mode) },
	{ "p", offsetof(struct ssdqos_flash_task_row, p) },
	{ "i", offsetof(struct ssdqos_flash_task_row, i) },
	{ "target", offsetof(struct ssdqos_flash_task_row, target) },
};

#define FLASH_TASK_FILES						\
	(ARRAY_SIZE(flash_task_own) + ARRAY_SIZE(flash_task_tuned))

static struct ssdqos_file flash_task_files[SSDQOS_NR_TASKS][FLASH_TASK_FILES];
static struct attribute *flash_task_list[SSDQOS_NR_TASKS][FLASH_TASK_FILES + 1];
static struct attribute_group flash_task_group[SSDQOS_NR_TASKS];
static const struct attribute_group *flash_task_groups[SSDQOS_NR_TASKS + 1];

static struct ssdqos_file flash_param_files[SSDQOS_FLASH_NR_PARAMS];
static struct attribute *flash_param_list[SSDQOS_FLASH_NR_PARAMS + 1];
static struct ssdqos_file flash_in_force_files[SSDQOS_FLASH_NR_PARAMS];
static struct attribute *flash_in_force_list[SSDQOS_FLASH_NR_PARAMS + 1];
static struct ssdqos_file flash_stat_files[SSDQOS_FLASH_NR_STATS];
static struct attribute *flash_stat_list[SSDQOS_FLASH_NR_STATS + 1];

static struct ssdqos_file flash_text_files[] = {
	{ .attr = { "geometry", 0444 }, .show = flash_geometry_show },
	{ .attr = { "latency", 0444 }, .show = flash_latency_show },
	{ .attr = { "status", 0444 }, .show = flash_status_show },
	{ .attr = { "waits", 0444 }, .show = flash_waits_show },
};

static struct attribute *flash_text_list[ARRAY_SIZE(flash_text_files) + 1];

static const struct attribute_group flash_text_group = {
	.attrs = flash_text_list,
};

static const struct attribute_group flash_param_group = {
	.name = "params",
	.attrs = flash_param_list,
};

static const struct attribute_group flash_in_force_group = {
	.name = "in_force",
	.attrs = flash_in_force_list,
};

static const struct attribute_group flash_stat_group = {
	.name = "stats",
	.attrs = flash_stat_list,
};

static const struct attribute_group *flash_groups[] = {
	&flash_text_group,
	&flash_param_group,
	&flash_in_force_group,
	&flash_stat_group,
	NULL,
};

static ssize_t flash_state_read(struct file *file, struct kobject *kobj,
				ssdqos_bin_attribute *attr, char *buf,
				loff_t offset, size_t count)
{
	struct flash_drive *d = ssdqos_dir_owner(kobj);
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
	int r;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	r = flash_drive_upload(ssdqos_dir_owner(kobj), buf, offset, count);
	return r ? r : count;
}

static const struct bin_attribute flash_state_file = {
	.attr = { .name = "state", .mode = 0600 },
	.read = flash_state_read,
	.write = flash_state_write,
};

/* not const: 6.1's kobject_init() takes it so */
static struct kobj_type flash_kobj_type = {
	.sysfs_ops = &ssdqos_dir_ops,
	.release = ssdqos_dir_release,
	.default_groups = flash_groups,
};

/* not const, as above */
static struct kobj_type flash_tasks_type = {
	.sysfs_ops = &ssdqos_dir_ops,
	.release = ssdqos_dir_release,
	.default_groups = flash_task_groups,
};

/* Fill in the file of a parameter under the name @name. */
static void __init flash_param_file(struct ssdqos_file *file, const char *name,
				    u32 param)
{
	bool live = ssdqos_flash_params[param].when == SSDQOS_PARAM_LIVE;

	*file = (struct ssdqos_file) {
		.attr = { .name = name, .mode = live ? 0644 : 0444 },
		.show = flash_param_show,
		.store = live ? flash_param_store : NULL,
		.index = param,
	};
}

static void __init flash_task_init(u32 task)
{
	const struct ssdqos_flash_task_row *row = &ssdqos_flash_task_rows[task];
	struct attribute **list = flash_task_list[task];
	struct ssdqos_file *file = flash_task_files[task];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(flash_task_own); i++, file++) {
		*file = flash_task_own[i];
		file->index = task;
		if (row->share == SSDQOS_NIL)
			file->store = NULL;
		else if (file->store)
			file->attr.mode = 0644;
		*list++ = &file->attr;
	}
	for (i = 0; i < ARRAY_SIZE(flash_task_tuned); i++) {
		u32 param = *(const u32 *)((const char *)row +
					   flash_task_tuned[i].offset);

		if (param == SSDQOS_NIL)
			continue;
		flash_param_file(file, flash_task_tuned[i].name, param);
		*list++ = &file++->attr;
	}
	flash_task_group[task].name = row->name;
	flash_task_group[task].attrs = flash_task_list[task];
	flash_task_groups[task] = &flash_task_group[task];
}

/**
 * ssdqos_flash_sysfs_init - make the lists of files from the tables
 *
 * Context: module init, once.
 */
void __init ssdqos_flash_sysfs_init(void)
{
	u32 i;

	for (i = 0; i < SSDQOS_FLASH_NR_PARAMS; i++) {
		flash_param_file(&flash_param_files[i],
				 ssdqos_flash_params[i].name, i);
		flash_param_list[i] = &flash_param_files[i].attr;
		flash_in_force_files[i] = (struct ssdqos_file) {
			.attr = {
				.name = ssdqos_flash_params[i].name,
				.mode = 0444,
			},
			.show = flash_in_force_show,
			.index = i,
		};
		flash_in_force_list[i] = &flash_in_force_files[i].attr;
	}
	for (i = 0; i < SSDQOS_FLASH_NR_STATS; i++) {
		flash_stat_files[i] = (struct ssdqos_file) {
			.attr = {
				.name = ssdqos_flash_stat_names[i],
				.mode = 0444,
			},
			.show = flash_stat_show,
			.index = i,
		};
		flash_stat_list[i] = &flash_stat_files[i].attr;
	}
	for (i = 0; i < ARRAY_SIZE(flash_text_files); i++)
		flash_text_list[i] = &flash_text_files[i].attr;
	for (i = 0; i < SSDQOS_NR_TASKS; i++)
		flash_task_init(i);
}

static void flash_sysfs_drop(struct flash_sysfs *s)
{
	ssdqos_dir_drop(&s->tasks);
	ssdqos_dir_drop(&s->top);
	kfree(s);
}

static int flash_sysfs_register(struct flash_sysfs *s,
				const struct flash_drive *d)
{
	int r = ssdqos_dir_add(&s->top, d->md, d->begin);

	if (!r)
		r = kobject_add(&s->tasks.kobj, &s->top.kobj, "tasks");
	if (!r)
		r = sysfs_create_bin_file(&s->top.kobj, &flash_state_file);
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
		ssdqos_dir_init(&s->top, d, &flash_kobj_type);
		ssdqos_dir_init(&s->tasks, d, &flash_tasks_type);
		if (flash_sysfs_register(s, d)) {
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
