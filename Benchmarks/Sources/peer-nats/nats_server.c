#define _GNU_SOURCE
#include "nats_server.h"

#include <arpa/inet.h>
#include <peer.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int nats_free_port(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int file = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(file, (struct sockaddr *)&address, length) || getsockname(file, (struct sockaddr *)&address, &length))
    peer_fail("bind", "no port is free");
  close(file);
  return ntohs(address.sin_port);
}

pid_t nats_start_server(const char *path, int port) {
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
