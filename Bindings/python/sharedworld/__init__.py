"""SharedWorld for Python: peers on a local network share a world map and keep anchors the same, without a server."""

from . import events
from .config import Config, Discovery, Invitations, InvitePolicy, MapProviders, Role, Trust
from .errors import Code, SharedWorldError
from .frames import Alignment, AlignmentState, FrameFit, Hold
from .identity import Identity
from .maps import Map, Mapping
from .messages import Mode, Subscription
from .session import Drag, Session
from .snapshot import Snapshot
from .trust import KnownPeer, generate_passcode, known_peers, remove_known_peer
from .values import ID, Anchor, Attachment, AttachmentState, Field, LivePose, LogLevel, MappingLacks, MappingStatus
from .values import MapStage, Object, Ownership, Peer, PeerRole, PeerState, Recognition, Transform, translation

__all__ = [
    "Alignment", "AlignmentState", "Anchor", "Attachment", "AttachmentState", "Code", "Config", "Discovery", "Drag", "Field",
    "FrameFit", "Hold", "ID", "Identity", "Invitations", "InvitePolicy", "KnownPeer", "LivePose", "LogLevel", "Map", "MapProviders",
    "MapStage", "Mapping", "MappingLacks", "MappingStatus", "Mode", "Object", "Ownership", "Peer", "PeerRole",
    "PeerState", "Recognition", "Role", "Session", "SharedWorldError", "Snapshot", "Subscription", "Transform", "Trust", "events",
    "generate_passcode", "known_peers", "remove_known_peer", "translation",
]
