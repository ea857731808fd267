// SPDX-License-Identifier: GPL-2.0
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "../../../dm-ssdqos/core/engine/fixed.h"

/* Pages go together while their delays are not more than that. */
#define MOST_DELAY_NS NS_PER_S
/* Epochs that don't matter are a week, because their ends take time. */
#define BRIEF_WINDOWS 1008
#define P999_PPM 999000
#define WEEK_NS (7 * 24 * 3600 * NS_PER_S)

/**
 * struct life - a life under way
 * @plan: what is simulated
 * @result: what came of it so far
 * @ready: the drive
 * @stream: its only client
 * @now_ns: time
 * @check_ns: when to look whether it is worn out, and at the target
 * @worn_bytes: used when it was worn out
 * @limit_fp: threshold voltage at which that is
 * @pending: pages that went, and are not yet charged
 * @room: pages that may go without asking again
 * @stopped_ns: how long the next page has been waiting
 * @week: responses of this week
 * @week_ns: end of it
 * @counted: the target is behind
 * @series_ns: end of the interval under way
 * @series_used: bytes used at its begin
 * @series_stop_ns: stops by then
 */
struct life {
	const struct life_plan *plan;
	struct life_result *result;
	struct ssdqos_ready *ready;
	struct ssdqos_ready_stream stream;
	u64 now_ns;
	u64 check_ns;
	u64 worn_bytes;
	u64 limit_fp;
	u64 pending;
	u64 room;
	u64 stopped_ns;
	struct ssdqos_hist week;
	u64 week_ns;
	bool counted;
	u64 series_ns;
	u64 series_used;
	u64 series_stop_ns;
};

/* ---- what is counted ---- */

static void count_alike(struct ssdqos_hist *h, u64 response_ns, u64 nr)
{
	ssdqos_hist_add(h, response_ns);
	h->n += nr - 1;
	h->sum_ns += response_ns * (nr - 1);
	h->bucket[ssdqos_hist_bucket(response_ns)] += nr - 1;
}

static void count_responses(struct life *l, u64 response_ns, u64 nr)
{
	if (!nr)
		return;
	count_alike(&l->result->response, response_ns, nr);
	count_alike(&l->week, response_ns, nr);
}

/* A week has passed. */
static void count_week(struct life *l)
{
	struct life_result *result = l->result;
	const u64 p999_ns = ssdqos_hist_percentile_ns(&l->week, P999_PPM);

	if (l->week_ns == WEEK_NS)
		result->first_week_p999_ns = p999_ns;
	if (p999_ns > result->worst_week_p999_ns)
		result->worst_week_p999_ns = p999_ns;
	ssdqos_hist_init(&l->week);
	l->week_ns += WEEK_NS;
}

/* Pages went, the first of them after a stop, and each was delayed. */
static void count_pages(struct life *l, u64 nr, u64 delay_ns)
{
	if (l->counted || l->plan->brief)
		return;
	l->result->delay_ns += nr * delay_ns;
	if (l->stopped_ns) {
		count_responses(l, LIFE_SERVICE_NS + delay_ns + l->stopped_ns, 1);
		l->result->stop_ns += l->stopped_ns;
		l->stopped_ns = 0;
		nr--;
	}
	count_responses(l, LIFE_SERVICE_NS + delay_ns, nr);
}

/* ---- the series ---- */

static void series_row(struct life *l)
{
	FILE *file = l->plan->series.file;
	const struct ssdqos_ready *r = l->ready;

	fprintf(file, "%llu.%03llu,%llu,%s,%llu,%llu,%llu\n", l->series_ns / NS_PER_S,
		l->series_ns % NS_PER_S / NS_PER_MS, r->delay_ns + l->plan->delay_ns,
		ssdqos_ready_why_names[r->why], r->epoch.length_ns / NS_PER_S,
		r->used_bytes - l->series_used, l->result->stop_ns - l->series_stop_ns);
}

/* Writes the rows of the intervals that end by now. */
static void series_show(struct life *l)
{
	const struct life_series *series = &l->plan->series;

	for (; l->series_ns <= l->now_ns; l->series_ns += series->interval_ns) {
		if (l->series_ns > series->from_ns)
			series_row(l);
		l->series_used = l->ready->used_bytes;
		l->series_stop_ns = l->result->stop_ns;
		if (l->series_ns >= series->to_ns) {
			l->series_ns = SSDQOS_NEVER_NS;
			return;
		}
	}
}

static void series_start(struct life *l)
{
	const struct life_series *series = &l->plan->series;

	l->series_ns = SSDQOS_NEVER_NS;
	if (!series->file)
		return;
	fprintf(series->file, "time_s,delay_ns,why,epoch_s,used_bytes,stop_ns\n");
	l->series_ns = series->from_ns;
}

/* ---- looking at the drive ---- */

static u64 able_bytes(const struct life *l)
{
	const struct ssdqos_ready *r = l->ready;
	const u64 left_fp = ssdqos_recovery_left_fp(&r->recovery);

	if (l->result->lifetime_ns != SSDQOS_NEVER_NS)
		return l->worn_bytes;
	return r->used_bytes + (u64)((u128)r->endurance_bytes * left_fp /
				     ((u128)SSDQOS_RECOVERY_CYCLES << SSDQOS_FP_SHIFT));
}

static void at_target(struct life *l)
{
	struct life_result *result = l->result;

	l->counted = true;
	result->written_bytes = l->ready->used_bytes;
	result->spec_bytes = l->ready->endurance_bytes;
	result->able_bytes = able_bytes(l);
	result->epochs = l->ready->epochs;
	result->good_epochs = l->ready->good_epochs;
	ssdqos_ready_look(l->ready, l->now_ns, &result->gauges);
}

static void flush(struct life *l)
{
	if (l->pending)
		ssdqos_ready_bulk(&l->stream, l->pending * SSDQOS_READY_PAGE_BYTES, l->now_ns);
	l->pending = 0;
}

static void search(struct life *l)
{
	static u64 sums[SSDQOS_READY_NR_SUMS];
	u32 nr;

	/* it takes time, and who does not delay does not care */
	if (l->plan->fixed_epochs || l->plan->drive.drive_throttle < SSDQOS_QOS_DYNAMIC) {
		l->ready->search = false;
		return;
	}
	nr = ssdqos_ready_history(l->ready, sums);
	ssdqos_ready_search(l->ready, ssdqos_ready_best_windows(sums, nr,
					ssdqos_ready_most_windows(l->ready)));
}

static u64 most_ns(const struct life_plan *plan, const struct life_result *result)
{
	return (plan->brief ? 1 : LIFE_MOST_TARGETS) * result->target_ns;
}

/* Events are what an administrator is told, so they have to agree with what happens. */
static void hear(struct life *l)
{
	struct ssdqos_watch_event events[SSDQOS_READY_MAX_EVENTS];
	const u32 nr = ssdqos_ready_tick(l->ready, l->now_ns, events);
	struct life_result *result = l->result;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (events[i].kind == SSDQOS_WATCH_LIFE_REACHED)
			result->reached_ns = l->now_ns;
		if (events[i].kind == SSDQOS_WATCH_LIFE_SPENT && result->spent_ns == SSDQOS_NEVER_NS)
			result->spent_ns = l->now_ns;
	}
}

/* Cells wear once a window. */
static void check(struct life *l)
{
	struct ssdqos_ready *r = l->ready;
	struct life_result *result = l->result;

	hear(l);
	l->room = 0;
	if (result->lifetime_ns == SSDQOS_NEVER_NS && r->recovery.vth_fp >= l->limit_fp) {
		result->lifetime_ns = l->now_ns;
		l->worn_bytes = r->used_bytes;
	}
	if (!l->counted && l->now_ns >= l->week_ns)
		count_week(l);
	if (!result->half.life_age_s && l->now_ns >= result->target_ns / 2)
		ssdqos_ready_look(r, l->now_ns, &result->half);
	if (!l->counted && l->now_ns >= result->target_ns)
		at_target(l);
	l->check_ns = r->window_end_ns;
	if (!l->counted && l->check_ns > result->target_ns)
		l->check_ns = result->target_ns;
	if (l->plan->progress)
		progress_show_years(l->plan->progress, l->now_ns, most_ns(l->plan, result));
}

/* ---- seconds ---- */

static bool is_free(const struct life *l)
{
	return !l->ready->enforcing || l->counted;
}

/* Time goes on; somebody who looks sees what went before. */
static void pass(struct life *l, u64 ns)
{
	const u64 end_ns = l->now_ns + ns;

	if (end_ns >= l->check_ns || end_ns >= l->series_ns)
		flush(l);
	l->now_ns = end_ns;
}

static void stop(struct life *l)
{
	const u64 until_ns = ssdqos_ready_bulk_stop(&l->stream, l->now_ns);

	l->stopped_ns += until_ns - l->now_ns;
	l->now_ns = until_ns;
}

/*
 * Room grows within a window, so what was found is good until then; but a fixed rate wants to know
 * of each second what it has used.
 */
static void find_room(struct life *l)
{
	u64 bytes;

	flush(l);
	bytes = ssdqos_ready_room(&l->stream, l->now_ns);
	/* a request goes if there is any room, as in the kernel */
	l->room = bytes / SSDQOS_READY_PAGE_BYTES + !!(bytes % SSDQOS_READY_PAGE_BYTES);
}

/* Pages go as far as there is room. Returns how many. */
static u64 go(struct life *l, u64 wanted)
{
	const u64 delay_ns = l->stream.delay_ns;
	u64 nr = wanted;

	if (!l->room)
		find_room(l);
	if (!l->room) {
		stop(l);
		return 0;
	}
	if (nr > l->room)
		nr = l->room;
	if (nr * delay_ns > MOST_DELAY_NS)
		nr = MOST_DELAY_NS / delay_ns ? MOST_DELAY_NS / delay_ns : 1;
	l->room -= nr;
	l->pending += nr;
	count_pages(l, nr, delay_ns);
	if (l->plan->drive.drive_throttle == SSDQOS_QOS_STATIC) {
		flush(l);
		l->room = 0;
	}
	pass(l, nr * delay_ns);
	return nr;
}

static bool is_done(const struct life *l)
{
	const bool worn = l->result->lifetime_ns != SSDQOS_NEVER_NS;

	if (l->plan->brief)
		return worn || l->counted;
	return l->counted && (worn || l->now_ns >= most_ns(l->plan, l->result));
}

static void burst(struct life *l, const struct life_burst *burst)
{
	u64 left = burst->pages;

	while (left && !is_free(l)) {
		left -= go(l, left);
		if (l->now_ns >= l->check_ns)
			check(l);
		if (l->now_ns >= l->series_ns)
			series_show(l);
	}
	if (left) {
		l->pending += left;
		count_pages(l, left, l->plan->delay_ns);
		pass(l, left * l->plan->delay_ns + burst->rest_s * NS_PER_S);
	} else {
		pass(l, burst->rest_s * NS_PER_S);
	}
}

/* Bursts until something is to be looked at, or the cycle ends, where only wear counts. */
static u64 hurry(struct life *l, u64 i)
{
	const struct life_load *load = l->plan->load;
	const u64 delay_ns = l->plan->delay_ns;
	u64 now_ns = l->now_ns, pages = 0;

	for (; i < load->nr && now_ns < l->check_ns; i++) {
		pages += load->bursts[i].pages;
		now_ns += load->bursts[i].pages * delay_ns + load->bursts[i].rest_s * NS_PER_S;
	}
	l->pending += pages;
	flush(l);
	l->now_ns = now_ns;
	return i;
}

static void live(struct life *l)
{
	const struct life_load *load = l->plan->load;
	u64 i = 0;

	while (!is_done(l)) {
		if (l->plan->brief)
			i = hurry(l, i);
		else
			burst(l, &load->bursts[i++]);
		if (i >= load->nr)
			i = 0;
		if (l->now_ns >= l->check_ns)
			check(l);
		if (l->now_ns >= l->series_ns)
			series_show(l);
		if (l->ready->search)
			search(l);
	}
}

int life_run(const struct life_plan *plan, struct life_result *result, struct sim_error *error)
{
	struct life l = { .plan = plan, .result = result };

	l.ready = ssdqos_ready_create();
	if (!l.ready)
		return sim_error_set(error, "not enough memory");
	memset(result, 0, sizeof(*result));
	ssdqos_hist_init(&result->response);
	ssdqos_hist_init(&l.week);
	l.week_ns = WEEK_NS;
	result->lifetime_ns = SSDQOS_NEVER_NS;
	result->reached_ns = SSDQOS_NEVER_NS;
	result->spent_ns = SSDQOS_NEVER_NS;
	result->target_ns = plan->drive.drive_lifetime_h * 3600 * NS_PER_S;
	l.limit_fp = ssdqos_recovery_trap_fp((u64)SSDQOS_RECOVERY_CYCLES << SSDQOS_FP_SHIFT);
	ssdqos_ready_add(l.ready, &l.stream, 0);
	ssdqos_ready_set(l.ready, &plan->drive, plan->load->flash_bytes, 0);
	if (plan->brief)
		ssdqos_ready_search(l.ready, BRIEF_WINDOWS);
	l.check_ns = l.ready->window_end_ns;
	series_start(&l);
	live(&l);
	if (plan->progress)
		progress_end(plan->progress);
	ssdqos_ready_remove(&l.stream);
	ssdqos_ready_destroy(l.ready);
	return 0;
}

/* ---- the optimum ---- */

/* A life that is longer by less than that is as long as it should be. */
#define FIT_PPM 200
/* A guess is at least so far, in 1/16, from the ends of what is possible. */
#define GUESS_SIXTEENTHS 1

/**
 * struct life_trial - a delay, and what it leads to
 * @delay_ns: of every page
 * @fit_ppm: lifetime in parts of the target; beyond it, what could be written in parts of what was
 */
struct life_trial {
	u64 delay_ns;
	u64 fit_ppm;
};

static int try_delay(struct life_plan *plan, u64 delay_ns, struct life_trial *trial,
		     struct sim_error *error)
{
	static struct life_result result;

	plan->delay_ns = delay_ns;
	if (life_run(plan, &result, error))
		return -1;
	trial->delay_ns = delay_ns;
	if (result.lifetime_ns < result.target_ns)
		trial->fit_ppm = (u64)((u128)result.lifetime_ns * PPM_ONE / result.target_ns);
	else
		trial->fit_ppm = (u64)((u128)result.able_bytes * PPM_ONE /
				       (result.written_bytes + 1));
	return 0;
}

/* Where a line between the two would fit, but not too close to either. */
static u64 guess_ns(const struct life_trial *low, const struct life_trial *high)
{
	const u64 range_ns = high->delay_ns - low->delay_ns;
	const u64 edge_ns = range_ns * GUESS_SIXTEENTHS / 16;
	u64 part_ns = (u64)((u128)range_ns * (PPM_ONE + FIT_PPM / 2 - low->fit_ppm) /
			    (high->fit_ppm - low->fit_ppm));

	if (part_ns < edge_ns)
		part_ns = edge_ns;
	if (part_ns > range_ns - edge_ns)
		part_ns = range_ns - edge_ns;
	return low->delay_ns + part_ns;
}

int life_best_delay_ns(const struct life_plan *plan, u64 *delay_ns, struct sim_error *error)
{
	struct life_plan trial = *plan;
	struct life_trial low, high, middle;

	trial.brief = true;
	trial.fixed_epochs = true;
	trial.series.file = NULL;
	if (try_delay(&trial, 0, &high, error))
		return -1;
	low = high;
	while (high.fit_ppm < PPM_ONE) {
		low = high;
		if (try_delay(&trial, high.delay_ns ? 2 * high.delay_ns : LIFE_SERVICE_NS / 2,
			      &high, error))
			return -1;
	}
	while (high.fit_ppm > PPM_ONE + FIT_PPM && high.delay_ns > low.delay_ns + 1) {
		if (try_delay(&trial, guess_ns(&low, &high), &middle, error))
			return -1;
		if (middle.fit_ppm < PPM_ONE)
			low = middle;
		else
			high = middle;
	}
	*delay_ns = high.delay_ns;
	return 0;
}
