/* SharedWorld for C: files and large bytes that a peer offers to others. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_RESOURCES_H
#define SHAREDWORLD_RESOURCES_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Offers a file to some peers, or bytes, which are copied. The file is read once now, in the background, and again while
 * it is sent. `name` (1-255 bytes) is for people at the receivers; NULL is the last part of the path. SW_EVENT_DONE:
 * digest: the resource's id; or SW_IO, SW_INVALID_ARGUMENT (no file, no receiver, a name that is not allowed),
 * SW_LIMIT_EXCEEDED, SW_UNKNOWN_PEER, SW_WOULD_BLOCK (too many resources to a receiver have not ended). Afterwards
 * SW_EVENT_RESOURCE_PROGRESS comes, and one SW_EVENT_RESOURCE_SETTLED for each receiver.
 */
sw_status sw_session_offer_file_async(
    sw_session *session, const char *path, const char *name, const sw_peer_id *peers, size_t peer_count,
    uint64_t *operation);
sw_status sw_session_offer_bytes_async(
    sw_session *session, const uint8_t *bytes, size_t size, const char *name, const sw_peer_id *peers, size_t peer_count,
    uint64_t *operation);

/*
 * Accepts what SW_EVENT_RESOURCE_OFFERED offered; `resource` is its digest. SW_EVENT_DONE: SW_OK when it is being fetched,
 * or SW_DISK_FULL and SW_IO (the offer stands), SW_UNKNOWN_RESOURCE. Then SW_EVENT_RESOURCE_RECEIVED has the path of a file
 * that the program moves away before the session ends, or SW_EVENT_RESOURCE_FAILED says why not.
 */
sw_status sw_session_accept_resource_async(sw_session *session, const sw_digest *resource, uint64_t *operation);

/* Declines an offer; SW_UNKNOWN_RESOURCE when none of this id stands. */
sw_status sw_session_decline_resource(sw_session *session, const sw_digest *resource);

/*
 * Takes back a resource of this peer from those that do not have it yet, or gives up one that is offered or fetched. The
 * other side gets its event; nothing happens when it has ended.
 */
sw_status sw_session_cancel_resource(sw_session *session, const sw_digest *resource);

#ifdef __cplusplus
}
#endif
#endif
