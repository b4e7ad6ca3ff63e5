"""SharedWorld for Python: peers on a local network share a world map and keep anchors the same, without a server."""

from . import events
from .config import Config, Discovery, Invitations, InvitePolicy, MapProviders, Role, Trust
from .errors import Code, SharedWorldError
from .frames import Alignment, AlignmentState, FrameFit, Hold
from .identity import Identity
from .maps import Map
from .messages import Mode, Subscription
from .session import Drag, Session
from .values import ID, Anchor, AttachmentState, Field, MapStage, Object, Peer, PeerState, Recognition, Transform
from .values import translation

__all__ = [
    "Alignment", "AlignmentState", "Anchor", "AttachmentState", "Code", "Config", "Discovery", "Drag", "Field",
    "FrameFit", "Hold", "ID", "Identity", "Invitations", "InvitePolicy", "Map", "MapProviders", "MapStage", "Mode",
    "Object", "Peer", "PeerState", "Recognition", "Role", "Session", "SharedWorldError", "Subscription", "Transform",
    "Trust", "events", "translation",
]
