/*
 * Two sessions in one process, through the C interface alone: operations that do not wait end with one event, can be given up
 * and end with the session; handles that were given back or are of another type are refused. Prints "ok" and returns 0.
 *
 * usage: operations FOLDER, a folder for identities
 */
#include "pair.h"

/* An answer to an invitation that was taken back is none to the next one of the same peer. */
static void answer_late(sw_session *alice, sw_session *carol, const sw_invitation *invitation, const sw_event *first) {
  uint64_t operation = 0;
  CHECK(sw_session_invite(alice, invitation, &operation) == SW_OK);
  sw_event *second = await_event(carol, SW_EVENT_INVITATION);
  CHECK(is_same_peer(&second->peer, &first->peer) && second->operation != first->operation);
  CHECK(sw_session_answer(carol, first->operation, 1, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_answer(carol, second->operation, 0, "not you") == SW_OK);
  sw_event *declined = await_done(alice, operation, SW_DECLINED);
  CHECK(strstr(declined->text, "not you") != NULL);
  sw_event_destroy(declined);
  sw_event_destroy(second);
}

/* An invitation ends by its answer, by a refusal, by being given up, and at once when it makes no sense. */
static void invitations(sw_session *alice, sw_session *bob, const char *folder) {
  sw_invitation invitation = {.size = sizeof invitation};
  uint64_t operation = 77;
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_INVALID_ARGUMENT && operation == 77);
  CHECK(strstr(sw_last_error_message(), "host, candidate, link and known") != NULL);
  invitation.size = 0;
  CHECK(sw_session_invite(alice, &invitation, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_invite(alice, NULL, NULL) == SW_INVALID_ARGUMENT);
  invitation.size = sizeof invitation;
  invitation.link = "https://example.org";
  CHECK(sw_session_invite(alice, &invitation, NULL) == SW_INVALID_ARGUMENT);
  invitation.link = NULL;
  invitation.candidate = "nobody";
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_OK);
  expect_done(alice, operation, SW_UNKNOWN_PEER);
  invitation.candidate = NULL;
  sw_peer_id stranger = {{1}};
  invitation.known = &stranger;
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_OK);
  expect_done(alice, operation, SW_UNKNOWN_PEER);
  invitation.known = NULL;
  invitation.host = "127.0.0.1";
  invitation.port = sw_session_port(bob);
  invitation.expected = &stranger;
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_OK);
  expect_done(alice, operation, SW_IDENTITY_MISMATCH);
  invitation.expected = NULL;
  invitation.timeout_ms = 60001;
  CHECK(sw_session_invite(alice, &invitation, NULL) == SW_INVALID_ARGUMENT);
  invitation.timeout_ms = 0;

  sw_session_config config = quiet_config();
  config.invitations = SW_INVITATIONS_ASK;
  sw_session *carol = start_with("carol", folder, &config);
  const uint8_t context[] = {4, 2};
  invitation.port = sw_session_port(carol);
  invitation.context = context;
  invitation.context_size = sizeof context;
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_OK);
  sw_event *asked = await_event(carol, SW_EVENT_INVITATION);
  CHECK(asked->data_size == 2 && asked->data[1] == 2);
  CHECK(sw_session_answer(carol, asked->operation, 0, "not now") == SW_OK);
  sw_event *declined = await_done(alice, operation, SW_DECLINED);
  CHECK(strstr(declined->text, "not now") != NULL);
  sw_event_destroy(declined);
  sw_event_destroy(asked);
  /* Given up before the answer; twice is no error, nor is a number that was never handed out. */
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_OK);
  asked = await_event(carol, SW_EVENT_INVITATION);
  CHECK(sw_session_cancel(alice, operation) == SW_OK);
  expect_done(alice, operation, SW_CANCELLED);
  CHECK(sw_session_cancel(alice, operation) == SW_OK && sw_session_cancel(alice, 1u << 30) == SW_OK);
  sw_event *ended = await_event(carol, SW_EVENT_INVITATION_ENDED);
  CHECK(ended->operation == asked->operation);
  sw_event_destroy(ended);
  answer_late(alice, carol, &invitation, asked);
  sw_event_destroy(asked);
  sw_session_stop(carol);
}

/* A link leads to its session; invitations that are repeated are told of when they fail. */
static void links(sw_session *alice, sw_session *bob, const sw_peer_id *bob_id) {
  char *link = NULL;
  sw_peer_id found;
  CHECK(sw_session_invitation_link(bob, NULL, &link) == SW_OK);
  CHECK(strncmp(link, "sharedworld://127.0.0.1:", 24) == 0);
  CHECK(sw_link_peer(link, &found) == SW_OK && is_same_peer(&found, bob_id));
  char text[512];
  int length = snprintf(text, sizeof text, "%s", link);
  sw_text_destroy(link);
  sw_text_destroy(NULL);
  CHECK(sw_session_invitation_link(bob, "sesame 1", &link) == SW_OK && strstr(link, ".sesame%201") != NULL);
  sw_text_destroy(link);
  CHECK(sw_session_invitation_link(bob, NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_link_peer("sharedworld://nowhere", &found) == SW_INVALID_ARGUMENT && sw_link_peer(NULL, &found) != SW_OK);
  text[length - 1] = text[length - 1] == '0' ? '1' : '0';
  sw_invitation invitation = {.size = sizeof invitation, .link = text};
  CHECK(sw_session_keep_inviting(alice, &invitation) == SW_OK);
  sw_event *failed = await_event(alice, SW_EVENT_INVITATION_FAILED);
  CHECK(failed->status == SW_IDENTITY_MISMATCH && failed->flags == 0 && strstr(failed->name, "127.0.0.1") != NULL);
  sw_event_destroy(failed);
  invitation.link = NULL;
  CHECK(sw_session_keep_inviting(alice, &invitation) == SW_INVALID_ARGUMENT);
}

/* Hosting is asked for and handed over; a member that is none cannot be removed. */
static void hosting(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, const sw_peer_id *bob_id) {
  sw_peer_id host, host_of_bob;
  do {
    CHECK(sw_session_host(alice, &host, NULL) == SW_OK && sw_session_host(bob, &host_of_bob, NULL) == SW_OK);
  } while (!is_same_peer(&host, &host_of_bob) || (!is_same_peer(&host, alice_id) && !is_same_peer(&host, bob_id)));
  int bob_hosts = is_same_peer(&host, bob_id);
  sw_session *hosts = bob_hosts ? bob : alice, *other = bob_hosts ? alice : bob;
  const sw_peer_id *other_id = bob_hosts ? alice_id : bob_id;
  uint64_t operation;
  CHECK(sw_session_hand_over(other, other_id, 0, &operation) == SW_OK);
  expect_done(other, operation, SW_NOT_HOST);
  CHECK(sw_session_request_host(other, PATIENCE_MS, &operation) == SW_OK);
  expect_done(other, operation, SW_DECLINED);
  CHECK(sw_session_hand_over(hosts, other_id, PATIENCE_MS, &operation) == SW_OK);
  expect_done(hosts, operation, SW_OK);
  CHECK(sw_session_request_host(other, 0, NULL) == SW_OK);
  CHECK(sw_session_request_host(other, 60001, NULL) == SW_INVALID_ARGUMENT);
  sw_peer_id stranger = {{1}};
  CHECK(sw_session_kick(other, &stranger) == SW_UNKNOWN_PEER && sw_session_kick(other, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_kick(hosts, other_id) == SW_NOT_HOST);
}

/* Ownership and maps without waiting. */
static void edits(sw_session *alice, sw_session *bob) {
  float place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  sw_anchor_id lamp, nothing = {{1}};
  uint64_t operation;
  CHECK(sw_session_place(alice, "lamp", place, &lamp) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_ANCHOR_ADDED));
  CHECK(sw_session_request_ownership(bob, &lamp, 0, PATIENCE_MS, &operation) == SW_OK);
  sw_event *owned = await_done(bob, operation, SW_OK);
  CHECK(memcmp(&owned->anchor.id, &lamp, sizeof lamp) == 0);
  sw_event_destroy(owned);
  CHECK(sw_session_release_ownership(bob, &lamp, PATIENCE_MS, &operation) == SW_OK);
  expect_done(bob, operation, SW_OK);
  CHECK(sw_session_release_ownership(bob, &lamp, 0, &operation) == SW_OK);
  expect_done(bob, operation, SW_NOT_OWNER);
  CHECK(sw_session_request_ownership(bob, &nothing, 0, 0, &operation) == SW_OK);
  expect_done(bob, operation, SW_UNKNOWN_ANCHOR);
  CHECK(sw_session_request_ownership(bob, NULL, 0, 0, NULL) == SW_INVALID_ARGUMENT);

  const float points[] = {0, 0, 0, 1, 1, 1};
  const uint64_t numbers[] = {1, 2};
  sw_map *map = NULL, *decoded = NULL;
  CHECK(sw_session_decode_map(bob, &operation) == SW_OK);
  expect_done(bob, operation, SW_NO_MAP);
  CHECK(sw_map_create(points, numbers, 2, &map) == SW_OK);
  CHECK(sw_session_share_map(alice, map, NULL, &operation) == SW_OK);
  sw_map_destroy(map);
  sw_event *shared = await_done(alice, operation, SW_OK);
  sw_event *received = await_event(bob, SW_EVENT_MAP_RECEIVED);
  CHECK(memcmp(&shared->map, &received->map, sizeof shared->map) == 0);
  sw_event_destroy(received);
  sw_event_destroy(shared);
  CHECK(sw_session_decode_map(bob, &operation) == SW_OK);
  expect_done(bob, operation, SW_OK);
  CHECK(sw_session_map(bob, &decoded) == SW_OK && sw_map_point_count(decoded) == 2);
  sw_map_destroy(decoded);
  CHECK(sw_session_share_map(alice, map, NULL, &operation) == SW_INVALID_ARGUMENT);
}

/* A program decides who hosts, and who gets an anchor that it owns. */
static void questions(const char *folder) {
  sw_session_config config = quiet_config();
  config.can_host = 1;
  sw_session *erin = start_with("erin", folder, &config);
  config.asks_host = 1;
  config.asks_ownership = 1;
  config.host_priority = 9;
  sw_session *frank = start_with("frank", folder, &config);
  sw_peer_id erin_id, frank_id, host;
  join_pair(erin, frank, &erin_id, &frank_id);
  do {
    CHECK(sw_session_host(erin, &host, NULL) == SW_OK);
  } while (!is_same_peer(&host, &frank_id));
  float place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  sw_anchor_id lamp;
  uint64_t operation;
  CHECK(sw_session_place(frank, "lamp", place, &lamp) == SW_OK);
  sw_event_destroy(await_event(erin, SW_EVENT_ANCHOR_ADDED));
  CHECK(sw_session_request_ownership(frank, &lamp, 0, PATIENCE_MS, &operation) == SW_OK);
  CHECK(sw_session_wait(frank, operation, NULL) == SW_OK);
  for (int accepts = 0; accepts <= 1; accepts++) {
    CHECK(sw_session_request_ownership(erin, &lamp, 0, PATIENCE_MS, &operation) == SW_OK);
    sw_event *asked = await_event(frank, SW_EVENT_OWNERSHIP_REQUESTED);
    CHECK(is_same_peer(&asked->peer, &erin_id) && memcmp(&asked->anchor.id, &lamp, sizeof lamp) == 0);
    CHECK(sw_session_answer_question(frank, asked->operation, accepts) == SW_OK);
    expect_done(erin, operation, accepts ? SW_OK : SW_DECLINED);
    CHECK(sw_session_answer_question(frank, asked->operation, accepts) == SW_INVALID_ARGUMENT);
    sw_event_destroy(asked);
  }
  for (int accepts = 0; accepts <= 1; accepts++) {
    CHECK(sw_session_request_host(erin, PATIENCE_MS, &operation) == SW_OK);
    sw_event *asked = await_event(frank, SW_EVENT_HOST_REQUESTED);
    CHECK(is_same_peer(&asked->peer, &erin_id) && strcmp(asked->name, "erin") == 0);
    CHECK(sw_session_answer_question(frank, asked->operation, accepts) == SW_OK);
    sw_event_destroy(asked);
    expect_done(erin, operation, accepts ? SW_OK : SW_DECLINED);
  }
  CHECK(sw_session_answer_question(frank, 99, 1) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_answer_question(NULL, 1, 1) == SW_INVALID_ARGUMENT);
  sw_session_stop(erin);
  sw_session_stop(frank);
}

/* Handles of another type, that were given back, or that are no handles. */
static void handles(sw_session *alice) {
  int nothing = 0;
  sw_peer_list *peers = NULL;
  CHECK(sw_session_peers(alice, &peers) == SW_OK);
  CHECK(sw_session_kick((sw_session *)peers, NULL) == SW_INVALID_ARGUMENT);
  CHECK(strstr(sw_last_error_message(), "session") != NULL);
  CHECK(sw_session_port((sw_session *)peers) == 0 && sw_session_events_fd((sw_session *)&nothing) == -1);
  CHECK(sw_anchor_list_count((sw_anchor_list *)peers) == 0 && sw_peer_list_count(peers) == 1);
  sw_anchor_list_destroy((sw_anchor_list *)peers);
  CHECK(sw_peer_list_count(peers) == 1);
  sw_peer_list_destroy(peers);
  CHECK(sw_peer_list_count(peers) == 0 && sw_peer_list_get(peers, 0) == NULL);
  sw_peer_list_destroy(peers);
  sw_map_destroy((sw_map *)&nothing);
}

/* What is open when a session leaves ends before the session's last event, and nothing begins then. */
static void end(sw_session *alice, const char *folder) {
  sw_session_config config = quiet_config();
  config.invitations = SW_INVITATIONS_ASK;
  sw_session *dora = start_with("dora", folder, &config);
  sw_invitation invitation = {.size = sizeof invitation, .host = "127.0.0.1", .port = sw_session_port(dora)};
  uint64_t operation;
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_OK);
  sw_event_destroy(await_event(dora, SW_EVENT_INVITATION));
  CHECK(sw_session_leave(alice) == SW_OK);
  expect_done(alice, operation, SW_ENDED);
  sw_event *ended = await_event(alice, SW_EVENT_ENDED);
  CHECK(strcmp(ended->text, "left") == 0);
  sw_event_destroy(ended);
  sw_event *none = NULL;
  CHECK(sw_session_next_event(alice, &none) == SW_ENDED && none == NULL);
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_ENDED);
  sw_session_stop(alice);
  CHECK(sw_session_leave(alice) == SW_INVALID_ARGUMENT && sw_session_port(alice) == 0);
  CHECK(sw_session_next_event(alice, &none) == SW_INVALID_ARGUMENT);
  sw_session_stop(alice);
  sw_session_stop(dora);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  sw_session *alice = start_with("alice", arguments[1], &config), *bob = start_with("bob", arguments[1], &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  invitations(alice, bob, arguments[1]);
  links(alice, bob, &bob_id);
  hosting(alice, bob, &alice_id, &bob_id);
  edits(alice, bob);
  handles(alice);
  end(alice, arguments[1]);
  questions(arguments[1]);
  sw_session_stop(bob);
  puts("ok");
  return 0;
}
