// SPDX-License-Identifier: GPL-2.0
/*
 * answer.c - what is said to who asks whether a guarantee would be accepted
 */
#include <linux/kernel.h>

#include "drive.h"
#include "print.h"

/**
 * qos_answer_print - reply to message "admit"
 * @d: the drive; its streams stay
 * @a: the answer
 * @buf: gets "key=value ...", in the end "largest=MAJOR:MINOR+SECTOR", which is
 *	the stream with the largest guarantee, or "none"
 * @size: its size
 *
 * Return: number of characters.
 */
int qos_answer_print(const struct qos_drive *d,
		     const struct ssdqos_edf_answer *a, char *buf,
		     unsigned int size)
{
	int len = ssdqos_edf_answer_format(a, buf, size);
	const struct qos_stream *st;

	if (!a->largest)
		return len + scnprintf(buf + len, size - len, " largest=none");
	st = container_of(ssdqos_apart_stream_of(&d->edf, a->largest),
			  struct qos_stream, edf);
	return len + scnprintf(buf + len, size - len, " largest=%u:%u+%llu",
			       MAJOR(st->dev), MINOR(st->dev), st->begin);
}
