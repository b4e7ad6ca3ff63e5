/*
 * Sessions in one process, through the C interface alone: a thread waits for the end of an operation, and takes it out of the
 * events, which it leaves alone otherwise. Prints "ok" and returns 0.
 *
 * usage: waits FOLDER, a folder for identities
 */
#include <pthread.h>
#include <semaphore.h>

#include "pair.h"

/* A wait in a thread of its own, and what came of it. */
struct waiter {
  sw_session *session;
  uint64_t operation;
  sem_t *over;
  pthread_t thread;
  sw_status status;
  sw_event *done;
  char message[256];
};

static void *run_waiter(void *argument) {
  struct waiter *waiter = argument;
  waiter->status = sw_session_wait(waiter->session, waiter->operation, &waiter->done);
  snprintf(waiter->message, sizeof waiter->message, "%s", sw_last_error_message());
  CHECK(sem_post(waiter->over) == 0);
  return NULL;
}

/*
 * Two threads wait for one operation, and one of them is refused at once. So the other, which is returned, does wait; nothing
 * else would say that.
 */
static struct waiter *waiting(struct waiter pair[2], sw_session *session, uint64_t operation, sem_t *over) {
  for (int index = 0; index < 2; index++) {
    pair[index] = (struct waiter){.session = session, .operation = operation, .over = over, .status = SW_OTHER_ERROR};
    CHECK(pthread_create(&pair[index].thread, NULL, run_waiter, &pair[index]) == 0);
  }
  CHECK(sem_wait(over) == 0);
  const int refused = pair[0].status != SW_INVALID_ARGUMENT;
  CHECK(pthread_join(pair[refused].thread, NULL) == 0);
  CHECK(pair[refused].status == SW_INVALID_ARGUMENT && pair[refused].done == NULL);
  CHECK(strstr(pair[refused].message, "waited for elsewhere") != NULL);
  return &pair[1 - refused];
}

static sw_status joined(struct waiter *waiter) {
  CHECK(sem_wait(waiter->over) == 0 && pthread_join(waiter->thread, NULL) == 0);
  return waiter->status;
}

/* The number of an invitation that ends at once, with SW_UNKNOWN_PEER. */
static uint64_t invite_nobody(sw_session *session) {
  sw_invitation invitation = {.size = sizeof invitation, .candidate = "nobody"};
  uint64_t operation = 0;
  CHECK(sw_session_invite(session, &invitation, &operation) == SW_OK);
  return operation;
}

/* The number of an invitation that ends when the other program answers. */
static uint64_t invite(sw_session *session, sw_session *other) {
  sw_invitation invitation = {.size = sizeof invitation, .host = "127.0.0.1", .port = sw_session_port(other)};
  uint64_t operation = 0;
  CHECK(sw_session_invite(session, &invitation, &operation) == SW_OK);
  return operation;
}

/* Answers the next invitation of a session. */
static void answer(sw_session *session, int accept) {
  sw_event *asked = await_event(session, SW_EVENT_INVITATION);
  CHECK(sw_session_answer(session, asked->operation, accept, "not now") == SW_OK);
  sw_event_destroy(asked);
}

/* What nobody can wait for; none of it blocks, and each tells that there is no event. */
static void refused(sw_session *alice) {
  const uint64_t operation = invite_nobody(alice);
  sw_event *done = (sw_event *)&operation;
  CHECK(sw_session_wait(NULL, operation, &done) == SW_INVALID_ARGUMENT && done == NULL);
  expect_done(alice, operation, SW_UNKNOWN_PEER);
  const uint64_t numbers[] = {0, operation, operation + 1, UINT64_MAX};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    done = (sw_event *)&operation;
    CHECK(sw_session_wait(alice, numbers[index], &done) == SW_INVALID_ARGUMENT && done == NULL);
  }
  uint64_t subscription = 0;
  CHECK(sw_session_read_objects(alice, "Stroke", NULL, &subscription) == SW_OK);
  CHECK(sw_session_wait(alice, subscription, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_cancel(alice, subscription) == SW_OK);
}

/* Nobody reads events: operations end for all that, and have no limit but one on those that nobody waits for. */
static void unread(sw_session *alice) {
  for (int turn = 0; turn < 300; turn++) CHECK(sw_session_wait(alice, invite_nobody(alice), NULL) == SW_UNKNOWN_PEER);
  const uint64_t operation = invite_nobody(alice);
  sw_event *done = NULL;
  CHECK(sw_session_wait(alice, operation, &done) == SW_UNKNOWN_PEER && done != NULL);
  CHECK(done->type == SW_EVENT_DONE && done->operation == operation && done->status == SW_UNKNOWN_PEER);
  CHECK(strcmp(done->text, sw_last_error_message()) == 0 && done->text[0] != '\0');
  sw_event_destroy(done);
}

/* An end that waits to be read is taken too, and the descriptor does not wake the program for it any more. */
static void silent(sw_session *alice) {
  struct pollfd poller = {.fd = sw_session_events_fd(alice), .events = POLLIN};
  for (;;) {
    sw_event *event = NULL;
    do {
      sw_event_destroy(event);
      CHECK(sw_session_next_event(alice, &event) == SW_OK);
    } while (event != NULL);
    const uint64_t operation = invite_nobody(alice);
    CHECK(poll(&poller, 1, PATIENCE_MS) == 1 && sw_session_wait(alice, operation, NULL) == SW_UNKNOWN_PEER);
    if (poll(&poller, 1, 0) == 0) return;
    /* Something else has happened meanwhile. */
    CHECK(sw_session_next_event(alice, &event) == SW_OK && event != NULL);
    sw_event_destroy(event);
  }
}

/* Alice joins Bob by a wait. The other events of that are where they were, in their order, and its end is not among them. */
static void others_stay(sw_session *alice, sw_session *bob) {
  sw_event *done = NULL;
  const uint64_t operation = invite(alice, bob);
  CHECK(sw_session_wait(alice, operation, &done) == SW_OK && done->operation == operation);
  CHECK(strcmp(done->name, "bob") == 0);
  for (int joins = 0, is_synchronized = 0; !is_synchronized;) {
    sw_event *event = fresh_event(alice, now_ms() + PATIENCE_MS);
    CHECK(event->type != SW_EVENT_DONE);
    joins += event->type == SW_EVENT_PEER_JOINED && is_same_peer(&event->peer, &done->peer);
    is_synchronized = event->type == SW_EVENT_SYNCHRONIZED;
    CHECK(!is_synchronized || joins == 1);
    sw_event_destroy(event);
  }
  sw_event_destroy(done);
  sw_event_destroy(await_event(bob, SW_EVENT_SYNCHRONIZED));
}

/* Two threads wait for two operations, which end the other way round; a third one reads events meanwhile. */
static void threads(sw_session *alice, sw_session *carol, sw_session *dora) {
  sem_t over_carol, over_dora;
  CHECK(sem_init(&over_carol, 0, 0) == 0 && sem_init(&over_dora, 0, 0) == 0);
  struct waiter pairs[2][2];
  struct waiter *first = waiting(pairs[0], alice, invite(alice, carol), &over_carol);
  struct waiter *second = waiting(pairs[1], alice, invite(alice, dora), &over_dora);
  answer(dora, 0);
  CHECK(joined(second) == SW_DECLINED && strstr(second->message, "not now") != NULL);
  CHECK(second->done->operation == second->operation);
  answer(carol, 1);
  for (int is_here = 0; !is_here;) {
    sw_event *event = fresh_event(alice, now_ms() + PATIENCE_MS);
    CHECK(event->type != SW_EVENT_DONE);
    is_here = event->type == SW_EVENT_PEER_JOINED && strcmp(event->name, "carol") == 0;
    sw_event_destroy(event);
  }
  CHECK(joined(first) == SW_OK && strcmp(first->done->name, "carol") == 0);
  sw_event_destroy(first->done);
  sw_event_destroy(second->done);
}

/* An operation that is given up ends the wait for it. */
static void cancelled(sw_session *alice, sw_session *dora) {
  sem_t over;
  CHECK(sem_init(&over, 0, 0) == 0);
  struct waiter pair[2], *waiter = waiting(pair, alice, invite(alice, dora), &over);
  CHECK(sw_session_cancel(alice, waiter->operation) == SW_OK);
  CHECK(joined(waiter) == SW_CANCELLED && waiter->done->status == SW_CANCELLED);
  sw_event_destroy(waiter->done);
}

/* The end of the wait for a stream hands the stream out, or resets it where nobody wants the event. */
static void streams(sw_session *alice, const sw_peer_id *bob_id, sw_session *bob) {
  uint64_t subscription = 0, operation = 0;
  sw_event *done = NULL;
  sw_stream *stream = NULL;
  CHECK(sw_session_accept_streams(bob, NULL, &subscription) == SW_OK);
  CHECK(sw_session_open_stream(alice, bob_id, "log", 0, &operation) == SW_OK);
  sw_event *accepted = await_event(bob, SW_EVENT_STREAM);
  CHECK(sw_session_wait(alice, operation, &done) == SW_OK && sw_event_take_stream(done, &stream) == SW_OK);
  CHECK(sw_stream_fd(stream) >= 0);
  sw_event_destroy(done);
  sw_event_destroy(accepted);
  sw_stream_destroy(stream);

  CHECK(sw_session_open_stream(alice, bob_id, "log", 0, &operation) == SW_OK);
  accepted = await_event(bob, SW_EVENT_STREAM);
  CHECK(sw_event_take_stream(accepted, &stream) == SW_OK && sw_session_wait(alice, operation, NULL) == SW_OK);
  struct pollfd poller = {.fd = sw_stream_fd(stream), .events = POLLIN};
  CHECK(poll(&poller, 1, PATIENCE_MS) == 1);
  uint8_t byte;
  size_t count = 0;
  CHECK(sw_stream_read(stream, &byte, 1, &count) == SW_STREAM_RESET);
  sw_event_destroy(accepted);
  sw_stream_destroy(stream);
}

/* The session ends, while nobody reads its events: so does the wait, and no other can begin. */
static void ended(sw_session *alice, sw_session *dora) {
  sem_t over;
  CHECK(sem_init(&over, 0, 0) == 0);
  struct waiter pair[2], *waiter = waiting(pair, alice, invite(alice, dora), &over);
  CHECK(sw_session_leave(alice) == SW_OK);
  CHECK(joined(waiter) == SW_ENDED && waiter->done->status == SW_ENDED && waiter->message[0] != '\0');
  sw_event_destroy(waiter->done);
  for (uint32_t type = SW_EVENT_DONE; type != SW_EVENT_ENDED;) {
    sw_event *event = fresh_event(alice, now_ms() + PATIENCE_MS);
    type = event->type;
    CHECK(type != SW_EVENT_DONE);
    sw_event_destroy(event);
  }
  CHECK(sw_session_wait(alice, waiter->operation, NULL) == SW_INVALID_ARGUMENT);
  sw_session_stop(alice);
  CHECK(sw_session_wait(alice, waiter->operation, NULL) == SW_INVALID_ARGUMENT);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  sw_session *alice = start_with("alice", arguments[1], &config), *bob = start_with("bob", arguments[1], &config);
  config.invitations = SW_INVITATIONS_ASK;
  sw_session *carol = start_with("carol", arguments[1], &config), *dora = start_with("dora", arguments[1], &config);
  refused(alice);
  unread(alice);
  silent(alice);
  others_stay(alice, bob);
  threads(alice, carol, dora);
  cancelled(alice, dora);
  sw_peer_list *peers = NULL;
  CHECK(sw_session_peers(alice, &peers) == SW_OK);
  for (size_t index = 0; index < sw_peer_list_count(peers); index++) {
    const sw_peer *peer = sw_peer_list_get(peers, index);
    if (strcmp(peer->name, "bob") == 0) streams(alice, &peer->id, bob);
  }
  sw_peer_list_destroy(peers);
  ended(alice, dora);
  sw_session_stop(bob);
  sw_session_stop(carol);
  sw_session_stop(dora);
  puts("ok");
  return 0;
}
