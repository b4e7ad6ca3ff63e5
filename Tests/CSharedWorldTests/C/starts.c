/*
 * Sessions in one process, through the C interface alone: starts that do not wait, that fail and that are given up, and ends after
 * which nothing is left to wait for. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: starts FOLDER, a folder for identities
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptors.h"
#include "pair.h"

enum { STARTS = 100 };

static sw_identity *identity_of(const char *name, const char *folder) {
  sw_identity *identity = NULL;
  CHECK(sw_identity_load_or_create(name, folder, &identity) == SW_OK);
  return identity;
}

static void await_start(const sw_start *start) {
  struct pollfd poller = {.fd = sw_start_fd(start), .events = POLLIN};
  CHECK(poller.fd >= 0 && poll(&poller, 1, PATIENCE_MS) == 1);
}

/* Waits for the end of a start by its descriptor. */
static sw_status finish(sw_start *start, sw_session **session) {
  sw_status status = sw_start_finish(start, session);
  if (status != SW_WOULD_BLOCK) return status;
  CHECK(strstr(sw_last_error_message(), "descriptor") != NULL && *session == NULL);
  await_start(start);
  return sw_start_finish(start, session);
}

/* Nothing of the arguments is read after the call; the handle and its descriptor are gone with the session. */
static void starting(const char *folder) {
  sw_identity *identity = identity_of("alice", folder);
  sw_session_config config = quiet_config();
  char host[] = "127.0.0.1", service[] = "swctest";
  config.listen_host = host;
  config.service = service;
  /* What the first session of a process opens once, it keeps. */
  sw_session_stop(start_with("bob", folder, &config));
  int before = descriptors();
  sw_start *start = NULL;
  CHECK(sw_session_start_async(identity, &config, &start) == SW_OK && start != NULL);
  memset(host, 'x', sizeof host - 1);
  memset(service, '?', sizeof service - 1);
  memset(&config, 0xff, sizeof config);
  sw_identity_destroy(identity);
  await_start(start);
  CHECK(sw_start_finish(start, NULL) == SW_INVALID_ARGUMENT && sw_start_fd(start) >= 0);
  sw_session *alice = NULL;
  CHECK(sw_start_finish(start, &alice) == SW_OK && sw_session_port(alice) != 0);
  sw_session *again = NULL;
  CHECK(sw_start_fd(start) == -1 && sw_start_finish(start, &again) == SW_INVALID_ARGUMENT && again == NULL);
  sw_start_cancel(start);
  sw_session_config other = quiet_config();
  sw_session *bob = start_with("bob", folder, &other);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  sw_session_stop(alice);
  sw_session_stop(bob);
  expect_descriptors(before);
}

/* What a start refuses at once, and what it refuses in the end, in the words of the start that waits. */
static void refusals(const char *folder) {
  sw_identity *identity = identity_of("carol", folder);
  sw_session_config config = quiet_config();
  sw_start *start = NULL;
  sw_session *first = NULL, *second = NULL;
  CHECK(sw_session_start_async(NULL, &config, &start) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_start_async((sw_identity *)&config, &config, &start) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_start_async(identity, &config, NULL) == SW_INVALID_ARGUMENT);
  config.role = 3;
  CHECK(sw_session_start_async(identity, &config, &start) == SW_INVALID_ARGUMENT && start == NULL);
  CHECK(sw_start_fd(NULL) == -1 && sw_start_finish(NULL, &first) == SW_INVALID_ARGUMENT);
  sw_start_cancel(NULL);

  config.role = SW_ROLE_BOTH;
  CHECK(sw_session_start(identity, &config, &first) == SW_OK);
  config.listen_port = sw_session_port(first);
  CHECK(sw_session_start(identity, &config, &second) == SW_ADDRESS_IN_USE);
  char message[1024];
  snprintf(message, sizeof message, "%s", sw_last_error_message());
  CHECK(sw_session_start_async(identity, &config, &start) == SW_OK);
  CHECK(finish(start, &second) == SW_ADDRESS_IN_USE && second == NULL);
  CHECK(strcmp(sw_last_error_message(), message) == 0);
  CHECK(sw_start_fd(start) == -1 && sw_start_finish(start, &second) == SW_INVALID_ARGUMENT);
  sw_session_stop(first);

  /* A folder that others may write. */
  char storage[4096];
  CHECK(snprintf(storage, sizeof storage, "%s/open", folder) < (int)sizeof storage);
  CHECK(mkdir(storage, 0700) == 0 && chmod(storage, 0777) == 0);
  config.listen_port = 0;
  config.storage = storage;
  CHECK(sw_session_start_async(identity, &config, &start) == SW_OK);
  CHECK(finish(start, &second) == SW_INSECURE_IDENTITY && second == NULL);
  sw_identity_destroy(identity);
}

/* A start that is given up leaves nothing, whether the session runs by then or not. */
static void given_up(const char *folder) {
  sw_identity *identity = identity_of("dora", folder);
  sw_session_config config = quiet_config();
  int before = descriptors();
  for (int count = 0; count < STARTS; count++) {
    sw_start *start = NULL;
    CHECK(sw_session_start_async(identity, &config, &start) == SW_OK);
    if (count % 2 == 1) await_start(start);
    sw_start_cancel(start);
    CHECK(sw_start_fd(start) == -1);
    sw_session *session = NULL;
    CHECK(sw_start_finish(start, &session) == SW_INVALID_ARGUMENT && session == NULL);
  }
  expect_descriptors(before);
  sw_identity_destroy(identity);
}

/* The network is looked at without a session. */
static void diagnoses(void) {
  int before = descriptors();
  sw_diagnosing *diagnosing = NULL, *other = NULL;
  sw_diagnosis *found = NULL;
  CHECK(sw_diagnose_async("swctest", NULL) == SW_INVALID_ARGUMENT && sw_diagnosing_fd(NULL) == -1);
  CHECK(sw_diagnose_async("swctest", &diagnosing) == SW_OK && sw_diagnose_async("swctest", &other) == SW_OK);
  CHECK(sw_diagnosing_finish(diagnosing, &found) == SW_WOULD_BLOCK && found == NULL);
  CHECK(sw_start_fd((sw_start *)diagnosing) == -1);
  sw_diagnosing_cancel(other);
  CHECK(sw_diagnosing_fd(other) == -1);
  struct pollfd poller = {.fd = sw_diagnosing_fd(diagnosing), .events = POLLIN};
  CHECK(poll(&poller, 1, PATIENCE_MS) == 1);
  CHECK(sw_diagnosing_finish(diagnosing, &found) == SW_OK && sw_diagnosis_count(found) >= 3);
  CHECK(sw_diagnosing_finish(diagnosing, &found) == SW_INVALID_ARGUMENT);
  sw_diagnosis_destroy(found);
  CHECK(sw_diagnose_async("no such service", &diagnosing) == SW_OK);
  poller.fd = sw_diagnosing_fd(diagnosing);
  CHECK(poll(&poller, 1, PATIENCE_MS) == 1 && sw_diagnosing_finish(diagnosing, &found) == SW_INVALID_ARGUMENT);
  expect_descriptors(before);
}

/* A child process with a session of its own, which goes on until it is killed, at the latest with this one. */
static pid_t peer_process(const char *folder, uint16_t *port) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    sw_session_config config = quiet_config();
    sw_session *session = start_with("erin", folder, &config);
    uint16_t number = sw_session_port(session);
    CHECK(write(ends[1], &number, sizeof number) == sizeof number);
    for (;;) pause();
  }
  CHECK(read(ends[0], port, sizeof *port) == sizeof *port);
  close(ends[0]);
  close(ends[1]);
  return child;
}

/* The sockets of the internet that this process has open. */
static int sockets(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  CHECK(folder != NULL);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(atoi(entry->d_name), (struct sockaddr *)&address, &size) == 0 && address.ss_family == AF_INET) count++;
  }
  closedir(folder);
  return count;
}

/* A peer that takes no goodbye holds up the last event, and not the program that stops its session after it. */
static void ends(const char *folder, pid_t peer, uint16_t port) {
  sw_session_config config = quiet_config();
  sw_session *frank = start_with("frank", folder, &config);
  sw_invitation invitation = {.size = sizeof invitation, .host = "127.0.0.1", .port = port};
  uint64_t operation;
  CHECK(sw_session_invite(frank, &invitation, &operation) == SW_OK);
  expect_done(frank, operation, SW_OK);
  CHECK(sockets() > 1);
  CHECK(kill(peer, SIGSTOP) == 0 && waitpid(peer, NULL, WUNTRACED) == peer);
  CHECK(sw_session_leave(frank) == SW_OK);
  sw_event_destroy(await_event(frank, SW_EVENT_ENDED));
  CHECK(sockets() == 0);
  sw_session_stop(frank);
  CHECK(kill(peer, SIGKILL) == 0 && waitpid(peer, NULL, 0) == peer);
}

/* One that was removed has nothing open any more when it learns of its end. */
static void removed(const char *folder) {
  sw_session_config config = quiet_config();
  sw_session *grace = start_with("grace", folder, &config);
  config.can_host = 0;
  sw_session *hank = start_with("hank", folder, &config);
  sw_peer_id grace_id, hank_id, host;
  join_pair(grace, hank, &grace_id, &hank_id);
  do {
    CHECK(sw_session_host(grace, &host, NULL) == SW_OK);
  } while (!is_same_peer(&host, &grace_id));
  CHECK(sw_session_kick(grace, &hank_id) == SW_OK);
  sw_event_destroy(await_event(hank, SW_EVENT_ENDED));
  sw_session_stop(grace);
  CHECK(sockets() == 0);
  sw_session_stop(hank);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  /* Before this process has threads. */
  uint16_t port = 0;
  pid_t peer = peer_process(arguments[1], &port);
  removed(arguments[1]);
  ends(arguments[1], peer, port);
  starting(arguments[1]);
  refusals(arguments[1]);
  given_up(arguments[1]);
  diagnoses();
  puts("ok");
  return 0;
}
