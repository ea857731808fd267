/* SPDX-License-Identifier: GPL-2.0 */
/*
 * space.h - where data lies
 *
 *	block.c		blocks: free lists, open blocks, victim buckets
 *	map.c		logical to physical units, valid counts
 *	layout.c	where data goes: dynamic, static, stripes
 *	stripe.c	stripes with parity across the channels
 *	dirty.c		stripes that have changed, and what they replaced
 */
#ifndef SSDQOS_FLASH_SPACE_H
#define SSDQOS_FLASH_SPACE_H

#include "../media/media.h"

/* Blocks of one kind only need not be asked for theirs. */
static inline u32 flash_block_kind(const struct ssdqos_flash *f, u32 block)
{
	return FLASH_NR_KINDS > 1 ? f->blocks[block].kind : 0;
}

static inline u32 flash_block_pages(const struct ssdqos_flash *f, u32 block)
{
	return flash_kind_pages(&f->geo, flash_block_kind(f, block));
}

static inline u32 flash_block_units(const struct ssdqos_flash *f, u32 block)
{
	return flash_kind_units(&f->geo, flash_block_kind(f, block));
}

/* Of the blocks that a stream opens. */
static inline u32 flash_stream_pages(const struct ssdqos_flash *f, u32 stream)
{
	return flash_kind_pages(&f->geo, flash_stream_kind(stream));
}

static inline u32 flash_stream_units(const struct ssdqos_flash *f, u32 stream)
{
	return flash_kind_units(&f->geo, flash_stream_kind(stream));
}

/* In flash and nowhere else; what was never written is not. */
static inline bool flash_unit_in_flash(const struct ssdqos_flash *f, u32 lpn)
{
	return !(f->l2p[lpn] & FLASH_IN_BUFFER);
}

/* Of a place that the map says. */
static inline bool flash_at_in_buffer(u32 at)
{
	return at != FLASH_UNMAPPED && at & FLASH_IN_BUFFER;
}

static inline bool flash_unit_is_parity(const struct ssdqos_flash *f, u32 lpn)
{
	return lpn >= f->geo.parity_lpn && lpn < f->geo.map_lpn;
}

/* Are units held in the write buffer until their stripe is written out? */
static inline bool flash_holds_stripes(const struct ssdqos_flash *f)
{
	return f->dirties.stripe;
}

/* Units of the write buffer have become free. */
static inline void flash_mark_slots_freed(struct ssdqos_flash *f)
{
	f->marks.slots_freed = true;
	f->marks.any = true;
}

/* ---- block.c ---- */
bool flash_block_has_spare(const struct ssdqos_flash *f,
			   const struct flash_plane *p);
bool flash_block_has_space(const struct ssdqos_flash *f,
			   const struct flash_plane *p,
			   enum flash_stream stream);
u32 flash_block_next_page(struct ssdqos_flash *f, u32 plane,
			  enum flash_stream stream);
void flash_block_page_done(struct ssdqos_flash *f, u32 psn);
void flash_block_close(struct ssdqos_flash *f, u32 block);
void flash_block_look(struct ssdqos_flash *f, u32 block);
void flash_block_open(struct ssdqos_flash *f, u32 block, u32 stream);
void flash_block_erased(struct ssdqos_flash *f, u32 block);
void flash_block_free_push(struct ssdqos_flash *f, u32 block);
void flash_free_lists_clear(struct ssdqos_flash *f);
void flash_bucket_insert(struct ssdqos_flash *f, u32 block);
void flash_bucket_remove(struct ssdqos_flash *f, u32 block);

/* ---- map.c ---- */
void flash_map_invalidate(struct ssdqos_flash *f, u32 psn);
void flash_map_place(struct ssdqos_flash *f, u32 lpn, u32 psn);
void flash_map_move(struct ssdqos_flash *f, u32 from, u32 to);

/* ---- layout.c ---- */
const struct flash_layout_ops *flash_layout(const struct ssdqos_flash *f);

/* ---- stripe.c ---- */
u32 flash_stripe_plane(const struct ssdqos_flash *f, u32 lpn);
u32 flash_stripe_lpn_at(const struct ssdqos_flash *f, u32 plane, u32 row);
u32 flash_stripe_parity_of(const struct ssdqos_flash *f, u32 lpn);
u32 flash_stripe_member(const struct ssdqos_flash *f, u32 lpn, u32 member);
u32 flash_stripe_number_of(const struct ssdqos_flash *f, u32 lpn);

/* ---- shift.c ---- */
int flash_shifts_create(struct ssdqos_flash *f);
void flash_shifts_destroy(struct ssdqos_flash *f);
void flash_shifts_clear(struct ssdqos_flash *f);
void flash_shift_tune(struct ssdqos_flash *f);
void flash_shift_survey(struct ssdqos_flash *f);
void flash_shift_erased(struct ssdqos_flash *f, u32 plane);
void flash_shift_learn(struct ssdqos_flash *f, u32 lpn, u32 plane);
u32 flash_shift_best(const struct ssdqos_flash *f, u32 parity, u64 units);
void flash_shift_by(struct ssdqos_flash *f, u32 parity, u32 by);

/* ---- dirty.c ---- */
int flash_dirties_create(struct ssdqos_flash *f);
void flash_dirties_destroy(struct ssdqos_flash *f);
void flash_dirties_clear(struct ssdqos_flash *f);
u32 flash_dirty_of(const struct ssdqos_flash *f, u32 lpn);
u32 flash_dirty_take(struct ssdqos_flash *f, u32 slot);
void flash_dirty_put(struct ssdqos_flash *f, u32 dirty);
u32 flash_dirty_old(const struct ssdqos_flash *f, u32 dirty,
		    enum flash_dirty_parity parity, u32 member);
void flash_dirty_replace(struct ssdqos_flash *f, u32 dirty, u32 lpn, u32 at);
void flash_dirty_place(struct ssdqos_flash *f, u32 dirty, u32 lpn,
		       enum flash_dirty_parity parity, u32 psn);
void flash_dirty_forget(struct ssdqos_flash *f, u32 dirty, u32 member);
void flash_dirty_parity_done(struct ssdqos_flash *f, u32 dirty, u32 member);
void flash_dirty_move(struct ssdqos_flash *f, u32 from, u32 to);
bool flash_dirty_has_changed(const struct ssdqos_flash *f, u32 lpn);
u32 flash_dirty_source(const struct ssdqos_flash *f, u32 lpn, u32 member);

#endif /* SSDQOS_FLASH_SPACE_H */
