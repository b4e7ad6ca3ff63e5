/*
 * A room through the C interface: a host tells its code, another session joins by it and shares an anchor, and a signal ends
 * both. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: rooms FOLDER, a folder for the identities
 */
#include <ctype.h>
#include <signal.h>
#include <unistd.h>

#include "pair.h"

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* Waits for an event of a kind, without a descriptor. */
static sw_event *await(sw_session *session, uint32_t type) {
  sw_event *event = NULL;
  while (sw_session_await_event(session, &event) == SW_OK) {
    if (event->type == type) return event;
    sw_event_destroy(event);
  }
  return NULL;
}

static void refused(const char *folder) {
  sw_session *session = NULL;
  CHECK(sw_join("kitchen", NULL, "bob", NULL, &session) == SW_INVALID_ARGUMENT);
  CHECK(sw_join(NULL, "kitten-lemon-violin-acorn", "bob", NULL, &session) == SW_INVALID_ARGUMENT);
  CHECK(sw_join("kitchen", "a b c", "bob", NULL, &session) == SW_INVALID_ARGUMENT);
  CHECK(strstr(sw_last_error_message(), "too short") != NULL);
  CHECK(sw_join("kitchen", "kitten-lemon-violin-acorn", "bob", "nowhere", &session) == SW_INVALID_ARGUMENT);
  CHECK(sw_host(NULL, "bob", &session) == SW_INVALID_ARGUMENT && session == NULL);
  sw_session_config config = quiet_config();
  sw_session *plain = start_with("carol", folder, &config);
  CHECK(sw_session_code(plain) == NULL && sw_session_code(NULL) == NULL);
  sw_session_stop(plain);
  sw_identity *carol = NULL;
  CHECK(sw_identity_load_or_create("carol", folder, &carol) == SW_OK);
  config.code = "kitten-lemon-violin-acorn";
  CHECK(sw_session_start(carol, &config, &session) == SW_INVALID_ARGUMENT);
  config.room = "kitchen";
  config.passcode = "sesame 1";
  CHECK(sw_session_start(carol, &config, &session) == SW_INVALID_ARGUMENT && session == NULL);
  sw_identity_destroy(carol);
}

int main(int count, char **words) {
  CHECK(count == 2 && setenv("XDG_STATE_HOME", words[1], 1) == 0);
  refused(words[1]);
  sw_session *alice = NULL, *bob = NULL;
  CHECK(sw_host("kitchen", "alice", &alice) == SW_OK);
  /* As somebody types it who has heard it. */
  char code[SW_PASSCODE_SIZE * 4] = "", place[32];
  CHECK(strlen(sw_session_code(alice)) < sizeof code);
  strcpy(code, sw_session_code(alice));
  for (char *letter = code; *letter != '\0'; letter++) *letter = *letter == '-' ? ' ' : (char)toupper(*letter);
  snprintf(place, sizeof place, "127.0.0.1:%d", sw_session_port(alice));
  CHECK(sw_session_place(alice, "lamp", identity, NULL) == SW_OK);
  CHECK(sw_join("Kitchen", code, "bob", place, &bob) == SW_OK);
  CHECK(strcmp(sw_session_code(bob), sw_session_code(alice)) == 0);
  sw_event *added = await(bob, SW_EVENT_ANCHOR_ADDED);
  CHECK(added != NULL && strcmp(added->anchor.name, "lamp") == 0);
  sw_event_destroy(added);
  CHECK(kill(getpid(), SIGTERM) == 0);
  sw_event_destroy(await(alice, SW_EVENT_ENDED));
  sw_event_destroy(await(bob, SW_EVENT_ENDED));
  sw_event *none = NULL;
  CHECK(sw_session_await_event(bob, &none) == SW_ENDED && none == NULL);
  sw_session_stop(alice);
  sw_session_stop(bob);
  puts("ok");
  return 0;
}
