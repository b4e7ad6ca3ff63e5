/* What the test programs of whole sessions share: waiting for an event. */
#pragma once

#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"

enum { PATIENCE_MS = 60000 };

static long long now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/*
 * Events that came before the end of an operation that was waited for. The two have no order between them: what an operation has
 * begun may be told of before its own SW_EVENT_DONE is.
 */
struct kept_event {
  sw_session *session;
  sw_event *event;
  struct kept_event *next;
};

static struct kept_event *kept_events;

static void keep_event(sw_session *session, sw_event *event) {
  struct kept_event **last = &kept_events;
  while (*last != NULL) last = &(*last)->next;
  *last = malloc(sizeof **last);
  CHECK(*last != NULL);
  **last = (struct kept_event){session, event, NULL};
}

/* The first event of a session that was kept, or NULL. */
static sw_event *kept_event(sw_session *session) {
  struct kept_event **place = &kept_events;
  while (*place != NULL && (*place)->session != session) place = &(*place)->next;
  if (*place == NULL) return NULL;
  struct kept_event *found = *place;
  sw_event *event = found->event;
  *place = found->next;
  free(found);
  return event;
}

/* The next event of a session that was not kept. */
static sw_event *fresh_event(sw_session *session, long long deadline) {
  struct pollfd poller = {.fd = sw_session_events_fd(session), .events = POLLIN};
  for (;;) {
    sw_event *event = NULL;
    CHECK(sw_session_next_event(session, &event) == SW_OK);
    if (event != NULL) return event;
    long long rest = deadline - now_ms();
    CHECK(rest > 0 && poll(&poller, 1, (int)rest) == 1);
  }
}

/* Waits for an event of this type, which the caller destroys; those before it are lost, but not to a wait for SW_EVENT_DONE. */
static sw_event *await_event(sw_session *session, uint32_t type) {
  long long deadline = now_ms() + PATIENCE_MS;
  for (;;) {
    sw_event *event = type == SW_EVENT_DONE ? NULL : kept_event(session);
    if (event == NULL) event = fresh_event(session, deadline);
    if (event->type == type) return event;
    if (type == SW_EVENT_DONE) {
      keep_event(session, event);
    } else {
      sw_event_destroy(event);
    }
  }
}
