// SPDX-License-Identifier: GPL-2.0
#include "windows.h"

#define MILLI 1000
#define MILLI_DIGITS 3
#define PPM_DIGITS 6

void mirror_windows_add(struct mirror_windows *windows, u64 count)
{
	if (!windows->n || count < windows->least)
		windows->least = count;
	windows->n++;
	windows->sum += count;
	windows->squares += (u128)count * count;
}

/* The largest number whose square is not above @n. */
static u64 square_root(u128 n)
{
	u64 root = 0;

	for (u64 bit = 1ULL << 62; bit; bit >>= 1)
		if ((u128)(root | bit) * (root | bit) <= n)
			root |= bit;
	return root;
}

/* With the sum s and the sum of squares q of n counts, (deviation / mean)^2 = (n q - s^2) / s^2. */
u64 mirror_windows_cv_ppm(const struct mirror_windows *windows)
{
	const u128 sum2 = (u128)windows->sum * windows->sum;

	if (!windows->sum)
		return 0;
	return square_root((windows->n * windows->squares - sum2) * (PPM_ONE * PPM_ONE) / sum2);
}

void mirror_windows_report(struct json *json, const char *key,
			   const struct mirror_windows *windows)
{
	json_begin_object(json, key);
	json_u64(json, "n", windows->n);
	json_fixed(json, "mean", windows->n ? windows->sum * MILLI / windows->n : 0, MILLI_DIGITS);
	json_u64(json, "least", windows->least);
	json_fixed(json, "cv", mirror_windows_cv_ppm(windows), PPM_DIGITS);
	json_end(json);
}
