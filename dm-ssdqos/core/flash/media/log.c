// SPDX-License-Identifier: GPL-2.0
/*
 * log.c - the ring of records, see log.h
 */
#include "media.h"

const char *const ssdqos_flash_event_names[SSDQOS_FLASH_NR_EVENTS] = {
#define K(name, text) [SSDQOS_FLASH_EV_##name] = text,
	SSDQOS_FLASH_EVENTS(K)
#undef K
};

void flash_log_write(struct ssdqos_flash *f,
		     const struct ssdqos_flash_record *rec)
{
	struct flash_log *log = &f->log;

	if (WARN_ON_ONCE(log->nr == log->size))
		return;
	log->ring[(log->head + log->nr++) & (log->size - 1)] = *rec;
}

/* What has become of an operation, if somebody wants to know. */
void flash_log_op(struct ssdqos_flash *f, enum ssdqos_flash_event event,
		  const struct flash_op *op)
{
	struct ssdqos_flash_record rec = {
		.time_ns = f->now_ns,
		.event = (u8)event,
		.task = op->task,
		.op = op->kind,
		.units = op->nr_units,
		.plane = op->plane,
		.block = flash_block_of(f, op->psn),
		.page = flash_page_of(f, op->psn),
	};

	flash_log_write(f, &rec);
}

/**
 * ssdqos_flash_log_enable - choose what is recorded
 * @f: the drive
 * @event_mask: one bit for each enum ssdqos_flash_event; 0 is off
 */
void ssdqos_flash_log_enable(struct ssdqos_flash *f, u32 event_mask)
{
	f->log.mask = event_mask;
}

/**
 * ssdqos_flash_log_take - take records
 * @f: the drive
 * @out: gets them, oldest first
 * @max: how many fit
 *
 * Return: how many were taken.
 */
u32 ssdqos_flash_log_take(struct ssdqos_flash *f,
			  struct ssdqos_flash_record *out, u32 max)
{
	struct flash_log *log = &f->log;
	u32 nr = 0;

	while (log->nr && nr < max) {
		out[nr++] = log->ring[log->head];
		log->head = (log->head + 1) & (log->size - 1);
		log->nr--;
	}
	return nr;
}
