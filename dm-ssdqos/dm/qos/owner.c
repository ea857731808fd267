// SPDX-License-Identifier: GPL-2.0
/*
 * owner.c - drive_locked: by whom alone a drive may be changed
 */
#include "drive.h"

/**
 * qos_owner_may_change - is the drive free, or this stream's?
 * @st: the stream by which somebody wants to change it
 * @what: what shall be changed
 * @err: QOS_ERR_BYTES for one sentence if not
 *
 * Context: @mutex is held.
 * Return: 0 or -EPERM.
 */
int qos_owner_may_change(const struct qos_stream *st, const char *what,
			 char *err)
{
	const struct qos_stream *owner = st->drive->owner;

	lockdep_assert_held(&st->drive->mutex);
	if (!owner || owner == st)
		return 0;
	scnprintf(err, QOS_ERR_BYTES,
		  "%s: the drive is changed only through %u:%u, which has set drive_locked",
		  what, MAJOR(owner->dev), MINOR(owner->dev));
	return -EPERM;
}

/**
 * qos_owner_set - the one that has set drive_locked, until it takes it back
 * @st: the stream by which the drive was changed
 *
 * Context: @mutex is held.
 */
void qos_owner_set(struct qos_stream *st)
{
	struct qos_drive *d = st->drive;

	lockdep_assert_held(&d->mutex);
	if (!d->edf.reads->cfg.drive_locked)
		d->owner = NULL;
	else if (!d->owner)
		d->owner = st;
}

/**
 * qos_owner_leave - a stream goes: the drive is not locked by it any more
 * @st: the stream
 *
 * Context: the drive's lock and its mutex are held.
 */
void qos_owner_leave(struct qos_stream *st)
{
	struct qos_drive *d = st->drive;

	lockdep_assert_held(&d->mutex);
	if (d->owner != st)
		return;
	d->owner = NULL;
	d->edf.reads->cfg.drive_locked = false;
	ssdqos_apart_writes(&d->edf)->cfg.drive_locked = false;
}
