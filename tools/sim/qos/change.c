// SPDX-License-Identifier: GPL-2.0
#include "change.h"

#include "../common/quantity.h"

#define ERR_BYTES SIM_ERROR_BYTES

static int fail(const struct qos_change *change, const char *why, struct sim_error *error)
{
	return sim_error_set(error, "--at '%.80s': %s", change->line, why);
}

static int find_target(struct qos_change *change, struct text name, struct qos_stream *streams,
		       u32 nr, struct sim_error *error)
{
	struct sim_quote quote;

	if (text_is(name, STREAM_DRIVE_NAME))
		return 0;
	for (u32 i = 0; i < nr; i++) {
		if (text_is(name, streams[i].name)) {
			change->stream = &streams[i];
			return 0;
		}
	}
	return sim_error_set(error, "'%s' is neither a stream nor " STREAM_DRIVE_NAME,
			     sim_quote(&quote, name));
}

static int set_stream(const struct qos_change *change, struct ssdqos_qos_config *config,
		      struct sim_error *error)
{
	struct text rest = change->words;
	struct pair pair;
	int r;

	while ((r = pair_take(&rest, &pair, error)) > 0)
		if (qos_stream_set(config, &pair, error))
			return -1;
	return r;
}

static int set_drive(const struct qos_change *change, struct ssdqos_flash_config *config,
		     struct sim_error *error)
{
	struct text rest = change->words;
	char err[ERR_BYTES];
	struct pair pair;
	int i, r;

	while ((r = pair_take(&rest, &pair, error)) > 0) {
		i = ssdqos_flash_config_set(config, pair.key, pair.value, err, sizeof(err));
		if (i < 0)
			return sim_error_set(error, "%s", err);
		if (ssdqos_flash_params[i].when != SSDQOS_PARAM_LIVE)
			return sim_error_set(error, "%s can't be changed while the drive runs",
					     pair.key);
	}
	return r;
}

static int check(struct qos_change *change, struct qos_stream *streams, u32 nr,
		 const struct qos_below *below, struct sim_error *error)
{
	struct ssdqos_flash_config flash = *ssdqos_flash_config(qos_below_drive(below, 0));
	struct text rest = text_of(change->line), time, name;
	struct ssdqos_qos_config config;

	ssdqos_qos_config_init(&config);
	if (!text_take_word(&rest, &time) || !quantity_time_ns(time, &change->at_ns) ||
	    !text_take_word(&rest, &name) || text_is_empty(text_trim(rest)))
		return sim_error_set(error, "it is not TIME NAME KEY=VALUE...");
	change->words = rest;
	if (find_target(change, name, streams, nr, error))
		return -1;
	return change->stream ? set_stream(change, &config, error) :
				set_drive(change, &flash, error);
}

int qos_change_init(struct qos_change *change, const char *line, struct qos_stream *streams,
		    u32 nr, const struct qos_below *below, struct sim_error *error)
{
	struct sim_error why;

	*change = (struct qos_change){ .line = line };
	return check(change, streams, nr, below, &why) ? fail(change, why.text, error) : 0;
}

/* Those of one time stay in the order of the command line. */
void qos_change_sort(struct qos_change *changes, u32 nr)
{
	for (u32 i = 1; i < nr; i++) {
		const struct qos_change change = changes[i];
		u32 j = i;

		for (; j && changes[j - 1].at_ns > change.at_ns; j--)
			changes[j] = changes[j - 1];
		changes[j] = change;
	}
}

static int apply_stream(const struct qos_change *change, u64 now_ns, struct sim_error *error)
{
	struct qos_stream *stream = change->stream;
	struct ssdqos_qos_config config;
	char err[ERR_BYTES];

	ssdqos_qos_config_init(&config);
	config.stream = qos_stream_owner(stream)->cfg;
	config.drive = stream->drive->reads->cfg;
	if (set_stream(change, &config, error))
		return -1;
	if (ssdqos_apart_set(stream->drive, &stream->edf, &config, now_ns, err, sizeof(err)))
		return sim_error_set(error, "%s", err);
	return 0;
}

/* All drives of a mirror change. */
static int apply_drive(const struct qos_change *change, struct qos_below *below,
		       struct sim_error *error)
{
	struct ssdqos_flash *drive;
	char err[ERR_BYTES];

	for (u32 i = 0; (drive = qos_below_drive(below, i)); i++) {
		struct ssdqos_flash_config config = *ssdqos_flash_config(drive);

		if (set_drive(change, &config, error))
			return -1;
		if (ssdqos_flash_retune(drive, &config, err, sizeof(err)))
			return sim_error_set(error, "%s", err);
	}
	return 0;
}

int qos_change_apply(const struct qos_change *change, struct qos_below *below, u64 now_ns,
		     struct sim_error *error)
{
	struct sim_error why;
	int r = change->stream ? apply_stream(change, now_ns, &why) :
				 apply_drive(change, below, &why);

	return r ? fail(change, why.text, error) : 0;
}
