// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <string.h>

#include "../common/exit.h"
#include "../common/pair.h"

#define ERR_BYTES SIM_ERROR_BYTES
#define BYTES_PER_KIB 1024

const char *const mirror_peer_names[NR_MIRROR_PEERS + 1] = {
	[MIRROR_PEER_ONE] = "one",
	[MIRROR_PEER_RAID1] = "raid1",
	[MIRROR_PEER_IANUS] = "ianus",
};

/* ---- the command line ---- */

static const struct ssdqos_param numbers[] = {
	{ .name = "members", .unit = "", .min = MIRROR_MEMBERS_MIN, .max = SSDQOS_MIRROR_MAX_MEMBERS },
	{ .name = "seed", .unit = "", .min = 1, .max = 1000000000 },
	{ .name = "peer", .unit = "", .max = NR_MIRROR_PEERS - 1, .choices = mirror_peer_names },
};

int option_mirror_number(const struct option_row *row, const char *value, void *field,
			 struct sim_error *error)
{
	char err[ERR_BYTES];

	for (u32 i = 0; i < SIM_ARRAY_SIZE(numbers); i++)
		if (!strcmp(numbers[i].name, row->name) &&
		    ssdqos_param_parse(&numbers[i], value, field, err, sizeof(err)))
			return sim_error_set(error, "--%s", err);
	return 0;
}

int mirror_device_check(const struct mirror_device_options *options, struct sim_error *error)
{
	const struct journal_device_options *journal = &options->journal;
	const bool timed = journal->latency_ns != SSDQOS_NEVER_NS || journal->rate;

	if (journal->drive.model && timed)
		return sim_error_set(error, "--journal-drive has its own times; --journal-latency and --journal-rate are those of a journal without a drive model");
	if (!journal->drive.model && journal->drive.sets.nr)
		return sim_error_set(error, "--journal-set needs --journal-drive");
	return 0;
}

/* Is something said of a journal? */
static bool tells_of_journal(const struct journal_device_options *journal)
{
	return journal->drive.model || journal->drive.sets.nr || journal->size_bytes ||
	       journal->latency_ns != SSDQOS_NEVER_NS || journal->rate;
}

int mirror_device_configure(const struct mirror_device_options *options,
			    struct ssdqos_mirror_config *cfg, struct sim_error *error)
{
	char err[ERR_BYTES];
	struct sim_error why;
	struct pair pair;

	ssdqos_mirror_config_init(cfg);
	for (u32 i = 0; i < options->parameters.nr; i++) {
		struct text rest = text_of(options->parameters.text[i]);
		int r;

		while ((r = pair_take(&rest, &pair, &why)) > 0)
			if (ssdqos_mirror_config_set(cfg, pair.key, pair.value, err,
						     sizeof(err)) < 0)
				return sim_error_set(error, "--mirror: %s", err);
		if (r)
			return sim_error_set(error, "--mirror: %s", why.text);
	}
	if (ssdqos_mirror_config_check(cfg, (u32)options->members, err, sizeof(err)))
		return sim_error_set(error, "--mirror: %s", err);
	if (cfg->durability != SSDQOS_MIRROR_JOURNAL && tells_of_journal(&options->journal))
		return sim_error_set(error, "--journal-...: there is a journal with --mirror durability=journal only");
	return 0;
}

/* ---- making it ---- */

static int make_mirror(struct mirror_device *device, const struct drive_options *options,
		       const struct ssdqos_mirror_config *cfg, struct sim_error *error)
{
	const struct ssdqos_flash *drive = device->members.member[0].drive;
	const u32 nr = device->members.nr;

	device->data.blocks = members_blocks(&device->members);
	if (device->peer != MIRROR_PEER_IANUS)
		return 0;
	if (ssdqos_mirror_init(&device->mirror, cfg, nr, device->data.blocks))
		return sim_error_set(error, "not enough memory for the cache");
	if (verify_is_wanted(drive, options->verify) &&
	    !mirror_data_create(&device->data, device->data.blocks, device->mirror.cache.nr, nr))
		return sim_error_set(error, "not enough memory for --verify");
	return 0;
}

static int make_journal(struct mirror_device *device, const struct mirror_device_options *options,
			const struct ssdqos_mirror_config *cfg, u64 seed, struct sim_error *error)
{
	struct journal_device_options journal = options->journal;

	device->has_journal = cfg->durability == SSDQOS_MIRROR_JOURNAL;
	if (!device->has_journal)
		return 0;
	if (journal.latency_ns == SSDQOS_NEVER_NS)
		journal.latency_ns = JOURNAL_DEVICE_LATENCY_NS;
	if (!journal.rate)
		journal.rate = JOURNAL_DEVICE_RATE;
	return journal_device_create(&device->journal.device, &journal,
				     cfg->cache_kib * BYTES_PER_KIB, seed, error);
}

int mirror_device_create(struct mirror_device *device, const struct drive_options *drive,
			 const struct mirror_device_options *options,
			 const struct ssdqos_mirror_config *cfg, struct sim_error *error)
{
	const u64 seed = (options->seed - 1) * MIRROR_SEEDS_OF_A_RUN;
	u32 nr;

	device->peer = (enum mirror_peer)options->peer;
	nr = device->peer == MIRROR_PEER_ONE ? 1 : (u32)options->members;
	if (members_create(&device->members, drive, nr, seed, error) ||
	    make_mirror(device, drive, cfg, error))
		return -1;
	/* no member has this seed */
	return make_journal(device, options, cfg, seed + SSDQOS_MIRROR_MAX_MEMBERS, error);
}

void mirror_device_destroy(struct mirror_device *device)
{
	mirror_data_destroy(&device->data);
	mirror_journal_destroy(&device->journal);
	ssdqos_mirror_exit(&device->mirror);
	members_destroy(&device->members);
}

bool mirror_device_start(struct mirror_device *device, struct mirror_serve *serve)
{
	struct ssdqos_mirror *mirror = NULL;

	if (device->peer == MIRROR_PEER_IANUS) {
		mirror = &device->mirror;
		ssdqos_mirror_start(mirror, &(struct ssdqos_mirror_known){ 0 }, 0);
	}
	mirror_serve_init(serve, &device->members, mirror, &device->data);
	return !device->has_journal || mirror_serve_journal(serve, &device->journal);
}

/* ---- what it has done ---- */

u64 mirror_device_stale(const struct mirror_device *device)
{
	const struct ssdqos_mirror *mirror = &device->mirror;
	u64 stale = 0;

	for (u32 i = 0; i < mirror->nr; i++)
		for (u64 block = 0; block < mirror->blocks;) {
			const struct ssdqos_region *region =
				&mirror->regions.regions[ssdqos_region_of(&mirror->regions, block)];
			const u64 nr = min((u64)ssdqos_region_blocks(&mirror->regions),
					   mirror->blocks - block);

			if (!((mirror->out | region->stale) & 1u << i))
				stale += mirror_data_stale(&device->data, i, block, nr);
			block += nr;
		}
	return stale;
}

void mirror_device_verify(const struct mirror_device *device, enum verify_when when,
			  struct verify *verify)
{
	for (u32 i = 0; i < device->members.nr && !*verify->broken; i++) {
		const u64 cpu_ns = verify->cpu_ns;

		verify_drive(device->members.member[i].drive, when, verify);
		verify->cpu_ns += cpu_ns;
	}
}

int mirror_device_verdict(const struct mirror_watch *watch)
{
	if (watch->wrong) {
		fprintf(stderr, "ssdqos-sim: %llu blocks were not what was written last\n",
			watch->wrong);
		return SIM_EXIT_BROKEN;
	}
	if (watch->failed) {
		fprintf(stderr, "ssdqos-sim: %llu requests failed\n", watch->failed);
		return SIM_EXIT_BROKEN;
	}
	return SIM_EXIT_GOOD;
}

void mirror_measure_begin(struct mirror_measure *measure, struct mirror_device *device,
			  struct mirror_serve *serve)
{
	struct mirror_journal *journal = &device->journal;

	if (serve->mirror)
		measure->stats_before = serve->mirror->stats;
	memset(serve->watch.state_ns, 0, sizeof(serve->watch.state_ns));
	serve->watch.cache_high = serve->mirror ? serve->mirror->cache.used : 0;
	if (!device->has_journal)
		return;
	mirror_journal_count(journal, &measure->counts_before);
	ssdqos_hist_init(&journal->latency);
	serve->watch.journal_high = journal->flow.ring.used;
}

void mirror_measure_end(struct mirror_measure *measure, const struct mirror_device *device,
			const struct mirror_serve *serve)
{
	const u64 *before = (const u64 *)&measure->stats_before;
	u64 *stat = (u64 *)&measure->stats;

	measure->watch = serve->watch;
	if (!serve->mirror)
		return;
	measure->stats = serve->mirror->stats;
	for (u32 i = 0; i < SSDQOS_NR_MIRROR_STATS; i++)
		stat[i] -= before[i];
	if (!device->has_journal)
		return;
	mirror_journal_count(&device->journal, &measure->counts);
	measure->journal_latency = device->journal.latency;
#define S(name) measure->counts.name -= measure->counts_before.name;
	MIRROR_JOURNAL_COUNTS(S)
#undef S
}
