// SPDX-License-Identifier: GPL-2.0
#include "job.h"

#include "../common/quantity.h"
#include "../random/geometric.h"
#include "../random/lognormal.h"
#include "../random/zipf.h"
#include "named.h"

#define BLOCK_STEP_BYTES 512ULL
#define BLOCK_MAX_BYTES (1ULL << 30)
#define PERCENT_MAX 100
#define PPM_PER_PERCENT (PPM_ONE / PERCENT_MAX)
#define PERCENT_DECIMALS 4
#define NAME_COLUMN 20

/* With these and LOGNORMAL_RATIO_MAX every distance fits 64 bits of nanoseconds. */
#define INTERARRIVAL_MAX_NS (10 * NS_PER_S)
#define INTENSITY_MIN_PPM (PPM_ONE / 10)
#define INTENSITY_MAX_PPM (PPM_ONE * 1000)

static const struct load_kind kinds[] = {
	{ "read", false, false, SIM_OP_READ },
	{ "write", false, false, SIM_OP_WRITE },
	{ "rw", false, true, 0 },
	{ "randread", true, false, SIM_OP_READ },
	{ "randwrite", true, false, SIM_OP_WRITE },
	{ "randrw", true, true, 0 },
	{ "trim", false, false, SIM_OP_DISCARD },
	{ "randtrim", true, false, SIM_OP_DISCARD },
};

/**
 * struct load_key - one row of the table of keys
 * @name: the word before "="
 * @default_value: read like a value in the job
 * @parse: reads a value into the field
 * @field: where in struct load_job the value goes
 * @min: smallest number, for parsers that read one
 * @max: largest number, if not 0
 * @expected: what a value looks like; for numbers the range is added
 * @help: what it means
 */
struct load_key {
	const char *name;
	const char *default_value;
	bool (*parse)(const struct load_key *key, struct text value, void *field);
	size_t field;
	u64 min;
	u64 max;
	const char *expected;
	const char *help;
};

static bool is_in_range(const struct load_key *key, u64 value)
{
	return value >= key->min && value <= key->max;
}

static bool parse_count(const struct load_key *key, struct text value, void *field)
{
	return text_to_u64(value, field) && is_in_range(key, *(u64 *)field);
}

static bool parse_time(const struct load_key *key, struct text value, void *field)
{
	(void)key;
	return quantity_time_ns(value, field);
}

/* More decimals than PPM_PER_PERCENT has zeros would be cut. */
static bool parse_percent(const struct load_key *key, struct text value, void *field)
{
	struct text decimals = value;
	u64 *ppm = field;

	(void)key;
	text_cut(&decimals, '.');
	return text_length(decimals) <= PERCENT_DECIMALS &&
	       text_to_scaled(value, PPM_PER_PERCENT, ppm) && *ppm <= PPM_ONE;
}

static bool parse_fraction(const struct load_key *key, struct text value, void *field)
{
	u64 *ppm = field;

	(void)key;
	return quantity_ppm(value, ppm) && *ppm > 0 && *ppm <= PPM_ONE;
}

static bool parse_intensity(const struct load_key *key, struct text value, void *field)
{
	u64 *ppm = field;

	(void)key;
	return text_to_scaled(value, PPM_ONE, ppm) && *ppm >= INTENSITY_MIN_PPM &&
	       *ppm <= INTENSITY_MAX_PPM;
}

static bool is_block(u64 bytes)
{
	return bytes >= BLOCK_STEP_BYTES && bytes <= BLOCK_MAX_BYTES &&
	       bytes % BLOCK_STEP_BYTES == 0;
}

static bool is_geometric_mean(u64 bytes)
{
	return bytes >= GEOMETRIC_UNIT_BYTES && bytes <= GEOMETRIC_MEAN_MAX_BYTES;
}

/*
 * One size for all operations, or a list for read, write, trim; a missing one is as the one before.
 */
static bool parse_size_list(struct text value, u64 *bytes, bool (*is_good)(u64 bytes))
{
	for (int op = 0; op < NR_SIM_OPS; op++) {
		if (op > 0 && text_is_empty(value))
			bytes[op] = bytes[op - 1];
		else if (!quantity_bytes(text_cut(&value, ','), &bytes[op]) || !is_good(bytes[op]))
			return false;
	}
	return text_is_empty(value);
}

static bool parse_sizes(const struct load_key *key, struct text value, void *field)
{
	struct load_sizes *sizes = field;

	(void)key;
	sizes->is_geometric = text_starts_with(value, "geometric:");
	if (sizes->is_geometric)
		text_cut(&value, ':');
	return parse_size_list(value, sizes->bytes,
			       sizes->is_geometric ? is_geometric_mean : is_block);
}

static bool parse_extent(const struct load_key *key, struct text value, void *field)
{
	struct load_extent *extent = field;

	(void)key;
	extent->is_part = quantity_ppm(value, &extent->part_ppm);
	return extent->is_part ? extent->part_ppm <= PPM_ONE :
				 quantity_bytes(value, &extent->bytes);
}

static bool parse_lognormal(struct text value, struct load_arrivals *arrivals)
{
	return quantity_time_ns(text_cut(&value, '/'), &arrivals->mean_ns) &&
	       quantity_time_ns(value, &arrivals->median_ns) && arrivals->median_ns > 0 &&
	       arrivals->mean_ns <= INTERARRIVAL_MAX_NS &&
	       arrivals->mean_ns >= arrivals->median_ns &&
	       arrivals->mean_ns / LOGNORMAL_RATIO_MAX <= arrivals->median_ns;
}

static bool parse_arrivals(const struct load_key *key, struct text value, void *field)
{
	static const char *const names[] = {
		[LOAD_ARRIVAL_FIXED] = "fixed",
		[LOAD_ARRIVAL_POISSON] = "poisson",
		[LOAD_ARRIVAL_BURST] = "burst",
		[LOAD_ARRIVAL_LOGNORMAL] = "lognormal",
	};
	struct load_arrivals *arrivals = field;
	const bool has_times = memchr(value.at, ':', text_length(value));
	const struct text name = text_cut(&value, ':');

	(void)key;
	for (size_t i = 0; i < SIM_ARRAY_SIZE(names); i++) {
		if (text_is(name, names[i])) {
			arrivals->kind = (enum load_arrival)i;
			return arrivals->kind == LOAD_ARRIVAL_LOGNORMAL ?
				       parse_lognormal(value, arrivals) :
				       !has_times;
		}
	}
	return false;
}

static bool parse_zipf(struct text value, struct load_distribution *distribution)
{
	distribution->pattern = LOAD_PATTERN_ZIPF;
	return text_to_scaled(value, PPM_ONE, &distribution->theta_ppm) &&
	       distribution->theta_ppm >= ZIPF_THETA_MIN_PPM &&
	       distribution->theta_ppm <= ZIPF_THETA_MAX_PPM;
}

static bool is_percent(u64 percent)
{
	return percent >= 1 && percent < PERCENT_MAX;
}

static bool parse_hot(struct text value, struct load_distribution *distribution)
{
	distribution->pattern = LOAD_PATTERN_HOT;
	return text_to_u64(text_cut(&value, '/'), &distribution->hot_access_percent) &&
	       text_to_u64(value, &distribution->hot_space_percent) &&
	       is_percent(distribution->hot_access_percent) &&
	       is_percent(distribution->hot_space_percent);
}

static bool parse_distribution(const struct load_key *key, struct text value, void *field)
{
	struct load_distribution *distribution = field;
	const struct text name = text_cut(&value, ':');

	(void)key;
	if (text_is(name, "zipf"))
		return parse_zipf(value, distribution);
	if (text_is(name, "hot"))
		return parse_hot(value, distribution);
	distribution->pattern = text_is(name, "once") ? LOAD_PATTERN_ONCE : LOAD_PATTERN_UNIFORM;
	return (text_is(name, "random") || text_is(name, "once")) && text_is_empty(value);
}

#define FIELD(name) offsetof(struct load_job, name)

static const struct load_key keys[] = {
	{ "rwmixread", "50", parse_percent, FIELD(read_ppm), 0, 0,
	  "0 to 100, with up to four decimals", "rw, randrw: percent of reads" },
	{ "bs", "4k", parse_sizes, FIELD(sizes), 0, 0,
	  "512 to 1g in steps of 512, a list for read,write,trim such as 4k,64k, or "
	  "geometric: and such a list of means from 4k to 128k",
	  "size of a request; random kinds: geometric is 4k, 8k, ... 1m with this mean" },
	{ "iodepth", "1", parse_count, FIELD(iodepth), 1, 65536, "a whole number",
	  "closed loop: requests kept under way" },
	{ "rate_iops", "0", parse_count, FIELD(rate_iops), 0, NS_PER_S, "a whole number",
	  "open loop: mean requests per second, whatever completes; 0 is a closed loop" },
	{ "arrival", "fixed", parse_arrivals, FIELD(arrivals), 0, 0,
	  "fixed, poisson, burst or lognormal:MEAN/MEDIAN such as lognormal:5ms/2ms with a mean of "
	  "at most 10s and 64 medians",
	  "open loop: distances between arrivals; lognormal comes without rate_iops" },
	{ "intensity", "1", parse_intensity, FIELD(intensity_ppm), 0, 0, "0.1 to 1000",
	  "open loop: divide the distances between arrivals by this" },
	{ "burst", "16", parse_count, FIELD(burst), 1, 1000000, "a whole number",
	  "arrival=burst: requests that arrive at once" },
	{ "start", "0", parse_time, FIELD(first_ns), 0, 0, "a time such as 10s, 500ms or 2m",
	  "nothing comes before this much virtual time" },
	{ "runtime", "0", parse_time, FIELD(runtime_ns), 0, 0, "a time such as 10s, 500ms or 2m",
	  "stop so much virtual time after the start; 0 is never" },
	{ "every", "0", parse_time, FIELD(every_ns), 0, 0, "a time such as 10s, 500ms or 2m",
	  "begin again with each such time after the start, for runtime; 0 is never" },
	{ "rest_iops", "0", parse_count, FIELD(rest_iops), 0, NS_PER_S, "a whole number",
	  "open loop with every: requests per second between the runtimes; 0 is none" },
	{ "number_ios", "0", parse_count, FIELD(number_ios), 0, ~0ULL, "a whole number",
	  "stop after this many requests; 0 is never; without both: once over size" },
	{ "fraction", "100%", parse_fraction, FIELD(fraction_ppm), 0, 0,
	  "more than 0% and at most 100%", "stop after this part of number_ios" },
	{ "size", "100%", parse_extent, FIELD(size), 0, 0,
	  "bytes such as 512m or 10g, or 0% to 100%", "how much of the drive is used" },
	{ "offset", "0", parse_extent, FIELD(offset), 0, 0,
	  "bytes such as 512m or 10g, or 0% to 100%", "where that part starts" },
	{ "random_distribution", "random", parse_distribution, FIELD(distribution), 0, 0,
	  "random, once, zipf:0.01 to zipf:5, or hot:ACCESSES/SPACE in percent such as hot:80/20",
	  "random kinds: which blocks are hot; zipf scatters them, hot puts them first; "
	  "once: each has its turn" },
	{ "seed", "1", parse_count, FIELD(seed), 0, ~0ULL, "a whole number",
	  "the same job and seed give the same requests" },
	{ "thinktime_us", "0", parse_count, FIELD(thinktime_us), 0, 1000000000, "a whole number",
	  "closed loop: wait between a completion and the next request" },
};

_Static_assert(SIM_ARRAY_SIZE(keys) <= 64, "the keys seen are kept in the bits of a u64");

static const struct load_key *find_key(struct text name)
{
	for (size_t i = 0; i < SIM_ARRAY_SIZE(keys); i++)
		if (text_is(name, keys[i].name))
			return &keys[i];
	return NULL;
}

static const struct load_kind *find_kind(struct text name)
{
	for (size_t i = 0; i < SIM_ARRAY_SIZE(kinds); i++)
		if (text_is(name, kinds[i].name))
			return &kinds[i];
	return NULL;
}

/* "a whole number from 1 to 65536" */
static const char *describe(const struct load_key *key, char *buffer, size_t bytes)
{
	if (key->max)
		snprintf(buffer, bytes, "%s from %llu to %llu", key->expected, key->min, key->max);
	else
		snprintf(buffer, bytes, "%s", key->expected);
	return buffer;
}

static int fail_value(const struct load_key *key, struct text value, struct sim_error *error)
{
	struct sim_quote quote;
	char range[SIM_ERROR_BYTES / 2];

	return sim_error_set(error, "load: %s is '%s', expected %s", key->name,
			     sim_quote(&quote, value), describe(key, range, sizeof(range)));
}

static int fail_key(struct text name, struct sim_error *error)
{
	struct sim_quote quote;
	char names[SIM_ERROR_BYTES / 2] = "";
	size_t used = 0;

	for (size_t i = 0; i < SIM_ARRAY_SIZE(keys) && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 keys[i].name);
	return sim_error_set(error, "load: '%s' is not a key, expected one of %s",
			     sim_quote(&quote, name), names);
}

static int fail_kind(struct text name, struct sim_error *error)
{
	struct sim_quote quote;
	char names[SIM_ERROR_BYTES / 2] = "";
	size_t used = 0;

	for (size_t i = 0; i < SIM_ARRAY_SIZE(kinds) && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 kinds[i].name);
	return sim_error_set(error,
			     "load: the first word is '%s', expected one of %s, or a named load",
			     sim_quote(&quote, name), names);
}

static int fail_named(struct text name, struct sim_error *error)
{
	struct sim_quote quote;
	char names[SIM_ERROR_BYTES / 2] = "";
	const struct load_named *named;
	size_t used = 0;

	for (size_t i = 0; (named = load_named_row(i)) && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s" LOAD_NAMED_PREFIX "%s", i ? ", " : "", named->name);
	return sim_error_set(error, "load: '%s' is not a named load, expected one of %s",
			     sim_quote(&quote, name), names);
}

static int set_key(struct load_job *job, const struct load_key *key, struct text value,
		   struct sim_error *error)
{
	if (text_is_empty(value) || !key->parse(key, value, (char *)job + key->field))
		return fail_value(key, value, error);
	return 0;
}

static int set_defaults(struct load_job *job, struct sim_error *error)
{
	for (size_t i = 0; i < SIM_ARRAY_SIZE(keys); i++)
		if (set_key(job, &keys[i], text_of(keys[i].default_value), error))
			return -1;
	return 0;
}

static int take_word(struct load_job *job, struct text word, u64 *seen, struct sim_error *error)
{
	const struct text name = text_cut(&word, '=');
	const struct load_key *key = find_key(name);
	u64 bit;

	if (!key)
		return fail_key(name, error);
	bit = 1ULL << (key - keys);
	if (*seen & bit)
		return sim_error_set(error, "load: %s is given twice", key->name);
	*seen |= bit;
	job->has_mix |= key->field == FIELD(read_ppm);
	return set_key(job, key, word, error);
}

/* Keys that contradict the kind of loop are refused, so that nobody believes they had an effect. */
static int check_loop(const struct load_job *job, struct sim_error *error)
{
	const bool is_lognormal = job->arrivals.kind == LOAD_ARRIVAL_LOGNORMAL;

	if (is_lognormal && job->rate_iops)
		return sim_error_set(
			error,
			"load: rate_iops is given, but arrival=lognormal has a mean already");
	if (!is_lognormal && !job->rate_iops && job->arrivals.kind != LOAD_ARRIVAL_FIXED)
		return sim_error_set(
			error,
			"load: arrival is given, but rate_iops is not, so this is a closed loop");
	if (!load_job_is_open(job) && job->intensity_ppm != PPM_ONE)
		return sim_error_set(error, "load: intensity is given, but this is a closed loop");
	if (job->every_ns && (!job->runtime_ns || job->runtime_ns > job->every_ns))
		return sim_error_set(error, "load: every is %llu ms, expected no less than runtime, "
				     "which is %llu ms and has to be given",
				     job->every_ns / NS_PER_MS, job->runtime_ns / NS_PER_MS);
	if (job->rest_iops && (!job->every_ns || !job->rate_iops))
		return sim_error_set(error,
				     "load: rest_iops is given, but not rate_iops and every");
	if (load_job_is_open(job) && job->thinktime_us)
		return sim_error_set(error,
				     "load: thinktime_us is given, but %s makes this an open loop",
				     is_lognormal ? "arrival=lognormal" : "rate_iops");
	return 0;
}

static int check_kind(const struct load_job *job, struct sim_error *error)
{
	if (!job->kind->is_mixed && job->has_mix)
		return sim_error_set(error, "load: rwmixread is given, but %s is not mixed",
				     job->kind->name);
	if (!job->kind->is_random && job->distribution.pattern != LOAD_PATTERN_UNIFORM)
		return sim_error_set(error,
				     "load: random_distribution is given, but %s is sequential",
				     job->kind->name);
	if (!job->kind->is_random && job->sizes.is_geometric)
		return sim_error_set(error, "load: bs is geometric, but %s is sequential",
				     job->kind->name);
	if (!job->number_ios && job->fraction_ppm != PPM_ONE)
		return sim_error_set(error, "load: fraction is given, but number_ios is not");
	return 0;
}

static bool take_kind(struct text *line, struct text *word)
{
	if (!text_take_word(line, word))
		return false;
	if (text_starts_with(*word, "rw="))
		text_cut(word, '=');
	return true;
}

static int take_keys(struct load_job *job, struct text rest, struct sim_error *error)
{
	struct text word;
	u64 seen = 0;

	while (text_take_word(&rest, &word))
		if (take_word(job, word, &seen, error))
			return -1;
	return 0;
}

/* The keys of the name come first, so that those given replace them. */
static int take_named(struct load_job *job, struct text name, struct sim_error *error)
{
	const struct load_named *named = load_named_find(name);
	char line[LOAD_NAMED_JOB_BYTES];
	struct text rest, kind;

	if (!named)
		return fail_named(name, error);
	load_named_job(named, line);
	rest = text_of(line);
	text_take_word(&rest, &kind);
	job->kind = find_kind(kind);
	return take_keys(job, rest, error);
}

static int take_job(struct load_job *job, const char *line, struct sim_error *error)
{
	struct text rest = text_of(line), word = { line, line };

	take_kind(&rest, &word);
	if (text_starts_with(word, LOAD_NAMED_PREFIX)) {
		if (take_named(job, word, error))
			return -1;
	} else {
		job->kind = find_kind(word);
		if (!job->kind)
			return fail_kind(word, error);
	}
	return take_keys(job, rest, error);
}

int load_job_parse(struct load_job *job, const char *line, struct sim_error *error)
{
	memset(job, 0, sizeof(*job));
	if (set_defaults(job, error) || take_job(job, line, error) ||
	    check_loop(job, error))
		return -1;
	return check_kind(job, error);
}

bool load_job_is_open(const struct load_job *job)
{
	return job->rate_iops || job->arrivals.kind == LOAD_ARRIVAL_LOGNORMAL;
}

void load_job_print_help(FILE *file)
{
	char range[SIM_ERROR_BYTES / 2];

	fprintf(file, "A load is one line, KIND [KEY=VALUE]..., with KIND one of:\n ");
	for (size_t i = 0; i < SIM_ARRAY_SIZE(kinds); i++)
		fprintf(file, " %s", kinds[i].name);
	fprintf(file, "\nand the keys:\n");
	for (size_t i = 0; i < SIM_ARRAY_SIZE(keys); i++)
		fprintf(file, "  %-*s %s\n  %-*s (%s; default %s)\n", NAME_COLUMN, keys[i].name,
			keys[i].help, NAME_COLUMN, "", describe(&keys[i], range, sizeof(range)),
			keys[i].default_value);
	fputc('\n', file);
	load_named_print_help(file);
}
