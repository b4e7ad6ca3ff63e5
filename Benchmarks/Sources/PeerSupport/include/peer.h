// What the programs that measure other libraries share: they send what `bench` sends, and print what it took.
#pragma once
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

/// What to send: to each of `receivers`, `count` messages of `size` bytes. After every `stride` of them everybody waits until all
/// have arrived, as our own run does.
typedef struct {
  int receivers;
  long count;
  long stride;
  size_t size;
} peer_load;

/// What one receiver has counted; it posts `arrived` after every stride.
typedef struct {
  long seen;
  const peer_load *load;
  sem_t *arrived;
} peer_counter;

/// Counts one message; called by one thread for each counter.
static inline void peer_count(peer_counter *counter) {
  if (++counter->seen % counter->load->stride == 0) sem_post(counter->arrived);
}

/// Reads `RECEIVERS COUNT STRIDE SIZE`; ends the program with advice when they are something else.
peer_load peer_read_load(int argc, char **argv);

/// Ends the program with a word on what failed.
_Noreturn void peer_fail(const char *what, const char *why);

/// Begins to measure; `helper` is another process whose work counts too, or 0.
void peer_begin(int helper);

/// Prints the deliveries, the seconds and the seconds on processors since ``peer_begin``.
void peer_report(const peer_load *load);

/// Nanoseconds of the monotonic clock.
long peer_now(void);

/// Prints the median and the 99th percentile (µs) of times in nanoseconds, which it sorts.
void peer_report_times(long *times, long count);
