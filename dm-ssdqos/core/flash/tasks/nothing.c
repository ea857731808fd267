// SPDX-License-Identifier: GPL-2.0
/*
 * nothing.c - a task that does nothing
 */
#include "tasks.h"

const struct flash_task_ops flash_nothing_task = { };
