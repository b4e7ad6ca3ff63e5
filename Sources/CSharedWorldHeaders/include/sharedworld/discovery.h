/* SharedWorld for C: peers on the network, before any connection. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_DISCOVERY_H
#define SHAREDWORLD_DISCOVERY_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a session lets newcomers in, as it says itself. */
enum { SW_STANDING_OPEN = 0, SW_STANDING_LOCKED = 1, SW_STANDING_FULL = 2 };

/* The ways by which a candidate was found; several may be set. */
enum { SW_WAY_MULTICAST_DNS = 1, SW_WAY_ANNOUNCEMENT = 2 };

/* A service on the network that may be invited. All that it says of itself is a hint: anybody may advertise anything. */
typedef struct sw_candidate {
  const char *id;               /* `candidate` of sw_invitation */
  const char *name;             /* what it calls itself, NULL if it shows no name */
  const char *seen_before_name; /* the recorded name of `seen_before`, or NULL */
  sw_peer_id peer;              /* who answered when this session dialled it, all zero before that */
  sw_peer_id seen_before;       /* the known peer that it seems to be, or all zero; it alone is invited then */
  sw_peer_id announced_key;     /* the key that signed its announcement, or all zero; it alone is invited then */
  uint32_t standing;            /* SW_STANDING_... */
  uint32_t ways;                /* SW_WAY_... */
  uint32_t protocol_version;    /* the highest that it speaks, 0 if it does not say */
  uint32_t asks_for_passcode;   /* 1 if it says so */
  const sw_pair *info;          /* the words of its app, in the order of their keys */
  size_t info_count;
} sw_candidate;

/* The candidates in sight at one moment, in the order of their ids, and the function that takes such a list. */
typedef struct sw_candidate_list sw_candidate_list;
sw_status sw_session_candidates(sw_session *session, sw_candidate_list **candidates);
/* How many there are, 0 for NULL; one of them, owned by the list, NULL beyond its end; giving the list back. */
size_t sw_candidate_list_count(const sw_candidate_list *candidates);
const sw_candidate *sw_candidate_list_get(const sw_candidate_list *candidates, size_t index);
void sw_candidate_list_destroy(sw_candidate_list *candidates);

/*
 * Asks the network where a candidate can be dialled, for at most `timeout_ms` milliseconds (1-60000; 0 is 5000).
 * SW_EVENT_DONE: text: the addresses as HOST:PORT, one a line, the most promising first; SW_UNKNOWN_PEER when it
 * is not in sight, SW_UNREACHABLE when nobody answers for it, SW_NOT_CONNECTED.
 */
sw_status sw_session_resolve(
    sw_session *session, const char *candidate, uint32_t timeout_ms, uint64_t *operation);

/*
 * Advertises other keys and values of the app than `info` of the configuration; none when `count` is 0.
 * SW_INVALID_ARGUMENT when the advertisement cannot carry them; the old ones stay.
 */
sw_status sw_session_set_discovery_info(sw_session *session, const sw_pair *info, size_t count);

/* What an observation means for discovery. */
enum { SW_FINDING_GOOD = 0, SW_FINDING_DOUBTFUL = 1, SW_FINDING_BAD = 2 };

/* One thing that was looked at. */
typedef struct sw_finding {
  const char *subject; /* a short word that does not change between versions, such as "daemon" or "multicast" */
  const char *text;    /* the observation, for people */
  const char *advice;  /* what to do, for people; NULL where nothing has to be done */
  uint32_t weight;     /* SW_FINDING_... */
  uint32_t reserved;   /* zero */
} sw_finding;

/* What may keep this device from finding others, in the order in which discovery depends on it. */
typedef struct sw_diagnosis sw_diagnosis;

/* Looks at interfaces, daemon and network for `service` (NULL is "sharedworld"), with or without a session. Waits 3 s. */
sw_status sw_diagnose(const char *service, sw_diagnosis **diagnosis);

/*
 * The same without waiting: the diagnosis is taken by sw_diagnosing_finish, SW_WOULD_BLOCK before it is here. Descriptor, finish and
 * cancel are as those of sw_start.
 */
typedef struct sw_diagnosing sw_diagnosing;
sw_status sw_diagnose_async(const char *service, sw_diagnosing **diagnosing);
int sw_diagnosing_fd(const sw_diagnosing *diagnosing);
sw_status sw_diagnosing_finish(sw_diagnosing *diagnosing, sw_diagnosis **diagnosis);
void sw_diagnosing_cancel(sw_diagnosing *diagnosing);

/* Whether a peer on another machine can be found; 0 for NULL. */
int sw_diagnosis_can_find_peers(const sw_diagnosis *diagnosis);
/* How many findings there are, 0 for NULL; one of them, owned by the diagnosis, NULL beyond its end; giving it back. */
size_t sw_diagnosis_count(const sw_diagnosis *diagnosis);
const sw_finding *sw_diagnosis_get(const sw_diagnosis *diagnosis, size_t index);
void sw_diagnosis_destroy(sw_diagnosis *diagnosis);

/*
 * The same for the service of a session, in the background. SW_EVENT_DONE: flags: 1 if a peer on another machine can be
 * found; text: a line for each finding that is doubtful or bad, with what to do, the worst first.
 */
sw_status sw_session_diagnose(sw_session *session, uint64_t *operation);

#ifdef __cplusplus
}
#endif
#endif
