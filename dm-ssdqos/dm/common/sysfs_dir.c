// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs_dir.c - a directory in sysfs whose files come from tables
 *
 * Both targets show what they have at /sys/block/dm-N/ssdqos/.  Which files
 * stand there is theirs (dm/flash/sysfs.c, dm/qos/sysfs.c); here is how a directory
 * comes and goes, and how a file finds its owner and its row.  Somebody may
 * hold a directory longer than its owner lives: whoever drops it waits until
 * the last user is gone, and can free all of it then.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sysfs_dir.h"

static struct ssdqos_dir *dir_of(struct kobject *kobj)
{
	return container_of(kobj, struct ssdqos_dir, kobj);
}

static ssize_t dir_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct ssdqos_file *file = container_of(attr, struct ssdqos_file, attr);

	return file->show(dir_of(kobj)->owner, file->index, buf);
}

static ssize_t dir_store(struct kobject *kobj, struct attribute *attr,
			 const char *buf, size_t count)
{
	struct ssdqos_file *file = container_of(attr, struct ssdqos_file, attr);
	char *text;
	int r;

	if (!file->store)
		return -EPERM;
	/* Without I/O: a device that is being suspended waits until its files
	 * are unused, and what is written to it waits until it is resumed.
	 */
	text = kstrndup(buf, count, GFP_NOIO);
	if (!text)
		return -ENOMEM;
	r = file->store(dir_of(kobj)->owner, file->index, strim(text));
	kfree(text);
	return r ? r : count;
}

const struct sysfs_ops ssdqos_dir_ops = {
	.show = dir_show,
	.store = dir_store,
};

/**
 * ssdqos_dir_release - .release of a directory's kobj_type
 * @kobj: its kobject
 */
void ssdqos_dir_release(struct kobject *kobj)
{
	complete(&dir_of(kobj)->released);
}

/**
 * ssdqos_dir_init - prepare a directory; it is not seen yet
 * @dir: the directory; from now on only ssdqos_dir_drop() ends it
 * @owner: whose it is
 * @type: its files: has ssdqos_dir_ops and ssdqos_dir_release(), and the
 *	attributes of its groups are those of a struct ssdqos_file
 */
void ssdqos_dir_init(struct ssdqos_dir *dir, void *owner,
		     struct kobj_type *type)
{
	dir->owner = owner;
	init_completion(&dir->released);
	kobject_init(&dir->kobj, type);
}

/**
 * ssdqos_dir_add - show a directory under a mapped device
 * @dir: the directory
 * @md: the device
 * @begin: first sector of the segment; part of the name if it isn't 0
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ssdqos_dir_add(struct ssdqos_dir *dir, struct mapped_device *md, u64 begin)
{
	struct kobject *parent = &disk_to_dev(dm_disk(md))->kobj;

	if (begin)
		return kobject_add(&dir->kobj, parent, "ssdqos-%llu", begin);
	return kobject_add(&dir->kobj, parent, "ssdqos");
}

/**
 * ssdqos_dir_drop - take a directory away
 * @dir: the directory; it may be freed afterwards
 *
 * Context: sleeps until nobody uses its files.
 */
void ssdqos_dir_drop(struct ssdqos_dir *dir)
{
	kobject_put(&dir->kobj);
	wait_for_completion(&dir->released);
}

/**
 * ssdqos_dir_owner - whose directory it is
 * @kobj: the directory's kobject
 *
 * For files that are not of text.
 *
 * Return: what ssdqos_dir_init() got.
 */
void *ssdqos_dir_owner(struct kobject *kobj)
{
	return dir_of(kobj)->owner;
}
