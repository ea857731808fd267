// SPDX-License-Identifier: GPL-2.0
/*
 * flow.c - clients' writes on their way through the journal of a mirror
 *
 * A write of a client goes this way:
 *
 *	slots of the cache --> queue --> record --> published, answered
 *	                         |   FUA: durable    in order of records
 *	                         '--- gathers as long as others are written
 *
 * So what is in the cache is in the journal, and what was answered is durable: a flush has
 * nothing to wait for.  A record has all that waits when it is begun, 64 blocks at most;
 * two small ones are under way at a time, and what comes meanwhile goes into the next.
 *
 * Blocks that leave the cache leave the ring of records; the superblock of the journal says
 * from time to time where the oldest record is that is needed.  If there is no room, writes
 * wait, and the mirror is told that somebody does: it ends turns earlier then.
 *
 * When the journal can't be written, what is on its way, and all that comes, is published
 * without it, and the mirror goes on as with durability strict (safe.c).
 *
 * The caller serialises, has the data, and writes: whenever something was added, a record
 * or a superblock was written, or blocks have left the cache, it
 *
 *	tells of the superblock		ssdqos_flow_tail_ended()
 *	answers				ssdqos_flow_ended(), _pop(), _answered(), and _leave()
 *	writes records			ssdqos_flow_next(), then _written()
 *	writes a superblock		ssdqos_flow_wants_tail()
 *
 * in this order, each until there is nothing.
 */
#include "flow.h"

/* Records that are begun though they are not full: one is written, one on its way back. */
#define FLOW_AT_ONCE 2u
/* A superblock is written when it frees this part of the journal, or when there is no room. */
#define FLOW_TAIL_DIVISOR 8
/* A record of one block takes two. */
#define FLOW_MIN_RECORD 2u
/* Records of one block that are needed at a time: 8 MiB of memory. */
#define FLOW_MAX_LIVE (1u << 20)

/* ---- come and go ---- */

/**
 * ssdqos_flow_init - writes go through the journal from now on
 * @f: the flow, all zero
 * @m: the mirror
 * @s: the superblock of the journal, which is on disk
 *
 * Context: may sleep; nobody writes.
 * Return: 0 or -ENOMEM.
 */
int ssdqos_flow_init(struct ssdqos_flow *f, struct ssdqos_mirror *m,
		     const struct ssdqos_journal_super *s)
{
	u64 most = min_t(u64, div64_u64(s->blocks, FLOW_MIN_RECORD),
			 FLOW_MAX_LIVE);
	int r = ssdqos_journal_init(&f->ring, s, (u32)most);
	u32 i;

	for (i = 0; i < SSDQOS_FLOW_RECORDS; i++)
		f->records[i].number = i;
	f->mirror = m;
	f->on = !r;
	m->ring = &f->ring;
	return r;
}

/**
 * ssdqos_flow_exit - give the memory back
 * @f: the flow; may be all zero
 *
 * Context: may sleep.
 */
void ssdqos_flow_exit(struct ssdqos_flow *f)
{
	ssdqos_journal_exit(&f->ring);
}

/* ---- clients ---- */

static void flow_push(struct ssdqos_flow_list *list, struct ssdqos_flow_write *write)
{
	write->next = NULL;
	if (list->first)
		list->last->next = write;
	else
		list->first = write;
	list->last = write;
}

/**
 * ssdqos_flow_pop - the first write of a list
 * @list: of a record that has ended
 *
 * Context: any; such a record is the caller's alone.
 * Return: NULL if there is none.
 */
struct ssdqos_flow_write *ssdqos_flow_pop(struct ssdqos_flow_list *list)
{
	struct ssdqos_flow_write *write = list->first;

	if (write)
		list->first = write->next;
	return write;
}

/**
 * ssdqos_flow_add - a write is to become part of a record
 * @f: the flow
 * @write: the write, with its blocks; its data are in slots that were taken
 *
 * When the journal is lost, writes go this way until those before them have come out.
 * Context: caller serialises.
 * Return: false if there is no journal: it is to be published at once.
 */
bool ssdqos_flow_add(struct ssdqos_flow *f, struct ssdqos_flow_write *write)
{
	if (!f->on && !f->nr && !f->queued)
		return false;
	flow_push(&f->queue, write);
	f->queued += write->nr;
	return true;
}

/**
 * ssdqos_flow_flush - somebody wants all that was answered to be durable
 * @f: the flow
 *
 * Context: caller serialises.
 * Return: whether it is, since the journal has it; if not, ssdqos_mirror_flush().
 */
bool ssdqos_flow_flush(struct ssdqos_flow *f)
{
	if (!f->on)
		return false;
	f->mirror->stats.flushes++;
	return true;
}

/* ---- records ---- */

/* The first writes that wait, as many as fit into a record; blocks of them. */
static u32 flow_fitting(const struct ssdqos_flow *f)
{
	const struct ssdqos_flow_write *write = f->queue.first;
	u32 nr = 0;

	for (; write && nr + write->nr <= SSDQOS_JOURNAL_MAX_BLOCKS; write = write->next)
		nr += write->nr;
	return nr;
}

/* There is no room: is that news?  Turns end earlier as long as somebody waits. */
static void flow_is_full(struct ssdqos_flow *f)
{
	f->waits += !f->full;
	f->full = true;
	ssdqos_mirror_want_room(f->mirror);
}

/**
 * ssdqos_flow_next - the next record, if it may be written now
 * @f: the flow
 *
 * Its blocks, and its filler, are written at once, and are durable when they are.
 * Context: caller serialises; looks at SSDQOS_JOURNAL_MAX_BLOCKS writes at most.
 * Return: the record, for ssdqos_flow_written(), or NULL.
 */
struct ssdqos_flow_record *ssdqos_flow_next(struct ssdqos_flow *f)
{
	struct ssdqos_flow_record *record =
		&f->records[(f->oldest + f->nr) % SSDQOS_FLOW_RECORDS];
	u32 nr, left;

	if (!f->on || !f->queued || f->mirror->broken ||
	    f->nr == SSDQOS_FLOW_RECORDS ||
	    (f->nr >= FLOW_AT_ONCE && f->queued < SSDQOS_JOURNAL_MAX_BLOCKS))
		return NULL;
	nr = flow_fitting(f);
	if (ssdqos_journal_reserve(&f->ring, nr, &record->place)) {
		flow_is_full(f);
		return NULL;
	}
	f->full = false;
	f->nr++;
	f->queued -= nr;
	record->done = false;
	record->failed = false;
	for (left = nr; left; left -= record->writes.last->nr)
		flow_push(&record->writes, ssdqos_flow_pop(&f->queue));
	return record;
}

/**
 * ssdqos_flow_written - the write of a record has ended
 * @record: the record
 * @failed: some of it could not be written
 *
 * Context: caller serialises; they may end in any order.
 */
void ssdqos_flow_written(struct ssdqos_flow_record *record, bool failed)
{
	record->failed = failed;
	record->done = true;
}

/* More than one thing may tell of it. */
static void flow_lose(struct ssdqos_flow *f)
{
	if (!f->on)
		return;
	f->on = false;
	ssdqos_mirror_journal_lost(f->mirror);
}

/**
 * ssdqos_flow_ended - the oldest record, if its write has ended
 * @f: the flow
 * @seq: gets its number, for ssdqos_mirror_journaled(); 0 if it is not safe, as the
 *	journal is lost
 *
 * The caller pops its writes, publishes and answers them, in order.
 * Context: caller serialises.
 * Return: the record, for ssdqos_flow_answered(), or NULL.
 */
struct ssdqos_flow_record *ssdqos_flow_ended(struct ssdqos_flow *f, u64 *seq)
{
	struct ssdqos_flow_record *record = &f->records[f->oldest];

	if (!f->nr || !record->done)
		return NULL;
	/* none behind it is ever safe */
	if (record->failed)
		flow_lose(f);
	/* without a journal nothing is in a record */
	*seq = f->on ? record->place.seq : 0;
	return record;
}

/**
 * ssdqos_flow_answered - all that was in the oldest record is answered
 * @f: the flow
 *
 * Context: caller serialises.
 */
void ssdqos_flow_answered(struct ssdqos_flow *f)
{
	f->oldest = (f->oldest + 1) % SSDQOS_FLOW_RECORDS;
	f->nr--;
}

/**
 * ssdqos_flow_leave - a write that waits, if no record is to have it
 * @f: the flow
 *
 * Context: caller serialises.
 * Return: the write, to be published without a record, or NULL.
 */
struct ssdqos_flow_write *ssdqos_flow_leave(struct ssdqos_flow *f)
{
	struct ssdqos_flow_write *write = NULL;

	if ((!f->on && !f->nr) || f->mirror->broken)
		write = ssdqos_flow_pop(&f->queue);
	if (write)
		f->queued -= write->nr;
	return write;
}

/* ---- the superblock ---- */

/**
 * ssdqos_flow_wants_tail - is the superblock to be written?
 * @f: the flow; @tail gets what it has to say
 *
 * Context: caller serialises.
 * Return: whether it is; ssdqos_flow_tail_ended() when that has ended.
 */
bool ssdqos_flow_wants_tail(struct ssdqos_flow *f)
{
	if (!f->on || f->tail_writing)
		return false;
	ssdqos_journal_tail(&f->ring, &f->tail);
	if (!f->tail.frees ||
	    (!f->full && f->tail.frees < f->ring.area / FLOW_TAIL_DIVISOR))
		return false;
	f->tail_writing = true;
	return true;
}

/**
 * ssdqos_flow_tail_ended - the write of a superblock has ended
 * @f: the flow
 * @failed: it could not be written; otherwise it is durable
 *
 * Context: caller serialises.
 */
void ssdqos_flow_tail_ended(struct ssdqos_flow *f, bool failed)
{
	f->tail_writing = false;
	if (failed)
		flow_lose(f);
	else
		ssdqos_journal_tail_written(&f->ring, &f->tail);
}
