// SPDX-License-Identifier: GPL-2.0
/*
 * A mirror that grows: what it had is led by whom it was, what is new by one who was a member,
 * new members lack all; and a power cut before the superblock is written changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/mirror/grow.h"

#define REGION_SECTORS 128u
#define MOST_REGIONS 40u
#define CASES 20000u

static struct ssdqos_rng rng;
static char err[256];

static u32 draw(u32 below)
{
	return ssdqos_rng_below(&rng, below);
}

static int begin(struct ssdqos_mirror_growth *g, u64 sectors, u32 members, u8 here)
{
	struct ssdqos_mirror_super s = {
		.sectors = 1000, .region_sectors = REGION_SECTORS, .nr_members = 2, .leader = 1,
	};
	struct ssdqos_mirror_wanted wanted = {
		.sectors = sectors, .region_sectors = REGION_SECTORS, .members = members, .here = here,
	};

	return ssdqos_mirror_grow_begin(g, &s, &wanted, "meta", err, sizeof(err));
}

static void what_does_not_fit_has_a_sentence(void **state)
{
	struct ssdqos_mirror_growth g;

	assert_int_equal(begin(&g, 1000, 2, 3), 0);
	assert_int_equal(begin(&g, 1008, 2, 3), 1);
	assert_int_equal(begin(&g, 1000, 3, 7), 1);
	assert_int_equal(begin(&g, 992, 2, 3), -EINVAL);
	assert_string_equal(err, "meta: 'meta' is of a mirror of 1000 sectors, and this one has 992: it can't become smaller");
	assert_int_equal(begin(&g, 1008, 1, 1), -EINVAL);
	assert_string_equal(err, "meta: 'meta' is of a mirror of 2 members, and this one has 1: '-' stands for one that is not here");
	/* the new member alone has nothing */
	assert_int_equal(begin(&g, 1008, 3, 4), -EINVAL);
	assert_string_equal(err, "none of the 2 members of the mirror on 'meta' is here");
}

/* As many masks as a superblock may have, and one more: that one could be written, and never read. */
static void more_regions_than_can_be_have_a_sentence(void **state)
{
	const u64 most = SSDQOS_DISK_MAX_REGIONS * REGION_SECTORS;
	struct ssdqos_mirror_growth g;

	assert_int_equal(begin(&g, most, 2, 3), 1);
	assert_int_equal(begin(&g, most + 8, 2, 3), -EINVAL);
	assert_string_equal(err, "region_kib: '64' makes 67108865 regions of 8589934600 sectors, which have to be 1 to 67108864");
}

struct grown {
	struct ssdqos_mirror_super super;
	struct ssdqos_mirror_wanted wanted;
	struct ssdqos_mirror_growth g;
	u8 before[MOST_REGIONS], masks[MOST_REGIONS];
};

/* Who leads a region by its mask alone: all others lack something. */
static bool has_leader(u8 mask, u8 members)
{
	return mask && (mask & members) != members;
}

static u8 draw_mask(u8 members)
{
	u8 mask = draw(2) ? (u8)draw(members) & members : 0;

	return mask == members ? 0 : mask;
}

/* A mirror, and what its table says next. */
static void draw_growth(struct grown *x)
{
	u32 members = 2 + draw(7), more = draw(9 - members);
	u8 all = (u8)((1u << members) - 1);
	u32 i;

	*x = (struct grown){
		.super = {
			.sectors = 8 + 8 * draw(MOST_REGIONS * REGION_SECTORS / 8 - 1), .nr_members = members,
			.region_sectors = REGION_SECTORS, .leader = draw(members),
		},
	};
	x->super.out_mask = draw(2) ? (u32)(draw(all) & all & ~(1u << x->super.leader)) : 0;
	x->wanted = (struct ssdqos_mirror_wanted){
		.sectors = x->super.sectors, .region_sectors = REGION_SECTORS, .members = members + more,
		.here = (u8)(1 + draw((1u << (members + more)) - 1)),
	};
	if (draw(2))
		x->wanted.sectors += 8 * draw((MOST_REGIONS * REGION_SECTORS - (u32)x->super.sectors) / 8 + 1);
	for (i = 0; i < MOST_REGIONS; i++)
		x->before[i] = draw_mask(all);
	memcpy(x->masks, x->before, sizeof(x->masks));
}

static void look_at_old(const struct grown *x, u32 i)
{
	assert_int_equal(x->masks[i] & x->g.before, x->before[i]);
	assert_int_equal(x->masks[i] & ~x->g.before, x->g.all & ~x->g.before);
}

static void look_at_new(const struct grown *x, u32 i)
{
	u8 leader = x->g.all & (u8)~x->masks[i], able = x->g.before;

	/* one, who was a member, and had what there was */
	assert_true(leader && !(leader & (leader - 1)));
	if (i < x->g.known)
		able &= (u8)~x->before[i];
	assert_true(leader & able);
	/* and who is here, if one is */
	assert_true((leader & x->wanted.here) || !(able & x->wanted.here & ~x->super.out_mask));
	assert_true(has_leader(x->masks[i], x->g.all));
}

static void masks_say_who_has_what(void **state)
{
	u32 grown = 0, n, i;

	ssdqos_rng_seed(&rng, 1);
	for (n = 0; n < CASES; n++) {
		struct grown x;
		u8 again[MOST_REGIONS];
		u32 nr;
		int r;

		draw_growth(&x);
		r = ssdqos_mirror_grow_begin(&x.g, &x.super, &x.wanted, "meta", err, sizeof(err));
		if (r <= 0) {
			assert_true(!r || !(x.wanted.here & ((1u << x.super.nr_members) - 1)));
			continue;
		}
		grown++;
		nr = (u32)ssdqos_mirror_nr_regions(x.wanted.sectors, REGION_SECTORS);
		/* in two blocks */
		ssdqos_mirror_grow_masks(&x.g, 0, x.masks, nr / 2);
		ssdqos_mirror_grow_masks(&x.g, nr / 2, x.masks + nr / 2, nr - nr / 2);
		for (i = 0; i < nr; i++)
			if (x.g.larger && (u64)(i + 1) * REGION_SECTORS > x.super.sectors)
				look_at_new(&x, i);
			else
				look_at_old(&x, i);
		/* power was cut, and it is done again */
		memcpy(again, x.masks, nr);
		ssdqos_mirror_grow_masks(&x.g, 0, again, nr);
		assert_memory_equal(again, x.masks, nr);
		ssdqos_mirror_grow_super(&x.g, &x.wanted, &x.super);
		assert_int_equal(ssdqos_mirror_super_check(&x.super, err, sizeof(err)), 0);
		assert_int_equal(ssdqos_mirror_grow_begin(&x.g, &x.super, &x.wanted, "meta", err, sizeof(err)), 0);
	}
	assert_true(grown > CASES / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_fit_has_a_sentence),
		cmocka_unit_test(more_regions_than_can_be_have_a_sentence),
		cmocka_unit_test(masks_say_who_has_what),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
