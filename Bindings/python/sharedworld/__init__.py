"""SharedWorld for Python: peers on a local network share a world map and keep anchors the same, without a server."""

from . import events
from .config import Config, Discovery, Invitations, MapProviders, Trust
from .errors import Code, SharedWorldError
from .identity import Identity
from .maps import Map
from .session import Drag, Session
from .values import ID, Anchor, Field, MapStage, Peer, PeerState, Recognition, Transform, translation

__all__ = [
    "Anchor", "Code", "Config", "Discovery", "Drag", "Field", "ID", "Identity", "Invitations", "Map", "MapProviders",
    "MapStage", "Peer", "PeerState", "Recognition", "Session", "SharedWorldError", "Transform", "Trust", "events",
    "translation",
]
