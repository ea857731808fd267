// SPDX-License-Identifier: GPL-2.0
/*
 * tell.c - others hear of what has become of a mirror
 *
 *	work -> what has changed? -> @news -> @tell -> uevent, event of the table
 *
 * A uevent takes a mutex that all of the system's take.  Who holds it may wait for memory,
 * and that for a write to this very device.  So nothing that a write waits for may wait for
 * a uevent: the mirror's work only notes what there is to tell, and a work of the system's
 * tells it.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/kobject.h>
#include <linux/sched/mm.h>

#include "ianus.h"
#include "trace.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

/* "SSDQOS_EVENT=" and its like with their values. */
#define IANUS_UEVENT_BYTES 64

/* When too much waits, the oldest goes. */
static void ianus_note(struct ianus *x, const char *event, u32 member)
{
	u32 at;

	spin_lock_irq(&x->lock);
	at = (x->first_news + x->nr_news) % IANUS_MAX_NEWS;
	x->news[at] = (struct ianus_news){
		.event = event,
		.member = member,
	};
	if (x->nr_news < IANUS_MAX_NEWS)
		x->nr_news++;
	else
		x->first_news = (x->first_news + 1) % IANUS_MAX_NEWS;
	spin_unlock_irq(&x->lock);
	queue_work(system_long_wq, &x->tell);
}

/* ---- what has changed? ---- */

static void ianus_note_member(struct ianus *x, u32 member, u32 before, u32 now)
{
	trace_ssdqos_ianus_state(ianus_dev(x), member, before, now);
	if (now == SSDQOS_MIRROR_FAILED) {
		DMERR("member %u has failed", member);
		ianus_note(x, "member_failed", member);
	} else if (now == SSDQOS_MIRROR_REBUILDING) {
		ianus_note(x, "member_rebuilding", member);
	} else if (before == SSDQOS_MIRROR_REBUILDING) {
		DMINFO("member %u is up to date", member);
		ianus_note(x, "member_ok", member);
	}
}

/* Members were compared: what differed is told at the end, in one event. */
static void ianus_note_scrub(struct ianus *x)
{
	const struct ssdqos_mirror_stats *s = &x->mirror.stats;
	u64 differing = s->differing_blocks - x->told_differing;

	if (s->scrubs == x->told_scrubs)
		return;
	x->told_scrubs = s->scrubs;
	x->told_differing = s->differing_blocks;
	if (differing)
		DMERR("members were compared: %llu blocks differed, or could not be read",
		      differing);
	else
		DMINFO("members were compared: they have the same");
	ianus_note(x, differing ? "mirror_differed" : "mirror_same",
		   x->mirror.lead);
}

/**
 * ianus_note_news - what has changed since this was asked last
 * @x: the mirror
 *
 * Context: its work.
 */
void ianus_note_news(struct ianus *x)
{
	const struct ssdqos_mirror *m = &x->mirror;
	u32 i;

	for (i = 0; i < x->nr; i++) {
		u32 now = READ_ONCE(m->members[i].state);

		if (now == x->states[i])
			continue;
		ianus_note_member(x, i, x->states[i], now);
		x->states[i] = now;
	}
	if (m->stats.switches != x->told_switches) {
		x->told_switches = m->stats.switches;
		trace_ssdqos_ianus_turn(ianus_dev(x), m->lead, m->writers,
					m->why, m->cache.used, m->cache.nr);
	}
	if (m->broken != x->told_broken) {
		x->told_broken = m->broken;
		DMERR("the last member has failed: writes and flushes do, too");
		ianus_note(x, "mirror_broken", m->lead);
	}
	if (x->resumed && x->journal.dev && !x->journal.flow.on && !x->told_journal) {
		x->told_journal = true;
		trace_ssdqos_ianus_journal(ianus_dev(x), false,
					   x->journal.replayed);
		DMERR("journal or metadata can't be written: from now on durability is strict");
		ianus_note(x, "mirror_journal_lost", m->lead);
	}
	if (ssdqos_mirror_knows(m) == x->told_meta) {
		x->told_meta = !x->told_meta;
		DMERR("the metadata %s", x->told_meta ?
		      "can't be written: a flush ends when all members have what was before" :
		      "can be written again");
		ianus_note(x, x->told_meta ? "mirror_meta_lost" : "mirror_meta_ok",
			   m->lead);
	}
	ianus_note_scrub(x);
}

/* ---- it is told ---- */

static bool ianus_take_news(struct ianus *x, struct ianus_news *news)
{
	bool found;

	spin_lock_irq(&x->lock);
	found = x->nr_news;
	if (found) {
		*news = x->news[x->first_news];
		x->first_news = (x->first_news + 1) % IANUS_MAX_NEWS;
		x->nr_news--;
	}
	spin_unlock_irq(&x->lock);
	return found;
}

static void ianus_tell_one(struct ianus *x, const struct ianus_news *news)
{
	struct mapped_device *md = dm_table_get_md(x->ti->table);
	char name[IANUS_UEVENT_BYTES], number[IANUS_UEVENT_BYTES];
	char *env[3] = { name, number };

	scnprintf(name, sizeof(name), "SSDQOS_EVENT=%s", news->event);
	scnprintf(number, sizeof(number), "SSDQOS_MEMBER=%u", news->member);
	kobject_uevent_env(&disk_to_dev(dm_disk(md))->kobj, KOBJ_CHANGE, env);
	dm_table_event(x->ti->table);
}

/**
 * ianus_tell - others hear of what was noted
 * @work: of a mirror
 */
void ianus_tell(struct work_struct *work)
{
	struct ianus *x = container_of(work, struct ianus, tell);
	/* who takes the mirror away waits for this */
	unsigned int noio = memalloc_noio_save();
	struct ianus_news news;

	while (ianus_take_news(x, &news))
		ianus_tell_one(x, &news);
	memalloc_noio_restore(noio);
}
