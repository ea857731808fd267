/* SPDX-License-Identifier: GPL-2.0 */
/*
 * target.h - the device-mapper target "ssdqos-flash"
 */
#ifndef SSDQOS_FLASH_TARGET_H
#define SSDQOS_FLASH_TARGET_H

struct target_type;

extern struct target_type ssdqos_flash_target;

#endif /* SSDQOS_FLASH_TARGET_H */
