/* SharedWorld for C: the other members. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_PEERS_H
#define SHAREDWORLD_PEERS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
