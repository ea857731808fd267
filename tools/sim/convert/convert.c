// SPDX-License-Identifier: GPL-2.0
#include "convert.h"

#include <stdlib.h>

#include "../common/lines.h"
#include "format.h"
#include "rows.h"
#include "write.h"

#define BAD_ROWS_QUOTED 5
#define DEVICES_NAMED 8
#define MIB_BYTES (1ULL << 20)
#define TENTHS 10

/**
 * struct conversion - one conversion under way
 * @options: what was asked for
 * @unit: unit of the times
 * @state: what the format remembers
 * @lines: the input
 * @rows: what was kept
 * @report: for bad rows and the summary
 * @left_out: good lines that are no requests to convert
 * @other_devices: requests of devices that were not asked for
 * @without_data: requests of 0 bytes
 * @bad: bad lines
 */
struct conversion {
	const struct convert_options *options;
	const struct convert_unit *unit;
	struct convert_state state;
	struct lines lines;
	struct convert_rows rows;
	FILE *report;
	u64 left_out;
	u64 other_devices;
	u64 without_data;
	u64 bad;
};

static void take_bad(struct conversion *conversion, struct text line, const char *expected)
{
	struct sim_quote quote;

	if (conversion->bad++ >= BAD_ROWS_QUOTED)
		return;
	fprintf(conversion->report, "convert: %s:%llu: bad row '%s' skipped, expected %s\n",
		conversion->lines.name, conversion->lines.number, sim_quote(&quote, line),
		expected);
}

static bool is_in_range(const struct sim_request *request)
{
	return request->offset_bytes <= SIM_ADDRESS_MAX_BYTES &&
	       request->size_bytes <= SIM_ADDRESS_MAX_BYTES - request->offset_bytes;
}

static int take_record(struct conversion *conversion, struct text line,
		       const struct convert_record *record, struct sim_error *error)
{
	const char *wanted = conversion->options->device;
	int device;

	if (!record->request.size_bytes) {
		conversion->without_data++;
		return 0;
	}
	if (!is_in_range(&record->request)) {
		take_bad(conversion, line, "offset plus size below 2^63");
		return 0;
	}
	device = convert_rows_device(&conversion->rows, record->device);
	if (device < 0) {
		take_bad(conversion, line, "fewer devices");
		return 0;
	}
	if (wanted && !text_is(record->device, wanted)) {
		conversion->other_devices++;
		return 0;
	}
	if (convert_rows_add(&conversion->rows, (u32)device, &record->request))
		return sim_error_set(error, "%s:%llu: not enough memory for more rows",
				     conversion->lines.name, conversion->lines.number);
	return 0;
}

static int take_line(struct conversion *conversion, struct text line, struct sim_error *error)
{
	struct convert_record record = { 0 };
	struct sim_quote quote;

	conversion->state.line = conversion->lines.number;
	switch (conversion->options->format->parse(&conversion->state, line, &record)) {
	case CONVERT_ROW:
		return take_record(conversion, line, &record, error);
	case CONVERT_LEFT_OUT:
		conversion->left_out++;
		return 0;
	case CONVERT_BAD:
		take_bad(conversion, line, conversion->state.expected);
		return 0;
	case CONVERT_WRONG_FORMAT:
		break;
	}
	return sim_error_set(error, "%s:%llu: '%s' is not format %s, expected %s",
			     conversion->lines.name, conversion->lines.number,
			     sim_quote(&quote, line), conversion->options->format->name,
			     conversion->state.expected);
}

static int read_lines(struct conversion *conversion, struct sim_error *error)
{
	struct text line;
	int ret;

	while ((ret = lines_next(&conversion->lines, &line, error)) > 0)
		if (!text_is_empty(text_trim(line)) && take_line(conversion, line, error))
			return -1;
	return ret;
}

/* "Q 0, D 17, C 17", so that the user sees which event to ask for. */
static void list_events(const struct conversion *conversion, char *buffer, size_t bytes)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (const char *event = conversion->options->format->events; *event && used < bytes;
	     event++)
		used += (size_t)snprintf(buffer + used, bytes - used, "%s%c %llu", used ? ", " : "",
					 *event, conversion->state.seen[*event - 'A']);
}

static void list_devices(const struct conversion *conversion, char *buffer, size_t bytes)
{
	const struct convert_rows *rows = &conversion->rows;
	struct sim_quote quote;
	size_t used = 0;

	buffer[0] = '\0';
	for (u32 i = 0; i < rows->nr_devices && i < DEVICES_NAMED && used < bytes; i++)
		used += (size_t)snprintf(buffer + used, bytes - used, "%s%s", used ? " " : "",
					 sim_quote(&quote, text_of(rows->by_name[i]->name)));
	if (rows->nr_devices > DEVICES_NAMED && used < bytes)
		snprintf(buffer + used, bytes - used, " and %u more",
			 rows->nr_devices - DEVICES_NAMED);
}

static int fail_empty(const struct conversion *conversion, struct sim_error *error)
{
	struct sim_quote quote;
	char list[SIM_ERROR_BYTES / 2];

	if (conversion->other_devices) {
		list_devices(conversion, list, sizeof(list));
		return sim_error_set(error, "%s: no request of device '%s', the devices are: %s",
				     conversion->lines.name,
				     sim_quote(&quote, text_of(conversion->options->device)), list);
	}
	if (conversion->state.event) {
		list_events(conversion, list, sizeof(list));
		return sim_error_set(error, "%s: no request with event %c, events seen: %s",
				     conversion->lines.name, conversion->state.event, list);
	}
	return sim_error_set(error, "%s: no request of format %s in %llu lines",
			     conversion->lines.name, conversion->options->format->name,
			     conversion->lines.number);
}

static int check_rows(const struct conversion *conversion, struct sim_error *error)
{
	const u64 good = conversion->rows.count + conversion->other_devices;

	if (conversion->bad > good)
		return sim_error_set(
			error,
			"%s: %llu of %llu rows are bad, so this is not format %s, or damaged",
			conversion->lines.name, conversion->bad, conversion->bad + good,
			conversion->options->format->name);
	return conversion->rows.count ? 0 : fail_empty(conversion, error);
}

static void report_source(const struct conversion *conversion)
{
	const struct convert_format *format = conversion->options->format;
	FILE *report = conversion->report;

	fprintf(report, "convert: %s: format %s", conversion->lines.name, format->name);
	if (conversion->state.version)
		fprintf(report, " version %u", conversion->state.version);
	if (conversion->state.event)
		fprintf(report, ", event %c", conversion->state.event);
	fprintf(report, ", time unit %s (%s), first row becomes time 0\n", conversion->unit->name,
		conversion->options->unit ? "given with --unit" :
					    "the format's own; another with --unit");
	fprintf(report, "convert: assumed: %s\n", format->assumed);
}

static void report_counts(const struct conversion *conversion)
{
	fprintf(conversion->report,
		"convert: rows: %llu lines read, %zu rows written, %llu bad rows skipped, %llu lines left out (no requests or other events), %llu of other devices, %llu without data, %llu out of time order now sorted\n",
		conversion->lines.number, conversion->rows.count, conversion->bad,
		conversion->left_out, conversion->other_devices, conversion->without_data,
		conversion->rows.disorder);
}

static void report_devices(const struct conversion *conversion)
{
	const struct convert_rows *rows = &conversion->rows;
	char list[SIM_ERROR_BYTES];

	if (conversion->options->device || rows->nr_devices < 2)
		return;
	list_devices(conversion, list, sizeof(list));
	fprintf(conversion->report,
		"convert: devices: %u laid one after another in this order: %s (choose one with --device)\n",
		rows->nr_devices, list);
}

static u64 mib_tenths(u64 bytes)
{
	return (u64)((u128)bytes * TENTHS / MIB_BYTES);
}

static void report_load(const struct conversion *conversion)
{
	const struct convert_rows *rows = &conversion->rows;
	const u64 footprint = mib_tenths(rows->footprint_bytes);
	const u64 end = mib_tenths(rows->end_bytes);
	const u64 rate = rows->duration_ns ?
				 (u64)((u128)rows->count * NS_PER_S * TENTHS / rows->duration_ns) :
				 0;

	fprintf(conversion->report,
		"convert: trace: duration %llu.%09llu s (mean %llu.%llu requests/s), R/W/D %llu/%llu/%llu, footprint %llu.%llu MiB in 4 KiB pages, ends at %llu.%llu MiB\n",
		rows->duration_ns / NS_PER_S, rows->duration_ns % NS_PER_S, rate / TENTHS,
		rate % TENTHS, rows->ops[SIM_OP_READ], rows->ops[SIM_OP_WRITE],
		rows->ops[SIM_OP_DISCARD], footprint / TENTHS, footprint % TENTHS, end / TENTHS,
		end % TENTHS);
}

static int convert_lines(struct conversion *conversion, struct sim_error *error)
{
	if (read_lines(conversion, error))
		return -1;
	convert_rows_order_devices(&conversion->rows);
	report_source(conversion);
	report_counts(conversion);
	if (check_rows(conversion, error) || convert_rows_finish(&conversion->rows, error))
		return -1;
	report_devices(conversion);
	report_load(conversion);
	return convert_write(&conversion->rows, conversion->options->output, error);
}

int convert_run(const struct convert_options *options, FILE *report, struct sim_error *error)
{
	struct conversion *conversion = calloc(1, sizeof(*conversion));
	int ret;

	if (!conversion)
		return sim_error_set(error, "not enough memory to convert %s", options->input);
	conversion->options = options;
	conversion->report = report;
	conversion->unit = options->unit ? options->unit : convert_find_unit(options->format->unit);
	conversion->state.unit_ns = conversion->unit->ns;
	conversion->state.event = options->event ? options->event : options->format->events[0];
	ret = lines_open(&conversion->lines, options->input, 0, error);
	if (!ret)
		ret = convert_lines(conversion, error);
	lines_close(&conversion->lines);
	convert_rows_free(&conversion->rows);
	free(conversion);
	return ret;
}
