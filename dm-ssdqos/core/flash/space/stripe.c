// SPDX-License-Identifier: GPL-2.0
/*
 * stripe.c - stripes with parity across the channels (ttFlash, FAST 2017,
 * section 3.2; the baseline "RAIN" of AutoSSD, section 5.2)
 *
 * N planes on N channels are a group: N is rain_width, a divisor of the channels, or all
 * of them, so that planes with following numbers are on different ones.  A stripe is N - 1
 * consecutive logical units and a unit of their parity, one in each plane of a
 * group; stripes go round the groups, and from row to row the parity moves to
 * the next column.  With G groups,
 *
 *	stripe = lpn / (N - 1)		group = stripe % G	row = stripe / G
 *	parity column = row % N		plane = group x N + column
 *
 * A stripe may stand some columns further, see shift.c.
 *
 * Stripes are of units, not of whole flash pages, because the map is: neighbours
 * that were written alone would otherwise share a plane without sharing a page.
 *
 * Parity units have logical numbers of their own, so they are buffered, moved
 * and aged like data.
 *
 * What is written and read for that: buffer.c and read.c of the tasks.
 */
#include "space.h"

/* A unit's place: which stripe, and which of its members; parity is the last. */
struct stripe_place {
	u32 stripe;
	u32 member;
};

static u32 stripe_data_units(const struct ssdqos_flash *f)
{
	return f->geo.stripe_units - 1;
}

static struct stripe_place stripe_place_of(const struct ssdqos_flash *f, u32 lpn)
{
	u32 nr_data = stripe_data_units(f);
	struct stripe_place at = {
		.stripe = lpn - f->geo.parity_lpn,
		.member = nr_data,
	};

	if (lpn < f->geo.parity_lpn) {
		at.stripe = lpn / nr_data;
		at.member = lpn % nr_data;
	}
	return at;
}

/* Logical unit of a place; SSDQOS_NIL behind the drive's end. */
static u32 stripe_lpn(const struct ssdqos_flash *f, const struct stripe_place *at)
{
	u32 nr_data = stripe_data_units(f), lpn;

	if (at->member == nr_data)
		return f->geo.parity_lpn + at->stripe;
	lpn = at->stripe * nr_data + at->member;
	return lpn < f->geo.parity_lpn ? lpn : SSDQOS_NIL;
}

static u32 stripe_groups(const struct ssdqos_flash *f)
{
	return f->geo.nr_planes / f->geo.stripe_units;
}

/* The plane that the stripe fixes for a unit of data or parity. */
u32 flash_stripe_plane(const struct ssdqos_flash *f, u32 lpn)
{
	struct stripe_place at = stripe_place_of(f, lpn);
	u32 n = f->geo.stripe_units, groups = stripe_groups(f);
	u32 parity = at.stripe / groups % n, column = at.member;

	if (at.member == n - 1)
		column = parity;
	else if (at.member >= parity)
		column++;
	if (f->shifts.of_stripe)
		column = (column + f->shifts.of_stripe[at.stripe]) % n;
	return at.stripe % groups * n + column;
}

/* The other way round, for ageing: which logical unit do the stripes of row @row
 * have in a plane?  SSDQOS_NIL behind the end.  No stripe is shifted then.
 */
u32 flash_stripe_lpn_at(const struct ssdqos_flash *f, u32 plane, u32 row)
{
	u32 n = f->geo.stripe_units, column = plane % n, parity = row % n;
	struct stripe_place at = {
		.stripe = row * stripe_groups(f) + plane / n,
		.member = column == parity ? n - 1 : column - (column > parity),
	};

	return at.stripe < f->geo.map_lpn - f->geo.parity_lpn ?
	       stripe_lpn(f, &at) : SSDQOS_NIL;
}

/* The unit of parity of a unit's stripe. */
u32 flash_stripe_parity_of(const struct ssdqos_flash *f, u32 lpn)
{
	struct stripe_place at = stripe_place_of(f, lpn);

	at.member = stripe_data_units(f);
	return stripe_lpn(f, &at);
}

/* Which of its stripe's units it is. */
u32 flash_stripe_number_of(const struct ssdqos_flash *f, u32 lpn)
{
	return stripe_place_of(f, lpn).member;
}

/* Of the units of a unit's stripe, the one with this number; the last one is parity.
 * SSDQOS_NIL behind the drive's end.
 */
u32 flash_stripe_member(const struct ssdqos_flash *f, u32 lpn, u32 member)
{
	struct stripe_place at = stripe_place_of(f, lpn);

	at.member = member;
	return stripe_lpn(f, &at);
}
