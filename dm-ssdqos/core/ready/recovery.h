/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recovery.h - wear of flash cells by threshold voltage, and how they recover
 *
 * Model (lee-dissertation, section 5.2).  After N program/erase cycles, charge
 * trapped in a cell has raised its threshold voltage by
 *
 *	trap(N) = A * N^0.62 + B * N^0.3				(5.1)
 *
 * and between two cycles a part of that leaves again, the more the longer the
 * block was idle (t):
 *
 *	detrap = C * trap * ln(t / t0), for t > t0			(5.2)
 *	Vth = trap - detrap						(5.3)
 *
 * A cell is worn out when Vth reaches what @SSDQOS_RECOVERY_CYCLES cycles
 * without idle time give.  Idle times change during a life, so Vth is summed:
 * cycles that take N to N + n at idle time t add
 *
 *	(trap(N + n) - trap(N)) * f(t),   f(t) = 1 - C * ln(t / t0)
 *
 * which is (5.3) if t stays the same.  What is left at the mean idle time is
 * the n that takes Vth to the limit (Figure 35).
 *
 * Idle time: a block that is programmed again was idle since its last cycle.
 * In time dt, in which the part x of all blocks is programmed, the blocks'
 * idle time grows by dt and loses x of itself, so it settles at dt / x.
 *
 * Two sets of constants.  *stated* are the ones that the text gives (C =
 * 0.0563, t0 = 1 h).  They do not give the capacities of Table 9: with them,
 * 'proj' without throttling would have 3,905 cycles, where the table says
 * 312.6 TB, which is 10,003.  *fitted* are C and t0 by least squares to the
 * table's eight rows; they give all of them within 0.4 %.
 *
 * Cycles here are those of a cell with 3,000 of them; other cells are scaled.
 * Arithmetic is 32.32 fixed point; trap(N) is off by less than 2^-22 V for N
 * up to 2^20 (tests/unit/test_qos_recovery.c): 0.003 cycles at N = 3000.
 */
#ifndef SSDQOS_READY_RECOVERY_H
#define SSDQOS_READY_RECOVERY_H

#include "../env.h"

/* Cycles of the paper's 20 nm MLC cells without recovery (section 5.2). */
#define SSDQOS_RECOVERY_CYCLES 3000u

enum ssdqos_recovery_model {
	SSDQOS_RECOVERY_NONE,
	SSDQOS_RECOVERY_STATED,
	SSDQOS_RECOVERY_FITTED,
	SSDQOS_RECOVERY_NR_MODELS,
};

/**
 * struct ssdqos_recovery - wear of a drive's cells
 * @model: enum ssdqos_recovery_model
 * @cycles_fp: N, fixed point
 * @trap_fp: trap(N) in volts, fixed point
 * @vth_fp: Vth in volts, fixed point
 * @idle_ns: how long blocks were idle before their last cycle, on average
 * @mean_idle_ns: the same over the last week, for the forecast
 */
struct ssdqos_recovery {
	u32 model;
	u64 cycles_fp;
	u64 trap_fp;
	u64 vth_fp;
	u64 idle_ns;
	u64 mean_idle_ns;
};

u64 ssdqos_recovery_trap_fp(u64 cycles_fp);
u64 ssdqos_recovery_factor_fp(u32 model, u64 idle_ns);
u64 ssdqos_recovery_cycles_fp(u32 model, u64 idle_ns);
void ssdqos_recovery_advance(struct ssdqos_recovery *r, u64 elapsed_ns,
			     u64 turns_fp, u64 cycles_fp);
void ssdqos_recovery_rest(struct ssdqos_recovery *r, u64 step_ns, u64 steps);
u64 ssdqos_recovery_left_fp(const struct ssdqos_recovery *r);
u64 ssdqos_recovery_left_even_fp(const struct ssdqos_recovery *r, u64 left_ns,
				 u64 turns_fp);

#endif /* SSDQOS_READY_RECOVERY_H */
