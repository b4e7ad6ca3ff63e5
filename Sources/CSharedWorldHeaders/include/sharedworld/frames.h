/* SharedWorld for C: coordinate frames of devices, and how they lie to each other. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_FRAMES_H
#define SHAREDWORLD_FRAMES_H

#include "anchors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far two peers have come with lining up their frames. */
enum {
  SW_ALIGNMENT_UNALIGNED = 0, /* nothing is known: what the other one places has no place here */
  SW_ALIGNMENT_ALIGNING = 1,  /* measurements are there and do not connect the frames yet */
  SW_ALIGNMENT_ALIGNED = 2,   /* measurements connect the frames, or both peers use the shared one */
  SW_ALIGNMENT_LOST = 3       /* one of the two has begun another frame since they were aligned */
};

/* How a frame lies in this peer's. The caller sets `size` to sizeof(sw_alignment); no more than that is written. */
typedef struct sw_alignment {
  uint32_t size;
  uint32_t state;          /* SW_ALIGNMENT_... */
  float transform[16];     /* that frame to this peer's; all zero unless aligned */
  double residual;         /* root of the sum of the squared residuals on the way (metres); 0 in one frame */
  double position;         /* standard deviation of positions (metres); 0 in one frame */
  double orientation;      /* standard deviation of orientations (radians); 0 in one frame */
  uint64_t time;           /* session time of the oldest measurement on the way (milliseconds); 0 in one frame */
  uint32_t observations;   /* behind the weakest measurement on the way */
  uint32_t contradictions; /* measurements that are held back because they contradict others */
} sw_alignment;

/* A measured transform. Set every member to zero, `size` to sizeof(sw_frame_fit), and what was measured. */
typedef struct sw_frame_fit {
  uint32_t size;
  uint32_t observations; /* how many are behind it; 0 is 1 */
  float transform[16];   /* the frame that is measured to this peer's; rigid */
  float center[3];       /* the middle of what was measured, in this peer's frame (metres) */
  float reserved;        /* zero */
  double position;       /* standard deviation of the position of `center` (metres); 0 is 0.02 */
  double orientation;    /* standard deviation of the orientation (radians); 0 is 0.01 */
  double residual;       /* root mean square of the distances that remain (metres) */
} sw_frame_fit;

/*
 * Begins a frame of this device's own, or returns to the shared one, that of the session's map, in which every program
 * begins. Poses from now on are in it and have a place for others once measurements connect it; drags end.
 */
sw_status sw_session_begin_frame(sw_session *session);
sw_status sw_session_use_shared_frame(sw_session *session);

/* How the frame of a peer lies in this peer's; with a NULL `peer` the shared frame. */
sw_status sw_session_alignment(sw_session *session, const sw_peer_id *peer, sw_alignment *alignment);

/*
 * Records how the frame of a peer, or with NULL the shared one, lies in this peer's, as the program has measured it; both
 * peers should. `alignment` receives what follows from all measurements and may be NULL. SW_UNKNOWN_PEER,
 * SW_INVALID_ARGUMENT for a fit out of range or peers in one frame.
 */
sw_status sw_session_align(
    sw_session *session, const sw_peer_id *peer, const sw_frame_fit *fit, sw_alignment *alignment);

/*
 * Finds a cloud (three floats a point, in this peer's frame) in the session's map and lines up this peer's frame with it;
 * `has_gravity` says whether y is straight up in both. The search takes up to a few seconds in the background.
 * SW_EVENT_DONE: SW_NOT_RELOCALIZED, SW_INVALID_ARGUMENT (no map, or this peer uses the shared frame); residual and
 * observations of the alignment.
 */
sw_status sw_session_relocalize(
    sw_session *session, const float *positions, size_t count, int has_gravity, uint64_t *operation);

/*
 * The same where it is needed: pass each cloud as the device walks. Nothing is searched while the cloud is within 5 cm of the
 * map where it is believed to be, while another search runs, and sooner than `realign_interval_ms` after the last one; what a
 * search finds replaces the alignment only if it is better. SW_EVENT_DONE: as above, of the alignment, changed or not.
 */
sw_status sw_session_keep_aligned(
    sw_session *session, const float *positions, size_t count, int has_gravity, uint64_t *operation);

/* How two devices are held together: looking the same way, or touching. */
enum { SW_HOLD_TOGETHER = 0, SW_HOLD_TOUCHING = 1 };

/*
 * Lines up this peer's frame with that of a peer whose device is held to this one at the moment; both tell their poses
 * (sw_session_update_pose), and both call this. `alignment` may be NULL. SW_NO_POSE, SW_NOT_DETERMINED (meet again at
 * another place; this one counts), SW_UNKNOWN_PEER, SW_INVALID_ARGUMENT.
 */
sw_status sw_session_meet(
    sw_session *session, const sw_peer_id *peer, int hold, int has_gravity, sw_alignment *alignment);

/*
 * Records that the user touches a point of the room which both users name alike: an anchor "touch/NAME". Two points, or
 * three without gravity, align the frames of those who have touched them. `aligned`, which may be NULL, receives how many
 * peers this peer has enough points in common with; sw_session_alignment has the residuals.
 */
sw_status sw_session_touch(
    sw_session *session, const char *name, const float position[3], int has_gravity, size_t *aligned);

/* The anchors that have no place in this peer's frame, in those of their authors; they are not in sw_session_anchors. */
sw_status sw_session_unaligned_anchors(sw_session *session, sw_anchor_list **anchors);

#ifdef __cplusplus
}
#endif
#endif
