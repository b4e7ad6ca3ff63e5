/*
 * Two sessions in one process, through the C interface alone: anchors of every kind with payloads, the anchors of a map,
 * hit-tests, devices and interest in live poses. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: contents FOLDER, a folder for identities
 */
#include <math.h>

#include "pair.h"

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* Places an anchor with one peer, and returns the list in which the other has it alone. */
static sw_anchor_list *pass(sw_session *alice, sw_session *bob, const char *name, const sw_anchor_content *content) {
  sw_anchor_id id;
  CHECK(sw_session_place_with(alice, name, identity, content, &id) == SW_OK);
  sw_event *added = await_event(bob, SW_EVENT_ANCHOR_ADDED);
  CHECK(memcmp(&added->anchor.id, &id, sizeof id) == 0);
  sw_event_destroy(added);
  sw_anchor_list *list = NULL;
  CHECK(sw_session_anchors(bob, &list) == SW_OK && sw_anchor_list_count(list) == 1);
  CHECK(sw_session_remove(alice, &id) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_ANCHOR_REMOVED));
  return list;
}

static void kinds(sw_session *alice, sw_session *bob) {
  const float corners[] = {0, 0, 1, 0, 1, 1};
  sw_anchor_content content = {.size = sizeof content, .kind = SW_KIND_PLANE, .extent = {2, 3, 0}};
  content.plane_alignment = SW_PLANE_HORIZONTAL;
  content.plane_surface = SW_SURFACE_TABLE;
  content.corners = corners;
  content.corner_count = 3;
  sw_anchor_list *list = pass(alice, bob, "table", &content);
  const sw_anchor_content *got = sw_anchor_list_content(list, 0);
  CHECK(got->kind == SW_KIND_PLANE && got->extent[1] == 3 && got->plane_alignment == SW_PLANE_HORIZONTAL);
  CHECK(got->plane_surface == SW_SURFACE_TABLE && got->corner_count == 3 && got->corners[4] == 1);
  CHECK(got->content_type == NULL && got->reference == NULL && sw_anchor_list_content(list, 1) == NULL);
  sw_anchor_list_destroy(list);
  CHECK(sw_anchor_list_content(list, 0) == NULL);

  content = (sw_anchor_content){.size = sizeof content, .kind = SW_KIND_IMAGE, .extent = {0.2f, 0.3f, 0}};
  CHECK(sw_session_place_with(alice, "x", identity, &content, NULL) == SW_INVALID_ARGUMENT);
  content.reference = "poster";
  list = pass(alice, bob, "poster on the wall", &content);
  got = sw_anchor_list_content(list, 0);
  CHECK(got->kind == SW_KIND_IMAGE && strcmp(got->reference, "poster") == 0 && got->extent[1] == 0.3f);
  sw_anchor_list_destroy(list);

  content = (sw_anchor_content){.size = sizeof content, .kind = SW_KIND_OBJECT, .extent = {1, 2, 3}, .reference = "cup"};
  list = pass(alice, bob, "cup", &content);
  CHECK(sw_anchor_list_content(list, 0)->kind == SW_KIND_OBJECT && sw_anchor_list_content(list, 0)->extent[2] == 3);
  sw_anchor_list_destroy(list);

  content.kind = SW_KIND_MESH;
  content.mesh.bytes[31] = 9;
  list = pass(alice, bob, "mesh", &content);
  CHECK(sw_anchor_list_content(list, 0)->kind == SW_KIND_MESH && sw_anchor_list_content(list, 0)->mesh.bytes[31] == 9);
  sw_anchor_list_destroy(list);

  content.kind = SW_KIND_PARTICIPANT;
  CHECK(sw_session_place_with(alice, "x", identity, &content, NULL) == SW_INVALID_ARGUMENT);
  content = (sw_anchor_content){.size = sizeof content, .kind = SW_KIND_PLANE, .plane_surface = 99};
  CHECK(sw_session_place_with(alice, "x", identity, &content, NULL) == SW_INVALID_ARGUMENT);
  content.plane_surface = 0;
  content.corner_count = SIZE_MAX / 2 + 1;
  CHECK(sw_session_place_with(alice, "x", identity, &content, NULL) == SW_INVALID_ARGUMENT);
  content.corner_count = 257;
  CHECK(sw_session_place_with(alice, "x", identity, &content, NULL) == SW_INVALID_ARGUMENT);
  content.size = 0;
  CHECK(sw_session_place_with(alice, "x", identity, &content, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_place_with(alice, "x", identity, NULL, NULL) == SW_INVALID_ARGUMENT);
}

/* A plane grows, and what others have of it grows too. */
static void growth(sw_session *alice, sw_session *bob) {
  sw_anchor_content content = {.size = sizeof content, .kind = SW_KIND_PLANE, .extent = {1, 1, 0}};
  sw_anchor_id id, nothing = {{1}};
  CHECK(sw_session_place_with(alice, "floor", identity, &content, &id) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_ANCHOR_ADDED));
  content.extent[0] = 4;
  CHECK(sw_session_set_kind(alice, &id, &content) == SW_OK);
  sw_event_destroy(await_event(alice, SW_EVENT_ANCHOR_UPDATED));
  sw_event_destroy(await_event(bob, SW_EVENT_ANCHOR_UPDATED));
  sw_anchor_list *list = NULL;
  CHECK(sw_session_anchors(bob, &list) == SW_OK && sw_anchor_list_count(list) == 1);
  CHECK(sw_anchor_list_content(list, 0)->kind == SW_KIND_PLANE && sw_anchor_list_content(list, 0)->extent[0] == 4);
  sw_anchor_list_destroy(list);
  CHECK(sw_session_set_kind(alice, &nothing, &content) == SW_UNKNOWN_ANCHOR);
  content.extent[0] = -1;
  CHECK(sw_session_set_kind(alice, &id, &content) == SW_INVALID_ARGUMENT);
  content.kind = SW_KIND_PARTICIPANT;
  CHECK(sw_session_set_kind(alice, &id, &content) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_set_kind(alice, &id, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_remove(alice, &id) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_ANCHOR_REMOVED));
}

static void payloads(sw_session *alice, sw_session *bob) {
  sw_anchor_content content = {.size = sizeof content, .content_type = "text/plain"};
  content.payload = (const uint8_t *)"hello";
  content.payload_size = 5;
  sw_anchor_id id, nothing = {{1}};
  CHECK(sw_session_place_with(alice, "note", identity, &content, &id) == SW_OK);
  sw_event *added = await_event(bob, SW_EVENT_ANCHOR_ADDED);
  CHECK(is_text(added, "hello") && strcmp(added->content_type, "text/plain") == 0);
  sw_event_destroy(added);
  CHECK(sw_session_set_payload(bob, &id, "text/plain", (const uint8_t *)"bye", 3) == SW_OK);
  sw_event *updated = await_event(alice, SW_EVENT_ANCHOR_UPDATED);
  CHECK(is_text(updated, "bye"));
  sw_event_destroy(updated);
  CHECK(sw_session_set_payload(bob, &id, NULL, NULL, 0) == SW_OK);
  updated = await_event(alice, SW_EVENT_ANCHOR_UPDATED);
  CHECK(updated->content_type == NULL && updated->data_size == 0);
  sw_event_destroy(updated);
  CHECK(sw_session_set_payload(bob, &nothing, "a/b", NULL, 0) == SW_UNKNOWN_ANCHOR);
  CHECK(sw_session_set_payload(bob, NULL, "a/b", NULL, 0) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_set_payload(bob, &id, "a/b", NULL, 5) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_remove(alice, &id) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_ANCHOR_REMOVED));
}

enum { SIDE = 41 };
static float points[3 * SIDE * SIDE];
static uint64_t numbers[SIDE * SIDE];

/* A wall of points 2 m in front of the camera. */
static void build_wall(void) {
  for (int index = 0; index < SIDE * SIDE; index++) {
    points[3 * index] = (float)(index % SIDE - SIDE / 2) * 0.05f;
    points[3 * index + 1] = (float)(index / SIDE - SIDE / 2) * 0.05f;
    points[3 * index + 2] = -2;
    numbers[index] = (uint64_t)index;
  }
}

static void hit_test(void) {
  sw_map *map = NULL;
  CHECK(sw_map_create(points, numbers, SIDE * SIDE, &map) == SW_OK);
  sw_hit hit = {.size = sizeof hit};
  int found = 7;
  CHECK(sw_map_hit_test(map, identity, 1, 1, 0.5f, 0.5f, &hit, &found) == SW_OK && found == 1);
  CHECK(hit.kind == SW_HIT_FEATURE_POINTS && hit.has_anchor == 0 && fabsf(hit.distance - 2) < 0.01f);
  CHECK(fabsf(hit.transform[14] + 2) < 0.01f && fabsf(hit.transform[6] - 1) < 0.01f);
  float away[16];
  memcpy(away, identity, sizeof away);
  away[0] = away[10] = -1;
  CHECK(sw_map_hit_test(map, away, 1, 1, 0.5f, 0.5f, &hit, &found) == SW_OK && found == 0);
  CHECK(sw_map_hit_test(map, identity, 0, 1, 0.5f, 0.5f, &hit, &found) == SW_INVALID_ARGUMENT);
  CHECK(sw_map_hit_test(map, identity, 1, 1, 0.5f, 0.5f, &hit, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_map_hit_test(NULL, identity, 1, 1, 0.5f, 0.5f, &hit, &found) == SW_INVALID_ARGUMENT);
  hit.size = 0;
  CHECK(sw_map_hit_test(map, identity, 1, 1, 0.5f, 0.5f, &hit, &found) == SW_INVALID_ARGUMENT);
  uint32_t status = 9, lacks = 9;
  float progress = 0;
  CHECK(sw_map_mapping(map, 0, &status, &lacks, &progress) == SW_OK && status == SW_MAPPING_MAPPED && lacks == 0);
  CHECK(progress == 1 && sw_map_mapping(map, 0, NULL, NULL, NULL) == SW_OK);
  CHECK(sw_map_mapping(map, 6, &status, &lacks, &progress) == SW_OK && status == SW_MAPPING_EXTENDING && lacks == 0);
  CHECK(progress == 0.5f);
  CHECK(sw_map_mapping(map, 2, &status, &lacks, NULL) == SW_OK && status == SW_MAPPING_LIMITED);
  CHECK(lacks == SW_MAPPING_LACKS_VIEWS);
  sw_peer_id provider = {{1}}, nobody = {{0}};
  CHECK(sw_map_provider(map, &provider) == SW_OK && is_same_peer(&provider, &nobody));
  CHECK(sw_map_provider(map, NULL) == SW_INVALID_ARGUMENT && sw_map_provider(NULL, &provider) == SW_INVALID_ARGUMENT);
  sw_map *small = NULL;
  CHECK(sw_map_create(points, numbers, 9, &small) == SW_OK);
  CHECK(sw_map_mapping(small, 0, &status, &lacks, NULL) == SW_OK && status == SW_MAPPING_LIMITED);
  CHECK((lacks & SW_MAPPING_LACKS_COVERAGE) != 0 && sw_map_mapping(NULL, 0, &status, NULL, NULL) == SW_INVALID_ARGUMENT);
  sw_map_destroy(small);
  sw_anchor_list *list = NULL;
  CHECK(sw_map_anchors(map, &list) == SW_OK && sw_anchor_list_count(list) == 0);
  sw_anchor_list_destroy(list);
  CHECK(sw_map_anchors(map, NULL) == SW_INVALID_ARGUMENT && sw_map_anchors(NULL, &list) == SW_INVALID_ARGUMENT);
  sw_map_destroy(map);
}

/* Bob wants devices near a place alone: alice's is told of when she comes there, and gone when she leaves it. */
static void interest(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id) {
  sw_interest near = {.size = sizeof near, .kinds = 1 + SW_KIND_PARTICIPANT, .center = {5, 0, 0}, .radius = 1};
  float place[16];
  memcpy(place, identity, sizeof place);
  CHECK(sw_session_update_pose(alice, place) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_PARTICIPANT_MOVED));
  sw_anchor_list *list = NULL;
  CHECK(sw_session_participants(bob, &list) == SW_OK && sw_anchor_list_count(list) == 1);
  const sw_anchor_content *device = sw_anchor_list_content(list, 0);
  CHECK(device->kind == SW_KIND_PARTICIPANT && is_same_peer(&device->participant, alice_id));
  CHECK(strcmp(sw_anchor_list_get(list, 0)->name, "alice") == 0);
  sw_anchor_list_destroy(list);
  CHECK(sw_session_set_interest(bob, &near) == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_PARTICIPANT_GONE));
  place[12] = 5;
  CHECK(sw_session_update_pose(alice, place) == SW_OK);
  sw_event *moved = await_event(bob, SW_EVENT_PARTICIPANT_MOVED);
  CHECK(moved->anchor.transform[12] == 5);
  sw_event_destroy(moved);
  CHECK(sw_session_set_interest(bob, NULL) == SW_OK);
  near.radius = NAN;
  CHECK(sw_session_set_interest(bob, &near) == SW_INVALID_ARGUMENT);
  near.kinds = 99;
  CHECK(sw_session_set_interest(bob, &near) == SW_INVALID_ARGUMENT);
  near.size = 0;
  CHECK(sw_session_set_interest(bob, &near) == SW_INVALID_ARGUMENT);
}

/* What a device has seen is shared once the place is mapped well enough. */
static void capture(sw_session *alice, sw_session *bob) {
  uint64_t operation;
  CHECK(sw_session_share_capture(alice, points, numbers, 9, 0, &operation) == SW_OK);
  expect_done(alice, operation, SW_MAP_NOT_READY);
  CHECK(sw_session_share_capture(alice, points, numbers, SIDE * SIDE, 2, &operation) == SW_OK);
  expect_done(alice, operation, SW_MAP_NOT_READY);
  CHECK(sw_session_share_capture(alice, points, numbers, SIDE * SIDE, 3, &operation) == SW_OK);
  sw_event *done = await_done(alice, operation, SW_OK), *received = await_event(bob, SW_EVENT_MAP_RECEIVED);
  CHECK(memcmp(&done->map, &received->map, sizeof done->map) == 0);
  sw_event_destroy(done);
  sw_event_destroy(received);
  CHECK(sw_session_share_capture(alice, NULL, NULL, 9, 0, &operation) == SW_INVALID_ARGUMENT);
  numbers[1] = 0;
  CHECK(sw_session_share_capture(alice, points, numbers, 9, 0, &operation) == SW_INVALID_ARGUMENT);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  sw_session *alice = start_with("alice", arguments[1], &config), *bob = start_with("bob", arguments[1], &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  kinds(alice, bob);
  growth(alice, bob);
  payloads(alice, bob);
  build_wall();
  hit_test();
  interest(alice, bob, &alice_id);
  capture(alice, bob);
  sw_session_stop(alice);
  sw_session_stop(bob);
  puts("ok");
  return 0;
}
