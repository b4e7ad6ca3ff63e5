/*
 * Two sessions in one process that find each other by announcements on loopback: candidates with the words of their apps,
 * changes of those, roles, invitations by policy, and what a device finds out about its network. Prints "ok" and returns 0.
 *
 * usage: discovery FOLDER, a folder for identities
 */
#include <unistd.h>

#include "pair.h"

static sw_session_config announcing_config(const char *const *probes) {
  sw_session_config config = quiet_config();
  /* Another process on this machine that runs this test is not to be found. */
  static char service[16];
  snprintf(service, sizeof service, "swc-%d", (int)(getpid() % 100000));
  config.service = service;
  config.announces = 1;
  config.announce_port = (uint16_t)(20000 + getpid() % 40000);
  config.probes = probes;
  config.probe_count = probes == NULL ? 0 : 1;
  return config;
}


/* Settings that make no sense are refused. */
static void refusals(const char *folder) {
  sw_identity *identity = NULL;
  sw_session *session = NULL;
  CHECK(sw_identity_load_or_create("eve", folder, &identity) == SW_OK);
  const char *probes[] = {"127.0.0.1/8"};
  const sw_pair twice[] = {{"a", "1"}, {"a", "2"}}, long_key[] = {{"much-too-long", "1"}}, no_value[] = {{"a", NULL}};
  for (int wrong = 0; wrong < 8; wrong++) {
    sw_session_config config = quiet_config();
    if (wrong == 0) config.role = 3;
    if (wrong == 1) config.invite_policy = 2;
    if (wrong == 2) config.invite_timeout_ms = 60001;
    if (wrong == 3 || wrong == 4) config.probes = probes, config.probe_count = 1;
    if (wrong == 4) config.announces = 1;
    if (wrong == 5) config.info = twice, config.info_count = 2;
    if (wrong == 6) config.info = long_key, config.info_count = 1;
    if (wrong == 7) config.info = no_value, config.info_count = 1;
    CHECK(sw_session_start(identity, &config, &session) == SW_INVALID_ARGUMENT && session == NULL);
  }
  sw_identity_destroy(identity);
}

static void candidates(const char *folder) {
  const char *probes[] = {"127.0.0.1"};
  sw_session_config config = announcing_config(NULL);
  const sw_pair info[] = {{"room", "kitchen"}, {"game", "chess"}};
  config.role = SW_ROLE_ADVERTISER;
  config.advertises_name = 1;
  config.info = info;
  config.info_count = 2;
  sw_session *bob = start_with("bob", folder, &config);
  config = announcing_config(probes);
  config.role = SW_ROLE_BROWSER;
  sw_session *alice = start_with("alice", folder, &config);
  sw_event *found = await_event(alice, SW_EVENT_CANDIDATE_FOUND);
  CHECK(strcmp(found->name, "bob") == 0 && found->recognition == SW_RECOGNITION_UNTRACKED);
  sw_candidate_list *list = NULL;
  CHECK(sw_session_candidates(alice, &list) == SW_OK && sw_candidate_list_count(list) == 1);
  const sw_candidate *candidate = sw_candidate_list_get(list, 0);
  CHECK(strcmp(candidate->id, found->text) == 0 && strcmp(candidate->name, "bob") == 0);
  CHECK(candidate->ways == SW_WAY_ANNOUNCEMENT && candidate->standing == SW_STANDING_OPEN);
  CHECK(candidate->asks_for_passcode == 0 && candidate->seen_before_name == NULL);
  static const sw_peer_id nobody;
  CHECK(!is_same_peer(&candidate->announced_key, &nobody) && is_same_peer(&candidate->peer, &nobody));
  CHECK(sw_candidate_list_get(list, 1) == NULL && sw_candidate_list_count(NULL) == 0);

  uint64_t operation;
  CHECK(sw_session_resolve(alice, candidate->id, 1000, &operation) == SW_OK);
  sw_event *resolved = await_done(alice, operation, SW_OK);
  /* His announcement may have come by another interface first. */
  char port[64];
  snprintf(port, sizeof port, ":%u", sw_session_port(bob));
  CHECK(strstr(resolved->text, port) != NULL);
  sw_event_destroy(resolved);
  CHECK(sw_session_resolve(alice, "nobody", 1000, &operation) == SW_OK);
  expect_done(alice, operation, SW_UNKNOWN_PEER);
  CHECK(sw_session_resolve(alice, NULL, 0, NULL) == SW_INVALID_ARGUMENT);

  const sw_pair other[] = {{"room", "porch"}};
  CHECK(sw_session_set_discovery_info(bob, other, 1) == SW_OK && sw_session_set_discovery_info(bob, NULL, 0) == SW_OK);
  const sw_pair reserved[] = {{"=", "1"}};
  CHECK(sw_session_set_discovery_info(bob, reserved, 1) == SW_INVALID_ARGUMENT);

  sw_invitation invitation = {.size = sizeof invitation, .candidate = candidate->id};
  CHECK(sw_session_keep_inviting(alice, &invitation) == SW_OK);
  sw_event *joined = await_event(alice, SW_EVENT_PEER_JOINED);
  CHECK(is_same_peer(&joined->peer, &candidate->announced_key));
  sw_event_destroy(joined);
  sw_candidate_list_destroy(list);
  sw_event_destroy(found);
  /* The one that shows itself alone has seen nobody. */
  CHECK(sw_session_candidates(bob, &list) == SW_OK && sw_candidate_list_count(list) == 0);
  sw_candidate_list_destroy(list);
  sw_session_stop(alice);
  sw_session_stop(bob);
}

/* All that are found are invited, without a word of the program. */
static void policy(const char *folder) {
  const char *probes[] = {"127.0.0.1"};
  sw_session_config config = announcing_config(NULL);
  config.role = SW_ROLE_ADVERTISER;
  sw_session *bob = start_with("bob", folder, &config);
  config = announcing_config(probes);
  config.invite_policy = SW_INVITE_ALL;
  config.hides_device = 1;
  sw_session *alice = start_with("alice", folder, &config);
  sw_event_destroy(await_event(alice, SW_EVENT_PEER_JOINED));
  sw_session_stop(alice);
  sw_session_stop(bob);
}

/* A known peer is invited by its key, at the address at which it was before, and recognised. */
static void known(const char *folder) {
  char peers[4096];
  snprintf(peers, sizeof peers, "%s/known", folder);
  sw_session_config config = quiet_config();
  sw_session *bob = start_with("bob", folder, &config);
  config.trust = SW_TRUST_FIRST_USE;
  config.known_peers = peers;
  sw_session *alice = start_with("alice", folder, &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  sw_session_stop(alice);
  sw_event_destroy(await_event(bob, SW_EVENT_PEER_LEFT));
  alice = start_with("alice", folder, &config);
  sw_invitation invitation = {.size = sizeof invitation, .known = &bob_id};
  uint64_t operation;
  CHECK(sw_session_invite(alice, &invitation, &operation) == SW_OK);
  sw_event *accepted = await_done(alice, operation, SW_OK);
  CHECK(is_same_peer(&accepted->peer, &bob_id));
  sw_event_destroy(accepted);
  sw_session_stop(alice);
  sw_session_stop(bob);
}

static void diagnosis(const char *folder) {
  sw_diagnosis *found = NULL;
  CHECK(sw_diagnose("no such service", &found) == SW_INVALID_ARGUMENT && found == NULL);
  CHECK(sw_diagnose(NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_diagnose("swctest", &found) == SW_OK && sw_diagnosis_count(found) >= 3);
  const sw_finding *first = sw_diagnosis_get(found, 0);
  CHECK(strcmp(first->subject, "interfaces") == 0 && first->text[0] != '\0' && first->weight <= SW_FINDING_BAD);
  CHECK(sw_diagnosis_get(found, 99) == NULL && sw_diagnosis_count(NULL) == 0 && sw_diagnosis_can_find_peers(NULL) == 0);
  int can_find = sw_diagnosis_can_find_peers(found);
  sw_session_config config = quiet_config();
  sw_session *alice = start_with("alice", folder, &config);
  uint64_t operation;
  CHECK(sw_session_diagnose(alice, &operation) == SW_OK);
  sw_event *done = await_done(alice, operation, SW_OK);
  CHECK((int)done->flags == can_find && done->text != NULL);
  sw_event_destroy(done);
  sw_session_stop(alice);
  sw_diagnosis_destroy(found);
  CHECK(sw_diagnosis_count(found) == 0);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  refusals(arguments[1]);
  candidates(arguments[1]);
  policy(arguments[1]);
  known(arguments[1]);
  diagnosis(arguments[1]);
  puts("ok");
  return 0;
}
