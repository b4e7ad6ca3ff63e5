/* SharedWorld for C: inviting peers and answering them. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_INVITATIONS_H
#define SHAREDWORLD_INVITATIONS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How invitations are answered. */
enum {
  SW_INVITATIONS_DECLINE = 0, /* all are declined */
  SW_INVITATIONS_ACCEPT = 1,  /* all are accepted */
  SW_INVITATIONS_ASK = 2      /* SW_EVENT_INVITATION asks; sw_session_answer answers */
};

/*
 * Invites the peer at `host` (address or name) and `port`, and waits for its answer, at most `timeout_ms`
 * milliseconds (1-60000; 0 is 30000). `context` is data for the other app, at most 4096 bytes, NULL if there is none.
 * `peer` gets who accepted and may be NULL.
 */
sw_status sw_session_invite(
    sw_session *session, const char *host, uint16_t port, const uint8_t *context, size_t context_size,
    uint32_t timeout_ms, sw_peer_id *peer);

/* The same for a service that SW_EVENT_CANDIDATE_FOUND named: `candidate` is that event's text. */
sw_status sw_session_invite_candidate(
    sw_session *session, const char *candidate, const uint8_t *context, size_t context_size, uint32_t timeout_ms,
    sw_peer_id *peer);

/*
 * The same two for one key alone: when another one answers, it is sent nothing and the result is SW_IDENTITY_MISMATCH.
 * Without `expected` a candidate is invited under the key that answered when this session invited it before.
 */
sw_status sw_session_invite_expecting(
    sw_session *session, const char *host, uint16_t port, const sw_peer_id *expected, const uint8_t *context,
    size_t context_size, uint32_t timeout_ms, sw_peer_id *peer);
sw_status sw_session_invite_candidate_expecting(
    sw_session *session, const char *candidate, const sw_peer_id *expected, const uint8_t *context, size_t context_size,
    uint32_t timeout_ms, sw_peer_id *peer);

/*
 * Answers the invitation of a peer (SW_INVITATIONS_ASK): `accept` is 0 or 1, `reason` tells a declined peer why and
 * may be NULL. SW_UNKNOWN_PEER when no invitation of that peer waits any more.
 */
sw_status sw_session_answer(sw_session *session, const sw_peer_id *peer, int accept, const char *reason);

#ifdef __cplusplus
}
#endif
#endif
