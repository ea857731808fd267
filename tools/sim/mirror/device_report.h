/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device_report.h - what a mirror and its drives have done, for people and for scripts
 */
#ifndef SSDQOS_SIM_MIRROR_DEVICE_REPORT_H
#define SSDQOS_SIM_MIRROR_DEVICE_REPORT_H

#include "../flash/report.h"
#include "device.h"

/**
 * mirror_device_report_json - write "mirror", if members take turns, and "drives"
 * @json: where to, an open object
 * @device: what served
 * @measure: what was measured
 */
void mirror_device_report_json(struct json *json, const struct mirror_device *device,
			       const struct mirror_measure *measure);

/**
 * mirror_device_report_text - print a row for each member, if they take turns
 * @file: where to
 * @device: what served
 * @measure: what was measured
 */
void mirror_device_report_text(FILE *file, const struct mirror_device *device,
			       const struct mirror_measure *measure);

#endif
