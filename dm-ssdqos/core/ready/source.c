// SPDX-License-Identifier: GPL-2.0
/*
 * source.c - reports of wear, by the flash below or by SMART
 *
 * Reports may be absent, stale or wrong (a maker's counter that stands still,
 * or goes back), so our own count of host writes stays the base, and reports
 * correct it: by what flash was written since the last one instead of what we
 * charged, and by what others wrote.  A report that can't be true is refused,
 * counts as the source being lost, and our count times the last estimate of
 * the write amplification goes on alone.
 *
 * Counters may have large steps, or reports come often: one that stands says
 * nothing yet, and what we write adds up until it moves or has to.  When a lost
 * source is found again, it corrects from there on: what it missed, it missed.
 */
#include "internal.h"

/* Flash is not written that much more than hosts write ... */
#define SOURCE_MAX_WAF 100
/* ... but collection may run on for that much after them. */
#define SOURCE_SLACK_PART 64
/* The amplification is estimated anew after this part of the flash's size. */
#define SOURCE_WAF_PART 64
/* ... and the estimate moves by a quarter of the difference. */
#define SOURCE_WAF_WEIGHT 4
/* "Percentage used" is in whole per cent: one of them may be rounding. */
#define SOURCE_PERMYRIAD_STEP 100
#define SOURCE_PERMYRIAD 10000
/* The most that NVMe can say. */
#define SOURCE_MAX_PERMYRIAD 25500

static u64 source_slack(const struct ssdqos_ready *r)
{
	return r->capacity_bytes / SOURCE_SLACK_PART;
}

/* What is wrong with a report; NULL if nothing is. */
static const char *source_fault(const struct ssdqos_ready *r,
				const struct ssdqos_wear_report *report)
{
	const struct ssdqos_ready_source *was = &r->source;
	u64 own = r->host_bytes - was->own_bytes, flash, host;

	if (!report->flash_bytes && !report->host_bytes &&
	    !report->used_permyriad)
		return "it says nothing";
	if (report->used_permyriad > SOURCE_MAX_PERMYRIAD)
		return "more than 255 % are used";
	if (!was->known)
		return NULL;
	if ((report->flash_bytes && report->flash_bytes < was->flash_bytes) ||
	    (report->host_bytes && report->host_bytes < was->host_bytes))
		return "a counter went back";
	flash = report->flash_bytes - was->flash_bytes;
	host = report->host_bytes - was->host_bytes;
	if ((was->flash_bytes && flash > r->endurance_bytes && report->flash_bytes) ||
	    (was->host_bytes && host > r->endurance_bytes && report->host_bytes))
		return "a counter grew by more than the endurance";
	if (report->flash_bytes && was->flash_bytes) {
		if (!flash && own > source_slack(r))
			return "flash_bytes stands still while we write";
		if (!(report->host_bytes && was->host_bytes))
			host = own;
		if (flash > SOURCE_MAX_WAF * (max(own, host) + source_slack(r)))
			return "flash_bytes grew by more than 100 times what was written";
	}
	if (report->host_bytes && was->host_bytes && !host &&
	    own > source_slack(r))
		return "host_bytes stands still while we write";
	return NULL;
}

/* No counter that matters has moved since the last report, or was set back. */
static bool source_stands(const struct ssdqos_ready *r,
			  const struct ssdqos_wear_report *report)
{
	const struct ssdqos_ready_source *was = &r->source;

	if (!was->known || (!report->flash_bytes && !report->host_bytes))
		return false;
	if (report->host_bytes && report->host_bytes < was->host_bytes)
		return false;
	/* flash is what counts if it is known */
	if (report->flash_bytes)
		return report->flash_bytes == was->flash_bytes;
	return report->host_bytes == was->host_bytes;
}

static void source_estimate_waf(struct ssdqos_ready *r, u64 flash, u64 host)
{
	struct ssdqos_ready_source *s = &r->source;
	u64 waf;

	s->waf_flash_bytes += flash;
	s->waf_own_bytes += host;
	if (s->waf_own_bytes < r->capacity_bytes / SOURCE_WAF_PART ||
	    !s->waf_own_bytes)
		return;
	waf = ssdqos_fp_mul(READY_PERMILLE * SSDQOS_FP_ONE,
			    ready_part_fp(s->waf_flash_bytes,
					  s->waf_own_bytes)) >> SSDQOS_FP_SHIFT;
	waf = min_t(u64, max_t(u64, waf, READY_PERMILLE),
		    SOURCE_MAX_WAF * READY_PERMILLE);
	if (!r->cfg.drive_waf_permille)
		r->waf_permille = (u32)(((SOURCE_WAF_WEIGHT - 1) *
					 (u64)r->waf_permille + waf) /
					SOURCE_WAF_WEIGHT);
	s->waf_flash_bytes = 0;
	s->waf_own_bytes = 0;
}

/* Charges what the report knows better. */
static void source_correct(struct ssdqos_ready *r,
			   const struct ssdqos_wear_report *report)
{
	const struct ssdqos_ready_source *was = &r->source;
	u64 own = r->host_bytes - was->own_bytes;
	u64 charged = r->used_bytes - min(r->used_bytes, was->charged_bytes);
	u64 flash = report->flash_bytes - was->flash_bytes, host = own;

	/* what others wrote is in both counters */
	if (report->host_bytes && was->host_bytes)
		host = max(own, report->host_bytes - was->host_bytes);
	/* which may be expected again, unlike the flash's bursts */
	r->window_host_bytes += host - own;
	if (report->flash_bytes && was->flash_bytes) {
		if (!ready_counts_host(r))
			ready_correct(r, (s64)(flash - charged));
		source_estimate_waf(r, flash, host);
	}
	if (ready_counts_host(r) || !report->flash_bytes)
		ready_charge(r, ready_charge_of(r, host - own, &r->charge_rest));
}

/* A part that was used before we looked is of the past: it is nothing to be
 * expected again, nor has this epoch to make up for it.
 */
static void source_correct_part(struct ssdqos_ready *r, u64 used_permyriad)
{
	u64 used;

	if (used_permyriad <= SOURCE_PERMYRIAD_STEP)
		return;
	used = ready_share(r->endurance_bytes,
			   used_permyriad - SOURCE_PERMYRIAD_STEP,
			   SOURCE_PERMYRIAD);
	if (used <= r->used_bytes)
		return;
	if (used >= r->endurance_bytes && r->used_bytes < r->endurance_bytes)
		ready_tell(r, SSDQOS_WATCH_LIFE_SPENT);
	/* nor the plan, if nobody had looked before */
	if (!r->source.known)
		r->plan.start_bytes += used - r->used_bytes;
	/* counters that stand are compared with later ones: they know nothing of this */
	r->source.charged_bytes += used - r->used_bytes;
	r->used_bytes = used;
	ready_rewear(r);
	ready_epoch_begin(r, r->epoch.windows);
}

/* From here on, the next report is compared with this one. */
static void source_remember(struct ssdqos_ready *r,
			    const struct ssdqos_wear_report *report)
{
	struct ssdqos_ready_source *s = &r->source;

	s->flash_bytes = report->flash_bytes;
	s->host_bytes = report->host_bytes;
	s->own_bytes = r->host_bytes;
	s->charged_bytes = r->used_bytes;
	s->known = true;
}

/**
 * ssdqos_ready_report - somebody knows how worn the flash is
 * @r: the drive
 * @report: numbers since the flash was made
 * @now_ns: time
 * @err: gets one sentence on failure
 * @err_size: its size
 *
 * Context: caller serialises.
 * Return: 0, -EINVAL if the report can't be true, -ENOENT if wear isn't
 * counted on the drive.
 */
int ssdqos_ready_report(struct ssdqos_ready *r,
			const struct ssdqos_wear_report *report, u64 now_ns,
			char *err, u32 err_size)
{
	struct ssdqos_ready_source *s = &r->source;
	const char *fault;
	bool stands;

	if (!r->counting) {
		scnprintf(err, err_size,
			  "wear is not counted without drive_endurance_gb or drive_pe_cycles");
		return -ENOENT;
	}
	ready_roll(r, now_ns);
	fault = source_fault(r, report);
	stands = source_stands(r, report);
	if (!fault && !stands && s->known && !s->lost)
		source_correct(r, report);
	if (!fault)
		source_correct_part(r, report->used_permyriad);
	/* a counter that was set back is a new begin */
	if (!stands)
		source_remember(r, report);
	s->at_ns = now_ns;
	if (s->lost != !!fault)
		ready_tell(r, fault ? SSDQOS_WATCH_LIFE_SOURCE_LOST :
				      SSDQOS_WATCH_LIFE_SOURCE_OK);
	s->lost = fault;
	if (!fault)
		return 0;
	scnprintf(err, err_size, "the report of wear can't be true: %s", fault);
	return -EINVAL;
}
