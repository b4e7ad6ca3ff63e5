/*
 * Two sessions in one process, through the C interface alone: streams of bytes by their descriptors, how they end, and what is left
 * of them. Prints "ok" and returns 0, or says what went wrong.
 *
 * usage: streams FOLDER, a folder for identities
 */
#include "descriptors.h"
#include "pair.h"

enum { SIZE = 1000000, WINDOW = 262144, PLACES = 16 };

static uint8_t content[SIZE];

static sw_stream *take(sw_event *event) {
  sw_stream *stream = NULL;
  CHECK(event->stream != NULL && sw_event_take_stream(event, &stream) == SW_OK && stream != NULL);
  CHECK(event->stream == NULL && sw_event_take_stream(event, &stream) == SW_INVALID_ARGUMENT);
  sw_event_destroy(event);
  CHECK(sw_stream_fd(stream) >= 0);
  return stream;
}

/* Opens a stream, which the other side accepts. */
static void open_pair(sw_session *one, sw_session *other, const sw_peer_id *other_id, const char *name, sw_stream **near,
                      sw_stream **far) {
  uint64_t operation;
  CHECK(sw_session_open_stream(one, other_id, name, 0, &operation) == SW_OK);
  sw_event *opened = await_event(other, SW_EVENT_STREAM);
  CHECK(opened->status == SW_OK && strcmp(opened->name, name) == 0 && strlen(opened->peer_name) > 0);
  *far = take(opened);
  sw_event *done = await_done(one, operation, SW_OK);
  CHECK(is_same_peer(&done->peer, other_id) && strcmp(done->name, name) == 0);
  *near = take(done);
}

static int is_readable(const sw_stream *stream, int patience) {
  struct pollfd poller = {.fd = sw_stream_fd(stream), .events = POLLIN};
  return poll(&poller, 1, patience) == 1;
}

/* Reads, waiting by the descriptor, until something comes, and returns what. */
static sw_status read_some(sw_stream *stream, uint8_t *buffer, size_t size, size_t *count) {
  for (;;) {
    sw_status status = sw_stream_read(stream, buffer, size, count);
    if (status != SW_WOULD_BLOCK) return status;
    CHECK(is_readable(stream, PATIENCE_MS));
  }
}

/* Reads these bytes, and after them, with a NULL `text`, the end. */
static void expect_text(sw_stream *stream, const char *text) {
  uint8_t buffer[64];
  size_t wanted = text == NULL ? 0 : strlen(text), count;
  for (size_t have = 0; have < wanted; have += count) {
    CHECK(read_some(stream, buffer, wanted - have, &count) == SW_OK && count > 0);
    CHECK(memcmp(buffer, text + have, count) == 0);
  }
  if (text == NULL) CHECK(read_some(stream, buffer, sizeof buffer, &count) == SW_OK && count == 0);
}

static void write_text(sw_stream *stream, const char *text) {
  size_t written;
  CHECK(sw_stream_write(stream, (const uint8_t *)text, strlen(text), &written) == SW_OK && written == strlen(text));
}

/* Ends a direction, and waits until the end has left. */
static void finish(sw_stream *stream) {
  sw_status status;
  while ((status = sw_stream_finish(stream)) == SW_WOULD_BLOCK) CHECK(is_readable(stream, PATIENCE_MS));
  CHECK(status == SW_OK);
}

/* Reads until a stream fails, and expects this error with these words. */
static void expect_failure(sw_stream *stream, sw_status expected, const char *words) {
  static uint8_t buffer[SIZE];
  size_t count;
  sw_status status;
  while ((status = read_some(stream, buffer, sizeof buffer, &count)) == SW_OK) CHECK(count > 0);
  CHECK(status == expected && strstr(sw_last_error_message(), words) != NULL);
}

/* One end of a stream in a loop that never waits for it. */
struct end {
  sw_stream *stream;
  size_t sent, received, blocked;
  int has_finished, has_ended;
};

static void turn(struct end *end) {
  static uint8_t buffer[50000];
  size_t count;
  sw_status status;
  while (!end->has_ended && (status = sw_stream_read(end->stream, buffer, sizeof buffer, &count)) != SW_WOULD_BLOCK) {
    CHECK(status == SW_OK && end->received + count <= SIZE);
    CHECK(memcmp(buffer, content + end->received, count) == 0);
    end->received += count;
    end->has_ended = count == 0;
  }
  while (end->sent < SIZE) {
    status = sw_stream_write(end->stream, content + end->sent, SIZE - end->sent, &count);
    if (status == SW_WOULD_BLOCK) {
      end->blocked++;
      break;
    }
    CHECK(status == SW_OK && count > 0 && count <= WINDOW);
    end->sent += count;
  }
  if (end->sent == SIZE && !end->has_finished) {
    status = sw_stream_finish(end->stream);
    CHECK(status == SW_OK || status == SW_WOULD_BLOCK);
    end->has_finished = status == SW_OK;
  }
}

/* Large contents in both directions at once, in one loop. */
static void both_ways(sw_session *one, sw_session *other, const sw_peer_id *other_id) {
  struct end ends[2] = {{0}, {0}};
  open_pair(one, other, other_id, "log/both", &ends[0].stream, &ends[1].stream);
  struct pollfd pollers[2];
  for (int index = 0; index < 2; index++) {
    pollers[index] = (struct pollfd){.fd = sw_stream_fd(ends[index].stream), .events = POLLIN};
    CHECK(!is_readable(ends[index].stream, 0));
  }
  for (int index = 0; index < 2; index++) turn(&ends[index]);
  while (!(ends[0].has_ended && ends[0].has_finished && ends[1].has_ended && ends[1].has_finished)) {
    CHECK(poll(pollers, 2, PATIENCE_MS) > 0);
    for (int index = 0; index < 2; index++) {
      if (pollers[index].revents != 0) turn(&ends[index]);
    }
  }
  for (int index = 0; index < 2; index++) {
    CHECK(ends[index].received == SIZE && ends[index].blocked > 0);
    /* Nothing is left to be told. */
    CHECK(!is_readable(ends[index].stream, 0));
    sw_stream_destroy(ends[index].stream);
  }
}

/* One direction ends before the other one begins. */
static void half_close(sw_session *one, sw_session *other, const sw_peer_id *other_id) {
  sw_stream *near, *far;
  size_t written;
  char *code;
  open_pair(one, other, other_id, "log/half", &near, &far);
  write_text(near, "question");
  finish(near);
  CHECK(sw_stream_write(near, content, 1, &written) == SW_INVALID_ARGUMENT && sw_stream_finish(near) == SW_OK);
  expect_text(far, "question");
  expect_text(far, NULL);
  write_text(far, "answer");
  finish(far);
  expect_text(near, "answer");
  expect_text(near, NULL);
  CHECK(sw_stream_reset(near, "late", NULL) == SW_OK && sw_stream_reset_code(near, &code) == SW_INVALID_ARGUMENT);
  expect_text(near, NULL);
  sw_stream_destroy(near);
  sw_stream_destroy(far);
}

/* A side ends both directions, and says why. */
static void reset(sw_session *one, sw_session *other, const sw_peer_id *other_id) {
  sw_stream *near, *far;
  size_t written;
  char *code;
  open_pair(one, other, other_id, "log/reset", &near, &far);
  write_text(far, "so far");
  expect_text(near, "so far");
  CHECK(sw_stream_reset(far, "", NULL) == SW_INVALID_ARGUMENT && sw_stream_reset(far, NULL, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_stream_reset(far, "busy", "come back later") == SW_OK);
  expect_failure(near, SW_STREAM_RESET, "come back later");
  expect_failure(far, SW_STREAM_RESET, "come back later");
  CHECK(!is_readable(near, 0) && !is_readable(far, 0));
  sw_stream *ends[2] = {near, far};
  for (int index = 0; index < 2; index++) {
    CHECK(sw_stream_write(ends[index], content, 1, &written) == SW_STREAM_RESET);
    CHECK(sw_stream_finish(ends[index]) == SW_STREAM_RESET);
    CHECK(sw_stream_reset_code(ends[index], &code) == SW_OK && strcmp(code, "busy") == 0);
    sw_text_destroy(code);
    sw_stream_destroy(ends[index]);
  }
}

/* Writes more than there is room for, and returns how much was taken. */
static size_t write_some(sw_stream *stream) {
  size_t count = 0;
  sw_status status = sw_stream_write(stream, content, SIZE, &count);
  CHECK(status == SW_WOULD_BLOCK || (status == SW_OK && count > 0 && count <= WINDOW));
  return count;
}

/* A reader that stands still holds up its own stream alone, and bounded memory is held for it. */
static void stands_still(sw_session *one, sw_session *other, const sw_peer_id *other_id) {
  sw_stream *near, *far, *near_beside, *far_beside;
  open_pair(one, other, other_id, "log/still", &near, &far);
  open_pair(one, other, other_id, "log/beside", &near_beside, &far_beside);
  /* The window of the stream and the buffers of its two ends fill up, of which that of the reader holds what came at once. */
  size_t total = 0, count;
  while (total < 2 * WINDOW) {
    total += write_some(near);
    if (total < 2 * WINDOW) CHECK(is_readable(near, PATIENCE_MS));
  }
  for (int round = 0; round < 20; round++) {
    write_text(near_beside, "ping");
    expect_text(far_beside, "ping");
    write_text(far_beside, "pong");
    expect_text(near_beside, "pong");
    total += write_some(near);
    CHECK(total <= 3 * WINDOW);
  }
  CHECK(is_readable(far, 0));
  static uint8_t buffer[WINDOW];
  size_t received = 0;
  while (received < total) {
    CHECK(read_some(far, buffer, sizeof buffer, &count) == SW_OK && count > 0);
    received += count;
  }
  CHECK(received == total && is_readable(near, PATIENCE_MS));
  /* A call without bytes ends the word of room. */
  CHECK(sw_stream_write(near, NULL, 0, &count) == SW_OK && count == 0 && !is_readable(near, 0));
  write_text(near, "more");
  expect_text(far, "more");
  sw_stream_destroy(near);
  sw_stream_destroy(far);
  sw_stream_destroy(near_beside);
  sw_stream_destroy(far_beside);
}

/* Streams that are given back in the middle, and ones that nobody takes. */
static void given_back(sw_session *one, sw_session *other, const sw_peer_id *other_id) {
  sw_stream *near, *far;
  size_t count;
  open_pair(one, other, other_id, "log/gone", &near, &far);
  CHECK(sw_stream_write(near, content, SIZE, &count) == SW_OK && count == WINDOW);
  sw_stream_destroy(near);
  CHECK(sw_stream_write(near, content, 1, &count) == SW_INVALID_ARGUMENT && sw_stream_fd(near) == -1);
  sw_stream_destroy(near);
  expect_failure(far, SW_STREAM_RESET, "released");
  sw_stream_destroy(far);

  uint64_t operation;
  CHECK(sw_session_open_stream(one, other_id, "log/untaken", 0, &operation) == SW_OK);
  sw_event *untaken = await_event(other, SW_EVENT_STREAM);
  near = take(await_done(one, operation, SW_OK));
  sw_event_destroy(untaken);
  expect_failure(near, SW_STREAM_RESET, "released");
  sw_stream_destroy(near);

  /* Their places and descriptors are free again, while the session goes on. */
  int before = descriptors();
  for (int index = 0; index < 2 * PLACES; index++) {
    /* One end has read all there is and has not finished, the other one has finished and not read. */
    open_pair(one, other, other_id, "log/places", &near, &far);
    write_text(near, "unread");
    finish(far);
    expect_text(near, NULL);
    CHECK(is_readable(far, PATIENCE_MS));
    sw_stream_destroy(near);
    sw_stream_destroy(far);
  }
  expect_descriptors(before);
}

static void refusals(sw_session *session, const sw_peer_id *peer) {
  sw_peer_id stranger = {{1}};
  uint64_t operation;
  sw_stream *stream = NULL;
  uint8_t byte;
  size_t count;
  CHECK(sw_session_open_stream(session, peer, "other", 0, &operation) == SW_OK);
  sw_event *done = await_done(session, operation, SW_UNHANDLED);
  CHECK(done->stream == NULL && sw_event_take_stream(done, &stream) == SW_INVALID_ARGUMENT);
  sw_event_destroy(done);
  CHECK(sw_session_open_stream(session, &stranger, "log/x", 0, &operation) == SW_OK);
  expect_done(session, operation, SW_UNKNOWN_PEER);
  CHECK(sw_session_open_stream(session, peer, "a\nb", 0, &operation) == SW_OK);
  expect_done(session, operation, SW_INVALID_ARGUMENT);
  CHECK(sw_session_open_stream(session, NULL, "x", 0, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_open_stream(session, peer, NULL, 0, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_open_stream(session, peer, "x", 60001, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_accept_streams(session, "x", NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_stream_fd(NULL) == -1 && sw_stream_read(NULL, &byte, 1, &count) == SW_INVALID_ARGUMENT);
  CHECK(sw_stream_write((sw_stream *)session, &byte, 1, &count) == SW_INVALID_ARGUMENT);
  CHECK(sw_stream_finish(NULL) == SW_INVALID_ARGUMENT && sw_stream_reset(NULL, "x", NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_event_take_stream(NULL, &stream) == SW_INVALID_ARGUMENT);
  sw_stream_destroy(NULL);
}

static void everything(const char *folder) {
  sw_session_config config = quiet_config();
  sw_session *alice = start_with("alice", folder, &config), *bob = start_with("bob", folder, &config);
  sw_peer_id alice_id, bob_id;
  join_pair(alice, bob, &alice_id, &bob_id);
  uint64_t subscription;
  CHECK(sw_session_accept_streams(bob, "log/*", &subscription) == SW_OK);
  both_ways(alice, bob, &bob_id);
  half_close(alice, bob, &bob_id);
  reset(alice, bob, &bob_id);
  stands_still(alice, bob, &bob_id);
  given_back(alice, bob, &bob_id);
  refusals(alice, &bob_id);
  /* The end of the session, with streams in the hands of the program and one in an event that it has not read. */
  sw_stream *near, *far;
  uint8_t byte;
  size_t count;
  uint64_t operation;
  open_pair(alice, bob, &bob_id, "log/last", &near, &far);
  CHECK(sw_stream_read(near, NULL, 1, &count) == SW_INVALID_ARGUMENT);
  CHECK(sw_stream_read(near, &byte, 0, &count) == SW_INVALID_ARGUMENT);
  CHECK(sw_stream_write(near, &byte, 1, NULL) == SW_INVALID_ARGUMENT);
  CHECK(sw_stream_write(near, NULL, 1, &count) == SW_INVALID_ARGUMENT);
  CHECK(sw_session_open_stream(alice, &bob_id, "log/unread", 0, &operation) == SW_OK);
  expect_done(alice, operation, SW_OK);
  sw_session_stop(alice);
  expect_failure(near, SW_ENDED, "ended");
  CHECK(sw_stream_write(near, content, 1, &count) == SW_ENDED);
  expect_failure(far, SW_NOT_CONNECTED, "");
  sw_session_stop(bob);
  sw_stream_destroy(near);
  sw_stream_destroy(far);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  for (size_t index = 0; index < SIZE; index++) content[index] = (uint8_t)(index * index >> 7);
  /* The first time opens what the library keeps; the second one leaves no more behind. */
  everything(arguments[1]);
  int before = descriptors();
  everything(arguments[1]);
  expect_descriptors(before);
  puts("ok");
  return 0;
}
