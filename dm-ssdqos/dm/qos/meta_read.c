// SPDX-License-Identifier: GPL-2.0
/*
 * meta_read.c - may a device keep a drive's life, and what is on it?
 *
 * Nothing is taken over from somebody else: what lies at its begin, or at its
 * end, and is no life, is named and refused.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/mm.h>

#include "label.h"
#include "meta_device.h"

/* A state is written into blocks of this size. */
#define META_BLOCK_BYTES 4096

/**
 * qos_meta_io - read or write whole blocks
 * @m: the device
 * @opf: how
 * @at_bytes: where
 * @data: what
 * @bytes: how much of it
 *
 * Needs no memory that others may wait for.
 *
 * Context: the device's work; sleeps for as long as the device takes.
 * Return: 0 or a negative error.
 */
int qos_meta_io(struct qos_meta *m, blk_opf_t opf, u64 at_bytes, void *data,
		u32 bytes)
{
	struct bio_vec vec;
	struct bio bio;
	int r;

	bio_init(&bio, m->bdev, &vec, 1, opf);
	bio.bi_iter.bi_sector = at_bytes >> SECTOR_SHIFT;
	__bio_add_page(&bio, virt_to_page(data), bytes, offset_in_page(data));
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

/* Why it can't be used; NULL if it can. */
static const char *meta_fault(const struct qos_meta *m)
{
	if (bdev_nr_bytes(m->bdev) < SSDQOS_READY_DISK_BYTES)
		return "is too small: it takes 72 KiB";
	if (m->writable && bdev_read_only(m->bdev))
		return "can't be written";
	if (bdev_logical_block_size(m->bdev) > META_BLOCK_BYTES)
		return "has blocks of more than 4 KiB";
	return NULL;
}

static int meta_open(struct qos_meta *m)
{
	const char *fault;

	m->handle = ssdqos_bdev_claim(m->dev, m->writable, m);
	if (IS_ERR(m->handle)) {
		int r = PTR_ERR(m->handle);

		m->handle = NULL;
		scnprintf(m->err, QOS_ERR_BYTES, r == -EBUSY ?
			  "drive_meta: '%s', or its disk, is mounted or in use (%d)" :
			  "drive_meta: '%s' can't be opened (%d)", m->name, r);
		return r;
	}
	m->bdev = ssdqos_bdev_of(m->handle);
	fault = meta_fault(m);
	if (!fault)
		return 0;
	scnprintf(m->err, QOS_ERR_BYTES, "drive_meta: '%s' %s", m->name, fault);
	return -EINVAL;
}

static int meta_refuse_label(struct qos_meta *m, const char *label)
{
	scnprintf(m->err, QOS_ERR_BYTES,
		  "drive_meta: '%s' has %s on it; if nobody needs that, clear it first (wipefs -a, then zero its first %u bytes)",
		  m->name, label, SSDQOS_READY_DISK_BYTES);
	return -EINVAL;
}

static int meta_read_error(struct qos_meta *m, int r)
{
	scnprintf(m->err, QOS_ERR_BYTES,
		  "drive_meta: '%s' can't be read (%d)", m->name, r);
	return r;
}

/* What lies at its end does so even if a life is at its begin. */
static int meta_read_end(struct qos_meta *m)
{
	u64 size = bdev_nr_bytes(m->bdev);
	u32 bytes = min_t(u64, size, QOS_LABEL_TAIL_BYTES);
	void *tail = alloc_pages_exact(QOS_LABEL_TAIL_BYTES, GFP_NOIO);
	const char *label = NULL;
	int r;

	if (!tail) {
		scnprintf(m->err, QOS_ERR_BYTES,
			  "drive_meta: no memory to look at the end of '%s'",
			  m->name);
		return -ENOMEM;
	}
	r = qos_meta_io(m, REQ_OP_READ | REQ_META, size - bytes, tail, bytes);
	if (!r)
		label = qos_label_at_end(tail, bytes, size);
	free_pages_exact(tail, QOS_LABEL_TAIL_BYTES);
	if (r)
		return meta_read_error(m, r);
	return label ? meta_refuse_label(m, label) : 0;
}

static int meta_read_begin(struct qos_meta *m)
{
	struct ssdqos_ready_disk *disk = &m->disk;
	const char *label;
	int r = qos_meta_io(m, REQ_OP_READ | REQ_META, 0, disk->image,
			SSDQOS_READY_DISK_BYTES);

	if (r)
		return meta_read_error(m, r);
	r = ssdqos_ready_disk_find(disk);
	if (!r)
		return 0;
	if (r == -EOVERFLOW) {
		scnprintf(m->err, QOS_ERR_BYTES,
			  "drive_meta: the life on '%s' was saved by a later version, and is left alone",
			  m->name);
		return r;
	}
	label = qos_label_at_begin(disk->image, SSDQOS_READY_DISK_BYTES);
	return meta_refuse_label(m, label ? label : "something else");
}

/**
 * qos_meta_read - open it, and read what lies on it
 * @m: the device; it gets @read_error, and why in @err
 *
 * Context: the device's work; sleeps for as long as the device takes.
 */
void qos_meta_read(struct qos_meta *m)
{
	int r = meta_open(m);

	if (!r)
		r = meta_read_begin(m);
	if (!r)
		r = meta_read_end(m);
	m->read_error = r;
	/* pairs with the acquire of whoever waits */
	smp_store_release(&m->is_read, true);
}
