/*
 * Two sessions in one process, through the C interface alone: they join over loopback, share a map, place, move, drag and
 * remove anchors, own one, lock the session, and end with equal digests; one comes back with its journal. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: two_peers FOLDER, a folder for identities, journals and a map file
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

static sw_session *start(const char *name, const char *folder, uint8_t invitations) {
  sw_identity *identity = NULL;
  CHECK(sw_identity_load_or_create(name, folder, &identity) == SW_OK);
  sw_session_config config;
  CHECK(sw_session_config_init(&config, sizeof config) == SW_OK);
  CHECK(config.size == sizeof config && config.host_priority == 1 && config.can_host == 1);
  config.discovery = SW_DISCOVERY_NONE;
  config.service = "swctest";
  config.listen_host = "127.0.0.1";
  config.invitations = invitations;
  char journal[4096];
  CHECK(snprintf(journal, sizeof journal, "%s/%s.journal", folder, name) < (int)sizeof journal);
  config.journal = journal;
  sw_session *session = NULL;
  CHECK(sw_session_start(identity, &config, &session) == SW_OK);
  CHECK(sw_session_port(session) != 0);
  sw_identity_destroy(identity);
  return session;
}

/* The number of an invitation of one session to another. */
static uint64_t invite(sw_session *one, sw_session *other) {
  const uint8_t context[] = {7, 8, 9};
  sw_invitation invitation = {.size = sizeof invitation, .host = "127.0.0.1", .port = sw_session_port(other)};
  invitation.context = context;
  invitation.context_size = sizeof context;
  uint64_t operation = 0;
  CHECK(sw_session_invite(one, &invitation, &operation) == SW_OK);
  return operation;
}

/* Alice invites Bob, and each is in the list of the other. */
static void join(sw_session *alice, sw_session *bob) {
  CHECK(sw_session_wait(alice, invite(alice, bob), NULL) == SW_OK);
  sw_event *joined = await_event(bob, SW_EVENT_PEER_JOINED);
  CHECK(strcmp(joined->name, "alice") == 0);
  sw_peer_list *peers = NULL;
  CHECK(sw_session_peers(bob, &peers) == SW_OK && sw_peer_list_count(peers) == 1);
  const sw_peer *peer = sw_peer_list_get(peers, 0);
  CHECK(memcmp(&peer->id, &joined->peer, sizeof peer->id) == 0 && strcmp(peer->name, "alice") == 0);
  CHECK(sw_peer_list_get(peers, 1) == NULL);
  sw_peer_list_destroy(peers);
  sw_event_destroy(joined);
  sw_event *synchronized = await_event(bob, SW_EVENT_SYNCHRONIZED);
  sw_digest digest;
  CHECK(sw_session_digest(bob, &digest) == SW_OK && memcmp(&digest, &synchronized->digest, sizeof digest) == 0);
  sw_event_destroy(synchronized);
}

/* The id of the peer that a session sees alone. */
static sw_peer_id only_peer(sw_session *session) {
  sw_peer_list *peers = NULL;
  CHECK(sw_session_peers(session, &peers) == SW_OK && sw_peer_list_count(peers) == 1);
  sw_peer_id id = sw_peer_list_get(peers, 0)->id;
  sw_peer_list_destroy(peers);
  return id;
}

/* Carol asks, sees the context, and answers: first no, then yes. */
static void ask(sw_session *alice, const char *folder) {
  sw_session *carol = start("carol", folder, SW_INVITATIONS_ASK);
  for (int accept = 0; accept <= 1; accept++) {
    const uint64_t operation = invite(alice, carol);
    sw_event *invitation = await_event(carol, SW_EVENT_INVITATION);
    CHECK(invitation->data_size == 3 && invitation->data[2] == 9 && strcmp(invitation->name, "alice") == 0);
    CHECK(sw_session_answer(carol, invitation->operation, accept, "not yet") == SW_OK);
    CHECK(sw_session_wait(alice, operation, NULL) == (accept ? SW_OK : SW_DECLINED));
    CHECK(sw_session_answer(carol, invitation->operation, accept, NULL) == SW_INVALID_ARGUMENT);
    sw_event_destroy(invitation);
  }
  sw_session_stop(carol);
}

static void share_map(sw_session *alice, sw_session *bob, const char *folder) {
  enum { POINTS = 1000 };
  float positions[3 * POINTS];
  uint64_t identifiers[POINTS];
  for (int index = 0; index < POINTS; index++) {
    positions[3 * index] = (float)(index % 10);
    positions[3 * index + 1] = 0.5f;
    positions[3 * index + 2] = (float)(index / 10);
    identifiers[index] = 1000u + (uint64_t)index * 3;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/room.worldmap", folder);
  sw_map *made = NULL, *loaded = NULL, *received = NULL;
  CHECK(sw_map_create(positions, identifiers, POINTS, &made) == SW_OK);
  CHECK(sw_map_save(made, path) == SW_OK && sw_map_load(path, &loaded) == SW_OK);
  sw_map_destroy(made);
  CHECK(sw_session_map(bob, &received) == SW_NO_MAP);
  uint64_t operation = 0;
  sw_event *shared = NULL;
  CHECK(sw_session_share_map(alice, loaded, NULL, &operation) == SW_OK);
  CHECK(sw_session_wait(alice, operation, &shared) == SW_OK);
  const sw_map_id id = shared->map;
  sw_event_destroy(shared);
  sw_event *event = await_event(bob, SW_EVENT_MAP_RECEIVED);
  CHECK(memcmp(&event->map, &id, sizeof id) == 0 && event->done == event->total && event->total > 0);
  sw_event_destroy(event);
  CHECK(sw_session_map(bob, &received) == SW_OK && sw_map_point_count(received) == POINTS);
  float point[3];
  uint64_t identifier;
  CHECK(sw_map_copy_points(received, 42, 1, point, &identifier) == SW_OK);
  CHECK(identifier == identifiers[42] && point[0] == positions[126] && point[2] == positions[128]);
  CHECK(sw_map_copy_points(received, POINTS, 1, point, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_map_copy_points(received, SIZE_MAX, SIZE_MAX, point, NULL) == SW_INVALID_ARGUMENT);
  sw_map_destroy(loaded);
  sw_map_destroy(received);
  CHECK(sw_session_set_relocalized(bob, 1) == SW_OK);
  for (uint32_t stage = SW_MAP_NONE; stage != SW_MAP_CLAIMED;) {
    sw_event *status = await_event(alice, SW_EVENT_PEER_MAP_CHANGED);
    CHECK(status->stage > stage && memcmp(&status->map, &id, sizeof id) == 0 && strcmp(status->name, "bob") == 0);
    stage = status->stage;
    sw_event_destroy(status);
  }
  CHECK(sw_session_cancel_map(bob, &id) == SW_OK);
}

/* Alice drags an anchor and moves her device; Bob sees both, and both end. */
static void live_poses(sw_session *alice, sw_session *bob) {
  float place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  sw_peer_id peer = only_peer(bob);
  sw_anchor_id lamp;
  CHECK(sw_session_place(alice, "dragged", place, &lamp) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_ANCHOR_ADDED));
  sw_drag *drag = NULL;
  CHECK(sw_session_begin_drag(alice, &lamp, &drag) == SW_OK);
  place[13] = 2;
  CHECK(sw_drag_update(drag, place) == SW_OK);
  sw_event *moved = await_event(bob, SW_EVENT_ANCHOR_DRAGGED);
  CHECK(memcmp(&moved->anchor.id, &lamp, sizeof lamp) == 0 && memcmp(&moved->peer, &peer, sizeof peer) == 0);
  CHECK(moved->anchor.transform[13] == 2 && moved->sequence > 0 && moved->anchor.name == NULL);
  uint64_t sequence = moved->sequence;
  sw_event_destroy(moved);
  CHECK(sw_drag_end(drag) == SW_OK && sw_drag_end(drag) == SW_DRAG_ENDED);
  sw_drag_destroy(drag);
  sw_event *ended = await_event(bob, SW_EVENT_DRAG_ENDED);
  CHECK(memcmp(&ended->anchor.id, &lamp, sizeof lamp) == 0 && memcmp(&ended->peer, &peer, sizeof peer) == 0);
  sw_event_destroy(ended);

  CHECK(sw_session_update_pose(alice, place) == SW_OK);
  moved = await_event(bob, SW_EVENT_PARTICIPANT_MOVED);
  CHECK(memcmp(&moved->peer, &peer, sizeof peer) == 0 && moved->sequence > sequence);
  CHECK(moved->anchor.transform[13] == 2);
  sw_event_destroy(moved);
  CHECK(sw_session_update_pose(alice, NULL) == SW_OK);
  sw_event *gone = await_event(bob, SW_EVENT_PARTICIPANT_GONE);
  CHECK(memcmp(&gone->peer, &peer, sizeof peer) == 0);
  sw_event_destroy(gone);
  CHECK(sw_session_remove(alice, &lamp) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_ANCHOR_REMOVED));
}

/* Waits until a session hears that an anchor has this owner; NULL for none. */
static void await_owner(sw_session *session, const sw_anchor_id *anchor, const sw_peer_id *owner) {
  static const sw_peer_id nobody;
  sw_event *event = await_event(session, SW_EVENT_OWNERSHIP_CHANGED);
  CHECK(memcmp(&event->anchor.id, anchor, sizeof *anchor) == 0);
  CHECK(memcmp(&event->peer, owner == NULL ? &nobody : owner, sizeof nobody) == 0);
  sw_event_destroy(event);
}

/* Bob owns an anchor for a while; the host alone may lock the session. */
static void ownership_and_lock(sw_session *alice, sw_session *bob) {
  sw_peer_id peer = only_peer(alice);
  sw_anchor_list *anchors = NULL;
  CHECK(sw_session_anchors(alice, &anchors) == SW_OK && sw_anchor_list_count(anchors) == 1);
  sw_anchor_id lamp = sw_anchor_list_get(anchors, 0)->id;
  sw_anchor_list_destroy(anchors);
  uint64_t operation = 0;
  CHECK(sw_session_release_ownership(bob, &lamp, 0, &operation) == SW_OK);
  CHECK(sw_session_wait(bob, operation, NULL) == SW_NOT_OWNER);
  CHECK(sw_session_request_ownership(bob, &lamp, 0, 60001, &operation) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_request_ownership(bob, &lamp, 0, PATIENCE_MS, &operation) == SW_OK);
  CHECK(sw_session_wait(bob, operation, NULL) == SW_OK);
  await_owner(alice, &lamp, &peer);
  CHECK(sw_session_release_ownership(bob, &lamp, PATIENCE_MS, &operation) == SW_OK);
  CHECK(sw_session_wait(bob, operation, NULL) == SW_OK);
  await_owner(alice, &lamp, NULL);
  CHECK(sw_session_request_ownership(bob, &lamp, 50, PATIENCE_MS, &operation) == SW_OK);
  CHECK(sw_session_wait(bob, operation, NULL) == SW_OK);
  await_owner(alice, &lamp, &peer);
  await_owner(alice, &lamp, NULL);

  sw_peer_id host;
  CHECK(sw_session_host(alice, &host, NULL) == SW_OK);
  int bob_hosts = memcmp(&host, &peer, sizeof host) == 0;
  sw_session *hosting = bob_hosts ? bob : alice, *other = bob_hosts ? alice : bob;
  CHECK(sw_session_lock(other) == SW_NOT_HOST);
  CHECK(sw_session_lock(hosting) == SW_OK);
  sw_event_destroy(await_event(other, SW_EVENT_LOCKED));
  CHECK(sw_session_unlock(hosting) == SW_OK);
  sw_event_destroy(await_event(other, SW_EVENT_UNLOCKED));
}

/* Other anchors were removed before, and alice may not have been told of all of them yet. */
static void await_removal(sw_session *session, const sw_anchor_id *anchor) {
  int is_removed = 0;
  while (!is_removed) {
    sw_event *event = await_event(session, SW_EVENT_ANCHOR_REMOVED);
    is_removed = memcmp(&event->anchor.id, anchor, sizeof *anchor) == 0;
    sw_event_destroy(event);
  }
}

static void edit_anchors(sw_session *alice, sw_session *bob) {
  float place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1.5f, 2, -3, 1};
  sw_anchor_id lamp, table;
  CHECK(sw_session_place(alice, "lamp", place, &lamp) == SW_OK);
  sw_event *added = await_event(bob, SW_EVENT_ANCHOR_ADDED);
  CHECK(memcmp(&added->anchor.id, &lamp, sizeof lamp) == 0 && strcmp(added->anchor.name, "lamp") == 0);
  CHECK(strcmp(added->text, "remote") == 0 && added->anchor.transform[14] == -3);
  sw_event_destroy(added);
  place[12] = 4;
  CHECK(sw_session_move(bob, &lamp, place) == SW_OK && sw_session_rename(bob, &lamp, "desk lamp") == SW_OK);
  CHECK(sw_session_place(bob, "table", place, &table) == SW_OK && sw_session_remove(bob, &table) == SW_OK);
  await_removal(alice, &table);
  CHECK(sw_session_move(alice, &table, place) == SW_UNKNOWN_ANCHOR);
  CHECK(strstr(sw_last_error_message(), "no anchor") != NULL);

  sw_digest mine, theirs;
  CHECK(sw_session_digest(alice, &mine) == SW_OK && sw_session_digest(bob, &theirs) == SW_OK);
  CHECK(memcmp(&mine, &theirs, sizeof mine) == 0);
  sw_anchor_list *anchors = NULL;
  CHECK(sw_session_anchors(alice, &anchors) == SW_OK && sw_anchor_list_count(anchors) == 1);
  CHECK(strcmp(sw_anchor_list_get(anchors, 0)->name, "desk lamp") == 0);
  CHECK(sw_anchor_list_get(anchors, 0)->transform[12] == 4);
  sw_anchor_list_destroy(anchors);
}

static void refuse_null(sw_session *session) {
  float skewed[16] = {1};
  sw_session_config old = {.size = 8, .discovery = SW_DISCOVERY_NONE};
  sw_session *none = NULL;
  CHECK(sw_session_place(session, NULL, skewed, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_place(session, "x", skewed, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_place(session, "\xff", skewed, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_place(NULL, "x", skewed, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_digest(session, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_next_event(session, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_start(NULL, &old, &none) == SW_INVALID_ARGUMENT && none == NULL);
  CHECK(sw_session_events_fd(NULL) == -1 && sw_map_point_count(NULL) == 0);
  CHECK(sw_map_load("/nowhere", NULL) == SW_INVALID_ARGUMENT);
  sw_map *map = NULL;
  CHECK(sw_map_load("/nowhere", &map) == SW_IO && map == NULL);
  CHECK(strcmp(sw_status_name(SW_UNKNOWN_ANCHOR), "unknown-anchor") == 0);
  sw_session_stop(NULL);
  sw_event_destroy(NULL);
  sw_anchor_list_destroy(NULL);
}

static void message_and_end(sw_session *alice, sw_session *bob) {
  CHECK(sw_session_send(alice, (const uint8_t *)"hello", 5, NULL, NULL) == SW_OK);
  sw_event *message = await_event(bob, SW_EVENT_MESSAGE);
  CHECK(message->data_size == 5 && memcmp(message->data, "hello", 5) == 0);
  sw_event_destroy(message);
  uint64_t number = 0;
  CHECK(sw_session_send(alice, (const uint8_t *)"again", 5, NULL, &number) == SW_OK && number == 2);
  message = await_event(bob, SW_EVENT_MESSAGE);
  CHECK(message->data_size == 5 && memcmp(message->data, "again", 5) == 0);
  sw_event_destroy(message);
  sw_session_stop(alice);
  sw_event *left = await_event(bob, SW_EVENT_PEER_LEFT);
  CHECK(strcmp(left->text, "left") == 0);
  sw_event_destroy(left);
}

/* What Bob's session had is there again when he starts alone. */
static void restart(const char *folder) {
  sw_session *bob = start("bob", folder, SW_INVITATIONS_DECLINE);
  sw_anchor_list *anchors = NULL;
  CHECK(sw_session_anchors(bob, &anchors) == SW_OK && sw_anchor_list_count(anchors) > 0);
  sw_anchor_list_destroy(anchors);
  sw_session_stop(bob);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  CHECK(sw_abi_version() == SW_ABI_VERSION);
  CHECK(strcmp(sw_last_error_message(), "") == 0);
  sw_session *alice = start("alice", arguments[1], SW_INVITATIONS_DECLINE);
  sw_session *bob = start("bob", arguments[1], SW_INVITATIONS_ACCEPT);
  CHECK(sw_session_wait(bob, invite(bob, alice), NULL) == SW_DECLINED);
  join(alice, bob);
  share_map(alice, bob, arguments[1]);
  live_poses(alice, bob);
  edit_anchors(alice, bob);
  ownership_and_lock(alice, bob);
  refuse_null(bob);
  ask(alice, arguments[1]);
  message_and_end(alice, bob);
  sw_session_stop(bob);
  restart(arguments[1]);
  puts("ok");
  return 0;
}
