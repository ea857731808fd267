// SPDX-License-Identifier: GPL-2.0
/*
 * send.c - what members are written, and in which order
 *
 * A member gets what it lacks in the order in which it came, blocks that touch in one
 * write.  So one whose turn begins first gets what the others have, and then what is
 * new.  What a flush waits for goes before that, whatever the turn.
 *
 * An entry can be sent to a member if no older version of it has to be before, the
 * metadata say that the member differs there (regions.c), and the member is not to be
 * copied to there.
 *
 * A discard (discard.c) is a mark in that order: a member does it when it has all that came
 * before, and gets nothing that came later until it has done it.
 *
 * A write that fails is the end of its member, as what it had to hold is in the cache and
 * on others.  The last member is kept: what it could not be written stays in the cache,
 * reads find it there, and writes and flushes fail from then on.
 */
#include "internal.h"

/* A member's rate is looked at over this time of its work at least, as it collects
 * garbage now and then.
 */
#define MIRROR_RATE_NS 250000000ULL
/* Each look has so much of the average. */
#define MIRROR_RATE_DIVISOR 4

/* ---- what may be sent ---- */

/* Up to which mark entries may be sent at the end of a turn; 0: none. */
static u64 send_seal(const struct ssdqos_mirror *m)
{
	bool moment = m->cfg.durability == SSDQOS_MIRROR_VOLATILE;

	return moment && m->turn == SSDQOS_MIRROR_TURN_DRAIN ? m->seal : 0;
}

/* What a flush waits for came with this mark; 0: nothing. */
static u64 send_flush_needs(const struct ssdqos_mirror *m)
{
	u32 head = m->cache.fresh.head;

	if (m->urgent_region != SSDQOS_NIL)
		return SSDQOS_NEVER_NS;
	if (m->flush != SSDQOS_MIRROR_FLUSH_WRITE || head == SSDQOS_NIL)
		return 0;
	return m->cache.entries[head].gen;
}

/* Up to which mark entries may be sent in order; 0: none. */
static u64 send_limit(struct ssdqos_mirror *m, u8 bit)
{
	const struct ssdqos_mirror_discard *d = mirror_discard_of(m, bit);
	u64 limit = d ? d->gen : SSDQOS_NEVER_NS;

	if (m->turn == SSDQOS_MIRROR_TURN_ON)
		return limit;
	if (d && send_flush_needs(m) > d->gen)
		return limit;
	return min(limit, send_seal(m));
}

/* Who is to lead a region, of those who have what is newest there? */
static u8 send_leader(const struct ssdqos_mirror *m,
		      const struct ssdqos_region *x)
{
	u8 able = mirror_able(m) & (u8)~x->want;
	u8 bit = mirror_bit(m->cfg.durability == SSDQOS_MIRROR_VOLATILE ?
			    m->leader : m->lead);

	if ((able & bit) || !able)
		return bit;
	return mirror_bit(mirror_first(able));
}

/* May a member be written in a region?  If not yet, see to it. */
static bool send_region(struct ssdqos_mirror *m, u32 region, u8 bit)
{
	const struct ssdqos_region *x = &m->regions.regions[region];
	bool journal = m->cfg.durability == SSDQOS_MIRROR_JOURNAL;

	if (mirror_scrub_holds(m, region))
		return false;
	if (x->stale & bit) {
		m->copy_wanted = region;
		return false;
	}
	if (journal && !(m->out | m->coming))
		return true;
	/* what leaves the cache leaves the journal: who is away must not lead then */
	if (ssdqos_regions_may(&m->regions, region, bit, m->all) &&
	    (!journal || mirror_away_noted(m, region)))
		return true;
	if (mirror_count(m->all & (u8)~x->want) > 1)
		ssdqos_regions_want(&m->regions, region,
				    m->all & (u8)~send_leader(m, x));
	return m->map_failed;
}

static bool send_may(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		     u8 bit)
{
	return (e->pending & bit) && !mirror_entry_blocked(m, e, bit) &&
	       send_region(m, mirror_region_of(m, e), bit);
}

/* ---- runs ---- */

static void send_add(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		     struct ssdqos_mirror_entry *e)
{
	mirror_entry_send(m, e, op->member);
	op->slots[op->nr++] = ssdqos_mirror_slot_of(&m->cache, e);
}

/* A write that begins with an entry, and has those behind it that may go, too. */
static void send_run(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		     struct ssdqos_mirror_entry *e, u64 limit)
{
	u64 most = div64_u64(m->cfg.run_kib, SSDQOS_MIRROR_BLOCK_KIB);
	u8 bit = mirror_bit(op->member);

	op->kind = SSDQOS_MIRROR_OP_WRITE;
	op->block = e->node.key;
	send_add(m, op, e);
	while (e->newest && op->nr < most) {
		e = ssdqos_mirror_next_of(e);
		if (!e || e->node.key != op->block + op->nr || e->gen > limit ||
		    !send_may(m, e, bit))
			break;
		send_add(m, op, e);
	}
	m->members[op->member].in_flight++;
	m->stats.sent++;
	m->stats.sent_blocks += op->nr;
}

/* ---- which one ---- */

/* What the others have in a region that this member is to lead. */
static struct ssdqos_mirror_entry *send_mate(struct ssdqos_mirror *m,
					     u32 member)
{
	u64 block = (u64)m->urgent_region << m->regions.shift;
	u64 end = block + ssdqos_region_blocks(&m->regions);
	struct ssdqos_mirror_entry *e = ssdqos_mirror_from(&m->cache, block);

	for (; e && e->node.key < end; e = ssdqos_mirror_next_of(e))
		if (mirror_entry_mate(m, e, member) == MIRROR_MATE_UNSENT &&
		    send_may(m, e, mirror_bit(member)))
			return e;
	return NULL;
}

/* What a flush waits for. */
static struct ssdqos_mirror_entry *send_urgent(struct ssdqos_mirror *m,
					       u32 member)
{
	u32 slot = m->cache.fresh.head, i;

	if (m->flush == SSDQOS_MIRROR_FLUSH_MAP && m->urgent_region != SSDQOS_NIL &&
	    member == mirror_answers(m, m->urgent_region))
		return send_mate(m, member);
	if (m->flush != SSDQOS_MIRROR_FLUSH_WRITE)
		return NULL;
	for (i = 0; i < MIRROR_STEP && slot != SSDQOS_NIL; i++) {
		struct ssdqos_mirror_entry *e = mirror_at(m, slot);

		if (e->owed > m->flush_active)
			return NULL;
		if ((m->map_failed ||
		     member == mirror_answers(m, mirror_region_of(m, e))) &&
		    send_may(m, e, mirror_bit(member)))
			return e;
		slot = ssdqos_mirror_after(&m->cache, 0, slot);
	}
	return NULL;
}

static struct ssdqos_mirror_entry *send_in_order(struct ssdqos_mirror *m,
						 u32 member, u64 limit)
{
	u32 slot = m->cache.pending[member].head, i;

	for (i = 0; i < MIRROR_STEP && slot != SSDQOS_NIL; i++) {
		struct ssdqos_mirror_entry *e = mirror_at(m, slot);

		if (e->gen > limit)
			return NULL;
		if (send_may(m, e, mirror_bit(member)))
			return e;
		slot = ssdqos_mirror_after(&m->cache, 1 + member, slot);
	}
	return NULL;
}

/* Are members being compared where one is to be discarded? */
static bool send_held(const struct ssdqos_mirror *m,
		      const struct ssdqos_mirror_discard *d)
{
	u32 region = m->scrub.region;

	return mirror_scrub_holds(m, region) &&
	       ssdqos_region_of(&m->regions, d->block) <= region &&
	       ssdqos_region_of(&m->regions, d->block + d->nr - 1) >= region;
}

/* After a power cut, is what a member has there not taken for what there was before? */
static bool send_noted(struct ssdqos_mirror *m,
		       const struct ssdqos_mirror_discard *d, u8 bit)
{
	u32 region = ssdqos_region_of(&m->regions, d->block);
	u32 last = ssdqos_region_of(&m->regions, d->block + d->nr - 1);
	bool noted = true;

	if (m->cfg.durability != SSDQOS_MIRROR_VOLATILE)
		return true;
	/* all of them, so that one write of the metadata may do */
	for (; region <= last; region++)
		noted &= send_region(m, region, bit);
	return noted;
}

static bool send_discard(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
			 u64 limit)
{
	struct ssdqos_mirror_member *x = &m->members[op->member];
	struct ssdqos_mirror_discard *d =
		mirror_discard_of(m, mirror_bit(op->member));
	u32 head = m->cache.pending[op->member].head;

	if (!d || x->in_flight || limit < d->gen || send_held(m, d) ||
	    (head != SSDQOS_NIL && mirror_at(m, head)->gen <= d->gen) ||
	    !send_noted(m, d, mirror_bit(op->member)))
		return false;
	op->kind = SSDQOS_MIRROR_OP_DISCARD;
	op->block = d->block;
	op->nr = d->nr;
	x->in_flight++;
	return true;
}

/* May an urgent one pass a discard that came before it? */
static bool send_passes(struct ssdqos_mirror *m,
			const struct ssdqos_mirror_entry *e, u8 bit)
{
	const struct ssdqos_mirror_discard *d = mirror_discard_of(m, bit);

	return !d || e->gen <= d->gen;
}

/**
 * mirror_send - give a member something to do
 * @m: the mirror
 * @member: who
 * @op: gets it
 *
 * Return: false if there is nothing now.
 */
bool mirror_send(struct ssdqos_mirror *m, u32 member,
		 struct ssdqos_mirror_op *op)
{
	struct ssdqos_mirror_entry *e;
	u8 bit = mirror_bit(member);
	u64 limit;

	if (!(m->writers & bit) || m->broken || mirror_flush_holds(m) ||
	    m->members[member].in_flight >= m->cfg.depth)
		return false;
	e = send_urgent(m, member);
	limit = send_limit(m, bit);
	if (e && send_passes(m, e, bit)) {
		send_run(m, op, e, limit);
		return true;
	}
	e = limit ? send_in_order(m, member, limit) : NULL;
	if (e) {
		send_run(m, op, e, limit);
		return true;
	}
	return send_discard(m, op, limit);
}

/* ---- when it is done ---- */

static void send_flushed(struct ssdqos_mirror *m, u32 member, bool failed)
{
	struct ssdqos_mirror_member *x = &m->members[member];

	x->flushed = true;
	if (failed || (m->out & mirror_bit(member)))
		x->covered = 0;
}

/**
 * mirror_send_done - a member has done what it was given, or has failed
 * @m: the mirror
 * @op: what it was given
 * @failed: it has failed
 * @now_ns: the time
 */
void mirror_send_done(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		      bool failed, u64 now_ns)
{
	u8 bit = mirror_bit(op->member);
	u32 i;

	if (failed && op->kind != SSDQOS_MIRROR_OP_DISCARD)
		ssdqos_mirror_fail(m, op->member, now_ns);
	switch (op->kind) {
	case SSDQOS_MIRROR_OP_FLUSH:
		send_flushed(m, op->member, failed);
		return;
	case SSDQOS_MIRROR_OP_DISCARD:
		mirror_discard_done(m, bit);
		break;
	case SSDQOS_MIRROR_OP_WRITE:
		for (i = 0; i < op->nr; i++) {
			struct ssdqos_mirror_entry *e = mirror_at(m, op->slots[i]);

			if (failed || (m->out & bit))
				mirror_entry_not_sent(m, e, op->member);
			else
				mirror_entry_sent(m, e, op->member);
		}
		m->members[op->member].dirty = true;
		break;
	}
	m->members[op->member].in_flight--;
}

/* ---- how fast ---- */

/**
 * mirror_pace_look - writes begin or end: how long does a block take?
 * @p: of whom
 * @before: how many were under way
 * @after: how many are
 * @now_ns: the time
 */
void mirror_pace_look(struct ssdqos_mirror_pace *p, u32 before, u32 after, u64 now_ns)
{
	u64 took_ns = now_ns - p->since_ns, block_ns;

	if (!before && after) {
		p->since_ns = now_ns - p->busy_ns;
		return;
	}
	if (after && took_ns < MIRROR_RATE_NS)
		return;
	p->busy_ns = took_ns;
	if (took_ns < MIRROR_RATE_NS)
		return;
	block_ns = div64_u64(took_ns, max(p->blocks, 1ULL));
	if (!p->block_ns)
		p->block_ns = block_ns;
	p->block_ns = p->block_ns - p->block_ns / MIRROR_RATE_DIVISOR +
		      block_ns / MIRROR_RATE_DIVISOR;
	p->busy_ns = 0;
	p->blocks = 0;
	p->since_ns = now_ns;
}
