/* SPDX-License-Identifier: GPL-2.0 */
/*
 * target.h - the device-mapper target "ssdqos"
 */
#ifndef SSDQOS_QOS_TARGET_H
#define SSDQOS_QOS_TARGET_H

struct qos_stream;
struct target_type;

extern struct target_type ssdqos_qos_target;

/* message.c */
int qos_message(struct qos_stream *st, unsigned int argc, char **argv,
		char *result, unsigned int maxlen);

#endif /* SSDQOS_QOS_TARGET_H */
