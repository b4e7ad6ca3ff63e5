"""SharedWorld for Python: peers on a local network share a world map and keep anchors the same, without a server."""

from . import events
from ._abi_enums import (
    AlignmentState, AttachmentState, Code, Discovery, Field, Hold, Invitations, InvitePolicy, LogLevel, MapProviders,
    MapStage, MappingLacks, MappingStatus, Mode, Ownership, PeerRole, PeerState, Recognition, Role, Trust)
from .config import Config
from .errors import SharedWorldError
from .frames import Alignment, FrameFit
from .identity import Identity
from .maps import Map, Mapping
from .messages import Subscription
from .rooms import host, join
from .session import Drag, Session
from .snapshot import Snapshot
from .trust import KnownPeer, generate_passcode, known_peers, remove_known_peer
from .values import ID, Anchor, Attachment, LivePose, Object, Peer, Transform, translation

__all__ = [
    "Alignment", "AlignmentState", "Anchor", "Attachment", "AttachmentState", "Code", "Config", "Discovery", "Drag", "Field",
    "FrameFit", "Hold", "ID", "Identity", "Invitations", "InvitePolicy", "KnownPeer", "LivePose", "LogLevel", "Map", "MapProviders",
    "MapStage", "Mapping", "MappingLacks", "MappingStatus", "Mode", "Object", "Ownership", "Peer", "PeerRole",
    "PeerState", "Recognition", "Role", "Session", "SharedWorldError", "Snapshot", "Subscription", "Transform", "Trust", "events",
    "generate_passcode", "host", "join", "known_peers", "remove_known_peer", "translation",
]
