// NATS as `bench` needs it beside our own sessions: publishing through its server to many subscribers, over TCP on loopback.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <nats/nats.h>
#include <peer.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char subject[] = "moves";

static void check(natsStatus status, const char *what) {
  if (status != NATS_OK) peer_fail(what, natsStatus_GetText(status));
}

/// A port that nothing listens on now.
static int free_port(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int file = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(file, (struct sockaddr *)&address, length) || getsockname(file, (struct sockaddr *)&address, &length))
    peer_fail("bind", "no port is free");
  close(file);
  return ntohs(address.sin_port);
}

static pid_t start_server(const char *path, int port) {
  char number[16];
  snprintf(number, sizeof number, "%d", port);
  pid_t server = fork();
  if (server < 0) peer_fail("fork", "the server cannot be started");
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(path, path, "-a", "127.0.0.1", "-p", number, "-l", "/dev/null", (char *)NULL);
    _exit(127);
  }
  return server;
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

int main(int argc, char **argv) {
  if (argc < 3 || strcmp(argv[1], "fanout") != 0) peer_fail(argv[0], "usage: fanout SERVER RECEIVERS COUNT STRIDE SIZE");
  peer_load load = peer_read_load(argc - 2, argv + 2);
  int port = free_port();
  pid_t server = start_server(argv[2], port);
  char url[64];
  snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
  natsConnection *publisher = connect_to(url);
  natsConnection *connections[load.receivers];
  natsSubscription *subscriptions[load.receivers];
  peer_counter *counters = calloc((size_t)load.receivers, sizeof *counters);
  sem_t arrived;
  sem_init(&arrived, 0, 0);
  for (int index = 0; index < load.receivers; index++) {
    connections[index] = connect_to(url);
    counters[index] = (peer_counter){0, &load, &arrived};
    check(
      natsConnection_Subscribe(&subscriptions[index], connections[index], subject, receive, &counters[index]), "subscribe");
    // Nothing is dropped: what is on its way is bounded by the stride.
    check(natsSubscription_SetPendingLimits(subscriptions[index], -1, -1), "pending limits");
    check(natsConnection_Flush(connections[index]), "flush");
  }
  char *bytes = calloc(1, load.size);
  peer_begin(server);
  for (long sent = 0; sent < load.count; sent++) {
    memcpy(bytes, &sent, sizeof sent);
    check(natsConnection_Publish(publisher, subject, bytes, (int)load.size), "publish");
    if ((sent + 1) % load.stride) continue;
    check(natsConnection_Flush(publisher), "flush");
    for (int index = 0; index < load.receivers; index++) sem_wait(&arrived);
  }
  peer_report(&load);
  for (int index = 0; index < load.receivers; index++) {
    natsSubscription_Destroy(subscriptions[index]);
    natsConnection_Destroy(connections[index]);
  }
  natsConnection_Destroy(publisher);
  kill(server, SIGTERM);
  waitpid(server, NULL, 0);
  nats_Close();
  return 0;
}
