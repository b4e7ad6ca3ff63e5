/* SharedWorld for C: what the connections of a session carry. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_STATISTICS_H
#define SHAREDWORLD_STATISTICS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A direct connection of this peer. */
typedef struct sw_link {
  sw_peer_id peer;         /* at the other end */
  const char *name;        /* of that peer */
  int64_t round_trip_ns;   /* a small message there and back (nanoseconds), -1 before it is measured */
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t queued_bytes;   /* wait to be sent: a number that stays high says that the network is too slow */
} sw_link;

/* A direct connection between two peers; it has no direction. */
typedef struct sw_connection {
  sw_peer_id one;   /* the peer with the lower id */
  sw_peer_id other;
} sw_connection;

/* The connections of a session at one moment, and the function that takes them. */
typedef struct sw_statistics sw_statistics;
sw_status sw_session_statistics(sw_session *session, sw_statistics **statistics);
/* Turns of the protocol so far, 0 for NULL. A number that rises fast says that the session's thread works. */
uint64_t sw_statistics_turns(const sw_statistics *statistics);

/*
 * The direct connections of this peer, in the order of the ids: how many, 0 for NULL, and one of them, owned by the statistics, NULL
 * beyond the end.
 */
size_t sw_statistics_link_count(const sw_statistics *statistics);
const sw_link *sw_statistics_link(const sw_statistics *statistics, size_t index);
/* Every direct connection in the session that this peer knows of, in the same way; those of others are known a moment later. */
size_t sw_statistics_connection_count(const sw_statistics *statistics);
const sw_connection *sw_statistics_connection(const sw_statistics *statistics, size_t index);

/* Gives statistics back. */
void sw_statistics_destroy(sw_statistics *statistics);

#ifdef __cplusplus
}
#endif
#endif
