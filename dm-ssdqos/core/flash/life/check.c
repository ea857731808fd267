// SPDX-License-Identifier: GPL-2.0
/*
 * check.c - the invariants of a drive, for tests and for the suspicious
 *
 *	- l2p and p2l are inverse to each other
 *	- a block's valid count is the number of its valid units
 *	- free blocks hold nothing, and their counts are right
 *	- the number of mapped units is right
 *	- a closed block hangs in the bucket of its valid count
 *	- what a dirty stripe keeps is valid, and counted
 *	- a block's count of pages to verify is right, and a free block has none
 */
#include "life.h"
#include "../../engine/bits.h"

struct check {
	const struct ssdqos_flash *f;
	char *err;
	u32 err_size;
	u32 mapped;		/* of all kinds */
	u32 host_mapped;
	u32 buffered;
};

static int check_l2p(struct check *c)
{
	const struct ssdqos_flash *f = c->f;
	u32 lpn;

	for (lpn = 0; lpn < f->geo.nr_all; lpn++) {
		u32 at = f->l2p[lpn];

		if (at == FLASH_UNMAPPED)
			continue;
		c->mapped++;
		c->host_mapped += lpn < f->geo.nr_lpn;
		if (at & FLASH_IN_BUFFER) {
			c->buffered++;
			at &= ~FLASH_IN_BUFFER;
			if (at >= f->buffer.nr_slots ||
			    f->buffer.slot[at].lpn != lpn) {
				scnprintf(c->err, c->err_size,
					  "unit %u: buffer slot %u is not its",
					  lpn, at);
				return -EBADMSG;
			}
		} else if (at >= f->geo.nr_psn || f->p2l[at] != lpn) {
			scnprintf(c->err, c->err_size,
				  "unit %u: physical unit %u is not its", lpn,
				  at);
			return -EBADMSG;
		}
	}
	if (c->host_mapped == f->mapped)
		return 0;
	scnprintf(c->err, c->err_size, "mapped units: %u, counted %u",
		  c->host_mapped, f->mapped);
	return -EBADMSG;
}

static u32 check_valid_units(const struct ssdqos_flash *f, u32 block)
{
	u32 psn = flash_block_first(f, block), i, nr = 0;

	for (i = 0; i < flash_block_units(f, block); i++)
		nr += f->p2l[psn + i] != SSDQOS_NIL;
	return nr;
}

static bool check_in_bucket(const struct ssdqos_flash *f, u32 block)
{
	const struct flash_block *b = &f->blocks[block];
	u32 kind = flash_block_kind(f, block);

	return f->blocks[b->next].prev == block &&
	       f->blocks[b->prev].next == block &&
	       f->blocks[b->next].valid == b->valid &&
	       flash_block_kind(f, b->next) == kind &&
	       f->planes[b->plane].bucket[kind][b->valid] != SSDQOS_NIL &&
	       f->planes[b->plane].min_valid[kind] <= b->valid;
}

static int check_blocks(struct check *c)
{
	const struct ssdqos_flash *f = c->f;
	u32 i, valid, nr_free = 0, nr_valid = 0;
	u32 wanted = c->mapped - c->buffered + f->dirties.nr_old;

	for (i = 0; i < f->geo.nr_blocks; i++) {
		const struct flash_block *b = &f->blocks[i];

		valid = check_valid_units(f, i);
		nr_valid += valid;
		nr_free += b->state == FLASH_BLOCK_FREE;
		if (b->valid != valid ||
		    (b->state == FLASH_BLOCK_FREE && valid)) {
			scnprintf(c->err, c->err_size,
				  "block %u: %u valid units, counted %u", i,
				  valid, b->valid);
			return -EBADMSG;
		}
		if (b->state == FLASH_BLOCK_CLOSED && !check_in_bucket(f, i)) {
			scnprintf(c->err, c->err_size,
				  "block %u is not in its bucket", i);
			return -EBADMSG;
		}
	}
	if (nr_free == f->nr_free && nr_valid == wanted)
		return 0;
	scnprintf(c->err, c->err_size,
		  "%u free blocks, counted %u; %u valid units, %u mapped or kept",
		  nr_free, f->nr_free, nr_valid, wanted);
	return -EBADMSG;
}

/* What the dirty stripe keeps whose parity is in a slot of the buffer. */
static u32 check_kept(const struct ssdqos_flash *f, u32 slot, bool *right)
{
	u32 nr_all = FLASH_NR_PARITIES * f->geo.stripe_units;
	u32 dirty = f->dirties.of_slot[slot], lpn = f->buffer.slot[slot].lpn, i, nr = 0;

	if (f->dirties.stripe[dirty].parity_slot != slot)
		return 0;	/* it is for the next time */
	for (i = 0; i < nr_all; i++) {
		u32 member = i % f->geo.stripe_units;
		u32 psn = flash_dirty_old(f, dirty, i / f->geo.stripe_units, member);

		if (psn == FLASH_OLD_LOST || psn == FLASH_OLD_NOTHING)
			continue;
		*right &= f->p2l[psn] == f->layout->member(f, lpn, member);
		nr++;
	}
	return nr;
}

static int check_dirties(struct check *c)
{
	const struct ssdqos_flash *f = c->f;
	bool right = true;
	u32 slot, nr = 0;

	if (!flash_holds_stripes(f))
		return 0;
	for (slot = f->buffer.oldest; slot != SSDQOS_NIL;
	     slot = f->buffer.slot[slot].newer)
		if (flash_unit_is_parity(f, f->buffer.slot[slot].lpn))
			nr += check_kept(f, slot, &right);
	if (right && nr == f->dirties.nr_old)
		return 0;
	scnprintf(c->err, c->err_size, "%u units are kept by dirty stripes, counted %u%s",
		  nr, f->dirties.nr_old, right ? "" : ", one is another's");
	return -EBADMSG;
}

static u32 check_unverified_in(const struct ssdqos_flash *f, u32 block)
{
	u32 page = flash_block_first(f, block) >> f->geo.page_shift, i, nr = 0;

	for (i = 0; i < flash_block_pages(f, block); i++)
		nr += flash_bits_test(f->verify.pages, page + i);
	return nr;
}

static u32 check_unverified(const struct ssdqos_flash *f)
{
	u32 nr_pages = f->geo.nr_psn >> f->geo.page_shift, page = 0, nr = 0;

	while (page < nr_pages) {
		u32 next = flash_bits_next(f->verify.pages, NULL, nr_pages, page);

		if (next == SSDQOS_NIL || next < page)
			break;
		page = next + 1;
		nr++;
	}
	return nr;
}

/* A block that has no page to verify is not looked through: then all are too many. */
static int check_verify(struct check *c)
{
	const struct ssdqos_flash *f = c->f;
	u32 nr_all = check_unverified(f), i;

	for (i = 0; i < f->geo.nr_blocks; i++) {
		u32 nr = f->verify.nr_of[i] ? check_unverified_in(f, i) : 0;

		if (nr == f->verify.nr_of[i] &&
		    flash_bits_test(f->verify.blocks, i) == !!nr &&
		    !(nr && f->blocks[i].state == FLASH_BLOCK_FREE)) {
			nr_all -= nr;
			continue;
		}
		scnprintf(c->err, c->err_size,
			  "block %u: %u pages to verify, counted %u", i, nr,
			  f->verify.nr_of[i]);
		return -EBADMSG;
	}
	if (!nr_all && f->verify.nr == check_unverified(f))
		return 0;
	scnprintf(c->err, c->err_size, "%u pages to verify, counted %u",
		  check_unverified(f), f->verify.nr);
	return -EBADMSG;
}

/**
 * ssdqos_flash_check - check the invariants of a drive
 * @f: the drive, at any moment
 * @err: gets one sentence about the first that is broken
 * @err_size: its size
 *
 * Looks at everything: some 3 ms a GiB.
 *
 * Return: 0 or -EBADMSG.
 */
int ssdqos_flash_check(const struct ssdqos_flash *f, char *err, u32 err_size)
{
	struct check c = { .f = f, .err = err, .err_size = err_size };
	int r = check_l2p(&c);

	if (!r)
		r = check_blocks(&c);
	if (!r)
		r = check_dirties(&c);
	return r ? r : check_verify(&c);
}
