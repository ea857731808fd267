// SPDX-License-Identifier: GPL-2.0
/*
 * map.c - logical to physical units and back
 *
 * Units are those of the host, of parity and of the map's own pages, see
 * geometry.h.  l2p[lpn] is a psn, FLASH_IN_BUFFER | slot, or FLASH_UNMAPPED.  p2l[psn] is
 * the lpn of a valid unit and SSDQOS_NIL of every other one; so
 *
 *	l2p[lpn] is a psn  <=>  p2l[l2p[lpn]] == lpn
 *
 * and a unit's validity needs no bit of its own: 8 bytes a unit in all.  Units that were
 * replaced, and that a dirty stripe keeps valid, have an entry in p2l only (dirty.c).
 */
#include "space.h"

/* The host has no more use for a physical unit. */
void flash_map_invalidate(struct ssdqos_flash *f, u32 psn)
{
	u32 block = flash_block_of(f, psn);
	struct flash_block *b = &f->blocks[block];

	f->p2l[psn] = SSDQOS_NIL;
	b->change_ns = f->now_ns;
	if (b->state == FLASH_BLOCK_CLOSED) {
		flash_bucket_remove(f, block);
		b->valid--;
		flash_bucket_insert(f, block);
		flash_block_look(f, block);
	} else {
		b->valid--;
	}
}

/* A logical unit is at @psn from now on, in an open block. */
void flash_map_place(struct ssdqos_flash *f, u32 lpn, u32 psn)
{
	f->l2p[lpn] = psn;
	f->p2l[psn] = lpn;
	f->blocks[flash_block_of(f, psn)].valid++;
}

/* A unit was copied; @from lies in a victim, @to in an open block. */
void flash_map_move(struct ssdqos_flash *f, u32 from, u32 to)
{
	u32 lpn = f->p2l[from];

	f->p2l[from] = SSDQOS_NIL;
	f->blocks[flash_block_of(f, from)].valid--;
	flash_map_place(f, lpn, to);
}
