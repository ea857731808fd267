// SPDX-License-Identifier: GPL-2.0
/*
 * disk.c - how a drive's life lies on a device; see disk.h
 */
#include "disk.h"
#include "internal.h"

/* A header that may be there, or may not, goes with nobody knows what. */
#define DISK_UNKNOWN (SSDQOS_READY_NO_HISTORY - 1)
/* A place that no ring goes on at. */
#define DISK_NOWHERE SSDQOS_READY_HISTORY
/* What a disk writes whole, or not at all. */
#define DISK_SECTOR_BYTES 512u
/* More than all words of a header that are in use: the rest is zeroes. */
#define DISK_HEADER_USED_BYTES 1024u

static u32 disk_header_at(u64 seq)
{
	return (u32)(seq % SSDQOS_READY_COPIES) * SSDQOS_READY_HEADER_BYTES;
}

static u32 disk_history_at(u64 seq)
{
	return SSDQOS_READY_COPIES * SSDQOS_READY_HEADER_BYTES +
		(u32)(seq % SSDQOS_READY_COPIES) * SSDQOS_READY_HISTORY_BYTES;
}

/* ---- what is on it ---- */

static bool disk_is_zero(const u8 *from, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		if (from[i])
			return false;
	return true;
}

/* Nothing but the very first header may have been torn. */
static bool disk_is_new(const struct ssdqos_ready_disk *d)
{
	struct ssdqos_ready_header h;
	const u8 *first = d->image + disk_header_at(1);
	bool begun = ssdqos_ready_read_header(first, &h) != -EINVAL;

	return disk_is_zero(d->image, disk_header_at(1)) &&
	       (begun || disk_is_zero(first, DISK_SECTOR_BYTES)) &&
	       disk_is_zero(first + DISK_HEADER_USED_BYTES,
			    SSDQOS_READY_DISK_BYTES - disk_header_at(1) -
			    DISK_HEADER_USED_BYTES);
}

static void disk_found(struct ssdqos_ready_disk *d,
		       const struct ssdqos_ready_header *h)
{
	d->needs[h->seq % SSDQOS_READY_COPIES] =
		h->version == 1 ? DISK_UNKNOWN : h->history_seq;
	if (d->found && h->seq < d->seq)
		return;
	d->found = true;
	d->seq = h->seq;
	d->header = *h;
	d->history_seq = h->history_seq;
	d->history_checksum = h->history_checksum;
}

/**
 * ssdqos_ready_disk_find - what is on a device?
 * @d: its image has been read, all else is zeroes
 *
 * Return: 0 if it is zeroes, or a life (@found), perhaps torn by a power cut;
 * -EOVERFLOW if that is of a later version, -EINVAL if it is something else.
 */
int ssdqos_ready_disk_find(struct ssdqos_ready_disk *d)
{
	struct ssdqos_ready_header h;
	u64 copy;
	int ret, later = 0;

	d->history_seq = SSDQOS_READY_NO_HISTORY;
	d->history_next = DISK_NOWHERE;
	for (copy = 0; copy < SSDQOS_READY_COPIES; copy++) {
		d->needs[copy] = SSDQOS_READY_NO_HISTORY;
		ret = ssdqos_ready_read_header(d->image + disk_header_at(copy),
					       &h);
		if (ret == -EOVERFLOW)
			later = ret;
		if (!ret && h.seq % SSDQOS_READY_COPIES == copy)
			disk_found(d, &h);
	}
	if (later)
		return later;
	return d->found || disk_is_new(d) ? 0 : -EINVAL;
}

/* The one that the header goes with, whether or not it is whole. */
static const u8 *disk_history(const struct ssdqos_ready_disk *d)
{
	const u8 *header = d->image + disk_header_at(d->seq);

	if (d->header.version == 1)
		return d->image +
			disk_history_at(ssdqos_ready_header_place_1(header));
	if (d->history_seq == SSDQOS_READY_NO_HISTORY)
		return NULL;
	return d->image + disk_history_at(d->history_seq);
}

/**
 * ssdqos_ready_disk_load - go on with the life that is on it
 * @d: the device, @found
 * @r: the drive
 * @wall_s: time of day, in seconds since 1970
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: caller serialises; nothing has been taken yet.
 * Return: as ssdqos_ready_take_over().
 */
int ssdqos_ready_disk_load(struct ssdqos_ready_disk *d, struct ssdqos_ready *r,
			   u64 wall_s, u64 now_ns, char *err, u32 err_size)
{
	return ssdqos_ready_take_over(r, d->image + disk_header_at(d->seq),
				      disk_history(d), wall_s, now_ns, err,
				      err_size);
}

/* ---- what goes there ---- */

/**
 * ssdqos_ready_disk_renew - the history on it is that of another life
 * @d: the device
 */
void ssdqos_ready_disk_renew(struct ssdqos_ready_disk *d)
{
	d->history_next = DISK_NOWHERE;
}

/* Numbers of histories begin with 1, those of headers, too. */
static u64 disk_new_history_seq(const struct ssdqos_ready_disk *d)
{
	return d->history_seq == SSDQOS_READY_NO_HISTORY ? 1 :
							   d->history_seq + 1;
}

/* Does the older header go with what the new history would replace? */
static bool disk_needs_bridge(const struct ssdqos_ready_disk *d)
{
	u64 needs = d->needs[(d->seq + 1) % SSDQOS_READY_COPIES];

	return needs != SSDQOS_READY_NO_HISTORY && needs != d->history_seq;
}

static u32 disk_steps(const struct ssdqos_ready_disk *d,
		      const struct ssdqos_ready *r)
{
	u32 steps = 1u << SSDQOS_READY_STEP_HEADER;

	if (!d->seq || r->next_history == d->history_next)
		return steps;
	steps |= 1u << SSDQOS_READY_STEP_HISTORY;
	if (disk_needs_bridge(d))
		steps |= 1u << SSDQOS_READY_STEP_BRIDGE;
	return steps;
}

/**
 * ssdqos_ready_disk_bytes - how much ssdqos_ready_disk_take() would have written
 * @d: the device
 * @r: the drive
 */
u64 ssdqos_ready_disk_bytes(const struct ssdqos_ready_disk *d,
			    const struct ssdqos_ready *r)
{
	u32 steps = disk_steps(d, r);
	u64 bytes = SSDQOS_READY_HEADER_BYTES;

	if (steps & 1u << SSDQOS_READY_STEP_BRIDGE)
		bytes += SSDQOS_READY_HEADER_BYTES;
	if (steps & 1u << SSDQOS_READY_STEP_HISTORY)
		bytes += SSDQOS_READY_HISTORY_BYTES;
	return bytes;
}

/**
 * ssdqos_ready_disk_take - take a drive's state, to be written
 * @d: the device; nothing of it is being written
 * @r: the drive
 * @wall_s: time of day, in seconds since 1970
 *
 * Context: caller serialises the drive; some ten microseconds.
 */
void ssdqos_ready_disk_take(struct ssdqos_ready_disk *d,
			    const struct ssdqos_ready *r, u64 wall_s)
{
	u64 seq = d->seq + 1, history = disk_new_history_seq(d);

	d->steps = disk_steps(d, r);
	if (d->steps & 1u << SSDQOS_READY_STEP_BRIDGE) {
		ssdqos_ready_save_header(r, seq, wall_s,
					 d->image + disk_header_at(seq));
		seq++;
	}
	if (d->steps & 1u << SSDQOS_READY_STEP_HISTORY) {
		d->new_next = r->next_history;
		ssdqos_ready_save_history(r, history, d->image +
					  disk_history_at(history));
	}
	ssdqos_ready_save_header(r, seq, wall_s,
				 d->image + disk_header_at(seq));
}

static enum ssdqos_ready_step disk_step(const struct ssdqos_ready_disk *d)
{
	return (enum ssdqos_ready_step)__ffs(d->steps);
}

static void disk_seal(struct ssdqos_ready_disk *d, u64 history, u64 checksum)
{
	u8 *header = d->image + disk_header_at(d->seq + 1);

	ssdqos_ready_name_history(header, history, checksum);
	ssdqos_ready_seal_header(header);
}

/**
 * ssdqos_ready_disk_next - what is the next write?
 * @d: the device, of which a state was taken
 * @write: filled if there is one; it has to be durable when it is done
 *
 * Context: caller serialises the device, not the drive; some hundred
 * microseconds.
 * Return: false if all is written.
 */
bool ssdqos_ready_disk_next(struct ssdqos_ready_disk *d,
			    struct ssdqos_ready_write *write)
{
	u64 history = disk_new_history_seq(d);

	if (!d->steps)
		return false;
	write->at_bytes = disk_header_at(d->seq + 1);
	write->bytes = SSDQOS_READY_HEADER_BYTES;
	switch (disk_step(d)) {
	case SSDQOS_READY_STEP_HISTORY:
		write->at_bytes = disk_history_at(history);
		write->bytes = SSDQOS_READY_HISTORY_BYTES;
		d->new_checksum = ssdqos_ready_seal_history(d->image +
							    write->at_bytes);
		break;
	case SSDQOS_READY_STEP_HEADER:
		if (d->new_checksum) {
			disk_seal(d, history, d->new_checksum);
			break;
		}
		fallthrough;
	default:
		disk_seal(d, d->history_seq, d->history_checksum);
		break;
	}
	return true;
}

/* A header is on the device: it is the newest one. */
static void disk_header_done(struct ssdqos_ready_disk *d, bool is_last)
{
	d->seq++;
	if (is_last && d->new_checksum) {
		d->history_seq = disk_new_history_seq(d);
		d->history_checksum = d->new_checksum;
		d->history_next = d->new_next;
		d->new_checksum = 0;
	}
	d->needs[d->seq % SSDQOS_READY_COPIES] = d->history_seq;
}

/**
 * ssdqos_ready_disk_done - a write is durable
 * @d: the device, of which ssdqos_ready_disk_next() had one
 */
void ssdqos_ready_disk_done(struct ssdqos_ready_disk *d)
{
	enum ssdqos_ready_step step = disk_step(d);

	d->steps &= ~(1u << step);
	if (step != SSDQOS_READY_STEP_HISTORY)
		disk_header_done(d, step == SSDQOS_READY_STEP_HEADER);
}

/**
 * ssdqos_ready_disk_failed - a write may be on the device, or not, or be torn
 * @d: the device, of which ssdqos_ready_disk_next() had one
 *
 * What was taken is given up; the next state goes to the same places.
 */
void ssdqos_ready_disk_failed(struct ssdqos_ready_disk *d)
{
	if (disk_step(d) != SSDQOS_READY_STEP_HISTORY)
		d->needs[(d->seq + 1) % SSDQOS_READY_COPIES] = DISK_UNKNOWN;
	d->steps = 0;
	d->new_checksum = 0;
}
