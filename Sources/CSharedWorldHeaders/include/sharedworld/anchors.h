/* SharedWorld for C: named places in the world. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_ANCHORS_H
#define SHAREDWORLD_ANCHORS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A named place in the world. */
typedef struct sw_anchor {
  sw_anchor_id id;
  sw_peer_id creator;  /* who placed it, all zero when that is not known */
  float transform[16]; /* column-major, metres */
  const char *name;
} sw_anchor;

/*
 * Places an anchor called `name` (at most 256 bytes). It is in the local set at once and on its way to everybody.
 * `anchor` gets its id and may be NULL.
 */
sw_status sw_session_place(sw_session *session, const char *name, const float transform[16], sw_anchor_id *anchor);
/* Moves an anchor; of two concurrent moves the later one stands. */
sw_status sw_session_move(sw_session *session, const sw_anchor_id *anchor, const float transform[16]);
/* Renames an anchor. */
sw_status sw_session_rename(sw_session *session, const sw_anchor_id *anchor, const char *name);
/* Removes an anchor for ever; a removal wins over any concurrent edit. */
sw_status sw_session_remove(sw_session *session, const sw_anchor_id *anchor);

/* The peers that must hold an edit. */
enum {
  SW_ACKNOWLEDGEMENT_HOST = 0,                /* the host, or its successor when it is replaced meanwhile */
  SW_ACKNOWLEDGEMENT_EVERY_PRESENT_MEMBER = 1 /* all that are in the session; nobody waits for one that leaves or is lost */
};

/*
 * Waits until what this peer has edited so far, anchors and their payloads, is held by others: SW_ACKNOWLEDGEMENT_..., for at most
 * `timeout_ms` milliseconds (1-60000; 0 is 10000). An edit that one peer has acknowledged survives as long as that peer.
 * SW_EVENT_DONE: SW_NOT_ACKNOWLEDGED when the time is up; the edits stand, and go on spreading.
 */
sw_status sw_session_confirm_edits(sw_session *session, uint32_t by, uint32_t timeout_ms, uint64_t *operation);

/* The anchors at one moment, in the order of their ids, and the function that takes such a list. */
typedef struct sw_anchor_list sw_anchor_list;
sw_status sw_session_anchors(sw_session *session, sw_anchor_list **anchors);
/* How many there are, 0 for NULL; one of them, owned by the list, NULL beyond its end; giving the list back. */
size_t sw_anchor_list_count(const sw_anchor_list *anchors);
const sw_anchor *sw_anchor_list_get(const sw_anchor_list *anchors, size_t index);
void sw_anchor_list_destroy(sw_anchor_list *anchors);

/* The hash of the replicated anchors. */
sw_status sw_session_digest(sw_session *session, sw_digest *digest);

#ifdef __cplusplus
}
#endif
#endif
