/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs.h - /sys/block/dm-N/ssdqos/ of an emulated drive
 */
#ifndef SSDQOS_FLASH_SYSFS_H
#define SSDQOS_FLASH_SYSFS_H

struct flash_drive;

void ssdqos_flash_sysfs_init(void);
void flash_sysfs_add(struct flash_drive *d);
void flash_sysfs_remove(struct flash_drive *d);

#endif /* SSDQOS_FLASH_SYSFS_H */
