// SPDX-License-Identifier: GPL-2.0
/*
 * profile.c - parse a profile
 */
#include "profile.h"

/* The only format there is; a reader of another would guess. */
#define PROFILE_VERSION 1
/* Longer than every keyword and number. */
#define PROFILE_WORD 24
#define PROFILE_MAX_DEPTH 65535u
/* Mixtures that take more than 100 times as long are mistakes. */
#define PROFILE_MAX_FACTOR 100000u
#define PROFILE_MAX_WINDOW_MS 86400000u
#define PROFILE_MAX_STOP_KIB (1u << 30)	/* a TiB */
#define PCT 100u

static bool profile_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/**
 * struct profile_text - where the parser is
 * @at: what follows
 * @word: the word before that; empty at the end
 * @err: gets a sentence
 * @err_size: its size
 */
struct profile_text {
	const char *at;
	char word[PROFILE_WORD];
	char *err;
	u32 err_size;
};

static void profile_skip_line(struct profile_text *t)
{
	while (*t->at && *t->at != '\n')
		t->at++;
}

/* The next word that is not for people.  A word too long is cut: no keyword
 * and no number is so long, so it can't be taken for one.
 */
static void profile_next(struct profile_text *t)
{
	u32 n;

	do {
		while (profile_is_space(*t->at))
			t->at++;
		for (n = 0; *t->at && !profile_is_space(*t->at); t->at++)
			if (n < PROFILE_WORD - 1)
				t->word[n++] = *t->at;
		t->word[n] = '\0';
		if (t->word[0] == '#' || !strcmp(t->word, "meta") ||
		    !strcmp(t->word, "fit"))
			profile_skip_line(t);
		else
			return;
	} while (1);
}

static bool profile_is_number(const struct profile_text *t)
{
	return t->word[0] >= '0' && t->word[0] <= '9';
}

/* The word as a number from @min to @max; then on to the next word. */
static int profile_number(struct profile_text *t, const char *what, u64 min,
			  u64 max, u64 *value)
{
	const struct ssdqos_param row = {
		.name = what, .unit = "", .min = min, .max = max,
	};

	if (ssdqos_param_parse(&row, t->word, value, t->err, t->err_size))
		return -EINVAL;
	profile_next(t);
	return 0;
}

static int profile_choice(struct profile_text *t, u32 param, u64 *value)
{
	if (ssdqos_param_parse(&ssdqos_qos_params[param], t->word, value,
			       t->err, t->err_size))
		return -EINVAL;
	profile_next(t);
	return 0;
}

static int profile_parse_windows(struct ssdqos_profile *p,
				 struct profile_text *t)
{
	u64 ms, min = 1;

	if (p->nr_windows) {
		scnprintf(t->err, t->err_size,
			  "profile: window_ms stands there twice");
		return -EINVAL;
	}
	while (profile_is_number(t)) {
		if (p->nr_windows == SSDQOS_PROFILE_MAX_WINDOWS) {
			scnprintf(t->err, t->err_size,
				  "profile: window_ms has more than %u windows",
				  SSDQOS_PROFILE_MAX_WINDOWS);
			return -EINVAL;
		}
		if (profile_number(t, "profile window_ms", min,
				   PROFILE_MAX_WINDOW_MS, &ms))
			return -EINVAL;
		p->window_ms[p->nr_windows++] = (u32)ms;
		min = ms + 1;
	}
	return 0;
}

static int profile_parse_ns(struct profile_text *t, u32 *ns)
{
	u64 n;

	if (!strcmp(t->word, "-")) {
		*ns = SSDQOS_COST_NONE;
		profile_next(t);
		return 0;
	}
	if (profile_number(t, "profile cost in ns", 1, SSDQOS_COST_NONE - 1, &n))
		return -EINVAL;
	*ns = (u32)n;
	return 0;
}

/* A size of requests. */
static int profile_parse_bytes(struct profile_text *t, u64 *bytes)
{
	if (profile_number(t, "profile size in bytes", SSDQOS_QOS_MIN_BYTES,
			   SSDQOS_QOS_MAX_BYTES, bytes))
		return -EINVAL;
	if (!(*bytes & (*bytes - 1)))
		return 0;
	scnprintf(t->err, t->err_size,
		  "profile size in bytes: '%llu' is not a power of two", *bytes);
	return -EINVAL;
}

static int profile_parse_cost(struct ssdqos_profile *p, struct profile_text *t)
{
	struct ssdqos_profile_row *row = &p->rows[p->nr_rows];
	u64 op, pattern, bytes, depth, confidence;
	u32 i;

	if (!p->nr_windows) {
		scnprintf(t->err, t->err_size,
			  "profile: window_ms has to come before cost");
		return -EINVAL;
	}
	if (profile_choice(t, SSDQOS_QOS_P_op, &op) ||
	    profile_choice(t, SSDQOS_QOS_P_pattern, &pattern) ||
	    profile_parse_bytes(t, &bytes) ||
	    profile_number(t, "profile depth", 1, PROFILE_MAX_DEPTH, &depth) ||
	    profile_number(t, "profile confidence in permille", 1,
			   SSDQOS_QOS_PERMILLE, &confidence))
		return -EINVAL;
	row->op = (u8)op;
	row->pattern = (u8)pattern;
	row->bytes = (u32)bytes;
	row->depth = (u16)depth;
	row->confidence_permille = (u16)confidence;
	for (i = 0; i < p->nr_windows; i++)
		if (profile_parse_ns(t, &row->ns[i]))
			return -EINVAL;
	p->nr_rows++;
	return 0;
}

static int profile_parse_mix(struct ssdqos_profile *p, struct profile_text *t)
{
	u64 min = p->nr_mixes ? p->mix[p->nr_mixes - 1].write_pct + 1 : 0;
	u64 pct, factor;

	if (p->nr_mixes == SSDQOS_PROFILE_MAX_MIXES) {
		scnprintf(t->err, t->err_size,
			  "profile: there are more than %u mix rows",
			  SSDQOS_PROFILE_MAX_MIXES);
		return -EINVAL;
	}
	if (profile_number(t, "profile mix in %", min, PCT, &pct) ||
	    profile_number(t, "profile mix in permille", 1, PROFILE_MAX_FACTOR,
			   &factor))
		return -EINVAL;
	p->mix[p->nr_mixes].write_pct = (u32)pct;
	p->mix[p->nr_mixes].factor_permille = (u32)factor;
	p->nr_mixes++;
	return 0;
}

/* A row of a mixture, or of reads beside writes. */
static int profile_parse_windowed(struct ssdqos_profile *p,
				  struct profile_text *t, const char *what,
				  u64 max_pct, struct ssdqos_profile_mixed *row)
{
	u64 pct, depth, confidence;
	u32 i;

	if (!p->nr_windows) {
		scnprintf(t->err, t->err_size,
			  "profile: window_ms has to come before %s", what);
		return -EINVAL;
	}
	if (profile_number(t, "profile writes in %", 1, max_pct, &pct) ||
	    profile_number(t, "profile depth", 1, PROFILE_MAX_DEPTH, &depth) ||
	    profile_number(t, "profile confidence in permille", 1,
			   SSDQOS_QOS_PERMILLE, &confidence))
		return -EINVAL;
	row->write_pct = (u16)pct;
	row->depth = (u16)depth;
	row->confidence_permille = (u16)confidence;
	for (i = 0; i < p->nr_windows; i++)
		if (profile_parse_ns(t, &row->permille[i]))
			return -EINVAL;
	return 0;
}

static int profile_parse_mixed(struct ssdqos_profile *p, struct profile_text *t)
{
	if (profile_parse_windowed(p, t, "mixed", PCT - 1,
				   &p->mixed[p->nr_mixed]))
		return -EINVAL;
	p->nr_mixed++;
	return 0;
}

static int profile_parse_beside(struct ssdqos_profile *p, struct profile_text *t)
{
	if (profile_parse_windowed(p, t, "beside", PCT,
				   &p->beside[p->nr_beside]))
		return -EINVAL;
	p->nr_beside++;
	return 0;
}

static int profile_parse_beside_of(struct ssdqos_profile *p,
				   struct profile_text *t)
{
	u64 bytes;

	if (profile_parse_bytes(t, &bytes))
		return -EINVAL;
	p->beside[p->nr_beside].bytes = (u32)bytes;
	return profile_parse_beside(p, t);
}

static int profile_parse_flush(struct ssdqos_profile *p, struct profile_text *t)
{
	struct ssdqos_profile_flush *row = &p->flush[p->nr_flushes];
	u64 min = p->nr_flushes ? row[-1].confidence_permille + 1ULL : 1;
	u64 confidence;
	u32 i;

	if (!p->nr_windows) {
		scnprintf(t->err, t->err_size,
			  "profile: window_ms has to come before flush");
		return -EINVAL;
	}
	if (p->nr_flushes == SSDQOS_PROFILE_MAX_FLUSHES) {
		scnprintf(t->err, t->err_size,
			  "profile: there are more than %u flush rows",
			  SSDQOS_PROFILE_MAX_FLUSHES);
		return -EINVAL;
	}
	if (profile_number(t, "profile confidence in permille", min,
			   SSDQOS_QOS_PERMILLE, &confidence))
		return -EINVAL;
	row->confidence_permille = (u32)confidence;
	for (i = 0; i < p->nr_windows; i++)
		if (profile_parse_ns(t, &row->ns[i]))
			return -EINVAL;
	p->nr_flushes++;
	return 0;
}

static int profile_parse_discard(struct ssdqos_profile *p,
				 struct profile_text *t)
{
	struct ssdqos_profile_discard *row;
	u64 pattern, min = SSDQOS_QOS_MIN_BYTES, bytes, ns;
	u32 nr;

	if (profile_choice(t, SSDQOS_QOS_P_pattern, &pattern))
		return -EINVAL;
	nr = p->nr_discards[pattern];
	if (nr == SSDQOS_PROFILE_MAX_DISCARDS) {
		scnprintf(t->err, t->err_size,
			  "profile: there are more than %u discard rows of one order",
			  SSDQOS_PROFILE_MAX_DISCARDS);
		return -EINVAL;
	}
	row = &p->discard[pattern][nr];
	if (nr)
		min = row[-1].bytes + 1ULL;
	if (profile_number(t, "profile discard in bytes", min,
			   SSDQOS_PROFILE_DISCARD_BYTES, &bytes) ||
	    profile_number(t, "profile cost in ns", 1, SSDQOS_COST_NONE - 1, &ns))
		return -EINVAL;
	row->bytes = (u32)bytes;
	row->ns = (u32)ns;
	p->nr_discards[pattern]++;
	return 0;
}

static int profile_parse_stop(struct ssdqos_profile *p, struct profile_text *t)
{
	u64 ms, kib;

	if (p->stop_ms) {
		scnprintf(t->err, t->err_size, "profile: stop stands there twice");
		return -EINVAL;
	}
	if (profile_number(t, "profile stop in ms", 1, PROFILE_MAX_WINDOW_MS, &ms) ||
	    profile_number(t, "profile KiB before a stop", 1, PROFILE_MAX_STOP_KIB,
			   &kib))
		return -EINVAL;
	p->stop_ms = (u32)ms;
	p->stop_kib = (u32)kib;
	return 0;
}

/* What may follow the first line. */
static const struct {
	const char *word;
	int (*parse)(struct ssdqos_profile *p, struct profile_text *t);
} profile_rows[] = {
	{ "window_ms", profile_parse_windows },
	{ "cost", profile_parse_cost },
	{ "mix", profile_parse_mix },
	{ "mixed", profile_parse_mixed },
	{ "beside", profile_parse_beside },
	{ "beside_of", profile_parse_beside_of },
	{ "flush", profile_parse_flush },
	{ "discard", profile_parse_discard },
	{ "stop", profile_parse_stop },
};

static int profile_parse_row(struct ssdqos_profile *p, struct profile_text *t)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(profile_rows); i++) {
		if (strcmp(t->word, profile_rows[i].word))
			continue;
		profile_next(t);
		return profile_rows[i].parse(p, t);
	}
	scnprintf(t->err, t->err_size,
		  "profile: '%s' is not one of window_ms, cost, mix, mixed, beside, beside_of, flush, discard, stop",
		  t->word);
	return -EINVAL;
}

static int profile_parse_rows(struct ssdqos_profile *p, struct profile_text *t)
{
	bool has[SSDQOS_QOS_NR_OPS] = { false };
	u32 i;

	while (t->word[0])
		if (profile_parse_row(p, t))
			return -EINVAL;
	for (i = 0; i < p->nr_rows; i++)
		has[p->rows[i].op] = true;
	if (has[SSDQOS_QOS_READ] && has[SSDQOS_QOS_WRITE])
		return 0;
	scnprintf(t->err, t->err_size, "profile: no cost of a %s is there",
		  has[SSDQOS_QOS_READ] ? "write" : "read");
	return -EINVAL;
}

/* The first line; then on to the next word. */
static int profile_parse_head(struct profile_text *t)
{
	u64 version;

	profile_next(t);
	if (strcmp(t->word, "ssdqos-profile")) {
		scnprintf(t->err, t->err_size,
			  "profile: it begins with '%s', not with ssdqos-profile",
			  t->word);
		return -EINVAL;
	}
	profile_next(t);
	return profile_number(t, "profile version", PROFILE_VERSION,
			      PROFILE_VERSION, &version);
}

static u32 profile_count_rows(struct profile_text t, const char *word)
{
	u32 n = 0;

	for (; t.word[0]; profile_next(&t))
		n += !strcmp(t.word, word);
	return n;
}

/* Room for all of a text's rows; NULL if there are too many. */
static struct ssdqos_profile *profile_alloc(struct profile_text *t)
{
	u32 nr = profile_count_rows(*t, "cost");
	u32 nr_mixed = profile_count_rows(*t, "mixed");
	u32 nr_beside = profile_count_rows(*t, "beside") +
			profile_count_rows(*t, "beside_of");
	struct ssdqos_profile *p;
	u64 bytes = sizeof(*p) + (u64)nr * sizeof(p->rows[0]);

	if (nr > SSDQOS_PROFILE_MAX_ROWS ||
	    nr_mixed > SSDQOS_PROFILE_MAX_MIXED ||
	    nr_beside > SSDQOS_PROFILE_MAX_MIXED) {
		scnprintf(t->err, t->err_size,
			  "profile: %u rows of costs, %u of mixtures and %u beside writes are more than %u, %u and %u",
			  nr, nr_mixed, nr_beside, SSDQOS_PROFILE_MAX_ROWS,
			  SSDQOS_PROFILE_MAX_MIXED, SSDQOS_PROFILE_MAX_MIXED);
		return NULL;
	}
	p = ssdqos_env_alloc(bytes + (u64)(nr_mixed + nr_beside) *
				     sizeof(p->mixed[0]));
	if (!p) {
		scnprintf(t->err, t->err_size, "profile: no memory for %u rows",
			  nr + nr_mixed + nr_beside);
		return NULL;
	}
	p->mixed = (struct ssdqos_profile_mixed *)&p->rows[nr];
	p->beside = p->mixed + nr_mixed;
	return p;
}

/**
 * ssdqos_profile_parse - make a profile of its text
 * @text: see profile.h
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: may sleep.
 * Return: the profile, for ssdqos_profile_free(); NULL if the text is wrong or
 * there is no memory.
 */
struct ssdqos_profile *ssdqos_profile_parse(const char *text, char *err,
					    u32 err_size)
{
	struct profile_text t = { .at = text, .err = err, .err_size = err_size };
	struct ssdqos_profile *p;

	if (profile_parse_head(&t))
		return NULL;
	p = profile_alloc(&t);
	if (!p)
		return NULL;
	if (profile_parse_rows(p, &t)) {
		ssdqos_env_free(p);
		return NULL;
	}
	return p;
}

/**
 * ssdqos_profile_free - give a profile's memory back
 * @p: the profile, or NULL
 *
 * Context: may sleep.
 */
void ssdqos_profile_free(struct ssdqos_profile *p)
{
	ssdqos_env_free(p);
}
