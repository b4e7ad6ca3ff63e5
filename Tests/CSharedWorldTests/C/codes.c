/*
 * Two sessions in one process, through the C interface alone: their users compare six digits, first with another result, then with
 * the same. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: codes FOLDER, a folder for identities and known peers
 */
#include "pair.h"

/* A session that asks for codes, or one that only shows them. */
static sw_session *start(const char *name, const char *folder, int asks) {
  sw_session_config config = quiet_config();
  char peers[4096];
  CHECK(snprintf(peers, sizeof peers, "%s/%s.peers", folder, name) < (int)sizeof peers);
  config.known_peers = peers;
  config.trust = asks ? SW_TRUST_CODE : SW_TRUST_ANYONE;
  config.shows_codes = 1;
  return start_with(name, folder, &config);
}

/* One invites the other; the user of the other says whether the codes, which are equal, are the same. */
static sw_status compare(sw_session *one, sw_session *other, int is_same) {
  sw_invitation invitation = {.size = sizeof invitation, .host = "127.0.0.1", .port = sw_session_port(other)};
  uint64_t operation = 0;
  CHECK(sw_session_invite(one, &invitation, &operation) == SW_OK);
  sw_event *shown = await_event(one, SW_EVENT_CODE), *seen = await_event(other, SW_EVENT_CODE);
  CHECK(strlen(shown->text) == 6 && strcmp(shown->text, seen->text) == 0);
  CHECK(shown->recognition == SW_RECOGNITION_NEVER_SEEN && seen->recognition == SW_RECOGNITION_UNTRACKED);
  CHECK(sw_session_answer_code(one, shown->operation, 1) == SW_OK);
  CHECK(sw_session_answer_code(other, seen->operation, is_same) == SW_OK);
  const sw_status status = sw_session_wait(one, operation, NULL);
  sw_event *ended = await_event(one, SW_EVENT_CODE_ENDED);
  CHECK((int)ended->flags == is_same && ended->operation == shown->operation);
  CHECK(sw_session_answer_code(one, shown->operation, 1) == SW_INVALID_ARGUMENT);
  sw_event_destroy(shown);
  sw_event_destroy(seen);
  sw_event_destroy(ended);
  return status;
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  sw_session *alice = start("alice", arguments[1], 1), *bob = start("bob", arguments[1], 0);
  CHECK(compare(alice, bob, 0) == SW_CODE_REFUSED);
  sw_session_stop(bob);
  sw_session_stop(alice);
  /* Neither remembers the refusal. */
  alice = start("alice", arguments[1], 1);
  bob = start("bob", arguments[1], 0);
  CHECK(compare(alice, bob, 1) == SW_OK);
  sw_session_stop(bob);
  sw_session_stop(alice);
  printf("ok\n");
  return 0;
}
