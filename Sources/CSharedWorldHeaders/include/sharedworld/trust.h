/* SharedWorld for C: which keys are admitted, codes and passcodes. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_TRUST_H
#define SHAREDWORLD_TRUST_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which keys are admitted, besides the answers to invitations. */
enum {
  SW_TRUST_ANYONE = 0,    /* any; none is recorded */
  SW_TRUST_FIRST_USE = 1, /* any; those that were never admitted are marked, and recorded in `known_peers` when they join */
  SW_TRUST_PINNED = 2,    /* those in `admitted`, and no others */
  SW_TRUST_CODE = 3       /* those in `known_peers`, and those whose code the users of both devices have compared */
};

/* How a key compares with those that this device has admitted before. */
enum {
  SW_RECOGNITION_UNTRACKED = 0,  /* no keys are recorded */
  SW_RECOGNITION_KNOWN = 1,      /* admitted before this session, or on the list */
  SW_RECOGNITION_NEVER_SEEN = 2, /* never admitted before this session */
  SW_RECOGNITION_NEW_DEVICE = 3, /* the same, under the name of a known peer with another key */
  SW_RECOGNITION_REFUSED = 4     /* another member has admitted it; this one does not, and makes no connection to it */
};

/* Answers SW_EVENT_CODE: whether the other screen shows the same code (1) or not (0). SW_UNKNOWN_PEER if none waits. */
sw_status sw_session_answer_code(sw_session *session, const sw_peer_id *peer, int is_same);

/* Lets strangers try the passcode again that have to wait after a wrong one, or that 20 wrong ones keep out. */
sw_status sw_session_unlock_passcode(sw_session *session);

#ifdef __cplusplus
}
#endif
#endif
