// SPDX-License-Identifier: GPL-2.0
#include "stream.h"

#define ERR_BYTES SIM_ERROR_BYTES
#define PCT 100

int qos_stream_set(struct ssdqos_qos_config *config, const struct pair *pair,
		   struct sim_error *error)
{
	char err[ERR_BYTES];

	if (ssdqos_qos_config_set(config, pair->key, pair->value, err, sizeof(err)) < 0)
		return sim_error_set(error, "%s", err);
	return 0;
}

static int set_urgent(struct qos_stream *stream, const char *value, struct sim_error *error)
{
	const struct ssdqos_param row = { .name = "urgent", .unit = "%", .min = 0, .max = PCT };
	char err[ERR_BYTES];
	u64 pct;

	if (ssdqos_param_parse(&row, value, &pct, err, sizeof(err)))
		return sim_error_set(error, "%s", err);
	stream->urgent_pct = (u32)pct;
	return 0;
}

static int set_word(struct qos_stream *stream, const struct pair *pair, struct sim_error *error)
{
	if (!strcmp(pair->key, "name"))
		strcpy(stream->name, pair->value);
	else if (!strcmp(pair->key, "load"))
		strcpy(stream->job, pair->value);
	else if (!strcmp(pair->key, "urgent"))
		return set_urgent(stream, pair->value, error);
	else
		return qos_stream_set(&stream->config, pair, error);
	return 0;
}

bool qos_stream_urgent(struct qos_stream *stream)
{
	stream->urgent_sum += stream->urgent_pct;
	if (stream->urgent_sum < PCT)
		return false;
	stream->urgent_sum -= PCT;
	return true;
}

int qos_stream_init(struct qos_stream *stream, const char *line,
		    const struct ssdqos_qos_config *common, u64 seed, u64 drive_bytes,
		    struct sim_error *error)
{
	struct text rest = text_of(line);
	struct sim_error why;
	struct pair pair;
	int r;

	stream->config = *common;
	ssdqos_hist_init(&stream->latency);
	while ((r = pair_take(&rest, &pair, &why)) > 0 && !set_word(stream, &pair, &why))
		;
	if (r)
		return sim_error_set(error, "--stream '%.80s': %s", line, why.text);
	if (stream_check_name(stream->name, error))
		return -1;
	if (!*stream->job)
		return sim_error_set(error, "--stream %s: load is missing", stream->name);
	stream->load = stream_load_create(stream->job, seed, drive_bytes, &why);
	if (!stream->load)
		return sim_error_set(error, "--stream %s: %s", stream->name, why.text);
	return 0;
}

/* A guarantee may go from reads to writes. */
static u64 nr_windows(const struct qos_stream *stream)
{
	return stream->edf.reads.stats.windows + stream->edf.writes.stats.windows;
}

static u64 nr_windows_idle(const struct qos_stream *stream)
{
	return stream->edf.reads.stats.windows_idle + stream->edf.writes.stats.windows_idle;
}

void qos_stream_look(struct qos_stream *stream)
{
	struct qos_achieved *achieved = &stream->achieved;
	const u64 windows = nr_windows(stream), idle = nr_windows_idle(stream);
	const u64 nr = windows - stream->windows - (idle - stream->windows_idle);
	const u64 last = qos_stream_owner(stream)->watch.counted;

	stream->windows = windows;
	stream->windows_idle = idle;
	if (!nr)
		return;
	if (!achieved->n || last < achieved->min)
		achieved->min = last;
	achieved->n += nr;
	achieved->sum += nr * last;
}

static void begin_window(struct ssdqos_edf_stream *s, u64 now_ns)
{
	const struct ssdqos_promise promise = s->watch.promise;

	ssdqos_watch_promise(&s->watch, &promise, now_ns);
}

void qos_stream_reset(struct qos_stream *stream, u64 now_ns)
{
	ssdqos_apart_reset_stats(stream->drive, &stream->edf);
	memset(&stream->ready.stats, 0, sizeof(stream->ready.stats));
	ssdqos_hist_init(&stream->latency);
	stream->moved_bytes = 0;
	begin_window(&stream->edf.reads, now_ns);
	begin_window(&stream->edf.writes, now_ns);
	stream->achieved = (struct qos_achieved){ 0 };
	stream->windows = nr_windows(stream);
	stream->windows_idle = nr_windows_idle(stream);
}

void qos_stream_end(struct qos_stream *stream)
{
	stream->end = *qos_stream_owner(stream);
	ssdqos_apart_stats(stream->drive, &stream->edf, &stream->end.stats);
	stream->ready_end = stream->ready.stats;
}

bool qos_stream_kept(const struct qos_stream *stream)
{
	const struct ssdqos_edf_stats *stats = &stream->end.stats;
	/* of those in which the client asked for as much */
	const u64 counted = stats->windows_met + stats->windows_missed;

	return stats->windows_met * SSDQOS_QOS_PERMILLE >=
	       counted * stream->end.cfg.confidence_permille;
}

void qos_stream_destroy(struct qos_stream *stream)
{
	client_stop(&stream->client);
	load_destroy(stream->load);
}
