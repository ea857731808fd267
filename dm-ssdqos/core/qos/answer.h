/* SPDX-License-Identifier: GPL-2.0 */
/*
 * answer.h - would a guarantee fit?
 */
#ifndef SSDQOS_QOS_ANSWER_H
#define SSDQOS_QOS_ANSWER_H

#include "../env.h"

struct ssdqos_edf_stream;

/* A(name): numbers of an answer, as they are printed; new ones come last
 *
 *	fits			1 if the guarantee fits
 *	util_ppm		device time that it costs; 0 if the profile promises
 *				nothing of it, whose cost is 0, too
 *	used_ppm		reserved with it, corrected for the mixture
 *	free_ppm		what could be reserved yet without it
 *	mix_factor_permille	the correction
 *	cost_ns			of one request of the class
 *	fit_iops		the highest rate that would fit (0: none, or not
 *				asked in IOPS)
 *	fit_mb_s		likewise in megabytes per second
 *	fit_window_ms		shortest measured window at which it would fit; 0
 *				is none
 *	least_depth		requests that its client has to have at a time; 0
 *				is any number
 *	asked_depth		with how many at a time its cost was looked up; 0
 *				without a cost
 *	from_...		rows of the profile that it comes from, see
 *				struct ssdqos_cost_source; 0 without a cost
 *	spare_write_before_ppm	part of the device time that spare writes may
 *				use while all owners are there (debt.c)
 *	spare_write_ppm		likewise with it
 *	left_before_ppm		device time that is nobody's, and that of those
 *				who were promised nothing
 *	left_ppm		likewise with it
 *	largest_ppm		of the largest of the other guarantees; 0 is none
 *	fit_util_ppm		the largest part of the device time that would fit
 *				(0: none, or a rate was asked for)
 */
#define SSDQOS_EDF_ANSWERS(A)						\
	A(fits) A(util_ppm) A(used_ppm) A(free_ppm) A(mix_factor_permille) \
	A(cost_ns) A(fit_iops) A(fit_mb_s) A(fit_window_ms) A(least_depth) \
	A(asked_depth) A(from_bytes) A(from_bytes_to) A(from_window_ms)	\
	A(from_depth) A(from_depth_to) A(from_confidence_permille)	\
	A(spare_write_before_ppm) A(spare_write_ppm) A(left_before_ppm)	\
	A(left_ppm) A(largest_ppm) A(fit_util_ppm)

/* Would a guarantee fit?  The numbers, the pattern that its cost comes from
 * (SSDQOS_QOS_NR_PATTERNS without a cost), and whose guarantee the largest is.
 */
struct ssdqos_edf_answer {
#define A(name) u64 name;
	SSDQOS_EDF_ANSWERS(A)
#undef A
	u32 from_pattern;
	const struct ssdqos_edf_stream *largest;
};

#endif /* SSDQOS_QOS_ANSWER_H */
