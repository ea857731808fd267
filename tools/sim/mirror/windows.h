/* SPDX-License-Identifier: GPL-2.0 */
/*
 * windows.h - how evenly something comes: counts of it in windows of one length
 */
#ifndef SSDQOS_SIM_MIRROR_WINDOWS_H
#define SSDQOS_SIM_MIRROR_WINDOWS_H

#include "../common/json.h"

/**
 * struct mirror_windows - the counts, put together
 * @n: windows
 * @sum: of their counts
 * @squares: of the squares of their counts
 * @least: the smallest count
 */
struct mirror_windows {
	u64 n;
	u64 sum;
	u128 squares;
	u64 least;
};

/**
 * mirror_windows_add - a window is over
 * @windows: the windows
 * @count: what came in it
 */
void mirror_windows_add(struct mirror_windows *windows, u64 count);

/**
 * mirror_windows_cv_ppm - coefficient of variation: standard deviation by mean
 * @windows: the windows
 *
 * Return: parts per million, 0 if nothing came.
 */
u64 mirror_windows_cv_ppm(const struct mirror_windows *windows);

/**
 * mirror_windows_report - write what there is to say as an object
 * @json: where to
 * @key: its name
 * @windows: the windows
 */
void mirror_windows_report(struct json *json, const char *key,
			   const struct mirror_windows *windows);

#endif
