// SPDX-License-Identifier: GPL-2.0
/*
 * base.c - what all who deal with a drive need
 */
#include <linux/blkdev.h>

#include "dm/common/noio.h"
#include "drive.h"

/**
 * qos_drive_lock - keep a drive's rules and streams as they are
 * @d: the drive
 *
 * Context: may sleep.
 * Return: for qos_drive_unlock().
 */
unsigned int qos_drive_lock(struct qos_drive *d)
{
	return ssdqos_noio_lock(&d->mutex);
}

/**
 * qos_drive_unlock - the opposite
 * @d: the drive
 * @noio: what qos_drive_lock() returned
 */
void qos_drive_unlock(struct qos_drive *d, unsigned int noio)
{
	ssdqos_noio_unlock(&d->mutex, noio);
}

/**
 * qos_drive_print_name - which drive it is
 * @d: the drive
 * @buf: gets its name, or "major:minor"
 * @size: its size
 *
 * Return: number of characters.
 */
int qos_drive_print_name(const struct qos_drive *d, char *buf,
			 unsigned int size)
{
	if (d->whole)
		return scnprintf(buf, size, "%u:%u", MAJOR(d->whole->bd_dev),
				 MINOR(d->whole->bd_dev));
	return scnprintf(buf, size, "%s", d->name);
}

/**
 * qos_drive_start_looking - the drive is in use again
 * @d: the drive
 *
 * Context: the drive's lock is held.
 */
void qos_drive_start_looking(struct qos_drive *d)
{
	lockdep_assert_held(&d->lock);
	d->looking = true;
	schedule_delayed_work(&d->look, QOS_LOOK_EVERY);
}
