// SPDX-License-Identifier: GPL-2.0
/*
 * task.c - tasks by name, and the parameters of their shares (share.c)
 */
#include "sched.h"

#define TASK_SHARE_NONE(name)						\
	.share = SSDQOS_NIL,						\
	.mode = SSDQOS_NIL, .p = SSDQOS_NIL, .i = SSDQOS_NIL,		\
	.target = SSDQOS_NIL

#define TASK_SHARE_STATIC(name)						\
	.share = SSDQOS_FLASH_P_##name##_share_permille,		\
	.mode = SSDQOS_NIL, .p = SSDQOS_NIL, .i = SSDQOS_NIL,		\
	.target = SSDQOS_NIL

#define TASK_SHARE_FEEDBACK(name)					\
	.share = SSDQOS_FLASH_P_##name##_share_permille,		\
	.mode = SSDQOS_FLASH_P_##name##_share_mode,			\
	.p = SSDQOS_FLASH_P_##name##_share_p_ppm,			\
	.i = SSDQOS_FLASH_P_##name##_share_i_ppm,			\
	.target = SSDQOS_FLASH_P_##name##_target

const struct ssdqos_flash_task_row ssdqos_flash_task_rows[SSDQOS_NR_TASKS] = {
#define T(X, NAME, task_name, works, share, ...)			\
	[SSDQOS_TASK_##NAME] = {					\
		.name = #task_name, TASK_SHARE_##share(task_name),	\
	},
	SSDQOS_FLASH_TASKS(T)
#undef T
};
