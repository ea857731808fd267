/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs.h - /sys/block/dm-N/ssdqos/ of a mirror
 */
#ifndef SSDQOS_IANUS_SYSFS_H
#define SSDQOS_IANUS_SYSFS_H

struct ianus;

void ssdqos_ianus_sysfs_init(void);
void ianus_sysfs_add(struct ianus *x);
void ianus_sysfs_remove(struct ianus *x);

#endif /* SSDQOS_IANUS_SYSFS_H */
