// SPDX-License-Identifier: GPL-2.0
/*
 * below.c - which devices lie below a device, at any depth
 *
 * dm core shows nobody the table of another device, and holders of devices are
 * known only to the block layer.  Both tell sysfs: dm, md and bcache have a link
 * in /sys/dev/block/M:N/slaves for each device that they use, those of a table
 * that is not live yet included.  A partition lies on its disk, and a loop
 * device on the device of the file system that has its file.
 *
 * sysfs is mounted for as long as that takes: who loads a table may see another
 * one, or none.
 */
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "below.h"

/* An array of so many disks is larger than any; who has more is told so. */
#define BELOW_MAX_DEVS 1024u
/* The name of a disk or a partition in sysfs, with its end. */
#define BELOW_NAME_BYTES 64
/* That in a path to one of its attributes. */
#define BELOW_PATH_BYTES 128
/* Two numbers, a colon, and the ends of line and text. */
#define BELOW_DEV_BYTES 24

/**
 * struct below_walk - devices that were found
 * @root: of sysfs
 * @nr: how many
 * @devs: their numbers, no one twice; the first one is the top
 * @text: for the path of a loop device's file
 */
struct below_walk {
	struct path root;
	u32 nr;
	dev_t devs[BELOW_MAX_DEVS];
	char text[PATH_MAX];
};

static int below_add(struct below_walk *w, dev_t dev)
{
	u32 i;

	for (i = 0; i < w->nr; i++)
		if (w->devs[i] == dev)
			return 0;
	if (w->nr == BELOW_MAX_DEVS)
		return -E2BIG;
	w->devs[w->nr++] = dev;
	return 0;
}

/* ---- files of sysfs ---- */

static struct file *below_open(struct below_walk *w, dev_t dev,
			       const char *name, int flags)
{
	char path[BELOW_PATH_BYTES];

	snprintf(path, sizeof(path), "dev/block/%u:%u/%s", MAJOR(dev),
		 MINOR(dev), name);
	return file_open_root(&w->root, path, O_RDONLY | flags, 0);
}

/* A file of one line.  Return: its length; 0 if there is none, as of a device
 * that has just gone.
 */
static ssize_t below_read(struct below_walk *w, dev_t dev, const char *name,
			  char *buf, size_t size)
{
	struct file *file = below_open(w, dev, name, 0);
	loff_t pos = 0;
	ssize_t n;

	if (IS_ERR(file))
		return PTR_ERR(file) == -ENOENT ? 0 : PTR_ERR(file);
	n = kernel_read(file, buf, size - 1, &pos);
	fput(file);
	if (n == -ENODEV || n == -ENXIO)
		return 0;
	if (n < 0)
		return n;
	buf[n] = '\0';
	return strcspn(strim(buf), "\n");
}

static int below_add_file(struct below_walk *w, dev_t dev, const char *name)
{
	char text[BELOW_DEV_BYTES];
	ssize_t n = below_read(w, dev, name, text, sizeof(text));
	unsigned int major, minor;

	if (n <= 0)
		return n;
	if (sscanf(text, "%u:%u", &major, &minor) != 2)
		return -EINVAL;
	return below_add(w, MKDEV(major, minor));
}

/* ---- what lies directly below ---- */

/**
 * struct below_name - the next name of a directory
 * @ctx: for the file system
 * @name: it, or ""
 */
struct below_name {
	struct dir_context ctx;
	char name[BELOW_NAME_BYTES];
};

/* Takes one: to look at it, the directory must not be locked. */
static bool below_take_name(struct dir_context *ctx, const char *name, int len,
			    loff_t offset, u64 ino, unsigned int type)
{
	struct below_name *to = container_of(ctx, struct below_name, ctx);

	if (*name == '.')
		return true;
	if (*to->name || len >= BELOW_NAME_BYTES)
		return false;
	memcpy(to->name, name, len);
	to->name[len] = '\0';
	return true;
}

static int below_add_slave(struct below_walk *w, dev_t dev, const char *name)
{
	char path[BELOW_PATH_BYTES];

	snprintf(path, sizeof(path), "slaves/%s/dev", name);
	return below_add_file(w, dev, path);
}

static int below_slaves(struct below_walk *w, dev_t dev)
{
	struct file *dir = below_open(w, dev, "slaves", O_DIRECTORY);
	struct below_name next;
	int r;

	if (IS_ERR(dir))
		return PTR_ERR(dir) == -ENOENT ? 0 : PTR_ERR(dir);
	do {
		next = (struct below_name){ .ctx.actor = below_take_name };
		r = iterate_dir(dir, &next.ctx);
		if (!r && *next.name)
			r = below_add_slave(w, dev, next.name);
	} while (!r && *next.name);
	fput(dir);
	return r;
}

static int below_partition(struct below_walk *w, dev_t dev)
{
	char number[BELOW_DEV_BYTES];
	ssize_t n = below_read(w, dev, "partition", number, sizeof(number));

	return n > 0 ? below_add_file(w, dev, "../dev") : n;
}

/* A file that can't be found by its name any more is not followed. */
static int below_loop(struct below_walk *w, dev_t dev)
{
	ssize_t n = below_read(w, dev, "loop/backing_file", w->text,
			       sizeof(w->text));
	struct inode *inode;
	struct path path;
	int r = 0;

	if (n <= 0)
		return n;
	if (kern_path(w->text, LOOKUP_FOLLOW, &path))
		return 0;
	inode = d_backing_inode(path.dentry);
	if (S_ISBLK(inode->i_mode))
		r = below_add(w, inode->i_rdev);
	else if (inode->i_sb->s_bdev)
		r = below_add(w, inode->i_sb->s_bdev->bd_dev);
	path_put(&path);
	return r;
}

static int below_look(struct below_walk *w, dev_t dev)
{
	int r = below_slaves(w, dev);

	if (!r)
		r = below_partition(w, dev);
	if (!r)
		r = below_loop(w, dev);
	return r;
}

/* ---- the walk ---- */

static int below_walk(struct below_walk *w, dev_t top, qos_below_fn is,
		      void *arg)
{
	u32 i;
	int r;

	r = below_add(w, top);
	for (i = 0; i < w->nr && !r; i++)
		r = i && is(w->devs[i], arg) ? 1 : below_look(w, w->devs[i]);
	return r;
}

/**
 * qos_below_find - look for a device below another one
 * @top: number of that one, which is not looked at itself
 * @is: asked about each device below, at any depth, until it says yes
 * @arg: for @is
 *
 * Whoever asks under a lock of its own would have all wait that come to it, for
 * as long as a file system takes to find a loop device's file.
 * Context: process; sleeps.
 * Return: 1 if @is said yes, 0 if not, a negative error if nobody can tell.
 */
int qos_below_find(dev_t top, qos_below_fn is, void *arg)
{
	struct file_system_type *sysfs = get_fs_type("sysfs");
	struct below_walk *w;
	struct vfsmount *mnt;
	int r;

	if (!sysfs)
		return -ENODEV;
	mnt = kern_mount(sysfs);
	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	w = kvmalloc(sizeof(*w), GFP_KERNEL);
	if (w) {
		w->root = (struct path){ .mnt = mnt, .dentry = mnt->mnt_root };
		w->nr = 0;
		r = below_walk(w, top, is, arg);
	} else {
		r = -ENOMEM;
	}
	kvfree(w);
	kern_unmount(mnt);
	return r;
}
