"""What happens to files and large bytes: part of `events`."""

from dataclasses import dataclass

from ._abi_enums import AttachmentState, EventType
from ._event import Event, event_class
from .values import ID


@dataclass(frozen=True, slots=True)
class ResourceState(Event):
    """How far a file or bytes of a peer have come; the text is the name, the path, or why it failed.

    The name is for people, that of the sender's choice, and no path. It comes with what is sent to this peer.
    """

    peer: ID
    resource: ID
    done: int
    total: int
    text: str | None
    name: str | None
    peer_name: str


@dataclass(frozen=True, slots=True)
class ResourceEvent(ResourceState):
    """A file or bytes that one peer offers to others."""

    is_sent: bool


@event_class(EventType.RESOURCE_OFFERED)
class ResourceOffered(ResourceEvent):
    """`Session.accept_resource` or `decline_resource` answers."""


@event_class(EventType.RESOURCE_PROGRESS)
class ResourceProgress(ResourceEvent):
    """The rate is bytes a second, 0 while it is not known."""

    rate: int


@event_class(EventType.RESOURCE_RECEIVED)
class ResourceReceived(ResourceEvent):
    """The text is the path of a file that the program moves away before the session ends."""


@event_class(EventType.RESOURCE_FAILED)
class ResourceFailed(ResourceEvent):
    """It does not come, or not to this peer; the text says why."""


@event_class(EventType.RESOURCE_SETTLED)
class ResourceSettled(ResourceEvent):
    """The peer has all of a resource of this one (no text), or the text says why it does not get it."""


@event_class(EventType.ATTACHMENT_CHANGED)
class AttachmentChanged(ResourceState):
    """Something that a peer has attached to the session; the text is the path of what is here, or why it failed."""

    attachment: AttachmentState
