#pragma once
// What Swift's Glibc module leaves out of Linux: epoll(7), eventfd(2), rtnetlink(7), filters of sockets (socket(7)),
// what they hold (sock_diag(7)), the names of threads, and the names in DNS messages.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/filter.h>
#include <arpa/nameser.h>

// Names the calling thread for debuggers; the kernel keeps 15 bytes.
static inline void linux_name_thread(const char *name) {
  prctl(PR_SET_NAME, name);
}
