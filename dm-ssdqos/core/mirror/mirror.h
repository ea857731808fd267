/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mirror.h - a mirror whose members take turns (mirror.c)
 */
#ifndef SSDQOS_MIRROR_MIRROR_H
#define SSDQOS_MIRROR_MIRROR_H

#include "cache.h"

struct ssdqos_journal;

/* No member. */
#define SSDQOS_MIRROR_NOBODY 0xffffffffu

/* E(NAME, text): what a member does; transitions are in roles.c */
#define SSDQOS_MIRROR_STATES(E)						\
	E(READING, "reading")		/* it serves reads alone */	\
	E(SYNCING, "syncing")		/* it gets what others have already */ \
	E(WRITING, "writing")		/* it gets what is new */	\
	E(IDLING, "idling")		/* it rests before it reads */	\
	E(FAILED, "failed")		/* it is not used */		\
	E(REBUILDING, "rebuilding")	/* parts of it are copied from others */ \
	E(BOTH, "both")			/* it serves reads and is written */

enum ssdqos_mirror_state {
#define E(name, text) SSDQOS_MIRROR_##name,
	SSDQOS_MIRROR_STATES(E)
#undef E
	SSDQOS_NR_MIRROR_STATES,
};

extern const char *const ssdqos_mirror_state_names[SSDQOS_NR_MIRROR_STATES];

/* E(NAME, text): why members change roles */
#define SSDQOS_MIRROR_WHYS(E)						\
	E(START, "start")	/* the mirror begins */			\
	E(TIME, "time")		/* the turn has lasted for switch_ms */	\
	E(FULL, "full")		/* the cache is full of what the others need */ \
	E(FAILURE, "failure")	/* a member has failed */		\
	E(JOINED, "joined")	/* a member is up to date again */	\
	E(COPYING, "copying")	/* a member has to be brought up to date */ \
	E(META, "meta")		/* the metadata can't be written */	\
	E(DRAINING, "draining")	/* all is to be written */

enum ssdqos_mirror_why {
#define E(name, text) SSDQOS_MIRROR_WHY_##name,
	SSDQOS_MIRROR_WHYS(E)
#undef E
	SSDQOS_NR_MIRROR_WHYS,
};

extern const char *const ssdqos_mirror_why_names[SSDQOS_NR_MIRROR_WHYS];

/**
 * enum ssdqos_mirror_op_kind - what the caller has to do
 * @SSDQOS_MIRROR_OP_AGAIN: let go of its lock for a moment, and ask again
 * @SSDQOS_MIRROR_OP_WRITE: blocks from slots to a member
 * @SSDQOS_MIRROR_OP_FLUSH: a member's cache to its stable storage
 * @SSDQOS_MIRROR_OP_DISCARD: blocks of a member
 * @SSDQOS_MIRROR_OP_MAP: a block of masks to stable storage of the metadata device
 * @SSDQOS_MIRROR_OP_SUPER: likewise, the superblock
 * @SSDQOS_MIRROR_OP_COPY: a region from a member to others
 * @SSDQOS_MIRROR_OP_COMPARE: a region of a member with others', but for blocks to skip
 */
enum ssdqos_mirror_op_kind {
	SSDQOS_MIRROR_OP_AGAIN,
	SSDQOS_MIRROR_OP_WRITE,
	SSDQOS_MIRROR_OP_FLUSH,
	SSDQOS_MIRROR_OP_DISCARD,
	SSDQOS_MIRROR_OP_MAP,
	SSDQOS_MIRROR_OP_SUPER,
	SSDQOS_MIRROR_OP_COPY,
	SSDQOS_MIRROR_OP_COMPARE,
};

/**
 * struct ssdqos_mirror_op - an instruction
 * @kind: enum ssdqos_mirror_op_kind
 * @member: who; of a copy, where from; of a comparison, who is right if nobody else is
 * @to: of a copy or a comparison, the other members, a bit each
 * @differ: of a comparison, gets blocks in which somebody differs or that it can't read
 * @nr: blocks
 * @block: the first one; of a map, which block of masks
 * @began_ns: when it was given
 * @slots: of a write, where the data are
 */
struct ssdqos_mirror_op {
	u32 kind;
	u32 member;
	u32 to;
	u32 differ;
	u32 nr;
	u64 block;
	u64 began_ns;
	u32 slots[SSDQOS_MIRROR_MAX_RUN];
};

/* S(name, unit, help): what a mirror has done */
#define SSDQOS_MIRROR_STATS(S)						\
	S(reads, "requests", "reads, in parts of one source")		\
	S(cache_reads, "requests", "of them, that the cache served")	\
	S(read_retries, "requests", "reads that failed at a member and went to another one") \
	S(writes, "blocks", "blocks that were written")			\
	S(merged, "blocks", "of them, that were written again before a member had got them") \
	S(sent, "requests", "writes to members")			\
	S(sent_blocks, "blocks", "blocks of them")			\
	S(member_flushes, "requests", "flushes to members")		\
	S(flushes, "requests", "flushes that were answered")		\
	S(maps, "requests", "blocks of masks that were written")	\
	S(supers, "requests", "superblocks that were written")		\
	S(switches, "times", "turns that have ended")			\
	S(full_switches, "times", "of them, since the cache was full")	\
	S(waits, "times", "writes that had to wait, for room or for their turn") \
	S(copied_blocks, "blocks", "blocks that were copied from member to member") \
	S(scrubs, "times", "comparisons of all members that came to their end") \
	S(compared_blocks, "blocks", "blocks that were compared")	\
	S(not_compared_blocks, "blocks", "blocks that only one member had then") \
	S(differing_blocks, "blocks", "blocks that a member had not kept, or could not read") \
	S(not_mended, "regions", "regions where it could not be mended then") \
	S(discards, "requests", "discards that were taken")		\
	S(discards_dropped, "requests", "discards that were not done, for want of room") \
	S(failures, "times", "members that were given up")

struct ssdqos_mirror_stats {
#define S(name, ...) u64 name;
	SSDQOS_MIRROR_STATS(S)
#undef S
};

#define S(name, ...) + 1
enum { SSDQOS_NR_MIRROR_STATS = 0 SSDQOS_MIRROR_STATS(S) };
#undef S

extern const char *const ssdqos_mirror_stat_names[SSDQOS_NR_MIRROR_STATS];

/**
 * struct ssdqos_mirror_pace - how fast blocks are written
 * @since_ns: writes are under way since then, but for pauses
 * @busy_ns: how long they were, when they paused
 * @blocks: that were written since then
 * @block_ns: time that a block takes, on average
 */
struct ssdqos_mirror_pace {
	u64 since_ns;
	u64 busy_ns;
	u64 blocks;
	u64 block_ns;
};

/**
 * struct ssdqos_mirror_member - one of them
 * @state: enum ssdqos_mirror_state
 * @dirty: it was written since its last flush began
 * @flush_wanted: it is to be flushed
 * @flushing: it is being flushed, or what that has brought is being noted
 * @flushed: its flush is done; @covered entries have to be noted
 * @covered: entries that were written before it began
 * @flushes_begun: how many
 * @flushes_done: how many
 * @in_flight: writes and discards under way
 * @reads: under way
 * @errors: reads that have failed
 * @pace: how fast it was written; its @block_ns is 0 until that was seen
 */
struct ssdqos_mirror_member {
	u32 state;
	bool dirty;
	bool flush_wanted;
	bool flushing;
	bool flushed;
	u32 covered;
	u64 flushes_begun;
	u64 flushes_done;
	u32 in_flight;
	u32 reads;
	u64 errors;
	struct ssdqos_mirror_pace pace;
};

/* How far a turn has come to its end. */
enum ssdqos_mirror_turn {
	SSDQOS_MIRROR_TURN_ON,
	SSDQOS_MIRROR_TURN_DRAIN,	/* what has to be written still */
	SSDQOS_MIRROR_TURN_FLUSH,	/* it becomes durable */
	SSDQOS_MIRROR_TURN_SUPER,	/* the superblock says so */
	SSDQOS_MIRROR_TURN_IDLE,	/* until the time is up */
};

/* How far a flush has come (flush.c). */
enum ssdqos_mirror_flush {
	SSDQOS_MIRROR_FLUSH_NONE,
	SSDQOS_MIRROR_FLUSH_WRITE,	/* what it is for is sent */
	SSDQOS_MIRROR_FLUSH_SYNC,	/* members are flushed */
	SSDQOS_MIRROR_FLUSH_MAP,	/* the metadata say who leads */
};

/* How far the comparison of members has come (scrub.c). */
enum ssdqos_mirror_scrub_step {
	SSDQOS_MIRROR_SCRUB_OFF,
	SSDQOS_MIRROR_SCRUB_LOOK,	/* for the next region */
	SSDQOS_MIRROR_SCRUB_COMPARE,	/* it is being compared */
	SSDQOS_MIRROR_SCRUB_MEND,	/* who differs has to be copied to */
};

/**
 * struct ssdqos_mirror_scrub - the comparison of members
 * @step: enum ssdqos_mirror_scrub_step
 * @region: which one is compared, or will be next
 * @again: from the begin, when this region is done
 * @stop: no more, when this region is done
 * @bad: members that differ there
 * @next_ns: when the next one may be compared
 * @skip: blocks of the region that are left out, a bit each
 */
struct ssdqos_mirror_scrub {
	u32 step;
	u32 region;
	bool again;
	bool stop;
	u8 bad;
	u64 next_ns;
	u64 skip[SSDQOS_MIRROR_MAX_REGION_BLOCKS / 64];
};

/**
 * ssdqos_mirror_skips - is a block left out of the comparison?
 * @s: the comparison
 * @i: number of the block in the region
 */
static inline bool ssdqos_mirror_skips(const struct ssdqos_mirror_scrub *s, u32 i)
{
	return s->skip[i / 64] >> (i % 64) & 1;
}

/* Discards that have to be done by some member still. */
#define SSDQOS_MIRROR_MAX_DISCARDS 64u

/**
 * enum ssdqos_mirror_journal - what there is of a journal (safe.c)
 * @SSDQOS_MIRROR_JOURNAL_NONE: nothing
 * @SSDQOS_MIRROR_JOURNAL_USED: all that is in the cache is in it
 * @SSDQOS_MIRROR_JOURNAL_LEFT: it can't be written any more, and is needed after a power
 *	cut still
 * @SSDQOS_MIRROR_JOURNAL_FORGOTTEN: it is not, as soon as the superblock says so
 */
enum ssdqos_mirror_journal {
	SSDQOS_MIRROR_JOURNAL_NONE,
	SSDQOS_MIRROR_JOURNAL_USED,
	SSDQOS_MIRROR_JOURNAL_LEFT,
	SSDQOS_MIRROR_JOURNAL_FORGOTTEN,
};

/**
 * struct ssdqos_mirror_discard - one of them
 * @block: the first block
 * @nr: blocks
 * @gen: what was published before has a lower or equal one
 * @lacks: members that have to do it
 */
struct ssdqos_mirror_discard {
	u64 block;
	u32 nr;
	u8 lacks;
	u64 gen;
};

/**
 * struct ssdqos_mirror - a mirror
 * @cfg: as it was given
 * @blocks: its size
 * @nr: members
 * @all: a bit for each
 * @out: those that have failed
 * @coming: one that comes back: what it lacks is being found out
 * @members: what they do
 * @cache: writes that not all have
 * @regions: where they may differ
 * @gen: of what is published now
 *
 * @writers: who is written now; a bit each
 * @lead: of them, who answers for what is new
 * @plain: all are written and read: there is one only, or some have to be copied to
 * @draining: all is to be written everywhere, and nothing comes any more
 * @tidying: masks that may be 0 are looked for
 * @turn: enum ssdqos_mirror_turn
 * @why: enum ssdqos_mirror_why, of the last change of roles
 * @turn_gen: what was published before the turn
 * @seal: what the turn's end has to write, all up to this
 * @turn_ns: when the turn began
 * @idle_ns: when the idle time before the turn's end is over
 *
 * @flush: enum ssdqos_mirror_flush
 * @flush_wanted: flushes up to this mark were asked for
 * @flush_active: up to this mark are being done
 * @flush_done: up to this mark are done
 * @flush_all: all members have to have what the active one is for
 * @sync: members that the active one waits for, a bit each
 * @sync_at: by member, number of the flush that it waits for
 * @map_cursor: regions that are to be led by another member were looked at up to here
 *
 * @leader: whose state holds after a power cut, if durability is volatile
 * @ring: its journal; the caller's, who writes it
 * @journal: enum ssdqos_mirror_journal
 * @leaving: slots that were looked at since the journal was lost, or SSDQOS_NIL
 * @leave_region: likewise, regions
 * @leave_mark: when flushes up to this one are done, the journal is not needed any more
 * @super_dirty: the superblock has to be written
 * @super_writing: it is being written
 * @super_ns: when it was given to be written last
 *
 * @reserved: slots that were given out and not published yet
 * @waiting: somebody waits for slots, or there are hardly any
 * @next_accept_ns: when the next write may come
 * @last_accept_ns: when the last one came
 * @pace: how fast any member was written
 *
 * @failing: slots that were looked at since a member has failed, or SSDQOS_NIL
 * @fail_region: likewise, regions
 * @fail_mark: when flushes up to this one are done, others have what only it had
 * @lost_regions: where what was newest is on a member that is not here
 * @joining: likewise, since one came back
 * @join_region: likewise, regions
 * @join_all: all of it has to be copied
 * @copying: a copy is under way
 * @copy_region: of that
 * @copy_from: who is read
 * @copy_to: who has it when it is done: nobody who has failed since it began; a bit each
 * @urgent_region: region in which a flush needs what others have, or SSDQOS_NIL
 * @unread_region: region that is to be copied from another member than those of @unread, or
 *	SSDQOS_NIL
 * @unread: who could not read it, a bit each
 * @copy_wanted: region that somebody waits for, or SSDQOS_NIL
 * @next_copy_ns: when the next one may begin
 * @copy_order_ns: until then they are copied in order, whoever waits
 * @broken: the last member has failed: what it had to be written is here only
 * @map_failed: the metadata can't be written, or were not and not all of them are again
 * @map_mark: when flushes up to this one are done, they say again who leads
 * @map_tries: so often in a row they could not
 * @map_retry_ns: when that is tried again
 * @scrub: the comparison of members
 * @cursor: member that is asked next for what to do
 * @discards: in order; those with @lacks are used
 * @nr_discards: how many
 * @stats: what it has done
 */
struct ssdqos_mirror {
	struct ssdqos_mirror_config cfg;
	u64 blocks;
	u32 nr;
	u8 all;
	u8 out;
	u8 coming;
	struct ssdqos_mirror_member members[SSDQOS_MIRROR_MAX_MEMBERS];
	struct ssdqos_mirror_cache cache;
	struct ssdqos_regions regions;
	u64 gen;

	u8 writers;
	u32 lead;
	bool plain;
	bool draining;
	bool tidying;
	u32 turn;
	u32 why;
	u64 turn_gen;
	u64 seal;
	u64 turn_ns;
	u64 idle_ns;

	u32 flush;
	u64 flush_wanted;
	u64 flush_active;
	u64 flush_done;
	bool flush_all;
	u8 sync;
	u64 sync_at[SSDQOS_MIRROR_MAX_MEMBERS];
	u32 map_cursor;

	u32 leader;
	struct ssdqos_journal *ring;
	u32 journal;
	u32 leaving;
	u32 leave_region;
	u64 leave_mark;
	bool super_dirty;
	bool super_writing;
	u64 super_ns;

	u32 reserved;
	bool waiting;
	u64 next_accept_ns;
	u64 last_accept_ns;
	struct ssdqos_mirror_pace pace;

	u32 failing;
	u32 fail_region;
	u64 fail_mark;
	u32 lost_regions;
	u32 joining;
	u32 join_region;
	bool join_all;
	bool copying;
	u32 copy_region;
	u32 copy_from;
	u8 copy_to;
	u32 unread_region;
	u8 unread;
	u32 urgent_region;
	u32 copy_wanted;
	u64 next_copy_ns;
	u64 copy_order_ns;
	bool broken;
	bool map_failed;
	u64 map_mark;
	u32 map_tries;
	u64 map_retry_ns;
	struct ssdqos_mirror_scrub scrub;
	u32 cursor;
	struct ssdqos_mirror_discard discards[SSDQOS_MIRROR_MAX_DISCARDS];
	u32 nr_discards;
	struct ssdqos_mirror_stats stats;
};

/**
 * struct ssdqos_mirror_source - where blocks are read from
 * @nr: so many of them
 * @slot: they are here: one block, pinned; SSDQOS_NIL if not in the cache
 * @member: who has them; SSDQOS_MIRROR_NOBODY if nobody
 */
struct ssdqos_mirror_source {
	u32 nr;
	u32 slot;
	u32 member;
};

/**
 * struct ssdqos_mirror_known - what is known from before
 * @leader: of the superblock
 * @moment: it has all that was at a moment (durability was volatile), not who the masks say
 * @behind: members that did not have all when the superblock was written, a bit each
 * @rebuild: members all of which has to be copied, as they are others than before, or nobody
 *	knows what they lack; a bit each
 * @masks_old: those who need not be copied have the same, whatever the masks say
 */
struct ssdqos_mirror_known {
	u32 leader;
	bool moment;
	u8 behind;
	u8 rebuild;
	bool masks_old;
};

int ssdqos_mirror_init(struct ssdqos_mirror *m,
		       const struct ssdqos_mirror_config *cfg, u32 members,
		       u64 blocks);
void ssdqos_mirror_exit(struct ssdqos_mirror *m);
void ssdqos_mirror_start(struct ssdqos_mirror *m,
			 const struct ssdqos_mirror_known *known, u64 now_ns);

u64 ssdqos_mirror_take(struct ssdqos_mirror *m, u32 nr, u32 *slots, u64 now_ns);
void ssdqos_mirror_give_back(struct ssdqos_mirror *m, u32 slot);
void ssdqos_mirror_publish(struct ssdqos_mirror *m, u64 block, u32 slot);
void ssdqos_mirror_discard(struct ssdqos_mirror *m, u64 block, u32 nr);

void ssdqos_mirror_read(struct ssdqos_mirror *m, u64 block, u32 nr, u8 tried,
			struct ssdqos_mirror_source *source);
u32 ssdqos_mirror_read_other(struct ssdqos_mirror *m, u64 block, u32 nr,
			     u8 tried);
bool ssdqos_mirror_has_cached(const struct ssdqos_mirror *m, u64 block);
bool ssdqos_mirror_unpin(struct ssdqos_mirror *m, u32 slot);
void ssdqos_mirror_read_done(struct ssdqos_mirror *m, u32 member, bool failed,
			     u64 now_ns);

u64 ssdqos_mirror_flush(struct ssdqos_mirror *m);

void ssdqos_mirror_journaled(struct ssdqos_mirror *m, u32 slot, u64 record);
void ssdqos_mirror_want_room(struct ssdqos_mirror *m);
void ssdqos_mirror_journal_lost(struct ssdqos_mirror *m);
u64 ssdqos_mirror_super_says(const struct ssdqos_mirror *m);

bool ssdqos_mirror_next(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
			u64 now_ns);
void ssdqos_mirror_done(struct ssdqos_mirror *m, struct ssdqos_mirror_op *op,
			u32 failed, u64 now_ns);
u64 ssdqos_mirror_wake_ns(const struct ssdqos_mirror *m, u64 now_ns);

u8 ssdqos_mirror_behind(const struct ssdqos_mirror *m);
u32 ssdqos_mirror_stale(const struct ssdqos_mirror *m);
u32 ssdqos_mirror_stale_of(const struct ssdqos_mirror *m, u32 member);
bool ssdqos_mirror_is_needed(const struct ssdqos_mirror *m, u32 member);
void ssdqos_mirror_fail(struct ssdqos_mirror *m, u32 member, u64 now_ns);
void ssdqos_mirror_join(struct ssdqos_mirror *m, u32 member, bool all,
			u64 now_ns);
void ssdqos_mirror_scrub(struct ssdqos_mirror *m, bool on, u64 now_ns);
u32 ssdqos_mirror_judge(const struct ssdqos_mirror_op *op, u32 lost,
			const u32 twins[SSDQOS_MIRROR_MAX_MEMBERS]);
void ssdqos_mirror_drain(struct ssdqos_mirror *m, bool drain, u64 now_ns);
bool ssdqos_mirror_is_drained(const struct ssdqos_mirror *m);
u64 ssdqos_mirror_left(const struct ssdqos_mirror *m);
bool ssdqos_mirror_lacks_metadata(const struct ssdqos_mirror *m);

/**
 * ssdqos_mirror_flushed - flushes up to which mark are done?
 * @m: the mirror
 *
 * Context: caller serialises.
 */
static inline u64 ssdqos_mirror_flushed(const struct ssdqos_mirror *m)
{
	return m->flush_done;
}

/**
 * ssdqos_mirror_knows - would it be known after a power cut who has what?
 * @m: the mirror
 *
 * Not while the metadata can't be written, nor until they have caught up.
 * Context: caller serialises.
 */
static inline bool ssdqos_mirror_knows(const struct ssdqos_mirror *m)
{
	return !m->map_failed && m->flush_done >= m->map_mark;
}

#endif /* SSDQOS_MIRROR_MIRROR_H */
