// SPDX-License-Identifier: GPL-2.0
/*
 * shift.c - stripes whose units stand some planes further (ttFlash, section 7:
 * horizontal shifting)
 *
 * A stripe fixes the planes of its units, so who writes one unit again and again wears two
 * planes, its own and its parity's, and who writes every unit of a plane wears that one.  A
 * plane is *worn* when its blocks have had more program/erase cycles than those of the
 * planes of its group in the mean, by more than rain_shift_pct percent.  A stripe that
 * would go on wearing it is moved to the side, by a number of columns that is its
 * *shift*:
 *
 *	column = (column of stripe.c + shift) % N
 *
 * That can be done whenever all of a stripe is written anew, as then no unit of it stays
 * where it was; so a stripe of which a part has changed is made a whole one first (lift.c
 * of the tasks).  Its group stays the same, and so does the room that it takes in each
 * plane.
 *
 * Cycles are compared, not rates: a plane that was spared for long may be written more
 * until it is as old as the others.
 */
#include "space.h"
#include "../../engine/bits.h"

#define SHIFT_PCT 100

/* Of the blocks of a plane, one part in so many is erased before it counts: a young drive is
 * not rearranged for its first few erases.
 */
#define SHIFT_LEAST_SHIFT 4

/* ---- which planes are worn ---- */

static bool shift_is_worn(const struct ssdqos_flash *f, u32 plane, u64 sum)
{
	u64 cycles = f->shifts.cycles[plane], pct = SHIFT_PCT + f->cfg.rain_shift_pct;
	u64 least = f->geo.blocks_per_plane >> SHIFT_LEAST_SHIFT;

	return f->cfg.rain_shift_pct && cycles > least &&
	       (cycles - least) * SHIFT_PCT * f->geo.stripe_units > sum * pct;
}

/* A plane's group has other cycles: which of its planes are worn? */
static void shift_look(struct ssdqos_flash *f, u32 plane)
{
	u32 n = f->geo.stripe_units, first = plane / n * n, i;
	u64 sum = 0;

	for (i = first; i < first + n; i++)
		sum += f->shifts.cycles[i];
	for (i = first; i < first + n; i++) {
		bool worn = shift_is_worn(f, i, sum);

		if (flash_bits_assign(f->shifts.worn, i, worn))
			f->shifts.nr_worn += worn ? 1 : -1u;
	}
}

/* A block of a plane was erased. */
void flash_shift_erased(struct ssdqos_flash *f, u32 plane)
{
	if (!f->shifts.of_stripe)
		return;
	f->shifts.cycles[plane]++;
	shift_look(f, plane);
}

/* The parameter may have changed. */
void flash_shift_tune(struct ssdqos_flash *f)
{
	u32 i;

	if (!f->shifts.of_stripe)
		return;
	for (i = 0; i < f->geo.nr_planes; i += f->geo.stripe_units)
		shift_look(f, i);
}

/* The blocks are what they are now. */
void flash_shift_survey(struct ssdqos_flash *f)
{
	u32 i;

	if (!f->shifts.of_stripe)
		return;
	memset(f->shifts.cycles, 0, f->geo.nr_planes * sizeof(u64));
	for (i = 0; i < f->geo.nr_blocks; i++)
		f->shifts.cycles[f->blocks[i].plane] += f->blocks[i].pe_cycles;
	flash_shift_tune(f);
}

/* ---- where to ---- */

/* Cycles of the planes of those units of a stripe, @by columns further than now. */
static u64 shift_cycles(const struct ssdqos_flash *f, u32 parity, u64 units, u32 by, bool *worn)
{
	u32 n = f->geo.stripe_units;
	u64 sum = 0;

	*worn = false;
	for (; units; units &= units - 1) {
		u32 lpn = flash_stripe_member(f, parity, (u32)__ffs64(units));
		u32 plane = flash_stripe_plane(f, lpn);
		u32 first = plane / n * n;

		plane = first + (plane - first + by) % n;
		sum += f->shifts.cycles[plane];
		*worn |= flash_bits_test(f->shifts.worn, plane);
	}
	return sum;
}

/* By how many columns more those units of a stripe go to the least worn planes; 0 if none of
 * theirs is worn, or all other places are, too.
 */
u32 flash_shift_best(const struct ssdqos_flash *f, u32 parity, u64 units)
{
	u32 best = 0, by;
	u64 least, sum;
	bool worn;

	least = shift_cycles(f, parity, units, 0, &worn);
	if (!worn)
		return 0;
	for (by = 1; by < f->geo.stripe_units; by++) {
		sum = shift_cycles(f, parity, units, by, &worn);
		if (worn || sum >= least)
			continue;
		least = sum;
		best = by;
	}
	return best;
}

/* All of a stripe is written anew, so many columns further than it was. */
void flash_shift_by(struct ssdqos_flash *f, u32 parity, u32 by)
{
	u8 *shift = &f->shifts.of_stripe[parity - f->geo.parity_lpn];

	*shift = (u8)((*shift + by) % f->geo.stripe_units);
}

/* A unit is in a plane of its group: its stripe stands so. */
void flash_shift_learn(struct ssdqos_flash *f, u32 lpn, u32 plane)
{
	u32 n = f->geo.stripe_units;

	if (!f->shifts.of_stripe)
		return;
	flash_shift_by(f, flash_stripe_parity_of(f, lpn),
		       plane % n + n - flash_stripe_plane(f, lpn) % n);
}

/* ---- life ---- */

/* Whole stripes are moved, so those that go out unit by unit are not. */
int flash_shifts_create(struct ssdqos_flash *f)
{
	struct flash_shifts *s = &f->shifts;
	u32 nr_stripes = f->geo.map_lpn - f->geo.parity_lpn;
	u32 words = flash_bits_words(f->geo.nr_planes);

	if (!f->geo.stripe_units || f->cfg.rain_flush != SSDQOS_FLASH_FLUSH_STRIPES)
		return 0;
	s->of_stripe = ssdqos_env_alloc(nr_stripes);
	s->cycles = ssdqos_env_alloc((u64)f->geo.nr_planes * sizeof(u64));
	s->worn = ssdqos_env_alloc((u64)words * sizeof(long));
	if (!s->of_stripe || !s->cycles || !s->worn)
		return -ENOMEM;
	f->memory_bytes += nr_stripes + (u64)f->geo.nr_planes * sizeof(u64) +
			   (u64)words * sizeof(long);
	return 0;
}

void flash_shifts_destroy(struct ssdqos_flash *f)
{
	ssdqos_env_free(f->shifts.worn);
	ssdqos_env_free(f->shifts.cycles);
	ssdqos_env_free(f->shifts.of_stripe);
}

/* All stripes stand as stripe.c has them. */
void flash_shifts_clear(struct ssdqos_flash *f)
{
	if (f->shifts.of_stripe)
		memset(f->shifts.of_stripe, 0, f->geo.map_lpn - f->geo.parity_lpn);
}
