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

void use_one_processor(int is_on) {
  static cpu_set_t all;
  if (!is_on) return allow(&all);
  cpu_set_t one;
  CPU_ZERO(&one);
  sched_getaffinity(0, sizeof all, &all);
  for (int number = 0; number < CPU_SETSIZE && CPU_COUNT(&one) == 0; number++) {
    if (CPU_ISSET(number, &all)) CPU_SET(number, &one);
  }
  allow(&one);
}

// The processors of this thread before it was kept on one.
static _Thread_local cpu_set_t own;

void use_processor(int number) {
  if (sched_getaffinity(0, sizeof own, &own) != 0) return;
  int left = number % CPU_COUNT(&own);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int processor = 0; processor < CPU_SETSIZE && CPU_COUNT(&one) == 0; processor++) {
    if (CPU_ISSET(processor, &own) && left-- == 0) CPU_SET(processor, &one);
  }
  sched_setaffinity(0, sizeof one, &one);
}

void use_own_processors(void) { sched_setaffinity(0, sizeof own, &own); }
