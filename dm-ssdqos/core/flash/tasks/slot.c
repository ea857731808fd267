// SPDX-License-Identifier: GPL-2.0
/*
 * slot.c - the slots of the write buffer, and the lists in which they hang
 *
 *	FREE -> (HELD ->) PENDING -> INFLIGHT -> FREE
 *
 * All used slots hang in a list by age.  Pending ones wait to be programmed, in one list where a
 * write may go to any plane (dynamic allocation), in one for each plane where the address
 * fixes it (static).  A list is *ready* when it fills a flash page, or when somebody
 * waits for its data: then the page is padded.  Held ones wait for the rest of their
 * stripe (evict.c).
 *
 * The map points at the slot of a unit's newest data.
 */
#include "tasks.h"
#include "../../engine/bits.h"

/* ---- the list by age ---- */

static void slot_age_append(struct flash_buffer *b, u32 s)
{
	b->slot[s].older = b->newest;
	b->slot[s].newer = SSDQOS_NIL;
	if (b->newest == SSDQOS_NIL)
		b->oldest = s;
	else
		b->slot[b->newest].newer = s;
	b->newest = s;
}

static void slot_age_remove(struct flash_buffer *b, u32 s)
{
	u32 older = b->slot[s].older, newer = b->slot[s].newer;

	if (older == SSDQOS_NIL)
		b->oldest = newer;
	else
		b->slot[older].newer = newer;
	if (newer == SSDQOS_NIL)
		b->newest = older;
	else
		b->slot[newer].older = older;
}

/* Sequence number of the oldest unit in the buffer; later than all if none. */
u64 flash_buffer_oldest_seq(const struct ssdqos_flash *f)
{
	const struct flash_buffer *b = &f->buffer;

	return b->oldest == SSDQOS_NIL ? b->seq + 1 : b->slot[b->oldest].seq;
}

/* ---- pending lists ---- */

/* Does somebody wait for what is in a list?  Where units are held first, lists are not
 * in the order of age.
 */
static bool slot_is_awaited(const struct ssdqos_flash *f, u32 list)
{
	const struct flash_buffer *b = &f->buffer;

	return b->slot[b->pending[list].head].seq <= b->force_seq ||
	       (flash_holds_stripes(f) &&
		flash_buffer_oldest_seq(f) <= b->force_seq);
}

/* A list has changed, or for whom somebody waits. */
void flash_slot_list_ready(struct ssdqos_flash *f, u32 list)
{
	struct flash_buffer *b = &f->buffer;
	bool ready = b->nr_pending[list] >= f->geo.units_per_page ||
		     (b->nr_pending[list] && slot_is_awaited(f, list));

	if (flash_bits_assign(b->ready, list, ready))
		b->nr_ready += ready ? 1 : -1u;
}

static void slot_append(struct ssdqos_flash *f, u32 list, u32 s)
{
	struct flash_buffer *b = &f->buffer;
	struct flash_list *l = &b->pending[list];

	b->slot[s].next = SSDQOS_NIL;
	b->slot[s].prev = flash_list_empty(l) ? SSDQOS_NIL : l->tail;
	if (flash_list_empty(l))
		l->head = s;
	else
		b->slot[l->tail].next = s;
	l->tail = s;
	b->nr_pending[list]++;
	flash_slot_list_ready(f, list);
}

/* It is not to be programmed, or is being programmed now. */
void flash_slot_take_out(struct ssdqos_flash *f, u32 list, u32 s)
{
	struct flash_buffer *b = &f->buffer;
	struct flash_list *l = &b->pending[list];
	u32 prev = b->slot[s].prev, next = b->slot[s].next;

	if (prev == SSDQOS_NIL)
		l->head = next;
	else
		b->slot[prev].next = next;
	if (next == SSDQOS_NIL)
		l->tail = prev;
	else
		b->slot[next].prev = prev;
	b->nr_pending[list]--;
	flash_slot_list_ready(f, list);
}

/* ---- use ---- */

/* A unit takes the first free slot, and is held there. */
u32 flash_slot_take(struct ssdqos_flash *f, u32 lpn)
{
	struct flash_buffer *b = &f->buffer;
	u32 s = b->free;

	b->free = b->slot[s].next;
	b->nr_used++;
	b->slot[s].lpn = lpn;
	b->slot[s].seq = ++b->seq;
	b->slot[s].state = FLASH_SLOT_HELD;
	b->slot[s].waiter = NULL;
	f->l2p[lpn] = FLASH_IN_BUFFER | s;
	slot_age_append(b, s);
	return s;
}

/* It is to be programmed. */
void flash_slot_pend(struct ssdqos_flash *f, u32 s)
{
	f->buffer.slot[s].state = FLASH_SLOT_PENDING;
	slot_append(f, f->layout->list_of(f, f->buffer.slot[s].lpn), s);
}

/* Its data is in flash, or was discarded. */
void flash_slot_free(struct ssdqos_flash *f, u32 s)
{
	struct flash_buffer *b = &f->buffer;

	slot_age_remove(b, s);
	b->slot[s].state = FLASH_SLOT_FREE;
	b->slot[s].next = b->free;
	b->free = s;
	b->nr_used--;
}
