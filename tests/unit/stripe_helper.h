/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stripe_helper.h - a small drive whose write buffer goes out by stripes, for their tests
 */
#ifndef SSDQOS_TESTS_STRIPE_HELPER_H
#define SSDQOS_TESTS_STRIPE_HELPER_H

#include "../../dm-ssdqos/core/flash/life/life.h"
#include "flash_helper.h"

#define STRIPE_SIZE_MIB 64
#define STRIPE_CHANNELS 4
#define STRIPE_CHIPS 2
#define STRIPE_NR_DATA (STRIPE_CHANNELS - 1)
#define STRIPE_BUFFER_KIB 256
#define STRIPE_START_PCT 50

/* Eight chips of one plane on four channels, pages of one unit. */
struct ssdqos_flash_config stripe_config(u64 aged_pct);

/* Its data is in flash, nothing is in its buffer, and no plane is near to collecting. */
struct ssdqos_flash *stripe_filled(struct ssdqos_flash_config cfg);

/* The plane to which a unit goes. */
u32 stripe_plane(const struct ssdqos_flash *f, u32 lpn);

void stripe_write(struct ssdqos_flash *f, u32 unit, u32 nr);
void stripe_flush(struct ssdqos_flash *f);

/* As if a block of the plane were being emptied. */
void stripe_hold(struct ssdqos_flash *f, u32 plane);
void stripe_release(struct ssdqos_flash *f, u32 plane);

/* A mover is at work in a plane, for long: in the block of a unit. */
void stripe_occupy(struct ssdqos_flash *f, u32 plane, u32 lpn);
void stripe_vacate(struct ssdqos_flash *f, u32 plane);

#endif /* SSDQOS_TESTS_STRIPE_HELPER_H */
