/*
 * Two sessions in one process, through the C interface alone: a file and bytes are offered, accepted, declined and cancelled on
 * both sides, and attached to the session. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: resources FOLDER, a folder for identities and files
 */
#include <sys/stat.h>
#include <unistd.h>

#include "pair.h"

enum { SIZE = 3000000 };

static uint8_t content[SIZE];

/* The id of an offer that begins. */
static sw_digest offered(sw_session *session, uint64_t operation) {
  sw_event *done = await_done(session, operation, SW_OK);
  sw_digest id = done->digest;
  sw_event_destroy(done);
  return id;
}

static sw_event *await_resource(sw_session *session, uint32_t type, const sw_digest *id) {
  sw_event *event = await_event(session, type);
  CHECK(memcmp(&event->digest, id, sizeof *id) == 0);
  return event;
}

/* Waits for how an offer of `size` bytes has ended for its receiver; a NULL `why` says that it has all of it. */
static void expect_settled(sw_session *session, const sw_digest *id, const sw_peer_id *receiver, uint64_t size,
                           const char *why) {
  sw_event *event = await_resource(session, SW_EVENT_RESOURCE_SETTLED, id);
  CHECK(is_same_peer(&event->peer, receiver));
  CHECK(event->flags == 1 && event->total == size && (why == NULL ? event->done == size : event->done < size));
  CHECK(why == NULL ? event->text == NULL : event->text != NULL && strcmp(event->text, why) == 0);
  sw_event_destroy(event);
}

/* A file goes over, with progress on both sides; the receiver moves it away. */
static void file(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, const sw_peer_id *bob_id,
                 const char *folder) {
  char path[4096], moved[4096];
  snprintf(path, sizeof path, "%s/room.bin", folder);
  snprintf(moved, sizeof moved, "%s/moved.bin", folder);
  for (size_t index = 0; index < SIZE; index++) content[index] = (uint8_t)(index * index >> 7);
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(content, 1, SIZE, file) == SIZE && fclose(file) == 0);
  uint64_t operation;
  CHECK(sw_session_offer_file(alice, path, NULL, bob_id, 1, &operation) == SW_OK);
  sw_digest id = offered(alice, operation);
  sw_event *offer = await_resource(bob, SW_EVENT_RESOURCE_OFFERED, &id);
  CHECK(strcmp(offer->text, "room.bin") == 0 && offer->total == SIZE && is_same_peer(&offer->peer, alice_id));
  sw_event_destroy(offer);
  CHECK(sw_session_accept_resource(bob, &id, &operation) == SW_OK);
  sw_event *accepted = await_done(bob, operation, SW_OK);
  CHECK(memcmp(&accepted->digest, &id, sizeof id) == 0);
  sw_event_destroy(accepted);
  sw_event *progress = await_resource(bob, SW_EVENT_RESOURCE_PROGRESS, &id);
  CHECK(progress->flags == 0 && progress->total == SIZE && progress->done <= SIZE);
  sw_event_destroy(progress);
  sw_event *received = await_resource(bob, SW_EVENT_RESOURCE_RECEIVED, &id);
  CHECK(strcmp(received->peer_name, "alice") == 0);
  CHECK(strcmp(received->name, "room.bin") == 0 && strncmp(received->text, folder, strlen(folder)) == 0);
  CHECK(rename(received->text, moved) == 0);
  sw_event_destroy(received);
  progress = await_resource(alice, SW_EVENT_RESOURCE_PROGRESS, &id);
  CHECK(progress->flags == 1 && is_same_peer(&progress->peer, bob_id));
  sw_event_destroy(progress);
  expect_settled(alice, &id, bob_id, SIZE, NULL);
  static uint8_t read[SIZE + 1];
  file = fopen(moved, "rb");
  CHECK(file != NULL && fread(read, 1, sizeof read, file) == SIZE && memcmp(read, content, SIZE) == 0);
  fclose(file);
  CHECK(sw_session_accept_resource(bob, &id, NULL) == SW_UNKNOWN_RESOURCE);
}

/* A resource without bytes comes as an empty file. */
static void empty(sw_session *alice, sw_session *bob, const sw_peer_id *bob_id) {
  uint64_t operation;
  CHECK(sw_session_offer_bytes(alice, content, 0, "empty", bob_id, 1, &operation) == SW_OK);
  sw_digest id = offered(alice, operation);
  sw_event_destroy(await_resource(bob, SW_EVENT_RESOURCE_OFFERED, &id));
  CHECK(sw_session_accept_resource(bob, &id, &operation) == SW_OK);
  sw_event *received = await_resource(bob, SW_EVENT_RESOURCE_RECEIVED, &id);
  FILE *file = fopen(received->text, "rb");
  CHECK(file != NULL && fgetc(file) == EOF);
  fclose(file);
  sw_event_destroy(received);
  expect_settled(alice, &id, bob_id, 0, NULL);
}

/* Declined, taken back before an answer, and given up by the receiver while it fetches. */
static void endings(sw_session *alice, sw_session *bob, const sw_peer_id *bob_id) {
  uint64_t operation;
  CHECK(sw_session_offer_bytes(alice, content, 5, "small", bob_id, 1, &operation) == SW_OK);
  sw_digest id = offered(alice, operation);
  sw_event_destroy(await_resource(bob, SW_EVENT_RESOURCE_OFFERED, &id));
  CHECK(sw_session_decline_resource(bob, &id) == SW_OK);
  CHECK(sw_session_decline_resource(bob, &id) == SW_UNKNOWN_RESOURCE);
  expect_settled(alice, &id, bob_id, 5, "declined");

  CHECK(sw_session_offer_bytes(alice, content, 5, "small", bob_id, 1, &operation) == SW_OK);
  id = offered(alice, operation);
  sw_event_destroy(await_resource(bob, SW_EVENT_RESOURCE_OFFERED, &id));
  CHECK(sw_session_cancel_resource(alice, &id) == SW_OK);
  sw_event *failed = await_resource(bob, SW_EVENT_RESOURCE_FAILED, &id);
  CHECK(strcmp(failed->text, "withdrawn") == 0 && strcmp(failed->name, "small") == 0);
  sw_event_destroy(failed);
  expect_settled(alice, &id, bob_id, 5, "withdrawn");
  CHECK(sw_session_accept_resource(bob, &id, NULL) == SW_UNKNOWN_RESOURCE);

  CHECK(sw_session_offer_bytes(alice, content, SIZE, "large", bob_id, 1, &operation) == SW_OK);
  id = offered(alice, operation);
  sw_event_destroy(await_resource(bob, SW_EVENT_RESOURCE_OFFERED, &id));
  CHECK(sw_session_cancel_resource(bob, &id) == SW_OK);
  failed = await_resource(bob, SW_EVENT_RESOURCE_FAILED, &id);
  CHECK(strcmp(failed->text, "cancelled") == 0);
  sw_event_destroy(failed);
  expect_settled(alice, &id, bob_id, SIZE, "cancelled");
}

static void await_attachment(sw_session *session, const sw_digest *id, uint32_t state) {
  for (;;) {
    sw_event *event = await_resource(session, SW_EVENT_ATTACHMENT_CHANGED, id);
    int is_there = event->flags == state;
    CHECK(strcmp(event->name, "plan") == 0 && strcmp(event->peer_name, "alice") == 0 && event->total == SIZE);
    sw_event_destroy(event);
    if (is_there) return;
  }
}

/* What is attached comes by itself and is listed, until its author removes it. */
static void attachments(sw_session *alice, sw_session *bob, const sw_peer_id *alice_id, const char *folder) {
  uint64_t operation;
  CHECK(sw_session_attach_bytes(alice, content, SIZE, "plan", &operation) == SW_OK);
  sw_digest id = offered(alice, operation);
  await_attachment(alice, &id, SW_ATTACHMENT_HERE);
  await_attachment(bob, &id, SW_ATTACHMENT_HERE);
  sw_attachment_list *list = NULL;
  CHECK(sw_session_attachments(bob, &list) == SW_OK && sw_attachment_list_count(list) == 1);
  const sw_attachment *plan = sw_attachment_list_get(list, 0);
  CHECK(memcmp(&plan->id, &id, sizeof id) == 0 && is_same_peer(&plan->author, alice_id));
  CHECK(strcmp(plan->name, "plan") == 0 && plan->size == SIZE && plan->state == SW_ATTACHMENT_HERE);
  static uint8_t read[SIZE + 1];
  FILE *file = fopen(plan->path, "rb");
  CHECK(file != NULL && fread(read, 1, sizeof read, file) == SIZE && memcmp(read, content, SIZE) == 0);
  fclose(file);
  CHECK(sw_attachment_list_get(list, 1) == NULL);
  sw_attachment_list_destroy(list);
  CHECK(sw_session_fetch_attachment(bob, &id) == SW_OK);
  CHECK(sw_session_detach(alice, &id) == SW_OK);
  await_attachment(bob, &id, SW_ATTACHMENT_REMOVED);
  CHECK(sw_session_attachments(bob, &list) == SW_OK && sw_attachment_list_count(list) == 0);
  sw_attachment_list_destroy(list);
  CHECK(sw_session_detach(alice, &id) == SW_UNKNOWN_RESOURCE);
  CHECK(sw_session_fetch_attachment(bob, &id) == SW_UNKNOWN_RESOURCE);

  CHECK(sw_session_attach_file(bob, "/nowhere", NULL, &operation) == SW_OK);
  expect_done(bob, operation, SW_IO);
  CHECK(sw_session_attach_file(bob, folder, NULL, &operation) == SW_OK);
  expect_done(bob, operation, SW_INVALID_ARGUMENT);
  CHECK(sw_session_attach_file(bob, NULL, NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_attach_bytes(bob, content, 1, NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_attachments(bob, NULL) == SW_INVALID_ARGUMENT && sw_attachment_list_count(NULL) == 0);
}

static void refusals(sw_session *alice, const sw_peer_id *bob_id, const char *folder) {
  sw_peer_id stranger = {{1}};
  sw_digest nothing = {{1}};
  uint64_t operation;
  CHECK(sw_session_offer_file(alice, "/nowhere", NULL, bob_id, 1, &operation) == SW_OK);
  expect_done(alice, operation, SW_IO);
  CHECK(sw_session_offer_file(alice, folder, NULL, bob_id, 1, &operation) == SW_OK);
  expect_done(alice, operation, SW_INVALID_ARGUMENT);
  CHECK(sw_session_offer_bytes(alice, content, 1, "a\nb", bob_id, 1, &operation) == SW_OK);
  expect_done(alice, operation, SW_INVALID_ARGUMENT);
  CHECK(sw_session_offer_bytes(alice, content, 1, "x", &stranger, 1, &operation) == SW_OK);
  expect_done(alice, operation, SW_UNKNOWN_PEER);
  CHECK(sw_session_offer_bytes(alice, content, 1, NULL, bob_id, 1, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_offer_bytes(alice, NULL, 1, "x", bob_id, 1, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_offer_bytes(alice, content, 1, "x", NULL, 0, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_offer_file(alice, NULL, NULL, bob_id, 1, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_accept_resource(alice, &nothing, NULL) == SW_UNKNOWN_RESOURCE);
  CHECK(sw_session_accept_resource(alice, NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_decline_resource(alice, &nothing) == SW_UNKNOWN_RESOURCE);
  CHECK(sw_session_cancel_resource(alice, &nothing) == SW_OK && sw_session_cancel_resource(alice, NULL) != SW_OK);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  sw_session_config config = quiet_config();
  config.resource_folder = arguments[1];
  sw_session *alice = start_with("alice", arguments[1], &config), *bob = start_with("bob", arguments[1], &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  file(alice, bob, &alice_id, &bob_id, arguments[1]);
  empty(alice, bob, &bob_id);
  endings(alice, bob, &bob_id);
  attachments(alice, bob, &alice_id, arguments[1]);
  refusals(alice, &bob_id, arguments[1]);
  sw_session_stop(alice);
  sw_session_stop(bob);
  puts("ok");
  return 0;
}
