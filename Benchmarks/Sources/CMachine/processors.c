#define _GNU_SOURCE
#include "machine.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>

static void allow(const cpu_set_t *processors) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return;
  for (struct dirent *entry; (entry = readdir(threads));) {
    int thread = atoi(entry->d_name);
    if (thread > 0) sched_setaffinity(thread, sizeof *processors, processors);
  }
  closedir(threads);
}

// One of these processors: the first for 0, the next for 1, and again the first behind the last.
static cpu_set_t one_of(const cpu_set_t *all, int number) {
  int left = number % CPU_COUNT(all);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int processor = 0; processor < CPU_SETSIZE && CPU_COUNT(&one) == 0; processor++) {
    if (CPU_ISSET(processor, all) && left-- == 0) CPU_SET(processor, &one);
  }
  return one;
}

void use_one_processor(int is_on) {
  static cpu_set_t all;
  if (!is_on) return allow(&all);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  cpu_set_t one = one_of(&all, 0);
  allow(&one);
}

// The processors of this thread before it was kept on one.
static _Thread_local cpu_set_t own;

void use_processor(int number) {
  if (sched_getaffinity(0, sizeof own, &own) != 0) return;
  cpu_set_t one = one_of(&own, number);
  sched_setaffinity(0, sizeof one, &one);
}

void use_own_processors(void) { sched_setaffinity(0, sizeof own, &own); }
