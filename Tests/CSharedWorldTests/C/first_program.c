/* The first program of the documentation (CInterface.md): one person hosts a room, and another one joins it by its code. */
#include <sharedworld.h>
#include <stdio.h>

int main(int count, char **words) {
  sw_session *room;
  sw_event *event;
  const char *name = words[1], *code = count > 2 ? words[2] : NULL;
  if ((code ? sw_join("kitchen", code, name, words[3], &room) : sw_host("kitchen", name, &room)) != SW_OK)
    return fprintf(stderr, "%s\n", sw_last_error_message());
  printf("the code is %s\n", sw_session_code(room));
  sw_session_place(room, name, (float[16]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, -2, 1}, NULL);
  for (; sw_session_await_event(room, &event) == SW_OK; sw_event_destroy(event))
    if (event->type == SW_EVENT_ANCHOR_ADDED) printf("%s is in the kitchen\n", event->anchor.name);
  sw_session_stop(room);
}
