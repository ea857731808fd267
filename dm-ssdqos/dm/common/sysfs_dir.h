/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs_dir.h - a directory in sysfs whose files come from tables
 */
#ifndef SSDQOS_SYSFS_DIR_H
#define SSDQOS_SYSFS_DIR_H

#include <linux/completion.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>

struct mapped_device;

/**
 * struct ssdqos_dir - a directory
 * @kobj: the directory
 * @owner: whose it is; its files get it
 * @released: nobody uses @kobj any more
 */
struct ssdqos_dir {
	struct kobject kobj;
	void *owner;
	struct completion released;
};

/**
 * struct ssdqos_file - a file of text in it
 * @attr: name and mode
 * @show: prints it into a page
 * @store: takes what was written, without blanks around it; NULL if nothing may
 *	be; returns 0 or a negative error
 * @index: the row of its table
 */
struct ssdqos_file {
	struct attribute attr;
	ssize_t (*show)(void *owner, u32 index, char *buf);
	int (*store)(void *owner, u32 index, char *text);
	u32 index;
};

/* What the kobj_type of a directory has besides its groups. */
extern const struct sysfs_ops ssdqos_dir_ops;
void ssdqos_dir_release(struct kobject *kobj);

void ssdqos_dir_init(struct ssdqos_dir *dir, void *owner,
		     struct kobj_type *type);
int ssdqos_dir_add(struct ssdqos_dir *dir, struct mapped_device *md, u64 begin);
void ssdqos_dir_drop(struct ssdqos_dir *dir);
void *ssdqos_dir_owner(struct kobject *kobj);

#endif /* SSDQOS_SYSFS_DIR_H */
