/*
 * Views of a session for a loop that draws, through the C interface alone: anchors with their contents, members, drags and
 * devices, all of one moment, and the last one after the end. Prints "ok" and returns 0.
 *
 * usage: snapshots FOLDER, a folder for identities
 */
#include "pair.h"

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static sw_state state_of(const sw_snapshot *snapshot) {
  sw_state state = {.size = sizeof state};
  CHECK(sw_snapshot_state(snapshot, &state) == SW_OK && state.size == sizeof state);
  return state;
}

/* Draws until a view shows what is waited for; the caller destroys it. `*drawn` is the revision that was drawn last. */
static sw_snapshot *draw_until(sw_session *session, uint64_t *drawn, int (*is_shown)(const sw_snapshot *)) {
  const long long deadline = now_ms() + PATIENCE_MS;
  while (now_ms() < deadline) {
    sw_snapshot *snapshot = NULL;
    CHECK(sw_session_snapshot(session, *drawn, &snapshot) == SW_OK);
    if (snapshot == NULL) {
      /* The loop has something else to do until the next frame. */
      poll(NULL, 0, 4);
      continue;
    }
    const uint64_t revision = state_of(snapshot).revision;
    CHECK(revision > *drawn);
    *drawn = revision;
    if (is_shown(snapshot)) return snapshot;
    sw_snapshot_destroy(snapshot);
  }
  CHECK(!"the view shows it in time");
  return NULL;
}

static int has_two_anchors(const sw_snapshot *snapshot) { return sw_snapshot_anchor_count(snapshot) == 2; }
static int has_drag_and_device(const sw_snapshot *snapshot) {
  return sw_snapshot_drag_count(snapshot) == 1 && sw_snapshot_device_count(snapshot) == 1;
}
static int has_no_peer(const sw_snapshot *snapshot) { return sw_snapshot_peer_count(snapshot) == 0; }
static int has_ended(const sw_snapshot *snapshot) { return state_of(snapshot).has_ended == 1; }

/* What stands in the session: two anchors, of which one is a table, and a member. */
static void anchors(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, uint64_t *drawn) {
  sw_anchor_content table = {.size = sizeof table, .kind = SW_KIND_PLANE, .extent = {2, 1, 0}};
  table.plane_surface = SW_SURFACE_TABLE;
  table.content_type = "text/plain";
  table.payload = (const uint8_t *)"oak";
  table.payload_size = 3;
  sw_anchor_id placed[2];
  CHECK(sw_session_place(alice, "lamp", identity, &placed[0]) == SW_OK);
  CHECK(sw_session_place_with(alice, "table", identity, &table, &placed[1]) == SW_OK);
  sw_snapshot *view = draw_until(bob, drawn, has_two_anchors);
  int tables = 0;
  for (size_t index = 0; index < 2; index++) {
    const sw_anchor *anchor = sw_snapshot_anchor(view, index);
    const sw_anchor_content *content = sw_snapshot_anchor_content(view, index);
    CHECK(is_same_peer(&anchor->creator, alice_id));
    if (strcmp(anchor->name, "table") != 0) continue;
    CHECK(content->kind == SW_KIND_PLANE && content->extent[0] == 2 && content->payload_size == 3);
    tables++;
  }
  CHECK(tables == 1 && sw_snapshot_anchor(view, 2) == NULL && sw_snapshot_anchor_content(view, 2) == NULL);
  const sw_peer *peer = sw_snapshot_peer(view, 0);
  CHECK(sw_snapshot_peer_count(view) == 1 && is_same_peer(&peer->id, alice_id) && strcmp(peer->name, "alice") == 0);
  const sw_state state = state_of(view);
  sw_digest digest;
  CHECK(sw_session_digest(bob, &digest) == SW_OK && memcmp(&digest, &state.digest, sizeof digest) == 0);
  sw_peer_id host;
  uint64_t epoch;
  CHECK(sw_session_host(bob, &host, &epoch) == SW_OK && is_same_peer(&host, &state.host) && epoch == state.epoch);
  CHECK(state.member_limit == 64 && state.is_locked == 0 && state.has_ended == 0 && state.map_stage == SW_MAP_NONE);
  /* An older program knows less of the structure: what follows is not written. */
  sw_state old;
  memset(&old, 7, sizeof old);
  old.size = offsetof(sw_state, epoch);
  CHECK(sw_snapshot_state(view, &old) == SW_OK && old.revision == state.revision && old.epoch == 0x0707070707070707);
  old.size = 0;
  CHECK(sw_snapshot_state(view, &old) == SW_INVALID_ARGUMENT && sw_snapshot_state(view, NULL) == SW_INVALID_ARGUMENT);
  /* A view stays as it is. */
  CHECK(sw_session_remove(alice, &placed[0]) == SW_OK && sw_snapshot_anchor_count(view) == 2);
  sw_snapshot_destroy(view);
  CHECK(sw_snapshot_anchor_count(view) == 0 && sw_snapshot_anchor(view, 0) == NULL);
}

/* What moves: an anchor in a hand, and a device. */
static void poses(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, uint64_t *drawn) {
  sw_anchor_id cup;
  CHECK(sw_session_place(alice, "cup", identity, &cup) == SW_OK);
  sw_drag *drag = NULL;
  CHECK(sw_session_begin_drag(alice, &cup, &drag) == SW_OK);
  float there[16];
  memcpy(there, identity, sizeof there);
  there[12] = 3;
  CHECK(sw_drag_update(drag, there) == SW_OK && sw_session_update_pose(alice, there) == SW_OK);
  sw_snapshot *view = draw_until(bob, drawn, has_drag_and_device);
  const sw_live_pose *held = sw_snapshot_drag(view, 0), *device = sw_snapshot_device(view, 0);
  CHECK(memcmp(&held->anchor, &cup, sizeof cup) == 0 && is_same_peer(&held->peer, alice_id));
  CHECK(held->transform[12] == 3 && device->transform[12] == 3 && is_same_peer(&device->peer, alice_id));
  CHECK(device->sequence > 0 && sw_snapshot_drag(view, 1) == NULL && sw_snapshot_device(view, 1) == NULL);
  sw_snapshot_destroy(view);
  sw_drag_destroy(drag);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  sw_session *alice = start_with("alice", arguments[1], &config), *bob = start_with("bob", arguments[1], &config);
  sw_peer_id alice_id, bob_id;
  uint64_t drawn = 0;
  join_pair(alice, bob, &alice_id, &bob_id);
  anchors(alice, bob, &alice_id, &drawn);
  poses(alice, bob, &alice_id, &drawn);
  sw_session_stop(alice);
  sw_snapshot_destroy(draw_until(bob, &drawn, has_no_peer));
  CHECK(sw_session_leave(bob) == SW_OK);
  sw_snapshot *last = draw_until(bob, &drawn, has_ended);
  CHECK(sw_session_snapshot(bob, 0, NULL) == SW_INVALID_ARGUMENT);
  sw_session_stop(bob);
  CHECK(sw_snapshot_anchor_count(last) == 2);
  sw_snapshot *none = NULL;
  CHECK(sw_session_snapshot(bob, 0, &none) == SW_INVALID_ARGUMENT && none == NULL);
  sw_snapshot_destroy(last);
  puts("ok");
  return 0;
}
