/*
 * What was placed before a join is told as remote, at every join, to both. Prints "ok" and returns 0.
 *
 * usage: joins FOLDER, a folder for identities
 */
#include "pair.h"

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* Waits for the anchor of the other one. */
static void await_anchor(sw_session *session, const char *name) {
  for (;;) {
    sw_event *event = await_event(session, SW_EVENT_ANCHOR_ADDED);
    const int is_other = strcmp(event->anchor.name, name) == 0;
    if (is_other && strcmp(event->text, "remote") != 0) {
      fprintf(stderr, "%s is told as %s\n", name, event->text);
      exit(1);
    }
    sw_event_destroy(event);
    if (is_other) return;
  }
}

int main(int count, char **words) {
  CHECK(count == 2);
  const sw_session_config config = quiet_config();
  for (int number = 0; number < 100; number++) {
    sw_session *alice = start_with("alice", words[1], &config), *bob = start_with("bob", words[1], &config);
    sw_anchor_id placed;
    CHECK(sw_session_place(alice, "lamp", identity, &placed) == SW_OK);
    CHECK(sw_session_place(bob, "table", identity, &placed) == SW_OK);
    sw_invitation invitation = {.size = sizeof invitation, .host = "127.0.0.1", .port = sw_session_port(alice)};
    uint64_t operation = 0;
    CHECK(sw_session_invite(bob, &invitation, &operation) == SW_OK);
    await_anchor(alice, "table");
    await_anchor(bob, "lamp");
    sw_session_stop(bob);
    sw_session_stop(alice);
  }
  puts("ok");
  return 0;
}
