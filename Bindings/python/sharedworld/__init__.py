"""SharedWorld for Python: peers on a local network share a world map and keep anchors the same, without a server."""

from . import events, kinds
from ._abi_enums import (
    Acknowledgement, AlignmentState, AttachmentState, Authority, Code, Discovery, Field, FindingWeight, HitKind, Hold, Invitations,
    InvitePolicy, Kind, LogLevel, MapProviders, MapStage, MappingLacks, MappingStatus, Mode, Newcomers, PeerRole, PeerState,
    PlaneAlignment, Recognition, Role, Standing, Surface, Trust, Way)
from .anchors import Anchor
from .config import Config
from .discovery import Candidate, Diagnosis, Finding, diagnose
from .errors import SharedWorldError
from .frames import Alignment, FrameFit
from .history import UndoHistory
from .identity import Identity
from .maps import Hit, Map, Mapping
from .messages import Subscription
from .rooms import host, join
from .session import Session
from .snapshot import Snapshot
from .statistics import Link, Statistics
from .streams import Stream
from .trust import KnownPeer, generate_passcode, known_peers, link_peer, remove_known_peer
from .values import ID, Attachment, LivePose, Object, Peer, Transform, translation
from .world import AnchorOwnership, Drag

__all__ = [
    "Acknowledgement", "Alignment", "AlignmentState", "Anchor", "AnchorOwnership", "Attachment", "AttachmentState", "Authority",
    "Candidate", "Code", "Config", "Diagnosis", "Discovery", "Drag", "Field", "Finding", "FindingWeight", "FrameFit", "Hit",
    "HitKind", "Hold", "ID", "Identity", "Invitations", "InvitePolicy", "Kind", "KnownPeer", "Link", "LivePose", "LogLevel",
    "Map", "MapProviders", "MapStage", "Mapping", "MappingLacks", "MappingStatus", "Mode", "Newcomers", "Object", "Peer",
    "PeerRole", "PeerState", "PlaneAlignment", "Recognition", "Role", "Session", "SharedWorldError", "Snapshot", "Standing",
    "Statistics", "Stream", "Subscription", "Surface", "Transform", "Trust", "UndoHistory", "Way", "diagnose", "events",
    "generate_passcode", "host", "join", "kinds", "known_peers", "link_peer", "remove_known_peer", "translation",
]
