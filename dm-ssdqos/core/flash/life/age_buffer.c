// SPDX-License-Identifier: GPL-2.0
/*
 * age_buffer.c - what an aged drive has in its write buffer
 *
 * A controller that writes out from some fill of its buffer on has that much
 * in it: those units are taken out of flash again.
 */
#include "life.h"

#define AGE_BUFFER_PART		4	/* at most this part of the data is in the buffer */

/* Is the unit in flash?  It may hold nothing, or be in the buffer already. */
static bool age_in_flash(const struct ssdqos_flash *f, u32 lpn)
{
	return !(f->l2p[lpn] & FLASH_IN_BUFFER);
}

/* The unit that was written as the @nr th before the end. */
static u32 age_recent_lpn(const struct ssdqos_flash *f,
			  const struct flash_age_recent *recent, u32 nr, u32 last)
{
	u32 chunk = flash_age_chunk(f), piece = recent->piece_units, end;

	if (recent->sequential) {
		end = (u32)min_t(u64, (u64)recent->nr_pieces * piece,
				 f->geo.nr_lpn);
		nr += end - min(end, (recent->first_piece + 1) * piece);
		return end - 1 - nr % end;
	}
	if (nr % chunk)
		return last + 1;
	return ssdqos_rng_below(recent->rng, f->geo.nr_lpn) / chunk * chunk;
}

/**
 * flash_age_buffer - fill the buffer up to where it is written out
 * @f: the drive, aged
 * @recent: what was written last
 */
void flash_age_buffer(struct ssdqos_flash *f, const struct flash_age_recent *recent)
{
	u32 most = (u32)min_t(u64, f->buffer.threshold,
			      recent->host_units / AGE_BUFFER_PART);
	u32 lpn = 0, nr = 0;

	while (f->buffer.nr_used + FLASH_PARITY_READS < most) {
		lpn = age_recent_lpn(f, recent, nr++, lpn);
		if (lpn >= f->geo.nr_lpn || !age_in_flash(f, lpn))
			continue;
		flash_buffer_take_back(f, lpn);
	}
}
