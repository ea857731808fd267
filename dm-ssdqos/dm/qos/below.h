/* SPDX-License-Identifier: GPL-2.0 */
/*
 * below.h - which devices lie below a device, at any depth
 */
#ifndef SSDQOS_QOS_BELOW_H
#define SSDQOS_QOS_BELOW_H

#include <linux/types.h>

/* Is it the one that is looked for?  @arg is that of qos_below_find(). */
typedef bool (*qos_below_fn)(dev_t dev, void *arg);

int qos_below_find(dev_t top, qos_below_fn is, void *arg);

#endif /* SSDQOS_QOS_BELOW_H */
