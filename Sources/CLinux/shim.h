#pragma once
// What Swift's Glibc module leaves out of Linux: epoll(7), eventfd(2), rtnetlink(7), filters of sockets (socket(7)),
// what they hold (sock_diag(7)), the names and shares of threads, and the names in DNS messages.
#include <sched.h>
#include <stdint.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/filter.h>
#include <arpa/nameser.h>

// Names the calling thread for debuggers; the kernel keeps 15 bytes.
static inline void linux_name_thread(const char *name) {
  prctl(PR_SET_NAME, name);
}

// Lets the calling thread give way to others: it gets a tenth of their time where all want it, in slices of 0.1 ms, behind which
// those that wake have their turn (sched_setattr(2); kernels before 6.12 ignore the slice).
static inline void linux_give_way(void) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice, deadline, period;
  } attributes = {.size = sizeof attributes, .policy = SCHED_OTHER, .nice = 10, .slice = 100000};
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}
