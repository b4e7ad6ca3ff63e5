/* SharedWorld for C: owned sessions, and the parts of peers in them. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_ROLES_H
#define SHAREDWORLD_ROLES_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The part of a peer in an owned session, which a peer with `owned` in its configuration begins. */
enum {
  SW_PEER_ROLE_NONE = 0,      /* it is not admitted, or the session is open: nobody owns it */
  SW_PEER_ROLE_MEMBER = 1,    /* it takes part */
  SW_PEER_ROLE_MODERATOR = 2, /* it admits and removes members, and locks the session */
  SW_PEER_ROLE_CREATOR = 3    /* it began the session, and names the moderators */
};

/* The peer that owns the session; all zero in an open one. */
sw_status sw_session_owner(sw_session *session, sw_peer_id *owner);

/* The part of a peer, this one included: SW_PEER_ROLE_... */
sw_status sw_session_role(sw_session *session, const sw_peer_id *peer, uint32_t *role);

/*
 * Gives a peer a part; SW_EVENT_ROLE_CHANGED tells everybody. The creator names moderators, and makes them members again. As a
 * member a peer is admitted also before it comes, and after it was removed, by the creator or a moderator. SW_NOT_PERMITTED
 * when this peer's own part does not allow it, for the creator, and in an open session; SW_INVALID_ARGUMENT for
 * SW_PEER_ROLE_NONE (sw_session_kick removes); SW_LIMIT_EXCEEDED.
 */
sw_status sw_session_set_role(sw_session *session, const sw_peer_id *peer, uint32_t role);

#ifdef __cplusplus
}
#endif
#endif
