/* SharedWorld for C: creators' sessions, and the parts of peers in them. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_ROLES_H
#define SHAREDWORLD_ROLES_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The part of a peer in a creator's session, which a peer with `authority` in its configuration begins. */
enum {
  SW_PEER_ROLE_NONE = 0,      /* it is not admitted, or the session is open: it has no creator */
  SW_PEER_ROLE_MEMBER = 1,    /* it takes part; in a curated session it shares no maps */
  SW_PEER_ROLE_MODERATOR = 2, /* it admits and removes members, and locks the session */
  SW_PEER_ROLE_CREATOR = 3,   /* it began the session, and names the moderators */
  SW_PEER_ROLE_GUEST = 4,     /* it sees everything and changes nothing */
  SW_PEER_ROLE_PUBLISHER = 5  /* a member that shares maps in a curated session */
};

/* The peer that began a creator's session; all zero in an open one. */
sw_status sw_session_creator(sw_session *session, sw_peer_id *creator);

/*
 * The part of a peer, this one included: SW_PEER_ROLE_...; and, unless `left_ms` is NULL, how long it has that from now: 0 for a
 * part without an end.
 */
sw_status sw_session_role(sw_session *session, const sw_peer_id *peer, uint32_t *role, uint64_t *left_ms);

/*
 * Gives a peer a part, for so long from now, 0 for good; SW_EVENT_ROLE_CHANGED tells everybody. A peer whose time is over counts
 * as removed. The creator names moderators, for good, and makes them members again. With any other part a peer is admitted
 * also before it comes, and after it was removed, by the creator or a moderator. SW_NOT_PERMITTED when this peer's own part
 * does not allow it, for the creator, and in an open session; SW_INVALID_ARGUMENT for SW_PEER_ROLE_NONE (sw_session_kick
 * removes); SW_LIMIT_EXCEEDED.
 */
sw_status sw_session_set_role(sw_session *session, const sw_peer_id *peer, uint32_t role, uint64_t for_ms);

#ifdef __cplusplus
}
#endif
#endif
