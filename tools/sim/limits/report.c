// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include "../common/json.h"

#define BYTES_PER_MB 1e6
#define BYTES_PER_GIB ((double)(1ULL << 30))
#define KIB_SHIFT 10
#define DIGITS 3
#define WHAT_BYTES 64
#define ONE_MILLI 1000.0
#define MS_PER_S 1e3
#define US_PER_S 1e6
#define PCT 100.0
#define HOURS_PER_NS (1.0 / (3600.0 * NS_PER_S))

static void report_number(struct json *json, const char *key, double value)
{
	json_fixed(json, key, (u64)(value * ONE_MILLI + 0.5), DIGITS);
}

static void report_load(struct json *json, const char *key, const struct limits *limits,
			const struct limits_load *load)
{
	json_begin_object(json, key);
	report_number(json, "plane_mb_s", load->plane_bytes_s / BYTES_PER_MB);
	report_number(json, "drive_mb_s",
		      load->plane_bytes_s * (double)limits->nr_planes / BYTES_PER_MB);
	report_number(json, "pages_per_s", load->pages_s);
	report_number(json, "copies_per_s", load->copies_s);
	report_number(json, "collect_ms_per_s", load->collect_s * MS_PER_S);
	json_u64(json, "width_max", load->width);
	json_end(json);
}

int limits_report_json(FILE *file, const struct limits *limits, const struct limits_wish *wish)
{
	struct json json;

	json_start(&json, file);
	json_begin_object(&json, NULL);
	json_bool(&json, "as_paper", wish->as_paper);
	json_u64(&json, "width", limits->width);
	json_u64(&json, "planes", limits->nr_planes);
	json_u64(&json, "page_bytes", limits->page_bytes);
	json_u64(&json, "plane_bytes", (u64)limits->plane_bytes);
	report_number(&json, "write_us", limits->write_s * US_PER_S);
	report_number(&json, "valid_pct", limits->valid * PCT);
	report_number(&json, "collect_us_per_page", limits->collect_s * US_PER_S);
	report_load(&json, "most", limits, &limits->most);
	report_load(&json, "asked", limits, &limits->asked);
	report_load(&json, "bound", limits, &limits->bound);
	report_number(&json, "bound_drive_writes", limits->bound_writes);
	report_number(&json, "drive_mb_s_max", limits->drive_bytes_s / BYTES_PER_MB);
	json_u64(&json, "buffer_bytes_min", (u64)(limits->buffer_bytes + 0.5));
	json_end(&json);
	return json_finish(&json);
}

static void print_load(FILE *file, const char *what, const struct limits *limits,
		       const struct limits_load *load)
{
	fprintf(file, "%s, %.3g MB/s in a plane, %.4g in the drive: %.0f pages written and %.0f copied a second, %.4g ms of collection; ",
		what, load->plane_bytes_s / BYTES_PER_MB,
		load->plane_bytes_s * (double)limits->nr_planes / BYTES_PER_MB, load->pages_s,
		load->copies_s, load->collect_s * MS_PER_S);
	if (load->width)
		fprintf(file, "planes can take turns in stripes of up to %llu\n", load->width);
	else
		fprintf(file, "planes can't take turns in any stripe\n");
}

static void print_asked(FILE *file, const struct limits *limits, const struct limits_wish *wish)
{
	char what[WHAT_BYTES];

	if (wish->write_bytes_s)
		snprintf(what, sizeof(what), "at the rate given");
	else
		snprintf(what, sizeof(what), "at %.4g drive writes in %.4g h",
			 (double)wish->writes_permille / ONE_MILLI,
			 (double)wish->day_ns * HOURS_PER_NS);
	print_load(file, what, limits, &limits->asked);
}

void limits_report_text(FILE *file, const struct limits *limits, const struct limits_wish *wish)
{
	fprintf(file, "%llu planes of %.4g GiB with pages of %llu KiB; a write takes its plane %.4g us\n",
		limits->nr_planes, limits->plane_bytes / BYTES_PER_GIB,
		limits->page_bytes >> KIB_SHIFT, limits->write_s * US_PER_S);
	fprintf(file, "victims are %.3g %% valid: %.4g us of collection for a page that is written%s\n",
		limits->valid * PCT, limits->collect_s * US_PER_S,
		wish->as_paper ? ", by the paper's rule" : "");
	print_load(file, "at most", limits, &limits->most);
	print_asked(file, limits, wish);
	fprintf(file, "in stripes of %llu, planes can take turns below %.3g MB/s in a plane, %.4g in the drive: %.3g drive writes in %.4g h\n",
		limits->width, limits->bound.plane_bytes_s / BYTES_PER_MB,
		limits->bound.plane_bytes_s * (double)limits->nr_planes / BYTES_PER_MB,
		limits->bound_writes, (double)wish->day_ns * HOURS_PER_NS);
	fprintf(file, "the buffer has to have at least %.4g MB: 1/%llu of what is written in a second%s\n",
		limits->buffer_bytes / BYTES_PER_MB, limits->width,
		wish->write_bytes_s ? "" : " at most");
}
