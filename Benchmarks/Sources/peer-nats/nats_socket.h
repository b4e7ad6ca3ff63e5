// The smallest client of NATS that publishes and receives: what its server costs without its library.
// https://docs.nats.io/reference/reference-protocols/nats-protocol
#pragma once
#include <peer.h>
#include <sys/types.h>

/// Sends the load through the server at a port of loopback, by one socket a client and one thread a receiver.
void nats_fan_out_by_sockets(const peer_load *load, int port, pid_t server);
