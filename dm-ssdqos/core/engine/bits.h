/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bits.h - small bitmaps, the same in both worlds
 */
#ifndef SSDQOS_BITS_H
#define SSDQOS_BITS_H

#include "../env.h"

static inline u32 flash_bits_words(u32 nr)
{
	return (nr + BITS_PER_LONG - 1) / BITS_PER_LONG;
}

static inline bool flash_bits_test(const unsigned long *map, u32 i)
{
	return map[i / BITS_PER_LONG] >> (i % BITS_PER_LONG) & 1;
}

/* Set or clear a bit; says whether that changed it. */
static inline bool flash_bits_assign(unsigned long *map, u32 i, bool value)
{
	unsigned long bit = 1UL << (i % BITS_PER_LONG);
	unsigned long *word = &map[i / BITS_PER_LONG];

	if (!(*word & bit) == !value)
		return false;
	*word ^= bit;
	return true;
}

/* First bit from @start on that is set in @a (and in @b, unless NULL), with
 * wrap-around; SSDQOS_NIL if there is none.
 */
static inline u32 flash_bits_next(const unsigned long *a,
				  const unsigned long *b, u32 nr, u32 start)
{
	u32 words = flash_bits_words(nr), w = start / BITS_PER_LONG, i;
	unsigned long mask = ~0UL << (start % BITS_PER_LONG);

	for (i = 0; i <= words; i++) {
		unsigned long word = a[w] & (b ? b[w] : ~0UL) & mask;

		if (word)
			return w * BITS_PER_LONG + (u32)__ffs(word);
		mask = ~0UL;
		w = w + 1 == words ? 0 : w + 1;
	}
	return SSDQOS_NIL;
}

#endif /* SSDQOS_BITS_H */
