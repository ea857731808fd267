// SPDX-License-Identifier: GPL-2.0
/*
 * label.c - what else a device may have on it: file systems and their like
 *
 * Only so that nobody's data are written over by a wrong name in a table; who
 * wants the device for a drive's life clears it first (wipefs).  What lies at
 * the begin is also found by not being zeroes, and gets a name here; what lies
 * at the end would not be found otherwise.
 */
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/string.h>

#include "label.h"

/**
 * struct label_row - one of them
 * @what: for people
 * @at: where its magic is: from the begin, or back from the end
 * @align: of the end
 * @bytes: length of @magic
 * @magic: what is there
 */
struct label_row {
	const char *what;
	u32 at;
	u32 align;
	u32 bytes;
	const char *magic;
};

#define AT_BEGIN(what, at, magic) { what, at, 0, sizeof(magic) - 1, magic }
#define AT_END(what, align, at, magic) \
	{ what, at, align, sizeof(magic) - 1, magic }

#define LABEL_MD_MAGIC "\xfc\x4e\x2b\xa9"

/* The first one that fits is told. */
static const struct label_row label_begin[] = {
	AT_BEGIN("an ext2, ext3 or ext4 file system", 1080, "\x53\xef"),
	AT_BEGIN("an XFS file system", 0, "XFSB"),
	AT_BEGIN("a btrfs file system", 65600, "_BHRfS_M"),
	AT_BEGIN("an F2FS file system", 1024, "\x10\x20\xf5\xf2"),
	AT_BEGIN("a bcachefs file system", 4120, "\xc6\x85\x73\xf6\x66\xce\x90\xa9"),
	AT_BEGIN("an ISO 9660 file system", 32769, "CD001"),
	AT_BEGIN("an LVM volume", 0, "LABELONE"),
	AT_BEGIN("an LVM volume", 512, "LABELONE"),
	AT_BEGIN("an LVM volume", 1024, "LABELONE"),
	AT_BEGIN("an LVM volume", 1536, "LABELONE"),
	AT_BEGIN("a LUKS volume", 0, "LUKS\xba\xbe"),
	AT_BEGIN("a LUKS volume", 16384, "SKUL\xba\xbe"),
	AT_BEGIN("a swap area", 4086, "SWAPSPACE2"),
	AT_BEGIN("a swap area", 65526, "SWAPSPACE2"),
	AT_BEGIN("a part of a RAID (md)", 0, LABEL_MD_MAGIC),
	AT_BEGIN("a part of a RAID (md)", 4096, LABEL_MD_MAGIC),
	AT_BEGIN("a bcache device", 4120, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca"),
	AT_BEGIN("a VDO volume", 0, "dmvdo001"),
	AT_BEGIN("a partition table (GPT)", 512, "EFI PART"),
	AT_BEGIN("a partition table (GPT)", 4096, "EFI PART"),
	/* also the boot sector of FAT and NTFS */
	AT_BEGIN("a partition table or boot sector", 510, "\x55\xaa"),
};

static const struct label_row label_end[] = {
	AT_END("a partition table (GPT)", 512, 512, "EFI PART"),
	AT_END("a partition table (GPT)", 4096, 4096, "EFI PART"),
	AT_END("a part of a RAID (md)", 65536, 65536, LABEL_MD_MAGIC),
	AT_END("a part of a RAID (md)", 4096, 8192, LABEL_MD_MAGIC),
	AT_END("a part of a RAID (Intel)", 512, 1024, "Intel Raid ISM Cfg Sig. "),
	AT_END("a part of a RAID (DDF)", 512, 512, "\xde\x11\xde\x11"),
};

/**
 * qos_label_at_begin - a name for what a device begins with
 * @head: that
 * @bytes: how much
 *
 * Return: what it is, or NULL.
 */
const char *qos_label_at_begin(const u8 *head, u32 bytes)
{
	const struct label_row *l;

	for (l = label_begin; l < label_begin + ARRAY_SIZE(label_begin); l++)
		if (l->at + l->bytes <= bytes &&
		    !memcmp(head + l->at, l->magic, l->bytes))
			return l->what;
	return NULL;
}

/**
 * qos_label_at_end - a name for what a device ends with
 * @tail: that
 * @bytes: how much
 * @size: of the device
 *
 * Return: what it is, or NULL.
 */
const char *qos_label_at_end(const u8 *tail, u32 bytes, u64 size)
{
	const struct label_row *l;
	u64 at;

	for (l = label_end; l < label_end + ARRAY_SIZE(label_end); l++) {
		at = round_down(size, l->align);
		if (at < l->at || at - l->at < size - bytes)
			continue;
		at -= l->at + (size - bytes);
		if (!memcmp(tail + at, l->magic, l->bytes))
			return l->what;
	}
	return NULL;
}
