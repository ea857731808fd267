// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs.c - /sys/block/dm-N/ssdqos/ of a mirror
 *
 *	params/NAME	a file for each row of the parameter table
 *	stats/NAME	a file for each counter
 *	memberM/NAME	a file for each gauge of member M
 *	NAME		a file for each gauge of the mirror
 *	status		text
 *
 * A segment that does not begin at sector 0 has "ssdqos-BEGIN".  The files
 * are there while the device is live: they are made in .resume, when the disk
 * surely is in sysfs, and removed in .postsuspend.
 */
#include <linux/capability.h>
#include <linux/device-mapper.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "dm/common/sysfs_dir.h"
#include "ianus.h"
#include "print.h"
#include "sysfs.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

static ssize_t ianus_end_line(char *buf, int len)
{
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static ssize_t ianus_param_show(void *owner, u32 index, char *buf)
{
	return ianus_end_line(buf, ianus_print_param(owner, index, buf,
						     PAGE_SIZE));
}

static int ianus_param_store(void *owner, u32 index, char *text)
{
	char err[IANUS_ERR_BYTES];
	int r;

	/* as for messages: who is root in a container need not have that */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	r = ianus_set(owner, ssdqos_mirror_params[index].name, text, err);
	if (r)
		DMERR("%s", err);
	return r;
}

static ssize_t ianus_stat_show(void *owner, u32 index, char *buf)
{
	return ianus_end_line(buf, ianus_print_stat(owner, index, buf,
						    PAGE_SIZE));
}

static ssize_t ianus_gauge_show(void *owner, u32 index, char *buf)
{
	return ianus_end_line(buf, ianus_print_gauge(owner, index, buf,
						     PAGE_SIZE));
}

/* @index counts the gauges of member 0, then those of member 1, ... */
static ssize_t ianus_member_show(void *owner, u32 index, char *buf)
{
	return ianus_end_line(buf,
			      ianus_print_member(owner,
						 index / IANUS_NR_MEMBER_GAUGES,
						 index % IANUS_NR_MEMBER_GAUGES,
						 buf, PAGE_SIZE));
}

static ssize_t ianus_status_show(void *owner, u32 index, char *buf)
{
	return ianus_end_line(buf, ianus_print_status(owner, buf, PAGE_SIZE));
}

static struct ssdqos_file ianus_param_files[SSDQOS_MIRROR_NR_PARAMS];
static struct attribute *ianus_param_list[SSDQOS_MIRROR_NR_PARAMS + 1];
static struct ssdqos_file ianus_stat_files[IANUS_NR_STATS];
static struct attribute *ianus_stat_list[IANUS_NR_STATS + 1];
static struct ssdqos_file ianus_gauge_files[IANUS_NR_GAUGES];
static struct attribute *ianus_gauge_list[IANUS_NR_GAUGES + 1];

static struct ssdqos_file
ianus_member_files[SSDQOS_MIRROR_MAX_MEMBERS][IANUS_NR_MEMBER_GAUGES];
static struct attribute *
ianus_member_list[SSDQOS_MIRROR_MAX_MEMBERS][IANUS_NR_MEMBER_GAUGES + 1];
static char ianus_member_names[SSDQOS_MIRROR_MAX_MEMBERS][sizeof("member0")];
/* As many of them are shown as there are members. */
static struct attribute_group ianus_member_groups[SSDQOS_MIRROR_MAX_MEMBERS];

static struct ssdqos_file ianus_text_file = {
	.attr = { "status", 0444 }, .show = ianus_status_show,
};

static struct attribute *ianus_text_list[] = { &ianus_text_file.attr, NULL };

static const struct attribute_group ianus_text_group = {
	.attrs = ianus_text_list,
};

static const struct attribute_group ianus_gauge_group = {
	.attrs = ianus_gauge_list,
};

static const struct attribute_group ianus_param_group = {
	.name = "params",
	.attrs = ianus_param_list,
};

static const struct attribute_group ianus_stat_group = {
	.name = "stats",
	.attrs = ianus_stat_list,
};

static const struct attribute_group *ianus_groups[] = {
	&ianus_text_group,
	&ianus_gauge_group,
	&ianus_param_group,
	&ianus_stat_group,
	NULL,
};

/* not const: 6.1's kobject_init() takes it so */
static struct kobj_type ianus_kobj_type = {
	.sysfs_ops = &ssdqos_dir_ops,
	.default_groups = ianus_groups,
	.release = ssdqos_dir_release,
};

static void __init ianus_param_init(u32 param)
{
	bool live = ssdqos_mirror_params[param].when == SSDQOS_PARAM_LIVE;

	ianus_param_files[param] = (struct ssdqos_file) {
		.attr = {
			.name = ssdqos_mirror_params[param].name,
			.mode = live ? 0644 : 0444,
		},
		.show = ianus_param_show,
		.store = live ? ianus_param_store : NULL,
		.index = param,
	};
	ianus_param_list[param] = &ianus_param_files[param].attr;
}

/* Fill in the file of something that can only be read. */
static struct attribute *__init
ianus_file_init(struct ssdqos_file *file, const char *name,
		ssize_t (*show)(void *owner, u32 index, char *buf), u32 index)
{
	*file = (struct ssdqos_file) {
		.attr = { .name = name, .mode = 0444 },
		.show = show,
		.index = index,
	};
	return &file->attr;
}

static void __init ianus_member_init(u32 member)
{
	u32 i;

	scnprintf(ianus_member_names[member], sizeof(ianus_member_names[0]),
		  "member%u", member);
	for (i = 0; i < IANUS_NR_MEMBER_GAUGES; i++)
		ianus_member_list[member][i] =
			ianus_file_init(&ianus_member_files[member][i],
					ianus_member_gauge_names[i],
					ianus_member_show,
					member * IANUS_NR_MEMBER_GAUGES + i);
	ianus_member_groups[member].name = ianus_member_names[member];
	ianus_member_groups[member].attrs = ianus_member_list[member];
}

/**
 * ssdqos_ianus_sysfs_init - make the lists of files from the tables
 *
 * Context: module init, once.
 */
void __init ssdqos_ianus_sysfs_init(void)
{
	u32 i;

	for (i = 0; i < SSDQOS_MIRROR_NR_PARAMS; i++)
		ianus_param_init(i);
	for (i = 0; i < IANUS_NR_STATS; i++)
		ianus_stat_list[i] = ianus_file_init(&ianus_stat_files[i],
						     ianus_stat_names[i],
						     ianus_stat_show, i);
	for (i = 0; i < IANUS_NR_GAUGES; i++)
		ianus_gauge_list[i] = ianus_file_init(&ianus_gauge_files[i],
						      ianus_gauge_names[i],
						      ianus_gauge_show, i);
	for (i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++)
		ianus_member_init(i);
}

static void ianus_sysfs_drop(struct ssdqos_dir *dir)
{
	ssdqos_dir_drop(dir);
	kfree(dir);
}

static int ianus_sysfs_register(struct ssdqos_dir *dir, const struct ianus *x)
{
	int r = ssdqos_dir_add(dir, dm_table_get_md(x->ti->table),
			       x->ti->begin);
	u32 i;

	for (i = 0; i < x->nr && !r; i++)
		r = sysfs_create_group(&dir->kobj, &ianus_member_groups[i]);
	return r;
}

static struct ssdqos_dir *ianus_sysfs_make(struct ianus *x)
{
	struct ssdqos_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);

	if (!dir)
		return NULL;
	ssdqos_dir_init(dir, x, &ianus_kobj_type);
	if (!ianus_sysfs_register(dir, x))
		return dir;
	ianus_sysfs_drop(dir);
	return NULL;
}

/**
 * ianus_sysfs_add - show a mirror in sysfs
 * @x: the mirror; its device is being resumed
 *
 * A mirror works without its files: failure is only reported.  Context: may
 * sleep, and does no I/O for want of memory, since the device is suspended.
 */
void ianus_sysfs_add(struct ianus *x)
{
	dev_t dev = ianus_dev(x);
	unsigned int noio;

	if (x->sysfs)
		return;
	noio = memalloc_noio_save();
	x->sysfs = ianus_sysfs_make(x);
	memalloc_noio_restore(noio);
	if (!x->sysfs)
		DMWARN("can't make the sysfs files of %u:%u", MAJOR(dev),
		       MINOR(dev));
}

/**
 * ianus_sysfs_remove - take a mirror out of sysfs
 * @x: the mirror
 *
 * Context: sleeps until nobody uses the files.
 */
void ianus_sysfs_remove(struct ianus *x)
{
	if (x->sysfs)
		ianus_sysfs_drop(x->sysfs);
	x->sysfs = NULL;
}
