/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disk.h - how a drive's life lies on a device, and survives power cuts
 *
 * In blocks of 4 KiB:
 *
 *	0, 1		headers, by the lowest bit of their numbers; the larger
 *			number is newer
 *	2..9, 10..17	histories, likewise
 *
 * A header names the history that it goes with.  What is written goes to the
 * place of what is older, and one write is done (durable) before the next one
 * begins, so a power cut tears one block at most.  A history is only written
 * where neither header on the device goes with what is there: if the older one
 * does, a header that goes with the other history comes first.  So, whatever
 * is torn, a header is whole, and so is its history.
 *
 * The very first header has no history, so that nobody takes a history alone
 * for a foreign disk.
 *
 * The caller serialises, and does what ssdqos_ready_disk_next() says.
 */
#ifndef SSDQOS_READY_DISK_H
#define SSDQOS_READY_DISK_H

#include "state.h"

#define SSDQOS_READY_COPIES 2
#define SSDQOS_READY_DISK_BYTES						\
	(SSDQOS_READY_COPIES * (SSDQOS_READY_HEADER_BYTES +		\
				SSDQOS_READY_HISTORY_BYTES))

/**
 * enum ssdqos_ready_step - what has to be written, in this order
 * @SSDQOS_READY_STEP_BRIDGE: a header, with the history that is there
 * @SSDQOS_READY_STEP_HISTORY: a history
 * @SSDQOS_READY_STEP_HEADER: a header, with the newest history
 * @SSDQOS_READY_NR_STEPS: how many there are
 */
enum ssdqos_ready_step {
	SSDQOS_READY_STEP_BRIDGE,
	SSDQOS_READY_STEP_HISTORY,
	SSDQOS_READY_STEP_HEADER,
	SSDQOS_READY_NR_STEPS,
};

/**
 * struct ssdqos_ready_disk - a device; fields are private, but for those with (*)
 * @image: (*) SSDQOS_READY_DISK_BYTES of the caller: read from the device, then
 *	what goes there
 * @found: (*) there is a life on it
 * @header: (*) of that
 * @seq: number of the newest header on the device
 * @needs: number of the history that the header at each place goes with
 * @history_seq: number of the newest history that a header goes with
 * @history_checksum: of that
 * @history_next: where its ring goes on
 * @new_checksum: of the one that is being written
 * @new_next: likewise
 * @steps: still to be done, a bit for each enum ssdqos_ready_step
 */
struct ssdqos_ready_disk {
	u8 *image;
	bool found;
	struct ssdqos_ready_header header;
	u64 seq;
	u64 needs[SSDQOS_READY_COPIES];
	u64 history_seq;
	u64 history_checksum;
	u32 history_next;
	u64 new_checksum;
	u32 new_next;
	u32 steps;
};

/**
 * struct ssdqos_ready_write - one write, durable before the next one
 * @at_bytes: where it goes, and where it is in the image
 * @bytes: how much
 */
struct ssdqos_ready_write {
	u32 at_bytes;
	u32 bytes;
};

int ssdqos_ready_disk_find(struct ssdqos_ready_disk *d);
int ssdqos_ready_disk_load(struct ssdqos_ready_disk *d, struct ssdqos_ready *r,
			   u64 wall_s, u64 now_ns, char *err, u32 err_size);
void ssdqos_ready_disk_renew(struct ssdqos_ready_disk *d);
void ssdqos_ready_disk_take(struct ssdqos_ready_disk *d,
			    const struct ssdqos_ready *r, u64 wall_s);
u64 ssdqos_ready_disk_bytes(const struct ssdqos_ready_disk *d,
			    const struct ssdqos_ready *r);
bool ssdqos_ready_disk_next(struct ssdqos_ready_disk *d,
			    struct ssdqos_ready_write *write);
void ssdqos_ready_disk_done(struct ssdqos_ready_disk *d);
void ssdqos_ready_disk_failed(struct ssdqos_ready_disk *d);

#endif /* SSDQOS_READY_DISK_H */
