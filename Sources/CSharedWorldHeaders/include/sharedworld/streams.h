/* SharedWorld for C: streams of bytes between two peers. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_STREAMS_H
#define SHAREDWORLD_STREAMS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A stream of bytes between this peer and another one, in both directions, under a name. The bytes of each direction arrive
 * exactly once and in order, over broken and replaced connections and through other members; where that fails both directions
 * end with an error. No function of a stream waits. A program that does not read one holds up the writer of that stream alone.
 */
typedef struct sw_stream sw_stream;

/*
 * Opens a stream to a member, whose program has to accept it within `timeout_ms` milliseconds (1-60000; 0 is 10000). The name
 * has 1 to 255 bytes without control characters; several streams may have one name. SW_EVENT_DONE: peer, name and stream (see
 * sw_event_take_stream); or SW_UNHANDLED (nothing there accepts streams of this name), SW_REQUEST_TIMED_OUT, SW_LIMIT_EXCEEDED
 * (16 streams to the peer have not ended), SW_STREAM_RESET, SW_UNKNOWN_PEER, SW_NOT_CONNECTED, SW_INVALID_ARGUMENT.
 */
sw_status sw_session_open_stream(
    sw_session *session, const sw_peer_id *peer, const char *name, uint32_t timeout_ms, uint64_t *operation);

/*
 * Accepts the streams that other peers open under some names from now on, each with an SW_EVENT_STREAM, until
 * sw_session_cancel of `subscription`. In `names` a word "*" between slashes stands for any one word, "**" at the end for any;
 * NULL is "**". A stream is for the first subscription to its name, and the next is accepted once the program has the event of the
 * last one. It counts among the 256 operations.
 */
sw_status sw_session_accept_streams(sw_session *session, const char *names, uint64_t *subscription);

/*
 * A descriptor that poll(2) reports as readable while there are bytes to read; when the other direction has ended or failed, until
 * a read has told of it; and when sw_stream_write or sw_stream_finish could not take or send all, until it is worth to call that
 * function again and it was. -1 for NULL. It belongs to the stream: wait for it, but neither read nor close it.
 */
int sw_stream_fd(const sw_stream *stream);

/*
 * Reads at most `size` bytes, at least one; `count` receives how many, and 0 when the other side has finished and all was read.
 * SW_WOULD_BLOCK while nothing is here. Behind the bytes that have arrived: SW_STREAM_RESET (the message has the reason),
 * SW_NOT_CONNECTED (the peer left, restarted or is lost) or SW_ENDED (this session has ended).
 */
sw_status sw_stream_read(sw_stream *stream, uint8_t *buffer, size_t size, size_t *count);

/*
 * Takes over as many of the bytes as there is room for; `written` receives how many, and they leave in the background.
 * SW_WOULD_BLOCK when there is room for none: 262144 bytes have not left, for the other side does not read. After that, and after
 * less than `size`, the descriptor is readable once there is room, until the next call; one with a `size` of 0 only ends that.
 * SW_INVALID_ARGUMENT after sw_stream_finish, and the errors of a read.
 */
sw_status sw_stream_write(sw_stream *stream, const uint8_t *bytes, size_t size, size_t *written);

/*
 * Says that this side writes nothing more, behind what it has written; the other direction goes on. SW_WOULD_BLOCK while some of
 * it has not left: the descriptor is readable once it has, until the next call, which gives SW_OK. A stream that is destroyed
 * before that is reset instead. The errors of a read.
 */
sw_status sw_stream_finish(sw_stream *stream);

/*
 * Ends both directions at once: what waits to be read here, and what has not left, is dropped, and the other side gets a word for
 * programs (1-64 bytes) and a sentence for people, NULL being none. It has no effect on a stream that is over.
 */
sw_status sw_stream_reset(sw_stream *stream, const char *code, const char *message);

/* The word of the reset that has ended a stream, given back by sw_text_destroy. SW_INVALID_ARGUMENT when none has. */
sw_status sw_stream_reset_code(const sw_stream *stream, char **code);

/* Gives a stream back, at any time, also after its session was stopped; a direction that has not ended is reset ("released"). */
void sw_stream_destroy(sw_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
