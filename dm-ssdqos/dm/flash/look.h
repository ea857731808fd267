/* SPDX-License-Identifier: GPL-2.0 */
/*
 * look.h - what drives themselves need of what is counted
 */
#ifndef SSDQOS_FLASH_LOOK_H
#define SSDQOS_FLASH_LOOK_H

#include "drive.h"

void flash_look_clear_latency(struct flash_drive *d);
void flash_look_add_wear(const struct flash_drive *d, struct flash_wear *wear);

#endif /* SSDQOS_FLASH_LOOK_H */
