/* SPDX-License-Identifier: GPL-2.0 */
/*
 * internal.h - what the mirror's files have from each other, from below to above
 */
#ifndef SSDQOS_MIRROR_INTERNAL_H
#define SSDQOS_MIRROR_INTERNAL_H

#include "mirror.h"

/* Entries, regions or members' states that one call looks at: some ten microseconds. */
#define MIRROR_STEP 64u
/* Regions or slots that one step of a walk looks at, which does little with most of them. */
#define MIRROR_WALK 1024u
#define MIRROR_NS_PER_MS 1000000ULL

static inline u8 mirror_bit(u32 member)
{
	return (u8)(1u << member);
}

/* Members that are used. */
static inline u8 mirror_in(const struct ssdqos_mirror *m)
{
	return m->all & (u8)~m->out;
}

/* Do the metadata say of those who are not used that they may lack something? */
static inline bool mirror_away_noted(const struct ssdqos_mirror *m, u32 region)
{
	return !m->super_dirty && !m->super_writing &&
	       ssdqos_regions_noted(&m->regions, region, m->out | m->coming);
}

/* Likewise, but for one that is about to come back. */
static inline u8 mirror_able(const struct ssdqos_mirror *m)
{
	return mirror_in(m) & (u8)~m->coming;
}

/* The first of a set, which is not empty. */
static inline u32 mirror_first(u8 set)
{
	return __ffs(set);
}

/* Has a member all that others have on stable storage? */
static inline bool mirror_is_whole(const struct ssdqos_mirror *m, u32 member)
{
	return (mirror_able(m) & mirror_bit(member)) &&
	       !m->regions.stale_of[member];
}

static inline u32 mirror_count(u8 set)
{
	u32 n = 0;

	for (; set; set &= (u8)(set - 1))
		n++;
	return n;
}

static inline u32 mirror_region_of(const struct ssdqos_mirror *m,
				   const struct ssdqos_mirror_entry *e)
{
	return ssdqos_region_of(&m->regions, e->node.key);
}

static inline struct ssdqos_mirror_entry *
mirror_at(struct ssdqos_mirror *m, u32 slot)
{
	return &m->cache.entries[slot];
}

static inline u64 mirror_turn_end_ns(const struct ssdqos_mirror *m)
{
	return m->turn_ns +
	       (m->cfg.switch_ms - m->cfg.idle_ms) * MIRROR_NS_PER_MS;
}

/* Has who holds the state of a moment failed?  Somebody who has all has to be the next. */
static inline bool mirror_has_no_leader(const struct ssdqos_mirror *m)
{
	return m->cfg.durability == SSDQOS_MIRROR_VOLATILE &&
	       (m->out & mirror_bit(m->leader));
}

/* What a member that is to lead a region has of a block there. */
enum mirror_mate {
	MIRROR_MATE_DURABLE,	/* all that others have */
	MIRROR_MATE_WRITTEN,	/* likewise, but for a flush */
	MIRROR_MATE_FLIGHT,	/* it is being sent that */
	MIRROR_MATE_UNSENT,
};

/* entry.c */
void mirror_entry_settle(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e);
bool mirror_entry_blocked(struct ssdqos_mirror *m,
			  const struct ssdqos_mirror_entry *e, u8 bit);
enum mirror_mate mirror_entry_mate(struct ssdqos_mirror *m,
				   const struct ssdqos_mirror_entry *e,
				   u32 member);
void mirror_entry_durable(struct ssdqos_mirror *m,
			  struct ssdqos_mirror_entry *e, u32 member);
void mirror_entry_publish(struct ssdqos_mirror *m, u64 block, u32 slot);
void mirror_entry_send(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u32 member);
void mirror_entry_sent(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u32 member);
void mirror_entry_not_sent(struct ssdqos_mirror *m,
			   struct ssdqos_mirror_entry *e, u32 member);
void mirror_entry_lose(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u64 mark);
void mirror_entry_gain(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
		       u32 member);
void mirror_entry_forgo(struct ssdqos_mirror *m, struct ssdqos_mirror_entry *e,
			u8 members);
void mirror_entry_answered(struct ssdqos_mirror *m,
			   struct ssdqos_mirror_entry *e, u32 member);
u32 mirror_answers(const struct ssdqos_mirror *m, u32 region);

/* flush_ask.c */
void mirror_flush_again(struct ssdqos_mirror *m);
void mirror_flush_without_map(struct ssdqos_mirror *m);

/* discard.c */
struct ssdqos_mirror_discard *mirror_discard_of(struct ssdqos_mirror *m, u8 bit);
void mirror_discard_done(struct ssdqos_mirror *m, u8 bit);
void mirror_discards_lose(struct ssdqos_mirror *m, u8 members);

/* flush.c */
void mirror_flush_turn(struct ssdqos_mirror *m);
bool mirror_flush_holds(const struct ssdqos_mirror *m);
bool mirror_flush_step(struct ssdqos_mirror *m);
bool mirror_member_flush(struct ssdqos_mirror *m, u32 member);
bool mirror_member_step(struct ssdqos_mirror *m, u32 member);

/* safe.c */
bool mirror_safe_walk(struct ssdqos_mirror *m);
bool mirror_safe_flushed(struct ssdqos_mirror *m);

/* roles.c */
u32 mirror_next_lead(const struct ssdqos_mirror *m, u8 set);
bool mirror_roles_step(struct ssdqos_mirror *m, u64 now_ns);
void mirror_roles_update(struct ssdqos_mirror *m);

/* away.c */
bool mirror_walk_step(struct ssdqos_mirror *m);
bool mirror_tidy_step(struct ssdqos_mirror *m);

/* send.c */
bool mirror_send(struct ssdqos_mirror *m, u32 member,
		 struct ssdqos_mirror_op *op);
void mirror_pace_look(struct ssdqos_mirror_pace *p, u32 before, u32 after, u64 now_ns);
void mirror_send_done(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		      bool failed, u64 now_ns);

/* scrub.c */
bool mirror_scrub(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		  u64 now_ns);
void mirror_scrub_done(struct ssdqos_mirror *m,
		       const struct ssdqos_mirror_op *op, u32 bad);
bool mirror_scrub_step(struct ssdqos_mirror *m);
bool mirror_scrub_holds(const struct ssdqos_mirror *m, u32 region);

/* copy.c */
u64 mirror_copy_gap_ns(const struct ssdqos_mirror *m, u64 blocks);
bool mirror_copy_walk(struct ssdqos_mirror *m);
bool mirror_copy(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		 u64 now_ns);
void mirror_copy_done(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
		      u32 failed, u64 now_ns);

#endif /* SSDQOS_MIRROR_INTERNAL_H */
