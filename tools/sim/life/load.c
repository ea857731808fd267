// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <stdlib.h>

#include "../load/trace.h"
#include "../random/lognormal.h"

#define HOUR_S 3600ULL
#define DAY_S (24 * HOUR_S)
#define WEEK_S (7 * DAY_S)
#define WORK_DAYS 5
#define PAGE_BYTES 4096ULL
#define GIB (1ULL << 30)
#define PERMILLE 1000ULL
/* Volumes are given in hundredths of GiB, amplification in hundredths. */
#define VOLUME_UNIT 10000ULL
/* Weights have so many bits behind the point. */
#define WEIGHT_SHIFT 20

/**
 * struct life_pattern - a named load
 * @name: as in Table 8
 * @cycle_s: length
 * @volume: hundredths of GiB that the host writes in an hour
 * @waf: write amplification in hundredths
 * @flash_gib: size of the drive
 * @busy_from_h: begin of the busy hours
 * @busy_to_h: their end
 * @shape: the rest, which can be changed
 */
struct life_pattern {
	const char *name;
	u64 cycle_s;
	u32 volume;
	u32 waf;
	u32 flash_gib;
	u32 busy_from_h;
	u32 busy_to_h;
	struct life_shape shape;
};

static const struct life_pattern patterns[] = {
	{ "proxy", WEEK_S, 494, 193, 32, 8, 18,
	  { 800, 900, 600, 1000, 200000, 60 } },
	{ "proj", WEEK_S, 208, 162, 32, 8, 20,
	  { 300, 300, 7200, 4000, 20000, 95 } },
	{ "exchange", DAY_S, 2061, 224, 128, 8, 18,
	  { 300, 1000, 600, 1020, 100000, 60 } },
	{ "map", DAY_S, 2382, 168, 128, 6, 22,
	  { 500, 1000, 600, 1500, 50000, 80 } },
	{ "msnfs", 6 * HOUR_S, 1819, 226, 128, 0, 24,
	  { 1000, 1000, 600, 1000, 300000, 60 } },
};

static const struct life_pattern *pattern_of(const char *name, struct sim_error *error)
{
	for (u32 i = 0; i < SIM_ARRAY_SIZE(patterns); i++)
		if (!strcmp(patterns[i].name, name))
			return &patterns[i];
	sim_error_set(error, "'%s' is not one of proxy, proj, exchange, map, msnfs", name);
	return NULL;
}

const char *life_load_names(u32 i)
{
	return i < SIM_ARRAY_SIZE(patterns) ? patterns[i].name : NULL;
}

/* ---- weights of the seconds ---- */

static u64 hour_weight(const struct life_pattern *p, const struct life_shape *shape, u64 second)
{
	const u64 hour = second % DAY_S / HOUR_S;
	u64 weight = PERMILLE;

	if (hour < p->busy_from_h || hour >= p->busy_to_h)
		weight = shape->quiet_permille;
	if (second % WEEK_S / DAY_S >= WORK_DAYS)
		weight = weight * shape->weekend_permille / PERMILLE;
	return weight;
}

/* One of @seconds: a burst, or not. The mean over many is the same as without bursts. */
static u64 second_weight(const struct life_shape *shape, struct sim_random *random, u64 weight)
{
	const bool burst = sim_random_below(random, PPM_ONE) < shape->burst_ppm;
	const u64 volume_pct = burst ? shape->burst_pct : 100 - shape->burst_pct;
	const u64 time_ppm = burst ? shape->burst_ppm : PPM_ONE - shape->burst_ppm;

	return weight * volume_pct * (PPM_ONE / 100) / time_ppm;
}

static void weigh(const struct life_pattern *p, const struct life_shape *shape, u64 seed,
		  u64 *weights)
{
	static struct lognormal lognormal;
	struct sim_random random;
	u64 stretch = 0;

	sim_random_init(&random, seed);
	lognormal_init(&lognormal, (u64)shape->spread_permille << WEIGHT_SHIFT,
		       PERMILLE << WEIGHT_SHIFT);
	for (u64 i = 0; i < p->cycle_s; i++) {
		if (i % shape->stretch_s == 0)
			stretch = (u64)(lognormal_draw(&lognormal, &random) / PERMILLE);
		weights[i] = second_weight(shape, &random,
					   stretch * hour_weight(p, shape, i) / PERMILLE);
	}
}

/* ---- pages of the seconds ---- */

bool life_load_scale(u64 *weights, u64 seconds, u64 pages)
{
	u128 total = 0, so_far = 0;
	u64 done = 0;

	for (u64 i = 0; i < seconds; i++)
		total += weights[i];
	if (!total)
		return false;
	for (u64 i = 0; i < seconds; i++) {
		so_far += weights[i];
		weights[i] = (u64)(so_far * pages / total) - done;
		done += weights[i];
	}
	return true;
}

/* Keeps the seconds with pages; those in front of the first one follow the last. */
static int load_keep(struct life_load *load, const u64 *pages, struct sim_error *error)
{
	u64 nr = 0, before = 0;

	for (u64 i = 0; i < load->seconds; i++)
		nr += pages[i] != 0;
	load->bursts = calloc(nr, sizeof(*load->bursts));
	if (!load->bursts)
		return sim_error_set(error, "not enough memory");
	for (u64 i = 0; i < load->seconds; i++) {
		if (pages[i])
			load->bursts[load->nr++].pages = (u32)pages[i];
		if (load->nr)
			load->bursts[load->nr - 1].rest_s++;
		else
			before++;
	}
	load->bursts[nr - 1].rest_s += (u32)before;
	return 0;
}

static int load_make(struct life_load *load, const struct life_pattern *p, u64 *weights,
		     struct sim_error *error)
{
	load->name = p->name;
	load->flash_bytes = p->flash_gib * GIB;
	load->pages = (u64)((u128)p->volume * p->waf * (GIB / PAGE_BYTES) * load->seconds /
			    (VOLUME_UNIT * HOUR_S));
	if (!load->pages || !life_load_scale(weights, load->seconds, load->pages))
		return sim_error_set(error, "the load writes nothing");
	return load_keep(load, weights, error);
}

int life_load_shape(const char *name, struct life_shape *shape, struct sim_error *error)
{
	const struct life_pattern *p = pattern_of(name, error);

	if (!p)
		return -1;
	*shape = p->shape;
	return 0;
}

int life_load_named(struct life_load *load, const char *name, const struct life_shape *shape,
		    u64 seed, struct sim_error *error)
{
	const struct life_pattern *p = pattern_of(name, error);
	u64 *weights;
	int r;

	memset(load, 0, sizeof(*load));
	if (!p)
		return -1;
	weights = calloc(p->cycle_s, sizeof(*weights));
	if (!weights)
		return sim_error_set(error, "not enough memory");
	load->seconds = p->cycle_s;
	weigh(p, shape ? shape : &p->shape, seed, weights);
	r = load_make(load, p, weights, error);
	free(weights);
	return r;
}

/* ---- traces ---- */

/* A cycle is at most as long as a year. */
#define TRACE_SECONDS_MAX (365 * DAY_S)

static int trace_weigh(struct trace *trace, u64 *weights, u64 *seconds, struct sim_error *error)
{
	struct sim_request request;
	int r;

	while ((r = trace_next(trace, &request)) > 0) {
		const u64 second = request.arrival_ns / NS_PER_S;

		if (second >= TRACE_SECONDS_MAX)
			return sim_error_set(error, "the trace is longer than a year");
		*seconds = second + 1;
		if (request.op == SIM_OP_WRITE || request.op == SIM_OP_WRITE_FUA)
			weights[second] += (request.size_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	}
	return r ? sim_error_set(error, "%s", trace_error(trace)) : 0;
}

int life_load_traced(struct life_load *load, const char *name, const char *path,
		     struct sim_error *error)
{
	const struct life_pattern *p = pattern_of(name, error);
	struct trace *trace;
	u64 *weights;
	int r;

	memset(load, 0, sizeof(*load));
	if (!p)
		return -1;
	trace = trace_open(path, NULL, error);
	if (!trace)
		return -1;
	/* pages that are never touched take no memory */
	weights = calloc(TRACE_SECONDS_MAX, sizeof(*weights));
	r = weights ? trace_weigh(trace, weights, &load->seconds, error) :
		      sim_error_set(error, "not enough memory");
	if (!r)
		r = load_make(load, p, weights, error);
	free(weights);
	trace_close(trace);
	return r;
}

void life_load_destroy(struct life_load *load)
{
	free(load->bursts);
	load->bursts = NULL;
}
