// NATS as `bench` needs it beside our own sessions: publishing through its server to many subscribers, over TCP on loopback, by
// its own C client (`fanout`) or by bare sockets (`fanout-socket`), since that client takes most of the time.
#include <nats/nats.h>
#include <peer.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "nats_server.h"
#include "nats_socket.h"

static void check(natsStatus status, const char *what) {
  if (status != NATS_OK) peer_fail(what, natsStatus_GetText(status));
}

static natsConnection *connect_to(const char *url) {
  natsConnection *connection = NULL;
  // The server needs a moment before it listens.
  for (int attempt = 0; attempt < 200; attempt++) {
    if (natsConnection_ConnectTo(&connection, url) == NATS_OK) return connection;
    nats_Sleep(25);
  }
  peer_fail(url, "the server does not answer");
}

static void receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *counter) {
  (void)connection, (void)subscription;
  peer_count(counter);
  natsMsg_Destroy(message);
}

/// Publishes and receives by the library.
static void fan_out(const peer_load *load, int port, pid_t server) {
  char url[64];
  snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
  natsConnection *publisher = connect_to(url);
  natsConnection *connections[load->receivers];
  natsSubscription *subscriptions[load->receivers];
  peer_counter *counters = calloc((size_t)load->receivers, sizeof *counters);
  sem_t arrived;
  sem_init(&arrived, 0, 0);
  for (int index = 0; index < load->receivers; index++) {
    connections[index] = connect_to(url);
    counters[index] = (peer_counter){0, load, &arrived};
    check(
      natsConnection_Subscribe(&subscriptions[index], connections[index], nats_subject, receive, &counters[index]),
      "subscribe");
    // Nothing is dropped: what is on its way is bounded by the stride.
    check(natsSubscription_SetPendingLimits(subscriptions[index], -1, -1), "pending limits");
    check(natsConnection_Flush(connections[index]), "flush");
  }
  char *bytes = calloc(1, load->size);
  peer_begin(server);
  for (long sent = 0; sent < load->count; sent++) {
    memcpy(bytes, &sent, sizeof sent);
    check(natsConnection_Publish(publisher, nats_subject, bytes, (int)load->size), "publish");
    if ((sent + 1) % load->stride) continue;
    check(natsConnection_Flush(publisher), "flush");
    for (int index = 0; index < load->receivers; index++) sem_wait(&arrived);
  }
  peer_report(load);
  for (int index = 0; index < load->receivers; index++) {
    natsSubscription_Destroy(subscriptions[index]);
    natsConnection_Destroy(connections[index]);
  }
  natsConnection_Destroy(publisher);
  nats_Close();
}

int main(int argc, char **argv) {
  int by_library = argc > 2 && strcmp(argv[1], "fanout") == 0;
  if (argc < 3 || (!by_library && strcmp(argv[1], "fanout-socket") != 0))
    peer_fail(argv[0], "usage: fanout|fanout-socket SERVER RECEIVERS COUNT STRIDE SIZE");
  peer_load load = peer_read_load(argc - 2, argv + 2);
  int port = nats_free_port();
  pid_t server = nats_start_server(argv[2], port);
  (by_library ? fan_out : nats_fan_out_by_sockets)(&load, port, server);
  kill(server, SIGTERM);
  waitpid(server, NULL, 0);
  return 0;
}
