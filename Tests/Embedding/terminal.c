/*
 * A program whose loop sleeps in poll(2): it reads commands from the terminal and events of the session.
 *
 * usage: terminal FOLDER, a folder for the identity; then lines: place NAME X Y Z, or say TEXT
 */
#include "example.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Prints what happens; 0 after the end of the session. */
static int show_events(sw_session *session) {
  sw_event *event;
  sw_status status;
  while ((status = sw_session_next_event(session, &event)) == SW_OK && event != NULL) {
    const float *place = event->anchor.transform + 12;
    if (event->type == SW_EVENT_PEER_JOINED) printf("%s is here\n", event->name);
    if (event->type == SW_EVENT_PEER_LEFT) printf("%s has left: %s\n", event->name, event->text);
    if (event->type == SW_EVENT_ANCHOR_ADDED) {
      printf("%s at %.1f %.1f %.1f\n", event->anchor.name, place[0], place[1], place[2]);
    }
    if (event->type == SW_EVENT_MESSAGE) printf("> %.*s\n", (int)event->data_size, (const char *)event->data);
    sw_event_destroy(event);
  }
  fflush(stdout);
  return status == SW_OK;
}

/* Does what a line says; nothing here waits for the network. */
static void obey(sw_session *session, const char *line) {
  float at[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  char name[64];
  sw_status status = SW_INVALID_ARGUMENT;
  if (sscanf(line, "place %63s %f %f %f", name, &at[12], &at[13], &at[14]) == 4) {
    status = sw_session_place(session, name, at, NULL);
  } else if (strncmp(line, "say ", 4) == 0) {
    status = sw_session_send(session, (const uint8_t *)line + 4, strlen(line + 4), NULL, NULL);
  } else {
    printf("place NAME X Y Z, or say TEXT\n");
    return;
  }
  if (status != SW_OK) printf("%s\n", sw_last_error_message());
}

/* Takes what was typed, and obeys each line that is whole; 0 at the end of the input. */
static int read_lines(sw_session *session) {
  static char typed[1024];
  static size_t length = 0;
  const ssize_t count = read(STDIN_FILENO, typed + length, sizeof typed - length - 1);
  if (count <= 0) return 0;
  length += (size_t)count;
  typed[length] = '\0';
  char *line = typed, *end;
  while ((end = strchr(line, '\n')) != NULL) {
    *end = '\0';
    obey(session, line);
    line = end + 1;
  }
  length = strlen(line);
  memmove(typed, line, length);
  return length < sizeof typed - 1; /* a line that does not fit ends the program */
}

int main(int count, char **words) {
  if (count != 2) return 2;
  sw_session *session = start_session("terminal", words[1]);
  struct pollfd both[] = {{STDIN_FILENO, POLLIN, 0}, {sw_session_events_fd(session), POLLIN, 0}};
  while (poll(both, 2, -1) > 0) {
    if (both[1].revents != 0 && !show_events(session)) break;
    if (both[0].revents != 0 && !read_lines(session)) break;
  }
  sw_session_stop(session);
  return 0;
}
