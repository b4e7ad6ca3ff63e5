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

/* Takes no newcomers any more (`locked` 1), or takes them again (0); SW_NOT_HOST unless this peer hosts. */
sw_status sw_session_set_locked(sw_session *session, int locked);

/* Who hosts, all zero while an election runs, and the number of that host, which only rises. Each may be NULL. */
sw_status sw_session_host(sw_session *session, sw_peer_id *host, uint64_t *epoch);

#ifdef __cplusplus
}
#endif
#endif
