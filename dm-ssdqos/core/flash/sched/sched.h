/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sched.h - whose operation a chip gets
 *
 *	sched.c		which task's operation a chip gets next
 *	task.c		tasks by name, and the parameters of their shares
 *	share.c		which share of the drive a task has
 *	press.c		which tasks can't wait
 *	chip.c		the queues of the chips
 *	hold.c		what the host can't use while a block is emptied
 */
#ifndef SSDQOS_FLASH_SCHED_H
#define SSDQOS_FLASH_SCHED_H

#include "../space/space.h"
#include "../../engine/bits.h"

/* Those of a chip's tasks that wait for it and may go. */
static inline u32 flash_tasks_ready(const struct ssdqos_flash *f,
				    const struct flash_chip *chip)
{
	u32 ready = chip->tasks & f->open_tasks;

	if (unlikely(f->yielding_tasks) && ready & FLASH_HOST_TASKS)
		ready &= ~f->yielding_tasks;
	return ready;
}

/* Is nothing to be begun for the host in a plane? */
static inline bool flash_plane_held(const struct ssdqos_flash *f, u32 plane)
{
	return unlikely(f->nr_held) && f->holds[plane].held;
}

/* Is what the task does internal work, for the drive's own sake? */
static inline bool flash_task_is_internal(u32 task)
{
	return !(FLASH_HOST_TASKS >> task & 1);
}

/* Those of @tasks that are within their shares, and held by nothing. */
static inline u32 flash_tasks_free(const struct ssdqos_flash *f, u32 tasks)
{
	return tasks & f->within_tasks & ~f->resting_tasks;
}

/* Can the controller move the share of a task? */
static inline bool flash_share_may_move(u32 task)
{
	return FLASH_FEEDBACK_TASKS >> task & 1;
}

/* How much more it is than it should be, at which a share begins to grow. */
static inline u32 flash_share_above(u64 value, u64 target)
{
	return value > target ? (u32)(value - target) : 0;
}

/* ---- share.c ---- */
void flash_share_tune(struct ssdqos_flash *f);
void flash_share_count(struct ssdqos_flash *f);
void flash_share_begin(struct ssdqos_flash *f);
void flash_share_rest(struct ssdqos_flash *f);
void flash_share_step(struct ssdqos_flash *f);
void flash_share_go_on(struct ssdqos_flash *f);
bool flash_share_is_least(const struct ssdqos_flash *f, u32 task);

/* A task has got work. */
static inline void flash_share_wake(struct ssdqos_flash *f, u32 task)
{
	if (f->share_feedback && flash_share_may_move(task))
		flash_share_begin(f);
}

/* ---- press.c ---- */
void flash_press_init(struct ssdqos_flash *f);
u32 flash_tasks_pressing(const struct ssdqos_flash *f, u32 tasks);
u32 flash_chip_pressing(const struct ssdqos_flash *f,
			const struct flash_chip *chip, u32 tasks);

/* ---- sched.c ---- */
void flash_sched_opened(struct ssdqos_flash *f);
void flash_sched_limited_goes(struct ssdqos_flash *f, const struct flash_op *op);

/* An operation goes to its chip. */
static inline void flash_sched_goes(struct ssdqos_flash *f,
				    const struct flash_op *op)
{
	if (f->sched->within)
		flash_sched_limited_goes(f, op);
}

/* ---- chip.c ---- */
void flash_chips_init(struct ssdqos_flash *f);
void flash_chip_queue(struct ssdqos_flash *f, struct flash_op *op);
bool flash_plane_internal(const struct ssdqos_flash *f, u32 plane);
void flash_chip_next(struct ssdqos_flash *f, u32 chip, struct flash_op *op);
void flash_chip_kick(struct ssdqos_flash *f, u32 task);
void flash_chip_park(struct ssdqos_flash *f, u32 plane, u32 task);
void flash_chip_unpark(struct ssdqos_flash *f, struct flash_op *op);
void flash_chip_kick_all(struct ssdqos_flash *f);
void flash_chip_quiet_event(struct ssdqos_flash *f);

/* What a read that could be rebuilt elsewhere need not wait for. */
static inline void flash_count_internal(struct ssdqos_flash *f,
					struct flash_plane *p, u32 by)
{
	p->nr_internal += (u16)by;
	f->chips[p->chip].nr_internal += by;
}

/* An operation has ended: the chip has room for another one. */
static inline void flash_chip_release(struct ssdqos_flash *f,
				      struct flash_plane *p,
				      const struct flash_op *op)
{
	if (f->chips[p->chip].issued-- == f->chip_queue_depth)
		flash_bits_assign(f->chips_room, p->chip, true);
	if (flash_task_is_internal(op->task))
		flash_count_internal(f, p, -1u);
}

/* ---- hold.c ---- */
int flash_holds_create(struct ssdqos_flash *f);
void flash_holds_destroy(struct ssdqos_flash *f);
void flash_hold(struct ssdqos_flash *f, u32 plane);
void flash_hold_release(struct ssdqos_flash *f, u32 plane);

#endif /* SSDQOS_FLASH_SCHED_H */
