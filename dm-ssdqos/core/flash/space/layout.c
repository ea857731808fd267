// SPDX-License-Identifier: GPL-2.0
/*
 * layout.c - where data goes
 *
 *	dynamic		to any plane that can take it
 *	static		the address fixes the plane: pages go round
 *	stripes		the same, so that each stripe has its units and their
 *			parity on planes of all channels (stripe.c)
 *
 * What is to be written waits in lists (buffer.c): in one where it may go to any
 * plane, else in one for each plane.
 */
#include "space.h"
#include "../../engine/bits.h"

static u32 layout_dynamic_nr_lists(const struct ssdqos_flash *f)
{
	return 1;
}

static u32 layout_dynamic_list_of(const struct ssdqos_flash *f, u32 lpn)
{
	return 0;
}

static u32 layout_dynamic_pick(const struct ssdqos_flash *f,
			       const struct flash_candidates *from, u32 *list)
{
	*list = 0;
	return flash_bits_next(from->eligible, NULL, f->geo.nr_planes,
			       from->rotor);
}

static u32 layout_fixed_nr_lists(const struct ssdqos_flash *f)
{
	return f->geo.nr_planes;
}

static u32 layout_static_list_of(const struct ssdqos_flash *f, u32 lpn)
{
	return (lpn >> f->geo.page_shift) % f->geo.nr_planes;
}

static u32 layout_fixed_pick(const struct ssdqos_flash *f,
			     const struct flash_candidates *from, u32 *list)
{
	*list = flash_bits_next(from->ready, from->eligible, f->geo.nr_planes,
				from->rotor);
	return *list;
}

static const struct flash_layout_ops layout_dynamic = {
	.name = "dynamic",
	.nr_lists = layout_dynamic_nr_lists,
	.list_of = layout_dynamic_list_of,
	.pick = layout_dynamic_pick,
};

static const struct flash_layout_ops layout_static = {
	.name = "static",
	.fixes_plane = true,
	.nr_lists = layout_fixed_nr_lists,
	.list_of = layout_static_list_of,
	.pick = layout_fixed_pick,
};

static const struct flash_layout_ops layout_stripes = {
	.name = "stripes",
	.fixes_plane = true,
	.nr_lists = layout_fixed_nr_lists,
	.list_of = flash_stripe_plane,
	.pick = layout_fixed_pick,
	.partner = flash_stripe_parity_of,
	.member = flash_stripe_member,
};

/* What the drive's parameters ask for. */
const struct flash_layout_ops *flash_layout(const struct ssdqos_flash *f)
{
	if (f->geo.stripe_units)
		return &layout_stripes;
	return f->cfg.allocation == SSDQOS_FLASH_STATIC ? &layout_static :
							  &layout_dynamic;
}
