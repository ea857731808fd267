// SPDX-License-Identifier: GPL-2.0
#include "client.h"

#include <stdlib.h>
#include <string.h>

/* The thinktime is always the same, so the ring stays in order of arrival. */
static void make(struct client *client, u32 nr, u64 now_ns)
{
	for (; nr && client->load; nr--) {
		struct sim_request *request =
			&client->ring[(client->head + client->nr) % client->size];

		if (!load_next(client->load, now_ns, request))
			return;
		client->nr++;
	}
}

void client_start(struct client *client, struct load *load, u64 now_ns)
{
	memset(client, 0, sizeof(*client));
	client->load = load;
	client->size = load_is_open(load) ? 1 : load_iodepth(load);
	client->ring = calloc(client->size, sizeof(*client->ring));
	if (!client->ring)
		abort();
	make(client, client->size, now_ns);
}

void client_completed(struct client *client, u32 nr, u64 now_ns)
{
	if (client->load && !load_is_open(client->load))
		make(client, nr, now_ns);
}

bool client_take(struct client *client, u64 now_ns, struct sim_request *request)
{
	if (client_next_ns(client) > now_ns)
		return false;
	*request = client->ring[client->head];
	client->head = (client->head + 1) % client->size;
	client->nr--;
	if (load_is_open(client->load))
		make(client, 1, request->arrival_ns);
	return true;
}

void client_stop(struct client *client)
{
	free(client->ring);
	memset(client, 0, sizeof(*client));
}
