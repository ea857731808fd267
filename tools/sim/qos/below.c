// SPDX-License-Identifier: GPL-2.0
#include "below.h"

#define SECTOR_SHIFT 9
#define KIB_SHIFT 10
/* What has not come to an end so long after the run never will. */
#define SETTLE_NS (24 * 3600 * NS_PER_S)

struct ssdqos_flash *qos_below_drive(const struct qos_below *below, u32 i)
{
	return i < below->device.members.nr ? below->device.members.member[i].drive : NULL;
}

u64 qos_below_bytes(const struct qos_below *below)
{
	return drive_bytes(qos_below_drive(below, 0));
}

u64 qos_below_discard_bytes(const struct qos_below *below)
{
	const struct ssdqos_flash_config *cfg = ssdqos_flash_config(qos_below_drive(below, 0));
	const u64 bytes = cfg->trim_granule_kib << KIB_SHIFT;

	return below->device.peer == MIRROR_PEER_ONE ? bytes :
						       max(bytes, (u64)SSDQOS_MIRROR_BLOCK_BYTES);
}

bool qos_below_wear(const struct qos_below *below, u64 *flash_bytes)
{
	const struct ssdqos_flash *drive = qos_below_drive(below, 0);
	const struct ssdqos_flash_stats *stats = ssdqos_flash_stats(drive);

	if (below->device.peer != MIRROR_PEER_ONE)
		return false;
	*flash_bytes = (stats->flash_programs + stats->flash_copybacks) *
		       ssdqos_flash_geo(drive)->units_per_page * SSDQOS_UNIT_BYTES;
	return true;
}

/* ---- a drive ---- */

static void drive_submit(struct qos_below *below, struct qos_below_req *req)
{
	req->flash.arrival_ns = below->now_ns;
	ssdqos_flash_submit(qos_below_drive(below, 0), &req->flash);
}

static struct qos_below_req *drive_take_done(struct qos_below *below)
{
	struct ssdqos_flash_req *req;

	if (!below->done)
		below->done = ssdqos_flash_take_done(qos_below_drive(below, 0));
	req = below->done;
	if (!req)
		return NULL;
	below->done = req->next;
	return container_of(req, struct qos_below_req, flash);
}

static u64 drive_next_ns(const struct qos_below *below)
{
	return ssdqos_flash_next_ns(qos_below_drive(below, 0));
}

static void drive_advance(struct qos_below *below, u64 now_ns)
{
	below->now_ns = now_ns;
	while (!ssdqos_flash_advance(qos_below_drive(below, 0), now_ns))
		;
}

static const struct qos_below_ops drive_ops = {
	.submit = drive_submit,
	.take_done = drive_take_done,
	.next_ns = drive_next_ns,
	.advance = drive_advance,
};

/* ---- a mirror ---- */

static void mirror_submit(struct qos_below *below, struct qos_below_req *req)
{
	const u64 from = req->flash.sector << SECTOR_SHIFT;

	req->flash.arrival_ns = below->now_ns;
	req->mirror.owner = req;
	req->mirror.op = req->flash.op;
	req->mirror.durable = req->flash.fua;
	mirror_request_place(&req->mirror, from,
			     from + ((u64)req->flash.nr_sectors << SECTOR_SHIFT));
	mirror_serve_submit(&below->serve, &req->mirror);
}

static struct qos_below_req *mirror_take_done(struct qos_below *below)
{
	struct mirror_request *request = mirror_serve_take_done(&below->serve);

	return request ? request->owner : NULL;
}

static u64 mirror_next_ns(const struct qos_below *below)
{
	return mirror_serve_next_ns(&below->serve);
}

static void mirror_advance(struct qos_below *below, u64 now_ns)
{
	below->now_ns = now_ns;
	members_advance(&below->device.members, now_ns);
	mirror_serve_look(&below->serve);
	mirror_serve_step(&below->serve);
}

static const struct qos_below_ops mirror_ops = {
	.submit = mirror_submit,
	.take_done = mirror_take_done,
	.next_ns = mirror_next_ns,
	.advance = mirror_advance,
};

/* ---- both ---- */

int qos_below_start(struct qos_below *below, struct sim_error *error)
{
	if (below->device.peer == MIRROR_PEER_ONE) {
		below->ops = &drive_ops;
		return 0;
	}
	below->ops = &mirror_ops;
	if (!mirror_device_start(&below->device, &below->serve))
		return sim_error_set(error, "not enough memory for the journal");
	return 0;
}

bool qos_below_settle(struct qos_below *below)
{
	struct ssdqos_mirror *mirror = below->serve.mirror;
	const u64 end_ns = below->now_ns + SETTLE_NS;
	u64 ns;

	if (!mirror)
		return true;
	ssdqos_mirror_drain(mirror, true, below->now_ns);
	below->serve.ops.touched = true;
	while (!ssdqos_mirror_is_drained(mirror) &&
	       (ns = max(mirror_next_ns(below), below->now_ns)) < end_ns)
		mirror_advance(below, ns);
	below->measure.watch.wrong = below->serve.watch.wrong + mirror_device_stale(&below->device);
	below->measure.watch.failed = below->serve.watch.failed;
	return ssdqos_mirror_is_drained(mirror);
}

void qos_below_destroy(struct qos_below *below)
{
	if (below->ops == &mirror_ops)
		mirror_serve_destroy(&below->serve);
	mirror_device_destroy(&below->device);
}
