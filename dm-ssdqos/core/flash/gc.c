// SPDX-License-Identifier: GPL-2.0
/*
 * gc.c - garbage collection: one machine for each plane
 *
 * A plane collects from fewer than gc_start free blocks on until it has
 * gc_stop.  A round takes one victim: its valid units are read, gathered into
 * full pages and programmed to the plane's open GC block (or copied inside
 * the plane, where a page is wholly valid and gc_copyback is on); then the
 * victim is erased.  At most gc_depth pages are on their way at a time.
 *
 * A victim must gain at least one page, padding included, so that
 *  - one spare block is enough for every round, and
 *  - a plane that finds no victim has nothing to gain from collecting.
 *
 * Policies: greedy takes the fewest valid units.  cost_benefit maximises
 * age x (1 - u) / 2u (Rosenblum and Ousterhout, TOCS 10(1), 1992; AutoSSD
 * section 4.2), where u is the valid share and age the time since the block's
 * valid count last changed.  All blocks with equal u hang in one ring, oldest
 * first, so looking at the first of each ring finds the exact maximum.
 */
#include "internal.h"

/* Most valid units with which a block is worth collecting: a page less. */
static u32 gc_limit(const struct ssdqos_flash *f)
{
	return flash_units_per_block(f) - f->geo.units_per_page;
}

static void gc_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		   u32 plane, u32 block, u32 valid)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = (u8)event,
		.task = SSDQOS_TASK_GC,
		.units = (u16)min_t(u32, f->planes[plane].nr_free, 0xffff),
		.plane = plane,
		.block = block,
		.page = valid,
	};

	if (flash_log_wants(f, event))
		flash_log_write(f, &rec);
}

/* Lowest bucket in use; the hint only ever lags behind downwards. */
static u32 gc_min_valid(const struct ssdqos_flash *f, struct flash_plane *p)
{
	u32 end = flash_units_per_block(f);

	while (p->min_valid < end && p->bucket[p->min_valid] == SSDQOS_NIL)
		p->min_valid++;
	return p->min_valid;
}

static u32 gc_pick_greedy(struct ssdqos_flash *f, struct flash_plane *p)
{
	u32 valid = gc_min_valid(f, p);

	return valid <= gc_limit(f) ? p->bucket[valid] : SSDQOS_NIL;
}

static u32 gc_pick_cost_benefit(struct ssdqos_flash *f, struct flash_plane *p)
{
	u32 units = flash_units_per_block(f), best = SSDQOS_NIL, valid;
	u64 best_score = 0;

	if (gc_min_valid(f, p) == 0)
		return p->bucket[0];
	for (valid = p->min_valid; valid <= gc_limit(f); valid++) {
		u32 block = p->bucket[valid];
		u64 age_ns, score;

		if (block == SSDQOS_NIL)
			continue;
		/* + 1: a block of this instant still has its benefit; >> 14:
		 * 16 us steps keep age x units in 64 bits for 200 years
		 */
		age_ns = f->now_ns - f->blocks[block].change_ns;
		score = div64_u64(((age_ns >> 14) + 1) * (units - valid),
				  valid);
		if (best == SSDQOS_NIL || score > best_score) {
			best = block;
			best_score = score;
		}
	}
	return best;
}

const struct flash_victim_ops flash_victim_table[] = {
	[SSDQOS_FLASH_GREEDY] = { "greedy", gc_pick_greedy },
	[SSDQOS_FLASH_COST_BENEFIT] = { "cost_benefit", gc_pick_cost_benefit },
};

static void gc_erase(struct ssdqos_flash *f, u32 plane)
{
	struct flash_gc *gc = &f->planes[plane].gc;
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_GC,
					   SSDQOS_NAND_ERASE, plane);

	gc->state = FLASH_GC_ERASING;
	op->psn = gc->victim << f->geo.block_shift;
	op->nr_units = 0;
	flash_nand_queue(f, op);
}

/* Unit by unit: a wide copy would wait for the narrow stores before it.  The
 * map entries of these units are needed when the operation has ended.
 */
static void gc_set_src(const struct ssdqos_flash *f, struct flash_op *op,
		       const u32 *src, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		op->src[i] = src[i];
		prefetchw(&f->l2p[f->p2l[src[i]] & ~FLASH_IN_BUFFER]);
	}
}

/* Program what was gathered, with padding if it is less than a page. */
static void gc_program(struct ssdqos_flash *f, u32 plane)
{
	struct flash_gc *gc = &f->planes[plane].gc;
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_GC,
					   SSDQOS_NAND_PROGRAM, plane);

	op->psn = flash_block_next_page(f, plane, FLASH_STREAM_GC);
	op->nr_units = gc->nr_fill;
	gc_set_src(f, op, gc->fill, gc->nr_fill);
	f->stats.padded_units += f->geo.units_per_page - gc->nr_fill;
	gc->nr_fill = 0;
	gc->programs++;
	flash_nand_queue(f, op);
}

/* Valid units of a page of the victim, into @src. */
static u32 gc_valid_units(const struct ssdqos_flash *f, u32 psn, u32 *src)
{
	u32 i, nr = 0;

	for (i = 0; i < f->geo.units_per_page; i++)
		if (f->p2l[psn + i] != SSDQOS_NIL)
			src[nr++] = psn + i;
	return nr;
}

static bool gc_may_copyback(const struct ssdqos_flash *f,
			    const struct flash_gc *gc, u32 nr_units)
{
	return f->cfg.gc_copyback && nr_units == f->geo.units_per_page &&
	       !gc->nr_fill && !gc->reads;
}

static void gc_copy_page(struct ssdqos_flash *f, u32 plane, const u32 *src,
			 u32 nr)
{
	struct flash_gc *gc = &f->planes[plane].gc;
	bool inside = gc_may_copyback(f, gc, nr);
	struct flash_op *op = flash_op_get(f, SSDQOS_TASK_GC,
					   inside ? SSDQOS_NAND_COPYBACK :
						    SSDQOS_NAND_READ, plane);

	gc_set_src(f, op, src, nr);
	op->nr_units = (u8)nr;
	if (inside) {
		op->psn = flash_block_next_page(f, plane, FLASH_STREAM_GC);
		gc->programs++;
	} else {
		op->psn = src[0] >> f->geo.page_shift << f->geo.page_shift;
		gc->reads++;
	}
	flash_nand_queue(f, op);
}

/* Start as many copies as gc_depth allows; erase when all are done. */
static void gc_copy(struct ssdqos_flash *f, u32 plane)
{
	struct flash_gc *gc = &f->planes[plane].gc;
	u32 victim_psn = gc->victim << f->geo.block_shift;
	u32 src[SSDQOS_MAX_UNITS_PER_PAGE] = { 0 }, nr;

	while (gc->scan_page < f->geo.pages_per_block &&
	       gc->reads + gc->programs < f->cfg.gc_depth) {
		nr = gc_valid_units(f, victim_psn +
				    (gc->scan_page++ << f->geo.page_shift), src);
		if (nr)
			gc_copy_page(f, plane, src, nr);
	}
	if (gc->scan_page < f->geo.pages_per_block || gc->reads)
		return;
	if (gc->nr_fill)
		gc_program(f, plane);
	if (!gc->programs)
		gc_erase(f, plane);
}

static void gc_begin(struct ssdqos_flash *f, u32 plane, u32 victim)
{
	struct flash_gc *gc = &f->planes[plane].gc;

	gc_log(f, SSDQOS_FLASH_EV_GC_VICTIM_CHOSEN, plane, victim,
	       f->blocks[victim].valid);
	flash_bucket_remove(f, victim);
	f->blocks[victim].state = FLASH_BLOCK_VICTIM;
	f->stats.gc_blocks++;
	gc->victim = victim;
	gc->scan_page = f->blocks[victim].valid ? 0 : f->geo.pages_per_block;
	gc->state = FLASH_GC_COPYING;
	gc_copy(f, plane);
}

static u32 gc_empty_block(const struct ssdqos_flash *f,
			  const struct flash_plane *p)
{
	return f->cfg.trim_mode == SSDQOS_FLASH_TRIM_ERASE ? p->bucket[0] :
							     SSDQOS_NIL;
}

static bool gc_still_wanted(const struct ssdqos_flash *f,
			    const struct flash_plane *p)
{
	return p->nr_free < (p->gc.erase_empty ? f->gc_start : f->gc_stop);
}

/* Between two rounds: stop, go on, or wait for a victim. */
static void gc_seek(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];
	u32 victim = gc_empty_block(f, p);

	if (victim == SSDQOS_NIL && !gc_still_wanted(f, p)) {
		p->gc.state = FLASH_GC_OFF;
		gc_log(f, SSDQOS_FLASH_EV_GC_STOPPED, plane, 0, 0);
		return;
	}
	if (victim == SSDQOS_NIL)
		victim = f->victim->pick(f, p);
	if (victim != SSDQOS_NIL) {
		gc_begin(f, plane, victim);
		return;
	}
	if (p->gc.state != FLASH_GC_SEEKING)
		gc_log(f, SSDQOS_FLASH_EV_GC_NO_VICTIM, plane, 0, 0);
	p->gc.state = FLASH_GC_SEEKING;
}

/* The plane's free blocks or its victims have changed. */
void flash_gc_check(struct ssdqos_flash *f, u32 plane)
{
	struct flash_plane *p = &f->planes[plane];

	if (p->gc.state != FLASH_GC_OFF) {
		if (p->nr_free < f->gc_start)
			p->gc.erase_empty = false;
		if (p->gc.state == FLASH_GC_SEEKING)
			gc_seek(f, plane);
		return;
	}
	if (p->nr_free < f->gc_start)
		p->gc.erase_empty = false;
	else if (gc_empty_block(f, p) != SSDQOS_NIL)
		p->gc.erase_empty = true;
	else
		return;
	f->stats.gc_starts++;
	gc_log(f, SSDQOS_FLASH_EV_GC_STARTED, plane, 0, 0);
	gc_seek(f, plane);
}

/* A closed block has lost a valid unit, or a block was closed. */
void flash_gc_invalidated(struct ssdqos_flash *f, u32 block)
{
	struct flash_block *b = &f->blocks[block];
	struct flash_gc *gc = &f->planes[b->plane].gc;

	if (gc->state == FLASH_GC_SEEKING && b->valid <= gc_limit(f))
		flash_gc_check(f, b->plane);
	else if (!b->valid && gc->state == FLASH_GC_OFF)
		flash_gc_check(f, b->plane);
}

static void gc_read_done(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_gc *gc = &f->planes[op->plane].gc;
	u32 i;

	f->stats.gc_reads++;
	gc->reads--;
	for (i = 0; i < op->nr_units; i++) {
		if (f->p2l[op->src[i]] == SSDQOS_NIL)
			continue;	/* overwritten meanwhile */
		gc->fill[gc->nr_fill++] = op->src[i];
		if (gc->nr_fill == f->geo.units_per_page)
			gc_program(f, op->plane);
	}
	gc_copy(f, op->plane);
}

static void gc_program_done(struct ssdqos_flash *f, struct flash_op *op)
{
	u32 i;

	f->stats.gc_programs++;
	f->planes[op->plane].gc.programs--;
	for (i = 0; i < op->nr_units; i++) {
		if (f->p2l[op->src[i]] == SSDQOS_NIL)
			continue;
		flash_map_move(f, op->src[i], op->psn + i);
		f->stats.gc_moved_units++;
	}
	flash_block_page_done(f, op->psn);
	gc_copy(f, op->plane);
}

static void gc_erase_done(struct ssdqos_flash *f, struct flash_op *op)
{
	flash_block_erased(f, flash_block_of(f, op->psn));
	flash_buffer_plane_changed(f, op->plane);
	gc_seek(f, op->plane);
	flash_buffer_pump(f);
}

static void gc_op_done(struct ssdqos_flash *f, struct flash_op *op)
{
	switch (op->kind) {
	case SSDQOS_NAND_READ:
		gc_read_done(f, op);
		break;
	case SSDQOS_NAND_ERASE:
		gc_erase_done(f, op);
		break;
	default:
		gc_program_done(f, op);
	}
}

const struct flash_task_ops flash_gc_task = { .op_done = gc_op_done };

/* Effective thresholds: a small drive can't keep as many blocks free as its
 * model does, so at most half of what is spare (open blocks left out).
 */
void flash_gc_tune(struct ssdqos_flash *f)
{
	u32 spare = (f->geo.nr_psn - f->geo.nr_lpn) >> f->geo.block_shift;
	u32 most = (spare / f->geo.nr_planes - FLASH_NR_STREAMS) / 2 + 1;

	f->gc_stop = min_t(u32, (u32)f->cfg.gc_stop_blocks, max(most, 3u));
	f->gc_start = min_t(u32, (u32)f->cfg.gc_start_blocks, f->gc_stop - 1);
	f->victim = &flash_victim_table[f->cfg.gc_policy];
}
