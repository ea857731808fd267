/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bio_keep.h - bios that are kept when the device below has done them
 */
#ifndef SSDQOS_BIO_KEEP_H
#define SSDQOS_BIO_KEEP_H

#include <linux/bio.h>

/**
 * ssdqos_bio_keep - a bio will end a second time, later
 * @bio: its bio_endio() has come to our end_io for the first time
 *
 * What its end does below has been done.  The second bio_endio() must not look
 * at the queue below for that: the bio has no reference to it any more, and it
 * may be taken down meanwhile.
 *
 * If it was split below, nothing is left of the count of its parts; should it be
 * sent again, and be split again, that count begins with the bio itself.
 */
static inline void ssdqos_bio_keep(struct bio *bio)
{
	bio_clear_flag(bio, BIO_QOS_THROTTLED);
	bio_clear_flag(bio, BIO_QOS_MERGED);
	atomic_set(&bio->__bi_remaining, 1);
}

#endif /* SSDQOS_BIO_KEEP_H */
