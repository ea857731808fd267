// SPDX-License-Identifier: GPL-2.0
/*
 * stripe_helper.c - a small drive whose write buffer goes out by stripes, for their tests
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stripe_helper.h"

/* Stripes that are written at first. */
#define FILLED_STRIPES 64

struct ssdqos_flash_config stripe_config(u64 aged_pct)
{
	struct ssdqos_flash_config cfg = helper_config(SSDQOS_FLASH_AUTOSSD);

	cfg.channels = STRIPE_CHANNELS;
	cfg.chips_per_channel = STRIPE_CHIPS;
	cfg.planes_per_chip = 1;
	cfg.pages_per_block = 16;
	cfg.page_kib = 4;
	cfg.buffer_kib = STRIPE_BUFFER_KIB;
	cfg.flush_start_pct = STRIPE_START_PCT;
	cfg.gc_blocking = SSDQOS_FLASH_GC_BLOCKS_PLANE;
	cfg.allocation = SSDQOS_FLASH_STATIC;
	cfg.rain = 1;
	cfg.rain_flush = SSDQOS_FLASH_FLUSH_STRIPES;
	cfg.aged_pct = aged_pct;
	return cfg;
}

struct ssdqos_flash *stripe_filled(struct ssdqos_flash_config cfg)
{
	struct ssdqos_flash *f;
	u32 i;

	cfg.op_permille = 800;
	cfg.cache = SSDQOS_FLASH_CACHE_VOLATILE;
	f = helper_create(&cfg, STRIPE_SIZE_MIB);
	for (i = 0; i < FILLED_STRIPES; i++)
		stripe_write(f, i * STRIPE_NR_DATA, STRIPE_NR_DATA);
	stripe_flush(f);
	assert_int_equal(f->buffer.nr_used, 0);
	ssdqos_flash_reset_stats(f);
	return f;
}

u32 stripe_plane(const struct ssdqos_flash *f, u32 lpn)
{
	return f->layout->list_of(f, lpn);
}

void stripe_write(struct ssdqos_flash *f, u32 unit, u32 nr)
{
	helper_do(f, SSDQOS_FLASH_WRITE, unit, nr);
}

void stripe_flush(struct ssdqos_flash *f)
{
	helper_do(f, SSDQOS_FLASH_FLUSH, 0, 0);
	helper_settle(f);
	helper_check(f);
}

void stripe_hold(struct ssdqos_flash *f, u32 plane)
{
	flash_hold(f, plane);
	flash_buffer_held_changed(f, plane, f->holds[plane].step);
}

void stripe_release(struct ssdqos_flash *f, u32 plane)
{
	u32 step = f->holds[plane].step;

	flash_hold_release(f, plane);
	flash_buffer_held_changed(f, plane, step);
	flash_buffer_pump(f);
}

void stripe_occupy(struct ssdqos_flash *f, u32 plane, u32 lpn)
{
	stripe_hold(f, plane);
	f->planes[plane].mover[0].state = FLASH_MOVER_COPYING;
	f->planes[plane].mover[0].victim = flash_block_of(f, f->l2p[lpn]);
}

void stripe_vacate(struct ssdqos_flash *f, u32 plane)
{
	f->planes[plane].mover[0].state = FLASH_MOVER_OFF;
	stripe_release(f, plane);
	helper_settle(f);
}
