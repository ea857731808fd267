// SPDX-License-Identifier: GPL-2.0
#include "qos_stream.h"

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

void qos_stream_look(struct qos_stream *stream)
{
	const struct ssdqos_edf_stats *stats = &stream->edf.stats;
	struct qos_achieved *achieved = &stream->achieved;
	const u64 nr = stats->windows - stream->windows -
		       (stats->windows_idle - stream->windows_idle);
	const u64 last = stream->edf.watch.achieved;

	stream->windows = stats->windows;
	stream->windows_idle = stats->windows_idle;
	if (!nr)
		return;
	if (!achieved->n || last < achieved->min)
		achieved->min = last;
	achieved->n += nr;
	achieved->sum += nr * last;
}

void qos_stream_reset(struct qos_stream *stream, u64 now_ns)
{
	const struct ssdqos_promise promise = stream->edf.watch.promise;

	ssdqos_edf_reset_stats(&stream->edf);
	memset(&stream->ready.stats, 0, sizeof(stream->ready.stats));
	ssdqos_hist_init(&stream->latency);
	stream->moved_bytes = 0;
	ssdqos_watch_promise(&stream->edf.watch, &promise, now_ns);
	stream->achieved = (struct qos_achieved){ 0 };
	stream->windows = stream->edf.stats.windows;
	stream->windows_idle = stream->edf.stats.windows_idle;
}

bool qos_stream_kept(const struct qos_stream *stream)
{
	const struct ssdqos_edf_stats *stats = &stream->end.stats;

	return (stats->windows - stats->windows_missed) * SSDQOS_QOS_PERMILLE >=
	       stats->windows * stream->end.cfg.confidence_permille;
}

void qos_stream_destroy(struct qos_stream *stream)
{
	client_stop(&stream->client);
	load_destroy(stream->load);
}
