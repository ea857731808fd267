/* SPDX-License-Identifier: GPL-2.0 */
/*
 * print.h - a stream's parameters, counters and latencies as text
 */
#ifndef SSDQOS_QOS_PRINT_H
#define SSDQOS_QOS_PRINT_H

struct qos_drive;
struct qos_stream;
struct ssdqos_edf_answer;
struct ssdqos_qos_config;

int qos_print_args(const struct qos_drive *d, const char *meta,
		   struct ssdqos_qos_config *cfg, char *buf, unsigned int size);
int qos_print_status(struct qos_stream *st, char *buf, unsigned int size);
int qos_print_latency(struct qos_stream *st, char *buf, unsigned int size);
int qos_answer_print(const struct qos_drive *d,
		     const struct ssdqos_edf_answer *a, char *buf,
		     unsigned int size);

#endif /* SSDQOS_QOS_PRINT_H */
