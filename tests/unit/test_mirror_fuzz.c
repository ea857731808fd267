// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata and journal with something wrong in them, mostly with a checksum that says it
 * is right: they are taken, and then make sense, or are refused in one sentence, and no
 * replay goes on without end.  An input follows from its number alone.
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
#include "../../dm-ssdqos/core/mirror/journal.h"

#define BYTES SSDQOS_DISK_BLOCK_BYTES
#define AT_CHECKSUM 8
#define AT_VERSION 12
/* The numbers of each block are before that; behind it are masks and zeroes. */
#define NUMBERS_END 160
#define META_BLOCKS 6
#define JOURNAL_BLOCKS SSDQOS_JOURNAL_MIN_SIZE
#define MIRROR_BLOCKS 500
#define RECORDS 12
#define INPUTS 3000
#define MOST_CHANGES 6

static const u8 uuid[SSDQOS_DISK_UUID_BYTES] = "mirror number 1";
static u8 good_meta[META_BLOCKS][BYTES], meta[META_BLOCKS][BYTES];
static u8 good_journal[JOURNAL_BLOCKS][BYTES], journal[JOURNAL_BLOCKS][BYTES];
static const u8 nothing[BYTES];
static struct ssdqos_rng rng;
/* Blocks of the journal that are more than data. */
static u32 headers[SSDQOS_DISK_SLOTS + 2 * RECORDS], nr_headers;
static u32 taken, refused, replayed;

static u32 draw(u32 below)
{
	return ssdqos_rng_below(&rng, below);
}

/* ---- what is good ---- */

static void make_meta(void)
{
	struct ssdqos_mirror_super s = {
		.seq = 6, .sectors = 10000000, .region_sectors = 2048, .nr_members = 4, .leader = 2, .out_mask = 1,
	};
	u8 masks[SSDQOS_MIRROR_REGIONS_PER_BLOCK];
	u32 i;

	memcpy(s.uuid, uuid, sizeof(uuid));
	memset(masks, 3, sizeof(masks));
	for (i = 0; i < SSDQOS_DISK_SLOTS; i++, s.seq++) {
		ssdqos_mirror_super_encode(&s, good_meta[i]);
		ssdqos_mirror_regions_encode(uuid, 0, 20 + i, masks, sizeof(masks), good_meta[2 + i]);
		ssdqos_mirror_regions_encode(uuid, 1, 10 - i, masks, 70, good_meta[4 + i]);
	}
}

static void make_record(const struct ssdqos_journal_super *s, const struct ssdqos_journal_record *r)
{
	u8 *header = good_journal[r->at];
	u32 i;

	if (r->filler_at) {
		ssdqos_journal_filler_encode(good_journal[r->filler_at], s, r);
		headers[nr_headers++] = (u32)r->filler_at;
	}
	headers[nr_headers++] = (u32)r->at;
	ssdqos_journal_record_begin(header);
	for (i = 0; i < r->nr; i++) {
		memset(header + (1 + i) * BYTES, (u8)r->seq, BYTES);
		ssdqos_journal_record_add(header, i, draw(MIRROR_BLOCKS), ssdqos_crc32c(header + (1 + i) * BYTES, BYTES));
	}
	ssdqos_journal_record_seal(header, s, r);
}

static void make_journal(void)
{
	struct ssdqos_journal_super s = {
		.seq = 1, .key = 77, .blocks = JOURNAL_BLOCKS, .tail_at = JOURNAL_BLOCKS - 10, .tail_seq = 5,
	};
	struct ssdqos_journal_record r;
	struct ssdqos_journal j;
	u32 i;

	memcpy(s.uuid, uuid, sizeof(uuid));
	for (i = 0; i < SSDQOS_DISK_SLOTS; i++, s.seq++) {
		ssdqos_journal_super_encode(&s, good_journal[i]);
		headers[nr_headers++] = i;
	}
	assert_int_equal(ssdqos_journal_init(&j, &s, RECORDS), 0);
	for (i = 0; i < RECORDS; i++) {
		assert_int_equal(ssdqos_journal_reserve(&j, 1 + i % 3, &r), 0);
		make_record(&s, &r);
	}
	ssdqos_journal_exit(&j);
}

/* ---- what is not ---- */

static u64 number(u64 was)
{
	static const u64 edges[] = { 0, 1, 2, 7, 8, 9, 63, 64, 65, 130, 131, 132, 1u << 31, ~0u, 1ULL << 32, 1ULL << 62,
				     ~0ULL - 1, ~0ULL };

	switch (draw(4)) {
	case 0:
		return was + 1 - 2 * draw(2);
	case 1:
		return was ^ 1ULL << draw(64);
	case 2:
		return ssdqos_rng_next(&rng) >> draw(64);
	default:
		return edges[draw(ARRAY_SIZE(edges))];
	}
}

/* Places whose numbers decide more than others: kind, index, seq, and what follows. */
static u32 place(void)
{
	static const u32 telling[] = { 16, 40, 48, 64, 72, 76, 80, 84, 88, 92 };

	if (draw(2))
		return telling[draw(ARRAY_SIZE(telling))];
	return draw(8) ? draw(NUMBERS_END / 4) * 4 : draw(BYTES / 8) * 8;
}

static void sign(u8 *block)
{
	ssdqos_disk_put(block, AT_CHECKSUM, 4, ssdqos_crc32c(block + AT_VERSION, BYTES - AT_VERSION));
}

/* @block is one of @blocks of @device. */
static void change(u8 *device, u32 blocks, u8 *block)
{
	u32 at = place(), bytes = draw(2) ? 4 : 8;

	switch (draw(8)) {
	case 0:
		memcpy(block, device + draw(blocks) * BYTES, BYTES);
		break;
	case 1:
		memcpy(block + 512 * draw(8), device + draw(blocks) * BYTES, 512);
		break;
	case 2:
		memset(block, draw(2) ? 0 : 0xff, BYTES);
		break;
	default:
		ssdqos_disk_put(block, at, bytes, number(ssdqos_disk_get(block, at, bytes)));
		break;
	}
	if (draw(8))
		sign(block);
}

/* ---- what comes of it ---- */

/* 0, or one of the reasons there are, in one sentence. */
static bool is_taken(int ret, const char *err)
{
	if (!ret) {
		taken++;
		return true;
	}
	refused++;
	assert_true(ret == -ENOENT || ret == -EINVAL || ret == -EBADMSG || ret == -EOVERFLOW);
	assert_in_range(strlen(err), 10, 200);
	assert_null(strchr(err, '\n'));
	return false;
}

static void use_meta(void)
{
	struct ssdqos_mirror_super s = { 0 }, again;
	struct ssdqos_disk_choice choice;
	const u8 *const slots[] = { meta[0], meta[1] };
	char err[256] = "";
	u8 block[BYTES];
	u64 seq, i;

	if (is_taken(ssdqos_mirror_super_choose(slots, draw(2) ? uuid : NULL, &s, &choice, err, sizeof(err)), err)) {
		assert_int_equal(ssdqos_mirror_super_check(&s, err, sizeof(err)), 0);
		ssdqos_mirror_super_encode(&s, block);
		assert_int_equal(ssdqos_mirror_super_decode(block, s.uuid, &again, err, sizeof(err)), 0);
		assert_memory_equal(&s, &again, sizeof(s));
		assert_in_range(ssdqos_mirror_meta_sectors(s.sectors, s.region_sectors), 32, 1u << 21);
	}
	for (i = 0; i < 2; i++) {
		const u8 *const maps[] = { meta[2 + 2 * i], meta[3 + 2 * i] };
		const u8 *masks;
		u32 at, sum = 0;

		err[0] = 0;
		masks = ssdqos_mirror_regions_choose(maps, uuid, i, &seq, &choice, err, sizeof(err));
		if (!is_taken(masks ? 0 : -EBADMSG, err))
			continue;
		assert_ptr_equal(masks, maps[choice.newest] + SSDQOS_DISK_HEADER_BYTES);
		for (at = 0; at < SSDQOS_MIRROR_REGIONS_PER_BLOCK; at++)
			sum += masks[at];
		assert_in_range(sum, 0, 255 * SSDQOS_MIRROR_REGIONS_PER_BLOCK);
	}
}

static void use_ring(const struct ssdqos_journal_super *s)
{
	struct ssdqos_journal_record r;
	struct ssdqos_journal j;

	assert_int_equal(ssdqos_journal_init(&j, s, 4), 0);
	while (!ssdqos_journal_reserve(&j, 1 + draw(SSDQOS_JOURNAL_MAX_BLOCKS), &r))
		assert_in_range(r.at + 1 + r.nr, SSDQOS_JOURNAL_FIRST, s->blocks);
	ssdqos_journal_exit(&j);
}

static void use_journal(void)
{
	static struct ssdqos_journal_replay p;
	struct ssdqos_journal_super s = { 0 };
	struct ssdqos_disk_choice choice;
	const u8 *const slots[] = { journal[0], journal[1] };
	char err[256] = "";
	u32 steps;
	int ret;

	if (!is_taken(ssdqos_journal_super_choose(slots, uuid, &s, &choice, err, sizeof(err)), err))
		return;
	ssdqos_journal_replay_begin(&p, &s, MIRROR_BLOCKS);
	for (steps = 0, ret = 0; ret >= 0 && ret != SSDQOS_JOURNAL_END; steps++) {
		assert_true(steps < 4 * JOURNAL_BLOCKS);
		assert_in_range(p.at, SSDQOS_JOURNAL_FIRST, s.blocks - 1);
		assert_in_range(p.run, 1, SSDQOS_JOURNAL_MAX_BLOCKS);
		ret = ssdqos_journal_replay_feed(&p, p.at < JOURNAL_BLOCKS ? journal[p.at] : nothing, err, sizeof(err));
		if (ret == SSDQOS_JOURNAL_APPLY)
			assert_in_range(p.block, 0, MIRROR_BLOCKS - 1);
	}
	replayed += p.records > 0;
	if (!is_taken(ret < 0 ? ret : 0, err))
		return;
	ssdqos_journal_replay_done(&p, &s);
	use_ring(&s);
}

static void hostile_metadata_are_taken_or_refused(void **state)
{
	const char *more = getenv("SSDQOS_MIRROR_INPUTS");
	u32 inputs = more ? (u32)strtoul(more, NULL, 10) : INPUTS, input, changes;

	ssdqos_rng_seed(&rng, 0);
	make_meta();
	make_journal();
	for (input = 0; input < inputs; input++) {
		ssdqos_rng_seed(&rng, input);
		memcpy(meta, good_meta, sizeof(meta));
		memcpy(journal, good_journal, sizeof(journal));
		for (changes = input ? 1 + draw(MOST_CHANGES) : 0; changes; changes--) {
			change(meta[0], META_BLOCKS, meta[draw(META_BLOCKS)]);
			change(journal[0], JOURNAL_BLOCKS, journal[draw(4) ? headers[draw(nr_headers)] : draw(JOURNAL_BLOCKS)]);
		}
		use_meta();
		use_journal();
	}
	assert_true(taken > inputs);
	assert_true(refused > inputs / 4);
	assert_true(replayed > inputs / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_metadata_are_taken_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
