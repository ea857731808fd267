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

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "../../tools/sim/platform/env.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define REST_NS 100000000000ULL
#define MAX_STEPS 1000000
#define CHECKSUM_WORD 2		/* of 64 bits; all words behind it are covered */
#define HEADER_BYTES sizeof(struct state_header)
#define HEADER_WORDS ((u32)(HEADER_BYTES / 4))

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

static void check_same_future(struct ssdqos_flash_config cfg, u64 mib, u32 nr)
{
	struct ssdqos_flash *a = helper_create(&cfg, mib), *b;
	struct helper_load future = past, before = past;
	struct ssdqos_flash_gauges ga, gb;
	struct state s, again;

	before.nr = nr;
	future.nr = nr;
	helper_run(a, &before);
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
		check_same_future(cfg, SIZE_MIB, 6000);
	}
}

/* All tasks at work, with a cache for half of the map. */
static struct ssdqos_flash_config everything(u32 scheduler, bool rain)
{
	struct ssdqos_flash_config cfg;

	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_AUTOSSD);
	cfg.scheduler = scheduler;
	cfg.map_cache_kib = 32;
	cfg.rain = rain;
	cfg.allocation = rain ? SSDQOS_FLASH_STATIC : SSDQOS_FLASH_DYNAMIC;
	cfg.channels = 2;
	cfg.chips_per_channel = 2;
	cfg.pages_per_block = 16;
	cfg.aged_reads = 1000;
	cfg.scrub_start_reads = 990;
	cfg.scrub_stop_reads = 980;
	cfg.wear_start_cycles = 6;
	cfg.aged_pe_cycles = 10;
	cfg.share_period_ns = 1000000;
	return cfg;
}

static void loaded_tasks_have_the_same_future(void **state)
{
	struct ssdqos_flash_config cfg;
	u32 i;

	for (i = 0; i < 12; i++) {
		cfg = everything(i % 4, i / 4 == 1);
		cfg.aged_pct = 100;
		cfg.gc_scope = i & 1;
		cfg.cache = i % 3;
		cfg.quiet_ns = i & 2 ? 3000000 : 0;
		cfg.flush_start_pct = i & 1 ? 60 : 0;
		cfg.gc_copyback = i & 1;
		check_same_future(cfg, SIZE_MIB, 1500);
	}
}

/* The host was quiet for longer than the drive that takes the state is old: what waits for a quiet
 * host has nothing to wait for.
 */
static void check_rested(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *a = helper_create(&cfg, SIZE_MIB), *b;
	struct helper_load before = past;
	struct state s;
	u32 i;

	before.nr = 1500;
	helper_run(a, &before);
	helper_settle(a);
	assert_true(ssdqos_flash_advance(a, helper_now(a) + REST_NS));
	s = save(a);
	cfg.aged_pct = 0;
	b = helper_create(&cfg, SIZE_MIB);
	assert_true(ssdqos_flash_advance(b, REST_NS / 10));
	assert_int_equal(load(b, &s), 0);
	/* work that no read or write of the host brings */
	assert_int_equal(ssdqos_flash_set(b, "gc_stop_blocks", "12", helper_err,
					  sizeof(helper_err)), 0);
	assert_int_equal(ssdqos_flash_set(b, "gc_start_blocks", "10", helper_err,
					  sizeof(helper_err)), 0);
	assert_true(ssdqos_flash_next_ns(b) != SSDQOS_NEVER_NS);
	for (i = 0; i < MAX_STEPS && ssdqos_flash_next_ns(b) < 2 * REST_NS; i++)
		helper_step(b);
	assert_true(ssdqos_flash_idle(b));
	assert_true(ssdqos_flash_task_stats(b, SSDQOS_TASK_GC)->issued > 0);
	free(s.buf);
	ssdqos_flash_destroy(b);
	ssdqos_flash_destroy(a);
}

static void a_drive_that_rested_has_rested_when_it_is_loaded(void **state)
{
	struct ssdqos_flash_config cfg = everything(SSDQOS_FLASH_DEBIT, false);

	cfg.aged_pct = 100;
	cfg.op_permille = 1000;	/* room for more free blocks than it keeps */
	cfg.gc_plane_blocks = 0;
	cfg.gc_start_blocks = 3;
	cfg.gc_stop_blocks = 4;
	cfg.quiet_ns = 3000000;
	check_rested(cfg);
	cfg.gc_copyback = 1;
	cfg.verify = 1;
	cfg.verify_quiet_ns = 3000000;
	check_rested(cfg);
	cfg.scheduler = SSDQOS_FLASH_FIFO;
	check_rested(cfg);
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

static void victim_make_of(struct victim *v, struct ssdqos_flash_config cfg)
{
	struct helper_load before = past;

	cfg.aged_pct = 80;
	cfg.flush_start_pct = 50;
	v->f = helper_create(&cfg, SIZE_MIB);
	before.nr = 2000;
	helper_run(v->f, &before);
	helper_settle(v->f);
	v->good = save(v->f);
	helper_do(v->f, SSDQOS_FLASH_WRITE, 9, 30);
	helper_settle(v->f);
	v->bad = save(v->f);
	assert_int_equal(load(v->f, &v->good), 0);
}

static void victim_make(struct victim *v, u32 preset, u32 allocation)
{
	struct ssdqos_flash_config cfg = helper_config(preset);

	cfg.allocation = allocation;
	victim_make_of(v, cfg);
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
	for (bit = 0; bit < offsetof(struct state_header, map_rotor) * 8; bit++) {
		u8 *byte = (u8 *)v.bad.buf + bit / 8, was = *byte;
		u64 sum = v.bad.buf[CHECKSUM_WORD];

		/* the checksum itself, and a rotor that is a plane, too */
		if (bit / 64 == CHECKSUM_WORD ||
		    bit / 32 == offsetof(struct state_header, rotor) / 4)
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

/* Some place; most of a state is the map, so look at the small parts, too. */
static u32 spoil_at(const struct victim *v, struct ssdqos_rng *rng)
{
	const struct state_header *h = (const struct state_header *)v->bad.buf;
	u32 chips = h->nr_chips * (u32)(sizeof(struct state_chip) / 4);
	u32 rest = h->nr_blocks * (u32)(sizeof(struct state_block) / 4) +
		   h->nr_planes * (u32)(sizeof(struct state_plane) / 4);
	u32 words = (u32)(v->bad.bytes / 4), tasks = offsetof(struct state_header, map_rotor) / 4;

	switch (ssdqos_rng_below(rng, h->nr_cached ? 5 : 4)) {
	case 0:
		return tasks + ssdqos_rng_below(rng, HEADER_WORDS - tasks);
	case 1:
		return HEADER_WORDS + ssdqos_rng_below(rng, chips);
	case 2:
		return HEADER_WORDS + chips + ssdqos_rng_below(rng, rest);
	case 3:
		return HEADER_WORDS + ssdqos_rng_below(rng, words - HEADER_WORDS);
	default:
		return words - 1 - ssdqos_rng_below(rng, h->nr_cached);
	}
}

/* A forged state is either refused, or it makes a drive that works. */
static void spoil(struct victim *v, struct ssdqos_rng *rng)
{
	u32 words = (u32)(v->bad.bytes / 4), n = 1 + ssdqos_rng_below(rng, 3);
	u32 *word = (u32 *)v->bad.buf;

	while (n--) {
		u32 at = spoil_at(v, rng), other = HEADER_WORDS +
						   ssdqos_rng_below(rng, words - HEADER_WORDS);

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

static void check_forged(struct ssdqos_flash_config cfg, u64 seed)
{
	struct helper_load use = { .seed = 1, .nr = 600, .depth = 16, .read_pct = 20,
				   .discard_pct = 5, .max_units = 16, .any_sector = true };
	struct ssdqos_rng rng;
	struct state keep;
	struct victim v;
	u32 i, taken = 0;

	ssdqos_rng_seed(&rng, seed);
	victim_make_of(&v, cfg);
	keep.bytes = v.bad.bytes;
	keep.buf = malloc(keep.bytes);
	memcpy(keep.buf, v.bad.buf, keep.bytes);
	for (i = 0; i < 500; i++) {
		spoil(&v, &rng);
		if (load(v.f, &v.bad)) {
			if (i % 64 == 0)
				check_unchanged(&v);
		} else {
			taken++;
			helper_check(v.f);
			if (taken % 8 == 0) {
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
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	check_forged(cfg, 12);
	cfg.allocation = SSDQOS_FLASH_STATIC;
	check_forged(cfg, 13);
	check_forged(helper_config(SSDQOS_FLASH_TTFLASH), 14);
}

static void forged_states_of_tasks_do_no_harm(void **state)
{
	struct ssdqos_flash_config cfg;
	u32 i;

	for (i = 0; i < 3; i++) {
		cfg = everything(SSDQOS_FLASH_PRIORITY + i, i == 2);
		/* what claims billions of cycles is levelled for years */
		cfg.wear_start_cycles = 0;
		check_forged(cfg, 15 + i);
	}
}

/* Spoil one word, and say what has to come. */
static void check_spoiled(struct victim *v, void *at, u32 value, const char *why)
{
	u32 *word = at, was = *word;

	*word = value;
	fix_checksum(&v->bad);
	check_refused(v, &v->bad);
	assert_string_equal(helper_err + strlen("load: can't take the state: "), why);
	*word = was;
	fix_checksum(&v->bad);
}

static void *upper_half(u64 *word)
{
	return (u32 *)word + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

static void spoiled_parts_are_named(void **state)
{
	struct ssdqos_flash_config cfg = everything(SSDQOS_FLASH_DEBIT, false);
	struct state_parts p;
	struct victim v;

	victim_make_of(&v, cfg);
	flash_state_split(v.f, v.bad.buf, &p);
	check_spoiled(&v, &p.header->next_chip[SSDQOS_TASK_GC], v.f->geo.nr_chips,
		      "a task's chip is broken");
	check_spoiled(&v, &p.planes[1].read_max_block, 0, "a plane's most-read block is broken");
	check_spoiled(&v, &p.planes[1].read_max_block, v.f->geo.nr_blocks,
		      "a plane's most-read block is broken");
	check_spoiled(&v, upper_half(&p.header->host_age_ns), 1u << 31, "its times are broken");
	check_spoiled(&v, upper_half(&p.header->share_age_ns), 1u << 31, "its times are broken");
	assert_true(p.header->nr_cached >= 8);
	check_spoiled(&v, &p.cached[0], v.f->map.nr_pages,
		      "its list of pages of the map is broken");
	check_spoiled(&v, &p.cached[0], p.cached[1] | STATE_DIRTY,
		      "its list of pages of the map is broken");
	check_spoiled(&v, &p.header->nr_cached, v.f->map.nr_pages + 1,
		      "it has more pages of the map than there are");
	check_spoiled(&v, &p.header->map_rotor, v.f->geo.nr_planes, "its checksum is wrong");
	check_unchanged(&v);
	assert_int_equal(load(v.f, &v.bad), 0);
	victim_end(&v);
}

static bool has_room(const struct victim *v, const struct state_plane *plane, u32 stream)
{
	return plane->open_block[stream] != SSDQOS_NIL &&
	       plane->next_page[stream] < v->f->geo.pages_per_block;
}

/* What a stream has filled may be free again before it asks for another block,
 * and be the open block of another stream by then.
 */
static void a_full_block_may_be_anothers_open_one(void **state)
{
	struct ssdqos_flash_config cfg = everything(SSDQOS_FLASH_DEBIT, false);
	struct state_plane *plane;
	struct state_parts p;
	struct victim v;
	u32 i, tried = 0;

	victim_make_of(&v, cfg);
	flash_state_split(v.f, v.bad.buf, &p);
	for (i = 0; i < v.f->geo.nr_planes; i++) {
		plane = &p.planes[i];
		if (has_room(&v, plane, FLASH_STREAM_GC) || !has_room(&v, plane, FLASH_STREAM_MAP))
			continue;
		plane->open_block[FLASH_STREAM_GC] = plane->open_block[FLASH_STREAM_MAP];
		plane->next_page[FLASH_STREAM_GC] = v.f->geo.pages_per_block;
		tried++;
	}
	assert_true(tried > 0);
	fix_checksum(&v.bad);
	assert_int_equal(load(v.f, &v.bad), 0);
	victim_end(&v);
}

/* Blocks of a plane but @keep free ones are closed, and nothing in them is valid. */
static void fill_plane(const struct victim *v, struct state_parts *p, u32 plane, u32 keep)
{
	u32 i = plane * v->f->geo.blocks_per_plane, end = i + v->f->geo.blocks_per_plane;

	for (; i < end; i++) {
		if (p->blocks[i].state != FLASH_BLOCK_FREE)
			continue;
		if (keep) {
			keep--;
			continue;
		}
		p->blocks[i].state = FLASH_BLOCK_CLOSED;
		p->blocks[i].done_pages = v->f->geo.pages_per_block;
	}
}

/* All open blocks are a stream's, and no block is left in the middle of its collection. */
static void check_blocks_at_rest(const struct ssdqos_flash *f)
{
	u32 i, s, nr_open = 0, nr_theirs = 0;

	for (i = 0; i < f->geo.nr_blocks; i++) {
		assert_int_not_equal(f->blocks[i].state, FLASH_BLOCK_VICTIM);
		nr_open += f->blocks[i].state == FLASH_BLOCK_OPEN;
	}
	for (i = 0; i < f->geo.nr_planes; i++)
		for (s = 0; s < FLASH_NR_STREAMS; s++) {
			u32 block = f->planes[i].open[s].block;

			nr_theirs += block != SSDQOS_NIL && f->blocks[block].state == FLASH_BLOCK_OPEN;
		}
	assert_int_equal(nr_open, nr_theirs);
}

/* Collection of the whole drive begins with the first plane that is short of blocks, when
 * all planes are what they were.
 */
static void planes_are_restored_before_they_collect(void **state)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);
	struct state_parts p;
	struct victim v;

	cfg.op_permille = 1000;
	cfg.pages_per_block = 16;
	cfg.gc_copyback = 1;
	cfg.gc_start_blocks = 2;
	cfg.gc_stop_blocks = 3;
	victim_make_of(&v, cfg);
	flash_state_split(v.f, v.bad.buf, &p);
	fill_plane(&v, &p, 0, FLASH_GC_RESERVE_BLOCKS);
	fix_checksum(&v.bad);
	cfg = v.f->cfg;
	cfg.gc_scope = SSDQOS_FLASH_GC_DRIVE;
	cfg.gc_stop_blocks = 200;
	cfg.gc_start_blocks = 199;
	assert_int_equal(ssdqos_flash_retune(v.f, &cfg, helper_err, sizeof(helper_err)), 0);
	helper_settle(v.f);
	assert_int_equal(load(v.f, &v.bad), 0);
	assert_true(v.f->gc_active);
	helper_settle(v.f);
	helper_check(v.f);
	check_blocks_at_rest(v.f);
	victim_end(&v);
}

static void loaded_shares_and_credit_are_within_bounds(void **state)
{
	struct ssdqos_flash_config cfg = everything(SSDQOS_FLASH_DEBIT, false);
	struct ssdqos_flash_gauges g;
	struct state_parts p;
	struct victim v;
	u32 task;

	victim_make_of(&v, cfg);
	flash_state_split(v.f, v.bad.buf, &p);
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		p.header->share_ppm[task] = ~0u;
	p.header->map_credit = ~0u;
	fix_checksum(&v.bad);
	assert_int_equal(load(v.f, &v.bad), 0);
	ssdqos_flash_gauges(v.f, &g);
	assert_int_equal(g.share_ppm[SSDQOS_TASK_GC], 800000);
	assert_int_equal(g.share_ppm[SSDQOS_TASK_MAP], cfg.map_share_permille * 1000);
	assert_int_equal(g.share_ppm[SSDQOS_TASK_HOST], 100000);
	assert_int_equal(v.f->map.credit, 1024);
	p.header->share_ppm[SSDQOS_TASK_GC] = 0;
	fix_checksum(&v.bad);
	assert_int_equal(load(v.f, &v.bad), 0);
	ssdqos_flash_gauges(v.f, &g);
	assert_int_equal(g.share_ppm[SSDQOS_TASK_GC], cfg.gc_share_permille * 1000);
	victim_end(&v);
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
	cfg = everything(SSDQOS_FLASH_WFQ, true);
	check_no_memory(cfg);
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
		TEST(loaded_tasks_have_the_same_future),
		TEST(a_drive_that_rested_has_rested_when_it_is_loaded),
		TEST(buffered_units_are_part_of_it),
		TEST(busy_drive_is_neither_saved_nor_loaded),
		TEST(broken_header_is_refused),
		TEST(wrong_header_is_refused_with_a_right_checksum),
		TEST(short_state_is_refused),
		TEST(state_of_another_drive_is_refused),
		TEST(flipped_bits_are_found),
		TEST(forged_states_do_no_harm),
		TEST(forged_states_of_tasks_do_no_harm),
		TEST(spoiled_parts_are_named),
		TEST(a_full_block_may_be_anothers_open_one),
		TEST(planes_are_restored_before_they_collect),
		TEST(loaded_shares_and_credit_are_within_bounds),
		TEST(every_failed_allocation_is_survived),
		TEST(failed_allocation_leaves_the_drive_alone),
		TEST(impossible_drives_are_refused),
	};

	return cmocka_run_group_tests_name("flash_state", tests, NULL, NULL);
}
