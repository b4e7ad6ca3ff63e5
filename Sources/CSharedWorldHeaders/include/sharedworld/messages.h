/* SharedWorld for C: bytes that an app sends. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_MESSAGES_H
#define SHAREDWORLD_MESSAGES_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sends a message of at most 60 KiB to `peer_count` members; to all when `peers` is NULL. Each of them gets it exactly
 * once and in order, or SW_EVENT_MESSAGES_FAILED names it. While too many messages to one of them are on their way, as
 * when its program does not read events, the first function waits; the second one sends to nobody and returns
 * SW_WOULD_BLOCK. `number`, which may be NULL, receives the number that the event names.
 */
sw_status sw_session_send(
    sw_session *session, const uint8_t *bytes, size_t size, const sw_peer_id *peers, size_t peer_count);
sw_status sw_session_send_now(sw_session *session, const uint8_t *bytes, size_t size, const sw_peer_id *peers,
    size_t peer_count, uint64_t *number);

#ifdef __cplusplus
}
#endif
#endif
