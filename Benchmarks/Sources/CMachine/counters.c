// Counts what the process asks of the heap and of the kernel. The functions stand in the executable, so the linker finds
// them before those of the C library; each does the same as the one it hides.
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Each thread counts in a cache line of its own, as long as there are few: one line for all would go back and forth between
// the processors, and to count would cost more than what is counted.
typedef enum { ALLOCATIONS, CALLS, COUNTERS } Counter;
enum { LINES = 256 };
static struct {
  _Alignas(64) _Atomic uint64_t counts[COUNTERS];
} lines[LINES];
static _Atomic unsigned threads;

static void count(Counter counter) {
  static _Thread_local _Atomic uint64_t *counts;
  if (!counts) counts = lines[atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % LINES].counts;
  atomic_fetch_add_explicit(&counts[counter], 1, memory_order_relaxed);
}

static uint64_t counted(Counter counter) {
  uint64_t sum = 0;
  for (int line = 0; line < LINES; line++) sum += atomic_load_explicit(&lines[line].counts[counter], memory_order_relaxed);
  return sum;
}

uint64_t counted_allocations(void) { return counted(ALLOCATIONS); }
uint64_t counted_calls(void) { return counted(CALLS); }

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  count(ALLOCATIONS);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(ALLOCATIONS);
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count(ALLOCATIONS);
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(ALLOCATIONS);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count(ALLOCATIONS);
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

ssize_t send(int file, const void *bytes, size_t size, int flags) {
  count(CALLS);
  return syscall(SYS_sendto, file, bytes, size, flags, NULL, 0);
}

ssize_t recv(int file, void *bytes, size_t size, int flags) {
  count(CALLS);
  return syscall(SYS_recvfrom, file, bytes, size, flags, NULL, NULL);
}

int epoll_wait(int file, struct epoll_event *events, int most, int timeout) {
  count(CALLS);
  return (int)syscall(SYS_epoll_wait, file, events, most, timeout);
}

int epoll_ctl(int file, int operation, int watched, struct epoll_event *event) {
  count(CALLS);
  return (int)syscall(SYS_epoll_ctl, file, operation, watched, event);
}

int eventfd_read(int file, eventfd_t *value) {
  count(CALLS);
  return syscall(SYS_read, file, value, sizeof *value) == sizeof *value ? 0 : -1;
}

int eventfd_write(int file, eventfd_t value) {
  count(CALLS);
  return syscall(SYS_write, file, &value, sizeof value) == sizeof value ? 0 : -1;
}
