/*
 * An owned session, through the C interface alone: its creator gives a member the part of a moderator and takes it back, makes
 * it a guest for an hour, and what a peer may not do is refused. Its log says who was turned away. Prints "ok" and returns 0.
 *
 * usage: roles FOLDER, a folder for identities
 */
#include "pair.h"

static uint32_t role_of(sw_session *session, const sw_peer_id *peer) {
  uint32_t role = 99;
  CHECK(sw_session_role(session, peer, &role, NULL) == SW_OK);
  return role;
}

/* Waits until a peer has this part, as a session sees it; events of earlier parts may still be unread. */
static void await_role(sw_session *session, const sw_peer_id *peer, uint32_t role) {
  while (role_of(session, peer) != role) sw_event_destroy(await_event(session, SW_EVENT_ROLE_CHANGED));
}

/* Waits until a session hears that a peer is a moderator. */
static void await_moderator(sw_session *session, const sw_peer_id *peer) {
  for (;;) {
    sw_event *event = await_event(session, SW_EVENT_ROLE_CHANGED);
    const int is_found = is_same_peer(&event->peer, peer) && strcmp(event->text, "moderator") == 0;
    CHECK(event->name != NULL && (!is_found || strcmp(event->name, "bob") == 0));
    sw_event_destroy(event);
    if (is_found) return;
  }
}

/* The creator decides who is moderator; nobody else does. */
static void named(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, const sw_peer_id *bob_id) {
  sw_peer_id owner;
  CHECK(sw_session_creator(alice, &owner) == SW_OK && is_same_peer(&owner, alice_id));
  CHECK(role_of(alice, alice_id) == SW_PEER_ROLE_CREATOR);
  await_role(bob, bob_id, SW_PEER_ROLE_MEMBER);
  await_role(bob, alice_id, SW_PEER_ROLE_CREATOR);
  CHECK(sw_session_creator(bob, &owner) == SW_OK && is_same_peer(&owner, alice_id));

  CHECK(sw_session_set_role(bob, alice_id, SW_PEER_ROLE_MEMBER, 0) == SW_NOT_PERMITTED);
  CHECK(sw_session_lock(bob) == SW_NOT_PERMITTED);
  CHECK(sw_session_set_role(alice, bob_id, SW_PEER_ROLE_MODERATOR, 0) == SW_OK);
  await_moderator(bob, bob_id);
  CHECK(role_of(bob, bob_id) == SW_PEER_ROLE_MODERATOR);
  CHECK(sw_session_lock(bob) == SW_OK && sw_session_unlock(bob) == SW_OK);
  CHECK(sw_session_set_role(alice, bob_id, SW_PEER_ROLE_MEMBER, 0) == SW_OK);
  await_role(bob, bob_id, SW_PEER_ROLE_MEMBER);

  uint32_t role;
  uint64_t left_ms = 0;
  CHECK(sw_session_set_role(alice, bob_id, SW_PEER_ROLE_GUEST, 3600000) == SW_OK);
  await_role(bob, bob_id, SW_PEER_ROLE_GUEST);
  CHECK(sw_session_role(bob, bob_id, &role, &left_ms) == SW_OK && left_ms > 0 && left_ms <= 3600000);
  CHECK(sw_session_set_role(alice, bob_id, SW_PEER_ROLE_PUBLISHER, 0) == SW_OK);
  await_role(bob, bob_id, SW_PEER_ROLE_PUBLISHER);
  CHECK(sw_session_role(bob, bob_id, &role, &left_ms) == SW_OK && left_ms == 0);

  sw_peer_id stranger = {{1}};
  CHECK(role_of(alice, &stranger) == SW_PEER_ROLE_NONE);
  CHECK(sw_session_set_role(alice, &stranger, SW_PEER_ROLE_NONE, 0) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_set_role(alice, &stranger, SW_PEER_ROLE_CREATOR, 0) == SW_NOT_PERMITTED);
  CHECK(sw_session_role(alice, &stranger, NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_role(alice, NULL, &(uint32_t){0}, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_creator(alice, NULL) == SW_INVALID_ARGUMENT);
}

/* Nobody owns an open session. */
static void open_session(const char *folder, const sw_peer_id *alice_id) {
  sw_session_config config = quiet_config();
  sw_session *carol = start_with("carol", folder, &config);
  sw_peer_id owner = *alice_id, nobody = {{0}};
  CHECK(sw_session_creator(carol, &owner) == SW_OK && is_same_peer(&owner, &nobody));
  CHECK(role_of(carol, alice_id) == SW_PEER_ROLE_NONE);
  CHECK(sw_session_set_role(carol, alice_id, SW_PEER_ROLE_MEMBER, 0) == SW_NOT_PERMITTED);
  sw_session_stop(carol);
}

/* A program that asks for the log reads that an invitation was declined. */
static void logged(sw_session *alice, const char *folder) {
  sw_session_config config = quiet_config();
  config.log = 9;
  sw_session *none = NULL;
  sw_identity *identity = NULL;
  CHECK(sw_identity_load_or_create("dora", folder, &identity) == SW_OK);
  CHECK(sw_session_start(identity, &config, &none) == SW_INVALID_ARGUMENT);
  sw_identity_destroy(identity);
  config.log = SW_LOG_INFO;
  config.invitations = SW_INVITATIONS_DECLINE;
  sw_session *dora = start_with("dora", folder, &config);
  sw_invitation invitation = {.size = sizeof invitation, .host = "127.0.0.1", .port = sw_session_port(dora)};
  uint64_t operation = 0;
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_OK);
  expect_done(alice, operation, SW_DECLINED);
  sw_event *line = await_event(dora, SW_EVENT_LOG);
  CHECK(line->flags == SW_LOG_INFO && strcmp(line->name, "admission") == 0 && strlen(line->text) > 0);
  CHECK(line->total == 0);
  sw_event_destroy(line);
  sw_session_stop(dora);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  sw_session *bob = start_with("bob", arguments[1], &config);
  config.authority = SW_AUTHORITY_CREATOR;
  sw_session *alice = start_with("alice", arguments[1], &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  named(alice, bob, &alice_id, &bob_id);
  open_session(arguments[1], &alice_id);
  logged(alice, arguments[1]);
  sw_session_stop(alice);
  sw_session_stop(bob);
  puts("ok");
  return 0;
}
