// SPDX-License-Identifier: GPL-2.0
/*
 * recovery.c - wear of flash cells by threshold voltage; see recovery.h
 */
#include "recovery.h"

#include "../engine/fixed.h"

/* Constants of (5.1): volts at one cycle, and exponents, all times 2^32. */
#define RECOVERY_A_FP 12756053ULL	/* 2.97e-3 */
#define RECOVERY_B_FP 85899346ULL	/* 2.0e-2 */
#define RECOVERY_A_EXP_FP 2662879724ULL	/* 0.62 */
#define RECOVERY_B_EXP_FP 1288490189ULL	/* 0.3 */

/* No cell has more cycles than that. */
#define RECOVERY_MAX_CYCLES_FP (1ULL << 52)
/* Bisection ends at a thousandth of a cycle. */
#define RECOVERY_CYCLES_STEP_FP (1ULL << 22)
/* The logarithm has no end, recovery has: some trapped charge always stays.
 * Reached after 11 weeks of idle time with the fitted constants.
 */
#define RECOVERY_MIN_FACTOR_FP (SSDQOS_FP_ONE / 10)
/* Loads repeat weekly, if at all; so does the idle time. */
#define RECOVERY_MEAN_NS (7ULL * 24 * 3600 * 1000000000)
/* Bits behind the point of q / (1 - q), with q in 32 of them. */
#define RECOVERY_BEHIND_SHIFT 31
/* A guess at how many cycles are left is so many times the one before. */
#define RECOVERY_GUESS_TIMES 4
/* What t0 has more than the 32 bits of a ratio's numerator. */
#define RECOVERY_RATIO_SHIFT 10
/* Turns in one step beyond which no block has rested at all. */
#define RECOVERY_MAX_TURNS_FP (1ULL << 62)

/**
 * struct recovery_constants - of (5.2)
 * @c_fp: C times 2^32
 * @t0_ns: t0
 */
struct recovery_constants {
	u64 c_fp;
	u64 t0_ns;
};

static const struct recovery_constants
recovery_constants[SSDQOS_RECOVERY_NR_MODELS] = {
	[SSDQOS_RECOVERY_STATED] = { 241806660ULL, 3600000000000ULL },
	[SSDQOS_RECOVERY_FITTED] = { 299902160ULL, 42508000000ULL },
};

/**
 * ssdqos_recovery_trap_fp - trapped charge (5.1)
 * @cycles_fp: N, fixed point, up to 2^20
 *
 * Return: threshold voltage that it adds, fixed point.
 */
u64 ssdqos_recovery_trap_fp(u64 cycles_fp)
{
	return ssdqos_fp_mul(RECOVERY_A_FP,
			     ssdqos_fp_pow(cycles_fp, RECOVERY_A_EXP_FP)) +
	       ssdqos_fp_mul(RECOVERY_B_FP,
			     ssdqos_fp_pow(cycles_fp, RECOVERY_B_EXP_FP));
}

static u64 recovery_limit_fp(void)
{
	return ssdqos_recovery_trap_fp((u64)SSDQOS_RECOVERY_CYCLES
				       << SSDQOS_FP_SHIFT);
}

/**
 * ssdqos_recovery_factor_fp - part of the trapped charge that stays (5.2)
 * @model: enum ssdqos_recovery_model
 * @idle_ns: t
 *
 * Return: f(t), fixed point, at most 1.
 */
u64 ssdqos_recovery_factor_fp(u32 model, u64 idle_ns)
{
	const struct recovery_constants *k = &recovery_constants[model];
	u64 part_fp;

	if (!k->c_fp || idle_ns <= k->t0_ns)
		return SSDQOS_FP_ONE;
	part_fp = ssdqos_fp_ratio(k->t0_ns >> RECOVERY_RATIO_SHIFT,
				  idle_ns >> RECOVERY_RATIO_SHIFT);
	if (!part_fp)
		return RECOVERY_MIN_FACTOR_FP;
	part_fp = ssdqos_fp_mul(k->c_fp, ssdqos_fp_neg_ln(part_fp));
	if (part_fp > SSDQOS_FP_ONE - RECOVERY_MIN_FACTOR_FP)
		return RECOVERY_MIN_FACTOR_FP;
	return SSDQOS_FP_ONE - part_fp;
}

/* The N at which trap(N) reaches @volt_fp. */
static u64 recovery_cycles_at_fp(u64 volt_fp, u64 from_fp)
{
	u64 low = from_fp, high = RECOVERY_MAX_CYCLES_FP, middle;

	while (high - low > RECOVERY_CYCLES_STEP_FP) {
		middle = low + (high - low) / 2;
		if (ssdqos_recovery_trap_fp(middle) < volt_fp)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* @a / @b in fixed point, where both are volts or parts of 1. */
static u64 recovery_ratio_fp(u64 a_fp, u64 b_fp)
{
	/* @a is below 2^36, so 28 bits more are what fits */
	return div64_u64(a_fp << 28, b_fp) << (SSDQOS_FP_SHIFT - 28);
}

/**
 * ssdqos_recovery_cycles_fp - effective cycles of a cell (Figure 28)
 * @model: enum ssdqos_recovery_model
 * @idle_ns: idle time before each of them
 *
 * Return: cycles, fixed point.
 */
u64 ssdqos_recovery_cycles_fp(u32 model, u64 idle_ns)
{
	struct ssdqos_recovery r = {
		.model = model,
		.mean_idle_ns = idle_ns,
	};

	return ssdqos_recovery_left_fp(&r);
}

/* The part of a mean over @over_ns that a time replaces. */
static u64 recovery_mean_part_fp(u64 elapsed_ns, u64 over_ns)
{
	return elapsed_ns >= over_ns ? SSDQOS_FP_ONE :
		ssdqos_fp_ratio(elapsed_ns >> 20, over_ns >> 20);
}

static u64 recovery_mean_ns(u64 mean_ns, u64 idle_ns, u64 part_fp)
{
	return mean_ns - ssdqos_fp_mul(mean_ns, part_fp) +
		ssdqos_fp_mul(idle_ns, part_fp);
}

/**
 * ssdqos_recovery_advance - time passes, and blocks are programmed
 * @r: the drive
 * @elapsed_ns: time
 * @turns_fp: data written to flash in it, in parts of the flash's size
 * @cycles_fp: the same in cycles of a cell that has SSDQOS_RECOVERY_CYCLES
 *
 * Context: any; some microseconds.
 */
void ssdqos_recovery_advance(struct ssdqos_recovery *r, u64 elapsed_ns,
			     u64 turns_fp, u64 cycles_fp)
{
	u64 part_fp, trap_fp;

	r->idle_ns += elapsed_ns;
	if (turns_fp) {
		/* divided, not reduced: so it settles at dt / x for any x */
		part_fp = div64_u64(~0ULL, SSDQOS_FP_ONE +
				    min(turns_fp, RECOVERY_MAX_TURNS_FP));
		r->idle_ns = ssdqos_fp_mul(r->idle_ns, part_fp);
	}
	part_fp = recovery_mean_part_fp(elapsed_ns, RECOVERY_MEAN_NS);
	r->mean_idle_ns = recovery_mean_ns(r->mean_idle_ns, r->idle_ns, part_fp);
	if (!cycles_fp)
		return;
	r->cycles_fp = min_t(u64, r->cycles_fp + cycles_fp,
			     RECOVERY_MAX_CYCLES_FP);
	trap_fp = ssdqos_recovery_trap_fp(r->cycles_fp);
	if (trap_fp <= r->trap_fp)
		return;
	r->vth_fp += ssdqos_fp_mul(trap_fp - r->trap_fp,
				   ssdqos_recovery_factor_fp(r->model,
							     r->idle_ns));
	r->trap_fp = trap_fp;
}

/* @base to the power of @times, for a @base below 1. */
static u64 recovery_power_fp(u64 base_fp, u64 times)
{
	u64 power_fp = SSDQOS_FP_ONE;

	for (; times; times >>= 1) {
		if (times & 1)
			power_fp = ssdqos_fp_mul(power_fp, base_fp);
		base_fp = ssdqos_fp_mul(base_fp, base_fp);
	}
	return power_fp;
}

/* A mean after @steps in each of which the idle time, now @idle_ns, grows. */
static u64 recovery_rest_mean_ns(u64 mean_ns, u64 idle_ns, u64 step_ns,
				 u64 steps, u64 part_fp)
{
	u64 keep_fp = SSDQOS_FP_ONE - part_fp, power_fp, behind_fp;

	if (!part_fp)
		return mean_ns;
	power_fp = recovery_power_fp(keep_fp, steps);
	/* q / (1 - q), times what is left of 1 */
	behind_fp = div64_u64(keep_fp << RECOVERY_BEHIND_SHIFT, part_fp)
		<< (SSDQOS_FP_SHIFT - RECOVERY_BEHIND_SHIFT);
	behind_fp = ssdqos_fp_mul(behind_fp, SSDQOS_FP_ONE - power_fp);
	return ssdqos_fp_mul(mean_ns, power_fp) + idle_ns + step_ns * steps -
		ssdqos_fp_mul(idle_ns, power_fp) -
		ssdqos_fp_mul(step_ns, behind_fp);
}

/**
 * ssdqos_recovery_rest - time passes in which nothing is programmed
 * @r: the drive
 * @step_ns: time
 * @steps: so many times, as if ssdqos_recovery_advance() were told of each
 *
 * By how much a mean is behind the idle time, g, becomes q * (g + step) in a
 * step, so after n of them it is q^n * g + step * (q + ... + q^n).
 * Context: any; as long as one step takes.
 */
void ssdqos_recovery_rest(struct ssdqos_recovery *r, u64 step_ns, u64 steps)
{
	u64 part_fp = recovery_mean_part_fp(step_ns, RECOVERY_MEAN_NS);

	r->mean_idle_ns = recovery_rest_mean_ns(r->mean_idle_ns, r->idle_ns,
						step_ns, steps, part_fp);
	r->idle_ns += step_ns * steps;
}

/**
 * ssdqos_recovery_left_fp - cycles until cells are worn out (Figure 35)
 * @r: the drive
 *
 * If they go on resting as in the last week.
 * Context: any; some ten microseconds.
 * Return: cycles, fixed point.
 */
u64 ssdqos_recovery_left_fp(const struct ssdqos_recovery *r)
{
	u64 limit_fp = recovery_limit_fp(), factor_fp, until_fp;

	if (r->vth_fp >= limit_fp)
		return 0;
	factor_fp = ssdqos_recovery_factor_fp(r->model, r->mean_idle_ns);
	until_fp = r->trap_fp + recovery_ratio_fp(limit_fp - r->vth_fp,
						  factor_fp);
	return recovery_cycles_at_fp(until_fp, r->cycles_fp) - r->cycles_fp;
}

/**
 * struct recovery_even - cycles that are spread evenly over a time
 * @r: the drive
 * @left_ns: that time
 * @turns_fp: what SSDQOS_RECOVERY_CYCLES of them write, in parts of the flash
 */
struct recovery_even {
	const struct ssdqos_recovery *r;
	u64 left_ns;
	u64 turns_fp;
};

/* Idle time before each of @cycles_fp: the time that a turn takes. */
static u64 recovery_even_idle_ns(const struct recovery_even *e, u64 cycles_fp)
{
	u64 turns_fp = ssdqos_fp_mul(div64_u64(e->turns_fp,
					       SSDQOS_RECOVERY_CYCLES),
				     cycles_fp);

	if (turns_fp <= SSDQOS_FP_ONE)
		return e->left_ns;
	return ssdqos_fp_mul(e->left_ns, div64_u64(~0ULL, turns_fp));
}

/* Volts that they add. */
static u64 recovery_even_fp(const struct recovery_even *e, u64 cycles_fp)
{
	u64 end_fp = min_t(u64, e->r->cycles_fp + cycles_fp,
			   RECOVERY_MAX_CYCLES_FP);
	u64 trap_fp = ssdqos_recovery_trap_fp(end_fp);

	return ssdqos_fp_mul(trap_fp - min(trap_fp, e->r->trap_fp),
			     ssdqos_recovery_factor_fp(e->r->model,
						       recovery_even_idle_ns(e, cycles_fp)));
}

/* Between @low and @high, which add @low_fp and @high_fp volts, those that add
 * @volt_fp: by lines through both ends.  An end that stays counts half of what
 * it did the time before, so that the other one comes near, too.
 */
static u64 recovery_even_cycles_fp(const struct recovery_even *e, u64 volt_fp,
				   u64 low, u64 high)
{
	u64 under_fp = volt_fp - min(volt_fp, recovery_even_fp(e, low));
	u64 over_fp = recovery_even_fp(e, high) - volt_fp;
	u64 middle, middle_fp, part_fp;

	while (high - low > RECOVERY_CYCLES_STEP_FP && under_fp) {
		part_fp = recovery_ratio_fp(under_fp, under_fp + over_fp);
		middle = low + max(ssdqos_fp_mul(high - low, part_fp),
				   RECOVERY_CYCLES_STEP_FP / 2);
		middle = min(middle, high - RECOVERY_CYCLES_STEP_FP / 2);
		middle_fp = recovery_even_fp(e, middle);
		if (middle_fp < volt_fp) {
			low = middle;
			under_fp = volt_fp - middle_fp;
			over_fp /= 2;
		} else {
			high = middle;
			over_fp = middle_fp - volt_fp;
			under_fp = DIV_ROUND_UP(under_fp, 2);
		}
	}
	return low;
}

/**
 * ssdqos_recovery_left_even_fp - the same if they are spread evenly over a time
 * @r: the drive
 * @left_ns: that time
 * @turns_fp: what SSDQOS_RECOVERY_CYCLES cycles write, in parts of the flash's
 *	size, fixed point
 *
 * The more there are, the less do cells rest before each.  So nothing has to be
 * known of how they rested: it is what a policy can have that spreads them.
 * Context: any; some ten microseconds.
 * Return: cycles, fixed point.
 */
u64 ssdqos_recovery_left_even_fp(const struct ssdqos_recovery *r, u64 left_ns,
				 u64 turns_fp)
{
	const struct recovery_even e = { r, left_ns, turns_fp };
	u64 limit_fp = recovery_limit_fp(), volt_fp, high = SSDQOS_FP_ONE;

	if (r->vth_fp >= limit_fp)
		return 0;
	volt_fp = limit_fp - r->vth_fp;
	while (high < RECOVERY_MAX_CYCLES_FP && recovery_even_fp(&e, high) < volt_fp)
		high *= RECOVERY_GUESS_TIMES;
	if (high >= RECOVERY_MAX_CYCLES_FP)
		return RECOVERY_MAX_CYCLES_FP - r->cycles_fp;
	return recovery_even_cycles_fp(&e, volt_fp,
				       high == SSDQOS_FP_ONE ? 0 :
				       high / RECOVERY_GUESS_TIMES, high);
}
