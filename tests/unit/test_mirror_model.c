// SPDX-License-Identifier: GPL-2.0
/*
 * The mirror against a model of drives with caches that a power cut empties: whatever comes, in
 * any order, with members that fail and return, reads get what was written last; and after a
 * power cut each block has what was promised to be durable, or something newer, the same whoever
 * is asked, and all members have the same when all was copied.
 *
 * A block that was discarded reads as it was or as nothing, until it is written again; members
 * may differ there if one failed, was copied to or power was cut meanwhile.  With durability
 * journal, what was in the cache when power was cut is written again, as from a journal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../dm-ssdqos/core/engine/rng.h"
#include "../../dm-ssdqos/core/mirror/grow.h"
#include "../../dm-ssdqos/core/mirror/mirror.h"
#include "env.h"

#define BLOCKS 1024u
#define MAX_OPS 128u
#define MAX_FLUSHES 8u
/* A comparison of members begins, or is stopped, in one of so many steps. */
#define SCRUB_DICE 300u
/* A drive's cache is switched on or off in one of so many. */
#define CACHE_DICE 500u
/* In one of so many histories of any kind the metadata device dies now and then. */
#define META_DIES 7u
#define LIVES 40u
#define STEPS 4000u
#define MOST_STEP_NS 200000u
#define SLOTS 256u
#define MOST_NR 64u
/* What a new drive has: larger than any number of a write. */
#define GARBAGE 0xf0000000u
/* Instructions that are done while a flush is, at most: the cache is sent and flushed some
 * times, with runs of one block.
 */
#define MOST_OPS_OF_FLUSH 4000u
/* One in so many copies hangs, until this many other instructions were done, at most. */
#define HANG_DICE 8u
#define MOST_OPS_OF_HANG 2000u
#define MOST_REGION_BLOCKS 64u

/* Numbers of writes stand for data: a later one has a larger number. */
struct drive {
	u32 stable[BLOCKS];
	/* in the drive's cache; what a flush that began has to bring is in flushing */
	u32 cached[BLOCKS];
	u32 flushing[BLOCKS];
	bool has_cache;
	bool dead;
};

struct flush {
	u64 mark;
	u32 began;
	u32 promised[BLOCKS];
	bool used;
};

static struct drive drives[SSDQOS_MIRROR_MAX_MEMBERS];
static struct ssdqos_mirror mirror;
static struct ssdqos_mirror_op ops[MAX_OPS];
static bool used[MAX_OPS];
static u8 images[MAX_OPS][SSDQOS_MIRROR_MAP_REGIONS];
/* What a copy has read; it hangs until so many instructions were done. */
static u32 copies[MAX_OPS][MOST_REGION_BLOCKS], hangs[MAX_OPS];
static u8 masks[SSDQOS_MIRROR_MAP_REGIONS];
static u32 super_leader, op_leaders[MAX_OPS];
static u8 super_behind, op_behind[MAX_OPS];
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
/* Of what fails, and of all else. */
static struct ssdqos_rng effects, rng;
static u32 members;
static u64 now;
static u32 fault_dice;
/* The metadata device fails from time to time, for long. */
static bool meta_dies, meta_dead;
static u32 without_metadata;
/* The journal fails once in a life, or not. */
static bool journal_dies, journal_lost;
static u32 without_journal, replayed_lost, forgot_lost;
static u64 super_says, op_says[MAX_OPS];
/* Discards, read errors, new drives and so on. */
static bool more;
/* By block: discarded and not written since; discarded since the last power cut. */
static bool loose[BLOCKS], was_discarded[BLOCKS];
/* By block: what it had after the last power cut; the last write when it was discarded then. */
static u32 had[BLOCKS], discarded_at[BLOCKS];
/* By block: what @upsets was when it was discarded last. */
static u32 discard_upsets[BLOCKS];
/* Whatever may make members differ in what was discarded. */
static u32 upsets;
/* New drives, as long as the metadata do not say of each region that they differ. */
static u8 unsettled;
static u32 finished;
/* It gets another member from time to time, after power was cut; how many it got. */
static bool grows;
static u32 grown;
static u8 just_grown;
#define FEW_STEPS 8u
/* In one of so many lives. */
#define GROWS_DICE 6u
/* Drives' caches are switched on and off. */
static bool caches_change;
/* Members are compared from time to time; how many regions were. */
static bool scrubs;
static u32 compared;
static struct {
	u32 block;
	u32 value;
} journal[SLOTS];
static u32 in_journal;

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

/* Somebody switches its cache on, or off, and then it writes all that was in it. */
static void drive_is_told(struct drive *d)
{
	d->has_cache = !d->has_cache;
	for (u32 b = 0; b < BLOCKS && !d->has_cache; b++) {
		d->stable[b] = on_drive(d, b);
		d->cached[b] = 0;
		d->flushing[b] = 0;
	}
}

/* It reads at once, and writes at the end. */
static void copy_begins(u32 i)
{
	const struct ssdqos_mirror_op *op = &ops[i];

	assert_true(op->nr <= MOST_REGION_BLOCKS);
	for (u32 b = 0; b < op->nr; b++)
		copies[i][b] = on_drive(&drives[op->member], op->block + b);
	if (fault_dice && !dice(HANG_DICE))
		hangs[i] = finished + dice(MOST_OPS_OF_HANG);
}

static void begin(u32 i)
{
	struct ssdqos_mirror_op *op = &ops[i];

	hangs[i] = 0;
	if (op->kind == SSDQOS_MIRROR_OP_COPY)
		copy_begins(i);
	if (op->kind == SSDQOS_MIRROR_OP_FLUSH)
		memcpy(drives[op->member].flushing, drives[op->member].cached,
		       sizeof(drives[op->member].flushing));
	if (op->kind == SSDQOS_MIRROR_OP_MAP)
		memcpy(images[i], mirror.regions.image, sizeof(images[i]));
	op_leaders[i] = mirror.leader;
	op_behind[i] = ssdqos_mirror_behind(&mirror);
	op_says[i] = ssdqos_mirror_super_says(&mirror);
}

static void write_done(const struct ssdqos_mirror_op *op, struct drive *d, u32 block)
{
	u32 value = data[op->slots[block]];

	if (d->has_cache)
		d->cached[op->block + block] = value;
	else
		d->stable[op->block + block] = value;
}

static void copy_done(u32 i, u8 to)
{
	const struct ssdqos_mirror_op *op = &ops[i];

	for (u32 m = 0; m < members; m++)
		for (u32 b = 0; (to >> m & 1) && b < op->nr; b++) {
			drives[m].stable[op->block + b] = copies[i][b];
			drives[m].cached[op->block + b] = 0;
			/* a flush that began before has nothing older to bring any more */
			drives[m].flushing[op->block + b] = 0;
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

static void discard_done(const struct ssdqos_mirror_op *op)
{
	struct drive *d = &drives[op->member];

	memset(&d->stable[op->block], 0, op->nr * sizeof(d->stable[0]));
	memset(&d->cached[op->block], 0, op->nr * sizeof(d->cached[0]));
	memset(&d->flushing[op->block], 0, op->nr * sizeof(d->flushing[0]));
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
	case SSDQOS_MIRROR_OP_DISCARD:
		discard_done(op);
		break;
	case SSDQOS_MIRROR_OP_MAP:
		memcpy(masks, images[i], sizeof(masks));
		break;
	case SSDQOS_MIRROR_OP_SUPER:
		super_leader = op_leaders[i];
		super_behind = op_behind[i];
		super_says = op_says[i];
		break;
	case SSDQOS_MIRROR_OP_COPY:
		copy_done(i, (u8)op->to);
		break;
	}
}

/* Nobody has lost anything, so what differs was discarded; who can't be read differs. */
static u32 compare(struct ssdqos_mirror_op *op)
{
	u32 bad = 0;

	for (u32 i = 0; i < op->nr; i++) {
		u32 before = bad, right = on_drive(&drives[op->member], op->block + i);

		if (ssdqos_mirror_skips(&mirror.scrub, i))
			continue;
		for (u32 m = 0; m < members; m++)
			if ((op->to >> m & 1) &&
			    (drives[m].dead || on_drive(&drives[m], op->block + i) != right)) {
				/* discarded, or written since it began */
				assert_true(drives[m].dead || loose[op->block + i] ||
					    ssdqos_mirror_has_cached(&mirror, op->block + i));
				bad |= 1u << m;
			}
		op->differ += bad != before;
	}
	compared++;
	return drives[op->member].dead ? 0 : bad;
}

static u32 op_fails(struct ssdqos_mirror_op *op)
{
	u32 failed = 0;

	if (op->kind == SSDQOS_MIRROR_OP_COMPARE)
		return compare(op);

	if (op->kind == SSDQOS_MIRROR_OP_MAP || op->kind == SSDQOS_MIRROR_OP_SUPER)
		return meta_dead || (fault_dice && !dice(8));
	if (op->kind != SSDQOS_MIRROR_OP_COPY)
		return drives[op->member].dead || (more && fault_dice && !dice(4000));
	for (u32 m = 0; m < members; m++)
		failed |= (u32)drives[m].dead << m;
	if (fault_dice && !dice(16))
		failed |= 1u << op->member;
	return failed & (op->to | 1u << op->member);
}

/* Has what failed been done all the same? */
static bool takes_effect(u32 i)
{
	return ops[i].kind == SSDQOS_MIRROR_OP_MAP && ssdqos_rng_below(&effects, 2);
}

static void finish(u32 i)
{
	u32 failed = op_fails(&ops[i]);

	if (!failed || ops[i].kind == SSDQOS_MIRROR_OP_COMPARE || takes_effect(i))
		effect(i);
	else if (ops[i].kind == SSDQOS_MIRROR_OP_COPY && !(failed >> ops[i].member & 1))
		copy_done(i, (u8)(ops[i].to & ~failed));
	used[i] = false;
	finished++;
	upsets += failed && ops[i].kind != SSDQOS_MIRROR_OP_COMPARE;
	ssdqos_mirror_done(&mirror, &ops[i], failed, now);
}

/* ---- what is always so ---- */

/* Is it what a block may be read as? */
static void look_at_value(u32 b, u32 value)
{
	if (loose[b])
		assert_true(value <= newest[b]);
	else
		assert_int_equal(value, newest[b]);
}

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
			look_at_value(b, on_drive(&drives[m], b));
			look_at_value(b, drives[m].stable[b]);
		}
}

/* Who is needed is told by counts; here all regions are looked at. */
static bool is_needed(u32 member)
{
	u32 others = mirror.all & ~(mirror.out | mirror.coming) & ~(1u << member);

	for (u32 i = 0; i < mirror.regions.nr; i++)
		if (!(others & (u8)~mirror.regions.regions[i].stale))
			return true;
	return false;
}

static void look_at_members(void)
{
	for (u32 m = 0; m < members; m++)
		assert_int_equal(ssdqos_mirror_is_needed(&mirror, m), is_needed(m));
}

static void look(void)
{
	for (u32 b = 0; b < BLOCKS; b++)
		look_at_block(b);
	look_at_members();
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

static void look_at_flushes(void)
{
	for (u32 i = 0; i < MAX_FLUSHES && more && !fault_dice; i++)
		assert_true(!flushes[i].used || finished - flushes[i].began < MOST_OPS_OF_FLUSH);
}

static void work(void)
{
	u32 again = 0;

	for (u32 i = 0; i < MAX_OPS; i++) {
		if (used[i])
			continue;
		if (!ssdqos_mirror_next(&mirror, &ops[i], now))
			break;
		if (ops[i].kind == SSDQOS_MIRROR_OP_AGAIN) {
			assert_true(again++ < SLOTS * SSDQOS_MIRROR_MAX_MEMBERS);
			i--;
			continue;
		}
		used[i] = true;
		begin(i);
	}
	answer_flushes();
	look_at_flushes();
	upsets += !!mirror.regions.nr_stale;
	if (!mirror.coming && !mirror.regions.nr_dirty && !mirror.regions.writing)
		unsettled = 0;
}

static void client_publish(u32 block, u32 slot)
{
	if (newest[block])
		next_of[newest[block]] = writes + 1;
	else
		first_of[block] = writes + 1;
	newest[block] = ++writes;
	next_of[writes] = 0;
	data[slot] = writes;
	loose[block] = false;
	ssdqos_mirror_publish(&mirror, block, slot);
}

static void client_write(void)
{
	u32 nr = 1 + dice(dice(4) ? 4 : more ? MOST_NR : 40), slots[MOST_NR];
	u32 block = dice(2) ? dice(BLOCKS - nr) : dice(64), some = nr;

	if (writes + nr >= max_writes || ssdqos_mirror_take(&mirror, nr, slots, now))
		return;
	if (more && !dice(16))
		some = dice(nr);
	for (u32 i = 0; i < some; i++)
		client_publish(block + i, slots[i]);
	for (u32 i = some; i < nr; i++)
		ssdqos_mirror_give_back(&mirror, slots[i]);
}

/* One read, from one source; how many blocks, or 0 if it has failed. */
static u32 read_some(u32 block, u32 nr, u8 *tried)
{
	struct ssdqos_mirror_source s;
	bool fails;

	ssdqos_mirror_read(&mirror, block, nr, *tried, &s);
	assert_true(s.nr >= 1 && s.nr <= nr);
	if (s.slot != SSDQOS_NIL) {
		assert_int_equal(data[s.slot], newest[block]);
		ssdqos_mirror_unpin(&mirror, s.slot);
		return s.nr;
	}
	if (*tried && s.member == SSDQOS_MIRROR_NOBODY)
		return s.nr;
	assert_true(s.member < members && !(*tried >> s.member & 1));
	*tried |= (u8)(1 << s.member);
	fails = more && fault_dice && (drives[s.member].dead || !dice(64));
	for (u32 b = block; b < block + s.nr && !fails; b++)
		look_at_value(b, on_drive(&drives[s.member], b));
	ssdqos_mirror_read_done(&mirror, s.member, fails, now);
	return fails ? 0 : s.nr;
}

static void client_read(void)
{
	u32 block = dice(BLOCKS), nr = min(1 + dice(32), BLOCKS - block);
	u8 tried = 0;

	while (!read_some(block, nr, &tried))
		;
}

static void client_discard(void)
{
	u32 block = dice(BLOCKS), nr = min(1 + dice(64), BLOCKS - block);

	for (u32 b = block; b < block + nr; b++) {
		if (!discarded_at[b])
			discarded_at[b] = writes;
		loose[b] = true;
		was_discarded[b] = true;
		discard_upsets[b] = upsets;
		promised[b] = 0;
		for (u32 i = 0; i < MAX_FLUSHES; i++)
			flushes[i].promised[b] = 0;
	}
	ssdqos_mirror_discard(&mirror, block, nr);
}

static void client_flush(void)
{
	for (u32 i = 0; i < MAX_FLUSHES; i++)
		if (!flushes[i].used) {
			flushes[i].used = true;
			flushes[i].began = finished;
			for (u32 b = 0; b < BLOCKS; b++)
				flushes[i].promised[b] = loose[b] ? 0 : newest[b];
			flushes[i].mark = ssdqos_mirror_flush(&mirror);
			/* nothing is promised */
			flushes[i].used = flushes[i].mark;
			return;
		}
}

/* A new drive. */
static void replace(u32 m)
{
	unsettled |= (u8)(1 << m);
	memset(drives[m].cached, 0, sizeof(drives[m].cached));
	memset(drives[m].flushing, 0, sizeof(drives[m].flushing));
	for (u32 b = 0; b < BLOCKS; b++)
		drives[m].stable[b] = GARBAGE + b;
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
		bool all = !dice(4);

		ssdqos_mirror_join(&mirror, m, all, now);
		if (more && all && (mirror.coming >> m & 1))
			replace(m);
	} else if (!dead && (more || !mirror.regions.nr_stale)) {
		drives[m].dead = true;
		upsets++;
		if (dice(2))
			ssdqos_mirror_fail(&mirror, m, now);
	}
}

static void keep_journal(void);

static void promise_all(void)
{
	for (u32 b = 0; b < BLOCKS; b++)
		promised[b] = loose[b] ? 0 : newest[b];
}

/* What is in the journal stays there. */
static void journal_fails(void)
{
	keep_journal();
	promise_all();
	journal_lost = true;
	ssdqos_mirror_journal_lost(&mirror);
	without_journal++;
}

static void finish_one(void)
{
	u32 first = dice(MAX_OPS), found = MAX_OPS;

	/* one that hangs is done when there is nothing else, too */
	for (u32 n = 0; n < MAX_OPS && (found == MAX_OPS || hangs[found] > finished); n++) {
		u32 i = (first + n) % MAX_OPS;

		if (used[i] && (found == MAX_OPS || hangs[i] <= finished))
			found = i;
	}
	if (found < MAX_OPS)
		finish(found);
}

static void step(void)
{
	u32 what = dice(100);

	if (scrubs && !dice(SCRUB_DICE))
		ssdqos_mirror_scrub(&mirror, dice(4), now);
	if (caches_change && !dice(CACHE_DICE))
		drive_is_told(&drives[dice(members)]);

	/* so long that it comes to what is done without it */
	now += (u64)dice(MOST_STEP_NS) * (meta_dead ? 200 : 1);
	if (meta_dies && !dice(500))
		meta_dead = !meta_dead;
	if (journal_dies && !journal_lost && !dice(STEPS / 2))
		journal_fails();
	if (what < 25)
		client_write();
	else if (what < 45)
		client_read();
	else if (what < 48)
		client_flush();
	else if (what < 49 && fault_dice && !dice(fault_dice))
		some_drive_fails_or_returns();
	else if (what < 50 && more && !dice(4))
		client_discard();
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

/* Where all have all, the metadata say so: or who fails next may be the only one that counts. */
static void masks_are_clean(void)
{
	if (mirror.broken || mirror.out || mirror.map_failed || mirror.regions.nr_stale)
		return;
	for (u32 i = 0; i < mirror.regions.nr; i++)
		assert_int_equal(mirror.regions.regions[i].disk, 0);
}

/* Nobody writes any more, nor says that all is to be written: it is anyway, in time. */
static void come_to_rest(void)
{
	for (u32 n = 0; n < 400000; n++) {
		u64 wake_ns;

		work();
		finish_one();
		work();
		for (u32 i = 0; i < MAX_OPS; i++)
			if (used[i])
				goto next;
		wake_ns = ssdqos_mirror_wake_ns(&mirror, now);
		if (wake_ns == SSDQOS_NEVER_NS) {
			assert_true(mirror.broken || ssdqos_mirror_is_drained(&mirror));
			masks_are_clean();
			return;
		}
		now = wake_ns;
next:
		now++;
	}
	fail_msg("the mirror does not come to rest");
}

/* ---- lives ---- */

/* What a journal has: what is in the cache, in the order in which it was written. */
static void keep_journal(void)
{
	in_journal = 0;
	if (cfg.durability != SSDQOS_MIRROR_JOURNAL)
		return;
	for (u32 b = 0; b < BLOCKS; b++) {
		struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&mirror.cache, b);

		if (!e || e->node.key != b)
			continue;
		journal[in_journal].block = b;
		journal[in_journal++].value = data[e - mirror.cache.entries];
	}
}

static int by_value(const void *a, const void *b)
{
	u32 x = ((const u32 *)a)[1], y = ((const u32 *)b)[1];

	return x < y ? -1 : x > y;
}

static void replay_journal(void)
{
	qsort(journal, in_journal, sizeof(journal[0]), by_value);
	for (u32 i = 0; i < in_journal; i++) {
		u32 slot;

		while (ssdqos_mirror_take(&mirror, 1, &slot, now))
			now += MOST_STEP_NS;
		data[slot] = journal[i].value;
		ssdqos_mirror_publish(&mirror, journal[i].block, slot);
	}
}

static void cut(void)
{
	/* what was under way is done in part, or not at all */
	for (u32 i = 0; i < MAX_OPS; i++) {
		if (used[i] && ops[i].kind == SSDQOS_MIRROR_OP_WRITE &&
		    !drives[ops[i].member].dead) {
			ops[i].nr = dice(ops[i].nr + 1);
			effect(i);
		} else if (used[i] && ops[i].kind != SSDQOS_MIRROR_OP_COPY &&
			   ops[i].kind != SSDQOS_MIRROR_OP_COMPARE && dice(2) &&
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
		if (!was_discarded[b])
			moment = max(moment, found[b]);
		else if (!found[b] && had[b])
			moment = max(moment, discarded_at[b]);
	for (u32 b = 0; b < BLOCKS; b++) {
		u32 next;

		/* the first write of a block is told by first_of */
		next = found[b] ? next_of[found[b]] : first_of[b];
		assert_true(!next || next > moment || was_discarded[b]);
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

static void start(bool write_back, u8 out, u8 rebuild)
{
	assert_int_equal(ssdqos_mirror_init(&mirror, &cfg, members, BLOCKS), 0);
	for (u32 m = 0; m < members; m++)
		drives[m].has_cache = write_back;
	ssdqos_regions_load(&mirror.regions, 0, masks);
	mirror.out = out;
	ssdqos_mirror_start(&mirror, &(struct ssdqos_mirror_known){
		.leader = super_leader, .moment = cfg.durability == SSDQOS_MIRROR_VOLATILE,
		.behind = super_behind, .rebuild = rebuild,
	}, now);
}

static void look_after_cut(bool plain)
{
	u32 found[BLOCKS];

	read_all(found);
	for (u32 i = 0; i < in_journal; i++)
		found[journal[i].block] = journal[i].value;
	for (u32 b = 0; b < BLOCKS; b++) {
		assert_true(found[b] <= newest[b]);
		if (found[b] < promised[b])
			fail_msg("block %u has %u, %u was promised; leader %u of %u, mask %x, out %x",
				 b, found[b], promised[b], super_leader, mirror.leader,
				 masks[b >> mirror.regions.shift], mirror.out);
	}
	if (cfg.durability == SSDQOS_MIRROR_VOLATILE && !plain)
		look_at_moment(found);
	/* from here on that is what is there */
	for (u32 b = 0; b < BLOCKS; b++) {
		if (found[b])
			next_of[found[b]] = 0;
		first_of[b] = 0;
		/* what came after the discard was written nowhere: so members may differ */
		loose[b] = loose[b] || (was_discarded[b] && found[b] != newest[b]);
		was_discarded[b] = loose[b];
		if (!loose[b])
			newest[b] = found[b];
		promised[b] = loose[b] ? 0 : found[b];
		had[b] = promised[b];
		discarded_at[b] = 0;
	}
	upsets++;
	replay_journal();
}

/* Whatever the power cut leaves of the superblock, somebody who is here has all that is not in
 * the journal, and is not said to be behind.
 */
static bool journal_is_settled(void)
{
	u8 behind = super_behind | mirror.out;

	for (u32 i = 0; i < MAX_OPS; i++)
		if (used[i] && ops[i].kind == SSDQOS_MIRROR_OP_SUPER)
			behind |= op_behind[i];
	return cfg.durability == SSDQOS_MIRROR_JOURNAL && !journal_lost &&
	       (u8)(behind | ~mirror.all) != 0xff;
}

/*
 * Who was away is away still, or is back.  What only he had is sent to others as soon as he has
 * failed; if that was not done yet he has to be back, or it is lost.
 */
static u8 who_stays_away(void)
{
	bool settled = journal_is_settled() ||
		       (mirror.failing == SSDQOS_NIL &&
			ssdqos_mirror_flushed(&mirror) >= mirror.fail_mark);
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

/* A member is another one after the power cut, if others have all that it had. */
static u8 who_is_new(u8 out)
{
	u32 m = dice(members);
	u8 others = (u8)((1u << members) - 1) & (u8)~out & (u8)~(1 << m) & (u8)~unsettled;

	if (!more || dice(4) || (out >> m & 1) || !others ||
	    (cfg.durability == SSDQOS_MIRROR_VOLATILE && !(others >> super_leader & 1)))
		return unsettled & (u8)~out;
	for (u32 i = 0; i < mirror.regions.nr; i++)
		if (!(others & (u8)~masks[i]))
			return unsettled & (u8)~out;
	replace(m);
	return unsettled & (u8)~out;
}

/* Its table has one more, who is new; which one, or none. */
static u8 grow(u8 out)
{
	struct ssdqos_mirror_super s = {
		.sectors = BLOCKS * SSDQOS_MIRROR_BLOCK_SECTORS, .nr_members = members, .leader = super_leader,
		.region_sectors = SSDQOS_MIRROR_BLOCK_SECTORS << mirror.regions.shift, .out_mask = super_behind,
	};
	struct ssdqos_mirror_wanted wanted = {
		.sectors = s.sectors, .region_sectors = s.region_sectors, .members = members + 1,
		.here = (u8)((1u << (members + 1)) - 1) & (u8)~out,
	};
	struct ssdqos_mirror_growth g;
	char err[256];

	if (!grows || members == SSDQOS_MIRROR_MAX_MEMBERS || dice(GROWS_DICE))
		return 0;
	assert_int_equal(ssdqos_mirror_grow_begin(&g, &s, &wanted, "meta", err, sizeof(err)), 1);
	ssdqos_mirror_grow_masks(&g, 0, masks, mirror.regions.nr);
	ssdqos_mirror_grow_super(&g, &wanted, &s);
	super_behind = (u8)s.out_mask;
	replace(members);
	/* the masks say so */
	unsettled &= (u8)~(1 << members);
	drives[members].dead = false;
	grown++;
	return (u8)(1 << members++);
}

static void drain(void)
{
	u32 first = 0;

	ssdqos_mirror_drain(&mirror, true, now);
	settle(true);
	if (mirror.broken)
		return;
	masks_are_clean();
	while (mirror.out >> first & 1)
		first++;
	for (u32 m = 0; m < members; m++)
		for (u32 b = 0; b < BLOCKS && !(mirror.out >> m & 1); b++) {
			if (mirror.regions.regions[b >> mirror.regions.shift].stale)
				continue;
			look_at_value(b, drives[m].stable[b]);
			if (discard_upsets[b] == upsets)
				assert_int_equal(drives[m].stable[b], drives[first].stable[b]);
		}
	promise_all();
}

/* Clients may come when the superblock says that the journal has to be replayed. */
static void note_journal(void)
{
	if (cfg.durability != SSDQOS_MIRROR_JOURNAL)
		return;
	if (super_says != SSDQOS_MIRROR_JOURNAL) {
		ssdqos_mirror_drain(&mirror, true, now);
		settle(true);
		ssdqos_mirror_drain(&mirror, false, now);
	}
	mirror.journal = SSDQOS_MIRROR_JOURNAL_USED;
	super_says = SSDQOS_MIRROR_JOURNAL;
}

/* What the power cut has left of the journal is replayed, if the superblock says so. */
static void keep_what_counts(void)
{
	if (!journal_lost) {
		keep_journal();
	} else if (super_says != SSDQOS_MIRROR_JOURNAL) {
		in_journal = 0;
		forgot_lost++;
	} else {
		replayed_lost++;
	}
	journal_lost = false;
}

/* Until a power cut and what was found after it; false: nobody can know what is where. */
static bool live(bool write_back)
{
	/* power is cut again before the masks are written in the usual way */
	u32 steps = just_grown && dice(2) ? dice(FEW_STEPS) : dice(STEPS);
	u8 out, anew;
	bool plain;

	for (u32 i = 0; i < steps && !mirror.broken; i++) {
		step();
		if (!dice(64))
			look();
	}
	if (meta_dead && !ssdqos_mirror_knows(&mirror))
		without_metadata++;
	meta_dead = false;
	/* if it did not come back before the power cut, nobody could know where members differ */
	if (!ssdqos_mirror_knows(&mirror) || !dice(3))
		drain();
	else if (more && !dice(2))
		come_to_rest();
	/* the last member and the metadata have failed */
	if (mirror.broken && !ssdqos_mirror_knows(&mirror))
		return false;
	plain = mirror.plain || fault_dice || meta_dies;
	if (cfg.durability == SSDQOS_MIRROR_JOURNAL && !journal_lost)
		promise_all();
	out = who_stays_away();
	cut();
	keep_what_counts();
	anew = who_is_new(out);
	just_grown = grow(out);
	anew |= just_grown;
	ssdqos_mirror_exit(&mirror);
	start(write_back, out, anew);
	look_after_cut(plain);
	note_journal();
	return true;
}

static void lives(bool write_back)
{
	start(write_back, 0, 0);
	note_journal();
	for (u32 i = 0; i < LIVES; i++)
		if (!live(write_back))
			break;
	ssdqos_mirror_exit(&mirror);
}

static void forget(void)
{
	now = 0;
	writes = 0;
	super_leader = 0;
	super_behind = 0;
	super_says = SSDQOS_MIRROR_STRICT;
	journal_lost = false;
	unsettled = 0;
	just_grown = 0;
	finished = 0;
	memset(drives, 0, sizeof(drives));
	memset(used, 0, sizeof(used));
	memset(flushes, 0, sizeof(flushes));
	meta_dead = false;
	memset(masks, 0, sizeof(masks));
	memset(newest, 0, sizeof(newest));
	memset(promised, 0, sizeof(promised));
	memset(first_of, 0, sizeof(first_of));
	memset(loose, 0, sizeof(loose));
	memset(was_discarded, 0, sizeof(was_discarded));
	memset(discarded_at, 0, sizeof(discarded_at));
	memset(had, 0, sizeof(had));
}

static void history(u32 durability, u32 nr, u32 k, bool write_back, u32 faults, u64 seed)
{
	forget();
	more = false;
	ssdqos_rng_seed(&rng, seed);
	ssdqos_rng_seed(&effects, seed);
	members = nr;
	fault_dice = faults;
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
	lives(write_back);
}

/* Any kind of mirror, and all that may come. */
static void any_history(u64 seed)
{
	bool write_back;

	forget();
	more = true;
	ssdqos_rng_seed(&rng, seed);
	ssdqos_rng_seed(&effects, seed);
	members = 2 + dice(SSDQOS_MIRROR_MAX_MEMBERS - 1);
	fault_dice = dice(2) ? 4 : 0;
	write_back = dice(3);
	ssdqos_mirror_config_init(&cfg);
	cfg.durability = dice(SSDQOS_MIRROR_VOLATILE + 1);
	cfg.writers = 1 + dice(members - 1);
	cfg.cache_kib = 1024;
	cfg.region_kib = 64 << dice(3);
	cfg.switch_ms = 10 + dice(100);
	cfg.idle_ms = dice(2) ? 0 : dice(10);
	cfg.depth = 1 + dice(SSDQOS_MIRROR_MAX_DEPTH);
	cfg.run_kib = 4 << dice(7);
	cfg.throttle = dice(2);
	cfg.rebuild_mb_s = dice(2) ? 0 : 100;
	cfg.max_errors = 1 + dice(40);
	meta_dies = seed % META_DIES == META_DIES - 1;
	lives(write_back);
	meta_dies = false;
}

static u64 seed_first(void)
{
	const char *first = getenv("SSDQOS_MIRROR_SEED");

	return first ? strtoull(first, NULL, 10) : 1;
}

static u64 seed_count(u32 usual)
{
	const char *seeds = getenv("SSDQOS_MIRROR_SEEDS");

	return seeds ? strtoull(seeds, NULL, 10) : usual;
}

static void histories(u32 durability, u32 nr, u32 k, bool write_back, u32 faults)
{
	for (u64 seed = seed_first(); seed < seed_first() + seed_count(2); seed++) {
		print_message("durability %u, %u of %u write, cache %d, faults %u, seed %llu\n",
			      durability, k, nr, write_back, faults, seed);
		history(durability, nr, k, write_back, faults, seed);
	}
}

static int make(void **state)
{
	max_writes = LIVES * STEPS * 16;
	next_of = calloc(max_writes + 1, sizeof(next_of[0]));
	data = calloc(SLOTS, sizeof(data[0]));
	return 0;
}

static int unmake(void **state)
{
	free(next_of);
	free(data);
	/* a test that failed did not come to it */
	meta_dies = false;
	journal_dies = false;
	grows = false;
	caches_change = false;
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

static void test_journal(void **state)
{
	histories(SSDQOS_MIRROR_JOURNAL, 2, 1, true, 0);
	histories(SSDQOS_MIRROR_JOURNAL, 4, 2, true, 4);
}

static void test_journal_fails(void **state)
{
	journal_dies = true;
	histories(SSDQOS_MIRROR_JOURNAL, 2, 1, true, 0);
	histories(SSDQOS_MIRROR_JOURNAL, 2, 1, false, 0);
	histories(SSDQOS_MIRROR_JOURNAL, 2, 1, true, 4);
	histories(SSDQOS_MIRROR_JOURNAL, 4, 2, true, 4);
	journal_dies = false;
	/* power was cut before and after the superblock said so */
	assert_true(without_journal > 0 && replayed_lost > 0 && forgot_lost > 0);
}

static void test_any(void **state)
{
	for (u64 seed = seed_first(); seed < seed_first() + seed_count(8); seed++) {
		scrubs = seed & 1;
		print_message("any, seed %llu\n", seed);
		any_history(seed);
		scrubs = false;
	}
	/* one in two of them compares members */
	assert_true(compared > 0 || seed_count(2) < 2);
}

static void test_grows(void **state)
{
	grows = true;
	for (u64 seed = seed_first(); seed < seed_first() + seed_count(4); seed++) {
		print_message("grows, seed %llu\n", seed);
		any_history(seed);
	}
	assert_true(grown > 0);
}

static void test_caches_change(void **state)
{
	caches_change = true;
	histories(SSDQOS_MIRROR_STRICT, 2, 1, false, 0);
	histories(SSDQOS_MIRROR_STRICT, 4, 2, false, 4);
	histories(SSDQOS_MIRROR_VOLATILE, 2, 1, false, 0);
	histories(SSDQOS_MIRROR_JOURNAL, 2, 1, false, 4);
	for (u64 seed = seed_first(); seed < seed_first() + seed_count(2); seed++)
		any_history(seed);
}

/* Each of these has shown a mistake once. */
static void test_seeds(void **state)
{
	/* the member that failed had made a block durable alone */
	history(SSDQOS_MIRROR_VOLATILE, 3, 1, true, 4, 259);
	/* the member that answers changed while a block was being sent */
	history(SSDQOS_MIRROR_STRICT, 4, 2, true, 4, 117);
	/* a flush that failed at the last member counted as done */
	any_history(15);
	/* a flush waited for a discard, and the turn for the flush */
	any_history(49);
	/* who failed a copy and was needed elsewhere was not stale any more */
	any_history(99);
	/* a copy brought what was not promised yet to one who was not said to differ */
	any_history(5212);
	/* who led was away, and one who was behind led instead */
	any_history(5085);
	/* one that was copied to still became the leader of a moment */
	any_history(310);
	/* metadata counted as back while masks were on their way */
	any_history(699);
	/* what a flush was for had been written again before metadata failed */
	any_history(629);
	/* metadata were back, and did not say yet who leads */
	any_history(4276);
	/* a member came back before anybody else led where it had */
	any_history(3870);
	/* what there was at a moment had been discarded since by who was asked */
	any_history(72);
	/* metadata were back while a flush was at it that all members had to have */
	meta_dies = true;
	history(SSDQOS_MIRROR_VOLATILE, 2, 1, true, 0, 1795472506);
	meta_dies = false;
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
		cmocka_unit_test_setup_teardown(test_journal, make, unmake),
		cmocka_unit_test_setup_teardown(test_journal_fails, make, unmake),
		cmocka_unit_test_setup_teardown(test_any, make, unmake),
		cmocka_unit_test_setup_teardown(test_grows, make, unmake),
		cmocka_unit_test_setup_teardown(test_caches_change, make, unmake),
		cmocka_unit_test_setup_teardown(test_seeds, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
