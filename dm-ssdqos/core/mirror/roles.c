// SPDX-License-Identifier: GPL-2.0
/*
 * roles.c - who reads and who is written: turns
 *
 *	state		becomes		when
 *	reading		syncing		its turn begins, and others have what it lacks
 *			writing		its turn begins, and it lacks only what is new
 *	syncing		writing		it has what others had when its turn began
 *	writing		idling		switch_ms - idle_ms after the turn began, if others
 *					lack something; or the cache is full of that
 *	idling		reading		what it was sent is on stable storage, the metadata
 *					say so, and idle_ms are over
 *	any		failed		a write or a flush has failed, or max_errors reads
 *	failed		rebuilding	it comes back
 *	rebuilding	reading		nothing of it has to be copied any more
 *	any		both		there is no other, or others are rebuilt: then all
 *					are read and written ("plain")
 *
 * The end of a turn in steps: *drain* what has to be written, *flush* it, write the
 * *super*block if that says who leads, be *idle*; then the next k members in the row
 * that lack something are written.
 * Failures and returns are away.c.
 */
#include "internal.h"

/* A journal leaves the metadata nothing to write as long as all is well; that they can't
 * be written any more is to be noticed before somebody fails.
 */
#define MIRROR_LOOK_NS 10000000000ULL

/* ---- states ---- */

static u32 role_state(const struct ssdqos_mirror *m, u32 member)
{
	u32 head = m->cache.pending[member].head;
	u8 bit = mirror_bit(member);

	if (m->out & bit)
		return SSDQOS_MIRROR_FAILED;
	if ((m->coming & bit) || m->regions.stale_of[member])
		return SSDQOS_MIRROR_REBUILDING;
	if (m->plain)
		return SSDQOS_MIRROR_BOTH;
	if (!(m->writers & bit))
		return SSDQOS_MIRROR_READING;
	if (m->turn != SSDQOS_MIRROR_TURN_ON)
		return SSDQOS_MIRROR_IDLING;
	if (head != SSDQOS_NIL && m->cache.entries[head].gen <= m->turn_gen)
		return SSDQOS_MIRROR_SYNCING;
	return SSDQOS_MIRROR_WRITING;
}

/**
 * mirror_roles_update - note what members do
 * @m: the mirror
 */
void mirror_roles_update(struct ssdqos_mirror *m)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		m->members[i].state = role_state(m, i);
}

/* ---- turns ---- */

/* The next member in the row that lacks something; if none does, the next one. */
static u32 turn_next_lead(const struct ssdqos_mirror *m, u8 able)
{
	u32 found = SSDQOS_MIRROR_NOBODY, i, x = m->lead;

	for (i = 0; i < m->nr; i++) {
		x = x + 1 < m->nr ? x + 1 : 0;
		if (!(able & mirror_bit(x)))
			continue;
		if (m->cache.pending[x].nr)
			return x;
		if (found == SSDQOS_MIRROR_NOBODY)
			found = x;
	}
	return found;
}

static void turn_begin(struct ssdqos_mirror *m, u64 now_ns)
{
	/* who had the last turn is read: it has all that was durable then */
	u8 able = mirror_able(m) & (u8)~mirror_bit(m->lead);
	u32 writers = (u32)m->cfg.writers, others = mirror_count(able);
	u32 nr = min(writers, others);
	u32 x = turn_next_lead(m, able);

	if (m->cfg.durability == SSDQOS_MIRROR_VOLATILE && m->leader == m->lead)
		m->flush_done = max(m->flush_done, min(m->flush_wanted, m->seal));
	m->plain = false;
	m->lead = x;
	m->writers = 0;
	for (; nr; x = x + 1 < m->nr ? x + 1 : 0)
		if (able & mirror_bit(x)) {
			m->writers |= mirror_bit(x);
			nr--;
		}
	m->turn = SSDQOS_MIRROR_TURN_ON;
	m->turn_gen = m->gen++;
	m->turn_ns = now_ns;
	m->tidying = true;
	m->stats.switches++;
	m->stats.full_switches += m->why == SSDQOS_MIRROR_WHY_FULL;
}

static bool turn_has_caught_up(const struct ssdqos_mirror *m)
{
	u32 i;

	for (i = 0; i < m->nr; i++) {
		u32 head = m->cache.pending[i].head;

		if ((m->writers & mirror_bit(i)) && head != SSDQOS_NIL &&
		    m->cache.entries[head].gen <= m->turn_gen)
			return false;
	}
	return true;
}

/* Has somebody who is not written something to get? */
static bool turn_others_lack(const struct ssdqos_mirror *m)
{
	u8 others = mirror_able(m) & (u8)~m->writers;
	u32 i;

	for (i = 0; i < m->nr; i++)
		if ((others & mirror_bit(i)) && m->cache.pending[i].nr)
			return true;
	return m->nr_discards > 0;
}

/* Is there no room, and nothing that writers could do about it? */
static bool turn_is_full(const struct ssdqos_mirror *m)
{
	u32 i;

	if (!m->waiting)
		return false;
	for (i = 0; i < m->nr; i++)
		if ((m->writers & mirror_bit(i)) &&
		    (m->cache.pending[i].nr || m->cache.written[i].nr ||
		     m->members[i].in_flight))
			return false;
	return true;
}

/* Are all to be written and read? */
static bool roles_want_plain(const struct ssdqos_mirror *m)
{
	u8 able = mirror_able(m);

	return m->draining || mirror_count(able) < 2 || m->regions.nr_stale ||
	       m->map_failed || m->flush_all;
}

static bool turn_is_over(struct ssdqos_mirror *m, u64 now_ns)
{
	if (m->plain || roles_want_plain(m))
		return true;
	if (!turn_has_caught_up(m) || !turn_others_lack(m))
		return false;
	if (now_ns >= mirror_turn_end_ns(m)) {
		m->why = SSDQOS_MIRROR_WHY_TIME;
		return true;
	}
	if (!turn_is_full(m))
		return false;
	m->why = SSDQOS_MIRROR_WHY_FULL;
	return true;
}

static bool turn_is_drained(const struct ssdqos_mirror *m)
{
	bool sealed = m->cfg.durability == SSDQOS_MIRROR_VOLATILE;
	u32 i;

	if (m->flush != SSDQOS_MIRROR_FLUSH_NONE)
		return false;
	for (i = 0; i < m->nr; i++) {
		u32 head = m->cache.pending[i].head;

		if (!(m->writers & mirror_bit(i)))
			continue;
		if (m->members[i].in_flight ||
		    (sealed && head != SSDQOS_NIL &&
		     m->cache.entries[head].gen <= m->seal))
			return false;
	}
	return true;
}

static bool turn_flushed(struct ssdqos_mirror *m, u64 now_ns)
{
	u64 idle_ms = m->why == SSDQOS_MIRROR_WHY_TIME ? m->cfg.idle_ms : 0;

	if (m->flush != SSDQOS_MIRROR_FLUSH_NONE)
		return false;
	m->turn = SSDQOS_MIRROR_TURN_SUPER;
	m->super_dirty |= m->journal == SSDQOS_MIRROR_JOURNAL_USED &&
			  now_ns - m->super_ns >= MIRROR_LOOK_NS;
	if (m->cfg.durability == SSDQOS_MIRROR_VOLATILE &&
	    m->leader != m->lead && mirror_is_whole(m, m->lead)) {
		m->leader = m->lead;
		m->super_dirty = true;
	}
	m->idle_ns = now_ns + idle_ms * MIRROR_NS_PER_MS;
	return true;
}

static bool turn_step(struct ssdqos_mirror *m, u64 now_ns)
{
	switch (m->turn) {
	case SSDQOS_MIRROR_TURN_ON:
		if (!turn_is_over(m, now_ns))
			return false;
		m->seal = m->gen++;
		m->turn = SSDQOS_MIRROR_TURN_DRAIN;
		return true;
	case SSDQOS_MIRROR_TURN_DRAIN:
		if (!turn_is_drained(m))
			return false;
		m->turn = SSDQOS_MIRROR_TURN_FLUSH;
		mirror_flush_turn(m);
		return true;
	case SSDQOS_MIRROR_TURN_FLUSH:
		return turn_flushed(m, now_ns);
	case SSDQOS_MIRROR_TURN_SUPER:
		if (m->super_dirty || m->super_writing)
			return false;
		m->turn = SSDQOS_MIRROR_TURN_IDLE;
		return true;
	default:
		if (now_ns < m->idle_ns)
			return false;
		turn_begin(m, now_ns);
		return true;
	}
}

/* ---- all are written and read ---- */

/**
 * mirror_next_lead - who is to lead, whatever the turn
 * @m: the mirror
 * @set: of these, a bit each; not empty
 *
 * Return: one that nothing has to be copied to, if there is one.
 */
u32 mirror_next_lead(const struct ssdqos_mirror *m, u8 set)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		if ((set & mirror_bit(i)) && mirror_is_whole(m, i))
			return i;
	return mirror_first(set);
}

static void roles_be_plain(struct ssdqos_mirror *m)
{
	u8 able = mirror_able(m);

	m->plain = true;
	m->writers = able;
	m->turn = SSDQOS_MIRROR_TURN_ON;
	if (!mirror_is_whole(m, m->lead))
		m->lead = mirror_next_lead(m, able);
	if (m->draining)
		m->why = SSDQOS_MIRROR_WHY_DRAINING;
	else if (m->map_failed)
		m->why = SSDQOS_MIRROR_WHY_META;
	else if (m->regions.nr_stale)
		m->why = SSDQOS_MIRROR_WHY_COPYING;
}

/* A turn's time is up and nobody lacks anything: what was written leaves the cache. */
static void roles_rest(struct ssdqos_mirror *m, u64 now_ns)
{
	u32 i;

	if (m->turn != SSDQOS_MIRROR_TURN_ON || now_ns < mirror_turn_end_ns(m) ||
	    (!m->plain && turn_others_lack(m)))
		return;
	for (i = 0; i < m->nr; i++)
		if ((m->writers & mirror_bit(i)) && !m->cache.pending[i].nr &&
		    !m->members[i].in_flight)
			m->members[i].flush_wanted = m->members[i].dirty;
	m->turn_ns = now_ns;
}

/**
 * mirror_roles_step - go on with turns
 * @m: the mirror
 * @now_ns: the time
 *
 * Return: whether something has changed.
 */
bool mirror_roles_step(struct ssdqos_mirror *m, u64 now_ns)
{
	bool plain = roles_want_plain(m), more = false;
	bool moment = m->cfg.durability == SSDQOS_MIRROR_VOLATILE;
	/* What a turn's end has begun is done first; and if what holds after a power cut
	 * is what there was at a moment, the leader has to be who all will ask for it.
	 */
	bool between = m->turn == SSDQOS_MIRROR_TURN_IDLE || m->map_failed ||
		       (m->turn == SSDQOS_MIRROR_TURN_ON &&
			(m->plain || !moment));

	if (plain && between) {
		if (!m->plain || m->writers != mirror_able(m) ||
		    m->turn != SSDQOS_MIRROR_TURN_ON)
			roles_be_plain(m);
	} else {
		more = turn_step(m, now_ns);
	}
	roles_rest(m, now_ns);
	mirror_roles_update(m);
	return more;
}

/* ---- begin and end ---- */

static u32 start_leader(const struct ssdqos_mirror_known *known, u8 good)
{
	u8 best = good & (u8)~known->behind;

	if (good & mirror_bit(known->leader))
		return known->leader;
	return mirror_first(best ? best : good);
}

/**
 * ssdqos_mirror_start - begin, or begin again after a power cut
 * @m: the mirror; its regions have the masks of the metadata
 * @known: what else they say
 * @now_ns: the time
 *
 * Where masks say that members differ, the others are copied to from the leader; until
 * then they are not used there.  If who leads is not here, one that was not behind does
 * instead: that is all there is, and all that was promised if the journal has the rest.
 * Context: may sleep; looks at all regions.
 */
void ssdqos_mirror_start(struct ssdqos_mirror *m,
			 const struct ssdqos_mirror_known *known, u64 now_ns)
{
	u8 in = mirror_in(m), good = in & (u8)~known->rebuild;
	u32 i;

	m->leader = start_leader(known, good);
	m->lead = m->leader;
	m->writers = in;
	m->why = SSDQOS_MIRROR_WHY_START;
	m->turn_ns = now_ns;
	m->next_copy_ns = now_ns;
	for (i = 0; i < m->regions.nr; i++) {
		struct ssdqos_region *x = &m->regions.regions[i];
		u8 stale = known->masks_old ? 0 : x->disk;

		/* others have the same moment where only they lack something */
		if ((stale & (u8)~known->rebuild) && known->moment)
			stale = m->all & (u8)~mirror_bit(m->leader);
		/* nobody who is here has it: the best there is */
		if ((stale & good) == good) {
			m->lost_regions++;
			stale &= (u8)~mirror_bit(m->leader);
		}
		stale = (stale | known->rebuild) & in;
		ssdqos_regions_stale(&m->regions, i, stale);
		if (stale || x->disk || known->rebuild)
			ssdqos_regions_want(&m->regions, i, stale | m->out);
	}
	m->super_dirty = m->regions.nr_stale;
	mirror_roles_update(m);
}

/**
 * ssdqos_mirror_drain - all that is in the cache is to be written everywhere
 * @m: the mirror; nobody writes meanwhile
 * @drain: begin with it, or end
 * @now_ns: the time
 *
 * Context: any.
 */
void ssdqos_mirror_drain(struct ssdqos_mirror *m, bool drain, u64 now_ns)
{
	m->draining = drain;
	m->turn_ns = now_ns;
}

/* Data: what the metadata have to say is another thing. */
static bool drain_has_data(const struct ssdqos_mirror *m)
{
	return !m->cache.used && m->failing == SSDQOS_NIL &&
	       m->joining == SSDQOS_NIL && !m->copying && !m->nr_discards;
}

/**
 * ssdqos_mirror_left - how much has to be done until all is written?
 * @m: the mirror
 *
 * Of no unit, but when nothing is published and nobody comes back it falls with each write
 * that is sent, and when blocks leave the cache.
 * Context: any.
 */
u64 ssdqos_mirror_left(const struct ssdqos_mirror *m)
{
	u64 left = m->cache.used;
	u32 i;

	for (i = 0; i < m->nr; i++)
		left += m->cache.pending[i].nr;
	return left;
}

/**
 * ssdqos_mirror_lacks_metadata - would it be drained if the metadata could be written?
 * @m: the mirror
 *
 * Context: any.
 */
bool ssdqos_mirror_lacks_metadata(const struct ssdqos_mirror *m)
{
	return m->map_failed && drain_has_data(m);
}

/**
 * ssdqos_mirror_is_drained - is all written, and do the metadata say so?
 * @m: the mirror; ssdqos_mirror_next() has nothing to do
 *
 * A member that has failed is no reason to wait, nor is one that has to be copied to.
 * Context: any.
 */
bool ssdqos_mirror_is_drained(const struct ssdqos_mirror *m)
{
	const struct ssdqos_regions *r = &m->regions;
	bool noted = !r->nr_dirty && !r->writing && !m->super_dirty &&
		     m->flush == SSDQOS_MIRROR_FLUSH_NONE &&
		     m->flush_wanted <= m->flush_done;

	/* where all have the same, whatever the metadata say is right */
	if (m->map_failed && !m->out && !r->nr_stale)
		noted = true;
	return m->broken || (drain_has_data(m) && noted &&
			     (!r->writing || r->again) && !m->super_writing);
}
