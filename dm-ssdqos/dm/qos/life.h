/* SPDX-License-Identifier: GPL-2.0 */
/*
 * life.h - where a drive's life comes from, and how it survives
 */
#ifndef SSDQOS_QOS_LIFE_H
#define SSDQOS_QOS_LIFE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct file;
struct kobject;
struct qos_drive;
struct qos_meta;

/**
 * struct qos_keep - what keeps a drive's life
 * @mutex: of what is shown and @state; outside the drive's mutex
 * @meta: the metadata device, or NULL; changes with the drive's mutex held
 * @work: once a period: asks the flash below, lets life go on, has it written
 * @below: number of the disk that the first stream is on
 * @is_flash: it is an ssdqos-flash drive of ours
 * @started: @host_base_bytes is known
 * @host_base_bytes: what the flash had from others when it was first asked
 * @foreign_bytes: what others have written to it since
 * @shown: states that are read from sysfs in pieces, the last one first
 * @state: one that is written to sysfs in pieces
 * @state_by: the file by which it is
 * @state_used: bytes in it
 * @state_error: why it was refused, or 0
 * @state_late: after the last piece: was it the last of all?
 */
struct qos_keep {
	struct mutex mutex;
	struct qos_meta *meta;
	struct delayed_work work;
	dev_t below;
	bool is_flash;
	bool started;
	u64 host_base_bytes;
	u64 foreign_bytes;
	struct list_head shown;
	u8 *state;
	const struct file *state_by;
	u32 state_used;
	int state_error;
	struct delayed_work state_late;
};

/* life.c */
/* The time of day in seconds since 1970, which goes on without power. */
static inline u64 qos_life_wall_s(void)
{
	return max_t(s64, ktime_get_real_seconds(), 0);
}

int qos_life_init(struct qos_drive *d, dev_t below);
void qos_life_identify(struct qos_drive *d);
void qos_life_stop(struct qos_drive *d);
void qos_life_begin(struct qos_drive *d);
void qos_life_save(struct qos_drive *d);
void qos_life_put_meta(struct qos_drive *d);
int qos_life_add_file(struct kobject *kobj);

#endif /* SSDQOS_QOS_LIFE_H */
