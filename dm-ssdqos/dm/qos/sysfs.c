// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs.c - /sys/block/dm-N/ssdqos/ of a stream
 *
 *	params/NAME	a file for each row of the parameter table
 *	stats/NAME	a file for each row of the counter table
 *	NAME		a file for each row of the lifetime's gauges
 *	drive, latency, status	text
 *	life_state	binary, of life.c
 *
 * Counters and gauges are for all to read, as /sys/block/DISK/stat is; how long
 * single requests take is not: one tenant could watch another one's work.
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
#include "drive.h"
#include "print.h"
#include "sysfs.h"

#define DM_MSG_PREFIX "ssdqos"

/* Those of the scheduler, one for what passed without it, the lifetime's, those
 * of the drive's discards.
 */
#define QOS_STAT_DIRECT SSDQOS_EDF_NR_STATS
#define QOS_STAT_READY (QOS_STAT_DIRECT + 1)
#define QOS_STAT_TRIM (QOS_STAT_READY + SSDQOS_READY_NR_STATS)
#define QOS_NR_STATS (QOS_STAT_TRIM + SSDQOS_NR_TRIM_STATS)
static_assert(sizeof(struct qos_stats) == QOS_NR_STATS * sizeof(u64));

static ssize_t qos_param_show(void *owner, u32 index, char *buf)
{
	struct ssdqos_qos_config cfg;
	int len;

	qos_rules_config(owner, &cfg);
	len = ssdqos_param_format(&ssdqos_qos_params[index],
				  *ssdqos_qos_config_value(&cfg, index),
				  buf, PAGE_SIZE);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static int qos_param_store(void *owner, u32 index, char *text)
{
	char err[QOS_ERR_BYTES];
	char *argv[2];
	int r;

	/* as for messages: who is root in a container need not have that */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	argv[0] = (char *)ssdqos_qos_params[index].name;
	argv[1] = text;
	r = qos_rules_set(owner, ARRAY_SIZE(argv), argv, err);
	if (r)
		DMERR("%s", err);
	return r;
}

static const char *qos_stat_name(u32 index)
{
	if (index >= QOS_STAT_TRIM)
		return ssdqos_trim_stat_names[index - QOS_STAT_TRIM];
	if (index >= QOS_STAT_READY)
		return ssdqos_ready_stat_names[index - QOS_STAT_READY];
	return index == QOS_STAT_DIRECT ? "dispatched_direct" :
					  ssdqos_edf_stat_names[index];
}

static ssize_t qos_stat_show(void *owner, u32 index, char *buf)
{
	struct qos_stats stats;

	qos_rules_stats(owner, &stats);
	return scnprintf(buf, PAGE_SIZE, "%llu\n", ((u64 *)&stats)[index]);
}

static ssize_t qos_gauge_show(void *owner, u32 index, char *buf)
{
	struct ssdqos_ready_gauges gauges;
	struct qos_stream *st = owner;

	qos_ready_gauges(st->drive, &gauges);
	if (index == SSDQOS_READY_GAUGE_life_delay_why)
		return scnprintf(buf, PAGE_SIZE, "%s\n",
				 ssdqos_ready_why_names[gauges.life_delay_why]);
	return scnprintf(buf, PAGE_SIZE, "%lld\n", ((s64 *)&gauges)[index]);
}

static ssize_t qos_drive_show(void *owner, u32 index, char *buf)
{
	struct qos_stream *st = owner;
	int len = qos_drive_print_name(st->drive, buf, PAGE_SIZE);

	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static ssize_t qos_latency_show(void *owner, u32 index, char *buf)
{
	return qos_print_latency(owner, buf, PAGE_SIZE);
}

static ssize_t qos_status_show(void *owner, u32 index, char *buf)
{
	int len = qos_print_status(owner, buf, PAGE_SIZE);

	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static struct ssdqos_file qos_param_files[SSDQOS_QOS_NR_PARAMS];
static struct attribute *qos_param_list[SSDQOS_QOS_NR_PARAMS + 1];
static struct ssdqos_file qos_stat_files[QOS_NR_STATS];
static struct attribute *qos_stat_list[QOS_NR_STATS + 1];

static struct ssdqos_file qos_gauge_files[SSDQOS_READY_NR_GAUGES];
static struct attribute *qos_gauge_list[SSDQOS_READY_NR_GAUGES + 1];

static struct ssdqos_file qos_text_files[] = {
	{ .attr = { "drive", 0444 }, .show = qos_drive_show },
	{ .attr = { "latency", 0440 }, .show = qos_latency_show },
	{ .attr = { "status", 0440 }, .show = qos_status_show },
};

static struct attribute *qos_text_list[ARRAY_SIZE(qos_text_files) + 1];

static const struct attribute_group qos_text_group = {
	.attrs = qos_text_list,
};

static const struct attribute_group qos_gauge_group = {
	.attrs = qos_gauge_list,
};

static const struct attribute_group qos_param_group = {
	.name = "params",
	.attrs = qos_param_list,
};

static const struct attribute_group qos_stat_group = {
	.name = "stats",
	.attrs = qos_stat_list,
};

static const struct attribute_group *qos_groups[] = {
	&qos_text_group,
	&qos_gauge_group,
	&qos_param_group,
	&qos_stat_group,
	NULL,
};

static struct kobj_type qos_kobj_type = {
	.sysfs_ops = &ssdqos_dir_ops,
	.default_groups = qos_groups,
	.release = ssdqos_dir_release,
};

/**
 * ssdqos_qos_sysfs_init - make the lists of files from the tables
 *
 * Context: module init, once.
 */
void __init ssdqos_qos_sysfs_init(void)
{
	u32 i;

	for (i = 0; i < SSDQOS_QOS_NR_PARAMS; i++) {
		qos_param_files[i] = (struct ssdqos_file) {
			.attr = {
				.name = ssdqos_qos_params[i].name,
				.mode = 0644,
			},
			.show = qos_param_show,
			.store = qos_param_store,
			.index = i,
		};
		qos_param_list[i] = &qos_param_files[i].attr;
	}
	for (i = 0; i < QOS_NR_STATS; i++) {
		qos_stat_files[i] = (struct ssdqos_file) {
			.attr = {
				.name = qos_stat_name(i),
				.mode = 0444,
			},
			.show = qos_stat_show,
			.index = i,
		};
		qos_stat_list[i] = &qos_stat_files[i].attr;
	}
	for (i = 0; i < SSDQOS_READY_NR_GAUGES; i++) {
		qos_gauge_files[i] = (struct ssdqos_file) {
			.attr = {
				.name = ssdqos_ready_gauge_names[i],
				.mode = 0444,
			},
			.show = qos_gauge_show,
			.index = i,
		};
		qos_gauge_list[i] = &qos_gauge_files[i].attr;
	}
	for (i = 0; i < ARRAY_SIZE(qos_text_files); i++)
		qos_text_list[i] = &qos_text_files[i].attr;
}

static void qos_sysfs_drop(struct ssdqos_dir *dir)
{
	ssdqos_dir_drop(dir);
	kfree(dir);
}

static struct ssdqos_dir *qos_sysfs_make(struct qos_stream *st)
{
	struct ssdqos_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);

	if (!dir)
		return NULL;
	ssdqos_dir_init(dir, st, &qos_kobj_type);
	if (!ssdqos_dir_add(dir, st->md, st->begin) &&
	    !qos_life_add_file(&dir->kobj))
		return dir;
	qos_sysfs_drop(dir);
	return NULL;
}

/**
 * qos_sysfs_add - show a stream in sysfs
 * @st: the stream; its device is being resumed
 *
 * A stream works without its files: failure is only reported.  Context: may
 * sleep, and does no I/O for want of memory, since the device is suspended.
 */
void qos_sysfs_add(struct qos_stream *st)
{
	unsigned int noio;

	if (st->sysfs)
		return;
	noio = memalloc_noio_save();
	st->sysfs = qos_sysfs_make(st);
	memalloc_noio_restore(noio);
	if (!st->sysfs)
		DMWARN("can't make the sysfs files of %u:%u", MAJOR(st->dev),
		       MINOR(st->dev));
}

/**
 * qos_sysfs_remove - take a stream out of sysfs
 * @st: the stream
 *
 * Context: sleeps until nobody uses the files.
 */
void qos_sysfs_remove(struct qos_stream *st)
{
	if (st->sysfs)
		qos_sysfs_drop(st->sysfs);
	st->sysfs = NULL;
}
