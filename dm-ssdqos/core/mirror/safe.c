// SPDX-License-Identifier: GPL-2.0
/*
 * safe.c - what a mirror does about its journal
 *
 * With durability journal all that is in the cache is in a journal, too, and what leaves
 * the cache is not needed there any more.  So the metadata need not say where members
 * differ: after a power cut the journal has all that some of them lack.  That it has to be
 * replayed is told by the superblock.
 *
 * If the journal can't be written, the mirror goes on as with durability strict.  Nothing
 * was noted about where members differ, and what was promised may be on no member, so
 *
 *	walk	regions of which something is in the cache are to be noted; what the
 *		member that answers for them lacks is fresh again
 *	flush	all of that gets durable on members, and noted
 *	note	the superblock says that there is no journal to be replayed
 *
 * and no other flush is answered before.  Until then a power cut finds the journal as it
 * was when it failed: replaying that takes away nothing that was promised afterwards.  If
 * the superblock can't be written either, nobody can be told, and the mirror is broken.
 */
#include "internal.h"
#include "journal.h"

/**
 * ssdqos_mirror_journaled - a block that was just published is in a record of the journal
 * @m: the mirror; @ring is its journal
 * @slot: where the data are
 * @record: number of the record, which is safe
 *
 * When the block leaves the cache, that is told to the ring.
 * Context: any.
 */
void ssdqos_mirror_journaled(struct ssdqos_mirror *m, u32 slot, u64 record)
{
	mirror_at(m, slot)->record = record;
}

/**
 * ssdqos_mirror_want_room - somebody waits until blocks leave the cache
 * @m: the mirror
 *
 * Context: any; to be said again whenever it is still so.
 */
void ssdqos_mirror_want_room(struct ssdqos_mirror *m)
{
	m->stats.waits += !m->waiting;
	m->waiting = true;
}

/**
 * ssdqos_mirror_journal_lost - the journal can't be written any more
 * @m: the mirror; the journal is in use, and all that is in the cache is in it
 *
 * Context: any.
 */
void ssdqos_mirror_journal_lost(struct ssdqos_mirror *m)
{
	m->cfg.durability = SSDQOS_MIRROR_STRICT;
	m->journal = SSDQOS_MIRROR_JOURNAL_LEFT;
	m->leaving = 0;
	m->leave_region = 0;
	mirror_flush_again(m);
	m->leave_mark = m->flush_wanted;
}

static void leave_region(struct ssdqos_mirror *m, u32 region)
{
	if (!m->regions.regions[region].nr)
		return;
	ssdqos_regions_want(&m->regions, region,
			    m->all & (u8)~mirror_bit(mirror_answers(m, region)));
	ssdqos_regions_owe(&m->regions, region);
}

/**
 * mirror_safe_walk - go on with what the loss of the journal has begun
 * @m: the mirror
 *
 * Return: whether there is more of it.
 */
bool mirror_safe_walk(struct ssdqos_mirror *m)
{
	u32 i;

	if (m->leaving == SSDQOS_NIL)
		return false;
	for (i = 0; i < MIRROR_WALK && m->leave_region < m->regions.nr; i++)
		leave_region(m, m->leave_region++);
	for (; i < MIRROR_WALK && m->leaving < m->cache.nr; i++)
		mirror_entry_lose(m, mirror_at(m, m->leaving++), m->leave_mark);
	if (m->leaving == m->cache.nr)
		m->leaving = SSDQOS_NIL;
	return true;
}

/**
 * mirror_safe_flushed - all that a flush is for is durable; may it be answered?
 * @m: the mirror
 *
 * Not before the superblock says that there is no journal, if that was lost.
 */
bool mirror_safe_flushed(struct ssdqos_mirror *m)
{
	if (m->journal == SSDQOS_MIRROR_JOURNAL_LEFT &&
	    m->flush_active >= m->leave_mark) {
		m->journal = SSDQOS_MIRROR_JOURNAL_FORGOTTEN;
		m->super_dirty = true;
	}
	if (m->journal != SSDQOS_MIRROR_JOURNAL_FORGOTTEN)
		return true;
	m->broken |= m->map_failed;
	if (m->super_dirty || m->super_writing)
		return false;
	m->journal = SSDQOS_MIRROR_JOURNAL_NONE;
	return true;
}

/**
 * ssdqos_mirror_super_says - the durability that the superblock has to say
 * @m: the mirror
 *
 * With journal, a power cut is followed by a replay.
 * Context: any.
 */
u64 ssdqos_mirror_super_says(const struct ssdqos_mirror *m)
{
	if (m->journal == SSDQOS_MIRROR_JOURNAL_USED ||
	    m->journal == SSDQOS_MIRROR_JOURNAL_LEFT)
		return SSDQOS_MIRROR_JOURNAL;
	return m->cfg.durability == SSDQOS_MIRROR_JOURNAL ? SSDQOS_MIRROR_STRICT :
							    m->cfg.durability;
}
