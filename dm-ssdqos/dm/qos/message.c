// SPDX-License-Identifier: GPL-2.0
/*
 * message.c - messages to the target ssdqos
 *
 *	KEY VALUE
 *	set KEY VALUE [KEY VALUE]...
 *	profile none | WORD...
 *	admit KEY VALUE...
 *	wear KEY VALUE...
 *	reset_stats
 *	trim_flush
 *	trim_sync
 */
#include <linux/device-mapper.h>

#include "drive.h"
#include "print.h"
#include "target.h"

#define DM_MSG_PREFIX "ssdqos"

/* dm core takes 1 for "there is a reply". */
#define QOS_REPLIED 1

/* @argv is what follows the name of the message. */
static int qos_message_set(struct qos_stream *st, unsigned int argc,
			   char **argv, char *result, unsigned int maxlen,
			   char *err)
{
	return qos_rules_set(st, argc, argv, err);
}

static int qos_message_profile(struct qos_stream *st, unsigned int argc,
			       char **argv, char *result, unsigned int maxlen,
			       char *err)
{
	return qos_rules_profile(st, argc, argv, err);
}

static int qos_message_admit(struct qos_stream *st, unsigned int argc,
			     char **argv, char *result, unsigned int maxlen,
			     char *err)
{
	int r = qos_rules_admit(st, argc, argv, result, maxlen, err);

	return r ? r : QOS_REPLIED;
}

static int qos_message_wear(struct qos_stream *st, unsigned int argc,
			    char **argv, char *result, unsigned int maxlen,
			    char *err)
{
	return qos_ready_report(st, argc, argv, err);
}

/* Messages of one word.  Return: 0 or -EINVAL. */
static int qos_message_alone(const char *name, unsigned int argc, char **argv,
			     char *err)
{
	if (!argc)
		return 0;
	scnprintf(err, QOS_ERR_BYTES, "%s: '%s' is one word too many", name,
		  argv[0]);
	return -EINVAL;
}

static int qos_message_reset_stats(struct qos_stream *st, unsigned int argc,
				   char **argv, char *result,
				   unsigned int maxlen, char *err)
{
	int r = qos_message_alone("reset_stats", argc, argv, err);

	if (!r)
		qos_rules_reset_stats(st);
	return r;
}

static int qos_message_trim_flush(struct qos_stream *st, unsigned int argc,
				  char **argv, char *result,
				  unsigned int maxlen, char *err)
{
	int r = qos_message_alone("trim_flush", argc, argv, err);

	if (!r)
		qos_trim_flush(st->drive);
	return r;
}

static int qos_message_trim_sync(struct qos_stream *st, unsigned int argc,
				 char **argv, char *result,
				 unsigned int maxlen, char *err)
{
	int r = qos_message_alone("trim_sync", argc, argv, err);

	if (r)
		return r;
	r = qos_trim_sync(st->drive);
	if (r)
		scnprintf(err, QOS_ERR_BYTES,
			  "trim_sync: the drive has not done all of it (%d)", r);
	return r;
}

/* One row per message that is not a parameter. */
static const struct qos_message_row {
	const char *name;
	int (*run)(struct qos_stream *st, unsigned int argc, char **argv,
		   char *result, unsigned int maxlen, char *err);
} qos_messages[] = {
	{ "set", qos_message_set },
	{ "profile", qos_message_profile },
	{ "admit", qos_message_admit },
	{ "wear", qos_message_wear },
	{ "reset_stats", qos_message_reset_stats },
	{ "trim_flush", qos_message_trim_flush },
	{ "trim_sync", qos_message_trim_sync },
};

static int qos_message_run(struct qos_stream *st, unsigned int argc,
			   char **argv, char *result, unsigned int maxlen,
			   char *err)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(qos_messages); i++)
		if (!strcmp(argv[0], qos_messages[i].name))
			return qos_messages[i].run(st, argc - 1, argv + 1,
						   result, maxlen, err);
	if (argc == 2)
		return qos_rules_set(st, argc, argv, err);
	scnprintf(err, QOS_ERR_BYTES,
		  "'%s' with %u arguments is not a message; use set, profile, admit, wear, reset_stats, trim_flush, trim_sync, or a parameter and its value",
		  argv[0], argc - 1);
	return -EINVAL;
}

/**
 * qos_message - a message to a stream
 * @st: the stream
 * @argc: length of @argv
 * @argv: its words
 * @result: for a reply
 * @maxlen: size of @result
 *
 * What is refused is said in the kernel log.  Context: may sleep.
 *
 * Return: 0, 1 if there is a reply, or a negative error.
 */
int qos_message(struct qos_stream *st, unsigned int argc, char **argv,
		char *result, unsigned int maxlen)
{
	char err[QOS_ERR_BYTES];
	int r = qos_message_run(st, argc, argv, result, maxlen, err);

	if (r < 0)
		DMERR("%s", err);
	return r;
}
