/*
 * Two sessions in one process, through the C interface alone: each begins a frame of its own, and they line up by a measured
 * transform, by touched points, by a meeting and by scans in the session's map. Prints "ok" and returns 0.
 *
 * usage: frames FOLDER, a folder for identities
 */
#include <math.h>

#include "pair.h"

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static sw_alignment alignment_of(sw_session *session, const sw_peer_id *peer) {
  sw_alignment alignment = {.size = sizeof alignment};
  CHECK(sw_session_alignment(session, peer, &alignment) == SW_OK && alignment.size == sizeof alignment);
  return alignment;
}

/* Waits until a session hears that the frame of a peer is aligned. */
static void await_aligned(sw_session *session, const sw_peer_id *peer) {
  for (;;) {
    sw_event *event = await_event(session, SW_EVENT_ALIGNMENT_CHANGED);
    int is_aligned = is_same_peer(&event->peer, peer) && strcmp(event->text, "aligned") == 0;
    CHECK(!is_aligned || event->has_transform == 1);
    sw_event_destroy(event);
    if (is_aligned) return;
  }
}

/* Own frames have nothing to do with each other until one is measured. */
static void measured(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, const sw_peer_id *bob_id) {
  CHECK(alignment_of(alice, bob_id).state == SW_ALIGNMENT_ALIGNED);
  CHECK(sw_session_begin_frame(alice) == SW_OK);
  sw_anchor_id lamp;
  CHECK(sw_session_place(alice, "lamp", identity, &lamp) == SW_OK);
  sw_anchor_list *list = NULL;
  size_t count = 0;
  while (count == 0) {
    CHECK(sw_session_unaligned_anchors(bob, &list) == SW_OK);
    count = sw_anchor_list_count(list);
    if (count == 1) CHECK(memcmp(&sw_anchor_list_get(list, 0)->id, &lamp, sizeof lamp) == 0);
    sw_anchor_list_destroy(list);
  }
  CHECK(alignment_of(bob, alice_id).state == SW_ALIGNMENT_UNALIGNED);
  sw_frame_fit fit = {.size = sizeof fit, .observations = 3, .residual = 0.01};
  sw_alignment found = {.size = sizeof found};
  CHECK(sw_session_align(bob, alice_id, &fit, &found) == SW_INVALID_ARGUMENT);
  memcpy(fit.transform, identity, sizeof identity);
  fit.transform[12] = 2;
  CHECK(sw_session_align(bob, alice_id, &fit, &found) == SW_OK);
  CHECK(found.state == SW_ALIGNMENT_ALIGNED && found.transform[12] == 2 && found.observations == 3);
  CHECK(fabs(found.residual - 0.01) < 1e-6 && found.position > 0 && found.orientation > 0);
  CHECK(sw_session_align(bob, alice_id, &fit, NULL) == SW_OK);
  await_aligned(alice, bob_id);
  CHECK(alignment_of(alice, bob_id).transform[12] == -2 && alignment_of(alice, NULL).state == SW_ALIGNMENT_ALIGNED);
  CHECK(sw_session_anchors(bob, &list) == SW_OK && sw_anchor_list_count(list) == 1);
  CHECK(sw_anchor_list_get(list, 0)->transform[12] == 2);
  sw_anchor_list_destroy(list);

  sw_peer_id stranger = {{1}};
  CHECK(sw_session_align(bob, &stranger, &fit, NULL) == SW_UNKNOWN_PEER);
  CHECK(alignment_of(bob, &stranger).state == SW_ALIGNMENT_UNALIGNED);
  found.size = 0;
  CHECK(sw_session_align(bob, alice_id, &fit, &found) == SW_INVALID_ARGUMENT);
  fit.size = 0;
  CHECK(sw_session_align(bob, alice_id, &fit, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_alignment(bob, alice_id, NULL) == SW_INVALID_ARGUMENT);
  /* An older program knows less of the structure: what follows is not written. */
  struct { sw_alignment known; } old;
  memset(&old, 7, sizeof old);
  old.known.size = offsetof(sw_alignment, residual);
  double untouched = old.known.residual;
  CHECK(sw_session_alignment(bob, alice_id, &old.known) == SW_OK);
  CHECK(old.known.transform[12] == 2 && memcmp(&old.known.residual, &untouched, sizeof untouched) == 0);
  CHECK(sw_session_use_shared_frame(alice) == SW_OK);
  CHECK(sw_session_begin_frame(NULL) == SW_INVALID_ARGUMENT);
}

/* Both touch two points; the residual is small. */
static void touched(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, const sw_peer_id *bob_id) {
  CHECK(sw_session_begin_frame(alice) == SW_OK);
  const float corner[3] = {0, 0, 0}, door[3] = {2, 0, 0}, my_corner[3] = {5, 1, 0}, my_door[3] = {7, 1, 0};
  size_t aligned = 9;
  CHECK(sw_session_touch(bob, "corner", my_corner, 1, &aligned) == SW_OK && aligned == 0);
  CHECK(sw_session_touch(bob, "door", my_door, 1, NULL) == SW_OK);
  /* Bob's points have to be there before they count. */
  for (size_t points = 0; points < 2;) {
    sw_anchor_list *list = NULL;
    CHECK(sw_session_unaligned_anchors(alice, &list) == SW_OK);
    points = 0;
    for (size_t index = 0; index < sw_anchor_list_count(list); index++) {
      points += strncmp(sw_anchor_list_get(list, index)->name, "touch/", 6) == 0;
    }
    sw_anchor_list_destroy(list);
  }
  CHECK(sw_session_touch(alice, "corner", corner, 1, &aligned) == SW_OK && aligned == 0);
  CHECK(sw_session_touch(alice, "door", door, 1, &aligned) == SW_OK && aligned == 1);
  sw_alignment found = alignment_of(alice, bob_id);
  CHECK(found.state == SW_ALIGNMENT_ALIGNED && fabsf(found.transform[12] + 5) < 0.001f && found.residual < 0.001);
  await_aligned(bob, alice_id);
  CHECK(sw_session_touch(alice, NULL, door, 1, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_touch(alice, "x", NULL, 1, NULL) == SW_INVALID_ARGUMENT);
}

/* Two devices are held together. */
static void met(sw_session *alice, sw_session *bob, const sw_peer_id *bob_id) {
  CHECK(sw_session_begin_frame(alice) == SW_OK);
  CHECK(sw_session_meet(alice, bob_id, SW_HOLD_TOGETHER, 1, NULL) == SW_NO_POSE);
  CHECK(strstr(sw_last_error_message(), "pose") != NULL);
  float here[16], there[16];
  memcpy(here, identity, sizeof here);
  memcpy(there, identity, sizeof there);
  there[12] = 4;
  CHECK(sw_session_update_pose(alice, here) == SW_OK && sw_session_update_pose(bob, there) == SW_OK);
  sw_alignment found = {.size = sizeof found};
  sw_status status;
  while ((status = sw_session_meet(alice, bob_id, SW_HOLD_TOGETHER, 1, &found)) == SW_NO_POSE) {
    /* Bob's pose is on its way. */
    CHECK(sw_session_update_pose(alice, here) == SW_OK && sw_session_update_pose(bob, there) == SW_OK);
  }
  CHECK(status == SW_OK && found.state == SW_ALIGNMENT_ALIGNED && fabsf(found.transform[12] + 4) < 0.01f);
  CHECK(sw_session_meet(alice, bob_id, 7, 1, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_meet(alice, NULL, SW_HOLD_TOGETHER, 1, NULL) == SW_INVALID_ARGUMENT);
}

/* A number that looks random and is not. */
static float chance(void) {
  static uint32_t state = 2463534242u;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return (float)(state >> 8) / (float)(1 << 24);
}

enum { POINTS = 1500 };
static float scan[3 * POINTS];

/* A scan, moved by 1 m, is found in the session's map. */
static void relocalized(sw_session *alice, sw_session *bob, const sw_peer_id *bob_id) {
  static float points[3 * POINTS];
  static uint64_t numbers[POINTS];
  for (int index = 0; index < POINTS; index++) {
    numbers[index] = (uint64_t)index;
    for (int axis = 0; axis < 3; axis++) {
      points[3 * index + axis] = chance() * (axis == 1 ? 2.5f : 6);
      scan[3 * index + axis] = points[3 * index + axis] + (axis == 0 ? 1 : 0);
    }
  }
  uint64_t operation;
  CHECK(sw_session_begin_frame(alice) == SW_OK);
  CHECK(sw_session_relocalize(alice, scan, POINTS, 1, &operation) == SW_OK);
  expect_done(alice, operation, SW_INVALID_ARGUMENT);
  sw_map *map = NULL;
  CHECK(sw_map_create(points, numbers, POINTS, &map) == SW_OK);
  CHECK(sw_session_share_map(bob, map, NULL, &operation) == SW_OK);
  CHECK(sw_session_wait(bob, operation, NULL) == SW_OK);
  sw_map_destroy(map);
  sw_event_destroy(await_event(alice, SW_EVENT_MAP_RECEIVED));
  CHECK(sw_session_relocalize(alice, scan, POINTS, 1, &operation) == SW_OK);
  sw_event *done = await_done(alice, operation, SW_OK);
  CHECK(done->observations > 100 && done->residual < 0.05 && done->has_transform == 1);
  sw_event_destroy(done);
  sw_alignment shared = alignment_of(alice, NULL), peer = alignment_of(alice, bob_id);
  CHECK(shared.state == SW_ALIGNMENT_ALIGNED && fabsf(shared.transform[12] - 1) < 0.05f);
  CHECK(peer.state == SW_ALIGNMENT_ALIGNED && fabsf(peer.transform[12] - 1) < 0.05f);
  sw_map *received = NULL;
  CHECK(sw_session_map(alice, &received) == SW_OK);
  sw_peer_id provider;
  CHECK(sw_map_provider(received, &provider) == SW_OK && is_same_peer(&provider, bob_id));
  sw_map_destroy(received);
  CHECK(sw_session_relocalize(alice, NULL, 5, 1, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_relocalize(alice, scan, SIZE_MAX, 1, NULL) == SW_LIMIT_EXCEEDED);
  CHECK(sw_session_relocalize(alice, scan, 3, 1, &operation) == SW_OK);
  sw_event_destroy(await_done(alice, operation, SW_NOT_RELOCALIZED));
}

/* A device that walks looks for its place only where it has lost it. */
static void kept(sw_session *alice) {
  uint64_t operation;
  const sw_alignment before = alignment_of(alice, NULL);
  CHECK(sw_session_keep_aligned(alice, scan, POINTS, 1, &operation) == SW_OK);
  sw_event *done = await_done(alice, operation, SW_OK);
  CHECK(done->has_transform == 1 && done->residual == before.residual);
  sw_event_destroy(done);
  CHECK(alignment_of(alice, NULL).time == before.time);
  CHECK(sw_session_begin_frame(alice) == SW_OK && alignment_of(alice, NULL).state != SW_ALIGNMENT_ALIGNED);
  for (int index = 0; index < POINTS; index++) scan[3 * index] += 1;
  CHECK(sw_session_keep_aligned(alice, scan, POINTS, 1, &operation) == SW_OK);
  expect_done(alice, operation, SW_OK);
  const sw_alignment after = alignment_of(alice, NULL);
  CHECK(after.state == SW_ALIGNMENT_ALIGNED && fabsf(after.transform[12] - 2) < 0.05f);
  CHECK(sw_session_keep_aligned(alice, NULL, 5, 1, NULL) == SW_INVALID_ARGUMENT);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  config.realign_interval_ms = 1;
  sw_session *alice = start_with("alice", arguments[1], &config), *bob = start_with("bob", arguments[1], &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  measured(alice, bob, &alice_id, &bob_id);
  touched(alice, bob, &alice_id, &bob_id);
  met(alice, bob, &bob_id);
  relocalized(alice, bob, &bob_id);
  kept(alice);
  sw_session_stop(alice);
  sw_session_stop(bob);
  puts("ok");
  return 0;
}
