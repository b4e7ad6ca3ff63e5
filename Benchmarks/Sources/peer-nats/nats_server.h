// The server of NATS, and what both clients send through it.
#pragma once
#include <sys/types.h>

/// The subject that is published to.
static const char nats_subject[] = "moves";

/// A port that nothing listens on now.
int nats_free_port(void);

/// Starts the server of that path on loopback; it ends with this process.
pid_t nats_start_server(const char *path, int port);
