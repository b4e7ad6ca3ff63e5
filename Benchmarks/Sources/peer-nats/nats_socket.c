#define _GNU_SOURCE
#include "nats_socket.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nats_server.h"

enum { buffer_bytes = 1 << 16 };

/// One connection, and what was received on it and not read yet.
typedef struct {
  int file;
  size_t begin, end;
  char buffer[buffer_bytes];
  peer_counter counter;
  pthread_t thread;
} client;

static void send_all(int file, const char *bytes, size_t count) {
  while (count) {
    ssize_t sent = send(file, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) peer_fail("send", "the server has closed");
    bytes += sent, count -= (size_t)sent;
  }
}

/// Makes room behind what is not read yet, and receives more; 0 at the end.
static int fill(client *from) {
  memmove(from->buffer, from->buffer + from->begin, from->end - from->begin);
  from->end -= from->begin, from->begin = 0;
  if (from->end == buffer_bytes) peer_fail("receive", "a line is longer than the buffer");
  ssize_t count = recv(from->file, from->buffer + from->end, buffer_bytes - from->end, 0);
  if (count > 0) from->end += (size_t)count;
  return count > 0;
}

/// The next line, ended by 0 in place of its line break; NULL at the end of the connection.
static char *next_line(client *from) {
  for (;;) {
    char *start = from->buffer + from->begin, *end = memchr(start, '\n', from->end - from->begin);
    if (end) {
      *end = 0;
      from->begin = (size_t)(end + 1 - from->buffer);
      return start;
    }
    if (!fill(from)) return NULL;
  }
}

/// Passes over so many bytes; 0 at the end of the connection.
static int skip(client *from, size_t count) {
  while (count > from->end - from->begin) {
    count -= from->end - from->begin;
    from->begin = from->end;
    if (!fill(from)) return 0;
  }
  from->begin += count;
  return 1;
}

/// Says who we are, and waits until the server has taken this and `more`.
static void greet(client *new, const char *more) {
  char words[256];
  int count = snprintf(words, sizeof words, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n%sPING\r\n", more);
  send_all(new->file, words, (size_t)count);
  for (char *line; (line = next_line(new));) {
    if (strncmp(line, "PONG", 4) == 0) return;
    if (strncmp(line, "-ERR", 4) == 0) peer_fail("NATS", line);
  }
  peer_fail("NATS", "the server has closed");
}

static void open_client(client *new, int port, const char *more) {
  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  // The server needs a moment before it listens.
  for (int attempt = 0; attempt < 200; attempt++) {
    new->file = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(new->file, (struct sockaddr *)&address, sizeof address) == 0) {
      setsockopt(new->file, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
      return greet(new, more);
    }
    close(new->file);
    nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
  }
  peer_fail("connect", "the server does not answer");
}

/// Counts messages (`MSG subject sid size`, the bytes, a line break) until the connection ends.
static void *receive(void *argument) {
  client *from = argument;
  for (char *line; (line = next_line(from));) {
    if (strncmp(line, "PING", 4) == 0) send_all(from->file, "PONG\r\n", 6);
    if (strncmp(line, "MSG ", 4) != 0) continue;
    if (!skip(from, strtoul(strrchr(line, ' '), NULL, 10) + 2)) break;
    peer_count(&from->counter);
  }
  return NULL;
}

void nats_fan_out_by_sockets(const peer_load *load, int port, pid_t server) {
  client *publisher = calloc(1, sizeof *publisher), *receivers = calloc((size_t)load->receivers, sizeof *receivers);
  sem_t arrived;
  sem_init(&arrived, 0, 0);
  char words[64];
  snprintf(words, sizeof words, "SUB %s 1\r\n", nats_subject);
  open_client(publisher, port, "");
  for (int index = 0; index < load->receivers; index++) {
    receivers[index].counter = (peer_counter){0, load, &arrived};
    open_client(&receivers[index], port, words);
    pthread_create(&receivers[index].thread, NULL, receive, &receivers[index]);
  }
  // As many messages as fit are written at once, and those before each wait.
  int head = snprintf(words, sizeof words, "PUB %s %zu\r\n", nats_subject, load->size);
  size_t frame = (size_t)head + load->size + 2, room = frame > buffer_bytes ? frame : buffer_bytes, used = 0;
  char *bytes = calloc(1, room);
  peer_begin(server);
  for (long sent = 0; sent < load->count; sent++) {
    char *at = bytes + used;
    memcpy(at, words, (size_t)head);
    memcpy(at + head, &sent, sizeof sent);
    memcpy(at + frame - 2, "\r\n", 2);
    used += frame;
    int is_marked = (sent + 1) % load->stride == 0;
    if (is_marked || used + frame > room) {
      send_all(publisher->file, bytes, used);
      used = 0;
    }
    for (int index = 0; is_marked && index < load->receivers; index++) sem_wait(&arrived);
  }
  peer_report(load);
  for (int index = 0; index < load->receivers; index++) {
    shutdown(receivers[index].file, SHUT_RDWR);
    pthread_join(receivers[index].thread, NULL);
    close(receivers[index].file);
  }
  close(publisher->file);
  sem_destroy(&arrived);
  free(bytes), free(receivers), free(publisher);
}
