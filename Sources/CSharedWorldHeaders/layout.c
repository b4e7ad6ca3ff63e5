/* Fails to compile when a change to the header would break programs that are already compiled (64-bit Linux). */
#include "sharedworld.h"

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(sw_session_config) == 240, "sw_session_config grows only at its end, with a new size");
_Static_assert(offsetof(sw_session_config, invitations) == 29, "sw_session_config");
_Static_assert(offsetof(sw_session_config, journal) == 32, "sw_session_config");
_Static_assert(sizeof(sw_peer) == 64, "sw_peer grows only at its end");
_Static_assert(offsetof(sw_peer, round_trip_ns) == 48, "sw_peer");
_Static_assert(sizeof(sw_anchor) == 120, "sw_anchor cannot grow: sw_event has one inside");
_Static_assert(sizeof(sw_event) == 432, "sw_event grows only at its end");
_Static_assert(offsetof(sw_event, anchor) == 128, "sw_event");
_Static_assert(offsetof(sw_event, other) == 248, "sw_event");
_Static_assert(offsetof(sw_event, field) == 312, "sw_event");
_Static_assert(offsetof(sw_session_config, role) == 112, "sw_session_config");
_Static_assert(offsetof(sw_session_config, passcode_file) == 184, "sw_session_config");
_Static_assert(offsetof(sw_session_config, room) == 192, "sw_session_config");
_Static_assert(sizeof(sw_known_peer) == 48, "sw_known_peer grows only at its end");
_Static_assert(offsetof(sw_event, operation) == 336, "sw_event");
_Static_assert(sizeof(sw_state) == 152, "sw_state grows only at its end");
_Static_assert(sizeof(sw_live_pose) == 128, "sw_live_pose cannot grow: a view has an array of it");
#endif
