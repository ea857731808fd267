/* SPDX-License-Identifier: GPL-2.0 */
/*
 * client.h - who makes the requests of a load: in a closed loop one for each that has completed,
 * in an open loop one after the other, whatever completes
 */
#ifndef SSDQOS_SIM_CLIENT_H
#define SSDQOS_SIM_CLIENT_H

#include "load.h"
#include "../../../dm-ssdqos/core/env.h"

/**
 * struct client - the client; fields are private
 * @load: what it wants
 * @ring: requests that have not arrived yet, in order of arrival
 * @size: length of @ring
 * @head: the next to arrive
 * @nr: their number
 */
struct client {
	struct load *load;
	struct sim_request *ring;
	u32 size;
	u32 head;
	u32 nr;
};

/**
 * client_start - make the first requests
 * @client: to be filled
 * @load: what it wants; stays the caller's
 * @now_ns: time
 */
void client_start(struct client *client, struct load *load, u64 now_ns);

/**
 * client_completed - requests have completed
 * @client: the client
 * @nr: how many
 * @now_ns: when
 */
void client_completed(struct client *client, u32 nr, u64 now_ns);

/**
 * client_take - the next request, if it has arrived
 * @client: the client
 * @now_ns: time
 * @request: gets it
 *
 * Return: whether it has.
 */
bool client_take(struct client *client, u64 now_ns, struct sim_request *request);

/**
 * client_next_ns - when the next request arrives
 * @client: the client
 *
 * Return: nanoseconds, SSDQOS_NEVER_NS if none does unless something completes.
 */
static inline u64 client_next_ns(const struct client *client)
{
	return client->nr ? client->ring[client->head].arrival_ns : SSDQOS_NEVER_NS;
}

/**
 * client_stop - forget requests that have not arrived, and make no more
 * @client: the client
 */
void client_stop(struct client *client);

#endif
