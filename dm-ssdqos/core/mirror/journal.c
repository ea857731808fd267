// SPDX-License-Identifier: GPL-2.0
/*
 * journal.c - writes of a mirror that are safe before its members have them
 *
 * How records lie on the device is said in journal_disk.c; here is where they go, what
 * is needed of them, and how they are replayed.  Records have numbers without a gap.
 *
 *	in memory:	tail on disk ... tail ... head ... tail on disk
 *			  |---- frees ----|
 *			  |-------- used ----------|------ free ------|
 *
 * What has to be written in which order, and why:
 *
 * 1. A record's blocks, and its filler, go at once and in any order; checksums tell
 *    whether all of them came.  It is safe when it is durable and all records before
 *    are: replaying ends at the first one that is not.  So, if one can't be written,
 *    none behind it is ever safe, and the journal is of no use any more.
 * 2. A block is needed until enough members have it durably, or a newer one, and the
 *    record's own write has ended: else that might still hit who is there next.
 * 3. The superblock with a new tail goes to the slot of the older one, one at a time;
 *    only when it is durable, what is before the tail is overwritten.  Before that
 *    a power cut would find a tail where no record is, and so nothing.
 * 4. After a power cut: what was replayed gets durable on the members, then the
 *    superblock of ssdqos_journal_replay_done() gets durable, and then the first new
 *    record is written.  Its number is larger than any before that cut by more than
 *    there can be: a record behind the end, of which only the one before it was lost,
 *    would otherwise be taken for the successor of a new one.
 * 5. What is written to a block without the journal (zeroes, or for want of space)
 *    while a record from the tail on disk on has that block, would be undone by
 *    replaying it: first a superblock has to say that the record is not needed.
 *
 * Replaying, a block at a time, by what the next one is for:
 *
 *	state	block					then
 *	HEADER	a record of the next number		VERIFY
 *	HEADER	a filler of it, not at the begin	HEADER, at the begin
 *	HEADER	one of a larger number			error: a superblock was lost
 *	HEADER	any other				end
 *	VERIFY	as its header says			VERIFY; after the last: REPLAY
 *	VERIFY	another					end
 *	REPLAY	as its header says			REPLAY; after the last: HEADER
 *	REPLAY	another					error: it was good a moment ago
 *
 * So nothing of a record is applied before all of it was seen to be good.  No header
 * is met twice, as numbers grow: a replay ends after a lap at the latest.
 */
#include "../engine/crc32c.h"
#include "journal.h"

/* Records that one call forgets at most: some microseconds. */
#define JOURNAL_STEP 64u

/* ---- the ring in memory ---- */

/* A place is at most one lap too far. */
static u64 journal_wrap(const struct ssdqos_journal *j, u64 at)
{
	return at < SSDQOS_JOURNAL_FIRST + j->area ? at : at - j->area;
}

/**
 * ssdqos_journal_init - an empty ring
 * @j: the ring
 * @s: the superblock on disk; records go on from its tail
 * @max_live: records that are needed at a time, 1 or more
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdqos_journal_init(struct ssdqos_journal *j,
			const struct ssdqos_journal_super *s, u32 max_live)
{
	*j = (struct ssdqos_journal){
		.live = ssdqos_env_alloc((u64)max_live * sizeof(j->live[0])),
		.max_live = max_live,
		.area = s->blocks - SSDQOS_JOURNAL_FIRST,
		.head_at = s->tail_at,
		.head_seq = s->tail_seq,
		.tail_at = s->tail_at,
		.tail_seq = s->tail_seq,
	};
	return j->live ? 0 : -ENOMEM;
}

/**
 * ssdqos_journal_exit - the end of a ring
 * @j: the ring
 *
 * Context: may sleep.
 */
void ssdqos_journal_exit(struct ssdqos_journal *j)
{
	ssdqos_env_free(j->live);
	j->live = NULL;
}

/* Nothing is needed: a ring of any length is forgotten at once. */
static void journal_forget_all(struct ssdqos_journal *j)
{
	j->nr_live = 0;
	j->tail_at = j->head_at;
	j->tail_seq = j->head_seq;
	j->frees = j->used;
}

/* Each record is forgotten once, and a call can forget more than it can add. */
static void journal_forget(struct ssdqos_journal *j)
{
	u32 step;

	if (!j->needed) {
		journal_forget_all(j);
		return;
	}
	for (step = 0; step < JOURNAL_STEP; step++) {
		const struct ssdqos_journal_live *l = &j->live[j->oldest];

		if (l->left)
			return;
		j->tail_at = journal_wrap(j, j->tail_at + l->blocks);
		j->tail_seq++;
		j->frees += l->blocks;
		j->nr_live--;
		j->oldest = j->oldest + 1 == j->max_live ? 0 : j->oldest + 1;
	}
}

/* A place in the ring of @live. */
static u32 journal_place(const struct ssdqos_journal *j, u32 nth)
{
	u64 place = (u64)j->oldest + nth;

	return (u32)(place < j->max_live ? place : place - j->max_live);
}

/**
 * ssdqos_journal_reserve - a place for a record
 * @j: the ring
 * @nr: blocks of data, 1 to SSDQOS_JOURNAL_MAX_BLOCKS
 * @r: filled if there is one
 *
 * Context: caller serialises; forgets JOURNAL_STEP records at most.
 * Return: 0; -ENOSPC if there is no space: ssdqos_journal_tail() says how much a
 * superblock would free; -EBUSY if too many records are needed; -EINVAL for a
 * record that can't be.
 */
int ssdqos_journal_reserve(struct ssdqos_journal *j, u32 nr,
			   struct ssdqos_journal_record *r)
{
	u64 room = SSDQOS_JOURNAL_FIRST + j->area - j->head_at;
	u32 filler = room < 1 + nr ? (u32)room : 0, blocks = filler + 1 + nr;

	if (WARN_ON_ONCE(!nr || nr > SSDQOS_JOURNAL_MAX_BLOCKS))
		return -EINVAL;
	journal_forget(j);
	if (j->nr_live == j->max_live)
		return -EBUSY;
	if (j->used + blocks > j->area)
		return -ENOSPC;
	*r = (struct ssdqos_journal_record){
		.seq = j->head_seq,
		.at = filler ? SSDQOS_JOURNAL_FIRST : j->head_at,
		.filler_at = filler ? j->head_at : 0,
		.nr = nr,
	};
	j->live[journal_place(j, j->nr_live)] =
		(struct ssdqos_journal_live){ .blocks = blocks, .left = nr };
	j->nr_live++;
	j->head_at = journal_wrap(j, j->head_at + blocks);
	j->head_seq++;
	j->used += blocks;
	j->needed += nr;
	j->stats.records++;
	j->stats.data_blocks += nr;
	j->stats.filler_blocks += filler;
	j->stats.most_used = max(j->stats.most_used, j->used);
	return 0;
}

/**
 * ssdqos_journal_put - blocks of a record are not needed any more
 * @j: the ring
 * @seq: number of the record
 * @nr: so many of its blocks
 *
 * Context: caller serialises; forgets JOURNAL_STEP records at most.
 */
void ssdqos_journal_put(struct ssdqos_journal *j, u64 seq, u32 nr)
{
	struct ssdqos_journal_live *l;

	if (WARN_ON_ONCE(seq < j->tail_seq || seq >= j->head_seq))
		return;
	l = &j->live[journal_place(j, (u32)(seq - j->tail_seq))];
	if (WARN_ON_ONCE(nr > l->left))
		return;
	l->left -= nr;
	j->needed -= nr;
	journal_forget(j);
}

/**
 * ssdqos_journal_tail - what the superblock should say
 * @j: the ring
 * @tail: filled
 *
 * Context: caller serialises; forgets JOURNAL_STEP records at most.
 */
void ssdqos_journal_tail(struct ssdqos_journal *j,
			 struct ssdqos_journal_tail *tail)
{
	journal_forget(j);
	tail->at = j->tail_at;
	tail->seq = j->tail_seq;
	tail->frees = j->frees;
}

/**
 * ssdqos_journal_tail_written - a superblock is durable
 * @j: the ring
 * @tail: what it says; no other one was written since ssdqos_journal_tail() said so
 *
 * Context: caller serialises.
 */
void ssdqos_journal_tail_written(struct ssdqos_journal *j,
				 const struct ssdqos_journal_tail *tail)
{
	if (WARN_ON_ONCE(tail->frees > j->frees))
		return;
	j->frees -= tail->frees;
	j->used -= tail->frees;
	j->stats.tails++;
}

/* ---- after a power cut ---- */

static void replay_await_header(struct ssdqos_journal_replay *p, u64 at)
{
	p->phase = SSDQOS_JOURNAL_HEADER;
	p->at = at;
	p->run = 1;
}

static void replay_await_data(struct ssdqos_journal_replay *p,
			      enum ssdqos_journal_phase phase)
{
	p->phase = phase;
	p->at = p->header_at + 1;
	p->run = p->nr;
	p->done = 0;
}

static enum ssdqos_journal_fed replay_end(struct ssdqos_journal_replay *p,
					  u64 at)
{
	p->at = at;
	p->run = 0;
	return SSDQOS_JOURNAL_END;
}

/**
 * ssdqos_journal_replay_begin - from the oldest record on
 * @p: filled; the caller feeds block @at, again and again
 * @s: the superblock on disk
 * @mirror_blocks: size of the mirror
 */
void ssdqos_journal_replay_begin(struct ssdqos_journal_replay *p,
				 const struct ssdqos_journal_super *s,
				 u64 mirror_blocks)
{
	memset(p, 0, sizeof(*p));
	p->super = *s;
	p->mirror_blocks = mirror_blocks;
	p->seq = s->tail_seq;
	replay_await_header(p, s->tail_at);
}

/* What has the right checksum, key and number was written by us, or is a lie. */
static int replay_check(const struct ssdqos_journal_replay *p,
			const struct ssdqos_journal_record *r, char *err,
			u32 err_size)
{
	if (r->seq > p->seq) {
		scnprintf(err, err_size,
			  "the journal has record %llu in block %llu where %llu has to be: its newest superblock is lost",
			  r->seq, p->at, p->seq);
		return -EBADMSG;
	}
	if (r->filler_at == SSDQOS_JOURNAL_FIRST) {
		scnprintf(err, err_size,
			  "the journal has a filler in block %llu, where a record has to be",
			  p->at);
		return -EBADMSG;
	}
	if (!r->filler_at && (!r->nr || r->nr > SSDQOS_JOURNAL_MAX_BLOCKS ||
			      r->nr >= p->super.blocks - p->at)) {
		scnprintf(err, err_size,
			  "the journal's record %llu in block %llu has %u blocks of data, which have to be 1 to %u, and within %llu",
			  r->seq, p->at, r->nr, SSDQOS_JOURNAL_MAX_BLOCKS,
			  p->super.blocks);
		return -EBADMSG;
	}
	return 0;
}

static int replay_header(struct ssdqos_journal_replay *p, const u8 *block,
			 char *err, u32 err_size)
{
	struct ssdqos_journal_record r;
	int ret;
	u32 i;

	if (!ssdqos_journal_header_decode(block, &p->super, p->at, &r) ||
	    r.seq < p->seq)
		return replay_end(p, p->at);
	ret = replay_check(p, &r, err, err_size);
	if (ret)
		return ret;
	if (r.filler_at) {
		replay_await_header(p, r.at);
		return SSDQOS_JOURNAL_READ_ON;
	}
	for (i = 0; i < r.nr; i++) {
		ssdqos_journal_entry_decode(block, i, &p->entries[i]);
		if (p->entries[i].block < p->mirror_blocks)
			continue;
		scnprintf(err, err_size,
			  "the journal's record %llu has data of block %llu, the mirror has %llu blocks",
			  r.seq, p->entries[i].block, p->mirror_blocks);
		return -EBADMSG;
	}
	p->header_at = p->at;
	p->nr = r.nr;
	replay_await_data(p, SSDQOS_JOURNAL_VERIFY);
	return SSDQOS_JOURNAL_READ_ON;
}

static int replay_verify(struct ssdqos_journal_replay *p, bool is_good)
{
	if (!is_good)
		return replay_end(p, p->header_at);
	p->at++;
	p->run--;
	if (++p->done == p->nr)
		replay_await_data(p, SSDQOS_JOURNAL_REPLAY);
	return SSDQOS_JOURNAL_READ_ON;
}

static int replay_apply(struct ssdqos_journal_replay *p, bool is_good,
			char *err, u32 err_size)
{
	if (!is_good) {
		scnprintf(err, err_size,
			  "block %llu of the journal was good and is damaged when it is read again",
			  p->at);
		return -EBADMSG;
	}
	p->block = p->entries[p->done].block;
	p->at++;
	p->run--;
	if (++p->done == p->nr) {
		p->seq++;
		p->records++;
		replay_await_header(p, p->at < p->super.blocks ?
				       p->at : SSDQOS_JOURNAL_FIRST);
	}
	return SSDQOS_JOURNAL_APPLY;
}

/**
 * ssdqos_journal_replay_feed - look at a block of the journal
 * @p: the replay
 * @block: block @at of the journal, SSDQOS_DISK_BLOCK_BYTES
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: any; twenty microseconds.
 * Return: enum ssdqos_journal_fed: with SSDQOS_JOURNAL_APPLY, what was fed goes to
 * block @block of the mirror, in this order; -EBADMSG if the journal can't be
 * believed: what was acknowledged may be lost.
 */
int ssdqos_journal_replay_feed(struct ssdqos_journal_replay *p, const u8 *block,
			       char *err, u32 err_size)
{
	bool is_good;

	if (!p->run)
		return SSDQOS_JOURNAL_END;
	if (p->phase == SSDQOS_JOURNAL_HEADER)
		return replay_header(p, block, err, err_size);
	is_good = ssdqos_crc32c(block, SSDQOS_DISK_BLOCK_BYTES) ==
		  p->entries[p->done].checksum;
	if (p->phase == SSDQOS_JOURNAL_VERIFY)
		return replay_verify(p, is_good);
	return replay_apply(p, is_good, err, err_size);
}

/**
 * ssdqos_journal_replay_done - the superblock with which new records begin
 * @p: the replay, which has met the end
 * @s: filled; has to be durable before the first new record is written, and after
 *	what was replayed is durable on the members
 *
 * The device has no record whose number is larger than the next one's by as much as it
 * has blocks, since each took one between the tail on disk and the head.
 */
void ssdqos_journal_replay_done(const struct ssdqos_journal_replay *p,
				struct ssdqos_journal_super *s)
{
	*s = p->super;
	s->seq++;
	s->tail_at = p->at;
	s->tail_seq = p->seq + s->blocks;
}
