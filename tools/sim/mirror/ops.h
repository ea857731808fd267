/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ops.h - what the mirror wants to have done becomes requests to its drives
 */
#ifndef SSDQOS_SIM_MIRROR_OPS_H
#define SSDQOS_SIM_MIRROR_OPS_H

#include "data.h"
#include "members.h"

/* A write of metadata: a block to a small drive of its own that keeps it over a power cut. */
#define MIRROR_METADATA_NS (100 * NS_PER_US)

struct mirror_work;

/**
 * struct mirror_ops - what is being done
 * @mirror: who wants it
 * @members: its drives
 * @data: what is where
 * @works: instructions under way
 * @metadata: those to the metadata device, in order of time
 * @last: the last one of them
 * @touched: the mirror may have something new to say
 */
struct mirror_ops {
	struct ssdqos_mirror *mirror;
	struct members *members;
	struct mirror_data *data;
	struct pool works;
	struct mirror_work *metadata;
	struct mirror_work *last;
	bool touched;
};

/**
 * mirror_ops_init - nothing is being done
 * @ops: to be filled
 * @mirror: who wants it
 * @members: its drives
 * @data: what is where
 */
void mirror_ops_init(struct mirror_ops *ops, struct ssdqos_mirror *mirror, struct members *members,
		     struct mirror_data *data);

/**
 * mirror_ops_destroy - free what it has
 * @ops: what is being done
 */
void mirror_ops_destroy(struct mirror_ops *ops);

/**
 * mirror_ops_begin - begin with all that the mirror wants now
 * @ops: what is being done
 */
void mirror_ops_begin(struct mirror_ops *ops);

/**
 * mirror_ops_metadata - tell it which metadata are written
 * @ops: what is being done
 */
void mirror_ops_metadata(struct mirror_ops *ops);

/**
 * mirror_ops_next_ns - when the next metadata are written
 * @ops: what is being done
 */
u64 mirror_ops_next_ns(const struct mirror_ops *ops);

#endif
