/* SharedWorld for C: objects and requests, which Swift apps send too. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_OBJECTS_H
#define SHAREDWORLD_OBJECTS_H

#include "messages.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An object: encoded bytes for a place in the receiving app. Set every member to zero, `size` to sizeof(sw_object), and
 * what differs from that. To a Swift app `type` is the name of its type, and the bytes are its JSON.
 */
typedef struct sw_object {
  uint32_t size;
  uint32_t reserved;         /* zero */
  const char *endpoint;      /* the place, such as "draw/strokes", 1-255 bytes; not read of an answer */
  const char *type;          /* the name of the type, 1-255 bytes */
  const char *content_type;  /* the media type of the bytes; NULL is "application/json" */
  const uint8_t *bytes;      /* with all else at most 60 KiB, unreliably 16 KiB */
  size_t byte_count;
  const float *transform;    /* 16 floats: a placement in the world; NULL is none */
  const sw_pair *fields;     /* at most 16 header fields: keys of 1-63 bytes, values of at most 1024 */
  size_t field_count;
} sw_object;

/*
 * Sends an object as sw_session_send sends bytes, with the same errors. A receiver that does not read such objects
 * returns it: SW_EVENT_MESSAGE_RETURNED has `number`.
 */
sw_status sw_session_send_object(
    sw_session *session, const sw_object *object, const sw_delivery *delivery, uint64_t *number);

/*
 * Reads the objects of a type at some endpoints from now on, each as an SW_EVENT_OBJECT, until sw_session_cancel of
 * `subscription`. In `endpoints` a word "*" between slashes stands for any one word, "**" at the end for any; NULL is "**".
 * What is not read waits at the sender. It counts among the 256 operations.
 */
sw_status sw_session_read_objects(
    sw_session *session, const char *type, const char *endpoints, uint64_t *subscription);

/*
 * Answers the requests of a type at some endpoints from now on: each SW_EVENT_REQUEST has a number for
 * sw_session_respond or sw_session_refuse. 16 requests wait for answers at a time, later ones behind them.
 */
sw_status sw_session_serve_requests(
    sw_session *session, const char *type, const char *endpoints, uint64_t *subscription);

/*
 * Answers a request by an object, whose endpoint is that of the request. SW_INVALID_ARGUMENT when no such request waits
 * (any more), or for an object that cannot be sent; the request still waits then.
 */
sw_status sw_session_respond(sw_session *session, uint64_t request, const sw_object *answer);

/* Answers a request by an error: a word for programs (1-64 bytes) and a sentence for people, NULL being none. */
sw_status sw_session_refuse(sw_session *session, uint64_t request, const char *code, const char *message);

/*
 * Asks a member, which has to answer within `timeout_ms` milliseconds (1-3600000; 0 is 10000).
 * SW_EVENT_DONE: peer, endpoint, object_type, content_type, data, fields, anchor.transform if has_transform: the answer; or
 * SW_REQUEST_TIMED_OUT, SW_UNHANDLED, SW_UNDECODABLE, SW_REQUEST_FAILED (name: the code of the other program, text: its
 * message), SW_NOT_DELIVERED, SW_NOT_CONNECTED, SW_UNKNOWN_PEER. When it is cancelled, so is the work of the peer.
 */
sw_status sw_session_request(
    sw_session *session, const sw_peer_id *peer, const sw_object *question, uint32_t timeout_ms, uint64_t *operation);

#ifdef __cplusplus
}
#endif
#endif
