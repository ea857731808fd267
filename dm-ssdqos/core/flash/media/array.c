// SPDX-License-Identifier: GPL-2.0
/*
 * array.c - the arrays of planes: each for itself, or one chip at a time
 *
 * With array_scope chip, the arrays of a chip's planes are one server: a plane's
 * operation waits until those of the other planes have ended, first come, first
 * served.  Operations of one kind on the same page of their blocks may begin
 * together, as multi-plane commands do (ONFI: same page address, other plane
 * address); for that they have to be there when the array becomes free, or before
 * it has begun.
 */
#include "media.h"

/* The page of its block that an operation is about. */
static u32 array_page(const struct ssdqos_flash *f, const struct flash_op *op)
{
	return flash_page_of(f, op->psn);
}

/* Can the array of a chip, which begins then, work on this, too? */
static bool array_may_join(const struct ssdqos_flash *f,
			   const struct flash_chip *chip,
			   const struct flash_op *op)
{
	u64 start_ns = chip->array_use.start_ns;

	/* a copyback has two addresses, which hardly ever both fit */
	return op->kind == chip->array_kind && op->kind != SSDQOS_NAND_COPYBACK &&
	       f->now_ns <= start_ns && op->ready_ns <= start_ns &&
	       array_page(f, op) == chip->array_page;
}

static void array_chip_join(struct ssdqos_flash *f, struct flash_chip *chip,
			    struct flash_op *op)
{
	chip->nr_array++;
	f->stats.multi_plane_ops++;
	flash_array_run(f, op, chip->array_use.start_ns);
}

static void array_chip_start(struct ssdqos_flash *f, struct flash_chip *chip,
			     struct flash_op *op)
{
	chip->array_kind = op->kind;
	chip->array_task = op->task;
	chip->array_page = array_page(f, op);
	chip->array_use.start_ns = flash_start_ns(f, op);
	chip->nr_array = 1;
	flash_array_run(f, op, chip->array_use.start_ns);
}

/* The array of a plane takes an operation when its chip can. */
void flash_array_share(struct ssdqos_flash *f, struct flash_plane *p,
		       struct flash_op *op)
{
	struct flash_chip *chip = &f->chips[p->chip];

	if (!chip->nr_array) {
		array_chip_start(f, chip, op);
	} else if (array_may_join(f, chip, op)) {
		array_chip_join(f, chip, op);
	} else {
		if (op->trip)
			flash_trip_wait(op->trip, &chip->array_use,
					chip->array_task, f->now_ns);
		flash_ops_push(f, &chip->array_wait, op);
		p->use.start_ns = SSDQOS_NEVER_NS;	/* not used yet */
	}
}

/* An operation need not wait for the chip's array any more. */
static void array_chip_waited(struct ssdqos_flash *f, struct flash_chip *chip,
			      struct flash_op *op)
{
	if (op->trip)
		flash_trip_waited(op->trip, &chip->array_use, SSDQOS_NR_TASKS,
				  f->now_ns);
}

/* The array of a chip is free: the operation that has waited longest, and those
 * that can begin with it.
 */
static void array_chip_next(struct ssdqos_flash *f, struct flash_chip *chip)
{
	struct flash_list rest = chip->array_wait;

	if (flash_list_empty(&rest))
		return;
	flash_list_init(&chip->array_wait);
	while (!flash_list_empty(&rest)) {
		struct flash_op *op = flash_ops_pop(f, &rest);

		if (chip->nr_array && !array_may_join(f, chip, op)) {
			flash_ops_push(f, &chip->array_wait, op);
			continue;
		}
		array_chip_waited(f, chip, op);
		if (chip->nr_array)
			array_chip_join(f, chip, op);
		else
			array_chip_start(f, chip, op);
	}
}

/* A plane's part of what the chip's array does has ended. */
void flash_array_done(struct ssdqos_flash *f, struct flash_chip *chip)
{
	if (!flash_chip_bound(f) || --chip->nr_array)
		return;
	chip->array_use.busy_ns[chip->array_task] +=
		f->now_ns - chip->array_use.start_ns;
	array_chip_next(f, chip);
}
