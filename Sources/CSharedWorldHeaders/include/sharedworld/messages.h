/* SharedWorld for C: bytes that an app sends. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_MESSAGES_H
#define SHAREDWORLD_MESSAGES_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The promise about the delivery of a message. */
enum {
  SW_MODE_RELIABLE = 0,  /* exactly once, behind all earlier reliable messages to the same receiver, or SW_EVENT_MESSAGES_FAILED */
  SW_MODE_CRITICAL = 1,  /* the same, ahead of the reliable messages that have not left */
  SW_MODE_UNRELIABLE = 2 /* the latest wins: of the messages under one key some arrive, none behind a newer one */
};

/* To whom a message goes, and how. Set every member to zero, `size` to sizeof(sw_delivery), and what differs from that. */
typedef struct sw_delivery {
  uint32_t size;
  uint32_t mode;           /* SW_MODE_... */
  const char *key;         /* of an unreliable message, at most 63 bytes; NULL is "" */
  const char *group;       /* a group whose other members get it, none of them being no error; NULL is `peers` */
  const sw_peer_id *peers; /* members; NULL is all */
  size_t peer_count;
} sw_delivery;

/*
 * Sends bytes, at most 60 KiB, unreliably at most 16 KiB; a NULL `delivery` is reliable and to all. Never waits: while too
 * many messages to one receiver are on their way, as when its program does not read events, it is SW_WOULD_BLOCK and nobody
 * gets it. Try again after SW_EVENT_ROOM, which may be followed by another refusal and so by another event.
 * `number`, which may be NULL, receives the number that SW_EVENT_MESSAGES_FAILED names. SW_LIMIT_EXCEEDED,
 * SW_UNKNOWN_PEER, SW_INVALID_ARGUMENT.
 */
sw_status sw_session_send(
    sw_session *session, const uint8_t *bytes, size_t size, const sw_delivery *delivery, uint64_t *number);

/*
 * Joins a group (1-63 bytes of text), so that this peer gets what is sent to it, or leaves it; SW_LIMIT_EXCEEDED beyond 16
 * groups. A group exists while somebody is in it; SW_EVENT_GROUPS_CHANGED tells of the other members.
 */
sw_status sw_session_join_group(sw_session *session, const char *group);
sw_status sw_session_leave_group(sw_session *session, const char *group);

/* A group and the members that are in it, this peer included, in the order of their ids. */
typedef struct sw_group {
  const char *name;
  const sw_peer_id *members;
  size_t member_count;
} sw_group;

/* The groups at one moment, in the order of their names, and the function that takes such a list. */
typedef struct sw_group_list sw_group_list;
sw_status sw_session_groups(sw_session *session, sw_group_list **groups);
/* How many there are, 0 for NULL; one of them, owned by the list, NULL beyond its end; giving the list back. */
size_t sw_group_list_count(const sw_group_list *groups);
const sw_group *sw_group_list_get(const sw_group_list *groups, size_t index);
void sw_group_list_destroy(sw_group_list *groups);

#ifdef __cplusplus
}
#endif
#endif
