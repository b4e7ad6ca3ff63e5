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
 * Whom to invite, and how. Set every member to zero, `size` to sizeof(sw_invitation), and one of `host` with `port`,
 * `candidate`, `link` and `known`.
 */
typedef struct sw_invitation {
  uint32_t size;
  uint16_t port;         /* 1-65535 */
  uint16_t reserved;     /* zero */
  const char *host;      /* an address or a name */
  const char *candidate; /* the text of SW_EVENT_CANDIDATE_FOUND */
  const char *link;      /* an invitation link: it is sent to the key in the link alone */
  const sw_peer_id *known;    /* a peer of the file of known peers, at the addresses at which it could last be dialled */
  const sw_peer_id *expected; /* the one key that is invited; NULL is that of the link, or the one that answered before */
  const uint8_t *context;     /* data for the other app, at most 4096 bytes */
  size_t context_size;
  uint32_t timeout_ms; /* how long to wait, 1-60000; 0 is 30000 */
  uint32_t reserved2;  /* zero */
} sw_invitation;

/*
 * Invites a peer, which has to answer within `timeout_ms` of the invitation. SW_EVENT_DONE: peer, name: who accepted; or
 * SW_DECLINED, SW_INVITATION_TIMED_OUT, SW_UNREACHABLE, SW_UNKNOWN_PEER, and SW_IDENTITY_MISMATCH when another key than the
 * expected one answers, which is sent nothing. SW_INVALID_ARGUMENT at once for a link that is none, or when not exactly one
 * target is set.
 */
sw_status sw_session_invite(sw_session *session, const sw_invitation *invitation, uint64_t *operation);

/*
 * Invites a peer again and again until it joins: an address without end, a candidate as long as it is in sight.
 * SW_EVENT_INVITATION_FAILED names a failure, once for each kind; one that another try cannot change ends it. Of the
 * invitation only the target counts. Never waits.
 */
sw_status sw_session_keep_inviting(sw_session *session, const sw_invitation *invitation);

/*
 * A link with which others invite this peer, to be given to sw_text_destroy. It carries `passcode`, and is as secret as
 * that then; NULL leaves it out. SW_NOT_CONNECTED while this machine has no address that others could dial.
 */
sw_status sw_session_invitation_link(sw_session *session, const char *passcode, char **link);

/* The key that must answer at a link. SW_INVALID_ARGUMENT for a text that is no link; the message says what is wrong. */
sw_status sw_link_peer(const char *link, sw_peer_id *peer);

/*
 * Answers an invitation (SW_INVITATIONS_ASK): `accept` is 0 or 1, `reason` tells a declined peer why and may be NULL.
 * `invitation` is the `operation` of SW_EVENT_INVITATION, and not the peer: one that withdraws its invitation and sends another
 * is not admitted by a late answer to the first. SW_INVALID_ARGUMENT when that invitation does not wait (any more).
 */
sw_status sw_session_answer(sw_session *session, uint64_t invitation, int accept, const char *reason);

#ifdef __cplusplus
}
#endif
#endif
