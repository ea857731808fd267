// SPDX-License-Identifier: GPL-2.0
/*
 * dirty.c - stripes that have changed, and what they replaced (ttFlash, section 4.5)
 *
 * When a unit of a stripe is written, its data is in the write buffer first, then in
 * flash, and only when all of that is in flash the stripe's parity follows (evict.c of the tasks).
 * From the first to the last of it the stripe is *dirty*, and its parity in flash
 * stands for the *old* units, those that were replaced.  They are kept valid until the new
 * parity is in flash, since
 *
 *	- the other units of the stripe can be rebuilt from old data and old parity;
 *	- the new parity can be computed from the old one and what has changed, where
 *	  that is less to read than the rest of the stripe, or can be read sooner.
 *
 * A unit that is written once more while its parity is under way is old for that parity as
 * well, which stands for what was written first: both are kept, else who writes one
 * unit again and again would keep the others of its stripe from being rebuilt.
 *
 * An old unit has an entry in p2l, but l2p says where the new one is; collection
 * moves it like any other.  Who keeps old units has less room to collect: so in each plane
 * no more are kept than half of what is left there when a drive with all its
 * units in flash works (geometry.c).  Others are *lost*, which costs reads, but
 * no data: the new parity follows from the rest of the stripe, too.
 *
 * The parity of a dirty stripe is always in the buffer, so its slot leads to the stripe.
 */
#include "space.h"
#include "../../engine/bits.h"

/* Of what a plane has left beyond what collection needs, one part in so many is kept. */
#define DIRTY_ROOM_SHIFT 1

static u32 *dirty_old_at(const struct ssdqos_flash *f, u32 dirty, u32 parity, u32 member)
{
	u64 row = (u64)dirty * FLASH_NR_PARITIES + parity;

	return &f->dirties.old[row * f->geo.stripe_units + member];
}

/* The dirty stripe to which a unit belongs; SSDQOS_NIL: its stripe is not dirty. */
u32 flash_dirty_of(const struct ssdqos_flash *f, u32 lpn)
{
	u32 at = f->l2p[f->layout->partner(f, lpn)];

	if (!flash_at_in_buffer(at))
		return SSDQOS_NIL;
	return f->dirties.of_slot[at & ~FLASH_IN_BUFFER];
}

/* A stripe becomes dirty; its parity is in @slot of the buffer. */
u32 flash_dirty_take(struct ssdqos_flash *f, u32 slot)
{
	struct flash_dirties *d = &f->dirties;
	u32 dirty = d->free, parity, i;

	d->free = d->stripe[dirty].next;
	d->stripe[dirty] = (struct flash_dirty) {
		.parity_slot = slot,
		.next_slot = SSDQOS_NIL,
		.queue = FLASH_QUEUE_NONE,
	};
	d->of_slot[slot] = dirty;
	for (parity = 0; parity < FLASH_NR_PARITIES; parity++)
		for (i = 0; i < f->geo.stripe_units; i++)
			*dirty_old_at(f, dirty, parity, i) = FLASH_OLD_LOST;
	return dirty;
}

/* It is dirty no more, and keeps nothing. */
void flash_dirty_put(struct ssdqos_flash *f, u32 dirty)
{
	f->dirties.stripe[dirty].next = f->dirties.free;
	f->dirties.free = dirty;
}

/* Where the unit is for which a parity stands and that was replaced; or FLASH_OLD_*. */
u32 flash_dirty_old(const struct ssdqos_flash *f, u32 dirty,
		    enum flash_dirty_parity parity, u32 member)
{
	return *dirty_old_at(f, dirty, parity, member);
}

/* Is there room to keep a unit that was replaced? */
static bool dirty_has_room(const struct ssdqos_flash *f, u32 psn)
{
	return f->dirties.plane_old[flash_plane_of(f, psn)] < f->dirties.plane_old_max;
}

static void dirty_keep(struct ssdqos_flash *f, u32 *old, u32 psn)
{
	f->dirties.plane_old[flash_plane_of(f, psn)]++;
	f->dirties.nr_old++;
	*old = psn;
}

/* Where to keep what a unit is when it is replaced; NULL if no parity stands for it: it
 * has been replaced since.
 */
static u32 *dirty_place_of_old(const struct ssdqos_flash *f, u32 dirty, u32 member)
{
	const struct flash_dirty *d = &f->dirties.stripe[dirty];

	if (d->held >> member & 1)
		return NULL;
	return dirty_old_at(f, dirty, d->writing >> member & 1 ?
			    FLASH_PARITY_UNDER_WAY : FLASH_PARITY_IN_FLASH, member);
}

static void dirty_retire(struct ssdqos_flash *f, u32 *old, u32 at)
{
	if (at == FLASH_UNMAPPED) {
		if (old)
			*old = FLASH_OLD_NOTHING;
		return;
	}
	if (old && dirty_has_room(f, at)) {
		dirty_keep(f, old, at);
		return;
	}
	f->stats.stripe_old_lost++;
	flash_map_invalidate(f, at);
}

/* A unit is about to be replaced that is at @at: a psn, or FLASH_UNMAPPED. */
void flash_dirty_replace(struct ssdqos_flash *f, u32 dirty, u32 lpn, u32 at)
{
	u32 member = flash_stripe_number_of(f, lpn);

	dirty_retire(f, dirty_place_of_old(f, dirty, member), at);
}

/* What a parity stands for is kept no longer. */
static void dirty_release(struct ssdqos_flash *f, u32 *old)
{
	u32 psn = *old;

	*old = FLASH_OLD_LOST;
	if (psn == FLASH_OLD_LOST || psn == FLASH_OLD_NOTHING)
		return;
	f->dirties.plane_old[flash_plane_of(f, psn)]--;
	f->dirties.nr_old--;
	flash_map_invalidate(f, psn);
}

/* No parity stands for what it was any more. */
void flash_dirty_forget(struct ssdqos_flash *f, u32 dirty, u32 member)
{
	u32 parity;

	for (parity = 0; parity < FLASH_NR_PARITIES; parity++)
		dirty_release(f, dirty_old_at(f, dirty, parity, member));
}

/* The parity that was under way is the one in flash. */
void flash_dirty_parity_done(struct ssdqos_flash *f, u32 dirty, u32 member)
{
	u32 *old = dirty_old_at(f, dirty, FLASH_PARITY_IN_FLASH, member);
	u32 *next = dirty_old_at(f, dirty, FLASH_PARITY_UNDER_WAY, member);

	dirty_release(f, old);
	*old = *next;
	*next = FLASH_OLD_LOST;
}

/* In flash, but not in the map. */
static void dirty_place(struct ssdqos_flash *f, u32 lpn, u32 psn)
{
	f->p2l[psn] = lpn;
	f->blocks[flash_block_of(f, psn)].valid++;
}

/* A unit was programmed that had been replaced by then: of the parity, for what is in flash
 * now, or of data, for what is under way.
 */
void flash_dirty_place(struct ssdqos_flash *f, u32 dirty, u32 lpn,
		       enum flash_dirty_parity parity, u32 psn)
{
	u32 member = flash_stripe_number_of(f, lpn);

	dirty_place(f, lpn, psn);
	dirty_retire(f, dirty_old_at(f, dirty, parity, member), psn);
}

/* An old unit was copied, as flash_map_move() does with others; in the same plane.  One that
 * no dirty stripe keeps is valid no more.
 */
void flash_dirty_move(struct ssdqos_flash *f, u32 from, u32 to)
{
	u32 lpn = f->p2l[from], dirty = flash_dirty_of(f, lpn), parity;

	f->p2l[from] = SSDQOS_NIL;
	f->blocks[flash_block_of(f, from)].valid--;
	if (dirty == SSDQOS_NIL)
		return;
	for (parity = 0; parity < FLASH_NR_PARITIES; parity++) {
		u32 *old = dirty_old_at(f, dirty, parity, flash_stripe_number_of(f, lpn));

		if (*old == from)
			*old = to;
	}
	dirty_place(f, lpn, to);
}

/* Is the unit in flash another one than that for which the parity in flash stands? */
bool flash_dirty_has_changed(const struct ssdqos_flash *f, u32 lpn)
{
	const struct flash_dirty *d;
	u32 dirty;

	if (!flash_holds_stripes(f))
		return false;
	dirty = flash_dirty_of(f, lpn);
	if (dirty == SSDQOS_NIL)
		return false;
	d = &f->dirties.stripe[dirty];
	return (d->held | d->writing) >> flash_stripe_number_of(f, lpn) & 1;
}

/* Where to read member @i of a unit's stripe, as the parity in flash stands for it.
 * FLASH_OLD_NOTHING: there is nothing to be read; FLASH_OLD_LOST: it can't be.
 */
u32 flash_dirty_source(const struct ssdqos_flash *f, u32 lpn, u32 i)
{
	u32 member = f->layout->member(f, lpn, i), dirty, at;

	if (member == SSDQOS_NIL)
		return FLASH_OLD_NOTHING;
	at = f->l2p[member];
	if (!flash_holds_stripes(f))
		return at & FLASH_IN_BUFFER ? FLASH_OLD_NOTHING : at;
	dirty = flash_dirty_of(f, lpn);
	if (dirty != SSDQOS_NIL) {
		const struct flash_dirty *d = &f->dirties.stripe[dirty];

		if ((d->held | d->writing) >> i & 1 || member >= f->geo.parity_lpn)
			return flash_dirty_old(f, dirty, FLASH_PARITY_IN_FLASH, i);
	}
	return at == FLASH_UNMAPPED ? FLASH_OLD_NOTHING : at;
}

/* ---- life ---- */

/* Units of a plane that can be kept: see the top of the file. */
static u32 dirty_plane_max(const struct ssdqos_flash *f)
{
	const struct ssdqos_flash_geo *geo = &f->geo;
	u64 units = (u64)geo->blocks_per_plane << geo->block_shift;
	u64 used = div64_u64((u64)geo->nr_all + geo->nr_planes - 1, geo->nr_planes) +
		   div64_u64(flash_geo_least_spare(geo), geo->nr_planes) + 1;

	return units > used ? (u32)(units - used) >> DIRTY_ROOM_SHIFT : 0;
}

static int dirty_alloc(struct ssdqos_flash *f)
{
	struct flash_dirties *d = &f->dirties;
	u32 groups = f->geo.nr_planes / f->geo.stripe_units, q;
	u32 words = flash_bits_words(groups);
	u64 olds = (u64)d->nr * FLASH_NR_PARITIES * f->geo.stripe_units;

	d->stripe = ssdqos_env_alloc((u64)d->nr * sizeof(*d->stripe));
	d->old = ssdqos_env_alloc(olds * sizeof(u32));
	d->of_slot = ssdqos_env_alloc((u64)d->nr * sizeof(u32));
	d->plane_old = ssdqos_env_alloc((u64)f->geo.nr_planes * sizeof(u32));
	if (!d->stripe || !d->old || !d->of_slot || !d->plane_old)
		return -ENOMEM;
	for (q = 0; q < FLASH_NR_QUEUES; q++) {
		d->queue[q] = ssdqos_env_alloc((u64)groups * sizeof(*d->queue[q]));
		d->queued[q] = ssdqos_env_alloc((u64)words * sizeof(long));
		if (!d->queue[q] || !d->queued[q])
			return -ENOMEM;
	}
	f->memory_bytes += (u64)d->nr * (sizeof(*d->stripe) + sizeof(u32)) +
			   (olds + f->geo.nr_planes) * sizeof(u32) +
			   FLASH_NR_QUEUES * (groups * sizeof(*d->queue[0]) +
					      words * sizeof(long));
	return 0;
}

/* Each slot of the buffer may have the parity of a dirty stripe. */
int flash_dirties_create(struct ssdqos_flash *f)
{
	struct flash_dirties *d = &f->dirties;

	if (!f->geo.stripe_units || f->cfg.rain_flush != SSDQOS_FLASH_FLUSH_STRIPES)
		return 0;
	d->nr = f->buffer.nr_slots;
	d->plane_old_max = dirty_plane_max(f);
	return dirty_alloc(f);
}

void flash_dirties_destroy(struct ssdqos_flash *f)
{
	struct flash_dirties *d = &f->dirties;
	u32 q;

	for (q = 0; q < FLASH_NR_QUEUES; q++) {
		ssdqos_env_free(d->queued[q]);
		ssdqos_env_free(d->queue[q]);
	}
	ssdqos_env_free(d->plane_old);
	ssdqos_env_free(d->of_slot);
	ssdqos_env_free(d->old);
	ssdqos_env_free(d->stripe);
}

/* No stripe is dirty. */
void flash_dirties_clear(struct ssdqos_flash *f)
{
	struct flash_dirties *d = &f->dirties;
	u32 q, i;

	if (!flash_holds_stripes(f))
		return;
	for (i = 0; i < d->nr; i++)
		d->stripe[i].next = i + 1 < d->nr ? i + 1 : SSDQOS_NIL;
	d->free = 0;
	d->nr_old = 0;
	d->nr_out = 0;
	d->rotor = 0;
	d->lift_rest = 0;
	memset(d->plane_old, 0, f->geo.nr_planes * sizeof(u32));
	for (i = 0; i < f->geo.nr_planes / f->geo.stripe_units; i++) {
		for (q = 0; q < FLASH_NR_QUEUES; q++) {
			flash_list_init(&d->queue[q][i]);
			flash_bits_assign(d->queued[q], i, false);
		}
	}
}
