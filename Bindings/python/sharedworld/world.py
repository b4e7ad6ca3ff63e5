"""The world of a session: anchors, what they mark and carry, whose they are, and what moves."""

import uuid
from ctypes import byref, c_float, c_void_p, sizeof
from dataclasses import dataclass
from types import TracebackType

import numpy.typing as npt

from . import _abi, kinds
from ._abi_enums import Acknowledgement, Kind
from ._core import Core
from ._handles import Handle
from ._library import library
from .anchors import Anchor, c_anchor_id, c_content, take_anchors
from .history import UndoHistory
from .values import ID, c_key, c_milliseconds, c_text, c_transform, read_id, read_uuid


@dataclass(frozen=True, slots=True)
class AnchorOwnership:
    """The ownership of an anchor, by grant of the host."""

    owner: ID
    #: When it ends by itself (milliseconds of session time), None when it does not.
    until: int | None
    #: Of the host that granted it.
    epoch: int
    #: Counts the grants of this anchor in that epoch.
    number: int


class Drag(Handle):
    """An anchor in this peer's hand: let go of at the end of a `with` block."""

    def update(self, transform: npt.ArrayLike) -> None:
        """Shows the anchor at another place."""
        library.sw_drag_update(self.handle, c_transform(transform))

    def end(self) -> None:
        """Lets go: the last place becomes the anchor's, for everybody."""
        library.sw_drag_end(self.handle)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.end()
        finally:
            self.close()


class World(Core):
    """What a session edits, and what it shows while that moves."""

    @property
    def anchors(self) -> list[Anchor]:
        """The anchors now, in the order of their ids."""
        return take_anchors("sw_session_anchors", self.handle)

    @property
    def digest(self) -> bytes:
        """A hash of the anchors: equal on all peers that hold the same."""
        digest = _abi.Digest()
        library.sw_session_digest(self.handle, byref(digest))
        return bytes(digest)

    def place(
        self, name: str, transform: npt.ArrayLike, *, kind: kinds.Kind | None = None, content_type: str | None = None,
        payload: bytes = b"",
    ) -> uuid.UUID:
        """Places an anchor (a 4 × 4 transform, or a position): here at once, and on its way to everybody.

        It marks a place unless it has a kind; a payload (at most 64 KiB) comes with its media type.
        """
        anchor, place = _abi.AnchorID(), c_transform(transform)
        if kind is None and content_type is None:
            library.sw_session_place(self.handle, name.encode(), place, byref(anchor))
        else:
            content = byref(c_content(kind, content_type, payload))
            library.sw_session_place_with(self.handle, name.encode(), place, content, byref(anchor))
        return read_uuid(anchor)

    async def confirm_edits(
        self, by: Acknowledgement = Acknowledgement.EVERY_PRESENT_MEMBER, *, timeout: float = 10
    ) -> None:
        """Waits until others hold what this peer has edited so far: the host, or all that are here.

        An edit that one peer has acknowledged survives as long as that peer. The code is NOT_ACKNOWLEDGED when the time
        is up; the edits stand, and go on spreading.
        """
        await self._operate(library.sw_session_confirm_edits, int(by), c_milliseconds(timeout))

    def begin_undo_history(self, limit: int = 100) -> UndoHistory:
        """Begins an empty history, which remembers the edits that are made through it and takes them back."""
        pointer = c_void_p()
        library.sw_session_begin_undo_history(self.handle, limit, byref(pointer))
        history = UndoHistory(pointer, library.sw_undo_history_destroy)
        self._handles.add(history)
        return history

    def move(self, anchor: uuid.UUID | Anchor, transform: npt.ArrayLike) -> None:
        """Moves an anchor; of two concurrent moves the later one stands."""
        library.sw_session_move(self.handle, byref(c_anchor_id(anchor)), c_transform(transform))

    def rename(self, anchor: uuid.UUID | Anchor, name: str) -> None:
        """Gives an anchor another name."""
        library.sw_session_rename(self.handle, byref(c_anchor_id(anchor)), name.encode())

    def remove(self, anchor: uuid.UUID | Anchor) -> None:
        """Removes an anchor permanently; a removal wins over any concurrent edit."""
        library.sw_session_remove(self.handle, byref(c_anchor_id(anchor)))

    def set_kind(self, anchor: uuid.UUID | Anchor, kind: kinds.Kind | None) -> None:
        """Gives an anchor another kind, as when a plane grows."""
        library.sw_session_set_kind(self.handle, byref(c_anchor_id(anchor)), byref(c_content(kind)))

    def set_payload(self, anchor: uuid.UUID | Anchor, content_type: str | None, data: bytes = b"") -> None:
        """Gives an anchor another payload (at most 64 KiB), or none without a content type."""
        identifier = byref(c_anchor_id(anchor))
        library.sw_session_set_payload(self.handle, identifier, c_text(content_type), data, len(data))

    @property
    def participants(self) -> list[Anchor]:
        """The devices of other peers that tell where they are."""
        return take_anchors("sw_session_participants", self.handle)

    def set_interest(
        self, *, kind: Kind | None = None, name_prefix: str | None = None, creator: ID | None = None,
        owner: ID | None = None, center: tuple[float, float, float] = (0, 0, 0), radius: float = 0,
    ) -> None:
        """Says of which drags and devices this peer wants to be told, all without arguments.

        The others send nothing else. A radius over 0 (metres) is that of a ball around the center.
        """
        wanted = _abi.Interest(size=sizeof(_abi.Interest), kinds=0 if kind is None else 1 + kind, radius=radius)
        wanted.name_prefix, wanted.center = c_text(name_prefix), (c_float * 3)(*center)
        wanted.creator, wanted.owner = c_key(creator), c_key(owner)
        library.sw_session_set_interest(self.handle, byref(wanted))

    def update_pose(self, transform: npt.ArrayLike | None) -> None:
        """Shows everybody where this peer's device is; None ends that."""
        library.sw_session_update_pose(self.handle, None if transform is None else c_transform(transform))

    def begin_drag(self, anchor: uuid.UUID | Anchor) -> Drag:
        """Takes an anchor in the hand: it is shown to all at up to 60 poses a second, and stays where it is let go."""
        pointer = c_void_p()
        library.sw_session_begin_drag(self.handle, byref(c_anchor_id(anchor)), byref(pointer))
        drag = Drag(pointer, library.sw_drag_destroy)
        self._handles.add(drag)
        return drag

    async def request_ownership(
        self, anchor: uuid.UUID | Anchor, *, lease: float | None = None, timeout: float = 10
    ) -> None:
        """Asks to own an anchor, for a time (seconds) or until it is released; no edit is refused because of it."""
        # 0 is a lease without an end.
        arguments = (0 if lease is None else c_milliseconds(lease), c_milliseconds(timeout))
        await self._operate(library.sw_session_request_ownership, byref(c_anchor_id(anchor)), *arguments)

    async def release_ownership(self, anchor: uuid.UUID | Anchor, *, timeout: float = 10) -> None:
        """Gives an anchor back."""
        identifier = byref(c_anchor_id(anchor))
        await self._operate(library.sw_session_release_ownership, identifier, c_milliseconds(timeout))

    async def give_ownership(self, anchor: uuid.UUID | Anchor, peer: ID, *, timeout: float = 10) -> None:
        """Gives an anchor that this peer owns to another one."""
        arguments = (byref(c_anchor_id(anchor)), c_key(peer), c_milliseconds(timeout))
        await self._operate(library.sw_session_give_ownership, *arguments)

    def ownership(self, anchor: uuid.UUID | Anchor) -> AnchorOwnership | None:
        """Who owns an anchor; None when nobody does, or there is none."""
        result = _abi.Ownership(size=sizeof(_abi.Ownership))
        library.sw_session_ownership(self.handle, byref(c_anchor_id(anchor)), byref(result))
        owner = read_id(result.owner)
        if owner is None:
            return None
        return AnchorOwnership(owner, result.until or None, result.epoch, result.number)
