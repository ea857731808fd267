/* SPDX-License-Identifier: GPL-2.0 */
/*
 * segment.h - a segment of a table: where its data are
 */
#ifndef SSDQOS_SEGMENT_H
#define SSDQOS_SEGMENT_H

#include <linux/device-mapper.h>

/**
 * struct ssdqos_segment - a part of a device
 * @dev: the device
 * @offset: first sector on it
 */
struct ssdqos_segment {
	struct dm_dev *dev;
	sector_t offset;
};

int ssdqos_segment_open(struct ssdqos_segment *seg, struct dm_target *ti,
			struct dm_arg_set *as);
void ssdqos_segment_close(struct ssdqos_segment *seg, struct dm_target *ti);
int ssdqos_segment_count_args(struct dm_target *ti, struct dm_arg_set *as,
			      unsigned int max_keys);
int ssdqos_segment_iterate_devices(struct dm_target *ti,
				   iterate_devices_callout_fn fn, void *data);

#endif /* SSDQOS_SEGMENT_H */
