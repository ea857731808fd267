// SPDX-License-Identifier: GPL-2.0
/*
 * Whatever the journal's device does in which order, a write comes out when its record and all
 * before it are durable, and until no superblock has them any more nothing is written over them;
 * when the device fails, all writes come out without a record.  And which writes share one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/mirror/flow.h"
#include "mirror_helper.h"

#define LEAST SSDQOS_JOURNAL_MIN_SIZE
#define FIRST SSDQOS_JOURNAL_FIRST
#define FULL SSDQOS_JOURNAL_MAX_BLOCKS
#define MOST_BLOCKS 400u
#define MOST_NR 32u
#define SWITCH_MS 100u
#define MS 1000000ULL
#define LIVES 300u
#define STEPS 400u
#define MOST_WRITES (STEPS + 1)
#define MOST_PENDING (2 * SSDQOS_FLOW_RECORDS + 1)

static struct ssdqos_flow flow;
static struct ssdqos_rng rng;

static u32 draw(u32 below)
{
	return ssdqos_rng_below(&rng, below);
}

/* ---- clients ---- */

static struct write {
	struct ssdqos_flow_write flow;
	u64 block;
	u32 slots[FULL];
} writes[MOST_WRITES];
static u32 added, came_out;

/* Return: whether there was room for it. */
static bool add(u32 nr)
{
	struct write *write = &writes[added];

	assert_true(added < MOST_WRITES);
	write->flow.nr = nr;
	write->block = draw(BLOCKS - nr);
	if (ssdqos_mirror_take(&mirror, nr, write->slots, now))
		return false;
	added++;
	if (ssdqos_flow_add(&flow, &write->flow))
		return true;
	/* there is no journal, and nobody before it */
	assert_false(flow.on);
	assert_int_equal(came_out, added - 1);
	came_out++;
	for (u32 i = 0; i < nr; i++)
		ssdqos_mirror_publish(&mirror, write->block + i, write->slots[i]);
	return true;
}

/* ---- the device ---- */

/* By block, the record that is there for sure; 0: none. */
static u64 disk[MOST_BLOCKS];
static struct record {
	struct ssdqos_journal_record place;
	u32 left;
	bool durable;
} records[MOST_WRITES];
static u64 durable_tail, answered_seq;
static struct {
	struct ssdqos_flow_record *record;	/* NULL: a superblock */
	u64 at;
	u32 nr;
	u64 seq;
	bool failed;
} pending[MOST_PENDING];
static u32 nr_pending;
static bool fails;
/* Of flow's records: some of it has failed. */
static bool failed_part[SSDQOS_FLOW_RECORDS];
static u32 lives_full, lives_lapped, lives_lost;

static void issue(struct ssdqos_flow_record *record, u64 at, u32 nr, u64 seq)
{
	assert_true(nr_pending < MOST_PENDING);
	assert_true(record ? at >= FIRST : at < FIRST);
	assert_true(at + nr <= FIRST + flow.ring.area);
	pending[nr_pending].record = record;
	pending[nr_pending].at = at;
	pending[nr_pending].nr = nr;
	pending[nr_pending++].seq = seq;
	/* a power cut finds it torn */
	memset(&disk[at], 0, nr * sizeof(disk[0]));
}

static void record_part_done(struct ssdqos_flow_record *record, u64 at, u32 nr, u64 seq)
{
	failed_part[record->number] |= fails;
	for (u32 i = 0; i < nr && !fails; i++)
		disk[at + i] = seq;
	if (--records[seq].left)
		return;
	records[seq].durable = !failed_part[record->number];
	ssdqos_flow_written(record, failed_part[record->number]);
}

/* One of the writes under way ends, whichever. */
static void device_does_one(void)
{
	const u32 i = nr_pending ? draw(nr_pending) : 0;
	struct ssdqos_flow_record *record = pending[i].record;
	const u64 at = pending[i].at, seq = pending[i].seq;
	const u32 nr = pending[i].nr;

	if (!nr_pending)
		return;
	pending[i] = pending[--nr_pending];
	if (record) {
		record_part_done(record, at, nr, seq);
		return;
	}
	if (!fails)
		durable_tail = seq;
	ssdqos_flow_tail_ended(&flow, fails);
}

static bool is_whole(const struct ssdqos_journal_record *place)
{
	for (u32 i = 0; i <= place->nr; i++)
		if (disk[place->at + i] != place->seq)
			return false;
	return !place->filler_at || disk[place->filler_at] == place->seq;
}

/* If power was cut now, all that was answered and is in the cache only would be replayed. */
static void check_replay(void)
{
	for (u64 seq = durable_tail; seq <= answered_seq; seq++)
		assert_true(is_whole(&records[seq].place));
	for (u32 slot = 0; flow.on && slot < mirror.cache.nr; slot++)
		if (mirror.cache.entries[slot].newest && mirror.cache.entries[slot].record)
			assert_in_range(mirror.cache.entries[slot].record, durable_tail, answered_seq);
}

/* ---- the caller ---- */

static void comes_out(struct ssdqos_flow_write *out, u64 seq)
{
	struct write *write = &writes[came_out++];

	assert_ptr_equal(out, &write->flow);
	for (u32 i = 0; i < out->nr; i++) {
		ssdqos_mirror_publish(&mirror, write->block + i, write->slots[i]);
		if (seq)
			ssdqos_mirror_journaled(&mirror, write->slots[i], seq);
	}
}

static void answer(void)
{
	struct ssdqos_flow_record *record;
	struct ssdqos_flow_write *write;
	u64 seq;

	while ((record = ssdqos_flow_ended(&flow, &seq))) {
		assert_int_equal(seq, flow.on ? record->place.seq : 0);
		if (seq) {
			assert_true(records[seq].durable);
			assert_int_equal(seq, answered_seq + 1);
			answered_seq = seq;
		}
		while ((write = ssdqos_flow_pop(&record->writes)))
			comes_out(write, seq);
		ssdqos_flow_answered(&flow);
	}
	while ((write = ssdqos_flow_leave(&flow)))
		comes_out(write, 0);
}

static void send(void)
{
	struct ssdqos_flow_record *record;
	u32 nr;

	while ((record = ssdqos_flow_next(&flow))) {
		const struct ssdqos_journal_record *place = &record->place;

		nr = 0;
		for (const struct ssdqos_flow_write *w = record->writes.first; w; w = w->next)
			nr += w->nr;
		assert_int_equal(nr, place->nr);
		assert_in_range(nr, 1, FULL);
		records[place->seq] = (struct record){ .place = *place, .left = place->filler_at ? 2 : 1 };
		failed_part[record->number] = false;
		if (place->filler_at)
			issue(record, place->filler_at, 1, place->seq);
		issue(record, place->at, 1 + place->nr, place->seq);
	}
	if (ssdqos_flow_wants_tail(&flow))
		issue(NULL, 0, 1, flow.tail.seq);
}

static void work(void)
{
	answer();
	check_replay();
	send();
	check_replay();
}

static void begin_life(u64 blocks)
{
	const struct ssdqos_journal_super super = { .blocks = blocks, .tail_at = FIRST, .tail_seq = 1 };

	memset(&flow, 0, sizeof(flow));
	memset(disk, 0, sizeof(disk));
	added = came_out = nr_pending = 0;
	answered_seq = 0;
	durable_tail = 1;
	fails = false;
	begin(2);
	run();
	mirror.journal = SSDQOS_MIRROR_JOURNAL_USED;
	assert_int_equal(ssdqos_flow_init(&flow, &mirror, &super), 0);
}

static void end_life(void)
{
	ssdqos_flow_exit(&flow);
	ssdqos_mirror_exit(&mirror);
}

static int setup(void **state)
{
	ssdqos_mirror_config_init(&cfg);
	cfg.durability = SSDQOS_MIRROR_JOURNAL;
	cfg.switch_ms = SWITCH_MS;
	cfg.cache_kib = SLOTS * SSDQOS_MIRROR_BLOCK_KIB;
	cfg.region_kib = 64;
	cfg.throttle = 0;
	ssdqos_rng_seed(&rng, 1);
	return 0;
}

static int no_warnings(void **state)
{
	assert_int_equal(ssdqos_env_warnings, 0);
	return 0;
}

/* ---- any order ---- */

static void step(void)
{
	switch (draw(8)) {
	case 0 ... 2:
		add(1 + draw(draw(4) ? 4 : MOST_NR));
		break;
	case 3 ... 5:
		device_does_one();
		break;
	case 6:
		now += draw(SWITCH_MS) * MS;
		break;
	default:
		run();
	}
	work();
}

/* All that was added comes out, and gets to the members. */
static void finish_life(void)
{
	for (u32 i = 0; came_out < added; i++) {
		assert_true(i < MANY_OPS);
		device_does_one();
		run();
		now += MS;
		work();
	}
	while (nr_pending)
		device_does_one();
	ssdqos_mirror_drain(&mirror, true, now);
	for (u32 i = 0; !ssdqos_mirror_is_drained(&mirror); i++) {
		assert_true(i < MANY_OPS);
		run();
		now += MS;
	}
	if (flow.on)
		assert_int_equal(flow.ring.needed, 0);
}

static void a_write_comes_out_when_it_is_safe(void **state)
{
	for (u32 life = 0; life < LIVES; life++) {
		const u32 dies = draw(3) ? STEPS : draw(STEPS);

		begin_life(LEAST + draw(MOST_BLOCKS - LEAST));
		for (u32 i = 0; i < STEPS; i++) {
			fails |= i == dies;
			step();
		}
		finish_life();
		lives_full += !!flow.waits;
		lives_lapped += flow.ring.stats.filler_blocks > 0;
		lives_lost += !flow.on;
		end_life();
	}
	/* it was all there */
	assert_true(lives_full > LIVES / 10);
	assert_true(lives_lapped > LIVES / 10);
	assert_true(lives_lost > LIVES / 10);
}

/* ---- what shares a record ---- */

/* Blocks of the records that are begun now, one digit each. */
static u32 begun(void)
{
	u32 digits = 0;

	for (struct ssdqos_flow_record *r; (r = ssdqos_flow_next(&flow));)
		digits = 10 * digits + r->place.nr;
	return digits;
}

static void what_comes_meanwhile_shares_a_record(void **state)
{
	u64 seq;

	begin_life(MOST_BLOCKS);
	for (u32 nr = 1; nr <= 4; nr++) {
		assert_true(add(nr));
		assert_int_equal(begun(), nr <= 2 ? nr : 0);
	}
	/* the second one does not help: the first one is not answered */
	ssdqos_flow_written(&flow.records[1], false);
	assert_null(ssdqos_flow_ended(&flow, &seq));
	assert_int_equal(begun(), 0);
	ssdqos_flow_written(&flow.records[0], false);
	answered_seq = 0;
	records[1].durable = records[2].durable = true;
	answer();
	assert_int_equal(came_out, 2);
	assert_int_equal(begun(), 7);
	end_life();
}

static void full_records_do_not_wait(void **state)
{
	begin_life(MOST_BLOCKS);
	assert_true(add(1));
	assert_true(begun());
	assert_true(add(1));
	assert_true(begun());
	assert_true(add(MOST_NR));
	assert_null(ssdqos_flow_next(&flow));
	assert_true(add(FULL - MOST_NR - 1));
	assert_null(ssdqos_flow_next(&flow));
	assert_true(add(2));
	/* the last one would be too much */
	assert_int_equal(ssdqos_flow_next(&flow)->place.nr, FULL - 1);
	assert_null(ssdqos_flow_next(&flow));
	/* and this one is just enough */
	assert_true(add(FULL - 2));
	assert_int_equal(ssdqos_flow_next(&flow)->place.nr, FULL);
	end_life();
}

static void so_many_are_under_way(void **state)
{
	cfg.cache_kib *= 2;
	begin_life(MOST_BLOCKS);
	assert_true(add(1));
	assert_int_equal(begun(), 1);
	assert_true(add(1));
	/* one block and a full record never go together */
	for (u32 nr = 1; nr <= SSDQOS_FLOW_RECORDS; nr++) {
		assert_true(add(nr % 2 ? FULL : 1));
		assert_int_equal(!!ssdqos_flow_next(&flow), nr < SSDQOS_FLOW_RECORDS);
	}
	end_life();
}

static void a_superblock_is_written_for_an_eighth_or_if_there_is_no_room(void **state)
{
	begin_life(LEAST);
	assert_true(add(1));
	work();
	device_does_one();
	work();
	ssdqos_journal_put(&flow.ring, 1, 1);
	/* nothing is needed: it has all that was used, which is not much */
	assert_false(ssdqos_flow_wants_tail(&flow));
	for (u32 i = 0; !flow.waits; i++) {
		assert_true(i < MANY_OPS);
		assert_true(add(MOST_NR));
		ssdqos_flow_next(&flow);
	}
	assert_true(ssdqos_flow_wants_tail(&flow));
	assert_in_range(flow.tail.frees, 1, flow.ring.area / 8 - 1);
	end_life();
}

static void who_has_no_room_says_so(void **state)
{
	begin_life(LEAST);
	for (u32 i = 0; !flow.waits; i++) {
		assert_true(i < MANY_OPS);
		assert_true(add(MOST_NR));
		while (nr_pending)
			device_does_one();
		work();
	}
	assert_true(mirror.waiting);
	assert_false(ssdqos_flow_wants_tail(&flow));
	work();
	assert_int_equal(flow.waits, 1);
	/* who waits gets room, since the turn ends */
	finish_life();
	assert_int_equal(flow.waits, 1);
	assert_true(flow.ring.stats.tails > 0);
	end_life();
}

static void a_flush_has_nothing_to_wait_for(void **state)
{
	begin_life(LEAST);
	assert_true(ssdqos_flow_flush(&flow));
	assert_int_equal(mirror.stats.flushes, 1);
	fails = true;
	assert_true(add(1));
	work();
	device_does_one();
	work();
	assert_int_equal(came_out, 1);
	assert_false(ssdqos_flow_flush(&flow));
	assert_int_equal(mirror.stats.flushes, 1);
	assert_int_equal(mirror.cfg.durability, SSDQOS_MIRROR_STRICT);
	end_life();
}

#define FLOW_TEST(name) cmocka_unit_test_setup_teardown(name, setup, no_warnings)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLOW_TEST(a_write_comes_out_when_it_is_safe),
		FLOW_TEST(what_comes_meanwhile_shares_a_record),
		FLOW_TEST(full_records_do_not_wait),
		FLOW_TEST(so_many_are_under_way),
		FLOW_TEST(a_superblock_is_written_for_an_eighth_or_if_there_is_no_room),
		FLOW_TEST(who_has_no_room_says_so),
		FLOW_TEST(a_flush_has_nothing_to_wait_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
