/* SPDX-License-Identifier: GPL-2.0 */
/*
 * state.h - a life as bytes, which survive: a header with its numbers, and a history
 * of what was written; the opening comment of state.c has both
 */
#ifndef SSDQOS_READY_STATE_H
#define SSDQOS_READY_STATE_H

#include "ready.h"

#define SSDQOS_READY_HEADER_BYTES 4096u
#define SSDQOS_READY_HISTORY_BYTES 32768u

/* A header names none. */
#define SSDQOS_READY_NO_HISTORY (~0ULL)

/**
 * struct ssdqos_ready_header - what a header says of itself
 * @version: of its format
 * @seq: its number
 * @wall_s: time of day when it was saved
 * @identity: of its drive
 * @history_seq: number of the history that it goes with
 * @history_checksum: of that
 * @nr_fields: how many numbers it has
 */
struct ssdqos_ready_header {
	u64 version;
	u64 seq;
	u64 wall_s;
	struct ssdqos_ready_identity identity;
	u64 history_seq;
	u64 history_checksum;
	u64 nr_fields;
};

void ssdqos_ready_save_header(const struct ssdqos_ready *r, u64 seq, u64 wall_s,
			      u8 *header);
void ssdqos_ready_name_history(u8 *header, u64 seq, u64 checksum);
void ssdqos_ready_seal_header(u8 *header);
void ssdqos_ready_save_history(const struct ssdqos_ready *r, u64 seq,
			       u8 *history);
u64 ssdqos_ready_seal_history(u8 *history);
int ssdqos_ready_read_header(const u8 *header, struct ssdqos_ready_header *h);
u64 ssdqos_ready_header_place_1(const u8 *header);
bool ssdqos_ready_is_other(const struct ssdqos_ready *r,
			   const struct ssdqos_ready_identity *identity);
int ssdqos_ready_check_state(const struct ssdqos_ready *r, const u8 *header,
			     bool accept, struct ssdqos_ready_header *h,
			     char *err, u32 err_size);
int ssdqos_ready_load(struct ssdqos_ready *r, const u8 *header,
		      const u8 *history, u64 wall_s, u64 now_ns, char *err,
		      u32 err_size);
int ssdqos_ready_take_over(struct ssdqos_ready *r, const u8 *header,
			   const u8 *history, u64 wall_s, u64 now_ns, char *err,
			   u32 err_size);

#endif /* SSDQOS_READY_STATE_H */
