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

/*
 * Answers SW_EVENT_CODE: whether the other screen shows the same code (1) or not (0). `code` is the event's `operation`, so that
 * no late answer is one to the next code of the same peer; SW_INVALID_ARGUMENT when that code does not wait (any more).
 */
sw_status sw_session_answer_code(sw_session *session, uint64_t code, int is_same);

/* Lets strangers try the passcode again that have to wait after a wrong one, or that 20 wrong ones keep out. */
sw_status sw_session_unlock_passcode(sw_session *session);

/* The length of a passcode of sw_passcode_generate with its end, and its strength. */
enum {
  SW_PASSCODE_SIZE = 10, /* bytes, the zero at the end included */
  SW_PASSCODE_BITS = 40  /* random bits */
};

/*
 * Writes a new random passcode, such as 7KQF-3M9X, as text into `buffer` of `size` bytes, at least SW_PASSCODE_SIZE; with fewer
 * it writes nothing: SW_INVALID_ARGUMENT. The caller overwrites the buffer when it is of no more use.
 */
sw_status sw_passcode_generate(char *buffer, size_t size);

/* A peer in a file of known peers. */
typedef struct sw_known_peer {
  sw_peer_id id;
  const char *day;  /* of its admission, such as "2026-11-22" (UTC) */
  const char *name; /* that it gave itself then; not necessarily unique */
} sw_known_peer;

/*
 * The peers in a file of known peers, in its order; none when there is no such file. A NULL `path` is the file beside the
 * identities of the default directory. Waits for the disk. SW_CORRUPT_DATA: sw_last_error_message names the line;
 * SW_INSECURE_FILE, SW_LIMIT_EXCEEDED (the file is too large), SW_IO.
 */
typedef struct sw_known_peer_list sw_known_peer_list;
sw_status sw_known_peers_list(const char *path, sw_known_peer_list **peers);
/* How many there are, 0 for NULL; one of them, owned by the list, NULL beyond its end; giving the list back. */
size_t sw_known_peer_list_count(const sw_known_peer_list *peers);
const sw_known_peer *sw_known_peer_list_get(const sw_known_peer_list *peers, size_t index);
void sw_known_peer_list_destroy(sw_known_peer_list *peers);

/*
 * Removes a peer from such a file; SW_UNKNOWN_PEER when it is not there, and as above. A session that runs retains what it has read
 * at its start: the removal counts from the next start.
 */
sw_status sw_known_peers_remove(const char *path, const sw_peer_id *peer);

#ifdef __cplusplus
}
#endif
#endif
