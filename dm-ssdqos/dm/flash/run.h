/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h - run the flash model on the kernel's clock
 */
#ifndef SSDQOS_FLASH_RUN_H
#define SSDQOS_FLASH_RUN_H

#include "drive.h"

unsigned long flash_run_begin(struct flash_drive *d) __acquires(&d->lock);
void flash_run_end(struct flash_drive *d, unsigned long flags)
	__releases(&d->lock);

int flash_run_hold(struct flash_drive *d, char *err);
void flash_run_release(struct flash_drive *d);

void flash_run_init(struct flash_drive *d);
void flash_run_stop(struct flash_drive *d);

#endif /* SSDQOS_FLASH_RUN_H */
