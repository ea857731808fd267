/* SPDX-License-Identifier: GPL-2.0 */
/*
 * target.h - the target ssdqos-ianus, for dm/module.c
 */
#ifndef SSDQOS_IANUS_TARGET_H
#define SSDQOS_IANUS_TARGET_H

#include <linux/device-mapper.h>

extern struct target_type ssdqos_ianus_target;

#endif /* SSDQOS_IANUS_TARGET_H */
