// SPDX-License-Identifier: GPL-2.0
/*
 * The mirror against a model of drives with caches that a power cut empties: whatever comes, in
 * any order, with members that fail and return, reads get what was written last; and after a
 * power cut each block has what was promised to be durable, or something newer, the same whoever
 * is asked, and all members have the same when all was copied.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/mirror/mirror.h"
#include "env.h"

#define BLOCKS 1024u
#define MAX_OPS 128u
#define MAX_FLUSHES 8u
#define LIVES 40u
#define STEPS 4000u
#define MOST_STEP_NS 200000u

/* Numbers of writes stand for data: a later one has a larger number. */
struct drive {
	u32 stable[BLOCKS];
	/* in the drive's cache; what a flush that began has to bring is in flushing */
	u32 cached[BLOCKS];
	u32 flushing[BLOCKS];
	bool dead;
};

struct flush {
	u64 mark;
	u32 promised[BLOCKS];
	bool used;
};

static struct drive drives[SSDQOS_MIRROR_MAX_MEMBERS];
static struct ssdqos_mirror mirror;
static struct ssdqos_mirror_op ops[MAX_OPS];
static bool used[MAX_OPS];
static u8 images[MAX_OPS][SSDQOS_MIRROR_MAP_REGIONS];
static u8 masks[SSDQOS_MIRROR_MAP_REGIONS];
static u32 super_leader, op_leaders[MAX_OPS];
static struct flush flushes[MAX_FLUSHES];
static u32 *data;
/* By block: what was written last, and what must not be lost. */
static u32 newest[BLOCKS], promised[BLOCKS];
/* By block: the first write after the last power cut, or 0. */
static u32 first_of[BLOCKS];
/* By number of a write: the number of the next one of its block. */
static u32 *next_of;
static u32 writes, max_writes;
static struct ssdqos_mirror_config cfg;
static struct ssdqos_rng rng;
static u32 members;
static u64 now;
static u32 fault_dice;
/* The metadata device fails from time to time, for long. */
static bool meta_dies, meta_dead;
static u32 without_metadata;

static u32 dice(u32 n)
{
	return ssdqos_rng_below(&rng, n);
}

/* ---- drives ---- */

static u32 on_drive(const struct drive *d, u32 block)
{
	return d->cached[block] ? d->cached[block] : d->stable[block];
}

static void drive_cut(struct drive *d)
{
	for (u32 b = 0; b < BLOCKS; b++) {
		if (d->cached[b] && dice(2))
			d->stable[b] = d->cached[b];
		d->cached[b] = 0;
		d->flushing[b] = 0;
	}
}

static void begin(u32 i)
{
	struct ssdqos_mirror_op *op = &ops[i];

	if (op->kind == SSDQOS_MIRROR_OP_FLUSH)
		memcpy(drives[op->member].flushing, drives[op->member].cached,
		       sizeof(drives[op->member].flushing));
	if (op->kind == SSDQOS_MIRROR_OP_MAP)
		memcpy(images[i], mirror.regions.image, sizeof(images[i]));
	op_leaders[i] = mirror.leader;
}

static void write_done(const struct ssdqos_mirror_op *op, struct drive *d, u32 block)
{
	u32 value = data[op->slots[block]];

	if (mirror.members[op->member].write_back)
		d->cached[op->block + block] = value;
	else
		d->stable[op->block + block] = value;
}

static void copy_done(const struct ssdqos_mirror_op *op)
{
	for (u32 m = 0; m < members; m++)
		for (u32 b = op->block; (op->to >> m & 1) && b < op->block + op->nr; b++) {
			drives[m].stable[b] = on_drive(&drives[op->member], b);
			drives[m].cached[b] = 0;
			/* a flush that began before has nothing older to bring any more */
			drives[m].flushing[b] = 0;
		}
}

static void flush_done(struct drive *d)
{
	for (u32 b = 0; b < BLOCKS; b++) {
		if (!d->flushing[b])
			continue;
		d->stable[b] = d->flushing[b];
		if (d->cached[b] == d->flushing[b])
			d->cached[b] = 0;
		d->flushing[b] = 0;
	}
}

/* What an instruction does to the world. */
static void effect(u32 i)
{
	struct ssdqos_mirror_op *op = &ops[i];

	switch (op->kind) {
	case SSDQOS_MIRROR_OP_WRITE:
		for (u32 b = 0; b < op->nr; b++)
			write_done(op, &drives[op->member], b);
		break;
	case SSDQOS_MIRROR_OP_FLUSH:
		flush_done(&drives[op->member]);
		break;
	case SSDQOS_MIRROR_OP_MAP:
		memcpy(masks, images[i], sizeof(masks));
		break;
	case SSDQOS_MIRROR_OP_SUPER:
		super_leader = op_leaders[i];
		break;
	case SSDQOS_MIRROR_OP_COPY:
		copy_done(op);
		break;
	}
}

static u32 op_fails(const struct ssdqos_mirror_op *op)
{
	u32 failed = 0;

	if (op->kind == SSDQOS_MIRROR_OP_MAP || op->kind == SSDQOS_MIRROR_OP_SUPER)
		return meta_dead || (fault_dice && !dice(8));
	if (op->kind != SSDQOS_MIRROR_OP_COPY)
		return drives[op->member].dead;
	for (u32 m = 0; m < members; m++)
		failed |= (u32)drives[m].dead << m;
	return failed & (op->to | 1u << op->member);
}

static void finish(u32 i)
{
	u32 failed = op_fails(&ops[i]);

	if (!failed)
		effect(i);
	used[i] = false;
	ssdqos_mirror_done(&mirror, &ops[i], failed, now);
}

/* ---- what is always so ---- */

static void look_at_block(u32 b)
{
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&mirror.cache, b);

	if (e && e->node.key == b) {
		assert_int_equal(data[e - mirror.cache.entries], newest[b]);
		return;
	}
	for (u32 m = 0; m < members; m++)
		if (!((mirror.out | mirror.coming) >> m & 1) &&
		    !(mirror.regions.regions[b >> mirror.regions.shift].stale >> m & 1)) {
			assert_int_equal(on_drive(&drives[m], b), newest[b]);
			assert_int_equal(drives[m].stable[b], newest[b]);
		}
}

static void look(void)
{
	for (u32 b = 0; b < BLOCKS; b++)
		look_at_block(b);
}

/* ---- clients ---- */

static void answer_flushes(void)
{
	for (u32 i = 0; i < MAX_FLUSHES; i++) {
		if (!flushes[i].used || ssdqos_mirror_flushed(&mirror) < flushes[i].mark)
			continue;
		flushes[i].used = false;
		for (u32 b = 0; b < BLOCKS; b++)
			if (flushes[i].promised[b] > promised[b])
				promised[b] = flushes[i].promised[b];
	}
}

static void work(void)
{
	for (u32 i = 0; i < MAX_OPS; i++) {
		if (used[i])
			continue;
		if (!ssdqos_mirror_next(&mirror, &ops[i], now))
			break;
		if (ops[i].kind == SSDQOS_MIRROR_OP_AGAIN) {
			i--;
			continue;
		}
		used[i] = true;
		begin(i);
	}
	answer_flushes();
}

static void client_write(void)
{
	u32 nr = 1 + dice(dice(4) ? 4 : 40), slots[64];
	u32 block = dice(2) ? dice(BLOCKS - nr) : dice(64);

	if (writes + nr >= max_writes || ssdqos_mirror_take(&mirror, nr, slots, now))
		return;
	for (u32 i = 0; i < nr; i++) {
		if (newest[block + i])
			next_of[newest[block + i]] = writes + 1;
		else
			first_of[block + i] = writes + 1;
		newest[block + i] = ++writes;
		next_of[writes] = 0;
		data[slots[i]] = writes;
		ssdqos_mirror_publish(&mirror, block + i, slots[i]);
	}
}

static void client_read(void)
{
	struct ssdqos_mirror_source s;
	u32 block = dice(BLOCKS), nr = min(1 + dice(32), BLOCKS - block);

	ssdqos_mirror_read(&mirror, block, nr, 0, &s);
	assert_true(s.nr >= 1 && s.nr <= nr);
	if (s.slot != SSDQOS_NIL) {
		assert_int_equal(data[s.slot], newest[block]);
		ssdqos_mirror_unpin(&mirror, s.slot);
		return;
	}
	assert_true(s.member < members);
	for (u32 b = block; b < block + s.nr; b++)
		assert_int_equal(on_drive(&drives[s.member], b), newest[b]);
	ssdqos_mirror_read_done(&mirror, s.member, false, now);
}

static void client_flush(void)
{
	for (u32 i = 0; i < MAX_FLUSHES; i++)
		if (!flushes[i].used) {
			flushes[i].used = true;
			memcpy(flushes[i].promised, newest, sizeof(newest));
			flushes[i].mark = ssdqos_mirror_flush(&mirror);
			/* nothing is promised */
			flushes[i].used = flushes[i].mark;
			return;
		}
}

static void some_drive_fails_or_returns(void)
{
	u32 m = dice(members), dead = 0;

	for (u32 i = 0; i < members; i++)
		dead += drives[i].dead || ((mirror.out | mirror.coming) >> i & 1);
	if (drives[m].dead && (mirror.out >> m & 1)) {
		drives[m].dead = false;
		drive_cut(&drives[m]);
		ssdqos_mirror_join(&mirror, m, false, now);
	} else if (mirror.out >> m & 1) {
		ssdqos_mirror_join(&mirror, m, !dice(4), now);
	} else if (!dead && !mirror.regions.nr_stale) {
		drives[m].dead = true;
		if (dice(2))
			ssdqos_mirror_fail(&mirror, m, now);
	}
}

static void finish_one(void)
{
	u32 i = dice(MAX_OPS);

	for (u32 n = 0; n < MAX_OPS && !used[i]; n++)
		i = (i + 1) % MAX_OPS;
	if (used[i])
		finish(i);
}

static void step(void)
{
	u32 what = dice(100);

	/* so long that it comes to what is done without it */
	now += (u64)dice(MOST_STEP_NS) * (meta_dead ? 200 : 1);
	if (meta_dies && !dice(500))
		meta_dead = !meta_dead;
	if (what < 25)
		client_write();
	else if (what < 45)
		client_read();
	else if (what < 48)
		client_flush();
	else if (what < 49 && fault_dice && !dice(fault_dice))
		some_drive_fails_or_returns();
	else
		finish_one();
	work();
}

static void settle(bool all)
{
	for (u32 n = 0; n < 400000; n++) {
		bool busy = false;

		now += MOST_STEP_NS;
		work();
		for (u32 i = 0; i < MAX_OPS; i++)
			busy |= used[i];
		if (busy)
			finish_one();
		else if (!all || ssdqos_mirror_is_drained(&mirror))
			return;
	}
	fail_msg("the mirror does not come to an end: %u used, %u reserved, %u dirty, turn %u, flush %u, %u pending, %u written, plain %d writers %x",
		 mirror.cache.used, mirror.reserved, mirror.regions.nr_dirty, mirror.turn, mirror.flush,
		 mirror.cache.pending[0].nr + mirror.cache.pending[1].nr,
		 mirror.cache.written[0].nr + mirror.cache.written[1].nr, mirror.plain, mirror.writers);
}

/* ---- lives ---- */

static void cut(void)
{
	/* what was under way is done in part, or not at all */
	for (u32 i = 0; i < MAX_OPS; i++) {
		if (used[i] && ops[i].kind == SSDQOS_MIRROR_OP_WRITE &&
		    !drives[ops[i].member].dead) {
			ops[i].nr = dice(ops[i].nr + 1);
			effect(i);
		} else if (used[i] && ops[i].kind != SSDQOS_MIRROR_OP_COPY && dice(2) &&
			   !op_fails(&ops[i])) {
			effect(i);
		}
		used[i] = false;
	}
	for (u32 m = 0; m < members; m++)
		drive_cut(&drives[m]);
	memset(flushes, 0, sizeof(flushes));
}

/* No part of what was written before a moment is missing, and nothing from after it is there. */
static void look_at_moment(const u32 *found)
{
	u32 moment = 0;

	for (u32 b = 0; b < BLOCKS; b++)
		moment = max(moment, found[b]);
	for (u32 b = 0; b < BLOCKS; b++) {
		u32 next;

		/* the first write of a block is told by first_of */
		next = found[b] ? next_of[found[b]] : first_of[b];
		assert_true(!next || next > moment);
	}
}

static void read_all(u32 *found)
{
	for (u32 b = 0; b < BLOCKS; b++) {
		struct ssdqos_mirror_source s;

		ssdqos_mirror_read(&mirror, b, 1, 0, &s);
		assert_true(s.slot == SSDQOS_NIL && s.member < members);
		found[b] = on_drive(&drives[s.member], b);
		ssdqos_mirror_read_done(&mirror, s.member, false, now);
	}
}

static void start(bool write_back, u8 out)
{
	assert_int_equal(ssdqos_mirror_init(&mirror, &cfg, members, BLOCKS), 0);
	for (u32 m = 0; m < members; m++)
		mirror.members[m].write_back = write_back;
	ssdqos_regions_load(&mirror.regions, 0, masks);
	mirror.out = out;
	ssdqos_mirror_start(&mirror, super_leader, cfg.durability == SSDQOS_MIRROR_VOLATILE, 0,
			    now);
}

static void look_after_cut(bool plain)
{
	u32 found[BLOCKS];

	read_all(found);
	for (u32 b = 0; b < BLOCKS; b++) {
		assert_true(found[b] <= newest[b]);
		if (found[b] < promised[b])
			fail_msg("block %u has %u, %u was promised; leader %u of %u, mask %x, out %x", b, found[b], promised[b], super_leader, mirror.leader, masks[b >> mirror.regions.shift], mirror.out);
	}
	if (cfg.durability == SSDQOS_MIRROR_VOLATILE && !plain)
		look_at_moment(found);
	/* from here on that is what is there */
	memcpy(newest, found, sizeof(newest));
	memcpy(promised, found, sizeof(promised));
	memset(first_of, 0, sizeof(first_of));
	for (u32 b = 0; b < BLOCKS; b++)
		if (found[b])
			next_of[found[b]] = 0;
}

/*
 * Who was away is away still, or is back.  What only he had is sent to others as soon as he has
 * failed; if that was not done yet he has to be back, or it is lost.
 */
static u8 who_stays_away(void)
{
	bool settled = mirror.failing == SSDQOS_NIL && ssdqos_mirror_flushed(&mirror) >= mirror.fail_mark;
	u8 out = 0;

	for (u32 m = 0; m < members; m++)
		settled = settled && (!drives[m].dead || (mirror.out >> m & 1));
	for (u32 m = 0; m < members; m++) {
		if (settled && dice(2) && (mirror.out >> m & 1))
			out |= (u8)(1 << m);
		else
			drives[m].dead = false;
	}
	return out;
}

static void live(bool write_back)
{
	u32 steps = dice(STEPS);
	u8 out;
	bool plain;

	for (u32 i = 0; i < steps; i++) {
		step();
		if (!dice(64))
			look();
	}
	if (meta_dead && mirror.map_failed)
		without_metadata++;
	meta_dead = false;
	/* if it did not come back before the power cut, nobody could know where members differ */
	if (mirror.map_failed || !dice(3)) {
		ssdqos_mirror_drain(&mirror, true, now);
		settle(true);
		for (u32 m = 0; m < members; m++)
			for (u32 b = 0; b < BLOCKS && !(mirror.out >> m & 1); b++)
				assert_true(drives[m].stable[b] == newest[b] ||
					    mirror.regions.regions[b >> mirror.regions.shift].stale);
		memcpy(promised, newest, sizeof(promised));
	}
	plain = mirror.plain || fault_dice || meta_dies;
	out = who_stays_away();
	cut();
	ssdqos_mirror_exit(&mirror);
	start(write_back, out);
	look_after_cut(plain);
}

static void history(u32 durability, u32 nr, u32 k, bool write_back, u32 faults, u64 seed)
{
	ssdqos_rng_seed(&rng, seed);
	members = nr;
	fault_dice = faults;
	now = 0;
	writes = 0;
	super_leader = 0;
	memset(drives, 0, sizeof(drives));
	memset(used, 0, sizeof(used));
	meta_dead = false;
	memset(masks, 0, sizeof(masks));
	memset(newest, 0, sizeof(newest));
	memset(promised, 0, sizeof(promised));
	memset(first_of, 0, sizeof(first_of));
	ssdqos_mirror_config_init(&cfg);
	cfg.durability = durability;
	cfg.writers = k;
	cfg.cache_kib = 1024;
	cfg.region_kib = 64;
	cfg.switch_ms = 10 + dice(100);
	cfg.idle_ms = dice(2) ? 0 : 5;
	cfg.depth = 1 + dice(32);
	cfg.run_kib = 4 << dice(7);
	cfg.throttle = dice(2);
	cfg.rebuild_mb_s = dice(2) ? 0 : 100;
	start(write_back, 0);
	for (u32 i = 0; i < LIVES; i++)
		live(write_back);
	ssdqos_mirror_exit(&mirror);
}

static void histories(u32 durability, u32 nr, u32 k, bool write_back, u32 faults)
{
	const char *seeds = getenv("SSDQOS_MIRROR_SEEDS"), *first = getenv("SSDQOS_MIRROR_SEED");
	u64 seed = first ? strtoull(first, NULL, 10) : 1;

	for (u32 i = 0; i < (seeds ? strtoul(seeds, NULL, 10) : 2); i++, seed++) {
		print_message("durability %u, %u of %u write, cache %d, faults %u, seed %llu\n",
			      durability, k, nr, write_back, faults, seed);
		history(durability, nr, k, write_back, faults, seed);
	}
}

static int make(void **state)
{
	max_writes = LIVES * STEPS * 16;
	next_of = calloc(max_writes + 1, sizeof(next_of[0]));
	data = calloc(256, sizeof(data[0]));
	return 0;
}

static int unmake(void **state)
{
	free(next_of);
	free(data);
	return 0;
}

static void test_strict(void **state)
{
	histories(SSDQOS_MIRROR_STRICT, 2, 1, true, 0);
	histories(SSDQOS_MIRROR_STRICT, 2, 1, false, 0);
}

static void test_strict_more_members(void **state)
{
	histories(SSDQOS_MIRROR_STRICT, 3, 1, true, 0);
	histories(SSDQOS_MIRROR_STRICT, 5, 2, true, 0);
}

static void test_strict_faults(void **state)
{
	histories(SSDQOS_MIRROR_STRICT, 2, 1, true, 4);
	histories(SSDQOS_MIRROR_STRICT, 4, 2, true, 4);
}

static void test_metadata_fails(void **state)
{
	meta_dies = true;
	histories(SSDQOS_MIRROR_STRICT, 2, 1, true, 0);
	histories(SSDQOS_MIRROR_STRICT, 4, 2, true, 0);
	histories(SSDQOS_MIRROR_VOLATILE, 2, 1, true, 0);
	meta_dies = false;
	assert_true(without_metadata > 0);
}

static void test_volatile(void **state)
{
	histories(SSDQOS_MIRROR_VOLATILE, 2, 1, true, 0);
	histories(SSDQOS_MIRROR_VOLATILE, 4, 2, true, 0);
}

static void test_volatile_faults(void **state)
{
	histories(SSDQOS_MIRROR_VOLATILE, 2, 1, true, 4);
	histories(SSDQOS_MIRROR_VOLATILE, 3, 1, true, 4);
}

/* Each of these has shown a mistake once. */
static void test_seeds(void **state)
{
	/* the member that failed had made a block durable alone */
	history(SSDQOS_MIRROR_VOLATILE, 3, 1, true, 4, 259);
	/* the member that answers changed while a block was being sent */
	history(SSDQOS_MIRROR_STRICT, 4, 2, true, 4, 117);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_strict, make, unmake),
		cmocka_unit_test_setup_teardown(test_strict_more_members, make, unmake),
		cmocka_unit_test_setup_teardown(test_strict_faults, make, unmake),
		cmocka_unit_test_setup_teardown(test_metadata_fails, make, unmake),
		cmocka_unit_test_setup_teardown(test_volatile, make, unmake),
		cmocka_unit_test_setup_teardown(test_volatile_faults, make, unmake),
		cmocka_unit_test_setup_teardown(test_seeds, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
