/* SPDX-License-Identifier: GPL-2.0 */
/*
 * below.h - what is below the scheduler: a drive, or a mirror
 */
#ifndef SSDQOS_SIM_QOS_BELOW_H
#define SSDQOS_SIM_QOS_BELOW_H

#include "../mirror/device.h"

struct qos_below;

/**
 * struct qos_below_req - a request; memory belongs to the caller
 * @flash: operation and place; @flash.arrival_ns is when it was submitted
 *
 * The rest is private.
 * @mirror: as a mirror sees it
 */
struct qos_below_req {
	struct ssdqos_flash_req flash;
	/* private: */
	struct mirror_request mirror;
};

/**
 * struct qos_below_ops - how it is used
 * @submit: a request comes
 * @take_done: a request that was answered, or NULL if there is none
 * @next_ns: when there is something to do
 * @advance: time goes on
 */
struct qos_below_ops {
	void (*submit)(struct qos_below *below, struct qos_below_req *req);
	struct qos_below_req *(*take_done)(struct qos_below *below);
	u64 (*next_ns)(const struct qos_below *below);
	void (*advance)(struct qos_below *below, u64 now_ns);
};

/**
 * struct qos_below - a drive, or a mirror
 * @ops: how it is used
 * @device: what it is
 * @serve: how a mirror serves
 * @done: what a drive has answered, and nobody has taken
 * @now_ns: time
 * @measure: what a mirror has done
 */
struct qos_below {
	const struct qos_below_ops *ops;
	struct mirror_device device;
	struct mirror_serve serve;
	struct ssdqos_flash_req *done;
	u64 now_ns;
	struct mirror_measure measure;
};

/**
 * qos_below_start - requests may come
 * @below: its device was made
 * @error: says what is wrong
 *
 * Return: 0, or -1; qos_below_destroy() is right either way.
 */
int qos_below_start(struct qos_below *below, struct sim_error *error);

/**
 * qos_below_settle - write out what a mirror has, and look whether all have the same
 * @below: nothing of clients is under way
 *
 * Return: false if it does not come to an end.
 */
bool qos_below_settle(struct qos_below *below);

/**
 * qos_below_destroy - free it
 * @below: a drive, or a mirror
 */
void qos_below_destroy(struct qos_below *below);

/**
 * qos_below_bytes - size of it
 * @below: a drive, or a mirror
 */
u64 qos_below_bytes(const struct qos_below *below);

/**
 * qos_below_discard_bytes - a discard is of whole ones of these
 * @below: a drive, or a mirror
 */
u64 qos_below_discard_bytes(const struct qos_below *below);

/**
 * qos_below_wear - what its flash has gone through
 * @below: a drive, or a mirror
 * @flash_bytes: gets what was programmed for any purpose
 *
 * Return: false if it does not say, as a mirror.
 */
bool qos_below_wear(const struct qos_below *below, u64 *flash_bytes);

/**
 * qos_below_drive - one of its drives
 * @below: a drive, or a mirror
 * @i: which
 *
 * Return: the drive, or NULL behind the last one.
 */
struct ssdqos_flash *qos_below_drive(const struct qos_below *below, u32 i);

#endif
