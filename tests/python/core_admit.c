// SPDX-License-Identifier: GPL-2.0
/*
 * core_admit.c - the core's answers, for test_core_admit.py
 *
 * Reads lines, each of which begins with a word:
 *
 *	profile TEXT		another drive, with this profile
 *	add KEY VALUE...	a stream on it
 *	admit KEY VALUE...	would another one fit?
 *
 * and writes a line for each: "ok", the answer, or "error: WHY".
 */
#include <stdio.h>
#include <string.h>

#include "../../dm-ssdqos/core/qos/edf.h"

#define MAX_STREAMS 16
#define LINE_BYTES (1 << 17)
/* As much as the core promises an answer to be. */
#define ANSWER_BYTES 1024

static struct ssdqos_edf *edf;
static struct ssdqos_edf_stream streams[MAX_STREAMS];
static unsigned int nr_streams;
static char err[256];

static int parse(struct ssdqos_qos_config *cfg, char *words)
{
	char *key, *value;

	while ((key = strsep(&words, " ")) && (value = strsep(&words, " ")))
		if (ssdqos_qos_config_set(cfg, key, value, err, sizeof(err)) < 0)
			return -1;
	return 0;
}

static int begin(const char *text)
{
	struct ssdqos_profile *p = ssdqos_profile_parse(text, err, sizeof(err));

	/* Drives before are left behind: it's a short life. */
	memset(streams, 0, sizeof(streams));
	nr_streams = 0;
	edf = ssdqos_edf_create();
	return !p || !edf || ssdqos_edf_set_profile(edf, &p, 1, err, sizeof(err)) ? -1 : 0;
}

static int add(char *words)
{
	struct ssdqos_edf_stream *s = &streams[nr_streams++];
	struct ssdqos_qos_config cfg;

	if (nr_streams > MAX_STREAMS)
		return -1;
	ssdqos_qos_config_init(&cfg);
	return parse(&cfg, words) || ssdqos_edf_add(edf, s, 1, err, sizeof(err)) ||
	       ssdqos_edf_set(s, &cfg, 1, err, sizeof(err)) ? -1 : 0;
}

/* As the tool counts promises: from 0, by age, those that were refused left out. */
static int number_of(const struct ssdqos_edf_stream *s)
{
	int n = 0;

	for (const struct ssdqos_edf_stream *each = streams; each < s; each++)
		n += each->util_ppm > 0;
	return n;
}

static int admit(char *words)
{
	struct ssdqos_edf_answer a;
	struct ssdqos_qos_config cfg;
	char text[ANSWER_BYTES];

	ssdqos_qos_config_init(&cfg);
	if (parse(&cfg, words) || ssdqos_edf_admit(edf, NULL, &cfg, &a, err, sizeof(err)))
		return -1;
	if (ssdqos_edf_answer_format(&a, text, sizeof(text)) == sizeof(text) - 1)
		return -1;
	printf("%s largest=", text);
	a.largest ? printf("%d\n", number_of(a.largest)) : puts("none");
	return 1;
}

static int answer(const char *what, char *words)
{
	if (!strcmp(what, "profile"))
		return begin(words);
	return strcmp(what, "add") ? admit(words) : add(words);
}

int main(void)
{
	static char line[LINE_BYTES];

	while (fgets(line, sizeof(line), stdin)) {
		char *words = line, *what;
		int r;

		line[strcspn(line, "\n")] = '\0';
		what = strsep(&words, " ");
		r = answer(what, words);
		if (r <= 0)
			r ? printf("error: %s\n", err) : puts("ok");
	}
	return 0;
}
