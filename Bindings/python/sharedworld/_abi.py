"""The C interface as ctypes sees it: its structures, and one table with the signature of every function.

`tests/test_header.py` compares all of it with the header. To bind a new function, add its line to SIGNATURES; a new
field of a structure goes to its end, as in the header.
"""

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32
from ctypes import c_uint64, c_void_p
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


class Pair(ctypes.Structure):
    """sw_pair"""

    _fields_ = [("key", c_char_p), ("value", c_char_p)]


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
        ("role", c_uint8),
        ("invite_policy", c_uint8),
        ("hides_device", c_uint8),
        ("announces", c_uint8),
        ("announce_port", c_uint16),
        ("asks_host", c_uint8),
        ("asks_ownership", c_uint8),
        ("invite_timeout_ms", c_uint32),
        ("reserved3", c_uint32),
        ("probes", POINTER(c_char_p)),
        ("probe_count", c_size_t),
        ("info", POINTER(Pair)),
        ("info_count", c_size_t),
        ("resource_folder", c_char_p),
        ("map_memory_limit", c_uint64),
        ("ownership", c_uint8),
        ("log", c_uint8),
        ("reserved4", c_uint16),
        ("realign_interval_ms", c_uint32),
        ("passcode_file", c_char_p),
    ]


class KnownPeer(ctypes.Structure):
    """sw_known_peer"""

    _fields_ = [("id", PeerID), ("day", c_char_p), ("name", c_char_p)]


class Attachment(ctypes.Structure):
    """sw_attachment"""

    _fields_ = [
        ("id", Digest),
        ("author", PeerID),
        ("name", c_char_p),
        ("path", c_char_p),
        ("size", c_uint64),
        ("state", c_uint32),
        ("reserved", c_uint32),
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
        ("operation", c_uint64),
        ("endpoint", c_char_p),
        ("object_type", c_char_p),
        ("content_type", c_char_p),
        ("fields", POINTER(Pair)),
        ("field_count", c_size_t),
        ("residual", c_double),
        ("rate", c_uint64),
        ("observations", c_uint32),
        ("has_transform", c_uint32),
        ("stream", c_void_p),
        ("peer_name", c_char_p),
    ]


class Invitation(ctypes.Structure):
    """sw_invitation"""

    _fields_ = [
        ("size", c_uint32),
        ("port", c_uint16),
        ("reserved", c_uint16),
        ("host", c_char_p),
        ("candidate", c_char_p),
        ("link", c_char_p),
        ("known", POINTER(PeerID)),
        ("expected", POINTER(PeerID)),
        ("context", c_char_p),
        ("context_size", c_size_t),
        ("timeout_ms", c_uint32),
        ("reserved2", c_uint32),
    ]


class Delivery(ctypes.Structure):
    """sw_delivery"""

    _fields_ = [
        ("size", c_uint32),
        ("mode", c_uint32),
        ("key", c_char_p),
        ("group", c_char_p),
        ("peers", POINTER(PeerID)),
        ("peer_count", c_size_t),
    ]


class Group(ctypes.Structure):
    """sw_group"""

    _fields_ = [("name", c_char_p), ("members", POINTER(PeerID)), ("member_count", c_size_t)]


class Object(ctypes.Structure):
    """sw_object"""

    _fields_ = [
        ("size", c_uint32),
        ("reserved", c_uint32),
        ("endpoint", c_char_p),
        ("type", c_char_p),
        ("content_type", c_char_p),
        ("bytes", c_char_p),
        ("byte_count", c_size_t),
        ("transform", POINTER(c_float)),
        ("fields", POINTER(Pair)),
        ("field_count", c_size_t),
    ]


class Alignment(ctypes.Structure):
    """sw_alignment"""

    _fields_ = [
        ("size", c_uint32),
        ("state", c_uint32),
        ("transform", c_float * 16),
        ("residual", c_double),
        ("position", c_double),
        ("orientation", c_double),
        ("time", c_uint64),
        ("observations", c_uint32),
        ("contradictions", c_uint32),
    ]


class FrameFit(ctypes.Structure):
    """sw_frame_fit"""

    _fields_ = [
        ("size", c_uint32),
        ("observations", c_uint32),
        ("transform", c_float * 16),
        ("center", c_float * 3),
        ("reserved", c_float),
        ("position", c_double),
        ("orientation", c_double),
        ("residual", c_double),
    ]


class State(ctypes.Structure):
    """sw_state"""

    _fields_ = [
        ("size", c_uint32),
        ("map_stage", c_uint32),
        ("revision", c_uint64),
        ("host", PeerID),
        ("epoch", c_uint64),
        ("session_time", c_uint64),
        ("map", MapID),
        ("map_points", c_uint64),
        ("map_percent", c_uint32),
        ("member_limit", c_uint32),
        ("digest", Digest),
        ("is_synchronised", c_uint8),
        ("is_locked", c_uint8),
        ("has_ended", c_uint8),
        ("reserved", c_uint8 * 5),
    ]


class LivePose(ctypes.Structure):
    """sw_live_pose"""

    _fields_ = [
        ("anchor", AnchorID),
        ("peer", PeerID),
        ("transform", c_float * 16),
        ("time", c_uint64),
        ("sequence", c_uint64),
    ]


#: The structures by their names in the header.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    (structure.__doc__ or ""): structure
    for structure in ctypes.Structure.__subclasses__() if structure.__module__ == __name__
}


class Status(c_int32):
    """What a function returns that can fail: a failure becomes a SharedWorldError."""


BYTES, TRANSFORM = c_char_p, POINTER(c_float)
PEERS, ANCHOR, DIGEST = POINTER(PeerID), POINTER(AnchorID), POINTER(Digest)
DELIVERY, OBJECT, ALIGNMENT = POINTER(Delivery), POINTER(Object), POINTER(Alignment)
#: Opaque objects, and where a function writes one.
HANDLE, OUT = c_void_p, POINTER(c_void_p)
#: Where a function writes the number of an operation, a subscription or a message.
NUMBER = POINTER(c_uint64)

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
    "sw_map_anchors": (Status, HANDLE, OUT),
    "sw_map_provider": (Status, HANDLE, PEERS),
    "sw_map_mapping": (Status, HANDLE, c_uint32, POINTER(c_uint32), POINTER(c_uint32), POINTER(c_float)),
    "sw_map_destroy": (None, HANDLE),
    "sw_session_config_init": (Status, POINTER(SessionConfig), c_size_t),
    "sw_session_start_async": (Status, HANDLE, POINTER(SessionConfig), OUT),
    "sw_start_fd": (c_int, HANDLE),
    "sw_start_finish": (Status, HANDLE, OUT),
    "sw_start_cancel": (None, HANDLE),
    "sw_session_stop": (None, HANDLE),
    "sw_session_leave": (Status, HANDLE),
    "sw_session_cancel": (Status, HANDLE, c_uint64),
    "sw_session_request_host": (Status, HANDLE, c_uint32, NUMBER),
    "sw_session_hand_over": (Status, HANDLE, PEERS, c_uint32, NUMBER),
    "sw_session_answer_question": (Status, HANDLE, c_uint64, c_int),
    "sw_session_kick": (Status, HANDLE, PEERS),
    "sw_session_owner": (Status, HANDLE, PEERS),
    "sw_session_role": (Status, HANDLE, PEERS, POINTER(c_uint32), POINTER(c_uint64)),
    "sw_session_set_role": (Status, HANDLE, PEERS, c_uint32, c_uint64),
    "sw_session_port": (c_uint16, HANDLE),
    "sw_session_invite": (Status, HANDLE, POINTER(Invitation), NUMBER),
    "sw_session_keep_inviting": (Status, HANDLE, POINTER(Invitation)),
    "sw_session_invitation_link": (Status, HANDLE, c_char_p, OUT),
    "sw_text_destroy": (None, c_void_p),
    "sw_session_resolve": (Status, HANDLE, c_char_p, c_uint32, NUMBER),
    "sw_session_set_discovery_info": (Status, HANDLE, POINTER(Pair), c_size_t),
    "sw_session_answer": (Status, HANDLE, c_uint64, c_int, c_char_p),
    "sw_session_answer_code": (Status, HANDLE, c_uint64, c_int),
    "sw_session_set_locked": (Status, HANDLE, c_int),
    "sw_session_unlock_passcode": (Status, HANDLE),
    "sw_passcode_generate": (Status, c_char_p, c_size_t),
    "sw_known_peers_list": (Status, c_char_p, OUT),
    "sw_known_peers_remove": (Status, c_char_p, PEERS),
    "sw_known_peer_list_count": (c_size_t, HANDLE),
    "sw_known_peer_list_get": (POINTER(KnownPeer), HANDLE, c_size_t),
    "sw_known_peer_list_destroy": (None, HANDLE),
    "sw_session_host": (Status, HANDLE, PEERS, POINTER(c_uint64)),
    "sw_session_send": (Status, HANDLE, BYTES, c_size_t, DELIVERY, NUMBER),
    "sw_session_join_group": (Status, HANDLE, c_char_p),
    "sw_session_leave_group": (Status, HANDLE, c_char_p),
    "sw_session_groups": (Status, HANDLE, OUT),
    "sw_group_list_count": (c_size_t, HANDLE),
    "sw_group_list_get": (POINTER(Group), HANDLE, c_size_t),
    "sw_group_list_destroy": (None, HANDLE),
    "sw_session_send_object": (Status, HANDLE, OBJECT, DELIVERY, NUMBER),
    "sw_session_read_objects": (Status, HANDLE, c_char_p, c_char_p, NUMBER),
    "sw_session_serve_requests": (Status, HANDLE, c_char_p, c_char_p, NUMBER),
    "sw_session_respond": (Status, HANDLE, c_uint64, OBJECT),
    "sw_session_refuse": (Status, HANDLE, c_uint64, c_char_p, c_char_p),
    "sw_session_request": (Status, HANDLE, PEERS, OBJECT, c_uint32, NUMBER),
    "sw_session_offer_file": (Status, HANDLE, c_char_p, c_char_p, PEERS, c_size_t, NUMBER),
    "sw_session_offer_bytes": (Status, HANDLE, BYTES, c_size_t, c_char_p, PEERS, c_size_t, NUMBER),
    "sw_session_accept_resource": (Status, HANDLE, DIGEST, NUMBER),
    "sw_session_decline_resource": (Status, HANDLE, DIGEST),
    "sw_session_cancel_resource": (Status, HANDLE, DIGEST),
    "sw_session_attach_file": (Status, HANDLE, c_char_p, c_char_p, NUMBER),
    "sw_session_attach_bytes": (Status, HANDLE, BYTES, c_size_t, c_char_p, NUMBER),
    "sw_session_detach": (Status, HANDLE, DIGEST),
    "sw_session_fetch_attachment": (Status, HANDLE, DIGEST),
    "sw_session_attachments": (Status, HANDLE, OUT),
    "sw_attachment_list_count": (c_size_t, HANDLE),
    "sw_attachment_list_get": (POINTER(Attachment), HANDLE, c_size_t),
    "sw_attachment_list_destroy": (None, HANDLE),
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
    "sw_session_participants": (Status, HANDLE, OUT),
    "sw_session_unaligned_anchors": (Status, HANDLE, OUT),
    "sw_session_set_payload": (Status, HANDLE, ANCHOR, c_char_p, BYTES, c_size_t),
    "sw_session_digest": (Status, HANDLE, POINTER(Digest)),
    "sw_session_update_pose": (Status, HANDLE, TRANSFORM),
    "sw_session_begin_drag": (Status, HANDLE, ANCHOR, OUT),
    "sw_drag_update": (Status, HANDLE, TRANSFORM),
    "sw_drag_end": (Status, HANDLE),
    "sw_drag_destroy": (None, HANDLE),
    "sw_session_request_ownership": (Status, HANDLE, ANCHOR, c_uint32, c_uint32, NUMBER),
    "sw_session_release_ownership": (Status, HANDLE, ANCHOR, c_uint32, NUMBER),
    "sw_session_share_map": (Status, HANDLE, HANDLE, PEERS, NUMBER),
    "sw_session_share_capture": (Status, HANDLE, c_void_p, c_void_p, c_size_t, c_uint32, NUMBER),
    "sw_session_map": (Status, HANDLE, OUT),
    "sw_session_cancel_map": (Status, HANDLE, POINTER(MapID)),
    "sw_session_set_relocalised": (Status, HANDLE, c_int),
    "sw_session_begin_frame": (Status, HANDLE),
    "sw_session_use_shared_frame": (Status, HANDLE),
    "sw_session_alignment": (Status, HANDLE, PEERS, ALIGNMENT),
    "sw_session_align": (Status, HANDLE, PEERS, POINTER(FrameFit), ALIGNMENT),
    "sw_session_relocalise": (Status, HANDLE, c_void_p, c_size_t, c_int, NUMBER),
    "sw_session_keep_aligned": (Status, HANDLE, c_void_p, c_size_t, c_int, NUMBER),
    "sw_session_meet": (Status, HANDLE, PEERS, c_int, c_int, ALIGNMENT),
    "sw_session_touch": (Status, HANDLE, c_char_p, POINTER(c_float), c_int, POINTER(c_size_t)),
    "sw_session_snapshot": (Status, HANDLE, c_uint64, OUT),
    "sw_snapshot_destroy": (None, HANDLE),
    "sw_snapshot_state": (Status, HANDLE, POINTER(State)),
    "sw_snapshot_anchor_count": (c_size_t, HANDLE),
    "sw_snapshot_anchor": (POINTER(Anchor), HANDLE, c_size_t),
    "sw_snapshot_peer_count": (c_size_t, HANDLE),
    "sw_snapshot_peer": (POINTER(Peer), HANDLE, c_size_t),
    "sw_snapshot_drag_count": (c_size_t, HANDLE),
    "sw_snapshot_drag": (POINTER(LivePose), HANDLE, c_size_t),
    "sw_snapshot_device_count": (c_size_t, HANDLE),
    "sw_snapshot_device": (POINTER(LivePose), HANDLE, c_size_t),
    "sw_session_events_fd": (c_int, HANDLE),
    "sw_session_next_event": (Status, HANDLE, POINTER(POINTER(Event))),
    "sw_event_destroy": (None, POINTER(Event)),
}

#: Functions of the header that this package does not call, each with the reason.
UNBOUND: dict[str, str] = {
    "sw_session_start": "sw_session_start_async does it without a thread",
    "sw_session_wait": "SW_EVENT_DONE says the same without a thread",
    "sw_session_decode_map": "not bound yet; `Session.map` decodes the map where it is asked for",
    "sw_link_peer": "not bound yet; an invitation of a link goes to its key alone",
    **dict.fromkeys(
        ("sw_session_candidates", "sw_candidate_list_count", "sw_candidate_list_get", "sw_candidate_list_destroy"),
        "not bound yet; the events CandidateFound and CandidateLost name candidates"),
    **dict.fromkeys(
        ("sw_session_diagnose", "sw_diagnose", "sw_diagnose_async", "sw_diagnosing_fd", "sw_diagnosing_finish",
         "sw_diagnosing_cancel", "sw_diagnosis_can_find_peers", "sw_diagnosis_count", "sw_diagnosis_get",
         "sw_diagnosis_destroy"), "not bound yet; `worldpeer doctor` says the same"),
    **dict.fromkeys(
        ("sw_anchor_list_content", "sw_snapshot_anchor_content", "sw_session_place_with", "sw_session_set_kind"),
        "not bound yet; kinds of anchors have no class, and payloads come with events"),
    "sw_session_set_interest": "not bound yet; every live pose is told",
    "sw_map_hit_test": "not bound yet",
    **dict.fromkeys(
        ("sw_session_open_stream", "sw_session_accept_streams", "sw_event_take_stream", "sw_stream_fd",
         "sw_stream_read", "sw_stream_write", "sw_stream_finish", "sw_stream_reset", "sw_stream_reset_code",
         "sw_stream_destroy"), "streams are not bound yet"),
}

#: Events without a class, by number, and the reason: nothing that is bound makes them come.
UNBOUND_EVENTS: dict[int, str] = {67: "streams are not bound yet"}
