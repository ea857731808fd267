// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include "../common/json.h"
#include "../flash/report.h"

#define PERMILLE 1000
#define MS_DIGITS 3
#define TEXT_BYTES 64
#define TIB ((double)(1ULL << 40))
#define YEAR_S (365.0 * 24 * 3600)

static void report_params(struct json *json, const struct life_plan *plan)
{
	const u64 *value = (const u64 *)&plan->drive;
	char text[TEXT_BYTES];

	json_begin_object(json, "params");
	for (u32 i = SSDQOS_QOS_P_drive_throttle; i < SSDQOS_QOS_NR_PARAMS; i++) {
		const struct ssdqos_param *row = &ssdqos_qos_params[i];
		const u64 number = value[i - SSDQOS_QOS_NR_STREAM_PARAMS];

		ssdqos_param_format(row, number, text, sizeof(text));
		if (row->choices)
			json_string(json, row->name, text);
		else
			json_u64(json, row->name, number);
	}
	json_end(json);
}

static void report_load(struct json *json, const struct life_load *load)
{
	json_begin_object(json, "load");
	json_string(json, "name", load->name);
	json_u64(json, "flash_bytes", load->flash_bytes);
	json_u64(json, "cycle_s", load->seconds);
	json_u64(json, "cycle_bytes", load->pages * SSDQOS_READY_PAGE_BYTES);
	json_u64(json, "busy_s", load->nr);
	json_end(json);
}

/* Pairs of a time and how many responses were not longer. */
static void report_counts(struct json *json, const struct ssdqos_hist *h)
{
	u64 sum = 0;

	json_begin_array(json, "response_cdf");
	for (u32 i = 0; i < SSDQOS_HIST_NR; i++) {
		if (!h->bucket[i])
			continue;
		sum += h->bucket[i];
		json_begin_array(json, NULL);
		json_u64(json, NULL, ssdqos_hist_bucket_low_ns(i));
		json_u64(json, NULL, sum);
		json_end(json);
	}
	json_end(json);
}

static void report_lifetime(struct json *json, const struct life_result *result)
{
	json_fixed(json, "target_s", result->target_ns / NS_PER_MS, MS_DIGITS);
	if (result->lifetime_ns == SSDQOS_NEVER_NS)
		json_null(json, "lifetime_s");
	else
		json_fixed(json, "lifetime_s", result->lifetime_ns / NS_PER_MS, MS_DIGITS);
}

static void report_gauges(struct json *json, const char *name,
			  const struct ssdqos_ready_gauges *gauges)
{
	const s64 *value = (const s64 *)gauges;

	json_begin_object(json, name);
	for (u32 i = 0; i < SSDQOS_READY_NR_GAUGES; i++)
		json_s64(json, ssdqos_ready_gauge_names[i], value[i]);
	json_end(json);
}

int life_report_json(FILE *file, const struct life_plan *plan, const char *policy,
		     const struct life_result *result)
{
	struct json json;

	json_start(&json, file);
	json_begin_object(&json, NULL);
	json_string(&json, "policy", policy);
	report_load(&json, plan->load);
	report_lifetime(&json, result);
	json_u64(&json, "written_bytes", result->written_bytes);
	json_u64(&json, "spec_bytes", result->spec_bytes);
	json_u64(&json, "able_bytes", result->able_bytes);
	json_u64(&json, "constant_delay_ns", plan->delay_ns);
	json_u64(&json, "delay_ns", result->delay_ns);
	json_u64(&json, "stop_ns", result->stop_ns);
	json_u64(&json, "epochs", result->epochs);
	json_u64(&json, "good_epochs", result->good_epochs);
	report_hist(&json, "response_ns", &result->response);
	json_u64(&json, "first_week_p999_ns", result->first_week_p999_ns);
	json_u64(&json, "worst_week_p999_ns", result->worst_week_p999_ns);
	report_counts(&json, &result->response);
	report_gauges(&json, "gauges_at_half", &result->half);
	report_gauges(&json, "gauges", &result->gauges);
	report_params(&json, plan);
	json_end(&json);
	return json_finish(&json);
}

void life_report_text(FILE *file, const struct life_plan *plan, const char *policy,
		      const struct life_result *result)
{
	const struct ssdqos_hist *h = &result->response;

	fprintf(file, "%s, %s: ", plan->load->name, policy);
	if (result->lifetime_ns == SSDQOS_NEVER_NS)
		fprintf(file, "not worn out after %u times", LIFE_MOST_TARGETS);
	else
		fprintf(file, "%.4f years of",
			(double)result->lifetime_ns / NS_PER_S / YEAR_S);
	fprintf(file, " %.4f; by then %.1f TiB of %.1f written (%.1f without recovery)\n",
		(double)result->target_ns / NS_PER_S / YEAR_S, (double)result->written_bytes / TIB,
		(double)result->able_bytes / TIB, (double)result->spec_bytes / TIB);
	fprintf(file, "response us: mean %.0f  p50 %.0f  p99 %.0f  p99.9 %.0f  max %.0f\n",
		(double)ssdqos_hist_mean_ns(h) / NS_PER_US,
		(double)ssdqos_hist_percentile_ns(h, 500000) / NS_PER_US,
		(double)ssdqos_hist_percentile_ns(h, 990000) / NS_PER_US,
		(double)ssdqos_hist_percentile_ns(h, 999000) / NS_PER_US,
		(double)h->max_ns / NS_PER_US);
	fprintf(file, "p99.9 of a week's responses us: the first %.0f  the worst %.0f\n",
		(double)result->first_week_p999_ns / NS_PER_US,
		(double)result->worst_week_p999_ns / NS_PER_US);
	fprintf(file, "epochs: %llu, %.1f %% of them expected within 25 %%, now %.1f h long\n",
		result->epochs,
		result->epochs ? 100.0 * (double)result->good_epochs / (double)result->epochs : 0,
		(double)result->gauges.life_epoch_s / 3600);
}
