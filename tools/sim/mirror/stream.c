// SPDX-License-Identifier: GPL-2.0
#include "stream.h"

#include <string.h>

#include "../load/stream.h"

#define ERR_BYTES SIM_ERROR_BYTES
/* As loads have it. */
#define DEPTH_MAX 65536U

/* ---- the line ---- */

static const char *const switches[] = { "off", "on", NULL };

static int take_row(const struct ssdqos_param *row, const char *value, u64 *number,
		    struct sim_error *error)
{
	char err[ERR_BYTES];

	if (ssdqos_param_parse(row, value, number, err, sizeof(err)))
		return sim_error_set(error, "%s", err);
	return 0;
}

static int set_fsync(struct mirror_stream *stream, const char *value, struct sim_error *error)
{
	const struct ssdqos_param row = { .name = "fsync", .unit = "", .max = 1, .choices = switches };
	u64 on;

	if (take_row(&row, value, &on, error))
		return -1;
	stream->fsync = on;
	return 0;
}

static int set_depth(struct mirror_stream *stream, const char *value, struct sim_error *error)
{
	const struct ssdqos_param row = { .name = "iodepth", .unit = "", .min = 1, .max = DEPTH_MAX };
	u64 depth;

	if (take_row(&row, value, &depth, error))
		return -1;
	stream->depth = (u32)depth;
	return 0;
}

static int set_source(struct mirror_stream *stream, const struct pair *pair, bool is_load,
		      bool *was_load, struct sim_error *error)
{
	if (*stream->source)
		return sim_error_set(error, "%s: it has a load or a trace already", pair->key);
	strcpy(stream->source, pair->value);
	*was_load = is_load;
	return 0;
}

/* @is_load: whether the source is one */
static int set_word(struct mirror_stream *stream, const struct pair *pair, bool *is_load,
		    struct sim_error *error)
{
	if (!strcmp(pair->key, "name")) {
		strcpy(stream->name, pair->value);
		return 0;
	}
	if (!strcmp(pair->key, "load"))
		return set_source(stream, pair, true, is_load, error);
	if (!strcmp(pair->key, "trace"))
		return set_source(stream, pair, false, is_load, error);
	if (!strcmp(pair->key, "fsync"))
		return set_fsync(stream, pair->value, error);
	if (!strcmp(pair->key, "iodepth"))
		return set_depth(stream, pair->value, error);
	if (!strcmp(pair->key, "loop"))
		return trace_parse_loops(pair->value, &stream->options.loops, error);
	if (!strcmp(pair->key, "scale"))
		return trace_parse_scale(pair->value, &stream->options.scale_ppm, error);
	return sim_error_set(error, "'%s' is not one of name, load, trace, fsync, and of a trace iodepth, loop, scale",
			     pair->key);
}

static int make_source(struct mirror_stream *stream, bool is_load, u64 seed, u64 drive_bytes,
		       struct sim_error *error)
{
	if (!*stream->source)
		return sim_error_set(error, "load or trace is missing");
	if (!is_load) {
		stream->trace = trace_open(stream->source, &stream->options, error);
		return stream->trace ? 0 : -1;
	}
	if (stream->depth || stream->options.loops || stream->options.scale_ppm)
		return sim_error_set(error, "iodepth, loop and scale are those of a trace; a load has its own");
	stream->load = stream_load_create(stream->source, seed, drive_bytes, error);
	return stream->load ? 0 : -1;
}

int mirror_stream_init(struct mirror_stream *stream, const char *line, u64 seed, u64 drive_bytes,
		       struct sim_error *error)
{
	struct text rest = text_of(line);
	struct sim_error why;
	bool is_load = false;
	struct pair pair;
	int r;

	mirror_stream_reset(stream);
	while ((r = pair_take(&rest, &pair, &why)) > 0 && !set_word(stream, &pair, &is_load, &why))
		;
	if (r)
		return sim_error_set(error, "--stream '%.80s': %s", line, why.text);
	if (stream_check_name(stream->name, error))
		return -1;
	if (make_source(stream, is_load, seed, drive_bytes, &why))
		return sim_error_set(error, "--stream %s: %s", stream->name, why.text);
	return 0;
}

/* ---- requests ---- */

static void read_ahead(struct mirror_stream *stream)
{
	stream->has_next = trace_next(stream->trace, &stream->next) > 0;
}

void mirror_stream_start(struct mirror_stream *stream)
{
	if (stream->load) {
		client_start(&stream->client, stream->load, 0);
		return;
	}
	stream->room = stream->depth;
	read_ahead(stream);
}

u64 mirror_stream_next_ns(const struct mirror_stream *stream)
{
	if (stream->load)
		return client_next_ns(&stream->client);
	if (!stream->has_next || (stream->depth && !stream->room))
		return SSDQOS_NEVER_NS;
	return stream->depth ? 0 : stream->next.arrival_ns;
}

bool mirror_stream_take(struct mirror_stream *stream, u64 now_ns, struct sim_request *request)
{
	if (stream->load)
		return client_take(&stream->client, now_ns, request);
	if (mirror_stream_next_ns(stream) > now_ns)
		return false;
	*request = stream->next;
	if (stream->depth)
		stream->room--;
	read_ahead(stream);
	return true;
}

void mirror_stream_completed(struct mirror_stream *stream, u64 now_ns)
{
	if (stream->load)
		client_completed(&stream->client, 1, now_ns);
	else if (stream->depth)
		stream->room++;
}

void mirror_stream_reset(struct mirror_stream *stream)
{
	for (u32 op = 0; op < SSDQOS_FLASH_NR_OPS; op++)
		ssdqos_hist_init(&stream->latency[op]);
	stream->moved_bytes = 0;
	stream->requests = 0;
	stream->bytes = 0;
	stream->windows = (struct mirror_windows){ 0 };
}

void mirror_stream_stop(struct mirror_stream *stream)
{
	if (stream->load)
		client_stop(&stream->client);
	stream->has_next = false;
}

const char *mirror_stream_error(const struct mirror_stream *stream)
{
	return stream->trace ? trace_error(stream->trace) : "";
}

void mirror_stream_destroy(struct mirror_stream *stream)
{
	mirror_stream_stop(stream);
	load_destroy(stream->load);
	trace_close(stream->trace);
}
