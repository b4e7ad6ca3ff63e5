"""The C interface as ctypes sees it: its structures, and one table with the signature of every function.

`tests/test_header.py` compares all of it with the header. To bind a new function, add its line to SIGNATURES; a new
field of a structure goes to its end, as in the header.
"""

import ctypes
from ctypes import POINTER, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64
from ctypes import c_void_p
from typing import Any

#: The version of the interface that this package was written for.
ABI_VERSION = 1


class PeerID(ctypes.Structure):
    """sw_peer_id"""

    _fields_ = [("bytes", c_uint8 * 32)]


class AnchorID(ctypes.Structure):
    """sw_anchor_id"""

    _fields_ = [("bytes", c_uint8 * 16)]


class MapID(ctypes.Structure):
    """sw_map_id"""

    _fields_ = [("bytes", c_uint8 * 32)]


class Digest(ctypes.Structure):
    """sw_digest"""

    _fields_ = [("bytes", c_uint8 * 32)]


class SessionConfig(ctypes.Structure):
    """sw_session_config"""

    _fields_ = [
        ("size", c_uint32),
        ("discovery", c_uint32),
        ("service", c_char_p),
        ("listen_host", c_char_p),
        ("listen_port", c_uint16),
        ("host_priority", c_uint8),
        ("can_host", c_uint8),
        ("advertises_name", c_uint8),
        ("invitations", c_uint8),
        ("member_limit", c_uint8),
        ("map_providers", c_uint8),
        ("journal", c_char_p),
        ("state", c_char_p),
        ("map_cache", c_char_p),
        ("map_cache_limit", c_uint64),
        ("grace_time_s", c_uint32),
        ("keeps_orphaned_ownership", c_uint8),
        ("trust", c_uint8),
        ("shows_codes", c_uint8),
        ("reserved", c_uint8),
        ("storage", c_char_p),
        ("known_peers", c_char_p),
        ("admitted", POINTER(PeerID)),
        ("admitted_count", c_size_t),
        ("passcode", c_char_p),
    ]


class Peer(ctypes.Structure):
    """sw_peer"""

    _fields_ = [
        ("id", PeerID),
        ("name", c_char_p),
        ("state", c_uint32),
        ("is_direct", c_uint32),
        ("round_trip_ns", c_int64),
        ("recognition", c_uint32),
        ("reserved", c_uint32),
    ]


class Anchor(ctypes.Structure):
    """sw_anchor"""

    _fields_ = [("id", AnchorID), ("creator", PeerID), ("transform", c_float * 16), ("name", c_char_p)]


class Event(ctypes.Structure):
    """sw_event"""

    _fields_ = [
        ("type", c_uint32),
        ("status", c_int32),
        ("peer", PeerID),
        ("map", MapID),
        ("epoch", c_uint64),
        ("done", c_uint64),
        ("total", c_uint64),
        ("name", c_char_p),
        ("text", c_char_p),
        ("data", POINTER(c_uint8)),
        ("data_size", c_size_t),
        ("anchor", Anchor),
        ("other", AnchorID),
        ("digest", Digest),
        ("time", c_uint64),
        ("sequence", c_uint64),
        ("field", c_uint32),
        ("flags", c_uint32),
        ("stage", c_uint32),
        ("percent", c_uint32),
        ("recognition", c_uint32),
        ("reserved", c_uint32),
    ]


#: The structures by their names in the header.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    (structure.__doc__ or ""): structure
    for structure in (PeerID, AnchorID, MapID, Digest, SessionConfig, Peer, Anchor, Event)
}


class Status(c_int32):
    """What a function returns that can fail: a failure becomes a SharedWorldError."""


BYTES, TRANSFORM = c_char_p, POINTER(c_float)
PEERS, ANCHOR = POINTER(PeerID), POINTER(AnchorID)
#: Opaque objects, and where a function writes one.
HANDLE, OUT = c_void_p, POINTER(c_void_p)

#: Each function of the library: what it returns, and its arguments.
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "sw_abi_version": (c_uint32,),
    "sw_last_error_message": (c_char_p,),
    "sw_status_name": (c_char_p, c_int32),
    "sw_identity_load_or_create": (Status, c_char_p, c_char_p, OUT),
    "sw_identity_peer_id": (Status, HANDLE, PEERS),
    "sw_identity_destroy": (None, HANDLE),
    "sw_map_create": (Status, c_void_p, c_void_p, c_size_t, OUT),
    "sw_map_load": (Status, c_char_p, OUT),
    "sw_map_save": (Status, HANDLE, c_char_p),
    "sw_map_point_count": (c_size_t, HANDLE),
    "sw_map_anchor_count": (c_size_t, HANDLE),
    "sw_map_copy_points": (Status, HANDLE, c_size_t, c_size_t, c_void_p, c_void_p),
    "sw_map_destroy": (None, HANDLE),
    "sw_session_config_init": (Status, POINTER(SessionConfig), c_size_t),
    "sw_session_start": (Status, HANDLE, POINTER(SessionConfig), OUT),
    "sw_session_stop": (None, HANDLE),
    "sw_session_port": (c_uint16, HANDLE),
    "sw_session_invite": (Status, HANDLE, c_char_p, c_uint16, BYTES, c_size_t, c_uint32, PEERS),
    "sw_session_invite_candidate": (Status, HANDLE, c_char_p, BYTES, c_size_t, c_uint32, PEERS),
    "sw_session_invite_expecting": (Status, HANDLE, c_char_p, c_uint16, PEERS, BYTES, c_size_t, c_uint32, PEERS),
    "sw_session_invite_candidate_expecting": (Status, HANDLE, c_char_p, PEERS, BYTES, c_size_t, c_uint32, PEERS),
    "sw_session_answer": (Status, HANDLE, PEERS, c_int, c_char_p),
    "sw_session_answer_code": (Status, HANDLE, PEERS, c_int),
    "sw_session_set_locked": (Status, HANDLE, c_int),
    "sw_session_unlock_passcode": (Status, HANDLE),
    "sw_session_host": (Status, HANDLE, PEERS, POINTER(c_uint64)),
    "sw_session_send": (Status, HANDLE, BYTES, c_size_t, PEERS, c_size_t),
    "sw_session_send_now": (Status, HANDLE, BYTES, c_size_t, PEERS, c_size_t, POINTER(c_uint64)),
    "sw_session_peers": (Status, HANDLE, OUT),
    "sw_peer_list_count": (c_size_t, HANDLE),
    "sw_peer_list_get": (POINTER(Peer), HANDLE, c_size_t),
    "sw_peer_list_destroy": (None, HANDLE),
    "sw_session_place": (Status, HANDLE, c_char_p, TRANSFORM, ANCHOR),
    "sw_session_move": (Status, HANDLE, ANCHOR, TRANSFORM),
    "sw_session_rename": (Status, HANDLE, ANCHOR, c_char_p),
    "sw_session_remove": (Status, HANDLE, ANCHOR),
    "sw_session_anchors": (Status, HANDLE, OUT),
    "sw_anchor_list_count": (c_size_t, HANDLE),
    "sw_anchor_list_get": (POINTER(Anchor), HANDLE, c_size_t),
    "sw_anchor_list_destroy": (None, HANDLE),
    "sw_session_digest": (Status, HANDLE, POINTER(Digest)),
    "sw_session_update_pose": (Status, HANDLE, TRANSFORM),
    "sw_session_begin_drag": (Status, HANDLE, ANCHOR, OUT),
    "sw_drag_update": (Status, HANDLE, TRANSFORM),
    "sw_drag_end": (Status, HANDLE),
    "sw_drag_destroy": (None, HANDLE),
    "sw_session_request_ownership": (Status, HANDLE, ANCHOR, c_uint32, c_uint32),
    "sw_session_release_ownership": (Status, HANDLE, ANCHOR, c_uint32),
    "sw_session_share_map": (Status, HANDLE, HANDLE, PEERS, POINTER(MapID)),
    "sw_session_map": (Status, HANDLE, OUT),
    "sw_session_cancel_map": (Status, HANDLE, POINTER(MapID)),
    "sw_session_set_relocalised": (Status, HANDLE, c_int),
    "sw_session_events_fd": (c_int, HANDLE),
    "sw_session_next_event": (Status, HANDLE, POINTER(POINTER(Event))),
    "sw_event_destroy": (None, POINTER(Event)),
}

#: Functions of the header that this package does not call, each with the reason.
UNBOUND: dict[str, str] = {}
