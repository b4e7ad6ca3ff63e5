#pragma once
#include <stdint.h>

/// Blocks of memory this process has asked for.
uint64_t counted_allocations(void);

/// Calls of the kernel this process has made for sockets, epoll and eventfd.
uint64_t counted_calls(void);

/// Keeps every thread of this process on the first of its processors, or lets all use all of them again.
void use_one_processor(int is_on);

/// Keeps the calling thread on one of its processors: the first for 0, the next for 1, and again the first behind the last.
void use_processor(int number);

/// Lets the calling thread use again the processors that it had before ``use_processor``.
void use_own_processors(void);
