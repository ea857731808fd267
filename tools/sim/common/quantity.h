/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with a unit behind them, as people write them in a job.
 */
#ifndef SSDQOS_SIM_QUANTITY_H
#define SSDQOS_SIM_QUANTITY_H

#include "text.h"

/**
 * quantity_bytes - "4096", "4k", "1.5g"
 * @text: the whole value; k, m, g, t are powers of 1024, as is ki, kib and so on; none is bytes
 * @bytes: the result
 */
bool quantity_bytes(struct text text, u64 *bytes);

/**
 * quantity_time_ns - "10s", "2m", "500us"
 * @text: the whole value; ns, us, ms, s, m (minutes), h; none is seconds
 * @ns: the result
 */
bool quantity_time_ns(struct text text, u64 *ns);

/**
 * quantity_ppm - "50%", "0.5%"
 * @text: the whole value, with the percent sign
 * @ppm: the result in parts per million
 */
bool quantity_ppm(struct text text, u64 *ppm);

#endif
