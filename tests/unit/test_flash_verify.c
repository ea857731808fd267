// SPDX-License-Identifier: GPL-2.0
/*
 * What was only copied inside flash is read through the controller, once, when there is time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/bits.h"
#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define SIZE_MIB 64
#define NR_WRITES 3000
#define QUIET_NS 1000000
#define SEEDS 3
#define SECOND_NS 1000000000ULL
#define REST_MIB 1024
#define REST_WRITES 20000
#define EVENTS (1u << SSDQOS_FLASH_EV_NAND_COMPLETED | 1u << SSDQOS_FLASH_EV_BLOCK_VERIFIED)

static struct ssdqos_flash_config config(void)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_TTFLASH);

	cfg.channels = 4;
	cfg.chips_per_channel = 2;
	cfg.pages_per_block = 32;
	cfg.op_permille = 400;
	cfg.buffer_kib = 256;
	cfg.aged_pct = 100;
	cfg.gc_start_blocks = 4;
	cfg.gc_stop_blocks = 6;
	cfg.gc_copyback = 1;
	cfg.verify = 1;
	cfg.verify_quiet_ns = QUIET_NS;
	return cfg;
}

static struct ssdqos_flash_config striped(void)
{
	struct ssdqos_flash_config cfg = config();

	cfg.op_permille = 600;
	cfg.rain = 1;
	cfg.gc_blocking = SSDQOS_FLASH_GC_BLOCKS_PLANE;
	cfg.rotate = SSDQOS_FLASH_ROTATE_ON;
	return cfg;
}

/*
 * What the records say, apart from what the drive remembers: which pages were copied and not read
 * since, which were read without need, and which of those that are left are in erased blocks.
 */
struct seen {
	struct ssdqos_flash *f;
	bool *unverified;
	u32 copied;
	u32 verified;
	u32 in_vain;		/* reads of pages that were not copied, or read already */
	u32 blocks;		/* told to be verified */
};

static struct seen see(struct ssdqos_flash *f)
{
	struct seen s = { .f = f, .unverified = calloc(f->geo.nr_psn, sizeof(bool)) };

	assert_non_null(s.unverified);
	ssdqos_flash_log_enable(f, EVENTS);
	return s;
}

static void end(struct seen *s)
{
	helper_check(s->f);
	ssdqos_flash_destroy(s->f);
	free(s->unverified);
}

static void see_operation(struct seen *s, const struct ssdqos_flash_record *rec)
{
	u32 pages = s->f->geo.pages_per_block, page = rec->block * pages + rec->page, i;

	if (rec->op == SSDQOS_NAND_COPYBACK) {
		s->unverified[page] = true;
		s->copied++;
	} else if (rec->op == SSDQOS_NAND_ERASE) {
		for (i = 0; i < pages; i++)
			s->unverified[rec->block * pages + i] = false;
	} else if (rec->op == SSDQOS_NAND_READ && rec->task == SSDQOS_TASK_VERIFY) {
		assert_int_equal(rec->units, s->f->geo.units_per_page);
		s->in_vain += !s->unverified[page];
		s->unverified[page] = false;
		s->verified++;
	}
}

static void step(struct seen *s)
{
	const struct flash_task *task = &s->f->task[SSDQOS_TASK_VERIFY];
	struct ssdqos_flash_record rec;
	u32 before = task->outstanding;

	helper_step(s->f);
	/* a share that shrinks doesn't call back what is under way */
	assert_true(task->outstanding <= task->limit || task->outstanding <= before);
	while (ssdqos_flash_log_take(s->f, &rec, 1))
		if (rec.event == SSDQOS_FLASH_EV_NAND_COMPLETED)
			see_operation(s, &rec);
		else
			s->blocks++;
}

static void settle(struct seen *s)
{
	while (ssdqos_flash_next_ns(s->f) != SSDQOS_NEVER_NS)
		step(s);
}

/* Until @ns of the drive's time. */
static void rest_until(struct seen *s, u64 ns)
{
	while (ssdqos_flash_next_ns(s->f) <= ns)
		step(s);
	assert_true(ssdqos_flash_advance(s->f, ns));
}

/* Requests one at a time, each @pause_ns after the one before has ended. */
static void requests(struct seen *s, u64 seed, u32 nr, u32 read_pct, u64 pause_ns)
{
	struct ssdqos_flash_req req;
	struct ssdqos_rng rng;

	ssdqos_rng_seed(&rng, seed);
	while (nr--) {
		u32 op = ssdqos_rng_below(&rng, 100) < read_pct ? SSDQOS_FLASH_READ :
								 SSDQOS_FLASH_WRITE;

		helper_submit_units(s->f, &req, op, ssdqos_rng_below(&rng, s->f->geo.nr_lpn), 1);
		while (req.complete_ns == SSDQOS_NEVER_NS)
			step(s);
		ssdqos_flash_take_done(s->f);
		rest_until(s, helper_now(s->f) + pause_ns);
	}
}

/* Pages that were copied, not read since, and still hold data. */
static u32 left(const struct seen *s)
{
	const struct ssdqos_flash *f = s->f;
	u32 page, i, nr = 0;

	for (page = 0; page < f->geo.nr_psn >> f->geo.page_shift; page++)
		for (i = 0; s->unverified[page] && i < f->geo.units_per_page; i++)
			if (f->p2l[(page << f->geo.page_shift) + i] != SSDQOS_NIL) {
				nr++;
				break;
			}
	return nr;
}

static u32 unverified(const struct ssdqos_flash *f)
{
	struct ssdqos_flash_gauges g;

	ssdqos_flash_gauges(f, &g);
	return g.unverified_pages;
}

/* A drive that has copied, and had no time to look at that. */
static struct seen behind(struct ssdqos_flash_config cfg, u64 seed)
{
	struct seen s = see(helper_create(&cfg, SIZE_MIB));

	requests(&s, seed, NR_WRITES, 0, 0);
	assert_true(unverified(s.f) > 100);
	return s;
}

static void check_once(struct ssdqos_flash_config cfg, u64 seed)
{
	struct seen s = behind(cfg, seed);
	const struct ssdqos_flash_stats *stats = ssdqos_flash_stats(s.f);

	settle(&s);
	assert_int_equal(unverified(s.f), 0);
	assert_int_equal(left(&s), 0);
	assert_int_equal(s.in_vain, 0);
	assert_true(s.copied > 100 && s.verified > s.copied / 2);
	assert_int_equal(stats->flash_copybacks, s.copied);
	assert_int_equal(stats->verify_pages, s.verified);
	assert_true(stats->verify_pages + stats->verify_forgotten <= s.copied);
	assert_int_equal(stats->verify_blocks, s.blocks);
	assert_true(s.blocks > 10);
	end(&s);
}

static void copied_pages_are_verified_once(void **state)
{
	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct ssdqos_flash_config cfg = config();

		check_once(cfg, seed);
		check_once(striped(), seed);
		cfg.page_kib = 16;	/* copied only where a page is all valid */
		cfg.pages_per_block = 8;
		cfg.aged_bs = 65536;
		check_once(cfg, seed);
	}
}

/* A drive that was written to until all came to rest. */
static struct seen see_writes(const struct ssdqos_flash_config *cfg)
{
	struct seen s = see(helper_create(cfg, SIZE_MIB));

	requests(&s, 1, NR_WRITES, 0, 0);
	settle(&s);
	return s;
}

static void nothing_happens_without(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct seen s;

	cfg.verify = 0;
	s = see_writes(&cfg);
	assert_true(s.copied > 1000);
	assert_int_equal(s.verified, 0);
	assert_int_equal(unverified(s.f), 0);
	assert_int_equal(s.f->task[SSDQOS_TASK_VERIFY].stats.issued, 0);
	end(&s);
}

/* What a verifying drive would take from the host is the host's where nothing is verified. */
static void host_has_the_share_of_what_is_off(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct ssdqos_flash *f;
	u32 share_ppm;

	cfg.verify_share_permille = 300;
	f = helper_create(&cfg, SIZE_MIB);
	share_ppm = f->task[SSDQOS_TASK_HOST].share_ppm;
	assert_int_equal(ssdqos_flash_set(f, "verify", "off", helper_err, sizeof(helper_err)), 0);
	assert_int_equal(f->task[SSDQOS_TASK_HOST].share_ppm, share_ppm + 300000);
	ssdqos_flash_destroy(f);
}

static void copies_through_the_controller_are_none(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct seen s;

	cfg.gc_copyback = 0;
	s = see_writes(&cfg);
	assert_true(ssdqos_flash_stats(s.f)->gc_moved_units > 1000);
	assert_int_equal(s.verified, 0);
	end(&s);
}

/* While requests come faster than verify_quiet_ns, no page is verified; then, after that time. */
static void host_is_left_alone(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct seen s;
	u64 last_ns;

	cfg.program_ns = QUIET_NS / 10;	/* so that collection keeps no read for that long */
	cfg.erase_ns = QUIET_NS / 10;
	s = behind(cfg, 2);
	assert_int_equal(s.verified, 0);
	requests(&s, 3, 500, 100, QUIET_NS / 4);
	assert_int_equal(s.verified, 0);
	last_ns = s.f->host_ns;
	while (!s.f->verify.nr_reads)
		step(&s);
	assert_true(helper_now(s.f) >= last_ns + QUIET_NS);
	settle(&s);
	assert_int_equal(left(&s), 0);
	end(&s);
}

/* As many reads as the share is, and one in a plane, whatever the scheduler. */
static void share_is_the_limit(void **state)
{
	for (u32 scheduler = 0; scheduler < 4; scheduler++) {
		struct ssdqos_flash_config cfg = config();
		u32 most = 0;
		struct seen s;

		cfg.scheduler = scheduler;
		cfg.verify_share_permille = 1000 * 3 / (8 * 4);	/* of 8 chips that take 4 */
		s = behind(cfg, 4);
		while (unverified(s.f)) {
			step(&s);
			most = s.f->verify.nr_reads > most ? s.f->verify.nr_reads : most;
		}
		assert_int_equal(most, 3);
		end(&s);
	}
}

static void plane_that_empties_a_block_is_left_alone(void **state)
{
	struct seen s = behind(config(), 5);
	u32 plane, busy = 0, before;

	while (!s.f->verify.nr_reads)
		step(&s);
	s.f->holds[busy].emptying++;
	while (flash_bits_test(s.f->verify.reading, busy))
		step(&s);
	before = unverified(s.f);
	for (plane = 0; plane < 5000; plane++) {
		step(&s);
		assert_false(flash_bits_test(s.f->verify.reading, busy));
	}
	assert_true(unverified(s.f) < before && unverified(s.f) > 0);
	s.f->holds[busy].emptying--;
	settle(&s);
	assert_int_equal(unverified(s.f), 0);
	end(&s);
}

/* Where more is left to verify than the target, the share grows, and the host need not be quiet. */
static void feedback_works_beside_the_host(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct seen s;
	u32 before;

	cfg.scheduler = SSDQOS_FLASH_DEBIT;
	cfg.verify_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.verify_share_p_ppm = 1000;
	cfg.verify_target = 100;
	s = behind(cfg, 6);
	before = s.verified;
	requests(&s, 7, 2000, 100, QUIET_NS / 2);
	assert_true(s.verified > before + 100);
	assert_true(unverified(s.f) <= 150);
	settle(&s);
	assert_int_equal(unverified(s.f), 0);
	assert_int_equal(s.in_vain, 0);
	end(&s);
}

/* What the scheduler holds until the host is quiet is not queued before. */
static void nothing_waits_for_the_scheduler(void **state)
{
	struct ssdqos_flash_config cfg = config();
	struct seen s;

	cfg.scheduler = SSDQOS_FLASH_DEBIT;
	cfg.quiet_ns = 4 * QUIET_NS;
	cfg.verify_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.program_ns = QUIET_NS / 10;
	cfg.erase_ns = QUIET_NS / 10;
	s = behind(cfg, 13);
	requests(&s, 14, 500, 100, 3 * QUIET_NS);
	assert_int_equal(s.f->task[SSDQOS_TASK_VERIFY].stats.issued, 0);
	assert_int_equal(s.f->task[SSDQOS_TASK_VERIFY].waiting, 0);
	settle(&s);
	assert_int_equal(unverified(s.f), 0);
	assert_int_equal(s.in_vain, 0);
	end(&s);
}

/* All is discarded and written again: blocks are erased before anybody looked at them. */
static void erased_blocks_are_forgotten(void **state)
{
	struct seen s = behind(config(), 8);
	const struct ssdqos_flash_stats *stats = ssdqos_flash_stats(s.f);
	u32 was = unverified(s.f), forgotten = (u32)stats->verify_forgotten;
	struct ssdqos_flash_req req;

	helper_submit_units(s.f, &req, SSDQOS_FLASH_DISCARD, 0, s.f->geo.nr_lpn);
	while (req.complete_ns == SSDQOS_NEVER_NS)
		step(&s);
	requests(&s, 9, s.f->geo.nr_lpn, 0, 0);
	assert_true(stats->verify_forgotten > forgotten + was / 2);
	settle(&s);
	assert_int_equal(s.in_vain, 0);
	assert_int_equal(left(&s), 0);
	end(&s);
}

static void switched_off_it_rests(void **state)
{
	struct seen s = behind(config(), 10);
	u32 was, verified, copied = s.copied;

	assert_int_equal(ssdqos_flash_set(s.f, "verify", "off", helper_err, sizeof(helper_err)), 0);
	verified = s.verified;
	settle(&s);
	was = unverified(s.f);
	copied = s.copied - copied;
	assert_true(was > 100);
	assert_int_equal(s.verified, verified);
	assert_true(ssdqos_flash_idle(s.f));
	assert_int_equal(ssdqos_flash_set(s.f, "verify", "on", helper_err, sizeof(helper_err)), 0);
	settle(&s);
	assert_int_equal(unverified(s.f), 0);
	assert_true(s.verified > was / 2);
	assert_true(left(&s) <= copied);	/* of what was copied meanwhile */
	end(&s);
}

/* A page of a stripe that is being verified is there for those that are rebuilt. */
static void reads_are_rebuilt_all_the_same(void **state)
{
	struct ssdqos_flash_config cfg = striped();
	const struct ssdqos_flash_stats *stats;
	struct seen s;

	cfg.verify_share_mode = SSDQOS_FLASH_SHARE_FEEDBACK;
	cfg.verify_share_permille = 200;
	cfg.verify_share_p_ppm = 10000;
	cfg.verify_target = 1;
	cfg.verify_quiet_ns = 10000;
	s = see(helper_create(&cfg, SIZE_MIB));
	stats = ssdqos_flash_stats(s.f);
	requests(&s, 11, 10000, 70, 100000);
	assert_true(s.verified > 200);
	assert_true(stats->reconstructed_reads > 100);
	assert_int_equal(stats->blocked_reads, 0);
	end(&s);
}

/* Ageing and loading leave nothing to verify of what was there before. */
static void another_life_has_nothing_to_verify(void **state)
{
	struct seen s = behind(config(), 12);

	assert_int_equal(ssdqos_flash_set(s.f, "verify", "off", helper_err, sizeof(helper_err)), 0);
	settle(&s);
	assert_int_equal(ssdqos_flash_age(s.f, 100, 1, helper_err, sizeof(helper_err)), 0);
	assert_int_equal(unverified(s.f), 0);
	end(&s);
}

/* A state is saved when all is verified, so it needs to know nothing of that. */
static void state_has_nothing_to_verify(void **state)
{
	struct seen s = behind(config(), 17);
	static u64 buf[1 << 20];

	while (s.f->planes[0].array_op != SSDQOS_NIL)
		step(&s);
	assert_int_equal(ssdqos_flash_save(s.f, buf, sizeof(buf)), -EBUSY);
	settle(&s);
	assert_int_equal(unverified(s.f), 0);
	assert_true(ssdqos_flash_state_bytes(s.f) <= sizeof(buf));
	assert_int_equal(ssdqos_flash_save(s.f, buf, sizeof(buf)), 0);
	assert_int_equal(ssdqos_flash_load(s.f, buf, sizeof(buf), helper_err, sizeof(helper_err)), 0);
	assert_int_equal(unverified(s.f), 0);
	end(&s);
}

/* Both papers' drive: collected, verified, and hardly a read that waited for it. */
static void preset_hides_collection(void **state)
{
	struct helper_load fill = { .seed = 15, .nr = 20000, .depth = 8, .max_units = 1 };
	const struct ssdqos_flash_stats *stats;
	struct ssdqos_flash_config cfg;
	struct seen s;

	assert_int_equal(ssdqos_flash_config_set(&cfg, "preset", "ttflash-autossd", helper_err,
						 sizeof(helper_err)), SSDQOS_FLASH_P_preset);
	assert_int_equal(cfg.channel_mb_s, 41);		/* ttFlash's chips */
	assert_int_equal(cfg.scheduler, SSDQOS_FLASH_DEBIT);
	assert_int_equal(cfg.array_scope, SSDQOS_FLASH_ARRAY_PLANE);
	cfg.aged_pct = 100;
	cfg.pages_per_block = 16;
	s = see(helper_create(&cfg, 256));
	ssdqos_flash_log_enable(s.f, 0);
	helper_run(s.f, &fill);
	settle(&s);
	ssdqos_flash_reset_stats(s.f);
	requests(&s, 16, 20000, 70, 200000);
	stats = ssdqos_flash_stats(s.f);
	assert_true(stats->gc_blocks > 1000);
	assert_true(stats->reconstructed_reads > 100);
	assert_in_range(stats->blocked_reads, 0, stats->reads / 2000);	/* 0.05 % */
	settle(&s);
	assert_int_equal(unverified(s.f), 0);
	assert_true(stats->verify_pages > 1000);
	end(&s);
}

/* For how long the drive goes on after random writes. */
static u64 time_to_idle(struct ssdqos_flash *f, bool rest)
{
	u64 begin_ns;
	u32 i;

	for (i = 1; i <= REST_WRITES / HELPER_MAX_DEPTH; i++) {
		struct helper_load load = { .seed = i, .nr = HELPER_MAX_DEPTH,
					    .depth = HELPER_MAX_DEPTH };

		helper_run(f, &load);
	}
	begin_ns = helper_now(f);
	ssdqos_flash_rest(f, rest);
	helper_settle(f);
	helper_check(f);
	return helper_now(f) - begin_ns;
}

static void a_drive_that_is_to_rest_is_soon_idle(void **state)
{
	struct ssdqos_flash_config cfg;
	const struct ssdqos_flash_stats *stats;
	struct ssdqos_flash *f;
	u32 left;

	ssdqos_flash_config_init(&cfg, SSDQOS_FLASH_TTFLASH_AUTOSSD);
	cfg.aged_pct = 100;
	f = helper_create(&cfg, REST_MIB);
	stats = ssdqos_flash_stats(f);
	assert_true(time_to_idle(f, false) > 2 * SECOND_NS);
	assert_true(time_to_idle(f, true) < SECOND_NS / 2);
	left = unverified(f);
	assert_true(left > 100);
	ssdqos_flash_rest(f, false);
	helper_settle(f);
	assert_int_equal(unverified(f), 0);
	assert_true(stats->verify_pages > left / 2);
	ssdqos_flash_destroy(f);
}

/* Requests that need room get it. */
static void a_drive_that_is_to_rest_serves_what_it_has(void **state)
{
	static const u32 scopes[] = { SSDQOS_FLASH_GC_PLANE, SSDQOS_FLASH_GC_DRIVE };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(scopes) * 2; i++) {
		struct helper_load load = { .seed = i, .nr = 20000, .depth = 32, .check_every = 1000 };
		struct ssdqos_flash_config cfg = i & 1 ? striped() : config();
		struct ssdqos_flash *f;

		cfg.gc_scope = scopes[i / 2];
		f = helper_create(&cfg, SIZE_MIB);
		ssdqos_flash_rest(f, true);
		helper_run(f, &load);
		helper_settle(f);
		ssdqos_flash_rest(f, false);
		helper_run(f, &load);
		helper_settle(f);
		helper_check(f);
		ssdqos_flash_destroy(f);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, helper_start, helper_finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(copied_pages_are_verified_once),
		TEST(nothing_happens_without),
		TEST(host_has_the_share_of_what_is_off),
		TEST(copies_through_the_controller_are_none),
		TEST(host_is_left_alone),
		TEST(share_is_the_limit),
		TEST(plane_that_empties_a_block_is_left_alone),
		TEST(feedback_works_beside_the_host),
		TEST(nothing_waits_for_the_scheduler),
		TEST(erased_blocks_are_forgotten),
		TEST(preset_hides_collection),
		TEST(switched_off_it_rests),
		TEST(reads_are_rebuilt_all_the_same),
		TEST(another_life_has_nothing_to_verify),
		TEST(state_has_nothing_to_verify),
		TEST(a_drive_that_is_to_rest_is_soon_idle),
		TEST(a_drive_that_is_to_rest_serves_what_it_has),
	};

	return cmocka_run_group_tests_name("flash_verify", tests, NULL, NULL);
}
