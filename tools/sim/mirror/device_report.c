// SPDX-License-Identifier: GPL-2.0
#include "device_report.h"

#define PCT 100
#define TEXT_BYTES 64
#define P999_PPM 999000

/* ---- for scripts ---- */

static void report_params(struct json *json, const struct ssdqos_mirror_config *cfg)
{
	const u64 *value = (const u64 *)cfg;
	char text[TEXT_BYTES];

	json_begin_object(json, "params");
	for (u32 i = 0; i < SSDQOS_MIRROR_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_mirror_params[i];

		ssdqos_param_format(row, value[i], text, sizeof(text));
		if (row->choices)
			json_string(json, row->name, text);
		else
			json_u64(json, row->name, value[i]);
	}
	json_end(json);
}

static void report_states(struct json *json, const struct mirror_device *device,
			  const struct mirror_measure *measure)
{
	json_begin_array(json, "members");
	for (u32 i = 0; i < device->mirror.nr; i++) {
		json_begin_object(json, NULL);
		for (u32 state = 0; state < SSDQOS_NR_MIRROR_STATES; state++)
			json_u64(json, ssdqos_mirror_state_names[state],
				 measure->watch.state_ns[i][state]);
		json_end(json);
	}
	json_end(json);
}

static void report_journal_device(struct json *json, const struct journal_device *device)
{
	json_begin_object(json, "device");
	if (device->drive.nr) {
		report_drive(json, device->drive.member[0].drive);
	} else {
		json_u64(json, "latency_ns", device->latency_ns);
		json_u64(json, "bytes_per_s", device->rate);
	}
	json_end(json);
}

static void report_journal(struct json *json, const struct mirror_device *device,
			   const struct mirror_measure *measure)
{
	const struct mirror_journal *journal = &device->journal;

	json_begin_object(json, "journal");
	json_bool(json, "lost", !journal->flow.on);
	json_u64(json, "blocks", journal->flow.ring.area);
	json_u64(json, "most_used", measure->watch.journal_high);
#define S(name) json_u64(json, #name, measure->counts.name);
	MIRROR_JOURNAL_COUNTS(S)
#undef S
	report_hist(json, "latency_ns", &measure->journal_latency);
	report_journal_device(json, &journal->device);
	json_end(json);
}

static void report_mirror(struct json *json, const struct mirror_device *device,
			  const struct mirror_measure *measure)
{
	const u64 *stat = (const u64 *)&measure->stats;

	json_begin_object(json, "mirror");
	for (u32 i = 0; i < SSDQOS_NR_MIRROR_STATS; i++)
		json_u64(json, ssdqos_mirror_stat_names[i], stat[i]);
	json_u64(json, "cache_blocks", device->mirror.cache.nr);
	json_u64(json, "cache_high_blocks", measure->watch.cache_high);
	json_u64(json, "failed_requests", measure->watch.failed);
	if (device->data.is_on)
		json_u64(json, "wrong_blocks", measure->watch.wrong);
	else
		json_null(json, "wrong_blocks");
	report_states(json, device, measure);
	if (device->has_journal)
		report_journal(json, device, measure);
	report_params(json, &device->mirror.cfg);
	json_end(json);
}

void mirror_device_report_json(struct json *json, const struct mirror_device *device,
			       const struct mirror_measure *measure)
{
	if (device->peer == MIRROR_PEER_IANUS)
		report_mirror(json, device, measure);
	json_begin_array(json, "drives");
	for (u32 i = 0; i < device->members.nr; i++) {
		json_begin_object(json, NULL);
		report_drive(json, device->members.member[i].drive);
		json_end(json);
	}
	json_end(json);
}

/* ---- for people ---- */

static void print_journal(FILE *file, const struct mirror_device *device,
			  const struct mirror_measure *measure)
{
	const struct ssdqos_hist *h = &measure->journal_latency;

	fprintf(file, "journal: %llu records of %.1f blocks, durable after %.1f us (99.9 %%: %.1f us), %llu times without room, at most %.1f%% used%s\n",
		measure->counts.records,
		(double)measure->counts.data_blocks / (double)max(measure->counts.records, 1ULL),
		(double)ssdqos_hist_mean_ns(h) / NS_PER_US,
		(double)ssdqos_hist_percentile_ns(h, P999_PPM) / NS_PER_US, measure->counts.waits,
		(double)measure->watch.journal_high * PCT / (double)device->journal.flow.ring.area,
		device->journal.flow.on ? "" : ", then lost");
}

static void print_mirror(FILE *file, const struct mirror_device *device,
			 const struct mirror_measure *measure)
{
	const struct ssdqos_mirror_stats *stats = &measure->stats;

	fprintf(file, "\nmirror: %llu turns (%llu of a full cache), %llu writes waited, at most %.1f%% of the cache used\n",
		stats->switches, stats->full_switches, stats->waits,
		(double)measure->watch.cache_high * PCT / device->mirror.cache.nr);
	if (device->has_journal)
		print_journal(file, device, measure);
	for (u32 i = 0; i < device->mirror.nr; i++) {
		fprintf(file, "member %u:", i);
		for (u32 state = 0; state < SSDQOS_NR_MIRROR_STATES; state++)
			if (measure->watch.state_ns[i][state])
				fprintf(file, " %s %.3f s", ssdqos_mirror_state_names[state],
					(double)measure->watch.state_ns[i][state] / NS_PER_S);
		fputc('\n', file);
	}
}

void mirror_device_report_text(FILE *file, const struct mirror_device *device,
			       const struct mirror_measure *measure)
{
	if (device->peer == MIRROR_PEER_IANUS)
		print_mirror(file, device, measure);
}
