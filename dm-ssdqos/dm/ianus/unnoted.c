// SPDX-License-Identifier: GPL-2.0
/*
 * unnoted.c - what a mirror knows and could not note before another table took over
 *
 * A suspend gives up on metadata that can't be written (ianus_drain()).  They don't say
 * then what members lack that have failed.  A resume goes on with the mirror that knows,
 * but a new table reads metadata of before, and would take a member for whole that is not.
 *
 * So a mirror that could not note all stays in a list until it can, or goes.  Who begins
 * on the same mapped device with the same metadata device takes that over, and all is
 * copied to those members.  dm destroys the old table after the new one was resumed, so
 * the old mirror is there then.
 *
 * It ends with the mapped device: another machine may have used the disks when it is
 * made anew, and know better.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "ianus.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

static DEFINE_MUTEX(unnoted_lock);
static LIST_HEAD(unnoted_list);

static bool unnoted_is_of(const struct ianus *old, const struct ianus *x)
{
	return old != x &&
	       dm_table_get_md(old->ti->table) == dm_table_get_md(x->ti->table) &&
	       old->meta.dev->bdev->bd_dev == x->meta.dev->bdev->bd_dev;
}

/**
 * ianus_unnoted_begin - what did the one before know, that the metadata don't?
 * @x: the mirror; its metadata were not read yet
 *
 * Context: may sleep.
 */
void ianus_unnoted_begin(struct ianus *x)
{
	struct ianus *old;

	mutex_lock(&unnoted_lock);
	list_for_each_entry(old, &unnoted_list, unnoted.list) {
		if (!unnoted_is_of(old, x))
			continue;
		x->unnoted.lacking = old->unnoted.lacking;
		x->unnoted.same = old->unnoted.same;
		memcpy(x->unnoted.uuid, old->unnoted.uuid,
		       sizeof(x->unnoted.uuid));
		/* should this one not be able to begin, the next one has to know */
		list_move(&x->unnoted.list, &unnoted_list);
		break;
	}
	mutex_unlock(&unnoted_lock);
}

/**
 * ianus_unnoted_tell - add what the one before knew
 * @x: the mirror; its metadata were read
 * @known: what they say, grows
 *
 * Context: any.
 */
void ianus_unnoted_tell(struct ianus *x, struct ssdqos_mirror_known *known)
{
	/* a blank metadata device makes another mirror of it */
	if (!x->unnoted.lacking ||
	    memcmp(x->unnoted.uuid, x->meta.super.uuid, sizeof(x->unnoted.uuid)))
		return;
	known->rebuild |= x->unnoted.lacking;
	known->masks_old = x->unnoted.same;
	DMERR("the metadata don't say what members lack that had failed: all is copied to them");
}

/**
 * ianus_unnoted_keep - the metadata don't say who lacks what
 * @x: the mirror, at rest
 *
 * Context: may sleep.
 */
void ianus_unnoted_keep(struct ianus *x)
{
	mutex_lock(&unnoted_lock);
	x->unnoted.lacking = ssdqos_mirror_behind(&x->mirror);
	x->unnoted.same = ssdqos_mirror_lacks_metadata(&x->mirror);
	memcpy(x->unnoted.uuid, x->meta.super.uuid, sizeof(x->unnoted.uuid));
	list_move(&x->unnoted.list, &unnoted_list);
	mutex_unlock(&unnoted_lock);
}

/**
 * ianus_unnoted_forget - the metadata say all there is, or the mirror goes
 * @x: the mirror
 *
 * Context: may sleep.
 */
void ianus_unnoted_forget(struct ianus *x)
{
	mutex_lock(&unnoted_lock);
	list_del_init(&x->unnoted.list);
	mutex_unlock(&unnoted_lock);
}
