// SPDX-License-Identifier: GPL-2.0
/*
 * Members take turns: who reads and who is written when, in which order they are written, who is
 * read, and how fast writes are taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mirror_helper.h"

#define MS 1000000ULL
#define SWITCH_MS 100u
#define IDLE_MS 20u
#define MAX_ERRORS 3u
/* So often the superblock is written if nothing else is. */
#define SUPER_MS 10000u
/* What a block takes until members were seen writing. */
#define FIRST_RATE_NS 53333u
/* Metadata that could not be written are tried again after so long. */
#define MAP_RETRY_MS 100u
/* Copies fail for so long. */
#define FAILS_MS 10000u

static int setup(void **state)
{
	ssdqos_mirror_config_init(&cfg);
	cfg.switch_ms = SWITCH_MS;
	cfg.idle_ms = IDLE_MS;
	cfg.cache_kib = SLOTS * SSDQOS_MIRROR_BLOCK_KIB;
	cfg.region_kib = 64;
	cfg.max_errors = MAX_ERRORS;
	cfg.throttle = 0;
	memset(&mirror, 0, sizeof(mirror));
	return 0;
}

static void writes(u32 member, u64 block, u32 nr)
{
	run_to(SSDQOS_MIRROR_OP_WRITE);
	assert_int_equal(op.member, member);
	assert_int_equal(op.block, block);
	assert_int_equal(op.nr, nr);
	done(0);
}

static void state_is(u32 member, u32 state)
{
	assert_string_equal(ssdqos_mirror_state_names[mirror.members[member].state],
			    ssdqos_mirror_state_names[state]);
}

static void states_are(u32 first, u32 second)
{
	state_is(0, first);
	state_is(1, second);
}

static void why_is(u32 why)
{
	assert_string_equal(ssdqos_mirror_why_names[mirror.why], ssdqos_mirror_why_names[why]);
}

/* Two members; 1 is written, 0 is read and lacks block 5. */
static void begin_turn(void)
{
	begin(2);
	run();
	write_block(5);
	run();
	states_are(SSDQOS_MIRROR_READING, SSDQOS_MIRROR_WRITING);
}

/* ---- transitions ---- */

static void first_turn(void **state)
{
	begin(2);
	run();
	states_are(SSDQOS_MIRROR_READING, SSDQOS_MIRROR_WRITING);
	why_is(SSDQOS_MIRROR_WHY_START);
}

static void time_ends_a_turn_and_idle_time_is_part_of_it(void **state)
{
	begin_turn();
	now = (SWITCH_MS - IDLE_MS) * MS - 1;
	assert_false(next());
	assert_int_equal(ssdqos_mirror_wake_ns(&mirror, now), now + 1);
	now++;
	run();
	states_are(SSDQOS_MIRROR_READING, SSDQOS_MIRROR_IDLING);
	why_is(SSDQOS_MIRROR_WHY_TIME);
	/* what it was written is durable before it is read */
	assert_int_equal(mirror.members[1].flushes_done, 1);
	assert_int_equal(ssdqos_mirror_wake_ns(&mirror, now), SWITCH_MS * MS);
	write_block(6);
	now = SWITCH_MS * MS - 1;
	run();
	states_are(SSDQOS_MIRROR_READING, SSDQOS_MIRROR_IDLING);
	now++;
	run_to(SSDQOS_MIRROR_OP_WRITE);
	assert_int_equal(op.member, 0);
	states_are(SSDQOS_MIRROR_SYNCING, SSDQOS_MIRROR_READING);
	done(0);
	run();
	states_are(SSDQOS_MIRROR_WRITING, SSDQOS_MIRROR_READING);
}

static void one_that_lacks_nothing_writes_at_once(void **state)
{
	begin(2);
	run();
	ssdqos_mirror_discard(&mirror, 0, 8);
	run();
	now = (SWITCH_MS - IDLE_MS) * MS;
	run();
	now = SWITCH_MS * MS;
	run_to(SSDQOS_MIRROR_OP_DISCARD);
	states_are(SSDQOS_MIRROR_WRITING, SSDQOS_MIRROR_READING);
	done(0);
	assert_int_equal(mirror.nr_discards, 0);
}

/* Runs until there is nothing to do now; how many superblocks are written on the way? */
static u32 supers_of_a_turn(void)
{
	const u64 before = mirror.stats.supers;

	write_block(5);
	run();
	now += (SWITCH_MS - IDLE_MS) * MS;
	run();
	now += IDLE_MS * MS;
	run();
	return (u32)(mirror.stats.supers - before);
}

static void with_a_journal_the_superblock_is_written_now_and_then(void **state)
{
	const u64 begun = SUPER_MS * MS;

	cfg.durability = SSDQOS_MIRROR_JOURNAL;
	begin(2);
	mirror.journal = SSDQOS_MIRROR_JOURNAL_USED;
	run();
	now = begun;
	ssdqos_mirror_drain(&mirror, false, now);
	assert_int_equal(supers_of_a_turn(), 1);
	while (now + 2 * SWITCH_MS * MS < 2 * begun)
		assert_int_equal(supers_of_a_turn(), 0);
	now = 2 * begun + SWITCH_MS * MS;
	ssdqos_mirror_drain(&mirror, false, now);
	assert_int_equal(supers_of_a_turn(), 1);
	/* who does not write does not write that either */
	now += 2 * begun;
	run();
	assert_int_equal(mirror.stats.supers, 2);
}

static void without_a_journal_it_is_not(void **state)
{
	begin(2);
	run();
	now = 2 * SUPER_MS * MS;
	ssdqos_mirror_drain(&mirror, false, now);
	assert_int_equal(supers_of_a_turn(), 0);
}

static void nobody_lacks_anything_no_turn_ends(void **state)
{
	begin(2);
	run();
	now = 10 * SWITCH_MS * MS;
	run();
	states_are(SSDQOS_MIRROR_READING, SSDQOS_MIRROR_WRITING);
	assert_int_equal(ssdqos_mirror_wake_ns(&mirror, now), SSDQOS_NEVER_NS);
}

static void a_full_cache_ends_a_turn_without_idle_time(void **state)
{
	u32 slot;

	begin(2);
	run();
	for (u32 i = 0; i < SLOTS; i++)
		write_block(i);
	run();
	states_are(SSDQOS_MIRROR_READING, SSDQOS_MIRROR_WRITING);
	assert_int_equal(ssdqos_mirror_take(&mirror, 1, &slot, now), SSDQOS_NEVER_NS);
	run();
	why_is(SSDQOS_MIRROR_WHY_FULL);
	states_are(SSDQOS_MIRROR_WRITING, SSDQOS_MIRROR_READING);
	assert_int_equal(mirror.stats.full_switches, 1);
	assert_int_equal(mirror.stats.waits, 1);
	assert_int_equal(ssdqos_mirror_take(&mirror, 1, &slot, now), 0);
	ssdqos_mirror_give_back(&mirror, slot);
	assert_int_equal(mirror.cache.used, 0);
}

static void hardly_any_room_ends_a_turn_too(void **state)
{
	u32 slot;

	cfg.throttle = 1;
	begin(2);
	run();
	mirror.pace.block_ns = 0;
	for (u32 i = 0; i < SLOTS - SLOTS / 16 + 1; i++)
		write_block(i);
	run();
	states_are(SSDQOS_MIRROR_READING, SSDQOS_MIRROR_WRITING);
	mirror.next_accept_ns = now + MS;
	assert_int_equal(ssdqos_mirror_take(&mirror, 1, &slot, now), now + MS);
	run();
	why_is(SSDQOS_MIRROR_WHY_FULL);
	states_are(SSDQOS_MIRROR_WRITING, SSDQOS_MIRROR_READING);
}

static void a_write_that_fails_is_the_end_of_its_member(void **state)
{
	begin(2);
	run();
	write_block(5);
	run_to(SSDQOS_MIRROR_OP_WRITE);
	done(1);
	run();
	states_are(SSDQOS_MIRROR_BOTH, SSDQOS_MIRROR_FAILED);
	why_is(SSDQOS_MIRROR_WHY_FAILURE);
	assert_int_equal(mirror.stats.failures, 1);
	assert_false(mirror.broken);
}

static void reads_that_fail_too_often(void **state)
{
	struct ssdqos_mirror_source s;

	begin_turn();
	for (u32 i = 0; i < MAX_ERRORS; i++) {
		state_is(0, SSDQOS_MIRROR_READING);
		ssdqos_mirror_read(&mirror, 100, 1, 0, &s);
		assert_int_equal(s.member, 0);
		ssdqos_mirror_read_done(&mirror, 0, true, now);
	}
	run();
	states_are(SSDQOS_MIRROR_FAILED, SSDQOS_MIRROR_BOTH);
	/* the last one's errors go up */
	for (u32 i = 0; i < 2 * MAX_ERRORS; i++) {
		ssdqos_mirror_read(&mirror, 100, 1, 0, &s);
		assert_int_equal(s.member, 1);
		ssdqos_mirror_read_done(&mirror, 1, true, now);
	}
	assert_false(mirror.broken);
	ssdqos_mirror_read(&mirror, 100, 1, 2, &s);
	assert_int_equal(s.member, SSDQOS_MIRROR_NOBODY);
}

static void the_last_member_stays_and_no_flush_is_answered(void **state)
{
	u64 mark;

	begin_turn();
	ssdqos_mirror_fail(&mirror, 0, now);
	run();
	write_block(7);
	mark = ssdqos_mirror_flush(&mirror);
	run_to(SSDQOS_MIRROR_OP_FLUSH);
	done(1);
	run();
	assert_true(mirror.broken);
	assert_true(ssdqos_mirror_flushed(&mirror) < mark);
	assert_int_equal(mirror.out, 1);
}

static void who_returns_is_copied_to_and_then_reads(void **state)
{
	begin_turn();
	ssdqos_mirror_fail(&mirror, 0, now);
	run();
	write_block(6);
	run();
	assert_int_equal(ssdqos_mirror_stale(&mirror), 0);
	ssdqos_mirror_join(&mirror, 0, false, now);
	state_is(0, SSDQOS_MIRROR_REBUILDING);
	/* what it lacks is not known yet: who asks now must not take it for whole */
	assert_int_equal(ssdqos_mirror_stale(&mirror), mirror.regions.nr);
	assert_int_equal(ssdqos_mirror_stale_of(&mirror, 0), mirror.regions.nr);
	assert_int_equal(ssdqos_mirror_stale_of(&mirror, 1), 0);
	run_to(SSDQOS_MIRROR_OP_COPY);
	assert_int_equal(ssdqos_mirror_stale(&mirror), 1);
	assert_int_equal(ssdqos_mirror_stale_of(&mirror, 0), 1);
	/* nothing of other regions */
	assert_int_equal(op.block, 0);
	assert_int_equal(op.nr, 16);
	assert_int_equal(op.member, 1);
	assert_int_equal(op.to, 1);
	states_are(SSDQOS_MIRROR_REBUILDING, SSDQOS_MIRROR_BOTH);
	why_is(SSDQOS_MIRROR_WHY_COPYING);
	done(0);
	run();
	assert_int_equal(mirror.regions.nr_stale, 0);
	assert_int_not_equal(mirror.members[0].state, SSDQOS_MIRROR_REBUILDING);
	assert_false(mirror.plain);
}

/* It was away meanwhile, so it lacks what was written after the copy has read. */
static void a_copy_from_before_a_failure_brings_nothing_up_to_date(void **state)
{
	static u8 masks[SSDQOS_MIRROR_MAP_REGIONS] = { 2 };
	struct ssdqos_mirror_op copy;

	now = 0;
	assert_int_equal(ssdqos_mirror_init(&mirror, &cfg, 2, BLOCKS), 0);
	ssdqos_regions_load(&mirror.regions, 0, masks);
	ssdqos_mirror_start(&mirror, &(struct ssdqos_mirror_known){ 0 }, now);
	run_to(SSDQOS_MIRROR_OP_COPY);
	copy = op;
	write_block(5);
	run();
	ssdqos_mirror_fail(&mirror, 1, now);
	run();
	assert_int_equal(mirror.cache.used, 0);
	ssdqos_mirror_join(&mirror, 1, false, now);
	run();
	ssdqos_mirror_done(&mirror, &copy, 0, now);
	assert_int_equal(mirror.regions.stale_of[1], 1);
	now += MS;
	run_to(SSDQOS_MIRROR_OP_COPY);
	assert_int_equal(op.block, 0);
	done(0);
	run();
	assert_int_equal(mirror.regions.nr_stale, 0);
}

/* 20,000 regions, of which the last one is to be copied: the lock is let go meanwhile. */
static void the_next_region_is_looked_for_in_steps(void **state)
{
	static u8 masks[SSDQOS_MIRROR_MAP_REGIONS];
	const u32 regions = 20000;
	u32 again = 0;

	now = 0;
	masks[(regions - 1) % SSDQOS_MIRROR_MAP_REGIONS] = 4;
	assert_int_equal(ssdqos_mirror_init(&mirror, &cfg, 3, 16 * regions), 0);
	ssdqos_regions_load(&mirror.regions, (regions - 1) / SSDQOS_MIRROR_MAP_REGIONS, masks);
	ssdqos_mirror_start(&mirror, &(struct ssdqos_mirror_known){ 0 }, now);
	for (op.kind = SSDQOS_MIRROR_OP_AGAIN; op.kind != SSDQOS_MIRROR_OP_COPY; now += MS)
		while (ssdqos_mirror_next(&mirror, &op, now) && op.kind != SSDQOS_MIRROR_OP_COPY)
			if (op.kind == SSDQOS_MIRROR_OP_AGAIN)
				again++;
			else
				done(0);
	assert_true(again);
	assert_int_equal(op.block, 16 * (regions - 1));
	done(0);
}

/* One of three comes back, and region 3 can't be read from some of the others.  Who tried? */
static u32 region_is_unread_by(u32 unread)
{
	u32 tried = 0;

	begin(3);
	run();
	ssdqos_mirror_fail(&mirror, 2, now);
	run();
	ssdqos_mirror_join(&mirror, 2, true, now);
	for (u32 i = 0; i < FAILS_MS; i++, now += MS)
		while (next()) {
			bool copies = op.kind == SSDQOS_MIRROR_OP_COPY && op.block == 3 * 16;

			tried |= copies ? 1u << op.member : 0;
			done(copies ? 1u << op.member & unread : 0);
		}
	return tried;
}

static void what_one_member_cannot_read_is_copied_from_another(void **state)
{
	for (u32 unread = 1; unread < 3; unread++) {
		assert_true(region_is_unread_by(unread) & ~unread);
		assert_int_equal(mirror.out, 0);
		assert_int_equal(mirror.regions.nr_stale, 0);
		assert_int_equal(mirror.stats.failures, 1);
		assert_int_equal(mirror.members[unread - 1].errors, mirror.stats.read_retries);
		ssdqos_mirror_exit(&mirror);
	}
	begin(3);
}

static void who_cannot_be_copied_to_from_anybody_is_given_up(void **state)
{
	assert_int_equal(region_is_unread_by(3), 3);
	assert_int_equal(mirror.out, 4);
	assert_int_equal(mirror.members[0].errors, 1);
	assert_int_equal(mirror.members[1].errors, 1);
	assert_false(mirror.broken);
}

/* After a power cut each of two leads somewhere, and one region can't be read. */
static void who_is_needed_elsewhere_outlives_a_copy_that_fails(void **state)
{
	static u8 masks[SSDQOS_MIRROR_MAP_REGIONS] = { [3] = 2, [4] = 2, [9] = 1 };
	u32 fails = 0;

	now = 0;
	assert_int_equal(ssdqos_mirror_init(&mirror, &cfg, 2, BLOCKS), 0);
	ssdqos_regions_load(&mirror.regions, 0, masks);
	ssdqos_mirror_start(&mirror, &(struct ssdqos_mirror_known){ 0 }, now);
	write_block(3 * 16);
	for (u32 i = 0; i < FAILS_MS; i++, now += MS)
		while (next()) {
			bool bad = op.kind == SSDQOS_MIRROR_OP_COPY && op.block == 3 * 16;

			fails += bad;
			done(bad ? 1u << op.member : 0);
		}
	/* it is tried again, and not all the time; the others were copied, so nobody needs him */
	assert_int_equal(fails, 2);
	assert_false(mirror.broken);
	assert_int_equal(mirror.out, 2);
	assert_int_equal(mirror.regions.nr_stale, 0);
}

static void who_waits_for_a_region_that_cannot_be_copied_holds_up_no_other(void **state)
{
	static u8 masks[SSDQOS_MIRROR_MAP_REGIONS] = { [3] = 2, [4] = 2, [9] = 1, [10] = 1 };
	u32 fails = 0;

	now = 0;
	/* no turn ends meanwhile */
	cfg.switch_ms = 3 * FAILS_MS;
	assert_int_equal(ssdqos_mirror_init(&mirror, &cfg, 2, BLOCKS), 0);
	ssdqos_regions_load(&mirror.regions, 0, masks);
	ssdqos_mirror_start(&mirror, &(struct ssdqos_mirror_known){ 0 }, now);
	write_block(3 * 16);
	write_block(9 * 16);
	for (u32 i = 0; i < FAILS_MS; i++, now += MS)
		while (next()) {
			bool bad = op.kind == SSDQOS_MIRROR_OP_COPY &&
				   (op.block == 3 * 16 || op.block == 9 * 16);

			fails += bad;
			done(bad ? 1u << op.member : 0);
		}
	/* neither can be given up */
	assert_false(mirror.broken);
	assert_int_equal(mirror.out, 0);
	assert_int_equal(mirror.regions.stale_of[0], 1);
	assert_int_equal(mirror.regions.stale_of[1], 1);
	assert_in_range(fails, 2, FAILS_MS / 1000 + 1);
	assert_true(ssdqos_mirror_wake_ns(&mirror, now) != SSDQOS_NEVER_NS);
	for (op.kind = SSDQOS_MIRROR_OP_AGAIN; op.kind != SSDQOS_MIRROR_OP_COPY; now += MS)
		if (next())
			done(op.kind == SSDQOS_MIRROR_OP_COPY ? 1u << op.member : 0);
	/* a suspend does not wait for what can't be done, and others have what is in the cache */
	write_block(3 * 16);
	ssdqos_mirror_drain(&mirror, true, now);
	for (;;) {
		while (next())
			done(op.kind == SSDQOS_MIRROR_OP_COPY ? 1u << op.member : 0);
		if (ssdqos_mirror_is_drained(&mirror))
			break;
		now = ssdqos_mirror_wake_ns(&mirror, now);
		assert_true(now < 2 * FAILS_MS * MS);
	}
}

static void draining_writes_both(void **state)
{
	begin_turn();
	ssdqos_mirror_drain(&mirror, true, now);
	run();
	states_are(SSDQOS_MIRROR_BOTH, SSDQOS_MIRROR_BOTH);
	why_is(SSDQOS_MIRROR_WHY_DRAINING);
	assert_true(ssdqos_mirror_is_drained(&mirror));
}

/* Masks that could not be written may be there all the same: nobody may rely on those before them. */
static void masks_that_failed_may_be_there(void **state)
{
	begin_turn();
	ssdqos_mirror_drain(&mirror, true, now);
	run_to(SSDQOS_MIRROR_OP_MAP);
	/* members have the same, these say; and one leads, those before them do */
	assert_int_equal(mirror.regions.image[0], 0);
	assert_int_not_equal(mirror.regions.regions[0].disk, 0);
	done(1);
	assert_false(ssdqos_mirror_is_drained(&mirror));
	ssdqos_mirror_drain(&mirror, false, now);
	write_block(5);
	assert_false(next());
	now += MAP_RETRY_MS * MS;
	assert_true(next());
	assert_int_equal(op.kind, SSDQOS_MIRROR_OP_MAP);
	assert_int_equal(mirror.regions.image[0], 0);
	done(0);
	assert_true(next());
	assert_int_equal(op.kind, SSDQOS_MIRROR_OP_MAP);
	assert_int_not_equal(mirror.regions.image[0], 0);
	done(0);
	assert_true(next());
	assert_int_equal(op.kind, SSDQOS_MIRROR_OP_WRITE);
}

/* ---- order ---- */

static void neighbours_go_in_one_write(void **state)
{
	begin(2);
	run();
	for (u32 i = 0; i < 4; i++)
		write_block(8 + i);
	write_block(13);
	writes(1, 8, 4);
	writes(1, 13, 1);
	assert_false(next());
}

static void what_others_have_goes_before_what_is_new(void **state)
{
	cfg.idle_ms = 0;
	begin_turn();
	now = SWITCH_MS * MS;
	/* the turn begins: 0 gets 5, which 1 has */
	run_to(SSDQOS_MIRROR_OP_FLUSH);
	done(0);
	write_block(500);
	write_block(7);
	run_to(SSDQOS_MIRROR_OP_WRITE);
	assert_int_equal(op.member, 0);
	assert_int_equal(op.block, 5);
	done(0);
	writes(0, 7, 1);
	writes(0, 500, 1);
}

static void what_was_written_again_goes_once(void **state)
{
	begin(2);
	run();
	write_block(5);
	write_block(5);
	write_block(5);
	writes(1, 5, 1);
	assert_false(next());
	assert_int_equal(mirror.stats.merged, 4);
}

/* ---- reads ---- */

static u32 reader(u64 block)
{
	struct ssdqos_mirror_source s;

	ssdqos_mirror_read(&mirror, block, 1, 0, &s);
	assert_int_equal(s.slot, SSDQOS_NIL);
	return s.member;
}

static void reads_go_to_who_has_fewest_and_never_to_a_writer(void **state)
{
	u32 first, second;

	begin(3);
	run();
	state_is(1, SSDQOS_MIRROR_WRITING);
	first = reader(100);
	second = reader(100);
	assert_int_not_equal(first, second);
	assert_true(first != 1 && second != 1);
	ssdqos_mirror_read_done(&mirror, second, false, now);
	for (u32 i = 0; i < 8; i++) {
		u32 member = reader(100);

		assert_true(member != 1);
		assert_true(mirror.members[0].reads <= mirror.members[2].reads + 1);
		assert_true(mirror.members[2].reads <= mirror.members[0].reads + 1);
	}
	ssdqos_mirror_fail(&mirror, 0, now);
	ssdqos_mirror_fail(&mirror, 2, now);
	assert_int_equal(reader(100), 1);
}

static void what_is_in_the_cache_is_read_there(void **state)
{
	struct ssdqos_mirror_source s;

	begin_turn();
	ssdqos_mirror_read(&mirror, 5, 8, 0, &s);
	assert_int_not_equal(s.slot, SSDQOS_NIL);
	assert_int_equal(s.nr, 1);
	ssdqos_mirror_unpin(&mirror, s.slot);
	/* up to there, from a member */
	ssdqos_mirror_read(&mirror, 2, 8, 0, &s);
	assert_int_equal(s.nr, 3);
	assert_int_equal(s.member, 0);
	ssdqos_mirror_read_done(&mirror, 0, false, now);
}

/* Members have it, and nothing is to be done any more: who waits for room hears of it so. */
static void the_last_reader_makes_room(void **state)
{
	struct ssdqos_mirror_source first, second;

	begin_turn();
	ssdqos_mirror_read(&mirror, 5, 1, 0, &first);
	ssdqos_mirror_read(&mirror, 5, 1, 0, &second);
	assert_int_equal(first.slot, second.slot);
	ssdqos_mirror_drain(&mirror, true, now);
	run();
	assert_int_equal(mirror.cache.used, 1);
	assert_false(next());
	assert_false(ssdqos_mirror_unpin(&mirror, first.slot));
	assert_true(ssdqos_mirror_unpin(&mirror, second.slot));
	assert_int_equal(mirror.cache.used, 0);
}

/* ---- flushes ---- */

static void a_flush_of_a_clean_mirror_costs_nothing(void **state)
{
	u64 mark;

	begin_turn();
	mark = ssdqos_mirror_flush(&mirror);
	run();
	assert_true(ssdqos_mirror_flushed(&mirror) >= mark);
	assert_int_equal(mirror.stats.member_flushes, 1);
	mark = ssdqos_mirror_flush(&mirror);
	run();
	assert_true(ssdqos_mirror_flushed(&mirror) >= mark);
	assert_int_equal(mirror.stats.member_flushes, 1);
}

/* Blocks stay in the cache until a member is flushed, and yet it is seen that it gets them. */
static void what_is_left_falls_with_each_write(void **state)
{
	u64 left;

	cfg.run_kib = SSDQOS_MIRROR_BLOCK_KIB;
	cfg.depth = 1;
	begin(2);
	for (u32 i = 0; i < 8; i++)
		write_block(2 * i);
	ssdqos_mirror_drain(&mirror, true, now);
	left = ssdqos_mirror_left(&mirror);
	while (next()) {
		if (op.kind == SSDQOS_MIRROR_OP_WRITE) {
			assert_true(ssdqos_mirror_left(&mirror) < left);
			left = ssdqos_mirror_left(&mirror);
		}
		done(0);
	}
	assert_true(ssdqos_mirror_is_drained(&mirror));
	assert_int_equal(ssdqos_mirror_left(&mirror), 0);
}

/* ---- rate ---- */

static u64 gap_of(u64 rate_ns, u32 used)
{
	u32 room = SLOTS - used > SLOTS / 16 ? SLOTS - used : SLOTS / 16;

	/* each block is written twice, one member at a time; as fast as that with 3 of 16 free */
	return 2 * rate_ns * SLOTS * 3 / (16 * room);
}

static void accepts_after(u64 gap_ns)
{
	u32 slot;

	write_block(500);
	assert_int_equal(ssdqos_mirror_take(&mirror, 1, &slot, now), now + gap_ns);
	now += gap_ns;
}

static void writes_are_taken_at_half_of_the_rate(void **state)
{
	cfg.throttle = 1;
	begin(2);
	run();
	/* at once, as long as there is room */
	for (u32 i = 0; i <= SLOTS / 2; i++)
		write_block(i);
	now = MS;
	mirror.last_accept_ns = now;
	accepts_after(gap_of(FIRST_RATE_NS, SLOTS / 2 + 1));
	accepts_after(gap_of(FIRST_RATE_NS, SLOTS / 2 + 2));
	/* a write of some blocks takes a second */
	run_to(SSDQOS_MIRROR_OP_WRITE);
	now += 1000 * MS;
	done(0);
	assert_true(mirror.pace.block_ns > FIRST_RATE_NS);
	assert_true(mirror.pace.block_ns < 1000 * MS / op.nr);
	mirror.next_accept_ns = now;
	mirror.last_accept_ns = now;
	accepts_after(gap_of(mirror.pace.block_ns, mirror.cache.used));
}

#define FAST_NS MS
#define SLOW_NS (4 * MS)
#define LONG_NS (60 * 1000 * MS)

/* The next instruction, whose blocks take as long as the member's do. */
static bool works(const u64 *block_ns)
{
	if (!next())
		return false;
	if (op.kind == SSDQOS_MIRROR_OP_WRITE)
		now += op.nr * block_ns[op.member];
	done(0);
	return true;
}

static void speeds_are_told_and_the_slowest_sets_the_rate(void **state)
{
	const u64 block_ns[] = { FAST_NS, SLOW_NS };
	u64 block = 0;
	u32 slot;

	cfg.throttle = 1;
	begin(2);
	assert_int_equal(mirror.members[0].pace.block_ns, 0);
	while (now < LONG_NS) {
		if (!ssdqos_mirror_take(&mirror, 1, &slot, now))
			ssdqos_mirror_publish(&mirror, block++ % BLOCKS, slot);
		if (!works(block_ns))
			now += MS;
	}
	assert_int_equal(mirror.members[0].pace.block_ns, FAST_NS);
	assert_int_equal(mirror.members[1].pace.block_ns, SLOW_NS);
	assert_true(mirror.stats.writes > LONG_NS / SLOW_NS / 2);
	assert_true(mirror.stats.writes <= LONG_NS / SLOW_NS + SLOTS);
}

/* ---- parameters ---- */

static void check_says(u32 members, const char *sentence)
{
	char err[128] = "";

	assert_int_equal(ssdqos_mirror_config_check(&cfg, members, err, sizeof(err)), -22);
	assert_string_equal(err, sentence);
}

static void parameters_that_do_not_fit(void **state)
{
	char err[128] = "";

	assert_int_equal(ssdqos_mirror_config_check(&cfg, 2, err, sizeof(err)), 0);
	cfg.writers = 2;
	check_says(2, "writers: '2' leaves none of the 2 members to read from");
	assert_int_equal(ssdqos_mirror_config_check(&cfg, 3, err, sizeof(err)), 0);
	cfg.writers = 1;
	cfg.idle_ms = SWITCH_MS;
	check_says(2, "idle_ms: '100' has to be less than switch_ms (100)");
	cfg.idle_ms = 0;
	cfg.region_kib = 96;
	check_says(2, "region_kib: '96' is not a power of two");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_turn),
		TEST(time_ends_a_turn_and_idle_time_is_part_of_it),
		TEST(one_that_lacks_nothing_writes_at_once),
		TEST(with_a_journal_the_superblock_is_written_now_and_then),
		TEST(without_a_journal_it_is_not),
		TEST(nobody_lacks_anything_no_turn_ends),
		TEST(a_full_cache_ends_a_turn_without_idle_time),
		TEST(hardly_any_room_ends_a_turn_too),
		TEST(a_write_that_fails_is_the_end_of_its_member),
		TEST(reads_that_fail_too_often),
		TEST(the_last_member_stays_and_no_flush_is_answered),
		TEST(who_returns_is_copied_to_and_then_reads),
		TEST(a_copy_from_before_a_failure_brings_nothing_up_to_date),
		TEST(the_next_region_is_looked_for_in_steps),
		TEST(what_one_member_cannot_read_is_copied_from_another),
		TEST(who_cannot_be_copied_to_from_anybody_is_given_up),
		TEST(who_is_needed_elsewhere_outlives_a_copy_that_fails),
		TEST(who_waits_for_a_region_that_cannot_be_copied_holds_up_no_other),
		TEST(masks_that_failed_may_be_there),
		TEST(draining_writes_both),
		TEST(neighbours_go_in_one_write),
		TEST(what_others_have_goes_before_what_is_new),
		TEST(what_was_written_again_goes_once),
		TEST(reads_go_to_who_has_fewest_and_never_to_a_writer),
		TEST(what_is_in_the_cache_is_read_there),
		TEST(the_last_reader_makes_room),
		TEST(a_flush_of_a_clean_mirror_costs_nothing),
		TEST(what_is_left_falls_with_each_write),
		TEST(writes_are_taken_at_half_of_the_rate),
		TEST(speeds_are_told_and_the_slowest_sets_the_rate),
		TEST(parameters_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
