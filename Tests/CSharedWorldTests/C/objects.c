/*
 * Two sessions in one process, through the C interface alone: messages in all modes and to groups, objects, requests and their
 * answers. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: objects FOLDER, a folder for identities
 */
#include "pair.h"

static void send_text(sw_session *session, const char *text, const sw_delivery *delivery) {
  CHECK(sw_session_send(session, (const uint8_t *)text, strlen(text), delivery, NULL) == SW_OK);
}

static void expect_message(sw_session *session, const char *text, const char *key) {
  sw_event *event = await_event(session, SW_EVENT_MESSAGE);
  CHECK(is_text(event, text));
  CHECK(key == NULL ? event->text == NULL : event->text != NULL && strcmp(event->text, key) == 0);
  sw_event_destroy(event);
}

static void modes(sw_session *alice, sw_session *bob, const sw_peer_id *bob_id) {
  sw_delivery delivery = {.size = sizeof delivery};
  send_text(alice, "plain", NULL);
  expect_message(bob, "plain", NULL);
  delivery.mode = SW_MODE_CRITICAL;
  delivery.peers = bob_id;
  delivery.peer_count = 1;
  send_text(alice, "urgent", &delivery);
  expect_message(bob, "urgent", NULL);
  delivery.mode = SW_MODE_UNRELIABLE;
  delivery.key = "pointer";
  send_text(alice, "here", &delivery);
  expect_message(bob, "here", "pointer");
  delivery.key = "with\ncontrols";
  CHECK(sw_session_send(alice, NULL, 0, &delivery, NULL) == SW_INVALID_ARGUMENT);
  delivery.key = NULL;
  uint8_t *large = calloc(1, 100 * 1024);
  CHECK(sw_session_send(alice, large, 17 * 1024, &delivery, NULL) == SW_LIMIT_EXCEEDED);
  delivery.mode = SW_MODE_RELIABLE;
  CHECK(sw_session_send(alice, large, 61 * 1024, &delivery, NULL) == SW_LIMIT_EXCEEDED);
  delivery.mode = 9;
  CHECK(sw_session_send(alice, large, 1, &delivery, NULL) == SW_INVALID_ARGUMENT);
  sw_peer_id stranger = {{1}};
  delivery.mode = SW_MODE_RELIABLE;
  delivery.peers = &stranger;
  CHECK(sw_session_send(alice, large, 1, &delivery, NULL) == SW_UNKNOWN_PEER);
  delivery.size = 0;
  CHECK(sw_session_send(alice, large, 1, &delivery, NULL) == SW_INVALID_ARGUMENT);
  free(large);
}

/* Sends until one is refused, and counts those that were taken. */
static void fill(sw_session *session, const uint8_t *bytes, size_t size, uint64_t *sent) {
  uint64_t number = 0;
  sw_status status;
  while ((status = sw_session_send(session, bytes, size, NULL, &number)) == SW_OK) {
    (*sent)++;
    CHECK(number != 0 && *sent < 10000);
  }
  CHECK(status == SW_WOULD_BLOCK);
}

/* Bob does not read: in the end nothing more is taken, and all that was taken arrives once he does. */
static void back_pressure(sw_session *alice, sw_session *bob) {
  static uint8_t bytes[60 * 1024];
  uint64_t sent = 0;
  sw_status status;
  fill(alice, bytes, sizeof bytes, &sent);
  CHECK(sent > 10);
  /* What was on its way then may have made room since. */
  fill(alice, bytes, sizeof bytes, &sent);
  for (uint64_t read = 0; read < sent; read++) {
    sw_event *event = await_event(bob, SW_EVENT_MESSAGE);
    CHECK(event->data_size == sizeof bytes);
    sw_event_destroy(event);
  }
  /* Without a timer: each event of room is followed by a message that fits, or by another event. */
  do {
    sw_event_destroy(await_event(alice, SW_EVENT_ROOM));
  } while ((status = sw_session_send(alice, bytes, sizeof bytes, NULL, NULL)) == SW_WOULD_BLOCK);
  CHECK(status == SW_OK);
  sw_event_destroy(await_event(bob, SW_EVENT_MESSAGE));
}

/* Waits until a session knows that a peer is in these groups; changes that were not read become one. */
static void await_groups(sw_session *session, const char *names) {
  for (int are_known = 0; !are_known;) {
    sw_event *event = await_event(session, SW_EVENT_GROUPS_CHANGED);
    are_known = strcmp(event->text, names) == 0;
    sw_event_destroy(event);
  }
}

static void groups(sw_session *alice, sw_session *bob, const sw_peer_id *bob_id) {
  CHECK(sw_session_join_group(bob, "red") == SW_OK && sw_session_join_group(bob, "blue") == SW_OK);
  await_groups(alice, "blue\nred");
  sw_group_list *list = NULL;
  CHECK(sw_session_groups(alice, &list) == SW_OK && sw_group_list_count(list) == 2);
  const sw_group *blue = sw_group_list_get(list, 0);
  CHECK(strcmp(blue->name, "blue") == 0 && blue->member_count == 1 && is_same_peer(&blue->members[0], bob_id));
  CHECK(sw_group_list_get(list, 2) == NULL && sw_group_list_count(NULL) == 0);
  sw_group_list_destroy(list);
  sw_delivery delivery = {.size = sizeof delivery, .group = "red"};
  send_text(alice, "to red", &delivery);
  expect_message(bob, "to red", NULL);
  CHECK(sw_session_leave_group(bob, "red") == SW_OK);
  await_groups(alice, "blue");
  send_text(alice, "to nobody", &delivery);
  delivery.group = "blue";
  send_text(alice, "to blue", &delivery);
  expect_message(bob, "to blue", NULL);
  delivery.peers = bob_id;
  CHECK(sw_session_send(alice, NULL, 0, &delivery, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_join_group(bob, "") == SW_INVALID_ARGUMENT && sw_session_join_group(bob, NULL) != SW_OK);
  for (int group = 1; group < 16; group++) {
    char name[16];
    snprintf(name, sizeof name, "g%d", group);
    CHECK(sw_session_join_group(bob, name) == SW_OK);
  }
  CHECK(sw_session_join_group(bob, "one too many") == SW_LIMIT_EXCEEDED);
}

/* An object with all that it can have. */
static sw_object stroke(const float *transform, const sw_pair *fields) {
  sw_object object = {.size = sizeof object};
  object.endpoint = "draw/red";
  object.type = "Stroke";
  object.bytes = (const uint8_t *)"{\"width\":2}";
  object.byte_count = 11;
  object.transform = transform;
  object.fields = fields;
  object.field_count = 2;
  return object;
}

static void objects(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id) {
  const float place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1};
  const sw_pair fields[] = {{"z", "last"}, {"author", "alice"}};
  sw_object object = stroke(place, fields);
  uint64_t subscription = 0, number = 0;
  /* Nobody reads it yet: it comes back. */
  CHECK(sw_session_send_object(alice, &object, NULL, &number) == SW_OK);
  sw_event *returned = await_event(alice, SW_EVENT_MESSAGE_RETURNED);
  CHECK(returned->sequence == number && strcmp(returned->text, "unhandled") == 0);
  sw_event_destroy(returned);

  CHECK(sw_session_read_objects(bob, "Stroke", "draw/*", &subscription) == SW_OK && subscription != 0);
  CHECK(sw_session_send_object(alice, &object, NULL, NULL) == SW_OK);
  sw_event *event = await_event(bob, SW_EVENT_OBJECT);
  CHECK(event->operation == subscription && is_same_peer(&event->peer, alice_id) && is_text(event, "{\"width\":2}"));
  CHECK(strcmp(event->endpoint, "draw/red") == 0 && strcmp(event->object_type, "Stroke") == 0);
  CHECK(strcmp(event->content_type, "application/json") == 0 && event->field_count == 2);
  CHECK(strcmp(event->fields[0].key, "author") == 0 && strcmp(event->fields[1].value, "last") == 0);
  CHECK(event->has_transform == 1 && event->anchor.transform[14] == 7);
  sw_event_destroy(event);
  /* More than one may wait, in order. */
  object.transform = NULL;
  object.field_count = 0;
  for (int count = 0; count < 20; count++) {
    char text[8];
    object.byte_count = (size_t)snprintf(text, sizeof text, "%d", count);
    object.bytes = (const uint8_t *)text;
    CHECK(sw_session_send_object(alice, &object, NULL, NULL) == SW_OK);
  }
  for (int count = 0; count < 20; count++) {
    char text[8];
    snprintf(text, sizeof text, "%d", count);
    event = await_event(bob, SW_EVENT_OBJECT);
    CHECK(is_text(event, text) && event->has_transform == 0 && event->field_count == 0 && event->fields == NULL);
    sw_event_destroy(event);
  }
  object.bytes = (const uint8_t *)"last";
  object.byte_count = 4;
  CHECK(sw_session_cancel(bob, subscription) == SW_OK);
  do {
    CHECK(sw_session_send_object(alice, &object, NULL, &number) == SW_OK);
    sw_event *any = NULL;
    while (sw_session_next_event(alice, &any) == SW_OK && any != NULL && any->type != SW_EVENT_MESSAGE_RETURNED) {
      sw_event_destroy(any);
    }
    returned = any;
  } while (returned == NULL);
  sw_event_destroy(returned);

  object.type = NULL;
  CHECK(sw_session_send_object(alice, &object, NULL, NULL) == SW_INVALID_ARGUMENT);
  object.type = "";
  CHECK(sw_session_send_object(alice, &object, NULL, NULL) == SW_INVALID_ARGUMENT);
  object = stroke(NULL, fields);
  object.fields = (const sw_pair[]){{"same", "1"}, {"same", "2"}};
  CHECK(sw_session_send_object(alice, &object, NULL, NULL) == SW_INVALID_ARGUMENT);
  object.size = 0;
  CHECK(sw_session_send_object(alice, &object, NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_read_objects(bob, NULL, NULL, &subscription) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_read_objects(bob, "Stroke", NULL, NULL) == SW_INVALID_ARGUMENT);
}

/* Waits for a request other than those that are too slow, which may come until they are withdrawn. */
static sw_event *await_question(sw_session *session) {
  for (;;) {
    sw_event *event = await_event(session, SW_EVENT_REQUEST);
    if (strcmp(event->object_type, "Slow") != 0) return event;
    sw_event_destroy(event);
  }
}

static sw_object question_of(const char *text) {
  sw_object object = {.size = sizeof object, .endpoint = "quiz/1", .type = "Question"};
  object.bytes = (const uint8_t *)text;
  object.byte_count = strlen(text);
  return object;
}

static void requests(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, const sw_peer_id *bob_id) {
  sw_object question = question_of("\"why\""), answer = {.size = sizeof answer, .type = "Answer"};
  answer.bytes = (const uint8_t *)"42";
  answer.byte_count = 2;
  uint64_t operation = 0, serving = 0;
  CHECK(sw_session_request(alice, bob_id, &question, 0, &operation) == SW_OK);
  expect_done(alice, operation, SW_UNHANDLED);
  CHECK(sw_session_serve_requests(bob, "Question", "quiz/**", &serving) == SW_OK);

  CHECK(sw_session_request(alice, bob_id, &question, 0, &operation) == SW_OK);
  sw_event *asked = await_question(bob);
  CHECK(is_same_peer(&asked->peer, alice_id) && is_text(asked, "\"why\"") && strcmp(asked->endpoint, "quiz/1") == 0);
  CHECK(sw_session_respond(bob, asked->operation, NULL) == SW_INVALID_ARGUMENT);
  answer.type = "";
  CHECK(sw_session_respond(bob, asked->operation, &answer) == SW_INVALID_ARGUMENT);
  answer.type = "Answer";
  CHECK(sw_session_respond(bob, asked->operation, &answer) == SW_OK);
  CHECK(sw_session_respond(bob, asked->operation, &answer) == SW_INVALID_ARGUMENT);
  sw_event_destroy(asked);
  sw_event *done = await_done(alice, operation, SW_OK);
  CHECK(is_text(done, "42") && strcmp(done->object_type, "Answer") == 0 && is_same_peer(&done->peer, bob_id));
  CHECK(strcmp(done->endpoint, "quiz/1") == 0);
  sw_event_destroy(done);

  CHECK(sw_session_request(alice, bob_id, &question, 0, &operation) == SW_OK);
  asked = await_question(bob);
  CHECK(sw_session_refuse(bob, asked->operation, "", NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_refuse(bob, asked->operation, "too-hard", "ask another") == SW_OK);
  sw_event_destroy(asked);
  done = await_done(alice, operation, SW_REQUEST_FAILED);
  CHECK(strcmp(done->name, "too-hard") == 0 && strcmp(done->text, "ask another") == 0);
  sw_event_destroy(done);

  /* Given up by the one that asks, and by time. */
  CHECK(sw_session_request(alice, bob_id, &question, 0, &operation) == SW_OK);
  asked = await_question(bob);
  CHECK(sw_session_cancel(alice, operation) == SW_OK);
  expect_done(alice, operation, SW_CANCELLED);
  sw_event *withdrawn = await_event(bob, SW_EVENT_REQUEST_WITHDRAWN);
  CHECK(withdrawn->operation == asked->operation);
  CHECK(sw_session_respond(bob, asked->operation, &answer) == SW_INVALID_ARGUMENT);
  sw_event_destroy(withdrawn);
  sw_event_destroy(asked);
  /* What has not been read of it goes with the subscription. */
  uint64_t slow = 0;
  CHECK(sw_session_serve_requests(bob, "Slow", NULL, &slow) == SW_OK);
  question.type = "Slow";
  CHECK(sw_session_request(alice, bob_id, &question, 1, &operation) == SW_OK);
  question.type = "Question";
  expect_done(alice, operation, SW_REQUEST_TIMED_OUT);
  CHECK(sw_session_cancel(bob, slow) == SW_OK);

  /* More at a time than are answered side by side; the answers come in another order. */
  enum { MANY = 24, SIDE_BY_SIDE = 16 };
  uint64_t operations[MANY], asked_numbers[MANY];
  for (int count = 0; count < MANY; count++) {
    CHECK(sw_session_request(alice, bob_id, &question, PATIENCE_MS, &operations[count]) == SW_OK);
  }
  for (int count = 0; count < SIDE_BY_SIDE; count++) {
    asked = await_question(bob);
    asked_numbers[count] = asked->operation;
    sw_event_destroy(asked);
  }
  for (int count = SIDE_BY_SIDE - 1; count >= 0; count--) {
    CHECK(sw_session_respond(bob, asked_numbers[count], &answer) == SW_OK);
  }
  for (int count = SIDE_BY_SIDE; count < MANY; count++) {
    asked = await_question(bob);
    CHECK(sw_session_respond(bob, asked->operation, &answer) == SW_OK);
    sw_event_destroy(asked);
  }
  for (int count = 0; count < MANY; count++) {
    sw_event *next = await_event(alice, SW_EVENT_DONE);
    CHECK(next->status == SW_OK && is_text(next, "42"));
    sw_event_destroy(next);
  }
  sw_peer_id stranger = {{1}};
  CHECK(sw_session_request(alice, &stranger, &question, 0, &operation) == SW_OK);
  expect_done(alice, operation, SW_UNKNOWN_PEER);
  CHECK(sw_session_request(alice, NULL, &question, 0, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_request(alice, bob_id, NULL, 0, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_request(alice, bob_id, &question, 3600001, NULL) == SW_INVALID_ARGUMENT);
  /* One that waits for an answer when the program stops serving fails. */
  CHECK(sw_session_request(alice, bob_id, &question, 0, &operation) == SW_OK);
  asked = await_question(bob);
  CHECK(sw_session_cancel(bob, serving) == SW_OK);
  expect_done(alice, operation, SW_UNHANDLED);
  sw_event_destroy(asked);
}

/* No more than 256 operations are open or have results that were not read. */
static void limit(sw_session *alice) {
  sw_invitation invitation = {.size = sizeof invitation, .candidate = "nobody"};
  int begun = 0;
  while (sw_session_invite(alice, &invitation, NULL) == SW_OK) CHECK(++begun < 1000);
  CHECK(begun == 256 && sw_session_invite(alice, &invitation, NULL) == SW_LIMIT_EXCEEDED);
  for (int read = 0; read < begun; read++) sw_event_destroy(await_event(alice, SW_EVENT_DONE));
  CHECK(sw_session_invite(alice, &invitation, NULL) == SW_OK);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  sw_session *alice = start_with("alice", arguments[1], &config), *bob = start_with("bob", arguments[1], &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  modes(alice, bob, &bob_id);
  back_pressure(alice, bob);
  groups(alice, bob, &bob_id);
  objects(alice, bob, &alice_id);
  requests(alice, bob, &alice_id, &bob_id);
  limit(alice);
  sw_session_stop(alice);
  sw_session_stop(bob);
  puts("ok");
  return 0;
}
