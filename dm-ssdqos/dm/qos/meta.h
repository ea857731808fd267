/* SPDX-License-Identifier: GPL-2.0 */
/*
 * meta.h - a device on which a drive's life survives power cuts
 */
#ifndef SSDQOS_QOS_META_H
#define SSDQOS_QOS_META_H

#include <linux/types.h>

struct qos_drive;
struct qos_meta;

/* A device is given up, or done without, when it doesn't answer for so long. */
#define QOS_META_WAIT_S 5

/**
 * struct qos_meta_use - what a table wants of a metadata device
 * @dev: the device
 * @data: where the table's data are
 * @writable: the table is
 * @accept: a life on it may be that of another drive
 */
struct qos_meta_use {
	dev_t dev;
	dev_t data;
	bool writable;
	bool accept;
};

int qos_meta_init(void);
void qos_meta_exit(void);
int qos_meta_get(struct qos_drive *d, const struct qos_meta_use *use,
		 char *err);
bool qos_meta_leave(struct qos_meta *m);
void qos_meta_put(struct qos_drive *d);
void qos_meta_begin(struct qos_meta *m, struct qos_drive *d);
void qos_meta_renew(struct qos_meta *m);
void qos_meta_kick(struct qos_meta *m, struct qos_drive *d);
void qos_meta_save(struct qos_drive *d);

#endif /* SSDQOS_QOS_META_H */
