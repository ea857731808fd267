/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cache.h - writes that not all members have yet (cache.c)
 */
#ifndef SSDQOS_MIRROR_CACHE_H
#define SSDQOS_MIRROR_CACHE_H

#include "regions.h"

/**
 * struct ssdqos_mirror_list - entries in order
 * @head: the first one, or SSDQOS_NIL
 * @tail: the last one
 * @nr: how many
 */
struct ssdqos_mirror_list {
	u32 head;
	u32 tail;
	u32 nr;
};

/**
 * struct ssdqos_mirror_link - a place in a list
 * @prev: SSDQOS_NIL at the head
 * @next: SSDQOS_NIL at the tail
 */
struct ssdqos_mirror_link {
	u32 prev;
	u32 next;
};

/* The version that was there before a block came into the cache. */
#define SSDQOS_MIRROR_BASE 1u

/**
 * struct ssdqos_mirror_has - which version of a block a member has
 * @sent: the newest one that it was sent
 * @durable: the newest one that it has on stable storage for sure; 0: none that counts
 */
struct ssdqos_mirror_has {
	u32 sent;
	u32 durable;
};

/**
 * struct ssdqos_mirror_entry - a version of a block; its data are the caller's
 * @node: of the newest version, in the tree of all; the key is the block
 * @gen: what was published between two marks has the same
 * @version: of its block, one more than the one that it has replaced
 * @owed: a flush of this mark or a later one waits for it, or for what replaces it
 * @older: the version that it has replaced and that can't go yet, or SSDQOS_NIL
 * @pins: somebody copies its data
 * @record: number of the record of the journal that it is in, or 0
 * @lacks: members that don't have it on stable storage
 * @pending: of those, who has to be sent it
 * @flight: who is being sent it
 * @newest: it is the newest version of its block
 * @fresh: it is in the list of those
 */
struct ssdqos_mirror_entry {
	struct ssdqos_tree_node node;
	u64 gen;
	u64 owed;
	u64 record;
	u32 version;
	u32 older;
	u32 pins;
	u8 lacks;
	u8 pending;
	u8 flight;
	bool newest;
	bool fresh;
};

/**
 * struct ssdqos_mirror_cache - of a mirror
 * @entries: by slot
 * @links: of entry i, from i * (@members + 1): in @free or @fresh; in @pending or
 *	@written of each member
 * @has: of entry i, from i * @members: what each has, if it is the newest version
 * @tree: the newest versions by block
 * @members: how many
 * @nr: slots
 * @used: of them
 * @free: slots
 * @fresh: what the member that answers for it was not written yet, in order of @owed
 * @pending: by member: what it has to be sent, in order of @gen
 * @written: by member: what it was sent since its last flush
 */
struct ssdqos_mirror_cache {
	struct ssdqos_mirror_entry *entries;
	struct ssdqos_mirror_link *links;
	struct ssdqos_mirror_has *has;
	struct ssdqos_tree tree;
	u32 members;
	u32 nr;
	u32 used;
	struct ssdqos_mirror_list free;
	struct ssdqos_mirror_list fresh;
	struct ssdqos_mirror_list pending[SSDQOS_MIRROR_MAX_MEMBERS];
	struct ssdqos_mirror_list written[SSDQOS_MIRROR_MAX_MEMBERS];
};

int ssdqos_mirror_cache_init(struct ssdqos_mirror_cache *c, u32 slots,
			     u32 members);
void ssdqos_mirror_cache_exit(struct ssdqos_mirror_cache *c);

/* Lists: @which is 0 for free and fresh, 1 + member for the others. */
void ssdqos_mirror_append(struct ssdqos_mirror_cache *c,
			  struct ssdqos_mirror_list *list, u32 which, u32 slot);
void ssdqos_mirror_prepend(struct ssdqos_mirror_cache *c,
			   struct ssdqos_mirror_list *list, u32 which, u32 slot);
void ssdqos_mirror_remove(struct ssdqos_mirror_cache *c,
			  struct ssdqos_mirror_list *list, u32 which, u32 slot);
void ssdqos_mirror_replace(struct ssdqos_mirror_cache *c,
			   struct ssdqos_mirror_list *list, u32 which, u32 old,
			   u32 slot);

/**
 * ssdqos_mirror_after - the next one in a list
 * @c: the cache
 * @which: which list
 * @slot: one that is in it
 */
static inline u32 ssdqos_mirror_after(const struct ssdqos_mirror_cache *c,
				      u32 which, u32 slot)
{
	return c->links[slot * (c->members + 1) + which].next;
}

/**
 * ssdqos_mirror_has_of - what members have of a block
 * @c: the cache
 * @slot: its newest version
 */
static inline struct ssdqos_mirror_has *
ssdqos_mirror_has_of(const struct ssdqos_mirror_cache *c, u32 slot)
{
	return &c->has[slot * c->members];
}

/**
 * ssdqos_mirror_slot_of - the slot of an entry
 * @c: the cache
 * @e: one of its entries
 */
static inline u32 ssdqos_mirror_slot_of(const struct ssdqos_mirror_cache *c,
					const struct ssdqos_mirror_entry *e)
{
	return (u32)(e - c->entries);
}

struct ssdqos_mirror_entry *
ssdqos_mirror_from(const struct ssdqos_mirror_cache *c, u64 block);
struct ssdqos_mirror_entry *
ssdqos_mirror_next_of(const struct ssdqos_mirror_entry *e);

#endif /* SSDQOS_MIRROR_CACHE_H */
