/* SharedWorld for C: a session at one moment, for loops that draw. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_SNAPSHOT_H
#define SHAREDWORLD_SNAPSHOT_H

#include "contents.h"
#include "peers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A session at one moment. Everything in it is of the same turn and never changes, also after the end of the session. */
typedef struct sw_snapshot sw_snapshot;

/*
 * The latest view of a session, or NULL when its revision is not over `after`: a loop passes the revision that it drew last,
 * 0 at first. The first call says that views are wanted; from then on a change is in the next view at once if the last one was
 * taken, else after 4 ms at most. A call that comes before, the first one, and one after a second without any, waits as long as
 * one turn of the session's thread takes.
 */
sw_status sw_session_snapshot(sw_session *session, uint64_t after, sw_snapshot **snapshot);

/* Gives a view back. */
void sw_snapshot_destroy(sw_snapshot *snapshot);

/* The state of a session. The caller sets `size` to sizeof(sw_state); no more than that is written. */
typedef struct sw_state {
  uint32_t size;
  uint32_t map_stage;       /* how far this peer has come with the session's map: SW_MAP_... */
  uint64_t revision;        /* counts the views of this session, from 1 */
  sw_peer_id host;          /* all zero while an election runs */
  uint64_t epoch;           /* counts the hosts */
  uint64_t session_time;    /* the time that all members share (milliseconds) */
  sw_map_id map;            /* all zero before one is here */
  uint64_t map_points;
  uint32_t map_percent;     /* 0-100, while map_stage is SW_MAP_TRANSFERRING */
  uint32_t member_limit;    /* the most peers, this one included */
  sw_digest digest;         /* the hash of the replicated anchors */
  uint8_t is_synchronized;  /* 1 when all is here that the connected peers had when they connected */
  uint8_t is_locked;        /* 1 while newcomers are turned away */
  uint8_t has_ended;        /* 1 in the last view of a session */
  uint8_t reserved[5];      /* zero */
} sw_state;

/* What came of the session as a whole. */
sw_status sw_snapshot_state(const sw_snapshot *snapshot, sw_state *state);

/* Where an anchor that is dragged, or a peer's device, is at the moment. */
typedef struct sw_live_pose {
  sw_anchor_id anchor;  /* the dragged anchor, or the id under which the device is shown */
  sw_peer_id peer;      /* who drags it, or whose device it is */
  float transform[16];  /* column-major, metres */
  uint64_t time;        /* session time (milliseconds) */
  uint64_t sequence;    /* counts the live poses of a peer; a higher one is newer */
} sw_live_pose;

/*
 * The lists of a view: how many there are, 0 for NULL, and one of them, owned by the view, NULL beyond the end. The first look
 * at a list copies it. Anchors, with their kinds and payloads, and other members are in the order of their ids.
 */
size_t sw_snapshot_anchor_count(const sw_snapshot *snapshot);
const sw_anchor *sw_snapshot_anchor(const sw_snapshot *snapshot, size_t index);
const sw_anchor_content *sw_snapshot_anchor_content(const sw_snapshot *snapshot, size_t index);
size_t sw_snapshot_peer_count(const sw_snapshot *snapshot);
const sw_peer *sw_snapshot_peer(const sw_snapshot *snapshot, size_t index);
/* The anchors that other peers drag, and the devices of other peers. */
size_t sw_snapshot_drag_count(const sw_snapshot *snapshot);
const sw_live_pose *sw_snapshot_drag(const sw_snapshot *snapshot, size_t index);
size_t sw_snapshot_device_count(const sw_snapshot *snapshot);
const sw_live_pose *sw_snapshot_device(const sw_snapshot *snapshot, size_t index);

#ifdef __cplusplus
}
#endif
#endif
