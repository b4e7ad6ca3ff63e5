/*
 * SharedWorld for C: peers on a local network share a world map and keep anchors the same everywhere, without a server.
 *
 * Conventions of every function here:
 *
 * - Status. A function that can fail returns a sw_status; SW_OK is 0. After any other value sw_last_error_message() has
 *   a sentence for people, for the calling thread. Outputs are written only on success.
 * - NULL. A pointer that must not be NULL but is gives SW_INVALID_ARGUMENT, never a crash. An output that is marked
 *   "may be NULL" is skipped. Destroying NULL does nothing.
 * - Ownership. What a function hands out through a pointer to a pointer belongs to the caller, who gives it back to the
 *   matching ..._destroy function, once. Pointers inside such an object live as long as it does. What is passed in is
 *   copied before the function returns.
 * - Threads. Every function may be called from any thread, several at once on one object. Destroy or stop an object only
 *   when no other thread uses it. No function calls back. Functions marked "waits" block the calling thread.
 * - Signals. The threads of the library block all signals that are sent to the process. Text is UTF-8, ended by a zero byte.
 * - Space. Lengths are metres in a right-handed frame with y up. A transform is 16 floats, column-major: columns 0-2
 *   are the local x, y and z axes in the world, column 3 is the position. It must be rigid (rotation and translation).
 * - Growth. Structures only ever grow at their end. Those the caller allocates carry their size; those the library
 *   allocates are reached through functions, so an older program works with a newer library.
 */
#ifndef SHAREDWORLD_H
#define SHAREDWORLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and errors --------------------------------------------------------------------------------------- */
/* The version of this interface. It changes only when a program must be compiled again. */
#define SW_ABI_VERSION 1

/* The SW_ABI_VERSION of the library that is loaded; compare it before anything else. */
uint32_t sw_abi_version(void);

/* What came of a call. Later versions may add values. */
typedef int32_t sw_status;
enum {
  SW_OK = 0,
  SW_DECLINED = 1,               /* the other side declined the invitation */
  SW_INVITATION_TIMED_OUT = 2,   /* somebody is there and did not answer the invitation in time */
  SW_CANCELLED = 3,              /* the caller gave up */
  SW_UNKNOWN_PEER = 4,           /* no peer or candidate has this id */
  SW_UNKNOWN_ANCHOR = 5,         /* no anchor has this id, or it was removed */
  SW_INVALID_ARGUMENT = 6,       /* an argument is NULL or outside its documented range */
  SW_VERSION_MISMATCH = 7,       /* the peer speaks no version of the protocol that we speak */
  SW_IDENTITY_MISMATCH = 8,      /* a peer is not who it claims to be */
  SW_CORRUPT_IDENTITY = 9,       /* the identity file cannot be read as one */
  SW_INSECURE_IDENTITY = 10,     /* others on this machine may use the identity file */
  SW_CORRUPT_DATA = 11,          /* data of a peer or a file is damaged */
  SW_NOT_CONNECTED = 12,         /* there is no connection to this peer */
  SW_LIMIT_EXCEEDED = 13,        /* a limit would be exceeded */
  SW_DISCOVERY_UNAVAILABLE = 14, /* peers cannot be discovered on this network now */
  SW_ADDRESS_IN_USE = 15,        /* another program listens on this port */
  SW_IO = 16,                    /* the operating system refused a file or a socket */
  SW_ENDED = 17,                 /* the session has ended */
  SW_OTHER_SERVICE = 18,         /* the other side uses another service type */
  SW_CONSUMER_TOO_SLOW = 19,     /* events were not read fast enough, changes of anchors were dropped */
  SW_DIVERGENCE = 20,            /* two peers held different anchors under one history; they are merging */
  SW_NO_MAP = 21,                /* the session has no complete map yet */
  SW_NOT_PERMITTED = 22,         /* the session's rules do not allow it */
  SW_LOCKED = 23,                /* the session takes no newcomers now */
  SW_NOT_HOST = 24,              /* only the host may do this */
  SW_DRAG_ENDED = 25,            /* the drag has ended, or a later one of the same anchor took its place */
  SW_NOT_OWNER = 26,             /* only the owner of an anchor may do this */
  SW_NOT_ACKNOWLEDGED = 27,      /* nobody answered in time */
  SW_UNREACHABLE = 28,           /* nobody answers at the address */
  SW_INSECURE_FILE = 29,         /* others on this machine may use a file of the session, or it is a link */
  SW_IDENTITY_IN_USE = 30,       /* two processes run with one identity */
  SW_PASSCODE_REQUIRED = 31,     /* one of two peers has a passcode, and the other has none */
  SW_PASSCODE_REFUSED = 32,      /* the passcodes of two peers differ */
  SW_PASSCODE_LOCKED = 33,       /* too many passcodes were wrong */
  SW_CODE_REQUIRED = 34,         /* a peer asks for a comparison of codes, and one of the two cannot show a code */
  SW_CODE_REFUSED = 35,          /* the code was not confirmed on both screens */
  SW_CODE_BUSY = 36,             /* too many codes are being compared, or a comparison failed a short time ago */
  SW_WOULD_BLOCK = 37,           /* too many messages are on their way to a receiver */
  SW_OTHER_ERROR = 99            /* none of these; the message says more */
};

/* The message of the calling thread's last failure, "" before the first. Valid until the thread's next failure. */
const char *sw_last_error_message(void);

/* The name of a status, such as "unknown-anchor"; "other" for a value this version does not know. Lives for ever. */
const char *sw_status_name(sw_status status);

/* ---- Names ---------------------------------------------------------------------------------------------------- */
/* Who a peer is: the SHA-256 of its public key. All zero means nobody. */
typedef struct sw_peer_id { uint8_t bytes[32]; } sw_peer_id;

/* Which anchor: the 16 bytes of a version-4 UUID. */
typedef struct sw_anchor_id { uint8_t bytes[16]; } sw_anchor_id;

/* Which revision of a map: the SHA-256 of its manifest. All zero means none. */
typedef struct sw_map_id { uint8_t bytes[32]; } sw_map_id;

/* A hash of the replicated anchors: equal on all peers that hold the same. */
typedef struct sw_digest { uint8_t bytes[32]; } sw_digest;

/* ---- Identity ------------------------------------------------------------------------------------------------- */
/* Who this device is: a key pair that is kept in a file, and a name for people. */
typedef struct sw_identity sw_identity;

/*
 * Reads the identity called `name` (1-63 bytes) from `directory`, or makes one and keeps it there. With a NULL
 * directory it is $XDG_STATE_HOME/sharedworld, else ~/.local/state/sharedworld. Waits for the disk.
 */
sw_status sw_identity_load_or_create(const char *name, const char *directory, sw_identity **identity);

/* The id that other peers know this identity by. */
sw_status sw_identity_peer_id(const sw_identity *identity, sw_peer_id *peer);

/* Gives an identity back; the file stays. A session started with it goes on. */
void sw_identity_destroy(sw_identity *identity);

/* ---- Maps ----------------------------------------------------------------------------------------------------- */
/* A cloud of feature points and static anchors; it never changes. */
typedef struct sw_map sw_map;

/*
 * A map without anchors from `count` points: `positions` has three floats a point (metres), `identifiers` one number,
 * each different. Both may be NULL when count is 0.
 */
sw_status sw_map_create(const float *positions, const uint64_t *identifiers, size_t count, sw_map **map);

/* Reads a .worldmap file (at most 512 MiB). Waits for the disk. */
sw_status sw_map_load(const char *path, sw_map **map);

/* Writes a .worldmap file; the path has the whole file or what was there before. Waits for the disk. */
sw_status sw_map_save(const sw_map *map, const char *path);

/* The feature points, and the static anchors, of a map; 0 for NULL. */
size_t sw_map_point_count(const sw_map *map);
size_t sw_map_anchor_count(const sw_map *map);

/*
 * Copies points `first` to `first + count - 1`: three floats each to `positions` and one number each to
 * `identifiers`. Either may be NULL. A range beyond the map is SW_INVALID_ARGUMENT.
 */
sw_status sw_map_copy_points(const sw_map *map, size_t first, size_t count, float *positions, uint64_t *identifiers);

/* Gives a map back. */
void sw_map_destroy(sw_map *map);

/* ---- Sessions ------------------------------------------------------------------------------------------------- */
/* How peers on the network are found. */
enum {
  SW_DISCOVERY_AUTOMATIC = 0, /* Avahi's daemon if it runs, else mDNS in this process */
  SW_DISCOVERY_AVAHI = 1,     /* Avahi's daemon */
  SW_DISCOVERY_EMBEDDED = 2,  /* mDNS in this process, without any daemon */
  SW_DISCOVERY_NONE = 3       /* not at all: connections are made by hand */
};

/* How invitations are answered. */
enum {
  SW_INVITATIONS_DECLINE = 0, /* all are declined */
  SW_INVITATIONS_ACCEPT = 1,  /* all are accepted */
  SW_INVITATIONS_ASK = 2      /* SW_EVENT_INVITATION asks; sw_session_answer answers */
};

/* Who may share a map with the whole session. */
enum {
  SW_MAP_PROVIDERS_ANYONE = 0, /* every member */
  SW_MAP_PROVIDERS_HOST = 1    /* whoever is host at that moment */
};

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

/* How a session finds others and treats them. Fill it with sw_session_config_init first, then change fields. */
typedef struct sw_session_config {
  uint32_t size;           /* sizeof(sw_session_config), set by sw_session_config_init */
  uint32_t discovery;      /* SW_DISCOVERY_...; default automatic */
  const char *service;     /* DNS-SD service type, 1-15 letters, digits, hyphens; NULL is "sharedworld" */
  const char *listen_host; /* address to listen on; NULL is every address */
  uint16_t listen_port;    /* TCP port to listen on; 0, the default, is any free one */
  uint8_t host_priority;   /* the wish to host, 0-255, more is better; default 1 */
  uint8_t can_host;        /* whether this peer may ever be host; default 1 */
  uint8_t advertises_name; /* whether everybody on the network sees the name; default 0 */
  uint8_t invitations;     /* SW_INVITATIONS_...; default decline */
  uint8_t member_limit;    /* the most peers of a session that this peer starts, 2-64; 0, the default, is 64 */
  uint8_t map_providers;   /* SW_MAP_PROVIDERS_...; default everybody; give all peers the same */
  const char *journal;     /* file that keeps the anchors for the next start of the program; NULL, the default, is none */
  const char *state;       /* file with which the next start comes back into the session uninvited; NULL is none */
  const char *map_cache;   /* folder in which parts of maps are kept; NULL is none */
  uint64_t map_cache_limit; /* how much is kept there (bytes); 0, the default, is 2 GiB */
  uint32_t grace_time_s;   /* how long after the end of the program `state` leads back (seconds); default 600 */
  uint8_t keeps_orphaned_ownership; /* whether, as host, owners that left keep their anchors until the lease ends; default 0 */
  uint8_t trust;           /* SW_TRUST_...; default anyone */
  uint8_t shows_codes;     /* whether SW_EVENT_CODE is answered, for peers that ask for it; default 0; SW_TRUST_CODE: 1 */
  uint8_t reserved;        /* zero */
  const char *storage;     /* folder for what `journal`, `state` and `map_cache` do not name; NULL, the default, is none */
  const char *known_peers; /* file of SW_TRUST_FIRST_USE and _CODE; NULL is `known-peers` in `storage`, else beside the identities */
  const sw_peer_id *admitted; /* the keys of SW_TRUST_PINNED */
  size_t admitted_count;
  const char *passcode; /* 6-64 printable ASCII characters that all peers must know; NULL, the default, is none */
} sw_session_config;

/* Writes the defaults. `size` is sizeof(sw_session_config); no more than that is written. */
sw_status sw_session_config_init(sw_session_config *config, size_t size);

/* One peer's part in a shared world. */
typedef struct sw_session sw_session;

/* Starts a session: listens, advertises and looks for others. A NULL `config` is the defaults. Waits. */
sw_status sw_session_start(const sw_identity *identity, const sw_session_config *config, sw_session **session);

/* Says goodbye to everybody, ends the session and gives it back, with its events descriptor. Waits until it is over. */
void sw_session_stop(sw_session *session);

/* The TCP port the session listens on; 0 for NULL. */
uint16_t sw_session_port(const sw_session *session);

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

/* Answers SW_EVENT_CODE: whether the other screen shows the same code (1) or not (0). SW_UNKNOWN_PEER if none waits. */
sw_status sw_session_answer_code(sw_session *session, const sw_peer_id *peer, int is_same);

/* Takes no newcomers any more (`locked` 1), or takes them again (0); SW_NOT_HOST unless this peer hosts. */
sw_status sw_session_set_locked(sw_session *session, int locked);

/* Lets strangers try the passcode again that have to wait after a wrong one, or that 20 wrong ones keep out. */
sw_status sw_session_unlock_passcode(sw_session *session);

/* Who hosts, all zero while an election runs, and the number of that host, which only rises. Each may be NULL. */
sw_status sw_session_host(sw_session *session, sw_peer_id *host, uint64_t *epoch);

/*
 * Sends a message of at most 60 KiB to `peer_count` members; to all when `peers` is NULL. Each of them gets it exactly
 * once and in order, or SW_EVENT_MESSAGES_FAILED names it. While too many messages to one of them are on their way, as
 * when its program does not read events, the first function waits; the second one sends to nobody and returns
 * SW_WOULD_BLOCK. `number`, which may be NULL, receives the number that the event names.
 */
sw_status sw_session_send(
    sw_session *session, const uint8_t *bytes, size_t size, const sw_peer_id *peers, size_t peer_count);
sw_status sw_session_send_now(sw_session *session, const uint8_t *bytes, size_t size, const sw_peer_id *peers,
    size_t peer_count, uint64_t *number);

/* ---- Peers ---------------------------------------------------------------------------------------------------- */
/* How well a peer can be reached. */
enum { SW_PEER_CONNECTING = 0, SW_PEER_CONNECTED = 1, SW_PEER_RECONNECTING = 2, SW_PEER_LOST = 3 };

/* A member of the session other than this peer. */
typedef struct sw_peer {
  sw_peer_id id;
  const char *name;       /* not necessarily unique */
  uint32_t state;         /* SW_PEER_... */
  uint32_t is_direct;     /* 1 when there is a direct connection */
  int64_t round_trip_ns;  /* of the direct connection (nanoseconds), -1 before it is measured */
  uint32_t recognition;   /* SW_RECOGNITION_... */
  uint32_t reserved;      /* zero */
} sw_peer;

/* The other members at one moment, in the order of their ids, and the function that takes such a list. */
typedef struct sw_peer_list sw_peer_list;
sw_status sw_session_peers(sw_session *session, sw_peer_list **peers);
/* How many there are, 0 for NULL; one of them, owned by the list, NULL beyond its end; giving the list back. */
size_t sw_peer_list_count(const sw_peer_list *peers);
const sw_peer *sw_peer_list_get(const sw_peer_list *peers, size_t index);
void sw_peer_list_destroy(sw_peer_list *peers);

/* ---- Anchors -------------------------------------------------------------------------------------------------- */
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

/* The anchors at one moment, in the order of their ids, and the function that takes such a list. */
typedef struct sw_anchor_list sw_anchor_list;
sw_status sw_session_anchors(sw_session *session, sw_anchor_list **anchors);
/* How many there are, 0 for NULL; one of them, owned by the list, NULL beyond its end; giving the list back. */
size_t sw_anchor_list_count(const sw_anchor_list *anchors);
const sw_anchor *sw_anchor_list_get(const sw_anchor_list *anchors, size_t index);
void sw_anchor_list_destroy(sw_anchor_list *anchors);

/* The hash of the replicated anchors. */
sw_status sw_session_digest(sw_session *session, sw_digest *digest);

/* ---- Live poses and ownership --------------------------------------------------------------------------------- */
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
 * Asks to own an anchor and waits for the grant, at most `timeout_ms` milliseconds (1-60000; 0 is 10000). Ownership is
 * advisory: no edit is refused because of it. It lasts `lease_ms` milliseconds, with 0 until it is released. SW_DECLINED
 * when the owner keeps it, SW_NOT_ACKNOWLEDGED when nobody answers.
 */
sw_status sw_session_request_ownership(
    sw_session *session, const sw_anchor_id *anchor, uint32_t lease_ms, uint32_t timeout_ms);
/* Gives an anchor back, so that the next who asks gets it. SW_NOT_OWNER when this peer does not own it. Waits as above. */
sw_status sw_session_release_ownership(sw_session *session, const sw_anchor_id *anchor, uint32_t timeout_ms);

/* ---- Sharing a map -------------------------------------------------------------------------------------------- */
/*
 * Shares a map with one member, or with all and every later joiner when `peer` is NULL. Its anchors join the session,
 * once. `id` gets the name of this revision and may be NULL. Waits until the map is encoded, not until it has arrived.
 */
sw_status sw_session_share_map(sw_session *session, const sw_map *map, const sw_peer_id *peer, sw_map_id *id);

/* The session's map, or the latest one sent to this peer alone; SW_NO_MAP before one is complete. */
sw_status sw_session_map(sw_session *session, sw_map **map);

/* Stops fetching a map, for good; nothing happens if it is here already. */
sw_status sw_session_cancel_map(sw_session *session, const sw_map_id *map);

/* Tells everybody that this program has found where it is in the session's map (1), or has lost it (0). */
sw_status sw_session_set_relocalised(sw_session *session, int relocalised);

/* ---- Events --------------------------------------------------------------------------------------------------- */
/*
 * What happened. The comment names the fields of sw_event that are set; the others are zero or NULL. Later versions may
 * add values and set more fields of those that are here: pass over what you do not know.
 */
enum {
  SW_EVENT_CANDIDATE_FOUND = 1,        /* text: the candidate's id; name: what it calls itself, or NULL */
  SW_EVENT_CANDIDATE_LOST = 2,         /* text, name */
  SW_EVENT_DISCOVERY_AVAILABLE = 3,    /* text: the back-end */
  SW_EVENT_DISCOVERY_UNAVAILABLE = 4,  /* text: why */
  SW_EVENT_INVITATION = 5,             /* peer, name, data: the context, untrusted; recognition */
  SW_EVENT_INVITATION_ENDED = 6, SW_EVENT_PEER_JOINED = 7, SW_EVENT_PEER_RECONNECTING = 8, /* peer, name */
  SW_EVENT_PEER_LEFT = 9,              /* peer, name, text: why */
  SW_EVENT_HOST_CHANGED = 10,          /* peer: the host or nobody, epoch, text: why */
  SW_EVENT_MAP_PROGRESS = 11,          /* peer: who sends, map, done and total (bytes) */
  SW_EVENT_MAP_RECEIVED = 12,          /* peer: who shared it, map, done and total (bytes) */
  SW_EVENT_MAP_FAILED = 13,            /* status, text */
  SW_EVENT_ANCHOR_ADDED = 14,          /* anchor, text: its origin (local, remote, map or merge) */
  SW_EVENT_ANCHOR_UPDATED = 15,        /* anchor, text */
  SW_EVENT_ANCHOR_REMOVED = 16,        /* anchor: its last state, text */
  SW_EVENT_EDIT_SUPERSEDED = 17,       /* anchor.id: a peer removed what this one edited; the rest as for 26 */
  SW_EVENT_MESSAGE = 18,               /* peer, data; of an unreliable one text: its key */
  SW_EVENT_PROBLEM = 19,               /* status, text: something that ends neither session nor data */
  SW_EVENT_ENDED = 20,                 /* text: why; nothing follows */
  SW_EVENT_SESSION_MERGED = 21,        /* peer: the host, epoch 0, total: the peers of both sides, this one included */
  SW_EVENT_LOCKED = 22, SW_EVENT_UNLOCKED = 23, /* nothing: the session takes no newcomers any more; it takes them again */
  SW_EVENT_PEER_MAP_CHANGED = 24,      /* peer, name, map: the one it has or fetches, or none, stage, percent */
  SW_EVENT_SYNCHRONISED = 25,          /* digest: all is here that the connected peers had */
  SW_EVENT_FIELD_OVERWRITTEN = 26,     /* anchor.id, peer: whose edit stands or nobody, field, and what was lost: see there */
  SW_EVENT_ANCHOR_RESTORED = 27,       /* anchor, other: the removed one that it brings back */
  SW_EVENT_OWNERSHIP_CHANGED = 28,     /* anchor.id, peer: the owner or nobody */
  SW_EVENT_ANCHOR_DRAGGED = 29,        /* anchor.id, anchor.transform, peer: who drags it, time, sequence */
  SW_EVENT_DRAG_ENDED = 30,            /* anchor.id, peer */
  SW_EVENT_PARTICIPANT_MOVED = 31,     /* anchor.id, anchor.transform, peer: whose device it is, time, sequence */
  SW_EVENT_PARTICIPANT_GONE = 32,      /* peer */
  SW_EVENT_NEW_DEVICE = 33,            /* peer, name, data: the key (32 bytes) of the known peer of that name, which differs */
  SW_EVENT_CODE = 34,                  /* peer, name, text: six digits that two people compare; recognition */
  SW_EVENT_CODE_ENDED = 35,            /* peer, name, flags: 1 if both users have confirmed */
  SW_EVENT_MESSAGES_FAILED = 36,       /* peer: the receiver, text: why, total: how many, data: their numbers (uint64_t each) */
  SW_EVENT_MESSAGE_RETURNED = 37,      /* peer: the receiver, text: why, sequence: its number; objects of Swift apps alone */
  SW_EVENT_PEER_RECONNECTED = 38,      /* peer, name: it was told of as reconnecting, and can be reached again */
  SW_EVENT_NOBODY_FOUND = 39,          /* for 10 s; text: what may be the cause and what to do */
  SW_EVENT_ALIGNMENT_CHANGED = 40,     /* peer, name, text: unaligned, aligning, aligned or lost; anchors have moved, come or gone */
  SW_EVENT_GROUPS_CHANGED = 41,        /* peer, name, text: the groups it is in now, one a line */
  /* Resources, of Swift apps: peer, digest (its id), done and total (bytes), text (name, path, or why), flags: 1 if sent. */
  SW_EVENT_RESOURCE_OFFERED = 44, SW_EVENT_RESOURCE_PROGRESS = 45, SW_EVENT_RESOURCE_RECEIVED = 46,
  SW_EVENT_RESOURCE_FAILED = 47, SW_EVENT_RESOURCE_SETTLED = 48,
  SW_EVENT_ATTACHMENT_CHANGED = 49 /* the same; flags: 0 listed, 1 on its way, 2 here, 3 failed, 4 removed */
};
/* Which part of an anchor an edit wrote. The comment names where a lost edit's value is. */
enum {
  SW_FIELD_NONE = 0,
  SW_FIELD_TRANSFORM = 1, /* anchor.transform */
  SW_FIELD_NAME = 2,      /* text */
  SW_FIELD_PAYLOAD = 3,   /* text: its content type, or NULL for no payload; data */
  SW_FIELD_FLAGS = 4,     /* flags */
  SW_FIELD_OWNERSHIP = 5  /* nowhere */
};

/* How far a peer has come with the session's map. */
enum {
  SW_MAP_NONE = 0,         /* it has none */
  SW_MAP_TRANSFERRING = 1, /* it has verified `percent` of it */
  SW_MAP_RECEIVED = 2,     /* it has it */
  SW_MAP_RELOCALISED = 3   /* it has it and knows where it is in it */
};

/* Something that happened in a session. */
typedef struct sw_event {
  uint32_t type;    /* SW_EVENT_... */
  sw_status status; /* of a problem */
  sw_peer_id peer;
  sw_map_id map;
  uint64_t epoch;
  uint64_t done;
  uint64_t total;
  const char *name; /* of the peer or candidate */
  const char *text;
  const uint8_t *data;
  size_t data_size; /* bytes */
  sw_anchor anchor; /* its name is NULL in an event without an anchor, or with no more than its id */
  sw_anchor_id other;
  sw_digest digest;
  uint64_t time;     /* session time (milliseconds) of a live pose */
  uint64_t sequence; /* counts the live poses of a peer; a higher one is newer */
  uint32_t field;    /* SW_FIELD_... */
  uint32_t flags;
  uint32_t stage;   /* SW_MAP_... */
  uint32_t percent; /* 0-100 */
  uint32_t recognition; /* SW_RECOGNITION_... */
  uint32_t reserved;    /* zero */
} sw_event;

/*
 * A descriptor that poll(2) reports as readable while events wait, and for ever after the end; -1 for NULL. It belongs
 * to the session: wait for it, but neither read nor close it.
 */
int sw_session_events_fd(const sw_session *session);

/*
 * Takes the next event, in order; `event` becomes NULL when none waits. Never blocks. Events are bounded: unread
 * updates of one anchor become one, and a program that does not read for long loses changes of anchors and is told by
 * SW_EVENT_PROBLEM with SW_CONSUMER_TOO_SLOW. SW_ENDED after SW_EVENT_ENDED was taken.
 */
sw_status sw_session_next_event(sw_session *session, sw_event **event);

/* Gives an event back. */
void sw_event_destroy(sw_event *event);

#ifdef __cplusplus
}
#endif
#endif
