// SPDX-License-Identifier: GPL-2.0
/*
 * Saved states: the same future after loading, no harm from broken ones; and
 * drives that can't be made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../tools/sim/platform/env.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define CHECKSUM_WORD 2		/* of 64 bits; all words behind it are covered */
#define HEADER_BYTES (3 * 8 + 10 * 4 + 4 * 8)
#define RNG_OFFSET (3 * 8 + 10 * 4)
#define RESERVED_OFFSET (3 * 8 + 9 * 4)

struct state {
	u64 *buf;
	u64 bytes;
};

static struct state save(const struct ssdqos_flash *f)
{
	struct state s = { .bytes = ssdqos_flash_state_bytes(f) };

	s.buf = malloc(s.bytes);
	assert_non_null(s.buf);
	assert_int_equal(ssdqos_flash_save(f, s.buf, s.bytes), 0);
	return s;
}

static int load(struct ssdqos_flash *f, const struct state *s)
{
	helper_err[0] = '\0';
	return ssdqos_flash_load(f, s->buf, s->bytes, helper_err, sizeof(helper_err));
}

static void fix_checksum(struct state *s)
{
	u64 hash = 0xcbf29ce484222325ULL, i;

	for (i = CHECKSUM_WORD + 1; i < s->bytes / 8; i++)
		hash = (hash ^ s->buf[i]) * 0x100000001b3ULL;
	s->buf[CHECKSUM_WORD] = hash;
}

/* ---- the same future ---- */

static const struct helper_load past = {
	.seed = 5, .nr = 6000, .depth = 8, .read_pct = 30, .discard_pct = 3, .flush_pct = 2,
	.fua_pct = 5, .max_units = 12, .any_sector = true,
};

static void check_same_future(struct ssdqos_flash_config cfg, u64 mib)
{
	struct ssdqos_flash *a = helper_create(&cfg, mib), *b;
	struct helper_load future = past;
	struct ssdqos_flash_gauges ga, gb;
	struct state s, again;

	helper_run(a, &past);
	helper_settle(a);
	s = save(a);
	cfg.aged_pct = 0;
	b = helper_create(&cfg, mib);
	assert_int_equal(load(b, &s), 0);
	helper_check(b);
	again = save(b);
	assert_int_equal(again.bytes, s.bytes);
	assert_memory_equal(again.buf, s.buf, s.bytes);
	future.seed = 6;
	assert_true(helper_run(a, &future) == helper_run(b, &future));
	ssdqos_flash_gauges(a, &ga);
	ssdqos_flash_gauges(b, &gb);
	assert_int_equal(ga.wear_sum, gb.wear_sum);
	assert_int_equal(ga.free_blocks, gb.free_blocks);
	assert_int_equal(ga.buffered_units, gb.buffered_units);
	free(s.buf);
	free(again.buf);
	ssdqos_flash_destroy(b);
	ssdqos_flash_destroy(a);
}

static void loaded_drive_has_the_same_future(void **state)
{
	struct ssdqos_flash_config cfg;
	u32 i;

	for (i = 0; i < 16; i++) {
		cfg = helper_config(i & 1);
		cfg.allocation = i >> 1 & 1;
		cfg.gc_policy = i >> 2 & 1;
		cfg.cache = i % 3;
		cfg.aged_pct = i & 8 ? 100 : 70;
		cfg.flush_start_pct = i & 2 ? 60 : 0;
		cfg.trim_mode = i & 4 ? SSDQOS_FLASH_TRIM_ERASE : SSDQOS_FLASH_TRIM_INVALIDATE;
		cfg.gc_copyback = i & 1;
		check_same_future(cfg, SIZE_MIB);
	}
}

static void buffered_units_are_part_of_it(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash *a, *b;
	struct ssdqos_flash_gauges g;
	struct state s;

	cfg.flush_start_pct = 90;
	a = helper_create(&cfg, SIZE_MIB);
	b = helper_create(&cfg, SIZE_MIB);
	helper_do(a, SSDQOS_FLASH_WRITE, 100, 77);
	helper_do(a, SSDQOS_FLASH_WRITE, 150, 1);
	s = save(a);
	assert_int_equal(load(b, &s), 0);
	ssdqos_flash_gauges(b, &g);
	assert_int_equal(g.buffered_units, 77);
	assert_int_equal(g.mapped_units, 77);
	helper_check(b);
	assert_int_equal(helper_do(b, SSDQOS_FLASH_READ, 150, 1), 2000);
	assert_int_equal(helper_do(b, SSDQOS_FLASH_WRITE, 100, 77), 2000);
	assert_int_equal(ssdqos_flash_stats(b)->coalesced_units, 77);
	free(s.buf);
	ssdqos_flash_destroy(a);
	ssdqos_flash_destroy(b);
}

static void busy_drive_is_neither_saved_nor_loaded(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct ssdqos_flash *f = helper_create(&cfg, SIZE_MIB);
	struct ssdqos_flash_req req;
	struct state s = save(f);
	u64 room[4];

	assert_int_equal(ssdqos_flash_save(f, room, sizeof(room)), -ENOSPC);
	helper_submit_units(f, &req, SSDQOS_FLASH_WRITE, 0, 4);
	assert_int_equal(ssdqos_flash_save(f, s.buf, s.bytes), -EBUSY);
	assert_int_equal(load(f, &s), -EBUSY);
	assert_string_equal(helper_err, "load: the drive is not idle");
	assert_int_equal(ssdqos_flash_age(f, 100, 1, helper_err, sizeof(helper_err)), -EBUSY);
	helper_settle(f);
	assert_int_equal(load(f, &s), 0);
	free(s.buf);
	ssdqos_flash_destroy(f);
}

/* ---- broken states ---- */

struct victim {
	struct ssdqos_flash *f;
	struct state good;	/* what the drive holds */
	struct state bad;	/* a state to spoil */
};

static void victim_make(struct victim *v, u32 preset, u32 allocation)
{
	struct ssdqos_flash_config cfg = helper_config(preset);

	cfg.aged_pct = 80;
	cfg.flush_start_pct = 50;
	cfg.allocation = allocation;
	v->f = helper_create(&cfg, SIZE_MIB);
	helper_run(v->f, &past);
	helper_settle(v->f);
	v->good = save(v->f);
	helper_do(v->f, SSDQOS_FLASH_WRITE, 9, 30);
	helper_settle(v->f);
	v->bad = save(v->f);
	assert_int_equal(load(v->f, &v->good), 0);
}

static void victim_end(struct victim *v)
{
	free(v->good.buf);
	free(v->bad.buf);
	ssdqos_flash_destroy(v->f);
}

static void check_unchanged(struct victim *v)
{
	struct state now = save(v->f);

	assert_int_equal(now.bytes, v->good.bytes);
	assert_memory_equal(now.buf, v->good.buf, now.bytes);
	free(now.buf);
}

static void check_refused(struct victim *v, const struct state *s)
{
	assert_int_equal(load(v->f, s), -EBADMSG);
	assert_memory_equal(helper_err, "load: can't take the state: ", 28);
	assert_true(strlen(helper_err) > 30);
}

static void broken_header_is_refused(void **state)
{
	struct victim v;
	u32 bit;

	victim_make(&v, SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_DYNAMIC);
	for (bit = 0; bit < HEADER_BYTES * 8; bit++) {
		u8 *byte = (u8 *)v.bad.buf + bit / 8, was = *byte;

		*byte ^= (u8)(1 << bit % 8);
		check_refused(&v, &v.bad);
		*byte = was;
	}
	check_unchanged(&v);
	assert_int_equal(load(v.f, &v.bad), 0);
	victim_end(&v);
}

static void wrong_header_is_refused_with_a_right_checksum(void **state)
{
	struct victim v;
	u32 bit;

	victim_make(&v, SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_DYNAMIC);
	for (bit = 0; bit < RESERVED_OFFSET * 8; bit++) {
		u8 *byte = (u8 *)v.bad.buf + bit / 8, was = *byte;
		u64 sum = v.bad.buf[CHECKSUM_WORD];

		/* the checksum itself, and a rotor that is a plane, too */
		if (bit / 64 == CHECKSUM_WORD || bit / 32 == RESERVED_OFFSET / 4 - 1)
			continue;
		*byte ^= (u8)(1 << bit % 8);
		fix_checksum(&v.bad);
		check_refused(&v, &v.bad);
		*byte = was;
		v.bad.buf[CHECKSUM_WORD] = sum;
	}
	check_unchanged(&v);
	assert_int_equal(load(v.f, &v.bad), 0);
	victim_end(&v);
}

static void short_state_is_refused(void **state)
{
	struct victim v;
	struct state cut;
	u64 bytes;

	victim_make(&v, SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_DYNAMIC);
	for (bytes = 0; bytes < v.bad.bytes; bytes += bytes < 160 ? 1 : 997) {
		cut.bytes = bytes;
		cut.buf = malloc(bytes ? bytes : 1);
		memcpy(cut.buf, v.bad.buf, bytes);
		check_refused(&v, &cut);
		free(cut.buf);
	}
	check_unchanged(&v);
	victim_end(&v);
}

static void state_of_another_drive_is_refused(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_TTFLASH);
	struct ssdqos_flash *other = helper_create(&cfg, SIZE_MIB);
	struct state s = save(other);
	struct victim v;

	victim_make(&v, SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_DYNAMIC);
	check_refused(&v, &s);
	assert_string_equal(helper_err,
			    "load: can't take the state: it belongs to a drive of another geometry");
	check_unchanged(&v);
	free(s.buf);
	ssdqos_flash_destroy(other);
	victim_end(&v);
}

static void flipped_bits_are_found(void **state)
{
	struct ssdqos_rng rng;
	struct victim v;
	u32 i;

	ssdqos_rng_seed(&rng, 11);
	victim_make(&v, SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_DYNAMIC);
	for (i = 0; i < 500; i++) {
		u8 *byte = (u8 *)v.bad.buf + ssdqos_rng_below(&rng, (u32)v.bad.bytes), was = *byte;

		*byte ^= (u8)(1 + ssdqos_rng_below(&rng, 255));
		check_refused(&v, &v.bad);
		*byte = was;
	}
	check_unchanged(&v);
	victim_end(&v);
}

/* A forged state is either refused, or it makes a drive that works. */
static void spoil(struct victim *v, struct ssdqos_rng *rng)
{
	u32 words = (u32)(v->bad.bytes / 4), n = 1 + ssdqos_rng_below(rng, 3);
	u32 body = words - HEADER_BYTES / 4;
	u32 *word = (u32 *)v->bad.buf;

	while (n--) {
		u32 at, other = HEADER_BYTES / 4 + ssdqos_rng_below(rng, body);

		/* blocks and planes are a small part of the whole: look there, too */
		if (ssdqos_rng_below(rng, 2))
			body = 6 * ssdqos_flash_geo(v->f)->nr_blocks +
			       7 * ssdqos_flash_geo(v->f)->nr_planes;
		at = HEADER_BYTES / 4 + ssdqos_rng_below(rng, body);
		switch (ssdqos_rng_below(rng, 6)) {
		case 0:
			word[at] = ssdqos_rng_below(rng, 70);
			break;
		case 1:
			word[at] ^= 1u << ssdqos_rng_below(rng, 32);
			break;
		case 2:
			word[at] = word[other];
			break;
		case 3:
			word[at] = ~0u;
			break;
		case 4:
			swap(word[at], word[other]);
			break;
		case 5:
			word[at] += ssdqos_rng_below(rng, 5) - 2;
			break;
		}
	}
	fix_checksum(&v->bad);
}

static void check_forged(u32 preset, u32 allocation, u64 seed)
{
	struct helper_load use = { .seed = 1, .nr = 1500, .depth = 16, .read_pct = 20,
				   .discard_pct = 5, .max_units = 16, .any_sector = true };
	struct ssdqos_rng rng;
	struct state keep;
	struct victim v;
	u32 i, taken = 0;

	ssdqos_rng_seed(&rng, seed);
	victim_make(&v, preset, allocation);
	keep.bytes = v.bad.bytes;
	keep.buf = malloc(keep.bytes);
	memcpy(keep.buf, v.bad.buf, keep.bytes);
	for (i = 0; i < 1000; i++) {
		spoil(&v, &rng);
		if (load(v.f, &v.bad)) {
			if (i % 64 == 0)
				check_unchanged(&v);
		} else {
			taken++;
			helper_check(v.f);
			if (taken % 4 == 0) {
				helper_run(v.f, &use);
				helper_settle(v.f);
				helper_check(v.f);
			}
			assert_int_equal(load(v.f, &v.good), 0);
		}
		memcpy(v.bad.buf, keep.buf, keep.bytes);
	}
	assert_true(taken > 50);	/* wear and ages may be anything */
	free(keep.buf);
	victim_end(&v);
}

static void forged_states_do_no_harm(void **state)
{
	check_forged(SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_DYNAMIC, 12);
	check_forged(SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_STATIC, 13);
	check_forged(SSDQOS_FLASH_TTFLASH, SSDQOS_FLASH_STATIC, 14);
}

/* ---- lack of memory ---- */

static void check_no_memory(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *f;
	u32 n;

	for (n = 1;; n++) {
		helper_err[0] = '\0';
		ssdqos_env_fail_at = n;
		f = ssdqos_flash_create(&cfg, SIZE_MIB * MIB_SECTORS, helper_err,
					sizeof(helper_err));
		if (f)
			break;
		assert_int_equal(ssdqos_env_fail_at, 0);
		assert_int_equal(ssdqos_env_live, 0);
		assert_non_null(strstr(helper_err, "no memory"));
	}
	ssdqos_env_fail_at = 0;
	assert_true(n > 10);
	ssdqos_flash_destroy(f);
	assert_int_equal(ssdqos_env_live, 0);
}

static void every_failed_allocation_is_survived(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	check_no_memory(cfg);
	cfg.aged_pct = 50;
	check_no_memory(cfg);
	cfg = helper_config(SSDQOS_FLASH_TTFLASH);
	cfg.aged_pct = 100;
	check_no_memory(cfg);
}

static void failed_allocation_leaves_the_drive_alone(void **state)
{
	struct victim v;
	u32 n;

	victim_make(&v, SSDQOS_FLASH_AUTOSSD, SSDQOS_FLASH_DYNAMIC);
	ssdqos_env_fail_at = 1;
	check_refused(&v, &v.bad);
	assert_string_equal(helper_err, "load: can't take the state: no memory to check it");
	for (n = 1; n <= 3; n++) {
		ssdqos_env_fail_at = n;
		assert_int_equal(ssdqos_flash_age(v.f, 50, 1, helper_err, sizeof(helper_err)), -ENOMEM);
		assert_string_equal(helper_err, "age: no memory");
	}
	check_unchanged(&v);
	victim_end(&v);
}

static void impossible_drives_are_refused(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	assert_null(ssdqos_flash_create(&cfg, 1000, helper_err, sizeof(helper_err)));
	assert_memory_equal(helper_err, "length: '1000'", 14);
	cfg.page_kib = 12;
	assert_null(ssdqos_flash_create(&cfg, SIZE_MIB * MIB_SECTORS, helper_err,
					sizeof(helper_err)));
	assert_memory_equal(helper_err, "page_kib: '12'", 14);
	ssdqos_flash_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loaded_drive_has_the_same_future),
		TEST(buffered_units_are_part_of_it),
		TEST(busy_drive_is_neither_saved_nor_loaded),
		TEST(broken_header_is_refused),
		TEST(wrong_header_is_refused_with_a_right_checksum),
		TEST(short_state_is_refused),
		TEST(state_of_another_drive_is_refused),
		TEST(flipped_bits_are_found),
		TEST(forged_states_do_no_harm),
		TEST(every_failed_allocation_is_survived),
		TEST(failed_allocation_leaves_the_drive_alone),
		TEST(impossible_drives_are_refused),
	};

	return cmocka_run_group_tests_name("flash_state", tests, NULL, NULL);
}
