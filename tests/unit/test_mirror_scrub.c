// SPDX-License-Identifier: GPL-2.0
/*
 * Members are compared: what is compared and what is left out, who is taken to be wrong, that it
 * is mended by a copy, and that nothing is sent to where it is compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mirror_helper.h"

#define REGION_BLOCKS 16u
#define REGIONS (BLOCKS / REGION_BLOCKS)
/* 1 MB/s: a region of 64 KiB takes 65.536 ms. */
#define SLOW_MB_S 1
#define SLOW_NS 65536000ULL
#define LONG_NS 1000000000ULL

static int setup(void **state)
{
	ssdqos_mirror_config_init(&cfg);
	cfg.switch_ms = 100;
	cfg.cache_kib = SLOTS * SSDQOS_MIRROR_BLOCK_KIB;
	cfg.region_kib = REGION_BLOCKS * SSDQOS_MIRROR_BLOCK_KIB;
	cfg.rebuild_mb_s = 0;
	cfg.throttle = 0;
	memset(&mirror, 0, sizeof(mirror));
	return 0;
}

/* The comparison that is to be done finds this. */
static void finds(u32 bad, u32 differ)
{
	assert_int_equal(op.kind, SSDQOS_MIRROR_OP_COMPARE);
	op.differ = differ;
	ssdqos_mirror_done(&mirror, &op, bad, now);
}

static void test_all_is_compared_once(void **state)
{
	begin(3);
	ssdqos_mirror_scrub(&mirror, true, now);
	for (u32 i = 0; i < REGIONS; i++) {
		run_to(SSDQOS_MIRROR_OP_COMPARE);
		assert_int_equal(op.block, i * REGION_BLOCKS);
		assert_int_equal(op.nr, REGION_BLOCKS);
		assert_int_equal(op.member, 0);
		assert_int_equal(op.to, 6);
		finds(0, 0);
	}
	run();
	assert_int_equal(mirror.scrub.step, SSDQOS_MIRROR_SCRUB_OFF);
	assert_int_equal(mirror.stats.compared_blocks, BLOCKS);
	assert_int_equal(mirror.stats.scrubs, 1);
	assert_int_equal(mirror.stats.differing_blocks, 0);
	assert_int_equal(mirror.stats.copied_blocks, 0);
}

static void test_it_keeps_to_its_rate(void **state)
{
	cfg.rebuild_mb_s = SLOW_MB_S;
	begin(2);
	ssdqos_mirror_scrub(&mirror, true, now);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	finds(0, 0);
	run();
	assert_int_equal(mirror.stats.compared_blocks, REGION_BLOCKS);
	assert_int_equal(ssdqos_mirror_wake_ns(&mirror, now), SLOW_NS);
	now = SLOW_NS;
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	finds(0, 0);
	assert_int_equal(mirror.stats.compared_blocks, 2 * REGION_BLOCKS);
}

static void test_what_differs_is_copied(void **state)
{
	begin(3);
	ssdqos_mirror_scrub(&mirror, true, now);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	finds(4, 2);
	/* after a power cut it is known that it differs */
	run_to(SSDQOS_MIRROR_OP_MAP);
	assert_int_equal(mirror.regions.image[0] & 4, 4);
	ssdqos_mirror_done(&mirror, &op, 0, now);
	run_to(SSDQOS_MIRROR_OP_COPY);
	assert_int_equal(op.block, 0);
	assert_int_equal(op.nr, REGION_BLOCKS);
	assert_int_equal(op.to, 4);
	assert_in_range(op.member, 0, 1);
	ssdqos_mirror_done(&mirror, &op, 0, now);
	run();
	assert_int_equal(mirror.stats.differing_blocks, 2);
	assert_int_equal(mirror.stats.compared_blocks, BLOCKS);
	assert_int_equal(mirror.stats.not_mended, 0);
	assert_int_equal(mirror.stats.failures, 0);
}

static void test_what_is_cached_is_left_out(void **state)
{
	begin(2);
	run();
	write_block(5);
	run();
	ssdqos_mirror_discard(&mirror, 8, 3);
	ssdqos_mirror_scrub(&mirror, true, now);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	assert_int_equal(op.block, 0);
	for (u32 i = 0; i < REGION_BLOCKS; i++)
		assert_int_equal(ssdqos_mirror_skips(&mirror.scrub, i), i == 5 || (i >= 8 && i < 11));
	finds(0, 0);
}

static void test_nothing_is_sent_meanwhile(void **state)
{
	begin(2);
	run();
	ssdqos_mirror_scrub(&mirror, true, now);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	write_block(3);
	write_block(REGION_BLOCKS + 3);
	ssdqos_mirror_flush(&mirror);
	for (struct ssdqos_mirror_op compare = op; next();) {
		if (op.kind == SSDQOS_MIRROR_OP_WRITE)
			assert_int_equal(op.block, REGION_BLOCKS + 3);
		ssdqos_mirror_done(&mirror, &op, 0, now);
		if (op.kind != SSDQOS_MIRROR_OP_WRITE)
			continue;
		op = compare;
		finds(0, 0);
		break;
	}
	run_to(SSDQOS_MIRROR_OP_WRITE);
	assert_int_equal(op.block, 3);
}

/* Who differs was sent something there: it is on its stable storage before the copy comes. */
static void test_what_was_sent_is_flushed_first(void **state)
{
	begin(2);
	run();
	/* member 1 is written */
	write_block(3);
	run_to(SSDQOS_MIRROR_OP_WRITE);
	assert_int_equal(op.member, 1);
	ssdqos_mirror_done(&mirror, &op, 0, now);
	ssdqos_mirror_scrub(&mirror, true, now);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	assert_true(ssdqos_mirror_skips(&mirror.scrub, 3));
	/* region 0 is led by who was written, on the metadata: so 0 is wrong */
	assert_int_equal(op.member, 1);
	assert_int_equal(op.to, 1);
	finds(1, 1);
	run_to(SSDQOS_MIRROR_OP_COPY);
	assert_int_equal(op.to, 1);
	ssdqos_mirror_done(&mirror, &op, 0, now);
	now += LONG_NS;
	/* and what it lacks comes afterwards */
	run_to(SSDQOS_MIRROR_OP_WRITE);
	assert_int_equal(op.member, 0);
	assert_int_equal(op.block, 3);
}

static void test_one_member_is_not_compared(void **state)
{
	begin(2);
	run();
	ssdqos_mirror_fail(&mirror, 1, now);
	ssdqos_mirror_scrub(&mirror, true, now);
	run();
	assert_int_equal(mirror.scrub.step, SSDQOS_MIRROR_SCRUB_OFF);
	assert_int_equal(mirror.stats.compared_blocks, 0);
	assert_int_equal(mirror.stats.not_compared_blocks, BLOCKS);
}

static void test_it_can_be_stopped_and_begun_again(void **state)
{
	begin(2);
	run();
	ssdqos_mirror_scrub(&mirror, true, now);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	finds(0, 0);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	ssdqos_mirror_scrub(&mirror, true, now);
	finds(0, 0);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	assert_int_equal(op.block, 0);
	ssdqos_mirror_scrub(&mirror, false, now);
	finds(0, 0);
	run();
	assert_int_equal(mirror.scrub.step, SSDQOS_MIRROR_SCRUB_OFF);
	assert_int_equal(mirror.stats.compared_blocks, 3 * REGION_BLOCKS);
	assert_int_equal(mirror.stats.scrubs, 0);
}

/* Nobody is left who could be right. */
static void test_who_is_right_fails(void **state)
{
	begin(2);
	run();
	ssdqos_mirror_scrub(&mirror, true, now);
	run_to(SSDQOS_MIRROR_OP_COMPARE);
	ssdqos_mirror_fail(&mirror, 0, now);
	finds(2, 1);
	run();
	assert_int_equal(mirror.stats.not_mended, 1);
	assert_int_equal(mirror.regions.nr_stale, 0);
}

#define JUDGE(lost_, ...) ssdqos_mirror_judge(&op, lost_, (u32[]){ __VA_ARGS__, 4, 5, 6, 7 })

static void test_most_are_right(void **state)
{
	begin(2);
	op.member = 1;
	op.to = 0xd;
	assert_int_equal(JUDGE(0, 0, 0, 0, 0), 0);
	assert_int_equal(JUDGE(0, 0, 0, 2, 0), 4);
	/* also if it is the leader who differs */
	assert_int_equal(JUDGE(0, 0, 1, 0, 0), 2);
	/* of as many, what the leader has */
	assert_int_equal(JUDGE(0, 0, 1, 0, 1), 5);
	assert_int_equal(JUDGE(0, 0, 1, 2, 3), 0xd);
	/* who can't read has no vote */
	assert_int_equal(JUDGE(8, 0, 1, 0, 3), 0xa);
	assert_int_equal(JUDGE(2, 0, 1, 0, 0), 2);
	assert_int_equal(JUDGE(0xf, 0, 1, 2, 3), 0xf);
	op.to = 1;
	assert_int_equal(JUDGE(0, 0, 1, 2, 3), 1);
	assert_int_equal(JUDGE(2, 0, 1, 2, 3), 2);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, finish)
	const struct CMUnitTest tests[] = {
		T(test_all_is_compared_once),
		T(test_it_keeps_to_its_rate),
		T(test_what_differs_is_copied),
		T(test_what_is_cached_is_left_out),
		T(test_nothing_is_sent_meanwhile),
		T(test_what_was_sent_is_flushed_first),
		T(test_one_member_is_not_compared),
		T(test_it_can_be_stopped_and_begun_again),
		T(test_who_is_right_fails),
		T(test_most_are_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
