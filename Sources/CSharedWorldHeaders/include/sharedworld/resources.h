/* SharedWorld for C: files and large bytes that a peer offers to others, or attaches to the session. Include sharedworld.h, which explains the conventions. */
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
sw_status sw_session_offer_file(
    sw_session *session, const char *path, const char *name, const sw_peer_id *peers, size_t peer_count,
    uint64_t *operation);
sw_status sw_session_offer_bytes(
    sw_session *session, const uint8_t *bytes, size_t size, const char *name, const sw_peer_id *peers, size_t peer_count,
    uint64_t *operation);

/*
 * Accepts what SW_EVENT_RESOURCE_OFFERED offered; `resource` is its digest. SW_EVENT_DONE: SW_OK when it is being fetched,
 * or SW_DISK_FULL and SW_IO (the offer stands), SW_UNKNOWN_RESOURCE. Then SW_EVENT_RESOURCE_RECEIVED has the path of a file
 * that the program moves away before the session ends, or SW_EVENT_RESOURCE_FAILED says why not.
 */
sw_status sw_session_accept_resource(sw_session *session, const sw_digest *resource, uint64_t *operation);

/* Declines an offer; SW_UNKNOWN_RESOURCE when none of this id stands. */
sw_status sw_session_decline_resource(sw_session *session, const sw_digest *resource);

/*
 * Takes back a resource of this peer from those that do not have it yet, or gives up one that is offered or fetched. The
 * other side gets its event; nothing happens when it has ended.
 */
sw_status sw_session_cancel_resource(sw_session *session, const sw_digest *resource);

/*
 * Attaches a file, or bytes, which are copied, to the session: every member gets them by itself, and so does every later
 * one, also after this peer has left. The file must stay as it is. `name` as above; two attachments may have one name.
 * SW_EVENT_DONE: digest: the attachment's id; or SW_IO, SW_INVALID_ARGUMENT, SW_LIMIT_EXCEEDED (16 of this peer stand).
 * SW_EVENT_ATTACHMENT_CHANGED comes here and at each member.
 */
sw_status sw_session_attach_file(
    sw_session *session, const char *path, const char *name, uint64_t *operation);
sw_status sw_session_attach_bytes(
    sw_session *session, const uint8_t *bytes, size_t size, const char *name, uint64_t *operation);

/*
 * Removes an attachment from the session, with the copies of all members; its author may, and the host. Else
 * SW_NOT_HOST; SW_UNKNOWN_RESOURCE when none of this id is attached.
 */
sw_status sw_session_detach(sw_session *session, const sw_digest *attachment);

/*
 * Fetches an attachment that did not come by itself because there are many, or large ones, or that failed; nothing
 * happens when it is here or on its way. SW_UNKNOWN_RESOURCE when none of this id is attached, SW_IO.
 */
sw_status sw_session_fetch_attachment(sw_session *session, const sw_digest *attachment);

/* How far an attachment has come at this peer. */
enum {
  SW_ATTACHMENT_LISTED = 0,   /* it comes when sw_session_fetch_attachment asks for it */
  SW_ATTACHMENT_FETCHING = 1, /* it comes as soon as a member is connected that has it */
  SW_ATTACHMENT_HERE = 2,
  SW_ATTACHMENT_FAILED = 3,
  SW_ATTACHMENT_REMOVED = 4
};

/* Something that is attached to the session. */
typedef struct sw_attachment {
  sw_digest id;
  sw_peer_id author;
  const char *name;  /* text for people, and never a path */
  const char *path;  /* its file, to be left where it is; NULL while it is not here, and of bytes that this peer attached */
  uint64_t size;     /* bytes */
  uint32_t state;    /* SW_ATTACHMENT_... */
  uint32_t reserved; /* zero */
} sw_attachment;

/* What is attached at one moment, in the order of names, and the function that takes such a list. */
typedef struct sw_attachment_list sw_attachment_list;
sw_status sw_session_attachments(sw_session *session, sw_attachment_list **attachments);
/* How many there are, 0 for NULL; one of them, owned by the list, NULL beyond its end; giving the list back. */
size_t sw_attachment_list_count(const sw_attachment_list *attachments);
const sw_attachment *sw_attachment_list_get(const sw_attachment_list *attachments, size_t index);
void sw_attachment_list_destroy(sw_attachment_list *attachments);

#ifdef __cplusplus
}
#endif
#endif
