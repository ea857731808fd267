// SPDX-License-Identifier: GPL-2.0
/*
 * drive.c - drives come and go, and are found
 */
#include <linux/device-mapper.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "drive.h"
#include "look.h"
#include "run.h"

/* The mutex is for who makes a drive, for as long as that takes; the lock, inside
 * it, for who looks for one.
 */
static LIST_HEAD(flash_drives);
static DEFINE_MUTEX(flash_drives_mutex);
static DEFINE_SPINLOCK(flash_drives_lock);

static bool flash_drive_matches(const struct flash_drive *d,
				struct mapped_device *md, u64 begin,
				u64 nr_sectors,
				const struct ssdqos_flash_config *cfg)
{
	return d->md == md && d->begin == begin &&
	       d->nr_sectors == nr_sectors &&
	       ssdqos_flash_config_same_drive(&d->created, cfg);
}

static void flash_drive_free(struct flash_drive *d)
{
	flash_run_stop(d);
	ssdqos_flash_destroy(d->model);
	kvfree(d->state);
	kvfree(d->latency);
	kfree(d);
}

static struct flash_drive *flash_drive_create(u64 nr_sectors,
					      const struct ssdqos_flash_config *cfg,
					      char *err)
{
	struct flash_drive *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		goto no_memory;
	kref_init(&d->ref);
	flash_run_init(d);
	d->latency = kvmalloc(sizeof(*d->latency), GFP_KERNEL);
	if (!d->latency)
		goto no_memory;
	flash_look_clear_latency(d);
	d->model = ssdqos_flash_create(cfg, nr_sectors, err, FLASH_ERR_BYTES);
	if (!d->model)
		goto failed;
	d->created = *cfg;
	d->nr_sectors = nr_sectors;
	d->epoch_ns = ktime_get_ns();
	return d;

no_memory:
	scnprintf(err, FLASH_ERR_BYTES, "no memory for a drive");
failed:
	if (d)
		flash_drive_free(d);
	return NULL;
}

/**
 * flash_drive_get - the drive of a table segment
 * @md: mapped device
 * @begin: first sector of the segment
 * @nr_sectors: its length
 * @cfg: parameters of the table line
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Return: with a reference, the drive that the segment has now, if the line
 * describes the same one; else a new drive; NULL on failure.
 */
struct flash_drive *flash_drive_get(struct mapped_device *md, u64 begin,
				    u64 nr_sectors,
				    const struct ssdqos_flash_config *cfg,
				    char *err)
{
	struct flash_drive *d;

	mutex_lock(&flash_drives_mutex);
	list_for_each_entry(d, &flash_drives, list)
		if (flash_drive_matches(d, md, begin, nr_sectors, cfg)) {
			kref_get(&d->ref);
			goto out_unlock;
		}
	d = flash_drive_create(nr_sectors, cfg, err);
	if (d) {
		d->md = md;
		d->begin = begin;
		d->dev = disk_devt(dm_disk(md));
		spin_lock(&flash_drives_lock);
		list_add(&d->list, &flash_drives);
		spin_unlock(&flash_drives_lock);
	}
out_unlock:
	mutex_unlock(&flash_drives_mutex);
	return d;
}

static void flash_drive_last_put(struct kref *ref)
{
	struct flash_drive *d = container_of(ref, struct flash_drive, ref);

	spin_lock(&flash_drives_lock);
	list_del(&d->list);
	spin_unlock(&flash_drives_lock);
	mutex_unlock(&flash_drives_mutex);	/* kref_put_mutex() took it */
	flash_drive_free(d);
}

/**
 * flash_drive_put - give a reference back
 * @d: the drive; no request of the caller's target is in it
 *
 * Context: sleeps.
 */
void flash_drive_put(struct flash_drive *d)
{
	kref_put_mutex(&d->ref, flash_drive_last_put, &flash_drives_mutex);
}

/**
 * flash_drive_wear - what the flash of a mapped device has gone through
 * @dev: number of a device
 * @wear: gets the sum over its segments
 *
 * Does not wait for drives that are being made, so that a suspended device may
 * ask.  Context: process.
 * Return: 0, or -ENOENT if it is none of ours.
 */
int flash_drive_wear(dev_t dev, struct flash_wear *wear)
{
	struct flash_drive *d;
	unsigned long flags;
	int r = -ENOENT;

	*wear = (struct flash_wear){ };
	spin_lock(&flash_drives_lock);
	list_for_each_entry(d, &flash_drives, list) {
		if (d->dev != dev)
			continue;
		spin_lock_irqsave(&d->lock, flags);
		flash_look_add_wear(d, wear);
		spin_unlock_irqrestore(&d->lock, flags);
		r = 0;
	}
	spin_unlock(&flash_drives_lock);
	return r;
}
