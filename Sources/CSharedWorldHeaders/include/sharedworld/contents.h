/* SharedWorld for C: kinds and payloads of anchors, and hit-tests. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_CONTENTS_H
#define SHAREDWORLD_CONTENTS_H

#include "anchors.h"
#include "maps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of thing that an anchor marks. */
enum {
  SW_KIND_PLAIN = 0,      /* a place */
  SW_KIND_PLANE = 1,      /* a flat surface in the anchor's x-z plane; the y axis is its normal */
  SW_KIND_IMAGE = 2,      /* a known picture in the anchor's x-z plane, its top towards -z */
  SW_KIND_OBJECT = 3,     /* a known scanned object about the anchor's origin */
  SW_KIND_MESH = 4,       /* part of a mesh that is kept elsewhere, such as in a resource */
  SW_KIND_PARTICIPANT = 5 /* another peer's device; no program places one */
};

/* How a plane lies relative to gravity. */
enum { SW_PLANE_ANY = 0, SW_PLANE_HORIZONTAL = 1, SW_PLANE_VERTICAL = 2 };
/* The kind of surface that a plane is part of. */
enum {
  SW_SURFACE_UNKNOWN = 0, SW_SURFACE_WALL = 1, SW_SURFACE_FLOOR = 2, SW_SURFACE_CEILING = 3, SW_SURFACE_TABLE = 4,
  SW_SURFACE_SEAT = 5, SW_SURFACE_WINDOW = 6, SW_SURFACE_DOOR = 7
};

/* All of an anchor that sw_anchor does not have. To place one set every member to zero, `size`, and what differs from that. */
typedef struct sw_anchor_content {
  uint32_t size;              /* sizeof(sw_anchor_content) */
  uint32_t kind;              /* SW_KIND_... */
  const char *content_type;   /* the media type of the payload, at most 127 bytes; NULL for no payload */
  const uint8_t *payload;     /* at most 64 KiB */
  size_t payload_size;
  const char *reference;      /* the name of the picture, object or mesh; else NULL */
  float extent[3];            /* metres: width and depth of a plane, width and height of a picture, size of an object or mesh */
  uint32_t plane_alignment;   /* SW_PLANE_... */
  uint32_t plane_surface;     /* SW_SURFACE_... */
  uint32_t reserved;          /* zero */
  const float *corners;       /* the outline of a plane: x and z of each corner in order (metres); may be NULL */
  size_t corner_count;        /* 0, or 3-256 */
  sw_peer_id participant;     /* whose device it is */
  sw_digest mesh;             /* the hash of the mesh's bytes; all zero when it is not known */
} sw_anchor_content;

/* Kind and payload of an anchor of a list, owned by the list; NULL beyond its end. */
const sw_anchor_content *sw_anchor_list_content(const sw_anchor_list *anchors, size_t index);

/*
 * Places an anchor as sw_session_place does, of a kind and with a payload. SW_INVALID_ARGUMENT for a participant, and for
 * what is out of range; SW_LIMIT_EXCEEDED.
 */
sw_status sw_session_place_with(
    sw_session *session, const char *name, const float transform[16], const sw_anchor_content *content,
    sw_anchor_id *anchor);

/*
 * Gives an anchor another kind, as when a plane grows; the payload in `content` is not looked at. SW_UNKNOWN_ANCHOR,
 * SW_INVALID_ARGUMENT (to or from a participant too), SW_LIMIT_EXCEEDED.
 */
sw_status sw_session_set_kind(
    sw_session *session, const sw_anchor_id *anchor, const sw_anchor_content *content);

/* Replaces the payload of an anchor; with a NULL `content_type` it has none. SW_UNKNOWN_ANCHOR, SW_INVALID_ARGUMENT. */
sw_status sw_session_set_payload(
    sw_session *session, const sw_anchor_id *anchor, const char *content_type, const uint8_t *bytes, size_t size);

/* The static anchors of a map, and the devices of other peers that tell where they are, as lists of anchors. */
sw_status sw_map_anchors(const sw_map *map, sw_anchor_list **anchors);
sw_status sw_session_participants(sw_session *session, sw_anchor_list **anchors);

/* Which live poses a program wants. Set every member to zero, `size` to sizeof(sw_interest), and what differs from that. */
typedef struct sw_interest {
  uint32_t size;
  uint32_t kinds;             /* 0 for any, else 1 + SW_KIND_...: anchors of that kind alone */
  const char *name_prefix;    /* NULL for any */
  const sw_peer_id *creator;  /* NULL for any */
  const sw_peer_id *owner;    /* NULL for any */
  float center[3];            /* the middle of a ball (metres) */
  float radius;               /* 0 for anywhere */
} sw_interest;

/* Says which drags and devices this peer wants to be told of; with a NULL `interest` all. The others send nothing else. */
sw_status sw_session_set_interest(sw_session *session, const sw_interest *interest);

/* The kind of surface that a hit-test has found, the most trusted first. */
enum { SW_HIT_PLANE = 0, SW_HIT_FEATURE_POINTS = 1, SW_HIT_EXTENDED_PLANE = 2 };

/* What lies under a point of the screen. The caller sets `size` to sizeof(sw_hit). */
typedef struct sw_hit {
  uint32_t size;
  uint32_t kind;        /* SW_HIT_... */
  float transform[16];  /* a place on the surface, whose y axis is its normal */
  float distance;       /* from the camera along the ray (metres) */
  uint32_t has_anchor;  /* 1 when a plane anchor of the map was hit */
  sw_anchor_id anchor;  /* that one */
} sw_hit;

/*
 * Finds the nearest surface of a map under a point of the screen: (0, 0) is the top left corner, (1, 1) the bottom right.
 * The camera looks along the -z axis of `pose`; `focal_length` is in picture heights and `aspect_ratio` the width over the
 * height, both over 0. `found` receives 1, or 0 and `hit` is not written. The first call for a map builds its index.
 */
sw_status sw_map_hit_test(
    const sw_map *map, const float pose[16], float focal_length, float aspect_ratio, float x, float y, sw_hit *hit,
    int *found);

#ifdef __cplusplus
}
#endif
#endif
