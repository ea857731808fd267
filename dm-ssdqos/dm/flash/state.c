// SPDX-License-Identifier: GPL-2.0
/*
 * state.c - a drive's state: made, kept and taken over as a whole
 *
 * These are long operations: they hold new requests back, wait until the model
 * is idle, and then own it.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "dm/common/noio.h"
#include "drive.h"
#include "run.h"

/**
 * flash_drive_age - put the drive into steady state
 * @d: the drive
 * @fill_pct: part of the capacity that holds data
 * @seed: of the placement
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Context: sleeps.
 * Return: 0 or a negative error.
 */
int flash_drive_age(struct flash_drive *d, u32 fill_pct, u64 seed, char *err)
{
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
	int r;

	r = flash_run_hold(d, err);
	if (!r) {
		r = ssdqos_flash_age(d->model, fill_pct, seed, err,
				     FLASH_ERR_BYTES);
		flash_run_release(d);
	}
	ssdqos_noio_unlock(&d->mutex, noio);
	return r;
}

/* Without memory, what was saved stays. */
static int flash_drive_state_room(struct flash_drive *d, u64 bytes)
{
	void *state;

	if (d->state_bytes >= bytes)
		return 0;
	/* see ssdqos_env_alloc() */
	state = bytes > INT_MAX ? vmalloc(bytes) : kvmalloc(bytes, GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	kvfree(d->state);
	d->state = state;
	d->state_used = 0;
	d->state_bytes = bytes;
	return 0;
}

/**
 * flash_drive_save - keep the drive's state, for sysfs to read
 * @d: the drive
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Context: sleeps.
 * Return: 0 or a negative error.
 */
int flash_drive_save(struct flash_drive *d, char *err)
{
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
	int r;

	r = flash_run_hold(d, err);
	if (r)
		goto out_unlock;
	r = flash_drive_state_room(d, ssdqos_flash_state_bytes(d->model));
	if (r) {
		scnprintf(err, FLASH_ERR_BYTES, "save: no memory for %llu bytes",
			  ssdqos_flash_state_bytes(d->model));
	} else {
		r = ssdqos_flash_save(d->model, d->state, d->state_bytes);
		d->state_used = ssdqos_flash_state_bytes(d->model);
	}
	flash_run_release(d);
out_unlock:
	ssdqos_noio_unlock(&d->mutex, noio);
	return r;
}

/**
 * flash_drive_load - take over the state that was saved or uploaded last
 * @d: the drive
 * @err: FLASH_ERR_BYTES for one sentence on failure
 *
 * Context: sleeps.
 * Return: 0 or a negative error.
 */
int flash_drive_load(struct flash_drive *d, char *err)
{
	unsigned int noio = ssdqos_noio_lock(&d->mutex);
	int r;

	if (!d->state_used) {
		scnprintf(err, FLASH_ERR_BYTES,
			  "load: there is no state; save one or write one to sysfs first");
		r = -ENODATA;
		goto out_unlock;
	}
	r = flash_run_hold(d, err);
	if (!r) {
		r = ssdqos_flash_load(d->model, d->state, d->state_used, err,
				      FLASH_ERR_BYTES);
		flash_run_release(d);
	}
out_unlock:
	ssdqos_noio_unlock(&d->mutex, noio);
	return r;
}

/**
 * flash_drive_upload - write a part of a state into the buffer
 * @d: the drive
 * @buf: the bytes
 * @offset: where they go; 0 begins a new state
 * @bytes: their number
 *
 * Context: sleeps.
 * Return: 0, -EFBIG beyond the largest state of this drive, -ENOMEM.
 */
int flash_drive_upload(struct flash_drive *d, const char *buf, u64 offset,
		       u64 bytes)
{
	u64 most = ssdqos_flash_state_bytes_max(d->model);
	unsigned int noio;
	int r;

	if (offset > most || bytes > most - offset)
		return -EFBIG;
	noio = ssdqos_noio_lock(&d->mutex);
	r = flash_drive_state_room(d, most);
	if (!r && !offset)
		d->state_used = 0;
	if (!r && offset > d->state_used)
		r = -EINVAL;	/* a hole */
	if (!r) {
		memcpy(d->state + offset, buf, bytes);
		d->state_used = max(d->state_used, offset + bytes);
	}
	ssdqos_noio_unlock(&d->mutex, noio);
	return r;
}
