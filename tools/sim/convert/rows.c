// SPDX-License-Identifier: GPL-2.0
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 4096

_Static_assert(sizeof(struct convert_row) == 32, "a row is meant to take 32 bytes");

static bool is_device(const struct convert_rows *rows, u32 device, struct text name)
{
	return device < rows->nr_devices && text_is(name, rows->devices[device].name);
}

int convert_rows_device(struct convert_rows *rows, struct text name)
{
	u32 device = rows->last_device;

	if (!is_device(rows, device, name))
		for (device = 0; device < rows->nr_devices && !is_device(rows, device, name);
		     device++)
			;
	if (device == rows->nr_devices) {
		if (device == CONVERT_DEVICES_MAX)
			return -1;
		rows->devices[device].name = strndup(name.at, text_length(name));
		if (!rows->devices[device].name)
			return -1;
		rows->nr_devices++;
	}
	rows->last_device = device;
	return (int)device;
}

static int make_room(struct convert_rows *rows)
{
	size_t capacity = rows->capacity ? rows->capacity * 2 : FIRST_CAPACITY;
	struct convert_row *bigger;

	if (rows->count < rows->capacity)
		return 0;
	bigger = reallocarray(rows->rows, capacity, sizeof(*bigger));
	if (!bigger)
		return -1;
	rows->rows = bigger;
	rows->capacity = capacity;
	return 0;
}

int convert_rows_add(struct convert_rows *rows, u32 device, const struct sim_request *request)
{
	struct convert_device *of = &rows->devices[device];
	const u64 end_bytes = request->offset_bytes + request->size_bytes;

	if (make_room(rows))
		return -1;
	if (rows->count && request->arrival_ns < rows->rows[rows->count - 1].time_ns)
		rows->disorder++;
	rows->rows[rows->count++] = (struct convert_row){
		.time_ns = request->arrival_ns,
		.offset_bytes = request->offset_bytes,
		.size_bytes = request->size_bytes,
		.device = (u16)device,
		.op = request->op,
	};
	rows->ops[request->op]++;
	of->rows++;
	if (of->end_bytes < end_bytes)
		of->end_bytes = end_bytes;
	return 0;
}

/*
 * Merge two sorted runs that lie side by side, [0, middle) and [middle, count). On a tie the left
 * one goes first.
 */
static void merge_runs(struct convert_row *rows, size_t middle, size_t count,
		       struct convert_row *spare)
{
	size_t left = 0, right = middle, to = 0;

	if (rows[middle - 1].time_ns <= rows[middle].time_ns)
		return;
	memcpy(spare, rows, middle * sizeof(*rows));
	while (left < middle && right < count)
		rows[to++] = rows[right].time_ns < spare[left].time_ns ? rows[right++] :
									 spare[left++];
	memcpy(&rows[to], &spare[left], (middle - left) * sizeof(*rows));
}

/* Merge sort from the bottom up: stable, and nearly linear for rows that are nearly sorted. */
static int sort_rows(struct convert_rows *rows)
{
	struct convert_row *spare;

	if (!rows->disorder)
		return 0;
	spare = reallocarray(NULL, rows->count, sizeof(*spare));
	if (!spare)
		return -1;
	for (size_t run = 1; run < rows->count; run *= 2) {
		for (size_t start = 0; start + run < rows->count; start += 2 * run) {
			const size_t left = rows->count - start;

			merge_runs(rows->rows + start, run, left < 2 * run ? left : 2 * run, spare);
		}
	}
	free(spare);
	return 0;
}

static void start_at_zero(struct convert_rows *rows)
{
	const u64 start_ns = rows->count ? rows->rows[0].time_ns : 0;

	for (size_t i = 0; i < rows->count; i++)
		rows->rows[i].time_ns -= start_ns;
	rows->duration_ns = rows->count ? rows->rows[rows->count - 1].time_ns : 0;
}

static u64 align_up(u64 bytes, u64 align)
{
	return (bytes + align - 1) / align * align;
}

static int compare_names(const void *a, const void *b)
{
	const struct convert_device *const *left = a, *const *right = b;

	return strverscmp((*left)->name, (*right)->name);
}

void convert_rows_order_devices(struct convert_rows *rows)
{
	for (u32 i = 0; i < rows->nr_devices; i++)
		rows->by_name[i] = &rows->devices[i];
	qsort(rows->by_name, rows->nr_devices, sizeof(rows->by_name[0]), compare_names);
}

/* Devices that have no rows get no room. */
static int lay_out_devices(struct convert_rows *rows)
{
	u64 base_bytes = 0;

	for (u32 i = 0; i < rows->nr_devices; i++) {
		struct convert_device *device = rows->by_name[i];

		if (!device->rows)
			continue;
		device->base_bytes = base_bytes;
		rows->end_bytes = base_bytes + device->end_bytes;
		if (rows->end_bytes > SIM_ADDRESS_MAX_BYTES)
			return -1;
		base_bytes = align_up(rows->end_bytes, CONVERT_DEVICE_ALIGN_BYTES);
	}
	for (size_t i = 0; i < rows->count; i++)
		rows->rows[i].offset_bytes += rows->devices[rows->rows[i].device].base_bytes;
	return 0;
}

struct page_range {
	u64 first;
	u64 last;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct page_range *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

static u64 count_pages(const struct page_range *ranges, size_t count)
{
	u64 pages = 0, next = 0;

	for (size_t i = 0; i < count; i++) {
		const u64 first = ranges[i].first > next ? ranges[i].first : next;

		if (ranges[i].last < first)
			continue;
		pages += ranges[i].last - first + 1;
		next = ranges[i].last + 1;
	}
	return pages;
}

static int count_footprint(struct convert_rows *rows)
{
	struct page_range *ranges = reallocarray(NULL, rows->count + 1, sizeof(*ranges));

	if (!ranges)
		return -1;
	for (size_t i = 0; i < rows->count; i++) {
		const struct convert_row *row = &rows->rows[i];

		ranges[i].first = row->offset_bytes / CONVERT_PAGE_BYTES;
		ranges[i].last = (row->offset_bytes + row->size_bytes - 1) / CONVERT_PAGE_BYTES;
	}
	qsort(ranges, rows->count, sizeof(*ranges), compare_ranges);
	rows->footprint_bytes = count_pages(ranges, rows->count) * CONVERT_PAGE_BYTES;
	free(ranges);
	return 0;
}

int convert_rows_finish(struct convert_rows *rows, struct sim_error *error)
{
	if (sort_rows(rows))
		return sim_error_set(error, "not enough memory to sort %zu rows", rows->count);
	start_at_zero(rows);
	if (lay_out_devices(rows))
		return sim_error_set(
			error,
			"%u devices one after another pass 2^63 bytes, choose one with --device",
			rows->nr_devices);
	if (count_footprint(rows))
		return sim_error_set(error, "not enough memory to count the footprint of %zu rows",
				     rows->count);
	return 0;
}

void convert_rows_free(struct convert_rows *rows)
{
	for (u32 i = 0; i < rows->nr_devices; i++)
		free(rows->devices[i].name);
	free(rows->rows);
}
