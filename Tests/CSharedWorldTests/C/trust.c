/*
 * New passcodes, passcodes in files and files of known peers, through the C interface alone. Prints "ok" and returns 0, or says what
 * went wrong.
 *
 * usage: trust FOLDER, an empty folder
 */
#include <stddef.h>
#include <sys/stat.h>

#include "pair.h"

#define OTHER "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static char path_buffers[4][4096];

static const char *path(int number, const char *folder, const char *name) {
  CHECK(snprintf(path_buffers[number], sizeof path_buffers[number], "%s/%s", folder, name) < (int)sizeof path_buffers[0]);
  return path_buffers[number];
}

static void write_file(const char *file, const char *text, mode_t mode) {
  FILE *stream = fopen(file, "w");
  CHECK(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0 && chmod(file, mode) == 0);
}

static void generate(void) {
  char first[SW_PASSCODE_SIZE + 1] = "untouched.", second[SW_PASSCODE_SIZE];
  CHECK(sw_passcode_generate(first, SW_PASSCODE_SIZE - 1) == SW_INVALID_ARGUMENT && strcmp(first, "untouched.") == 0);
  CHECK(sw_passcode_generate(NULL, SW_PASSCODE_SIZE) == SW_INVALID_ARGUMENT);
  CHECK(sw_passcode_generate(first, SW_PASSCODE_SIZE) == SW_OK && sw_passcode_generate(second, sizeof second) == SW_OK);
  CHECK(strlen(first) == SW_PASSCODE_SIZE - 1 && first[4] == '-' && strcmp(first, second) != 0);
  /* Each of the other characters is one of 32. */
  CHECK(strspn(first, "0123456789ABCDEFGHJKMNPQRSTVWXYZ-") == strlen(first) && SW_PASSCODE_BITS == 5 * (strlen(first) - 1));
}

static sw_status try_start(sw_session_config *config, const char *folder) {
  sw_identity *identity = NULL;
  sw_session *session = NULL;
  CHECK(sw_identity_load_or_create("carol", folder, &identity) == SW_OK);
  sw_status status = sw_session_start(identity, config, &session);
  sw_identity_destroy(identity);
  sw_session_stop(session);
  return status;
}

static size_t count_known(const char *file) {
  sw_known_peer_list *peers = NULL;
  CHECK(sw_known_peers_list(file, &peers) == SW_OK);
  size_t count = sw_known_peer_list_count(peers);
  CHECK(sw_known_peer_list_get(peers, count) == NULL);
  sw_known_peer_list_destroy(peers);
  return count;
}

/* Alice has the passcode in a file, Bob as text, and Alice records Bob. */
static int meet(const char *folder) {
  sw_session_config config = quiet_config();
  char passcode[SW_PASSCODE_SIZE];
  if (sw_passcode_generate(passcode, sizeof passcode) != SW_OK) return 1;
  config.passcode = passcode;
  sw_session *bob = start_with("bob", folder, &config);
  char line[SW_PASSCODE_SIZE + 1];
  snprintf(line, sizeof line, "%s\n", passcode);
  const char *file = path(0, folder, "passcode"), *known = path(1, folder, "alice.peers");
  write_file(file, line, 0600);
  config = quiet_config();
  config.passcode_file = file;
  config.trust = SW_TRUST_FIRST_USE;
  config.known_peers = known;
  sw_session *alice = start_with("alice", folder, &config);
  sw_peer_id alice_id, bob_id;
  join_pair(bob, alice, &bob_id, &alice_id);
  sw_session_stop(bob);
  sw_session_stop(alice);

  sw_known_peer_list *peers = NULL;
  CHECK(sw_known_peers_list(known, &peers) == SW_OK && sw_known_peer_list_count(peers) == 1);
  const sw_known_peer *peer = sw_known_peer_list_get(peers, 0);
  CHECK(is_same_peer(&peer->id, &bob_id) && strcmp(peer->name, "bob") == 0 && strlen(peer->day) == 10);
  CHECK(sw_known_peers_remove(known, &alice_id) == SW_UNKNOWN_PEER && count_known(known) == 1);
  CHECK(sw_known_peers_remove(known, &peer->id) == SW_OK && count_known(known) == 0);
  CHECK(sw_known_peers_remove(known, &peer->id) == SW_UNKNOWN_PEER);
  CHECK(sw_known_peers_remove(known, NULL) == SW_INVALID_ARGUMENT);
  sw_known_peer_list_destroy(peers);
  return 0;
}

static void refuse_passcodes(const char *folder) {
  sw_session_config config = quiet_config();
  config.passcode_file = path(0, folder, "open");
  write_file(config.passcode_file, "correct horse\n", 0644);
  CHECK(try_start(&config, folder) == SW_INSECURE_IDENTITY);
  write_file(config.passcode_file, "short\n", 0600);
  CHECK(try_start(&config, folder) == SW_INVALID_ARGUMENT);
  write_file(config.passcode_file, "correct horse\n", 0600);
  CHECK(try_start(&config, folder) == SW_OK);
  config.passcode = "correct horse";
  CHECK(try_start(&config, folder) == SW_INVALID_ARGUMENT);
  config.passcode = NULL;
  config.passcode_file = path(1, folder, "missing");
  CHECK(try_start(&config, folder) == SW_IO);
  /* A program that was compiled before there was this member does not say anything by it. */
  config.size = offsetof(sw_session_config, passcode_file);
  CHECK(try_start(&config, folder) == SW_OK);
}

static void list_files(const char *folder) {
  const char *file = path(0, folder, "peers");
  sw_known_peer_list *peers = NULL;
  CHECK(count_known(file) == 0); /* there is none */
  CHECK(sw_known_peers_list(file, NULL) == SW_INVALID_ARGUMENT);
  write_file(file, "no peer\n", 0600);
  CHECK(sw_known_peers_list(file, &peers) == SW_CORRUPT_DATA && strstr(sw_last_error_message(), "line 1") != NULL);
  write_file(file, "# a comment\n" OTHER " 2026-11-22 kitchen table\n", 0666);
  CHECK(sw_known_peers_list(file, &peers) == SW_INSECURE_FILE && peers == NULL);
  CHECK(sw_known_peer_list_count(NULL) == 0 && sw_known_peer_list_get(NULL, 0) == NULL);
  sw_known_peer_list_destroy(NULL);
  /* Without a path it is the file of the default directory. */
  CHECK(setenv("XDG_STATE_HOME", folder, 1) == 0 && mkdir(path(1, folder, "sharedworld"), 0700) == 0);
  CHECK(count_known(NULL) == 0);
  write_file(path(2, folder, "sharedworld/known-peers"), OTHER " 2026-11-22 kitchen table\n", 0600);
  CHECK(sw_known_peers_list(NULL, &peers) == SW_OK && sw_known_peer_list_count(peers) == 1);
  const sw_known_peer *peer = sw_known_peer_list_get(peers, 0);
  CHECK(peer->id.bytes[1] == 0x11 && strcmp(peer->day, "2026-11-22") == 0 && strcmp(peer->name, "kitchen table") == 0);
  CHECK(sw_known_peers_remove(NULL, &peer->id) == SW_OK && count_known(NULL) == 0);
  sw_known_peer_list_destroy(peers);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  generate();
  CHECK(meet(arguments[1]) == 0);
  refuse_passcodes(arguments[1]);
  list_files(arguments[1]);
  printf("ok\n");
  return 0;
}
