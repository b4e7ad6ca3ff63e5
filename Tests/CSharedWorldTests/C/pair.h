/* What the test programs of two sessions share: starting them without discovery, and joining them without waiting. */
#pragma once

#include <string.h>

#include "events.h"

/* The settings of a test: no discovery, this machine alone, every invitation accepted. */
static sw_session_config quiet_config(void) {
  sw_session_config config;
  CHECK(sw_session_config_init(&config, sizeof config) == SW_OK);
  config.discovery = SW_DISCOVERY_NONE;
  config.service = "swctest";
  config.listen_host = "127.0.0.1";
  config.invitations = SW_INVITATIONS_ACCEPT;
  return config;
}

static sw_session *start_with(const char *name, const char *folder, const sw_session_config *config) {
  sw_identity *identity = NULL;
  CHECK(sw_identity_load_or_create(name, folder, &identity) == SW_OK);
  sw_session *session = NULL;
  CHECK(sw_session_start(identity, config, &session) == SW_OK);
  sw_identity_destroy(identity);
  return session;
}

/* Waits for the end of an operation, which must have this status; the caller destroys the event. */
static sw_event *await_done(sw_session *session, uint64_t operation, sw_status status) {
  for (;;) {
    sw_event *event = await_event(session, SW_EVENT_DONE);
    if (event->operation == operation) {
      if (event->status != status) {
        fprintf(stderr, "operation ended with %s: %s\n", sw_status_name(event->status), event->text ? event->text : "");
      }
      CHECK(event->status == status);
      CHECK((event->text != NULL && event->text[0] != '\0') || status == SW_OK);
      return event;
    }
    sw_event_destroy(event);
  }
}

static inline void expect_done(sw_session *session, uint64_t operation, sw_status status) {
  sw_event_destroy(await_done(session, operation, status));
}

/* One invites the other, which accepts. `*one_id` and `*other_id` receive who they are. */
static inline void join_pair(sw_session *one, sw_session *other, sw_peer_id *one_id, sw_peer_id *other_id) {
  sw_invitation invitation = {.size = sizeof invitation, .host = "127.0.0.1", .port = sw_session_port(other)};
  uint64_t operation = 0;
  CHECK(sw_session_invite(one, &invitation, &operation) == SW_OK && operation != 0);
  sw_event *accepted = await_done(one, operation, SW_OK);
  CHECK(accepted->name != NULL);
  *other_id = accepted->peer;
  sw_event_destroy(accepted);
  sw_event *joined = await_event(other, SW_EVENT_PEER_JOINED);
  *one_id = joined->peer;
  sw_event_destroy(joined);
  sw_event_destroy(await_event(other, SW_EVENT_SYNCHRONIZED));
}

static inline int is_same_peer(const sw_peer_id *one, const sw_peer_id *other) { return memcmp(one, other, sizeof *one) == 0; }

static inline int is_text(const sw_event *event, const char *text) {
  return event->data_size == strlen(text) && memcmp(event->data, text, event->data_size) == 0;
}
