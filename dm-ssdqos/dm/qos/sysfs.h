/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs.h - /sys/block/dm-N/ssdqos/ of a stream
 */
#ifndef SSDQOS_QOS_SYSFS_H
#define SSDQOS_QOS_SYSFS_H

struct qos_stream;

void ssdqos_qos_sysfs_init(void);
void qos_sysfs_add(struct qos_stream *st);
void qos_sysfs_remove(struct qos_stream *st);

#endif /* SSDQOS_QOS_SYSFS_H */
