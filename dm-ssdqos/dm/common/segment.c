// SPDX-License-Identifier: GPL-2.0
/*
 * segment.c - what the table lines of both targets have in common
 *
 *	<dev> <offset> [<#args> [<key> <value>]...]
 *
 * What a key means is the target's.  Errors are printed under the name of the
 * target that the line is for, hence without DMERR(), whose prefix belongs to
 * the file.
 */
#include <linux/device-mapper.h>
#include <linux/kernel.h>

#include "segment.h"

#define SEGMENT_REQUIRED_ARGS 2

/**
 * ssdqos_segment_open - take "<dev> <offset>" from a table line
 * @seg: filled; ssdqos_segment_close() gives it back
 * @ti: target; its error is set on failure
 * @as: the line's words that are left
 *
 * Context: constructor.
 * Return: 0 or a negative error.
 */
int ssdqos_segment_open(struct ssdqos_segment *seg, struct dm_target *ti,
			struct dm_arg_set *as)
{
	unsigned long long sectors;
	const char *path, *offset;
	int r;

	if (as->argc < SEGMENT_REQUIRED_ARGS) {
		ti->error = "<dev> <offset> are required";
		return -EINVAL;
	}
	path = dm_shift_arg(as);
	offset = dm_shift_arg(as);
	if (kstrtoull(offset, 10, &sectors)) {
		pr_err(DM_NAME ": %s: offset: '%s' is not a number of sectors\n",
		       ti->type->name, offset);
		ti->error = "Invalid offset";
		return -EINVAL;
	}
	seg->offset = sectors;
	r = dm_get_device(ti, path, dm_table_get_mode(ti->table), &seg->dev);
	if (r) {
		pr_err(DM_NAME ": %s: dev: '%s' can't be opened (%d)\n",
		       ti->type->name, path, r);
		ti->error = "Invalid device";
	}
	return r;
}

/**
 * ssdqos_segment_close - let go of the device
 * @seg: the segment
 * @ti: its target
 *
 * Context: may sleep.
 */
void ssdqos_segment_close(struct ssdqos_segment *seg, struct dm_target *ti)
{
	dm_put_device(ti, seg->dev);
}

/**
 * ssdqos_segment_count_args - take "<#args>" from a table line
 * @ti: target; its error is set on failure
 * @as: the line's words that are left; keys and values remain
 * @max_keys: that the target has
 *
 * Context: constructor.
 * Return: number of words, an even one, or a negative error.
 */
int ssdqos_segment_count_args(struct dm_target *ti, struct dm_arg_set *as,
			      unsigned int max_keys)
{
	const struct dm_arg count = {
		0, 2 * max_keys,
		"#args: not an even number of keys and values in all",
	};
	unsigned int nr = 0;

	if (as->argc && dm_read_arg_group(&count, as, &nr, &ti->error))
		return -EINVAL;
	if (as->argc != nr || nr % 2) {
		ti->error = count.error;
		return -EINVAL;
	}
	return nr;
}

/**
 * ssdqos_segment_iterate_devices - .iterate_devices of a target
 * @ti: target; its private data begin with a struct ssdqos_segment
 * @fn: to be called for the device
 * @data: for @fn
 *
 * Return: what @fn returned.
 */
int ssdqos_segment_iterate_devices(struct dm_target *ti,
				   iterate_devices_callout_fn fn, void *data)
{
	struct ssdqos_segment *seg = ti->private;

	return fn(ti, seg->dev, seg->offset, ti->len, data);
}
