// SPDX-License-Identifier: GPL-2.0
#include "qos_helper.h"
#include "../../dm-ssdqos/core/qos/asking_way.h"

#define SECTOR_STEP (1 << 20)
/* Where the tests' clock is at 0: nobody's credit reaches back to the core's zero. */
#define BEGIN_NS (10 * S)

struct ssdqos_edf *qos_edf;
struct ssdqos_edf_stream qos_streams[QOS_STREAMS];
struct ssdqos_watch_event qos_events[SSDQOS_WATCH_MAX_EVENTS];
u64 qos_now_ns;
char qos_err[256];

static struct ssdqos_edf_req requests[QOS_REQUESTS];
static struct ssdqos_edf_req *spare[QOS_REQUESTS];
static u32 nr_spare;
/* What the drive has, in the order in which it was sent. */
static struct ssdqos_edf_req *sent[QOS_REQUESTS];
static u32 nr_sent;
static u32 nr_streams;
static u64 next_sector;
static u64 busy_until_ns;

void qos_at(u64 ns)
{
	qos_now_ns = BEGIN_NS + ns;
}

u64 qos_since(u64 ns)
{
	return ns - BEGIN_NS;
}

void qos_start(const char *profile)
{
	memset(qos_streams, 0, sizeof(qos_streams));
	for (nr_spare = 0; nr_spare < QOS_REQUESTS; nr_spare++)
		spare[nr_spare] = &requests[nr_spare];
	nr_sent = nr_streams = 0;
	next_sector = 8;
	qos_at(0);
	qos_edf = ssdqos_edf_create();
	assert_non_null(qos_edf);
	/* Tests of the other rules are easier to follow without these four. */
	qos_edf->cfg.drive_margin_permille = 0;
	qos_edf->cfg.drive_debt = 0;
	qos_edf->cfg.drive_lead = 0;
	qos_edf->cfg.drive_narrow = 0;
	if (profile)
		assert_int_equal(qos_set_profile(profile), 0);
}

int qos_setup(void **state)
{
	qos_start(QOS_PROFILE);
	return 0;
}

int qos_finish(void **state)
{
	u32 i;

	for (i = 0; i < nr_streams; i++)
		if (qos_streams[i].edf)
			ssdqos_edf_drain(&qos_streams[i], true, qos_now_ns);
	while (qos_next())
		;
	while (nr_sent) {
		qos_complete(qos_oldest());
		while (qos_next())
			;
	}
	assert_int_equal(qos_edf->queued, 0);
	for (i = 0; i < nr_streams; i++)
		if (qos_streams[i].edf)
			ssdqos_edf_remove(&qos_streams[i]);
	assert_int_equal(qos_edf->load.util_ppm[SSDQOS_QOS_READ], 0);
	assert_int_equal(qos_edf->load.util_ppm[SSDQOS_QOS_WRITE], 0);
	ssdqos_edf_destroy(qos_edf);
	assert_int_equal(ssdqos_env_live, 0);
	assert_int_equal(ssdqos_env_warnings, 0);
	return 0;
}

void qos_config(struct ssdqos_qos_config *config, const char *words)
{
	char text[256], *rest = text, *word, *value;

	snprintf(text, sizeof(text), "%s", words);
	while ((word = strsep(&rest, " "))) {
		value = strchr(word, '=');
		if (!value)
			continue;
		*value++ = '\0';
		if (ssdqos_qos_config_set(config, word, value, qos_err, sizeof(qos_err)) < 0)
			fail_msg("%s", qos_err);
	}
}

struct ssdqos_edf_stream *qos_add(const char *words)
{
	struct ssdqos_edf_stream *s = &qos_streams[nr_streams++];

	assert_int_equal(ssdqos_edf_add(qos_edf, s, qos_now_ns, qos_err, sizeof(qos_err)), 0);
	if (qos_set(s, words))
		fail_msg("%s", qos_err);
	return s;
}

int qos_set(struct ssdqos_edf_stream *s, const char *words)
{
	struct ssdqos_qos_config config;
	char check_err[sizeof(qos_err)] = "";
	int r, check;

	memset(qos_err, 0, sizeof(qos_err));
	ssdqos_qos_config_init(&config);
	config.stream = s->cfg;
	qos_config(&config, words);
	/* the dry run says the same */
	check = ssdqos_edf_check(s, &config, check_err, sizeof(check_err));
	r = ssdqos_edf_set(s, &config, qos_now_ns, qos_err, sizeof(qos_err));
	assert_int_equal(check, r);
	assert_string_equal(check_err, qos_err);
	return r;
}

int qos_set_profile(const char *text)
{
	struct ssdqos_profile *profile = NULL;
	int r;

	memset(qos_err, 0, sizeof(qos_err));
	if (text) {
		profile = ssdqos_profile_parse(text, qos_err, sizeof(qos_err));
		if (!profile)
			fail_msg("%s", qos_err);
	}
	r = ssdqos_edf_set_profile(qos_edf, &profile, qos_now_ns, qos_err, sizeof(qos_err));
	ssdqos_profile_free(profile);
	return r;
}

/* ---- requests ---- */

struct ssdqos_edf_req *qos_request(u32 kind, u32 bytes)
{
	struct ssdqos_edf_req *req;

	assert_true(nr_spare);
	req = spare[--nr_spare];
	memset(req, 0x5a, sizeof(*req));
	req->kind = (u8)kind;
	req->bytes = bytes;
	return req;
}

enum ssdqos_edf_verdict qos_submit_at(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req,
				      u64 sector, u32 flags)
{
	enum ssdqos_edf_verdict verdict =
		ssdqos_edf_submit(s, req, sector, flags, qos_now_ns);

	if (verdict == SSDQOS_EDF_GO)
		sent[nr_sent++] = req;
	return verdict;
}

enum ssdqos_edf_verdict qos_submit(struct ssdqos_edf_stream *s, u32 kind, u32 bytes, u32 flags)
{
	next_sector += SECTOR_STEP;
	return qos_submit_at(s, qos_request(kind, bytes), next_sector, flags);
}

enum ssdqos_edf_verdict qos_read(struct ssdqos_edf_stream *s)
{
	return qos_submit(s, SSDQOS_EDF_KIND_READ, 4096, 0);
}

enum ssdqos_edf_verdict qos_write(struct ssdqos_edf_stream *s)
{
	return qos_submit(s, SSDQOS_EDF_KIND_WRITE, 4096, 0);
}

void qos_asks(struct ssdqos_edf_stream *s, bool asks)
{
	s->in_flight += asks ? 1 : -1;
	s->asking.since_ns = qos_now_ns;
	s->asking.part = asks ? SSDQOS_WATCH_ASKS_ALL : 0;
}

struct ssdqos_edf_req *qos_oldest(void)
{
	assert_true(nr_sent);
	return sent[0];
}

struct ssdqos_edf_req *qos_last_sent(void)
{
	assert_true(nr_sent);
	return sent[nr_sent - 1];
}

u32 qos_complete(struct ssdqos_edf_req *req)
{
	return qos_end(req, SSDQOS_EDF_DONE);
}

u32 qos_end(struct ssdqos_edf_req *req, enum ssdqos_edf_outcome outcome)
{
	u32 i = 0;

	while (sent[i] != req)
		i++;
	nr_sent--;
	memmove(&sent[i], &sent[i + 1], (nr_sent - i) * sizeof(sent[0]));
	spare[nr_spare++] = req;
	return ssdqos_edf_complete(req, outcome, qos_now_ns, qos_events);
}

struct ssdqos_edf_stream *qos_next(void)
{
	struct ssdqos_edf_req *req = ssdqos_edf_next(qos_edf, qos_now_ns);

	if (!req)
		return NULL;
	sent[nr_sent++] = req;
	return req->stream;
}

/* ---- the drive ---- */

static u64 earliest_ns(void)
{
	u64 wake_ns = max(ssdqos_edf_wake_ns(qos_edf), qos_now_ns);

	return nr_sent ? min(busy_until_ns, wake_ns) : wake_ns;
}

void qos_serve(u64 until_ns, void (*done)(struct ssdqos_edf_stream *s, struct ssdqos_edf_req *req))
{
	bool busy = false;
	u64 ns;

	for (;;) {
		while (qos_next())
			;
		if (nr_sent && !busy)
			busy_until_ns = qos_now_ns + sent[0]->cost_ns;
		busy = nr_sent;
		ns = earliest_ns();
		if (ns >= until_ns)
			break;
		qos_now_ns = ns;
		if (busy && busy_until_ns == ns) {
			struct ssdqos_edf_req req = *sent[0];

			qos_complete(sent[0]);
			busy = false;
			if (done)
				done(req.stream, &req);
		}
	}
	qos_now_ns = until_ns;
}

struct ssdqos_edf_stream *qos_debt_owner(const char *words)
{
	struct ssdqos_edf_stream *owner;

	qos_edf->cfg.drive_debt = 1;
	owner = qos_add(words);
	qos_add("");
	qos_read(owner);
	qos_complete(qos_last_sent());
	edf_debt_end_step(qos_edf, qos_now_ns);
	return owner;
}

void qos_debt_step(struct ssdqos_edf_stream *owner, u64 step_ns, u64 wants_pct, u64 gets_pct)
{
	qos_now_ns = qos_edf->debt.step_ns + step_ns;
	edf_asking_count(owner, qos_now_ns);
	owner->step_idle_ns = step_ns * (100 - wants_pct) / 100;
	owner->step_work_ns = step_ns / SSDQOS_QOS_PPM * owner->util_ppm * gets_pct / 100;
	edf_debt_end_step(qos_edf, qos_now_ns);
}
