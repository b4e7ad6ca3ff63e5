"""What happens in a session: a class for each kind of event.

A field's name says how it is read (READERS of `_reading.py`), so a new event is a class with its type.
"""

import uuid
from dataclasses import dataclass

from ._abi_enums import Code, EventType, Field, LogLevel, MapStage, PeerRole, Recognition
from ._event import Event as Event
from ._event import event_class
from ._resource_events import AttachmentChanged as AttachmentChanged
from ._resource_events import ResourceFailed as ResourceFailed
from ._resource_events import ResourceOffered as ResourceOffered
from ._resource_events import ResourceProgress as ResourceProgress
from ._resource_events import ResourceReceived as ResourceReceived
from ._resource_events import ResourceSettled as ResourceSettled
from .anchors import Anchor
from .streams import Stream
from .values import ID, Object, Transform


@dataclass(frozen=True, slots=True)
class PeerEvent(Event):
    """Something about a peer, with the name that it gives itself."""

    peer: ID
    name: str


@event_class(EventType.CANDIDATE_FOUND)
class CandidateFound(Event):
    """A service is in sight: `Session.invite_candidate` invites it; the peer is the known one that it seems to be."""

    candidate: str
    name: str | None
    peer: ID | None
    recognition: Recognition


@event_class(EventType.CANDIDATE_LOST)
class CandidateLost(Event):
    """A service is out of sight."""

    candidate: str
    name: str | None


@event_class(EventType.DISCOVERY_AVAILABLE)
class DiscoveryAvailable(Event):
    """Peers can be found, by the back-end of this name."""

    backend: str


@event_class(EventType.DISCOVERY_UNAVAILABLE)
class DiscoveryUnavailable(Event):
    """Peers cannot be found, and why; the session goes on."""

    reason: str


@event_class(EventType.INVITATION)
class Invited(PeerEvent):
    """A peer asks to join: `Session.answer` answers. The context is that app's, and untrusted."""

    operation: int
    context: bytes
    recognition: Recognition


@event_class(EventType.INVITATION_ENDED)
class InvitationEnded(PeerEvent):
    """The invitation of a peer, by its number, is over."""

    operation: int


@event_class(EventType.PEER_JOINED)
class PeerJoined(PeerEvent):
    """A peer is in the session and can be reached."""


@event_class(EventType.PEER_RECONNECTING)
class PeerReconnecting(PeerEvent):
    """The connection of a peer broke and is being made again."""


@event_class(EventType.PEER_LEFT)
class PeerLeft(PeerEvent):
    """A peer is no longer in the session."""

    reason: str


@event_class(EventType.HOST_CHANGED)
class HostChanged(Event):
    """Another peer hosts, or nobody while an election runs."""

    host: ID | None
    epoch: int
    reason: str
    name: str | None


@event_class(EventType.MAP_PROGRESS)
class MapProgress(Event):
    """How many bytes of a map are here."""

    sender: ID | None
    map: ID
    done: int
    total: int
    name: str | None


@event_class(EventType.MAP_RECEIVED)
class MapReceived(Event):
    """A map is here: `Session.map` gives it."""

    sender: ID | None
    map: ID
    done: int
    total: int
    name: str | None


@event_class(EventType.MAP_FAILED)
class MapFailed(Event):
    """A map could not be fetched or read."""

    status: Code
    reason: str


@event_class(EventType.ANCHOR_ADDED)
class AnchorAdded(Event):
    """An anchor is in the world; the origin is local, remote, map or merge."""

    anchor: Anchor
    origin: str
    payload: bytes
    content_type: str | None


@event_class(EventType.ANCHOR_UPDATED)
class AnchorUpdated(Event):
    """An anchor has another place, name, kind or payload; the origin is local, remote, map or merge."""

    anchor: Anchor
    origin: str
    payload: bytes
    content_type: str | None


@event_class(EventType.ANCHOR_REMOVED)
class AnchorRemoved(Event):
    """An anchor was removed; it is as it was at last."""

    anchor: Anchor
    origin: str
    payload: bytes
    content_type: str | None


@event_class(EventType.EDIT_SUPERSEDED)
class EditSuperseded(Event):
    """A peer removed what this one edited."""

    anchor_id: uuid.UUID
    peer: ID | None
    field: Field
    name: str | None


@event_class(EventType.MESSAGE)
class Message(Event):
    """What an app sent; of an unreliable message with its key."""

    peer: ID
    data: bytes
    key: str | None
    name: str


@event_class(EventType.PROBLEM)
class Problem(Event):
    """Something that ends neither session nor data."""

    status: Code
    reason: str


@event_class(EventType.ENDED)
class Ended(Event):
    """The session is over; nothing follows."""

    reason: str


@event_class(EventType.SESSION_MERGED)
class SessionMerged(Event):
    """Two sessions have become one, with this host and as many peers in all, this one included."""

    host: ID
    total: int
    name: str


@event_class(EventType.LOCKED)
class Locked(Event):
    """The session takes no newcomers."""


@event_class(EventType.UNLOCKED)
class Unlocked(Event):
    """The session takes newcomers again."""


@event_class(EventType.PEER_MAP_CHANGED)
class PeerMapChanged(PeerEvent):
    """A peer came further with the session's map."""

    map: ID | None
    stage: MapStage
    percent: int


@event_class(EventType.SYNCHRONIZED)
class Synchronized(Event):
    """All is here that the connected peers had when they connected."""

    digest: bytes


@event_class(EventType.FIELD_OVERWRITTEN)
class FieldOverwritten(Event):
    """A later edit replaced one of this peer; the lost value is in the field that belongs to it."""

    anchor_id: uuid.UUID
    peer: ID | None
    field: Field
    transform: Transform
    text: str | None
    data: bytes
    flags: int
    name: str | None


@event_class(EventType.ANCHOR_RESTORED)
class AnchorRestored(Event):
    """An anchor brings back a removed one."""

    anchor: Anchor
    removed: uuid.UUID
    payload: bytes
    content_type: str | None


@event_class(EventType.OWNERSHIP_CHANGED)
class OwnershipChanged(Event):
    """An anchor has another owner, or none."""

    anchor_id: uuid.UUID
    owner: ID | None
    name: str | None


@event_class(EventType.ANCHOR_DRAGGED)
class AnchorDragged(Event):
    """A peer moves an anchor by hand; the time is that of the session (ms)."""

    anchor_id: uuid.UUID
    transform: Transform
    peer: ID
    time: int
    sequence: int
    name: str


@event_class(EventType.DRAG_ENDED)
class DragEnded(PeerEvent):
    """A peer has let go of an anchor."""

    anchor_id: uuid.UUID


@event_class(EventType.PARTICIPANT_MOVED)
class ParticipantMoved(Event):
    """Where a peer's device is; the time is that of the session (ms)."""

    anchor_id: uuid.UUID
    transform: Transform
    peer: ID
    time: int
    sequence: int
    name: str


@event_class(EventType.PARTICIPANT_GONE)
class ParticipantGone(PeerEvent):
    """A peer shows no more where its device is."""


@event_class(EventType.NEW_DEVICE)
class NewDevice(PeerEvent):
    """A known name with another key."""

    known_key: ID


@event_class(EventType.CODE)
class CodeShown(PeerEvent):
    """Two people compare these six digits: `Session.answer_code` says whether they are equal."""

    operation: int
    digits: str
    recognition: Recognition


@event_class(EventType.CODE_ENDED)
class CodeEnded(PeerEvent):
    """The comparison of a code, by its number, is over, and whether both users have confirmed it."""

    operation: int
    is_confirmed: bool


@event_class(EventType.MESSAGES_FAILED)
class MessagesFailed(PeerEvent):
    """Messages that are not known to have arrived, by their numbers."""

    reason: str
    numbers: tuple[int, ...]


@event_class(EventType.MESSAGE_RETURNED)
class MessageReturned(PeerEvent):
    """An object, by its number, arrived, and the app of the receiver did not get it; Swift apps alone return one."""

    reason: str
    number: int


@event_class(EventType.PEER_RECONNECTED)
class PeerReconnected(PeerEvent):
    """A peer that was being connected again can be reached."""


@event_class(EventType.NOBODY_FOUND)
class NobodyFound(Event):
    """For 10 s; the text says what may be the cause and what to do."""

    reason: str


@event_class(EventType.ALIGNMENT_CHANGED)
class AlignmentChanged(PeerEvent):
    """Unaligned, aligning, aligned or lost; anchors have moved, come or gone. The placement is that of the frame."""

    state: str
    residual: float
    observations: int
    placement: Transform | None


@event_class(EventType.GROUPS_CHANGED)
class GroupsChanged(PeerEvent):
    """A peer is in these groups now."""

    groups: tuple[str, ...]


@event_class(EventType.DONE)
class Done(Event):
    """An operation has ended: its coroutine has the result, so that the iterator shows none of these."""

    operation: int
    failure: Code | None
    text: str | None
    name: str | None
    peer: ID | None
    map: ID | None
    resource: ID | None
    object: Object
    flags: int
    residual: float
    observations: int
    stream: Stream | None


@event_class(EventType.OBJECT)
class ObjectReceived(Event):
    """An object of a `Session.read_objects`, whose number it has."""

    operation: int
    peer: ID
    object: Object
    name: str


@event_class(EventType.REQUEST)
class Request(Event):
    """A question of a peer: `Session.respond` or `Session.refuse` answers."""

    operation: int
    peer: ID
    object: Object
    name: str


@event_class(EventType.REQUEST_WITHDRAWN)
class RequestWithdrawn(Event):
    """The sender of a request, by its number, does not wait any more."""

    operation: int


@event_class(EventType.INVITATION_FAILED)
class InvitationFailed(Event):
    """An invitation that `Session.keep_inviting` or the configuration began; it may be repeated."""

    target: str
    status: Code
    reason: str
    is_repeated: bool


@event_class(EventType.HOST_REQUESTED)
class HostRequested(PeerEvent):
    """A member wants to host (`asks_host`): `Session.answer_question` answers."""

    operation: int


@event_class(EventType.OWNERSHIP_REQUESTED)
class OwnershipRequested(Event):
    """A member wants what this peer owns (`asks_ownership`): `Session.answer_question` answers."""

    operation: int
    peer: ID
    name: str
    anchor_id: uuid.UUID


@event_class(EventType.STREAM)
class StreamReceived(Event):
    """A stream of a `Session.accept_streams`, whose number it has; or why this process has no descriptor left for it."""

    operation: int
    peer: ID
    peer_name: str
    name: str
    stream: Stream | None
    failure: Code | None
    text: str | None


@event_class(EventType.ROOM)
class Room(Event):
    """A message or an object that was refused with WOULD_BLOCK may fit now; those that `send` waits with go first."""


@event_class(EventType.ROLE_CHANGED)
class RoleChanged(PeerEvent):
    """A peer has another part in a creator's session, or none: it is not admitted any more."""

    role: PeerRole


@event_class(EventType.LOG)
class LogLine(Event):
    """What the library would print (`log`), and how many more of its kind were left out. It is for people."""

    level: LogLevel
    subsystem: str
    text: str
    omitted: int


@dataclass(frozen=True, slots=True)
class UnknownEvent(Event):
    """An event of a later version of the library."""

    type: int
