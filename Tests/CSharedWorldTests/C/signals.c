/*
 * An app with a handler of its own for a signal: while a session with discovery runs, no thread of the library takes a
 * signal that is sent to the process. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: signals FOLDER, a folder for the identity
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { SIGNALS = 200, PATIENCE_S = 20 };

static pid_t this_thread(void) { return (pid_t)syscall(SYS_gettid); }

static sem_t handled, ready;
static volatile sig_atomic_t handler_thread;
static pid_t app_thread;

static void handle(int signal) {
  (void)signal;
  handler_thread = this_thread();
  sem_post(&handled);
}

/* The one thread of the app that takes signals. */
static void *take_signals(void *unused) {
  (void)unused;
  app_thread = this_thread();
  sem_post(&ready);
  while (pause() == -1) continue;
  return NULL;
}

static void await(sem_t *semaphore) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += PATIENCE_S;
  int code;
  do code = sem_timedwait(semaphore, &deadline);
  while (code != 0 && errno == EINTR);
  CHECK(code == 0);
}

/* The value of a line of /proc/self/task/TID/status. */
static void read_status(const char *task, const char *key, char *value, size_t size) {
  char path[64], line[256];
  CHECK(snprintf(path, sizeof path, "/proc/self/task/%s/status", task) < (int)sizeof path);
  value[0] = 0;
  FILE *file = fopen(path, "r");
  if (file == NULL) return; /* The thread has ended. */
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, key, strlen(key)) != 0) continue;
    line[strcspn(line, "\n")] = 0;
    CHECK(snprintf(value, size, "%s", line + strlen(key) + 1) < (int)size);
  }
  fclose(file);
}

static unsigned long long bit(int signal) { return 1ULL << (signal - 1); }

/* Which signals a thread of the library blocks: all but those nobody can, the C library's two, and the thread's own faults. */
static unsigned long long library_mask(void) {
  unsigned long long open = bit(SIGKILL) | bit(SIGSTOP) | bit(32) | bit(33);
  open |= bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGSEGV) | bit(SIGSYS) | bit(SIGTRAP);
  return ~open;
}

/* Looks at every thread but the app's two. Those with a name of the library block what it blocks; the C library adds the
 * rest for a moment while a thread starts. Returns whether the event loop and the responder are there, and every thread of
 * Swift's concurrency pool has come so far that it blocks this signal too. */
static int are_threads_ready(int signal) {
  DIR *tasks = opendir("/proc/self/task");
  CHECK(tasks != NULL);
  int has_loop = 0, has_responder = 0, is_pool_early = 0;
  for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
    pid_t thread = (pid_t)atoi(entry->d_name);
    if (thread == 0 || thread == getpid() || thread == app_thread) continue;
    char name[64], mask[64];
    read_status(entry->d_name, "Name:", name, sizeof name);
    read_status(entry->d_name, "SigBlk:", mask, sizeof mask);
    if (mask[0] == 0) continue;
    unsigned long long blocked = strtoull(mask, NULL, 16);
    if (strncmp(name, "sharedworld", strlen("sharedworld")) != 0) {
      is_pool_early |= !(blocked & bit(signal));
      continue;
    }
    has_loop |= strcmp(name, "sharedworld") == 0;
    has_responder |= strcmp(name, "sharedworld-sd") == 0;
    if ((blocked & library_mask()) != library_mask()) {
      fprintf(stderr, "the thread %s blocks %016llx, not %016llx\n", name, blocked, library_mask());
      exit(1);
    }
  }
  closedir(tasks);
  return has_loop && has_responder && !is_pool_early;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  CHECK(sem_init(&handled, 0, 0) == 0 && sem_init(&ready, 0, 0) == 0);
  struct sigaction action = {.sa_handler = handle};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);

  /* A parent may have left a mask. Nothing is blocked now: what the library's threads block they do not have from here. */
  sigset_t all, none;
  CHECK(sigemptyset(&none) == 0 && pthread_sigmask(SIG_SETMASK, &none, NULL) == 0);
  sw_identity *identity = NULL;
  CHECK(sw_identity_load_or_create("alice", arguments[1], &identity) == SW_OK);
  sw_session_config config;
  CHECK(sw_session_config_init(&config, sizeof config) == SW_OK);
  config.discovery = SW_DISCOVERY_EMBEDDED;
  config.service = "swsignals";
  config.listen_host = "127.0.0.1";
  sw_session *session = NULL;
  CHECK(sw_session_start(identity, &config, &session) == SW_OK);
  sw_identity_destroy(identity);

  pthread_t taker;
  CHECK(pthread_create(&taker, NULL, take_signals, NULL) == 0);
  await(&ready);
  CHECK(sigfillset(&all) == 0 && pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
  time_t deadline = time(NULL) + PATIENCE_S;
  while (!are_threads_ready(SIGUSR1)) {
    CHECK(time(NULL) < deadline);
    sched_yield();
  }
  for (int index = 0; index < SIGNALS; index++) {
    CHECK(kill(getpid(), SIGUSR1) == 0);
    await(&handled);
    CHECK(handler_thread == app_thread);
  }
  sw_session_stop(session);
  puts("ok");
  return 0;
}
