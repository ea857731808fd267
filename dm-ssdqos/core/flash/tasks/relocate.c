// SPDX-License-Identifier: GPL-2.0
/*
 * relocate.c - empty a block: read its valid units, program them elsewhere in
 * the plane, erase it
 *
 * Each plane has a mover for each task that empties blocks; which block and
 * when says the task in its row of operations (gc.c, scrub.c, wear.c).  Valid units
 * are read, gathered into full pages and programmed to the plane's open block for moved data (or
 * copied inside the plane, where a page is wholly valid and gc_copyback is on);
 * then the block is erased.  At most gc_depth pages of a mover are on their way
 * at a time.
 *
 * Space: garbage collection always finishes what it has begun, because its
 * victim gains a page and FLASH_GC_RESERVE_BLOCKS is kept for it by all others.
 * Another mover that finds no page gives its victim up, valid as far as it has
 * not come, and tries again when there is room: so it never holds what
 * garbage collection needs.
 */
#include "tasks.h"

/* What a plane's gc, scrub or wear does, with the plane's free blocks. */
void flash_mover_log(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		     u32 task, u32 plane, u32 block, u32 valid)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = (u8)event,
		.task = (u8)task,
		.units = (u16)min_t(u32, f->planes[plane].nr_free, 0xffff),
		.plane = plane,
		.block = block,
		.page = valid,
	};

	if (flash_log_wants(f, event))
		flash_log_write(f, &rec);
}

static void mover_erase(struct ssdqos_flash *f, struct flash_mover *m,
			u32 plane, u32 task)
{
	struct flash_op *op = flash_op_get(f, (u8)task, SSDQOS_NAND_ERASE,
					   plane);

	m->state = FLASH_MOVER_ERASING;
	op->psn = flash_block_first(f, m->victim);
	op->nr_units = 0;
	flash_chip_queue(f, op);
}

/* Unit by unit: a wide copy would wait for the narrow stores before it.  The
 * map entries of these units are needed when the operation has ended.
 */
static void mover_set_src(const struct ssdqos_flash *f, struct flash_op *op,
			  const u32 *src, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		op->src[i] = src[i];
		flash_foresee_unit(f, f->p2l[src[i]] & ~FLASH_IN_BUFFER);
	}
}

/* Pages on their way at a time: where the host goes before each copy, one. */
static u32 mover_depth(const struct ssdqos_flash *f)
{
	return f->yielding_tasks ? 1 : (u32)f->cfg.gc_depth;
}

/* The plane is used for others again. */
static void mover_release(struct ssdqos_flash *f, u32 plane)
{
	u32 step = f->holds[plane].step;

	flash_hold_release(f, plane);
	flash_buffer_held_changed(f, plane, step);
	flash_turn_put(f, plane);
}

static bool mover_has_space(const struct ssdqos_flash *f, u32 plane, u32 task)
{
	return f->tasks[task]->takes_reserve ||
	       flash_block_has_spare(f, &f->planes[plane]);
}

/* Program what was gathered, with padding if it is less than a page. */
static void mover_program(struct ssdqos_flash *f, struct flash_mover *m,
			  u32 plane, u32 task)
{
	struct flash_op *op;

	if (!mover_has_space(f, plane, task)) {
		m->no_space = true;
		return;
	}
	op = flash_op_get(f, (u8)task, SSDQOS_NAND_PROGRAM, plane);
	op->psn = flash_page_take(f, plane, FLASH_STREAM_GC);
	op->nr_units = m->nr_fill;
	mover_set_src(f, op, m->fill, m->nr_fill);
	f->stats.padded_units += f->geo.units_per_page - m->nr_fill;
	m->nr_fill = 0;
	m->programs++;
	flash_chip_queue(f, op);
}

/* Valid units of a page of the victim, into @src. */
static u32 mover_valid_units(const struct ssdqos_flash *f, u32 psn, u32 *src)
{
	u32 i, nr = 0;

	for (i = 0; i < f->geo.units_per_page; i++)
		if (f->p2l[psn + i] != SSDQOS_NIL)
			src[nr++] = psn + i;
	return nr;
}

static bool mover_may_copyback(const struct ssdqos_flash *f,
			       const struct flash_mover *m, u32 plane, u32 task,
			       u32 nr_units)
{
	return f->cfg.gc_copyback && nr_units == f->geo.units_per_page &&
	       !m->nr_fill && !m->reads && mover_has_space(f, plane, task);
}

static void mover_copy_page(struct ssdqos_flash *f, struct flash_mover *m,
			    u32 plane, u32 task, const u32 *src, u32 nr)
{
	bool inside = mover_may_copyback(f, m, plane, task, nr);
	struct flash_op *op = flash_op_get(f, (u8)task,
					   inside ? SSDQOS_NAND_COPYBACK :
						    SSDQOS_NAND_READ, plane);

	mover_set_src(f, op, src, nr);
	op->nr_units = (u8)nr;
	if (inside) {
		op->psn = flash_page_take(f, plane, FLASH_STREAM_GC);
		m->programs++;
	} else {
		op->psn = src[0] >> f->geo.page_shift << f->geo.page_shift;
		m->reads++;
	}
	flash_chip_queue(f, op);
}

/* There is no page to program: what is left of the victim stays there. */
static void mover_abandon(struct ssdqos_flash *f, struct flash_mover *m,
			  u32 plane, u32 task)
{
	m->state = FLASH_MOVER_OFF;
	m->nr_fill = 0;
	m->no_space = false;
	f->stats.abandoned_blocks++;
	flash_mover_log(f, SSDQOS_FLASH_EV_RELOCATION_ABANDONED, task, plane,
			m->victim, f->blocks[m->victim].valid);
	flash_block_close(f, m->victim);
	mover_release(f, plane);
	flash_page_settle(f);
}

/* Start as many copies as gc_depth allows; erase when all are done. */
static void mover_copy(struct ssdqos_flash *f, struct flash_mover *m, u32 plane,
		       u32 task)
{
	u32 victim_psn = flash_block_first(f, m->victim);
	u32 pages = flash_block_pages(f, m->victim);
	u32 src[SSDQOS_MAX_UNITS_PER_PAGE] = { 0 }, nr;
	u32 depth = mover_depth(f);

	while (!m->no_space && m->scan_page < pages &&
	       m->reads + m->programs < depth) {
		nr = mover_valid_units(f, victim_psn +
				       (m->scan_page++ << f->geo.page_shift),
				       src);
		if (nr)
			mover_copy_page(f, m, plane, task, src, nr);
	}
	if (m->reads || (!m->no_space && m->scan_page < pages))
		return;
	if (m->nr_fill && !m->no_space)
		mover_program(f, m, plane, task);
	if (m->programs)
		return;
	if (m->no_space)
		mover_abandon(f, m, plane, task);
	else
		mover_erase(f, m, plane, task);
}

/* A closed block is to be emptied. */
void flash_mover_begin(struct ssdqos_flash *f, u32 plane, u32 task, u32 victim)
{
	struct flash_mover *m = flash_mover(f, plane, task);

	flash_bucket_remove(f, victim);
	f->blocks[victim].state = FLASH_BLOCK_VICTIM;
	m->victim = victim;
	m->scan_page = f->blocks[victim].valid ? 0 :
		       (u16)flash_block_pages(f, victim);
	m->state = FLASH_MOVER_COPYING;
	flash_hold(f, plane);
	flash_buffer_held_changed(f, plane, f->holds[plane].step);
	if (f->layout->member)
		flash_rebuild_parked(f, plane);
	mover_copy(f, m, plane, task);
}

static void mover_read_done(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_mover *m = flash_mover(f, op->plane, op->task);
	u32 i;

	f->tasks[op->task]->moved(f, SSDQOS_NAND_READ, op->nr_units);
	m->reads--;
	for (i = 0; i < op->nr_units && !m->no_space; i++) {
		if (f->p2l[op->src[i]] == SSDQOS_NIL)
			continue;	/* overwritten meanwhile */
		m->fill[m->nr_fill++] = op->src[i];
		if (m->nr_fill == f->geo.units_per_page)
			mover_program(f, m, op->plane, op->task);
	}
	mover_copy(f, m, op->plane, op->task);
}

static void mover_program_done(struct ssdqos_flash *f, struct flash_op *op)
{
	struct flash_mover *m = flash_mover(f, op->plane, op->task);
	u32 i, nr = 0;

	m->programs--;
	for (i = 0; i < op->nr_units; i++) {
		u32 lpn = f->p2l[op->src[i]];

		if (lpn == SSDQOS_NIL)
			continue;
		nr++;
		if (unlikely(f->l2p[lpn] != op->src[i])) {	/* a dirty stripe keeps it */
			flash_dirty_move(f, op->src[i], op->psn + i);
			continue;
		}
		flash_map_move(f, op->src[i], op->psn + i);
		flash_mapcache_update(f, lpn);
	}
	f->tasks[op->task]->moved(f, op->kind, nr);
	if (nr && op->kind == SSDQOS_NAND_COPYBACK)
		flash_verify_copied(f, op->psn);
	flash_page_done(f, op->psn);
	mover_copy(f, m, op->plane, op->task);
}

/* The block is a free one: its task goes on, or rests. */
static void mover_erase_done(struct ssdqos_flash *f, struct flash_op *op)
{
	u32 block = flash_block_of(f, op->psn), task;

	flash_verify_erased(f, block);
	flash_block_erased(f, block);
	mover_release(f, op->plane);
	for (task = 0; task < SSDQOS_NR_TASKS; task++)
		if (task != op->task && f->tasks[task]->block_erased)
			f->tasks[task]->block_erased(f, op->plane);
	f->tasks[op->task]->next(f, op->plane);
}

/* Of any task that empties blocks. */
void flash_mover_op_done(struct ssdqos_flash *f, struct flash_op *op)
{
	switch (op->kind) {
	case SSDQOS_NAND_READ:
		mover_read_done(f, op);
		break;
	case SSDQOS_NAND_ERASE:
		mover_erase_done(f, op);
		break;
	default:
		mover_program_done(f, op);
	}
}
