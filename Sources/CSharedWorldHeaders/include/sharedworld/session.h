/* SharedWorld for C: starting a session, and its host. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_SESSION_H
#define SHAREDWORLD_SESSION_H

#include "identity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How peers on the network are found. */
enum {
  SW_DISCOVERY_AUTOMATIC = 0, /* Avahi's daemon if it runs, else mDNS in this process */
  SW_DISCOVERY_AVAHI = 1,     /* Avahi's daemon */
  SW_DISCOVERY_EMBEDDED = 2,  /* mDNS in this process, without any daemon */
  SW_DISCOVERY_NONE = 3       /* not at all: connections are made by hand */
};

/* Who decides about a session that a peer begins, see roles.h: its host; this peer; this peer, with publishers of maps. */
enum { SW_AUTHORITY_HOST = 0, SW_AUTHORITY_CREATOR = 1, SW_AUTHORITY_CURATED = 2 };

/* The part that newcomers get in a creator's session that a peer begins, until its creator gives them another, see roles.h. */
enum { SW_NEWCOMERS_MEMBERS = 0, SW_NEWCOMERS_GUESTS = 1 };

/* Whether a session looks for others, shows itself, or both. */
enum { SW_ROLE_BOTH = 0, SW_ROLE_BROWSER = 1, SW_ROLE_ADVERTISER = 2 };

/* Which of the peers that are found are invited without being named. */
enum {
  SW_INVITE_NONE = 0, /* none; to choose among them, wait for SW_EVENT_CANDIDATE_FOUND and call sw_session_keep_inviting */
  SW_INVITE_ALL = 1   /* all, until they join, refuse or are out of sight; SW_EVENT_INVITATION_FAILED names failures */
};

/* How much of what a library would print comes as SW_EVENT_LOG. */
enum {
  SW_LOG_NONE = 0,    /* nothing */
  SW_LOG_WARNING = 1, /* what does not work, and what the program does not do of its part */
  SW_LOG_INFO = 2,    /* also what is worth knowing */
  SW_LOG_DEBUG = 3    /* also what is usual on a network: dials that fail, strangers that are turned away */
};

/* Who may share a map with the whole session. */
enum {
  SW_MAP_PROVIDERS_ANYONE = 0, /* every member */
  SW_MAP_PROVIDERS_HOST = 1    /* whoever is host at that moment */
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
  uint8_t role;           /* SW_ROLE_...; default both */
  uint8_t invite_policy;  /* SW_INVITE_...; default none */
  uint8_t hides_device;   /* whether the service has another random name each time; default 0 */
  uint8_t announces;      /* whether signed announcements are sent beside `discovery`, which show the peer's id; default 0 */
  uint16_t announce_port; /* their UDP port, the same at all peers; 0, the default, is 47824 */
  uint8_t asks_host;      /* whether SW_EVENT_HOST_REQUESTED is answered; 0, the default: a higher `host_priority` gets the role */
  uint8_t asks_ownership; /* whether SW_EVENT_OWNERSHIP_REQUESTED is answered; 0, the default: an anchor goes to who asks */
  uint32_t invite_timeout_ms; /* how long an invitation that is repeated waits for its answer, 1-60000; 0, the default, is 10000 */
  uint32_t reserved3;         /* zero */
  const char *const *probes; /* addresses and IPv4 networks that announcements ask, such as "192.0.2.0/24"; 1024 addresses in all */
  size_t probe_count;
  const sw_pair *info; /* the app's own keys and values for everybody on the network; keys of 1-9 characters, about 300 bytes */
  size_t info_count;
  const char *resource_folder; /* where the folder for arriving resources is made; NULL, the default, is TMPDIR, else /tmp */
  uint64_t map_memory_limit;   /* the most memory that a map of a peer may take (bytes); 0, the default, is 256 MiB */
  uint8_t authority;      /* SW_AUTHORITY_... of the session that this peer begins; default host */
  uint8_t log;            /* SW_LOG_...; default none */
  uint8_t newcomers;      /* SW_NEWCOMERS_... of that session; default members; guests need another `authority` than the host */
  uint8_t reserved4;      /* zero */
  uint32_t realign_interval_ms; /* the least time between two searches of sw_session_keep_aligned; 0, the default, is 2000 */
  const char *passcode_file; /* file with it, in place of `passcode`; SW_INSECURE_IDENTITY unless its mode is 0600; NULL is none */
  const char *room;  /* name of a room, as sw_join has it, in place of `service` and `passcode`; NULL, the default, is none */
  const char *code;  /* its code; NULL makes a new one, or takes that of a link */
  const char *place; /* where somebody of the room listens; NULL, the default, is unknown */
  uint8_t ends_on_signals; /* whether SIGINT and SIGTERM end the session, where the program does not handle them; default 0 */
  uint8_t reserved5[7];    /* zero */
  uint32_t attachment_count_limit; /* how many attachments of others come by themselves; 0, the default, is 64 */
  uint32_t reserved6;              /* zero */
  uint64_t attachment_size_limit;  /* how large those may be together (bytes); 0, the default, is 256 MiB */
} sw_session_config;

/* Writes the defaults. `size` is sizeof(sw_session_config); no more than that is written. */
sw_status sw_session_config_init(sw_session_config *config, size_t size);

/* One peer's part in a shared world. */
typedef struct sw_session sw_session;

/* Starts a session: listens, advertises and looks for others. A NULL `config` is the defaults. Waits. */
sw_status sw_session_start(const sw_identity *identity, const sw_session_config *config, sw_session **session);

/*
 * Starts a session in a room, with everybody on this network who names the same room and proves the same code, and nobody else.
 * Its identity is `name`, of the default directory. SIGINT and SIGTERM end it, where the program does not handle them:
 * SW_EVENT_ENDED says so, and the second one ends the program. Waits.
 *
 * `room` is a name of 1-15 letters, digits and hyphens, or a link of somebody in the room. `code` is its code, typed in whatever
 * way; NULL is that of the link. `place` is where somebody of the room listens, as HOST:PORT, or a link, for networks without
 * multicast; it may be NULL. A code of your own has at least six letters or digits, and a short one can be guessed.
 */
sw_status sw_join(const char *room, const char *code, const char *name, const char *place, sw_session **session);

/* Starts a session in a new room with a new code of SW_PASSCODE_BITS random bits; otherwise as sw_join. */
sw_status sw_host(const char *room, const char *name, sw_session **session);

/* The code of the session's room, such as kitten-lemon-violin-acorn, which lets others in; NULL for one that is no room. */
const char *sw_session_code(const sw_session *session);

/* A session that has begun to start. */
typedef struct sw_start sw_start;

/*
 * Begins to start a session, as sw_session_start does, and returns at once. Arguments that make no sense are refused here;
 * sw_start_finish tells of a port or a file that cannot be used.
 */
sw_status sw_session_start_async(const sw_identity *identity, const sw_session_config *config, sw_start **start);

/*
 * A descriptor that poll(2) reports as readable once the session runs or has failed; -1 for NULL. It belongs to the start: wait
 * for it, but neither read nor close it.
 */
int sw_start_fd(const sw_start *start);

/*
 * Takes the session, or the status of sw_session_start. Gives the start and its descriptor back, also when it has failed, but not
 * with SW_WOULD_BLOCK, since the start goes on then, nor when `session` is NULL. Never waits.
 */
sw_status sw_start_finish(sw_start *start, sw_session **session);

/* Gives a start up, and back; a session that runs nevertheless ends in the background. Nothing happens after it has finished. */
void sw_start_cancel(sw_start *start);

/* Says goodbye to everybody, ends the session and gives it back, with its events descriptor. Waits until it is over. */
void sw_session_stop(sw_session *session);

/*
 * Begins to say goodbye, as sw_session_stop does, and returns at once: SW_EVENT_ENDED says that it is over, with connections
 * and files closed, and sw_session_stop does not wait then.
 */
sw_status sw_session_leave(sw_session *session);

/*
 * Gives up an operation, which ends with SW_CANCELLED unless it has ended before, or ends what sw_session_read_objects and
 * sw_session_serve_requests have begun. Nothing happens for a number that is not open. Never waits.
 */
sw_status sw_session_cancel(sw_session *session, uint64_t operation);

/* The TCP port the session listens on; 0 for NULL. */
uint16_t sw_session_port(const sw_session *session);

/* Takes no newcomers any more, or takes them again. SW_NOT_HOST unless this peer hosts, SW_NOT_PERMITTED in a creator's session. */
sw_status sw_session_lock(sw_session *session);
sw_status sw_session_unlock(sw_session *session);

/* Who hosts, all zero while an election runs, and the number of that host, which only rises. Each may be NULL. */
sw_status sw_session_host(sw_session *session, sw_peer_id *host, uint64_t *epoch);

/*
 * Asks to host, for at most `timeout_ms` milliseconds (1-60000; 0 is 5000). SW_EVENT_DONE: SW_OK when this peer hosts,
 * SW_DECLINED when the host keeps the role, SW_NOT_ACKNOWLEDGED when nothing has changed in time.
 */
sw_status sw_session_request_host(sw_session *session, uint32_t timeout_ms, uint64_t *operation);

/* Hands the host's role to a member. SW_EVENT_DONE: as above, besides SW_UNKNOWN_PEER and SW_NOT_HOST. */
sw_status sw_session_hand_over(
    sw_session *session, const sw_peer_id *peer, uint32_t timeout_ms, uint64_t *operation);

/*
 * Answers SW_EVENT_HOST_REQUESTED or SW_EVENT_OWNERSHIP_REQUESTED: whether the peer gets what it asks for (1) or not (0).
 * `question` is the event's `operation`; SW_INVALID_ARGUMENT when it does not wait (any more). At most 64 wait, later ones
 * are refused; an answer after the other side's time-out has no effect.
 */
sw_status sw_session_answer_question(sw_session *session, uint64_t question, int accepts);

/* Removes a member for the life of the session, also if it starts again. SW_NOT_HOST, SW_UNKNOWN_PEER. */
sw_status sw_session_kick(sw_session *session, const sw_peer_id *peer);

#ifdef __cplusplus
}
#endif
#endif
