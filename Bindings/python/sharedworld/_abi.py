"""The structures of the C interface as ctypes sees them.

Made by Scripts/python-abi.py out of the C header: change that, and run it again.
"""

from ctypes import (
    POINTER, Structure, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint16, c_uint32, c_uint64, c_uint8,
    c_void_p)

#: The version of the interface.
ABI_VERSION = 1


class PeerID(Structure):
    """sw_peer_id"""

    _fields_ = [
        ("bytes", c_uint8 * 32),
    ]


class AnchorID(Structure):
    """sw_anchor_id"""

    _fields_ = [
        ("bytes", c_uint8 * 16),
    ]


class Pair(Structure):
    """sw_pair"""

    _fields_ = [
        ("key", c_char_p),
        ("value", c_char_p),
    ]


class MapID(Structure):
    """sw_map_id"""

    _fields_ = [
        ("bytes", c_uint8 * 32),
    ]


class Digest(Structure):
    """sw_digest"""

    _fields_ = [
        ("bytes", c_uint8 * 32),
    ]


class SessionConfig(Structure):
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
        ("authority", c_uint8),
        ("log", c_uint8),
        ("newcomers", c_uint8),
        ("reserved4", c_uint8),
        ("realign_interval_ms", c_uint32),
        ("passcode_file", c_char_p),
        ("room", c_char_p),
        ("code", c_char_p),
        ("place", c_char_p),
        ("ends_on_signals", c_uint8),
        ("reserved5", c_uint8 * 7),
        ("attachment_count_limit", c_uint32),
        ("reserved6", c_uint32),
        ("attachment_size_limit", c_uint64),
    ]


class KnownPeer(Structure):
    """sw_known_peer"""

    _fields_ = [
        ("id", PeerID),
        ("day", c_char_p),
        ("name", c_char_p),
    ]


class Invitation(Structure):
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
        ("context", POINTER(c_uint8)),
        ("context_size", c_size_t),
        ("timeout_ms", c_uint32),
        ("reserved2", c_uint32),
    ]


class Candidate(Structure):
    """sw_candidate"""

    _fields_ = [
        ("id", c_char_p),
        ("name", c_char_p),
        ("seen_before_name", c_char_p),
        ("peer", PeerID),
        ("seen_before", PeerID),
        ("announced_key", PeerID),
        ("standing", c_uint32),
        ("ways", c_uint32),
        ("protocol_version", c_uint32),
        ("asks_for_passcode", c_uint32),
        ("info", POINTER(Pair)),
        ("info_count", c_size_t),
    ]


class Finding(Structure):
    """sw_finding"""

    _fields_ = [
        ("subject", c_char_p),
        ("text", c_char_p),
        ("advice", c_char_p),
        ("weight", c_uint32),
        ("reserved", c_uint32),
    ]


class Delivery(Structure):
    """sw_delivery"""

    _fields_ = [
        ("size", c_uint32),
        ("mode", c_uint32),
        ("key", c_char_p),
        ("group", c_char_p),
        ("peers", POINTER(PeerID)),
        ("peer_count", c_size_t),
    ]


class Group(Structure):
    """sw_group"""

    _fields_ = [
        ("name", c_char_p),
        ("members", POINTER(PeerID)),
        ("member_count", c_size_t),
    ]


class Object(Structure):
    """sw_object"""

    _fields_ = [
        ("size", c_uint32),
        ("reserved", c_uint32),
        ("endpoint", c_char_p),
        ("type", c_char_p),
        ("content_type", c_char_p),
        ("bytes", POINTER(c_uint8)),
        ("byte_count", c_size_t),
        ("transform", POINTER(c_float)),
        ("fields", POINTER(Pair)),
        ("field_count", c_size_t),
    ]


class Attachment(Structure):
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


class Peer(Structure):
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


class Anchor(Structure):
    """sw_anchor"""

    _fields_ = [
        ("id", AnchorID),
        ("creator", PeerID),
        ("transform", c_float * 16),
        ("name", c_char_p),
    ]


class AnchorContent(Structure):
    """sw_anchor_content"""

    _fields_ = [
        ("size", c_uint32),
        ("kind", c_uint32),
        ("content_type", c_char_p),
        ("payload", POINTER(c_uint8)),
        ("payload_size", c_size_t),
        ("reference", c_char_p),
        ("extent", c_float * 3),
        ("plane_alignment", c_uint32),
        ("plane_surface", c_uint32),
        ("reserved", c_uint32),
        ("corners", POINTER(c_float)),
        ("corner_count", c_size_t),
        ("participant", PeerID),
        ("mesh", Digest),
    ]


class Interest(Structure):
    """sw_interest"""

    _fields_ = [
        ("size", c_uint32),
        ("kinds", c_uint32),
        ("name_prefix", c_char_p),
        ("creator", POINTER(PeerID)),
        ("owner", POINTER(PeerID)),
        ("center", c_float * 3),
        ("radius", c_float),
    ]


class Hit(Structure):
    """sw_hit"""

    _fields_ = [
        ("size", c_uint32),
        ("kind", c_uint32),
        ("transform", c_float * 16),
        ("distance", c_float),
        ("has_anchor", c_uint32),
        ("anchor", AnchorID),
    ]


class Ownership(Structure):
    """sw_ownership"""

    _fields_ = [
        ("size", c_uint32),
        ("reserved", c_uint32),
        ("owner", PeerID),
        ("until", c_uint64),
        ("epoch", c_uint64),
        ("number", c_uint64),
    ]


class Alignment(Structure):
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


class FrameFit(Structure):
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


class State(Structure):
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
        ("is_synchronized", c_uint8),
        ("is_locked", c_uint8),
        ("has_ended", c_uint8),
        ("reserved", c_uint8 * 5),
    ]


class LivePose(Structure):
    """sw_live_pose"""

    _fields_ = [
        ("anchor", AnchorID),
        ("peer", PeerID),
        ("transform", c_float * 16),
        ("time", c_uint64),
        ("sequence", c_uint64),
    ]


class Link(Structure):
    """sw_link"""

    _fields_ = [
        ("peer", PeerID),
        ("name", c_char_p),
        ("round_trip_ns", c_int64),
        ("bytes_sent", c_uint64),
        ("bytes_received", c_uint64),
        ("queued_bytes", c_uint64),
    ]


class Connection(Structure):
    """sw_connection"""

    _fields_ = [
        ("one", PeerID),
        ("other", PeerID),
    ]


class Event(Structure):
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
        ("content", POINTER(AnchorContent)),
    ]


#: The structures by their names in the header.
STRUCTURES: dict[str, type[Structure]] = {
    "sw_peer_id": PeerID,
    "sw_anchor_id": AnchorID,
    "sw_pair": Pair,
    "sw_map_id": MapID,
    "sw_digest": Digest,
    "sw_session_config": SessionConfig,
    "sw_known_peer": KnownPeer,
    "sw_invitation": Invitation,
    "sw_candidate": Candidate,
    "sw_finding": Finding,
    "sw_delivery": Delivery,
    "sw_group": Group,
    "sw_object": Object,
    "sw_attachment": Attachment,
    "sw_peer": Peer,
    "sw_anchor": Anchor,
    "sw_anchor_content": AnchorContent,
    "sw_interest": Interest,
    "sw_hit": Hit,
    "sw_ownership": Ownership,
    "sw_alignment": Alignment,
    "sw_frame_fit": FrameFit,
    "sw_state": State,
    "sw_live_pose": LivePose,
    "sw_link": Link,
    "sw_connection": Connection,
    "sw_event": Event,
}
