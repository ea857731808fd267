// SPDX-License-Identifier: GPL-2.0
/*
 * replay.c - a mirror's journal, when the mirror begins and when it ends
 *
 * The superblock of the mirror says whether the journal has to be replayed.  It does from
 * before the first write goes through the journal until the mirror has been stopped in
 * order, when all members have all and nobody needs the journal any more.
 *
 *	superblock	table			what happens
 *	no journal	journal <dev>		a new journal is made, then noted
 *	no journal	journal -		as with durability strict
 *	journal		journal <dev>		replayed, then it goes on
 *	journal		journal -		what only it had is lost, and nobody knows
 *						where: all is copied from the leader
 *	journal		another durability	refused
 *
 * What is replayed goes the way of a client's writes: into the cache, from there to all
 * members.  The mirror is not resumed before all of them have it on stable storage, and the
 * journal's superblock says that no record is needed.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/delay.h>
#include <linux/device-mapper.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "ianus.h"
#include "trace.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

/* When there is no room in the cache: a few writes to a member. */
#define REPLAY_WAIT_MIN_US 200
#define REPLAY_WAIT_MAX_US 1000

/* Read or write blocks of the journal, and wait for it. */
static int replay_io(struct ianus *x, blk_opf_t opf, u64 block, u8 **pages, u32 nr)
{
	struct bio *bio = bio_alloc_bioset(x->journal.dev->bdev, nr,
					   opf | REQ_SYNC, GFP_NOIO, &x->bios);
	u32 i;
	int r;

	bio->bi_iter.bi_sector = block * SSDQOS_DISK_BLOCK_SECTORS;
	for (i = 0; i < nr; i++)
		__bio_add_page(bio, virt_to_page(pages[i]),
			       SSDQOS_DISK_BLOCK_BYTES, 0);
	r = submit_bio_wait(bio);
	bio_put(bio);
	return r;
}

static int replay_read(struct ianus *x, u64 block, u8 **pages, u32 nr, char *err)
{
	int r = replay_io(x, REQ_OP_READ, block, pages, nr);

	if (r)
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' can't be read (%d); 'journal -' does without it",
			  x->journal.dev->name, r);
	return r;
}

/* What is to be in the superblock, to the place of the older one. */
static int replay_write_super(struct ianus *x, char *err)
{
	struct ianus_journal *j = &x->journal;
	int r;

	ssdqos_journal_super_encode(&j->super, j->block);
	r = replay_io(x, REQ_OP_WRITE | REQ_PREFLUSH | REQ_FUA, !j->super_slot,
		      &j->block, 1);
	if (r)
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' can't be written (%d); 'journal -' does without it",
			  j->dev->name, r);
	else
		j->super_slot = !j->super_slot;
	return r;
}

/* ---- what is there ---- */

static bool replay_is_needed(const struct ianus *x)
{
	return x->meta.super.durability == SSDQOS_MIRROR_JOURNAL;
}

static u64 replay_blocks(const struct ianus *x)
{
	u64 blocks = bdev_nr_sectors(x->journal.dev->bdev) /
		     SSDQOS_DISK_BLOCK_SECTORS;

	return min(blocks, SSDQOS_JOURNAL_MAX_SIZE);
}

/* A new one has its number, random; one that is blank has none yet, and may be taken if it
 * is not @needed.
 */
static int replay_choose(struct ianus *x, bool needed, char *err)
{
	struct ianus_journal *j = &x->journal;
	u8 *slots[SSDQOS_DISK_SLOTS] = { j->records[0].header, j->records[0].filler };
	struct ssdqos_disk_choice choice = { 0 };
	char why[IANUS_ERR_BYTES];
	int r = replay_read(x, 0, slots, SSDQOS_DISK_SLOTS, err);

	if (r)
		return r;
	r = ssdqos_journal_super_choose((const u8 *const *)slots,
					x->meta.super.uuid, &j->super, &choice,
					why, sizeof(why));
	j->super_slot = choice.newest;
	if (r == -ENOENT && !needed) {
		j->super = (struct ssdqos_journal_super){ 0 };
		return 0;
	}
	if (r)
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' has not that of this mirror, nor 8 KiB of zeroes: %s",
			  j->dev->name, why);
	else if (needed && j->super.blocks > replay_blocks(x))
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: '%s' had %llu blocks of 4 KiB, and has %llu",
			  j->dev->name, j->super.blocks, replay_blocks(x));
	else
		return 0;
	return r ? r : -ENOSPC;
}

/* All members but the one that has most, if the journal is lost.  @lacking: who has less */
static u8 replay_others(const struct ianus *x, u8 lacking)
{
	const struct ssdqos_mirror_super *s = &x->meta.super;
	u8 here = x->mirror.all & (u8)~(ianus_absent(x) | lacking), best;

	best = here & (u8)~s->out_mask ? here & (u8)~s->out_mask : here;
	if (best & (1u << s->leader))
		best = (u8)(1u << s->leader);
	return x->mirror.all & (u8)~(best & -best);
}

/**
 * ianus_journal_may - may the journal be that of the mirror, or become it?
 * @x: the mirror; its superblock was read
 * @err: gets one sentence if not
 *
 * When its table is loaded: what is refused later stops the mirror that is there.  As that
 * one may use its journal still, one that is blank may be right.
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ianus_journal_may(struct ianus *x, char *err)
{
	return x->journal.dev ? replay_choose(x, false, err) : 0;
}

/**
 * ianus_journal_look - does the journal fit the mirror?
 * @x: the mirror; its metadata were read, and it has not begun
 * @rebuild: members all of which has to be copied; gets more
 * @err: gets one sentence on failure
 *
 * Context: may sleep.  Changes nothing on any device.
 * Return: 0 or a negative error.
 */
int ianus_journal_look(struct ianus *x, u8 *rebuild, char *err)
{
	bool needed = replay_is_needed(x);

	if (x->cfg.durability != SSDQOS_MIRROR_JOURNAL) {
		if (!needed)
			return 0;
		scnprintf(err, IANUS_ERR_BYTES,
			  "durability: the mirror on '%s' was not stopped in order, and its journal has what members lack: journal <dev> replays it, and 'journal -' does without",
			  x->meta.dev->name);
		return -EINVAL;
	}
	/* the metadata go on to say so until members have all */
	x->mirror.journal = needed ? SSDQOS_MIRROR_JOURNAL_USED :
				     SSDQOS_MIRROR_JOURNAL_NONE;
	if (!x->journal.absent)
		return replay_choose(x, needed, err);
	x->mirror.cfg.durability = SSDQOS_MIRROR_STRICT;
	if (needed) {
		*rebuild |= replay_others(x, *rebuild);
		DMERR("the journal is not here: what only it had is lost");
	}
	return 0;
}

/* ---- after a power cut ---- */

/**
 * struct replay - of a journal
 * @feed: of the core
 * @pages: blocks that were read
 * @at: the first one's number
 * @nr: how many
 */
struct replay {
	struct ssdqos_journal_replay feed;
	u8 *pages[SSDQOS_JOURNAL_MAX_BLOCKS];
	u64 at;
	u32 nr;
};

static void replay_free(struct replay *p)
{
	u32 i;

	for (i = 0; p && i < SSDQOS_JOURNAL_MAX_BLOCKS; i++)
		free_page((unsigned long)p->pages[i]);
	kvfree(p);
}

static struct replay *replay_alloc(void)
{
	struct replay *p = kvzalloc(sizeof(*p), GFP_KERNEL);
	u32 i;

	for (i = 0; p && i < SSDQOS_JOURNAL_MAX_BLOCKS; i++) {
		p->pages[i] = (u8 *)__get_free_page(GFP_KERNEL);
		if (p->pages[i])
			continue;
		replay_free(p);
		return NULL;
	}
	return p;
}

/* The block that is asked for; what was looked at is applied without reading it again. */
static u8 *replay_block(struct ianus *x, struct replay *p, char *err)
{
	u64 at = p->feed.at;

	if (at < p->at || at >= p->at + p->nr) {
		p->nr = 0;
		if (replay_read(x, at, p->pages, p->feed.run, err))
			return NULL;
		p->at = at;
		p->nr = p->feed.run;
	}
	return p->pages[at - p->at];
}

/* Whether there was room. */
static bool replay_try(struct ianus *x, u64 block, const u8 *data)
{
	u32 slot;

	spin_lock_irq(&x->lock);
	if (ssdqos_mirror_take(&x->mirror, 1, &slot, ktime_get_ns())) {
		spin_unlock_irq(&x->lock);
		return false;
	}
	spin_unlock_irq(&x->lock);
	memcpy_to_page(x->pages[slot], 0, data, SSDQOS_DISK_BLOCK_BYTES);
	spin_lock_irq(&x->lock);
	ssdqos_mirror_publish(&x->mirror, block, slot);
	spin_unlock_irq(&x->lock);
	return true;
}

static int replay_apply(struct ianus *x, u64 block, const u8 *data, char *err)
{
	while (!replay_try(x, block, data)) {
		ianus_kick(x);
		usleep_range(REPLAY_WAIT_MIN_US, REPLAY_WAIT_MAX_US);
		if (!READ_ONCE(x->mirror.broken))
			continue;
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: what it has can't be written to the last member");
		return -EIO;
	}
	return 0;
}

static int replay_feed(struct ianus *x, struct replay *p, char *err)
{
	int r;

	do {
		u8 *data = replay_block(x, p, err);

		if (!data)
			return -EIO;
		r = ssdqos_journal_replay_feed(&p->feed, data, err,
					       IANUS_ERR_BYTES);
		if (r == SSDQOS_JOURNAL_APPLY && replay_apply(x, p->feed.block,
							      data, err))
			return -EIO;
		cond_resched();
	} while (r >= 0 && r != SSDQOS_JOURNAL_END);
	return r < 0 ? r : 0;
}

static int replay_run(struct ianus *x, char *err)
{
	struct ianus_journal *j = &x->journal;
	struct replay *p = replay_alloc();
	int r;

	if (!p) {
		scnprintf(err, IANUS_ERR_BYTES, "journal: no memory to replay it");
		return -ENOMEM;
	}
	ssdqos_journal_replay_begin(&p->feed, &j->super, x->mirror.blocks);
	r = replay_feed(x, p, err);
	if (!r) {
		ssdqos_journal_replay_done(&p->feed, &j->super);
		j->replayed = p->feed.records;
	}
	replay_free(p);
	return r;
}

/* ---- begin ---- */

/* All members have all, and the metadata say what there is to say. */
static int replay_settle(struct ianus *x, char *err)
{
	if (ianus_drain(x))
		return 0;
	scnprintf(err, IANUS_ERR_BYTES,
		  "journal: members can't be written what they lack");
	return -EIO;
}

/* With a key of its own, so that no record from before is taken for one. */
static int replay_format(struct ianus *x, char *err)
{
	struct ianus_journal *j = &x->journal;
	u64 seq = j->super.seq;
	u32 i;
	int r = 0;

	j->super = (struct ssdqos_journal_super){
		.seq = seq, .blocks = replay_blocks(x),
		.tail_at = SSDQOS_JOURNAL_FIRST, .tail_seq = 1,
	};
	memcpy(j->super.uuid, x->meta.super.uuid, sizeof(j->super.uuid));
	get_random_bytes(&j->super.key, sizeof(j->super.key));
	for (i = 0; i < SSDQOS_DISK_SLOTS && !r; i++) {
		j->super.seq++;
		r = replay_write_super(x, err);
	}
	return r;
}

static int replay_ring(struct ianus *x, char *err)
{
	struct ianus_journal *j = &x->journal;
	int r = ssdqos_flow_init(&j->flow, &x->mirror, &j->super);

	if (r)
		scnprintf(err, IANUS_ERR_BYTES,
			  "journal: no memory for its list of records");
	return r;
}

static int replay_begin(struct ianus *x, char *err)
{
	bool needed = replay_is_needed(x);
	int r = 0;

	if (needed && !x->journal.absent)
		r = replay_run(x, err);
	if (!r)
		r = replay_settle(x, err);
	if (r)
		return r;
	if (x->journal.absent) {
		x->mirror.journal = SSDQOS_MIRROR_JOURNAL_NONE;
		return needed ? ianus_meta_note(x, err) : 0;
	}
	r = needed ? replay_write_super(x, err) : replay_format(x, err);
	if (!r)
		r = replay_ring(x, err);
	return r ? r : ianus_journal_go_on(x, err);
}

/**
 * ianus_journal_begin - replay the journal, or make one
 * @x: the mirror; it has begun, and there are no clients
 * @err: gets one sentence on failure
 *
 * Context: may sleep, as long as members take to write what is replayed.
 * Return: 0, and it rests; or a negative error: the mirror can't be used.
 */
int ianus_journal_begin(struct ianus *x, char *err)
{
	unsigned int noio;
	int r;

	if (x->cfg.durability != SSDQOS_MIRROR_JOURNAL)
		return 0;
	/* members are written what they lack, until all have all */
	spin_lock_irq(&x->lock);
	x->resting = false;
	spin_unlock_irq(&x->lock);
	/* who waits for this device's writes must not be waited for */
	noio = memalloc_noio_save();
	r = replay_begin(x, err);
	memalloc_noio_restore(noio);
	if (r)
		return r;
	if (x->journal.replayed)
		DMINFO("%llu records of the journal were replayed",
		       x->journal.replayed);
	trace_ssdqos_ianus_journal(ianus_dev(x), x->journal.flow.on,
				   x->journal.replayed);
	return 0;
}

/* ---- suspend and resume ---- */

/* All members have all; the journal's own superblock says that no record is needed. */
static int replay_empty(struct ianus *x, char *err)
{
	struct ianus_journal *j = &x->journal;
	struct ssdqos_journal_tail tail;
	int r;

	ssdqos_journal_tail(&j->flow.ring, &tail);
	j->super.seq++;
	j->super.tail_at = tail.at;
	j->super.tail_seq = tail.seq;
	r = replay_write_super(x, err);
	if (!r)
		ssdqos_journal_tail_written(&j->flow.ring, &tail);
	return r;
}

/* Whatever the metadata say of a journal now, replaying it changes nothing.  If it can't be
 * written either, nobody could be told of what is written: clients are, as when both fail
 * while the mirror runs.
 */
static void replay_do_without(struct ianus *x)
{
	char err[IANUS_ERR_BYTES];
	int r = replay_empty(x, err);

	if (r)
		DMERR("%s", err);
	spin_lock_irq(&x->lock);
	x->mirror.broken |= !!r;
	x->journal.flow.on = false;
	x->mirror.cfg.durability = SSDQOS_MIRROR_STRICT;
	spin_unlock_irq(&x->lock);
}

/**
 * ianus_journal_go_on - clients may come: from now on the journal is needed
 * @x: the mirror, at rest
 * @err: gets one sentence on failure
 *
 * A mirror that was there goes on without if the metadata can't say so: a disk that has
 * nobody's data should not be what stops it, and who waits for a mirror that stays suspended
 * would not be told.
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int ianus_journal_go_on(struct ianus *x, char *err)
{
	int r;

	if (!x->journal.flow.on || x->mirror.journal == SSDQOS_MIRROR_JOURNAL_USED)
		return 0;
	x->mirror.journal = SSDQOS_MIRROR_JOURNAL_USED;
	r = ianus_meta_note(x, err);
	if (!r)
		return 0;
	x->mirror.journal = SSDQOS_MIRROR_JOURNAL_NONE;
	if (!x->resumed)
		return r;
	replay_do_without(x);
	return 0;
}

/**
 * ianus_journal_rest - all members have all: the journal is not needed any more
 * @x: the mirror, at rest
 *
 * If that can't be noted, it is replayed next time, for nothing.  Whether it was is not
 * known when that has failed, so it is noted before the next clients come that it is needed.
 * Context: may sleep.
 */
void ianus_journal_rest(struct ianus *x)
{
	char err[IANUS_ERR_BYTES];

	if (x->mirror.journal != SSDQOS_MIRROR_JOURNAL_USED ||
	    x->mirror.map_failed)
		return;
	x->mirror.journal = SSDQOS_MIRROR_JOURNAL_NONE;
	if (ianus_meta_note(x, err))
		DMERR("%s", err);
}
