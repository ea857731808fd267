/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of a trace that is being converted, and what is to be known of them all together.
 */
#ifndef SSDQOS_SIM_CONVERT_ROWS_H
#define SSDQOS_SIM_CONVERT_ROWS_H

#include "../common/sim_error.h"
#include "../common/text.h"
#include "../load/request.h"

/* More devices in one trace are taken for rubbish in the device column. */
#define CONVERT_DEVICES_MAX 1024

/* What the footprint is counted in. */
#define CONVERT_PAGE_BYTES 4096ULL

/* Devices are laid one after another at multiples of this. */
#define CONVERT_DEVICE_ALIGN_BYTES (1ULL << 20)

/**
 * struct convert_row - one row, 32 bytes
 * @time_ns: as in the input; from 0 after convert_rows_finish()
 * @offset_bytes: on its device; in the common address space after convert_rows_finish()
 * @size_bytes: at least 1
 * @device: index of the device
 * @op: an enum sim_op
 */
struct convert_row {
	u64 time_ns;
	u64 offset_bytes;
	u64 size_bytes;
	u16 device;
	u8 op;
};

/**
 * struct convert_device - one device of the trace
 * @name: as in the trace
 * @rows: rows of it that were kept
 * @end_bytes: just behind the last byte used
 * @base_bytes: where it lies in the common address space
 */
struct convert_device {
	char *name;
	u64 rows;
	u64 end_bytes;
	u64 base_bytes;
};

/**
 * struct convert_rows - all rows
 * @rows: @count of them, room for @capacity
 * @count: rows
 * @capacity: room
 * @devices: @nr_devices of them, in order of appearance
 * @by_name: the same in the order of their names, after convert_rows_order_devices()
 * @nr_devices: devices seen, kept or not
 * @last_device: device of the last look-up, most often that of the next
 * @ops: rows per enum sim_op
 * @disorder: rows with a smaller time than the row before
 * @duration_ns: time of the last row, after convert_rows_finish()
 * @footprint_bytes: bytes of different pages that were touched, after convert_rows_finish()
 * @end_bytes: just behind the last byte used, after convert_rows_finish()
 */
struct convert_rows {
	struct convert_row *rows;
	size_t count;
	size_t capacity;
	struct convert_device devices[CONVERT_DEVICES_MAX];
	struct convert_device *by_name[CONVERT_DEVICES_MAX];
	u32 nr_devices;
	u32 last_device;
	u64 ops[NR_SIM_OPS];
	u64 disorder;
	u64 duration_ns;
	u64 footprint_bytes;
	u64 end_bytes;
};

/**
 * convert_rows_device - find or make a device
 * @rows: all rows
 * @name: as in the trace
 *
 * Return: its index, -1 when there are too many or memory is short.
 */
int convert_rows_device(struct convert_rows *rows, struct text name);

/**
 * convert_rows_add - keep a request
 * @rows: all rows
 * @device: from convert_rows_device()
 * @request: with offset plus size at most SIM_ADDRESS_MAX_BYTES
 *
 * Return: 0, or -1 when memory is short.
 */
int convert_rows_add(struct convert_rows *rows, u32 device, const struct sim_request *request);

/**
 * convert_rows_order_devices - put the devices in the order of their names
 * @rows: all rows
 *
 * Numbers in names count as numbers: 8,2 comes before 8,16. The order does not depend on which
 * device happens to be used first, so pieces of one trace are laid out alike.
 */
void convert_rows_order_devices(struct convert_rows *rows);

/**
 * convert_rows_finish - sort by time, start at 0, lay out the devices, count the footprint
 * @rows: all rows
 * @error: says why it failed
 *
 * Needs convert_rows_order_devices(). Rows of the same time stay in the order of the input.
 *
 * Return: 0, or -1.
 */
int convert_rows_finish(struct convert_rows *rows, struct sim_error *error);

/**
 * convert_rows_free - free everything
 * @rows: all rows; the struct itself is the caller's
 */
void convert_rows_free(struct convert_rows *rows);

#endif
