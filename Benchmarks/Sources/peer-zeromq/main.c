// ZeroMQ as `bench` needs it beside our own sessions: publishing to many subscribers, and a round trip, over TCP on loopback.
#include <peer.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

static char endpoint[256];

static void check(int result, const char *what) {
  if (result < 0) peer_fail(what, zmq_strerror(zmq_errno()));
}

static void *open_socket(void *context, int type) {
  void *socket = zmq_socket(context, type);
  if (!socket) peer_fail("zmq_socket", zmq_strerror(zmq_errno()));
  int none = 0;
  check(zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none), "linger");
  // Nothing is dropped: what is on its way is bounded by the stride.
  check(zmq_setsockopt(socket, ZMQ_SNDHWM, &none, sizeof none), "send limit");
  check(zmq_setsockopt(socket, ZMQ_RCVHWM, &none, sizeof none), "receive limit");
  return socket;
}

static void bind_socket(void *socket) {
  check(zmq_bind(socket, "tcp://127.0.0.1:*"), "zmq_bind");
  size_t length = sizeof endpoint;
  check(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &length), "last endpoint");
}

// MARK: Fan-out

typedef struct {
  void *socket;
  peer_counter counter;
} subscriber;

static void *subscribe(void *argument) {
  subscriber *self = argument;
  zmq_msg_t message;
  zmq_msg_init(&message);
  while (self->counter.seen < self->counter.load->count) {
    check(zmq_msg_recv(&message, self->socket, 0), "zmq_msg_recv");
    if (zmq_msg_size(&message) == self->counter.load->size) peer_count(&self->counter);
  }
  zmq_msg_close(&message);
  zmq_close(self->socket);
  return NULL;
}

static int fan_out(int argc, char **argv) {
  peer_load load = peer_read_load(argc, argv);
  void *near = zmq_ctx_new(), *far = zmq_ctx_new();
  void *publisher = open_socket(near, ZMQ_XPUB);
  bind_socket(publisher);
  sem_t arrived;
  sem_init(&arrived, 0, 0);
  pthread_t threads[load.receivers];
  subscriber *subscribers = calloc((size_t)load.receivers, sizeof *subscribers);
  for (int index = 0; index < load.receivers; index++) {
    void *socket = open_socket(far, ZMQ_SUB);
    check(zmq_connect(socket, endpoint), "zmq_connect");
    check(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0), "subscribe");
    subscribers[index] = (subscriber){socket, {0, &load, &arrived}};
  }
  // The extended publisher hears of equal subscriptions only once: say where each stands by a first word that all must get.
  char word = 0;
  int verbose = 1;
  check(zmq_setsockopt(publisher, ZMQ_XPUB_VERBOSE, &verbose, sizeof verbose), "verbose");
  for (int index = 0; index < load.receivers; index++) {
    zmq_msg_t subscription;
    zmq_msg_init(&subscription);
    check(zmq_msg_recv(&subscription, publisher, 0), "a subscription");
    zmq_msg_close(&subscription);
  }
  check(zmq_send(publisher, &word, 1, 0), "zmq_send");
  for (int index = 0; index < load.receivers; index++)
    pthread_create(&threads[index], NULL, subscribe, &subscribers[index]);
  char *bytes = calloc(1, load.size);
  peer_begin(0);
  for (long sent = 0; sent < load.count; sent++) {
    memcpy(bytes, &sent, sizeof sent);
    check(zmq_send(publisher, bytes, load.size, 0), "zmq_send");
    if ((sent + 1) % load.stride) continue;
    for (int index = 0; index < load.receivers; index++) sem_wait(&arrived);
  }
  peer_report(&load);
  for (int index = 0; index < load.receivers; index++) pthread_join(threads[index], NULL);
  zmq_close(publisher);
  zmq_ctx_term(near);
  zmq_ctx_term(far);
  free(subscribers);
  free(bytes);
  return 0;
}

// MARK: Round trip

static long trips;
static size_t trip_size;

static void *echo(void *argument) {
  char bytes[trip_size];
  for (long trip = 0; trip < trips; trip++) {
    check(zmq_recv(argument, bytes, trip_size, 0), "zmq_recv");
    check(zmq_send(argument, bytes, trip_size, 0), "zmq_send");
  }
  zmq_close(argument);
  return NULL;
}

static int round_trip(int argc, char **argv) {
  if (argc != 3 || atol(argv[1]) < 1 || atol(argv[2]) < 1) peer_fail(argv[0], "usage: roundtrip COUNT SIZE");
  trips = atol(argv[1]);
  trip_size = (size_t)atol(argv[2]);
  void *near = zmq_ctx_new(), *far = zmq_ctx_new();
  void *ball = open_socket(near, ZMQ_PAIR), *wall = open_socket(far, ZMQ_PAIR);
  bind_socket(ball);
  check(zmq_connect(wall, endpoint), "zmq_connect");
  pthread_t thread;
  pthread_create(&thread, NULL, echo, wall);
  char bytes[trip_size];
  memset(bytes, 0, trip_size);
  long *times = calloc((size_t)trips, sizeof *times);
  for (long trip = 0; trip < trips; trip++) {
    long start = peer_now();
    check(zmq_send(ball, bytes, trip_size, 0), "zmq_send");
    check(zmq_recv(ball, bytes, trip_size, 0), "zmq_recv");
    times[trip] = peer_now() - start;
  }
  pthread_join(thread, NULL);
  peer_report_times(times, trips);
  zmq_close(ball);
  zmq_ctx_term(near);
  zmq_ctx_term(far);
  free(times);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "fanout") == 0) return fan_out(argc - 1, argv + 1);
  if (argc > 1 && strcmp(argv[1], "roundtrip") == 0) return round_trip(argc - 1, argv + 1);
  peer_fail(argv[0], "usage: fanout … or roundtrip …");
}
