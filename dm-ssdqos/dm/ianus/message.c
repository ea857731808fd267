// SPDX-License-Identifier: GPL-2.0
/*
 * message.c - messages to the target ssdqos-ianus
 *
 *	fail | join | rebuild MEMBER
 *	scrub start | stop
 *	KEY VALUE
 */
#include <linux/device-mapper.h>

#include "ianus.h"

#define DM_MSG_PREFIX "ssdqos-ianus"

static int ianus_parse_number(struct ianus *x, const char *verb,
			      const char *text, u32 *member, char *err)
{
	if (!kstrtou32(text, 10, member) && *member < x->nr &&
	    x->members[*member].dev)
		return 0;
	scnprintf(err, IANUS_ERR_BYTES,
		  "%s: '%s' is not the number of a member from 0 to %u", verb,
		  text, x->nr - 1);
	return -EINVAL;
}

static int ianus_message_fail(struct ianus *x, u32 member, char *err)
{
	if (ssdqos_mirror_is_needed(&x->mirror, member)) {
		scnprintf(err, IANUS_ERR_BYTES,
			  "fail: member %u is the last one that has all",
			  member);
		return -EBUSY;
	}
	ssdqos_mirror_fail(&x->mirror, member, ktime_get_ns());
	return 0;
}

static int ianus_join(struct ianus *x, u32 member, bool all, char *err)
{
	u8 bit = (u8)(1u << member);

	if (!(x->mirror.out & bit)) {
		scnprintf(err, IANUS_ERR_BYTES, "join: member %u has not failed",
			  member);
		return -EINVAL;
	}
	ssdqos_mirror_join(&x->mirror, member, all, ktime_get_ns());
	if (!(x->mirror.out & bit))
		return 0;
	scnprintf(err, IANUS_ERR_BYTES,
		  "join: member %u has something to end first; try again", member);
	return -EAGAIN;
}

static int ianus_message_join(struct ianus *x, u32 member, char *err)
{
	return ianus_join(x, member, false, err);
}

static int ianus_message_rebuild(struct ianus *x, u32 member, char *err)
{
	return ianus_join(x, member, true, err);
}

/* One row per message about a member; all run with the lock held. */
static const struct ianus_message_row {
	const char *name;
	int (*run)(struct ianus *x, u32 member, char *err);
} ianus_messages[] = {
	{ "fail", ianus_message_fail },
	{ "join", ianus_message_join },
	{ "rebuild", ianus_message_rebuild },
};

/* Compare members, or stop that. */
static int ianus_message_scrub(struct ianus *x, const char *word, char *err)
{
	bool on = !strcmp(word, "start");

	if (on || !strcmp(word, "stop")) {
		ssdqos_mirror_scrub(&x->mirror, on, ktime_get_ns());
		return 0;
	}
	scnprintf(err, IANUS_ERR_BYTES, "scrub: '%s' is neither start nor stop",
		  word);
	return -EINVAL;
}

/* Change a parameter; the lock is held. */
static int ianus_change(struct ianus *x, const char *key, const char *value,
			char *err)
{
	struct ssdqos_mirror_config cfg = x->cfg;
	int i = ssdqos_mirror_config_set(&cfg, key, value, err, IANUS_ERR_BYTES);

	if (i < 0)
		return i;
	if (ssdqos_mirror_params[i].when != SSDQOS_PARAM_LIVE) {
		scnprintf(err, IANUS_ERR_BYTES,
			  "%s: can only be said when the mirror is made", key);
		return -EINVAL;
	}
	if (ssdqos_mirror_config_check(&cfg, x->nr, err, IANUS_ERR_BYTES))
		return -EINVAL;
	x->cfg = cfg;
	/* a mirror that has lost its journal is strict */
	cfg.durability = x->mirror.cfg.durability;
	x->mirror.cfg = cfg;
	return 0;
}

/**
 * ianus_set - change a parameter
 * @x: the mirror
 * @key: its name
 * @value: its value as text
 * @err: gets one sentence on failure
 *
 * Context: process; takes the lock.
 * Return: 0, or a negative error, and nothing has changed.
 */
int ianus_set(struct ianus *x, const char *key, const char *value, char *err)
{
	int r;

	spin_lock_irq(&x->lock);
	r = ianus_change(x, key, value, err);
	spin_unlock_irq(&x->lock);
	ianus_kick(x);
	return r;
}

/* One that is suspended knows who has what, and goes on with it later. */
static int ianus_check_begun(const struct ianus *x, const char *verb, char *err)
{
	if (x->resumed)
		return 0;
	scnprintf(err, IANUS_ERR_BYTES,
		  "%s: the mirror has not begun; it has to be resumed first", verb);
	return -EAGAIN;
}

static int ianus_message_run(struct ianus *x, char **argv, char *err)
{
	u32 i, member;
	int r;

	for (i = 0; i < ARRAY_SIZE(ianus_messages); i++) {
		if (strcmp(argv[0], ianus_messages[i].name))
			continue;
		r = ianus_check_begun(x, argv[0], err);
		if (!r)
			r = ianus_parse_number(x, argv[0], argv[1], &member, err);
		return r ? r : ianus_messages[i].run(x, member, err);
	}
	if (!strcmp(argv[0], "scrub")) {
		r = ianus_check_begun(x, argv[0], err);
		return r ? r : ianus_message_scrub(x, argv[1], err);
	}
	return ianus_change(x, argv[0], argv[1], err);
}

/**
 * ianus_message - a message to a mirror
 * @ti: the target
 * @argc: length of @argv
 * @argv: its words
 * @result: for a reply; there is none
 * @maxlen: size of @result
 *
 * What is refused is said in the kernel log.  Context: process; takes the lock.
 *
 * Return: 0 or a negative error; -EAGAIN if it may be right later.
 */
int ianus_message(struct dm_target *ti, unsigned int argc, char **argv,
		  char *result, unsigned int maxlen)
{
	struct ianus *x = ti->private;
	char err[IANUS_ERR_BYTES];
	int r = -EINVAL;

	if (argc == 2) {
		spin_lock_irq(&x->lock);
		r = ianus_message_run(x, argv, err);
		spin_unlock_irq(&x->lock);
		if (!r)
			ianus_kick(x);
	} else {
		scnprintf(err, sizeof(err),
			  "'%s' with %u arguments is not a message; use fail, join or rebuild and a member, scrub and start or stop, or a parameter and its value",
			  argv[0], argc - 1);
	}
	if (r)
		DMERR("%s", err);
	return r;
}
