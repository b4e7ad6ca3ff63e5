/* The sample of the documentation (CInterface.md): a peer that accepts the invitation of one other peer alone. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "sharedworld.h"

static int answer(sw_session *session, const sw_peer_id *friend_id) {
  struct pollfd poller = {.fd = sw_session_events_fd(session), .events = POLLIN};
  sw_event *event;
  while (sw_session_next_event(session, &event) == SW_OK) {
    if (event == NULL) {
      poll(&poller, 1, -1);
      continue;
    }
    if (event->type == SW_EVENT_INVITATION) {
      int is_friend = memcmp(&event->peer, friend_id, sizeof *friend_id) == 0;
      sw_session_answer(session, event->operation, is_friend, is_friend ? NULL : "unknown");
    }
    sw_event_destroy(event);
  }
  return 0;
}

int run_peer(const sw_peer_id *friend_id);

int run_peer(const sw_peer_id *friend_id) {
  sw_identity *identity;
  sw_session *session;
  sw_session_config config;
  sw_session_config_init(&config, sizeof config);
  config.invitations = SW_INVITATIONS_ASK;
  if (sw_identity_load_or_create("kitchen", NULL, &identity) != SW_OK ||
      sw_session_start(identity, &config, &session) != SW_OK) {
    fprintf(stderr, "%s\n", sw_last_error_message());
    return 1;
  }
  return answer(session, friend_id);
}

/* A program with its own loop: nothing here waits, but for poll. */
sw_session *start_in_loop(const sw_identity *identity, int other_fd, void (*turn)(void));

sw_session *start_in_loop(const sw_identity *identity, int other_fd, void (*turn)(void)) {
  sw_start *start;
  if (sw_session_start_async(identity, NULL, &start) != SW_OK) return NULL;
  struct pollfd both[] = {{sw_start_fd(start), POLLIN, 0}, {other_fd, POLLIN, 0}};
  while (poll(both, 2, -1) > 0) {
    if (both[1].revents != 0) turn();
    sw_session *session;
    sw_status status = sw_start_finish(start, &session);
    if (status == SW_OK) return session;
    if (status != SW_WOULD_BLOCK) break; /* the start was given back with the error */
  }
  fprintf(stderr, "%s\n", sw_last_error_message());
  return NULL;
}

/* A program without a loop: it waits for the end of each operation. */
sw_status invite_and_wait(sw_session *session, const char *host, uint16_t port);

sw_status invite_and_wait(sw_session *session, const char *host, uint16_t port) {
  sw_invitation invitation = {.size = sizeof invitation, .host = host, .port = port};
  uint64_t operation;
  sw_event *done = NULL;
  sw_status status = sw_session_invite(session, &invitation, &operation);
  if (status == SW_OK) status = sw_session_wait(session, operation, &done);
  if (status != SW_OK) fprintf(stderr, "%s\n", sw_last_error_message());
  if (status == SW_OK) printf("%s has accepted\n", done->name);
  sw_event_destroy(done);
  return status;
}

int invite_and_ask(sw_session *session, const char *host, uint16_t port);

int invite_and_ask(sw_session *session, const char *host, uint16_t port) {
  sw_invitation invitation = {.size = sizeof invitation, .host = host, .port = port};
  uint64_t inviting;
  if (sw_session_invite(session, &invitation, &inviting) != SW_OK) return 1;
  struct pollfd poller = {.fd = sw_session_events_fd(session), .events = POLLIN};
  sw_event *event;
  while (poll(&poller, 1, -1) == 1 && sw_session_next_event(session, &event) == SW_OK) {
    if (event == NULL) continue;
    if (event->type == SW_EVENT_DONE && event->operation == inviting) {
      if (event->status != SW_OK) fprintf(stderr, "%s\n", event->text);
      sw_object question = {.size = sizeof question, .endpoint = "weather", .type = "Question"};
      question.bytes = (const uint8_t *)"\"rain?\"";
      question.byte_count = 7;
      if (event->status == SW_OK) sw_session_request(session, &event->peer, &question, 0, NULL);
    } else if (event->type == SW_EVENT_DONE) {
      printf("%.*s\n", (int)event->data_size, (const char *)event->data);
    }
    sw_event_destroy(event);
  }
  return 0;
}

/* A stream in the same kind of loop. */
int read_stream(sw_session *session, sw_stream *stream, void (*append)(const uint8_t *bytes, size_t count));

int read_stream(sw_session *session, sw_stream *stream, void (*append)(const uint8_t *bytes, size_t count)) {
  struct pollfd both[] = {{sw_session_events_fd(session), POLLIN, 0}, {sw_stream_fd(stream), POLLIN, 0}};
  while (poll(both, 2, -1) > 0) {
    sw_event *event = NULL;
    while (sw_session_next_event(session, &event) == SW_OK && event != NULL) sw_event_destroy(event);
    static uint8_t bytes[65536];
    size_t count;
    sw_status status;
    while ((status = sw_stream_read(stream, bytes, sizeof bytes, &count)) == SW_OK && count > 0) append(bytes, count);
    if (status != SW_WOULD_BLOCK) return status; /* the other side has finished, or the stream has broken */
  }
  return SW_IO;
}
