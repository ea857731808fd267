/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device.h - what serves clients: one drive, or the drives of a mirror; what the command
 * line says of it, how it is made, and what it has done
 */
#ifndef SSDQOS_SIM_MIRROR_DEVICE_H
#define SSDQOS_SIM_MIRROR_DEVICE_H

#include "serve.h"

#define MIRROR_MEMBERS_MIN 2
/* Loads of one run have seeds one after the other, drives too; so far apart are those of two. */
#define MIRROR_SEEDS_OF_A_RUN 65536ULL

/**
 * enum mirror_peer - who serves
 * @MIRROR_PEER_ONE: a drive alone
 * @MIRROR_PEER_RAID1: all are written at once, and one of them is read
 * @MIRROR_PEER_IANUS: members take turns
 */
enum mirror_peer {
	MIRROR_PEER_ONE,
	MIRROR_PEER_RAID1,
	MIRROR_PEER_IANUS,
	NR_MIRROR_PEERS,
};

/* NULL is the last. */
extern const char *const mirror_peer_names[NR_MIRROR_PEERS + 1];

/**
 * struct mirror_device_options - what the command line says of it, beside its drives
 * @peer: enum mirror_peer
 * @members: drives of a mirror
 * @seed: another one has other drives
 * @parameters: of a mirror, "key=value ..." each
 * @journal: its journal
 */
struct mirror_device_options {
	u64 peer;
	u64 members;
	u64 seed;
	struct option_list parameters;
	struct journal_device_options journal;
};

/* What they are unless the command line says so, but for the peer. */
#define MIRROR_DEVICE_DEFAULTS						\
	.members = MIRROR_MEMBERS_MIN,					\
	.seed = 1,							\
	.journal.latency_ns = SSDQOS_NEVER_NS

/* Of struct option_row: a number or a word of struct mirror_device_options. */
int option_mirror_number(const struct option_row *row, const char *value, void *field,
			 struct sim_error *error);

/* Rows of struct option_row for a struct mirror_device_options that is a member of a command's
 * struct; @peers says what peers there are.
 */
#define MIRROR_DEVICE_OPTION_ROWS(command, member, peers)						\
	{ "members", "N", option_mirror_number, "drives of the mirror; default 2",			\
	  offsetof(struct command, member.members) },							\
	{ "peer", "one|raid1|ianus", option_mirror_number, peers,					\
	  offsetof(struct command, member.peer) },							\
	{ "mirror", "KEY=VALUE", option_repeated,							\
	  "a parameter of the mirror (see: ssdqos-sim params mirror); may be repeated",			\
	  offsetof(struct command, member.parameters) },						\
	{ "journal-drive", "PRESET|FILE", option_text,							\
	  "with --mirror durability=journal: drive model of the journal; without, it has a latency and a rate", \
	  offsetof(struct command, member.journal.drive.model) },					\
	{ "journal-set", "KEY=VALUE", option_repeated,							\
	  "change a parameter of that model; may be repeated",						\
	  offsetof(struct command, member.journal.drive.sets) },					\
	{ "journal-size", "BYTES", option_bytes, "size of the journal; default: twice the cache",	\
	  offsetof(struct command, member.journal.size_bytes) },					\
	{ "journal-latency", "TIME", option_time,							\
	  "how long a write to the journal takes, but for its transfer; default 20us",			\
	  offsetof(struct command, member.journal.latency_ns) },					\
	{ "journal-rate", "BYTES", option_bytes, "what is transferred to it in a second; default 1g",	\
	  offsetof(struct command, member.journal.rate) },						\
	{ "seed", "N", option_mirror_number, "another one has other requests and other drives; default 1", \
	  offsetof(struct command, member.seed) }

/**
 * struct mirror_device - what serves
 * @peer: how
 * @members: the drives
 * @mirror: of MIRROR_PEER_IANUS
 * @journal: its journal, if it has one
 * @has_journal: it has
 * @data: what is where, likewise
 */
struct mirror_device {
	enum mirror_peer peer;
	struct members members;
	struct ssdqos_mirror mirror;
	struct mirror_journal journal;
	bool has_journal;
	struct mirror_data data;
};

/**
 * struct mirror_measure - what it has done since mirror_measure_begin()
 * @stats: the mirror
 * @counts: its journal
 * @journal_latency: of the journal's records
 * @watch: what was seen in between
 *
 * The rest is private.
 * @stats_before: up to the beginning
 * @counts_before: likewise
 */
struct mirror_measure {
	struct ssdqos_mirror_stats stats;
	struct mirror_journal_counts counts;
	struct ssdqos_hist journal_latency;
	struct mirror_watch watch;
	/* private: */
	struct ssdqos_mirror_stats stats_before;
	struct mirror_journal_counts counts_before;
};

/**
 * mirror_device_check - do the options make sense together?
 * @options: what the user wants
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int mirror_device_check(const struct mirror_device_options *options, struct sim_error *error);

/**
 * mirror_device_configure - work out the mirror's parameters
 * @options: what the user wants
 * @cfg: the result
 * @error: says what is wrong
 *
 * Return: 0, or -1.
 */
int mirror_device_configure(const struct mirror_device_options *options,
			    struct ssdqos_mirror_config *cfg, struct sim_error *error);

/**
 * mirror_device_create - make it
 * @device: all zero; to be filled
 * @drive: the drives
 * @options: the rest
 * @cfg: from mirror_device_configure()
 * @error: says what is wrong
 *
 * Return: 0, or -1; mirror_device_destroy() is right either way.
 */
int mirror_device_create(struct mirror_device *device, const struct drive_options *drive,
			 const struct mirror_device_options *options,
			 const struct ssdqos_mirror_config *cfg, struct sim_error *error);

/**
 * mirror_device_destroy - free it
 * @device: what serves
 */
void mirror_device_destroy(struct mirror_device *device);

/**
 * mirror_device_start - it serves from now on
 * @device: what serves
 * @serve: to be filled
 *
 * Return: false without memory; mirror_serve_destroy() is right either way.
 */
bool mirror_device_start(struct mirror_device *device, struct mirror_serve *serve);

/**
 * mirror_device_stale - blocks that somebody who is there and up to date has not as written last
 * @device: a mirror that was drained
 */
u64 mirror_device_stale(const struct mirror_device *device);

/**
 * mirror_device_verify - look whether the tables of all drives agree
 * @device: what serves
 * @when: which drives
 * @verify: gets what was found; the first one that is broken says so
 */
void mirror_device_verify(const struct mirror_device *device, enum verify_when when,
			  struct verify *verify);

/**
 * mirror_device_verdict - was all served, and right?
 * @watch: what was seen
 *
 * Return: SIM_EXIT_GOOD, or SIM_EXIT_BROKEN with a sentence on the standard error.
 */
int mirror_device_verdict(const struct mirror_watch *watch);

/**
 * mirror_measure_begin - count from now on
 * @measure: gets what was before
 * @device: what serves
 * @serve: likewise
 */
void mirror_measure_begin(struct mirror_measure *measure, struct mirror_device *device,
			  struct mirror_serve *serve);

/**
 * mirror_measure_end - keep what was counted until now
 * @measure: from mirror_measure_begin(), or all zero: from the start on
 * @device: what serves
 * @serve: likewise
 */
void mirror_measure_end(struct mirror_measure *measure, const struct mirror_device *device,
			const struct mirror_serve *serve);

#endif
