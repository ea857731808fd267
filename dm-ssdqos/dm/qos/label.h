/* SPDX-License-Identifier: GPL-2.0 */
/*
 * label.h - what else a device may have on it
 */
#ifndef SSDQOS_QOS_LABEL_H
#define SSDQOS_QOS_LABEL_H

#include <linux/types.h>

/* So much at the end of a device has all labels that lie there. */
#define QOS_LABEL_TAIL_BYTES (128u * 1024)

const char *qos_label_at_begin(const u8 *head, u32 bytes);
const char *qos_label_at_end(const u8 *tail, u32 bytes, u64 size);

#endif /* SSDQOS_QOS_LABEL_H */
