// SPDX-License-Identifier: GPL-2.0
/*
 * cache.c - writes that not all members have yet
 *
 * A write never changes what is in the cache: it takes a free slot, and its entry
 * replaces the older version of the block in the tree.  So nobody who reads or sends
 * data can see them change.  For each member an entry is
 *
 *	pending ---> in flight ---> written ---> (has it on stable storage)
 *	         sent          done         flush
 *
 * and leaves the cache when all have it.  The lists are links by number in arrays,
 * one place an entry and member, as it is pending at a member or written there, never
 * both.  What an entry means to the mirror is in entry.c and above; here are slots,
 * lists and the tree.
 *
 * Memory is there from the begin.  The caller serialises.
 */
#include "cache.h"

static const struct ssdqos_mirror_list empty_list = {
	.head = SSDQOS_NIL, .tail = SSDQOS_NIL,
};

static struct ssdqos_mirror_link *link_of(struct ssdqos_mirror_cache *c,
					  u32 which, u32 slot)
{
	return &c->links[slot * (c->members + 1) + which];
}

/**
 * ssdqos_mirror_cache_init - an empty cache
 * @c: the cache
 * @slots: entries that it can hold
 * @members: how many there are
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdqos_mirror_cache_init(struct ssdqos_mirror_cache *c, u32 slots,
			     u32 members)
{
	u32 i;

	*c = (struct ssdqos_mirror_cache){
		.members = members, .nr = slots,
		.free = empty_list, .fresh = empty_list,
	};
	for (i = 0; i < SSDQOS_MIRROR_MAX_MEMBERS; i++) {
		c->pending[i] = empty_list;
		c->written[i] = empty_list;
	}
	ssdqos_tree_init(&c->tree);
	c->entries = ssdqos_env_alloc((u64)slots * sizeof(c->entries[0]));
	c->links = ssdqos_env_alloc((u64)slots * (members + 1) *
				    sizeof(c->links[0]));
	c->has = ssdqos_env_alloc((u64)slots * members * sizeof(c->has[0]));
	if (!c->entries || !c->links || !c->has) {
		ssdqos_mirror_cache_exit(c);
		return -ENOMEM;
	}
	for (i = 0; i < slots; i++)
		ssdqos_mirror_append(c, &c->free, 0, i);
	return 0;
}

/**
 * ssdqos_mirror_cache_exit - give the memory back
 * @c: the cache; what is in it is forgotten
 *
 * Context: may sleep.
 */
void ssdqos_mirror_cache_exit(struct ssdqos_mirror_cache *c)
{
	ssdqos_env_free(c->entries);
	ssdqos_env_free(c->links);
	ssdqos_env_free(c->has);
	c->entries = NULL;
	c->links = NULL;
	c->has = NULL;
}

/* ---- lists ---- */

static void list_join(struct ssdqos_mirror_cache *c,
		      struct ssdqos_mirror_list *list, u32 which, u32 prev,
		      u32 next)
{
	if (prev == SSDQOS_NIL)
		list->head = next;
	else
		link_of(c, which, prev)->next = next;
	if (next == SSDQOS_NIL)
		list->tail = prev;
	else
		link_of(c, which, next)->prev = prev;
}

static void list_put_between(struct ssdqos_mirror_cache *c,
			     struct ssdqos_mirror_list *list, u32 which,
			     u32 prev, u32 slot, u32 next)
{
	list_join(c, list, which, prev, slot);
	list_join(c, list, which, slot, next);
	list->nr++;
}

/**
 * ssdqos_mirror_append - put an entry at the end of a list
 * @c: the cache
 * @list: the list
 * @which: the entry's place for it
 * @slot: the entry
 */
void ssdqos_mirror_append(struct ssdqos_mirror_cache *c,
			  struct ssdqos_mirror_list *list, u32 which, u32 slot)
{
	list_put_between(c, list, which, list->tail, slot, SSDQOS_NIL);
}

/**
 * ssdqos_mirror_prepend - put an entry at the begin of a list
 * @c: the cache
 * @list: the list
 * @which: the entry's place for it
 * @slot: the entry
 */
void ssdqos_mirror_prepend(struct ssdqos_mirror_cache *c,
			   struct ssdqos_mirror_list *list, u32 which, u32 slot)
{
	list_put_between(c, list, which, SSDQOS_NIL, slot, list->head);
}

/**
 * ssdqos_mirror_remove - take an entry out of a list
 * @c: the cache
 * @list: the list; the entry is in it
 * @which: the entry's place for it
 * @slot: the entry
 */
void ssdqos_mirror_remove(struct ssdqos_mirror_cache *c,
			  struct ssdqos_mirror_list *list, u32 which, u32 slot)
{
	struct ssdqos_mirror_link *l = link_of(c, which, slot);

	list_join(c, list, which, l->prev, l->next);
	list->nr--;
}

/**
 * ssdqos_mirror_replace - put an entry where another one was
 * @c: the cache
 * @list: the list
 * @which: the entries' place for it
 * @old: it is in the list, and leaves it
 * @slot: gets its place
 */
void ssdqos_mirror_replace(struct ssdqos_mirror_cache *c,
			   struct ssdqos_mirror_list *list, u32 which, u32 old,
			   u32 slot)
{
	struct ssdqos_mirror_link l = *link_of(c, which, old);

	list_join(c, list, which, l.prev, slot);
	list_join(c, list, which, slot, l.next);
}

/* ---- the tree ---- */

static struct ssdqos_mirror_entry *entry_of(struct ssdqos_tree_node *node)
{
	return node ? container_of(node, struct ssdqos_mirror_entry, node) : NULL;
}

/**
 * ssdqos_mirror_from - the newest version of the first block from one on
 * @c: the cache
 * @block: that one
 *
 * Return: the entry, or NULL; O(log n).
 */
struct ssdqos_mirror_entry *
ssdqos_mirror_from(const struct ssdqos_mirror_cache *c, u64 block)
{
	return entry_of(ssdqos_tree_from(&c->tree, block));
}

/**
 * ssdqos_mirror_next_of - the newest version of the next block in the cache
 * @e: one that is the newest version
 *
 * Return: the entry, or NULL.
 */
struct ssdqos_mirror_entry *
ssdqos_mirror_next_of(const struct ssdqos_mirror_entry *e)
{
	return entry_of(ssdqos_tree_next(&e->node));
}
