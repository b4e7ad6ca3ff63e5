#define _GNU_SOURCE
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static clockid_t helper_clock;
static int has_helper;
static long start, start_cpu;

static long read_clock(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static long cpu(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID) + (has_helper ? read_clock(helper_clock) : 0); }

long peer_now(void) { return read_clock(CLOCK_MONOTONIC); }

void peer_fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

peer_load peer_read_load(int argc, char **argv) {
  if (argc != 5) peer_fail(argv[0], "usage: fanout RECEIVERS COUNT STRIDE SIZE");
  peer_load load = {atoi(argv[1]), atol(argv[2]), atol(argv[3]), (size_t)atol(argv[4])};
  if (load.receivers < 1 || load.stride < 1 || load.size < 8 || load.count < load.stride || load.count % load.stride)
    peer_fail(argv[0], "the count must be a multiple of the stride, and a message has 8 bytes at least");
  return load;
}

void peer_begin(int helper) {
  has_helper = helper != 0 && clock_getcpuclockid(helper, &helper_clock) == 0;
  start_cpu = cpu();
  start = peer_now();
}

void peer_report(const peer_load *load) {
  double seconds = (double)(peer_now() - start) / 1e9, on_processors = (double)(cpu() - start_cpu) / 1e9;
  printf("%ld %.9f %.9f\n", load->count * load->receivers, seconds, on_processors);
}

static int compare(const void *left, const void *right) {
  long a = *(const long *)left, b = *(const long *)right;
  return (a > b) - (a < b);
}

void peer_report_times(long *times, long count) {
  qsort(times, (size_t)count, sizeof *times, compare);
  printf("%.3f %.3f\n", (double)times[count / 2] / 1e3, (double)times[count * 99 / 100] / 1e3);
}
