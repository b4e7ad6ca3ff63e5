/* What the test programs of whole sessions share: waiting for an event. */
#pragma once

#include <poll.h>
#include <time.h>

#include "check.h"

enum { PATIENCE_MS = 60000 };

static long long now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* Waits for an event of this type; the caller destroys it. */
static sw_event *await_event(sw_session *session, uint32_t type) {
  long long deadline = now_ms() + PATIENCE_MS;
  struct pollfd poller = {.fd = sw_session_events_fd(session), .events = POLLIN};
  for (;;) {
    sw_event *event = NULL;
    CHECK(sw_session_next_event(session, &event) == SW_OK);
    if (event == NULL) {
      long long rest = deadline - now_ms();
      CHECK(rest > 0 && poll(&poller, 1, (int)rest) == 1);
    } else if (event->type == type) {
      return event;
    } else {
      sw_event_destroy(event);
    }
  }
}
