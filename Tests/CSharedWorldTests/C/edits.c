/*
 * Two sessions in one process, through the C interface alone: edits that others acknowledge, edits that are taken back, owners of
 * anchors, and what the connections carry. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: edits FOLDER, a folder for identities
 */
#include "pair.h"

static void at(float place[16], float x) {
  const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  memcpy(place, identity, sizeof identity);
  place[12] = x;
}

/* Waits until others have the edits, and expects this end. */
static void confirm(sw_session *session, uint32_t by, sw_status status) {
  uint64_t operation;
  CHECK(sw_session_confirm_edits(session, by, status == SW_OK ? 0 : 100, &operation) == SW_OK);
  expect_done(session, operation, status);
}

/* The only anchor of a session, or, with a NULL `anchor`, that there is none. */
static void expect_anchor(sw_session *session, const sw_anchor_id *anchor, const char *name, float x) {
  sw_anchor_list *list = NULL;
  CHECK(sw_session_anchors(session, &list) == SW_OK && sw_anchor_list_count(list) == (anchor == NULL ? 0 : 1));
  if (anchor != NULL) {
    const sw_anchor *only = sw_anchor_list_get(list, 0);
    CHECK(memcmp(&only->id, anchor, sizeof *anchor) == 0 && strcmp(only->name, name) == 0 && only->transform[12] == x);
  }
  sw_anchor_list_destroy(list);
}

/* Once an edit is acknowledged the other side has it, a new name too. */
static void acknowledgements(sw_session *alice, sw_session *bob) {
  sw_anchor_id lamp;
  float place[16];
  at(place, 1);
  confirm(alice, SW_ACKNOWLEDGEMENT_EVERY_PRESENT_MEMBER, SW_OK);
  CHECK(sw_session_place(alice, "lamp", place, &lamp) == SW_OK && sw_session_rename(alice, &lamp, "lantern") == SW_OK);
  confirm(alice, SW_ACKNOWLEDGEMENT_EVERY_PRESENT_MEMBER, SW_OK);
  expect_anchor(bob, &lamp, "lantern", 1);
  at(place, 2);
  CHECK(sw_session_move(bob, &lamp, place) == SW_OK && sw_session_move(alice, &lamp, place) == SW_OK);
  confirm(alice, SW_ACKNOWLEDGEMENT_HOST, SW_OK);
  confirm(bob, SW_ACKNOWLEDGEMENT_HOST, SW_OK);
  CHECK(sw_session_remove(alice, &lamp) == SW_OK);
  confirm(alice, SW_ACKNOWLEDGEMENT_EVERY_PRESENT_MEMBER, SW_OK);
  expect_anchor(bob, NULL, NULL, 0);
  CHECK(sw_session_confirm_edits(alice, 2, 0, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_confirm_edits(alice, 0, 60001, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_confirm_edits(NULL, 0, 0, NULL) == SW_INVALID_ARGUMENT);
}

/* Edits are taken back and made again; an anchor that comes back has another id, and its payload. */
static void undo(sw_session *alice, sw_session *bob) {
  sw_undo_history *history = NULL;
  sw_anchor_id cup, now, nothing = {{1}};
  sw_anchor_content content = {.size = sizeof content, .content_type = "text/plain", .payload = (const uint8_t *)"full"};
  content.payload_size = 4;
  float one[16], two[16];
  int done = 7;
  at(one, 1);
  at(two, 2);
  CHECK(sw_session_begin_undo_history(alice, 0, &history) == SW_OK);
  CHECK(!sw_undo_history_can_undo(history) && sw_undo_history_undo(history, &done) == SW_OK && done == 0);
  CHECK(sw_undo_history_place(history, "cup", one, &content, &cup) == SW_OK);
  CHECK(sw_undo_history_move(history, &cup, two) == SW_OK && sw_undo_history_can_undo(history));
  expect_anchor(alice, &cup, "cup", 2);
  CHECK(sw_undo_history_undo(history, &done) == SW_OK && done == 1 && sw_undo_history_can_redo(history));
  expect_anchor(alice, &cup, "cup", 1);
  CHECK(sw_undo_history_redo(history, &done) == SW_OK && done == 1 && !sw_undo_history_can_redo(history));
  CHECK(sw_undo_history_redo(history, &done) == SW_OK && done == 0);
  CHECK(sw_undo_history_remove(history, &cup) == SW_OK);
  expect_anchor(alice, NULL, NULL, 0);

  CHECK(sw_undo_history_undo(history, NULL) == SW_OK);
  CHECK(sw_undo_history_current(history, &cup, &now) == SW_OK && memcmp(&cup, &now, sizeof cup) != 0);
  expect_anchor(alice, &now, "cup", 2);
  sw_event *restored = await_event(bob, SW_EVENT_ANCHOR_RESTORED);
  CHECK(memcmp(&restored->anchor.id, &now, sizeof now) == 0 && memcmp(&restored->other, &cup, sizeof cup) == 0);
  CHECK(is_text(restored, "full") && restored->content != NULL && restored->content->kind == SW_KIND_PLAIN);
  CHECK(strcmp(restored->content->content_type, "text/plain") == 0 && restored->content->payload_size == 4);
  sw_event_destroy(restored);

  /* The old id does, and what others remove stays removed. */
  CHECK(sw_undo_history_record_move(history, &cup, one, two) == SW_OK && sw_undo_history_undo(history, NULL) == SW_OK);
  expect_anchor(alice, &now, "cup", 1);
  CHECK(sw_undo_history_move(history, &cup, two) == SW_OK);
  CHECK(sw_session_remove(bob, &now) == SW_OK);
  confirm(bob, SW_ACKNOWLEDGEMENT_EVERY_PRESENT_MEMBER, SW_OK);
  CHECK(sw_undo_history_undo(history, &done) == SW_UNKNOWN_ANCHOR);

  CHECK(sw_undo_history_move(history, &nothing, one) == SW_UNKNOWN_ANCHOR);
  CHECK(sw_undo_history_remove(history, &nothing) == SW_UNKNOWN_ANCHOR);
  one[0] = 2;
  CHECK(sw_undo_history_record_move(history, &cup, one, two) == SW_INVALID_ARGUMENT);
  CHECK(sw_undo_history_place(history, "cup", one, NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_undo_history_current(history, &cup, NULL) == SW_INVALID_ARGUMENT);
  sw_undo_history_destroy(history);
  sw_undo_history_destroy(NULL);
  CHECK(sw_undo_history_undo(history, &done) == SW_INVALID_ARGUMENT && !sw_undo_history_can_undo(history));
  CHECK(!sw_undo_history_can_redo(NULL) && sw_session_begin_undo_history(NULL, 0, &history) == SW_INVALID_ARGUMENT);
}

/* An anchor is asked for, given away and given back, and every peer knows whose it is. */
static void owners(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, const sw_peer_id *bob_id) {
  sw_anchor_id chair, nothing = {{1}};
  sw_peer_id nobody = {{0}};
  sw_ownership ownership = {.size = sizeof ownership, .number = 7};
  float place[16];
  uint64_t operation;
  at(place, 0);
  CHECK(sw_session_place(alice, "chair", place, &chair) == SW_OK);
  CHECK(sw_session_ownership(alice, &chair, &ownership) == SW_OK && is_same_peer(&ownership.owner, &nobody));
  CHECK(ownership.number == 0);
  CHECK(sw_session_request_ownership(alice, &chair, 60000, 0, &operation) == SW_OK);
  expect_done(alice, operation, SW_OK);
  CHECK(sw_session_ownership(alice, &chair, &ownership) == SW_OK && is_same_peer(&ownership.owner, alice_id));
  CHECK(ownership.until > 0 && ownership.epoch > 0 && ownership.size == sizeof ownership);
  CHECK(sw_session_give_ownership(alice, &chair, bob_id, 0, &operation) == SW_OK);
  sw_event *given = await_done(alice, operation, SW_OK);
  CHECK(memcmp(&given->anchor.id, &chair, sizeof chair) == 0);
  sw_event_destroy(given);
  CHECK(sw_session_ownership(alice, &chair, &ownership) == SW_OK && is_same_peer(&ownership.owner, bob_id));
  CHECK(ownership.until == 0);
  CHECK(sw_session_give_ownership(alice, &chair, bob_id, 0, &operation) == SW_OK);
  expect_done(alice, operation, SW_NOT_OWNER);
  CHECK(sw_session_give_ownership(bob, &chair, &nobody, 0, &operation) == SW_OK);
  expect_done(bob, operation, SW_UNKNOWN_PEER);
  CHECK(sw_session_ownership(bob, &nothing, &ownership) == SW_OK && is_same_peer(&ownership.owner, &nobody));
  ownership.size = 0;
  CHECK(sw_session_ownership(bob, &chair, &ownership) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_ownership(bob, &chair, NULL) == SW_INVALID_ARGUMENT);
}

static void statistics(sw_session *alice, const sw_peer_id *alice_id, const sw_peer_id *bob_id) {
  sw_statistics *found = NULL;
  CHECK(sw_session_statistics(alice, &found) == SW_OK && sw_statistics_turns(found) > 0);
  CHECK(sw_statistics_link_count(found) == 1 && sw_statistics_link(found, 1) == NULL);
  const sw_link *link = sw_statistics_link(found, 0);
  CHECK(is_same_peer(&link->peer, bob_id) && strcmp(link->name, "bob") == 0);
  CHECK(link->bytes_sent > 1000 && link->bytes_received > 1000 && link->queued_bytes < 1000000 && link->round_trip_ns >= -1);
  CHECK(sw_statistics_connection_count(found) == 1 && sw_statistics_connection(found, 1) == NULL);
  const sw_connection *connection = sw_statistics_connection(found, 0);
  int is_first = memcmp(alice_id, bob_id, sizeof *alice_id) < 0;
  CHECK(is_same_peer(&connection->one, is_first ? alice_id : bob_id));
  CHECK(is_same_peer(&connection->other, is_first ? bob_id : alice_id));
  sw_statistics_destroy(found);
  CHECK(sw_statistics_link_count(found) == 0 && sw_statistics_connection_count(NULL) == 0 && sw_statistics_turns(NULL) == 0);
  CHECK(sw_session_statistics(alice, NULL) == SW_INVALID_ARGUMENT);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  sw_session *alice = start_with("alice", arguments[1], &config), *bob = start_with("bob", arguments[1], &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  acknowledgements(alice, bob);
  undo(alice, bob);
  owners(alice, bob, &alice_id, &bob_id);
  statistics(alice, &alice_id, &bob_id);
  sw_session_stop(bob);
  sw_session_stop(alice);
  puts("ok");
  return 0;
}
