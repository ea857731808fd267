/* SPDX-License-Identifier: GPL-2.0 */
/*
 * print.h - a drive's parameters, counters and latencies as text
 */
#ifndef SSDQOS_FLASH_PRINT_H
#define SSDQOS_FLASH_PRINT_H

#include <linux/types.h>

struct flash_drive;
struct ssdqos_flash_config;

int flash_print_args(struct ssdqos_flash_config *cfg, char *buf,
		     unsigned int size);
int flash_print_status(struct flash_drive *d, char *buf, unsigned int size);
int flash_print_latency(struct flash_drive *d, char *buf, unsigned int size);
int flash_print_geometry(struct flash_drive *d, char *buf, unsigned int size);
int flash_print_share(u32 share_ppm, char *buf, unsigned int size);
int flash_print_waits(struct flash_drive *d, char *buf, unsigned int size);

#endif /* SSDQOS_FLASH_PRINT_H */
