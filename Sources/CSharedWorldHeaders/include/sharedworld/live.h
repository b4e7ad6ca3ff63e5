/* SharedWorld for C: live poses, drags and ownership. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_LIVE_H
#define SHAREDWORLD_LIVE_H

#include "anchors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tells everybody where this peer's device is, up to 60 times a second; NULL that it is told no longer. */
sw_status sw_session_update_pose(sw_session *session, const float transform[16]);

/* An anchor in this peer's hand. */
typedef struct sw_drag sw_drag;

/* Begins to drag an anchor: it is shown to all at up to 60 poses a second, and stays where it is let go. */
sw_status sw_session_begin_drag(sw_session *session, const sw_anchor_id *anchor, sw_drag **drag);
/* Shows the anchor at another place; SW_DRAG_ENDED after its end. */
sw_status sw_drag_update(sw_drag *drag, const float transform[16]);
/* Lets go: the last place becomes the anchor's, for everybody. The handle has still to be destroyed. */
sw_status sw_drag_end(sw_drag *drag);
/* Gives a drag back, before its session is stopped; one that was not ended ends by itself. */
void sw_drag_destroy(sw_drag *drag);

/*
 * Asks to own an anchor, for at most `timeout_ms` milliseconds (1-60000; 0 is 10000). Ownership is advisory: no edit is
 * refused because of it. It lasts `lease_ms` milliseconds, with 0 until it is released. SW_EVENT_DONE: anchor.id; SW_DECLINED
 * when the owner keeps it, SW_NOT_ACKNOWLEDGED when nobody answers, SW_UNKNOWN_ANCHOR.
 */
sw_status sw_session_request_ownership(
    sw_session *session, const sw_anchor_id *anchor, uint32_t lease_ms, uint32_t timeout_ms, uint64_t *operation);
/* Gives an anchor that this peer owns to another one, without a lease. SW_EVENT_DONE: as above; SW_NOT_OWNER, SW_UNKNOWN_PEER. */
sw_status sw_session_give_ownership(
    sw_session *session, const sw_anchor_id *anchor, const sw_peer_id *peer, uint32_t timeout_ms, uint64_t *operation);

/* The ownership of an anchor. The caller sets `size` to sizeof(sw_ownership). */
typedef struct sw_ownership {
  uint32_t size;
  uint32_t reserved; /* zero */
  sw_peer_id owner;  /* all zero when nobody owns the anchor, or there is none */
  uint64_t until;    /* when it ends by itself (milliseconds of session time); 0 when it does not */
  uint64_t epoch;    /* of the host that granted it */
  uint64_t number;   /* counts the grants of this anchor in that epoch */
} sw_ownership;

/* Who owns an anchor. An owner that has left is still named for a moment, until the host has freed the anchor. */
sw_status sw_session_ownership(sw_session *session, const sw_anchor_id *anchor, sw_ownership *ownership);

/* Gives an anchor back, so that the next who asks gets it. SW_EVENT_DONE: as above; SW_NOT_OWNER. */
sw_status sw_session_release_ownership(
    sw_session *session, const sw_anchor_id *anchor, uint32_t timeout_ms, uint64_t *operation);

#ifdef __cplusplus
}
#endif
#endif
