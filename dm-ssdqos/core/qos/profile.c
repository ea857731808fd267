// SPDX-License-Identifier: GPL-2.0
/*
 * profile.c - parse a profile, look costs up
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
	    profile_number(t, "profile size in bytes", SSDQOS_QOS_MIN_BYTES,
			   SSDQOS_QOS_MAX_BYTES, &bytes) ||
	    profile_number(t, "profile depth", 1, PROFILE_MAX_DEPTH, &depth) ||
	    profile_number(t, "profile confidence in permille", 1,
			   SSDQOS_QOS_PERMILLE, &confidence))
		return -EINVAL;
	if (bytes & (bytes - 1)) {
		scnprintf(t->err, t->err_size,
			  "profile size in bytes: '%llu' is not a power of two",
			  bytes);
		return -EINVAL;
	}
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

/* What may follow the first line. */
static const struct {
	const char *word;
	int (*parse)(struct ssdqos_profile *p, struct profile_text *t);
} profile_rows[] = {
	{ "window_ms", profile_parse_windows },
	{ "cost", profile_parse_cost },
	{ "mix", profile_parse_mix },
	{ "flush", profile_parse_flush },
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
		  "profile: '%s' is not one of window_ms, cost, mix, flush",
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

static u32 profile_count_rows(struct profile_text t)
{
	u32 n = 0;

	for (; t.word[0]; profile_next(&t))
		n += !strcmp(t.word, "cost");
	return n;
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
	u32 nr;

	if (profile_parse_head(&t))
		return NULL;
	nr = profile_count_rows(t);
	if (nr > SSDQOS_PROFILE_MAX_ROWS) {
		scnprintf(err, err_size,
			  "profile: %u rows of costs are more than %u", nr,
			  SSDQOS_PROFILE_MAX_ROWS);
		return NULL;
	}
	p = ssdqos_env_alloc(sizeof(*p) + (u64)nr * sizeof(p->rows[0]));
	if (!p) {
		scnprintf(err, err_size, "profile: no memory for %u rows", nr);
		return NULL;
	}
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

/**
 * ssdqos_profile_window - which measured window holds for a promise
 * @p: the profile
 * @window_ms: granularity of the promise
 *
 * Return: index of the longest window that is not longer, -ENOENT if all are.
 */
int ssdqos_profile_window(const struct ssdqos_profile *p, u64 window_ms)
{
	int i = (int)p->nr_windows - 1;

	while (i >= 0 && p->window_ms[i] > window_ms)
		i--;
	return i < 0 ? -ENOENT : i;
}

/* Is @a a better choice than @b for what was asked?  Depths: the largest that
 * is not above, else the smallest; confidences: the smallest that is not
 * below, else the largest.
 */
static bool profile_better(const struct ssdqos_profile_row *a,
			   const struct ssdqos_profile_row *b,
			   const struct ssdqos_cost_key *key)
{
	bool a_deep = a->depth > key->depth, b_deep = b->depth > key->depth;
	bool a_low = a->confidence_permille < key->confidence_permille;
	bool b_low = b->confidence_permille < key->confidence_permille;

	if (a_deep != b_deep)
		return b_deep;
	if (a->depth != b->depth)
		return a_deep == (a->depth < b->depth);
	if (a_low != b_low)
		return b_low;
	return a_low == (a->confidence_permille > b->confidence_permille) &&
	       a->confidence_permille != b->confidence_permille;
}

/* The best row of each size of a class, NULL where there is none. */
static void profile_rows_of(const struct ssdqos_profile *p, u32 op, u32 pattern,
			    const struct ssdqos_cost_key *key,
			    const struct ssdqos_profile_row **best)
{
	u32 i, size;

	memset(best, 0, SSDQOS_COST_NR_SIZES * sizeof(*best));
	for (i = 0; i < p->nr_rows; i++) {
		const struct ssdqos_profile_row *row = &p->rows[i];

		if (row->op != op || row->pattern != pattern)
			continue;
		size = (u32)fls64(row->bytes) - 1 - SSDQOS_COST_MIN_SHIFT;
		if (!best[size] || profile_better(row, best[size], key))
			best[size] = row;
	}
}

/* A request has to be charged something: where nothing can be promised, it is
 * what longer windows say.
 */
static u32 profile_charge(const struct ssdqos_profile *p, const u32 *ns,
			  u32 window)
{
	while (ns[window] == SSDQOS_COST_NONE && window + 1 < p->nr_windows)
		window++;
	return ns[window];
}

/* Cost of a size between two, rounded down; what can't be promised spreads. */
static u32 profile_between(u64 low_bytes, u32 low_ns, u64 high_bytes,
			   u32 high_ns, u64 bytes)
{
	s64 rise = (s64)high_ns - (s64)low_ns;
	u64 part = bytes - low_bytes, whole = high_bytes - low_bytes;

	if (low_ns == SSDQOS_COST_NONE || high_ns == SSDQOS_COST_NONE)
		return SSDQOS_COST_NONE;
	if (rise >= 0)
		return low_ns + (u32)div64_u64((u64)rise * part, whole);
	return low_ns - (u32)div64_u64((u64)-rise * part + whole - 1, whole);
}

/* Above the largest measured size, cost goes with the size. */
static u32 profile_beyond(u32 ns, u32 from, u32 to)
{
	u64 more = (u64)ns << (to - from);

	return ns == SSDQOS_COST_NONE || more >= SSDQOS_COST_NONE ?
		       SSDQOS_COST_NONE : (u32)more;
}

/* Costs of one class by size, as measured; false if the profile has none. */
static bool profile_measured(const struct ssdqos_profile *p, u32 op,
			     u32 pattern, const struct ssdqos_cost_key *key,
			     bool promise, u32 *ns)
{
	const struct ssdqos_profile_row *row[SSDQOS_COST_NR_SIZES];
	int w = ssdqos_profile_window(p, key->window_ms);
	u32 window = w < 0 ? 0 : (u32)w;
	u32 i, j, last = SSDQOS_NIL;

	profile_rows_of(p, op, pattern, key, row);
	for (i = 0; i < SSDQOS_COST_NR_SIZES; i++) {
		if (!row[i])
			continue;
		ns[i] = promise ? row[i]->ns[window] :
				  profile_charge(p, row[i]->ns, window);
		for (j = last == SSDQOS_NIL ? 0 : last + 1; j < i; j++)
			ns[j] = last == SSDQOS_NIL ? ns[i] :
				profile_between(1ULL << last, ns[last],
						1ULL << i, ns[i], 1ULL << j);
		last = i;
	}
	if (last == SSDQOS_NIL)
		return false;
	for (j = last + 1; j < SSDQOS_COST_NR_SIZES; j++)
		ns[j] = profile_beyond(ns[last], last, j);
	return true;
}

/* Likewise; a class that was not measured takes the other pattern's costs. */
static bool profile_class(const struct ssdqos_profile *p, u32 op, u32 pattern,
			  const struct ssdqos_cost_key *key, bool promise,
			  u32 *ns)
{
	return profile_measured(p, op, pattern, key, promise, ns) ||
	       profile_measured(p, op, !pattern, key, promise, ns);
}

/* Without a profile requests need costs all the same, to be weighed against
 * each other: those of a middling SATA drive, 20 us and 250 MB/s.
 */
#define DEFAULT_BASE_NS 20000u
#define DEFAULT_NS_PER_KIB 4000u
/* ... and its flushes take 0.5 to 5 ms, in which it does little else. */
#define DEFAULT_FLUSH_NS 1000000u

static u32 profile_default_ns(u32 size)
{
	u64 kib = (u64)SSDQOS_QOS_MIN_BYTES << size >> 10;

	return (u32)(DEFAULT_BASE_NS + kib * DEFAULT_NS_PER_KIB);
}

static void profile_defaults(struct ssdqos_cost_table *table)
{
	u32 op, pattern, i;

	for (op = 0; op < SSDQOS_QOS_NR_OPS; op++)
		for (pattern = 0; pattern < SSDQOS_QOS_NR_PATTERNS; pattern++)
			for (i = 0; i < SSDQOS_COST_NR_SIZES; i++)
				table->ns[op][pattern][i] =
					profile_default_ns(i);
	table->flush_ns = DEFAULT_FLUSH_NS;
}

/* Confidences: the smallest that is not below what was asked, else the largest;
 * windows as with costs.
 */
static u32 profile_flush_ns(const struct ssdqos_profile *p,
			    const struct ssdqos_cost_key *key)
{
	int w = ssdqos_profile_window(p, key->window_ms);
	u32 i = 0, ns;

	if (!p->nr_flushes)
		return DEFAULT_FLUSH_NS;
	while (i + 1 < p->nr_flushes &&
	       p->flush[i].confidence_permille < key->confidence_permille)
		i++;
	ns = profile_charge(p, p->flush[i].ns, w < 0 ? 0 : (u32)w);
	return ns == SSDQOS_COST_NONE ? DEFAULT_FLUSH_NS : ns;
}

/**
 * ssdqos_profile_costs - what requests are charged, by class and size
 * @p: the profile, or NULL for costs that serve for comparing requests
 * @key: window, confidence and depth
 * @table: gets the costs
 *
 * A class that was not measured takes the other pattern's costs.
 * Context: any; some thousand steps.
 */
void ssdqos_profile_costs(const struct ssdqos_profile *p,
			  const struct ssdqos_cost_key *key,
			  struct ssdqos_cost_table *table)
{
	u32 op, pattern;

	profile_defaults(table);
	if (!p)
		return;
	for (op = 0; op < SSDQOS_QOS_NR_OPS; op++)
		for (pattern = 0; pattern < SSDQOS_QOS_NR_PATTERNS; pattern++)
			profile_class(p, op, pattern, key, false,
				      table->ns[op][pattern]);
	table->flush_ns = profile_flush_ns(p, key);
}

/**
 * ssdqos_profile_mix_permille - correction for reads and writes together
 * @p: the profile, or NULL
 * @read_ppm: device time of reads, by single costs
 * @write_ppm: device time of writes, likewise
 *
 * Return: time that the mixture takes, per thousand of its single costs; on
 * the line between measured mixtures.
 */
u32 ssdqos_profile_mix_permille(const struct ssdqos_profile *p, u64 read_ppm,
				u64 write_ppm)
{
	const struct ssdqos_profile_mix *low, *high;
	u64 sum = read_ppm + write_ppm, pct;
	u32 i;

	if (!p || !p->nr_mixes || !sum)
		return SSDQOS_QOS_PERMILLE;
	pct = div64_u64(write_ppm * PCT, sum);
	if (pct <= p->mix[0].write_pct)
		return p->mix[0].factor_permille;
	for (i = 1; i < p->nr_mixes; i++) {
		low = &p->mix[i - 1];
		high = &p->mix[i];
		if (pct <= high->write_pct)
			return profile_between(low->write_pct,
					       low->factor_permille,
					       high->write_pct,
					       high->factor_permille, pct);
	}
	return p->mix[p->nr_mixes - 1].factor_permille;
}

/* Cost of a size, from the costs of one class. */
static u32 profile_lookup(const u32 *ns, u32 bytes)
{
	u32 i, low;

	if (bytes <= SSDQOS_QOS_MIN_BYTES)
		return ns[0];
	if (bytes >= SSDQOS_QOS_MAX_BYTES)
		return ns[SSDQOS_COST_NR_SIZES - 1];
	i = (u32)fls64(bytes) - 1 - SSDQOS_COST_MIN_SHIFT;
	low = SSDQOS_QOS_MIN_BYTES << i;
	if (bytes == low)
		return ns[i];
	return profile_between(low, ns[i], (u64)low * 2, ns[i + 1], bytes);
}

/**
 * ssdqos_profile_promise - what a request costs that is promised
 * @p: the profile
 * @key: window, confidence and depth
 * @op: enum ssdqos_qos_op
 * @pattern: enum ssdqos_qos_pattern
 * @bytes: size
 *
 * A class that was not measured takes the other pattern's costs.
 * Context: any; a step for each row of the profile.
 * Return: ns of device time; SSDQOS_COST_NONE if nothing can be promised.
 */
u32 ssdqos_profile_promise(const struct ssdqos_profile *p,
			   const struct ssdqos_cost_key *key, u32 op,
			   u32 pattern, u32 bytes)
{
	u32 ns[SSDQOS_COST_NR_SIZES];

	if (ssdqos_profile_window(p, key->window_ms) < 0 ||
	    !profile_class(p, op, pattern, key, true, ns))
		return SSDQOS_COST_NONE;
	return profile_lookup(ns, bytes);
}

/**
 * ssdqos_cost_lookup - what a request is charged
 * @t: the costs
 * @op: enum ssdqos_qos_op
 * @pattern: enum ssdqos_qos_pattern
 * @bytes: size
 *
 * Return: ns of device time; SSDQOS_COST_NONE where no window of the
 * profile has a cost.
 */
u32 ssdqos_cost_lookup(const struct ssdqos_cost_table *t, u32 op, u32 pattern,
		       u32 bytes)
{
	return profile_lookup(t->ns[op][pattern], bytes);
}
