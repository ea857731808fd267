/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drive.h - the drive on top of its floors
 *
 *	flash.c		make it, change its parameters
 *	event.c		run its clock, settle what an event has changed
 *	observe.c	look at it
 *	config.c	parameters and presets
 */
#ifndef SSDQOS_FLASH_DRIVE_H
#define SSDQOS_FLASH_DRIVE_H

#include "life/life.h"

void flash_settle_marks(struct ssdqos_flash *f);

/* Most events mark nothing. */
static inline void flash_settle(struct ssdqos_flash *f)
{
	if (unlikely(f->marks.any))
		flash_settle_marks(f);
}

#endif /* SSDQOS_FLASH_DRIVE_H */
