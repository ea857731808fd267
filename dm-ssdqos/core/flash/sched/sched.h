/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sched.h - whose operation a chip gets
 *
 *	sched.c		which task's operation a chip gets next
 *	share.c		which share of the drive a task has
 *	press.c		which tasks can't wait
 */
#ifndef SSDQOS_FLASH_SCHED_H
#define SSDQOS_FLASH_SCHED_H

#include "../space/space.h"

/* Those of a chip's tasks that wait for it and may go. */
static inline u32 flash_tasks_ready(const struct ssdqos_flash *f,
				    const struct flash_chip *chip)
{
	return chip->tasks & f->open_tasks;
}

/* ---- share.c ---- */
void flash_share_tune(struct ssdqos_flash *f);
void flash_share_wake(struct ssdqos_flash *f);
void flash_share_event(struct ssdqos_flash *f);

/* ---- press.c ---- */
bool flash_task_presses(const struct ssdqos_flash *f, u32 task);
bool flash_op_presses(const struct ssdqos_flash *f,
		      const struct flash_chip *chip, u32 task);

/* ---- sched.c ---- */
void flash_sched_opened(struct ssdqos_flash *f);
void flash_sched_quiet_event(struct ssdqos_flash *f);
void flash_sched_goes(struct ssdqos_flash *f, const struct flash_op *op);

#endif /* SSDQOS_FLASH_SCHED_H */
