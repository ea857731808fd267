// SPDX-License-Identifier: GPL-2.0
/*
 * What a mirror has on its metadata device is what was written last, or before, if that
 * was torn; and what is not its own is refused in one sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/crc32c.h"
#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/mirror/disk.h"

#define BYTES SSDQOS_DISK_BLOCK_BYTES
#define PER_BLOCK SSDQOS_MIRROR_REGIONS_PER_BLOCK
#define AT_CHECKSUM 8
#define AT_VERSION 12
#define CUTS 2000

static const u8 uuid[SSDQOS_DISK_UUID_BYTES] = "mirror number 1";
static const u8 other_uuid[SSDQOS_DISK_UUID_BYTES] = "mirror number 2";
static u8 slot[SSDQOS_DISK_SLOTS][BYTES];
static const u8 *const slots[SSDQOS_DISK_SLOTS] = { slot[0], slot[1] };
static u8 block[BYTES];
static char err[256];
static struct ssdqos_rng rng;

static u32 draw(u32 below)
{
	return ssdqos_rng_below(&rng, below);
}

static struct ssdqos_mirror_super good_super(u64 seq)
{
	struct ssdqos_mirror_super s = {
		.seq = seq, .sectors = 1000001, .region_sectors = 1024, .nr_members = 3, .durability = 2,
		.leader = 1, .clean = seq & 1, .out_mask = 4,
	};

	memcpy(s.uuid, uuid, sizeof(s.uuid));
	return s;
}

static void put_super(u8 *to, u64 seq)
{
	struct ssdqos_mirror_super s = good_super(seq);

	ssdqos_mirror_super_encode(&s, to);
}

static void sign(u8 *to)
{
	ssdqos_disk_put(to, AT_CHECKSUM, 4, ssdqos_crc32c(to + AT_VERSION, BYTES - AT_VERSION));
}

static int decode(const u8 *from, struct ssdqos_mirror_super *s)
{
	memset(err, 0, sizeof(err));
	return ssdqos_mirror_super_decode(from, uuid, s, err, sizeof(err));
}

static int choose(const u8 *of, struct ssdqos_mirror_super *s, struct ssdqos_disk_choice *choice)
{
	memset(err, 0, sizeof(err));
	return ssdqos_mirror_super_choose(slots, of, s, choice, err, sizeof(err));
}

#define assert_said(what)							\
	do {									\
		if (!strstr(err, what))						\
			fail_msg("\"%s\" lacks \"%s\"", err, what);		\
	} while (0)

/* ---- a block ---- */

static void a_superblock_comes_back(void **state)
{
	struct ssdqos_mirror_super s = good_super(7), found = { 0 };

	ssdqos_mirror_super_encode(&s, block);
	assert_int_equal(decode(block, &found), 0);
	assert_memory_equal(found.uuid, uuid, sizeof(uuid));
	assert_int_equal(found.seq, 7);
	assert_int_equal(found.sectors, 1000001);
	assert_int_equal(found.region_sectors, 1024);
	assert_int_equal(found.nr_members, 3);
	assert_int_equal(found.durability, 2);
	assert_int_equal(found.leader, 1);
	assert_true(found.clean);
	assert_int_equal(found.out_mask, 4);
	put_super(block, 8);
	assert_int_equal(decode(block, &found), 0);
	assert_false(found.clean);
}

/* The places of the numbers are a promise to the versions that come. */
static void the_places_stay_as_they_are(void **state)
{
	static const u8 header[] = {
		'D', 'Q', 'M', 'I', 'R', 'R', 'O', 'R', 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
		'm', 'i', 'r', 'r', 'o', 'r', ' ', 'n', 'u', 'm', 'b', 'e', 'r', ' ', '1', 0,
		0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		/* sectors 1000001, region_sectors 1024, nr_members, durability, leader, clean, out_mask */
		0x41, 0x42, 0x0f, 0, 0, 0, 0, 0, 0, 4, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0,
	};

	put_super(block, 0x102);
	assert_int_equal(ssdqos_disk_get(block, AT_CHECKSUM, 4),
			 ssdqos_crc32c(block + AT_VERSION, BYTES - AT_VERSION));
	memset(block + AT_CHECKSUM, 0, 4);
	assert_memory_equal(block, header, sizeof(header));
	memset(block, 0, sizeof(header));
	assert_true(ssdqos_disk_is_blank(block));
}

static void every_flipped_bit_is_found(void **state)
{
	struct ssdqos_mirror_super s;
	u32 bit;

	put_super(block, 5);
	for (bit = 0; bit < BYTES * 8; bit += bit < 1024 ? 1 : 61) {
		block[bit / 8] ^= 1 << bit % 8;
		assert_int_equal(decode(block, &s), bit < 64 ? -EINVAL : -EBADMSG);
		block[bit / 8] ^= 1 << bit % 8;
	}
	assert_int_equal(decode(block, &s), 0);
}

static void each_reason_has_its_sentence(void **state)
{
	struct ssdqos_mirror_super s;
	u64 seq;

	memset(block, 0, sizeof(block));
	assert_int_equal(decode(block, &s), -ENOENT);
	assert_said("only zeroes");
	block[BYTES - 1] = 1;
	assert_int_equal(decode(block, &s), -EINVAL);
	assert_said("something else");
	put_super(block, 1);
	block[BYTES - 1] = 1;
	assert_int_equal(decode(block, &s), -EBADMSG);
	assert_said("damaged");
	put_super(block, 1);
	ssdqos_disk_put(block, AT_VERSION, 4, 2);
	sign(block);
	assert_int_equal(decode(block, &s), -EOVERFLOW);
	assert_said("version 2");
	put_super(block, 1);
	assert_int_equal(ssdqos_mirror_super_decode(block, other_uuid, &s, err, sizeof(err)), -EINVAL);
	assert_said("another mirror");
	assert_int_equal(ssdqos_mirror_super_decode(block, NULL, &s, err, sizeof(err)), 0);
	assert_null(ssdqos_mirror_regions_decode(block, uuid, 0, &seq, err, sizeof(err)));
	assert_said("kind 1 instead of 2");
	ssdqos_mirror_regions_encode(uuid, 4, 1, block, 0, block);
	assert_null(ssdqos_mirror_regions_decode(block, uuid, 5, &seq, err, sizeof(err)));
	assert_said("there is number 4");
}

static void numbers_that_cannot_be_are_refused(void **state)
{
	static const struct {
		u32 at, bytes;
		u64 value;
		const char *said;
	} wrong[] = {
		{ 64, 8, 0, "0 sectors" },
		{ 64, 8, (1024ULL << 26) + 1, "sectors, which have to be 1 to 68719476736 " },
		{ 64, 8, ~0ULL, "sectors, which" },
		{ 72, 4, 0, "regions of 0 sectors" },
		{ 72, 4, 4, "regions of 4 sectors" },
		{ 72, 4, 1000, "regions of 1000 sectors" },
		{ 72, 4, 1u << 22, "power of two, 8 to 2097152" },
		{ 76, 4, 1, "1 members" },
		{ 76, 4, 9, "9 members, which have to be 2 to 8" },
		{ 76, 4, 32, "32 members" },
		{ 80, 4, 3, "durability 3, which has to be 0 to 2" },
		{ 84, 4, 3, "leader 3, which has to be 0 to 2" },
		{ 84, 4, 2, "leader 2 among members 0x4, which are out" },
		{ 84, 4, 40, "leader 40" },
		{ 92, 4, 8, "members 0x8 out, which have to be of 0x7" },
		{ 92, 4, 7, "leader 1 among members 0x7" },
	};
	struct ssdqos_mirror_super s = good_super(99);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		put_super(block, 1);
		ssdqos_disk_put(block, wrong[i].at, wrong[i].bytes, wrong[i].value);
		sign(block);
		assert_int_equal(decode(block, &s), -EINVAL);
		assert_said(wrong[i].said);
		assert_int_equal(s.seq, 99);
	}
	put_super(block, 1);
	ssdqos_disk_put(block, 64, 8, 1024ULL << 26);
	sign(block);
	assert_int_equal(decode(block, &s), 0);
}

/* ---- two copies ---- */

static void the_newer_one_counts(void **state)
{
	struct ssdqos_mirror_super s;
	struct ssdqos_disk_choice choice;
	u32 n;

	for (n = 0; n < 2; n++) {
		put_super(slot[n], 11);
		put_super(slot[!n], 10);
		assert_int_equal(choose(uuid, &s, &choice), 0);
		assert_int_equal(s.seq, 11);
		assert_int_equal(choice.newest, n);
		assert_false(choice.alone);
		slot[n][100]++;
		assert_int_equal(choose(NULL, &s, &choice), 0);
		assert_int_equal(s.seq, 10);
		assert_int_equal(choice.newest, !n);
		assert_true(choice.alone);
		memset(slot[n], 0, BYTES);
		assert_int_equal(choose(NULL, &s, &choice), 0);
		assert_int_equal(choice.newest, !n);
		assert_false(choice.alone);
		slot[!n][100]++;
		assert_int_equal(choose(NULL, &s, &choice), -EBADMSG);
		assert_said("damaged");
	}
	memset(slot, 0, sizeof(slot));
	assert_int_equal(choose(uuid, &s, &choice), -ENOENT);
}

/* Nothing of a device on which somebody else has written is believed. */
static void one_that_is_not_ours_is_enough(void **state)
{
	struct ssdqos_mirror_super s, other = good_super(3);
	struct ssdqos_disk_choice choice;
	u32 n;

	memcpy(other.uuid, other_uuid, sizeof(other_uuid));
	for (n = 0; n < 2; n++) {
		put_super(slot[n], 11);
		memset(slot[!n], 'x', BYTES);
		assert_int_equal(choose(uuid, &s, &choice), -EINVAL);
		assert_said("something else");
		ssdqos_mirror_super_encode(&other, slot[!n]);
		assert_int_equal(choose(uuid, &s, &choice), -EINVAL);
		assert_said("another mirror");
		assert_int_equal(choose(NULL, &s, &choice), -EINVAL);
		assert_said("of two mirrors");
		put_super(slot[!n], 3);
		ssdqos_disk_put(slot[!n], AT_VERSION, 4, 3);
		sign(slot[!n]);
		assert_int_equal(choose(uuid, &s, &choice), -EOVERFLOW);
		assert_said("version 3");
		memset(slot[n], 'x', BYTES);
		assert_int_equal(choose(uuid, &s, &choice), -EOVERFLOW);
	}
}

static void tear(u8 *to, const u8 *from)
{
	u32 sector, which = draw(256);

	for (sector = 0; sector < BYTES / 512; sector++)
		if (which >> sector & 1)
			memcpy(to + sector * 512, from + sector * 512, 512);
}

/* A cut tears a write: what counts is that write, or the one before. */
static void a_power_cut_costs_one_write(void **state)
{
	struct ssdqos_mirror_super s;
	struct ssdqos_disk_choice choice = { 1, false };
	u64 seq = 0;
	u32 i, older = 0;

	ssdqos_rng_seed(&rng, 1);
	memset(slot, 0, sizeof(slot));
	for (i = 0; i < CUTS; i++) {
		put_super(block, seq + 1);
		if (draw(2))
			memcpy(slot[!choice.newest], block, BYTES);
		else
			tear(slot[!choice.newest], block);
		if (choose(uuid, &s, &choice) == -ENOENT && !seq)
			continue;
		assert_string_equal(err, "");
		if (s.seq == seq)
			older++;
		else
			assert_int_equal(s.seq, seq + 1);
		seq = s.seq;
	}
	assert_in_range(older, CUTS / 5, CUTS / 2);
}

/* ---- the region map ---- */

static void masks_come_back(void **state)
{
	static u8 masks[PER_BLOCK];
	const u8 *found;
	u64 seq = 0;
	u32 i;

	assert_int_equal(PER_BLOCK, 4032);
	for (i = 0; i < PER_BLOCK; i++)
		masks[i] = (u8)(i * 7);
	ssdqos_mirror_regions_encode(uuid, 3, 9, masks, PER_BLOCK, block);
	found = ssdqos_mirror_regions_decode(block, uuid, 3, &seq, err, sizeof(err));
	assert_non_null(found);
	assert_memory_equal(found, masks, PER_BLOCK);
	assert_int_equal(seq, 9);
	ssdqos_mirror_regions_encode(uuid, 3, 10, masks, 5, block);
	found = ssdqos_mirror_regions_decode(block, uuid, 3, &seq, err, sizeof(err));
	assert_memory_equal(found, masks, 5);
	for (i = 5; i < PER_BLOCK; i++)
		assert_int_equal(found[i], 0);
}

/* Whatever the device had before, in the slot that was not written yet. */
static void a_map_survives_power_cuts(void **state)
{
	struct ssdqos_disk_choice choice = { 0, false };
	u8 masks[PER_BLOCK];
	const u8 *found;
	u64 now = 1, seq;
	u32 i;

	ssdqos_rng_seed(&rng, 2);
	memset(slot[1], 0x5a, BYTES);
	memset(masks, 1, sizeof(masks));
	ssdqos_mirror_regions_encode(uuid, 8, 1, masks, PER_BLOCK, slot[0]);
	assert_non_null(ssdqos_mirror_regions_choose(slots, uuid, 8, &seq, &choice, err, sizeof(err)));
	assert_true(choice.alone);
	for (i = 0; i < CUTS; i++) {
		memset(masks, (u8)(now + 1), sizeof(masks));
		ssdqos_mirror_regions_encode(uuid, 8, now + 1, masks, PER_BLOCK, block);
		tear(slot[!choice.newest], block);
		found = ssdqos_mirror_regions_choose(slots, uuid, 8, &seq, &choice, err, sizeof(err));
		assert_non_null(found);
		assert_in_range(seq, now, now + 1);
		memset(masks, (u8)seq, sizeof(masks));
		assert_memory_equal(found, masks, PER_BLOCK);
		now = seq;
	}
	assert_true(now > 5);
	slot[choice.newest][4000]++;
	slot[!choice.newest][4000]++;
	assert_null(ssdqos_mirror_regions_choose(slots, uuid, 8, &seq, &choice, err, sizeof(err)));
	assert_said("region map 8: it is damaged");
}

static void all_has_its_place(void **state)
{
	assert_int_equal(ssdqos_mirror_super_sector(0), 0);
	assert_int_equal(ssdqos_mirror_super_sector(1), 8);
	assert_int_equal(ssdqos_mirror_regions_sector(0, 0), 16);
	assert_int_equal(ssdqos_mirror_regions_sector(0, 1), 24);
	assert_int_equal(ssdqos_mirror_regions_sector(5, 1), 13 * 8);
	assert_int_equal(ssdqos_mirror_nr_regions(1, 1024), 1);
	assert_int_equal(ssdqos_mirror_nr_regions(1024, 1024), 1);
	assert_int_equal(ssdqos_mirror_nr_regions(1025, 1024), 2);
	assert_int_equal(ssdqos_mirror_map_blocks(0), 0);
	assert_int_equal(ssdqos_mirror_map_blocks(4032), 1);
	assert_int_equal(ssdqos_mirror_map_blocks(4033), 2);
	/* the superblocks and a block of the map, twice */
	assert_int_equal(ssdqos_mirror_meta_sectors(1, 1024), 4 * 8);
	assert_int_equal(ssdqos_mirror_meta_sectors(4032 * 1024, 1024), 4 * 8);
	assert_int_equal(ssdqos_mirror_meta_sectors(4032 * 1024 + 1, 1024), 6 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_superblock_comes_back),
		cmocka_unit_test(the_places_stay_as_they_are),
		cmocka_unit_test(every_flipped_bit_is_found),
		cmocka_unit_test(each_reason_has_its_sentence),
		cmocka_unit_test(numbers_that_cannot_be_are_refused),
		cmocka_unit_test(the_newer_one_counts),
		cmocka_unit_test(one_that_is_not_ours_is_enough),
		cmocka_unit_test(a_power_cut_costs_one_write),
		cmocka_unit_test(masks_come_back),
		cmocka_unit_test(a_map_survives_power_cuts),
		cmocka_unit_test(all_has_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
