/* What the test programs share that count the descriptors of their process. */
#pragma once

#include <dirent.h>
#include <sched.h>

#include "events.h"

/* The descriptors that this process has open. */
static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  CHECK(folder != NULL);
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

/* Waits until no more than these are open: a thread that has held some may still be on its way out. */
static void expect_descriptors(int most) {
  long long deadline = now_ms() + PATIENCE_MS;
  while (descriptors() > most) {
    CHECK(now_ms() < deadline);
    sched_yield();
  }
}
