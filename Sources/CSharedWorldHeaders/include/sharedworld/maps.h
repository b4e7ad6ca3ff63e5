/* SharedWorld for C: maps and sharing them. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_MAPS_H
#define SHAREDWORLD_MAPS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* The peer that shared a map in a session; all zero of one that this program has made or read. */
sw_status sw_map_provider(const sw_map *map, sw_peer_id *peer);

/* How well a place is mapped. */
enum {
  SW_MAPPING_NOT_AVAILABLE = 0, /* there is no feature point yet */
  SW_MAPPING_LIMITED = 1,       /* too little to relocalise */
  SW_MAPPING_EXTENDING = 2,     /* enough to share, and still growing */
  SW_MAPPING_MAPPED = 3         /* the place is well covered */
};

/* What SW_MAPPING_LIMITED lacks, as bits. */
enum {
  SW_MAPPING_LACKS_COVERAGE = 1, /* too few cells of the place hold points */
  SW_MAPPING_LACKS_DENSITY = 2,  /* the covered cells hold too few points */
  SW_MAPPING_LACKS_VIEWS = 4     /* it was seen from too few views, where their number is known */
};

/*
 * How well the place of a map is mapped: SW_MAPPING_..., what it lacks, and how far it has come towards SW_MAPPING_MAPPED, 0-1.
 * Each may be NULL. `views` is how many camera views the points were built from; 0 is what the map knows of that. Reads all
 * points: for a map that is built, call it now and then, not for every frame.
 */
sw_status sw_map_mapping(const sw_map *map, uint32_t views, uint32_t *status, uint32_t *lacks, float *progress);

/*
 * Copies points `first` to `first + count - 1`: three floats each to `positions` and one number each to
 * `identifiers`. Either may be NULL. A range beyond the map is SW_INVALID_ARGUMENT.
 */
sw_status sw_map_copy_points(const sw_map *map, size_t first, size_t count, float *positions, uint64_t *identifiers);

/* Gives a map back. */
void sw_map_destroy(sw_map *map);

/*
 * Shares a map with one member, or with all and every later joiner when `peer` is NULL. Its anchors join the session,
 * once. The handle of the map may be destroyed at once. SW_EVENT_DONE: map: the name of this revision, once it is encoded, not
 * once it has arrived.
 */
sw_status sw_session_share_map(
    sw_session *session, const sw_map *map, const sw_peer_id *peer, uint64_t *operation);

/*
 * Shares the session's anchors and these points, as of sw_map_create and in this peer's frame, with all, once that is worth it.
 * `views` as of sw_map_mapping. A device in a frame of its own shares the map as it lies in the shared frame, which the first map
 * of a session defines. SW_EVENT_DONE: map; SW_MAP_NOT_READY below SW_MAPPING_EXTENDING, SW_NOT_CONNECTED while nobody else is
 * there, SW_NOT_RELOCALIZED where this device has not found its place in the session's map, SW_NOT_PERMITTED.
 */
sw_status sw_session_share_capture(
    sw_session *session, const float *positions, const uint64_t *identifiers, size_t count, uint32_t views,
    uint64_t *operation);

/*
 * The session's map, or the latest one sent to this peer alone; SW_NO_MAP before one is complete. The first call for a map that
 * came from a peer waits until it is decoded, unless sw_session_decode_map has done that.
 */
sw_status sw_session_map(sw_session *session, sw_map **map);

/* Decodes that map in the background. SW_EVENT_DONE: SW_OK when sw_session_map does not wait for it; SW_NO_MAP as above. */
sw_status sw_session_decode_map(sw_session *session, uint64_t *operation);

/* Stops fetching a map, for good; nothing happens if it is here already. */
sw_status sw_session_cancel_map(sw_session *session, const sw_map_id *map);

/* Tells everybody that this program knows where it is in the session's map (1: SW_MAP_CLAIMED), or has lost it (0). */
sw_status sw_session_set_relocalized(sw_session *session, int relocalized);

#ifdef __cplusplus
}
#endif
#endif
