#pragma once
// What Swift's Glibc module leaves out of Linux: epoll(7), eventfd(2), socket options and the names of threads.
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// Names the calling thread for debuggers; the kernel keeps 15 bytes.
static inline void linux_name_thread(const char *name) {
  prctl(PR_SET_NAME, name);
}

// accept4(2) with both flags, which needs _GNU_SOURCE.
int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags);

static inline int linux_accept(int socket, struct sockaddr *address, socklen_t *size) {
  return accept4(socket, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
