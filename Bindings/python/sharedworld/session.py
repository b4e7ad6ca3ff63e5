"""One peer's part in a shared world."""

import uuid
from collections.abc import Mapping
from ctypes import byref, c_float, c_uint64, c_void_p, sizeof, string_at
from types import TracebackType
from typing import Any

import numpy.typing as npt

from . import _abi
from ._abi_enums import Code
from ._handles import Handle
from ._library import library
from .errors import SharedWorldError
from .events import CodeShown, HostRequested, Invited, OwnershipRequested
from .frames import Frames
from .maps import Map, c_array, c_cloud
from .messages import Messages
from .resources import Resources
from .roles import Roles
from .snapshot import Snapshots
from .values import ID, Anchor, Peer, c_anchor_id, c_bytes, c_id, c_key, c_milliseconds, c_pairs, c_text, c_transform
from .values import read_anchor, read_id, read_peer, read_uuid


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


class Session(Messages, Resources, Frames, Roles, Snapshots):
    """A session during an `async with` block, and an asynchronous iterator of its events.

    A method that waits for others is a coroutine; when its task is cancelled, so is what it waits for. Everything else
    returns at once. One task reads the events.
    """

    # Members.

    @property
    def port(self) -> int:
        """The TCP port on which the session listens."""
        return int(library.sw_session_port(self.handle))

    @property
    def code(self) -> str | None:
        """The code of the room, which lets others in; None for a session that is no room."""
        code = library.sw_session_code(self.handle)
        return None if code is None else str(code.decode())

    @property
    def peers(self) -> list[Peer]:
        """The other members now, in the order of their ids."""
        return self._list("sw_session_peers", "sw_peer_list", read_peer)

    @property
    def host(self) -> tuple[ID | None, int]:
        """The host now, None while an election runs, and the number of that host, which only rises."""
        host, epoch = _abi.PeerID(), c_uint64()
        library.sw_session_host(self.handle, byref(host), byref(epoch))
        return read_id(host), epoch.value

    async def invite(
        self, host: str, port: int, *, expecting: ID | None = None, context: bytes = b"", timeout: float = 30
    ) -> ID:
        """Invites the peer at an address, of that key alone if one is expected, and gives who has accepted."""
        return await self._invite(_address(host, port), expecting, context, timeout)

    async def invite_candidate(
        self, candidate: str, *, expecting: ID | None = None, context: bytes = b"", timeout: float = 30
    ) -> ID:
        """Invites a service that CandidateFound named, by default under the key that has answered there before."""
        return await self._invite(_invitation(candidate=candidate.encode()), expecting, context, timeout)

    async def invite_link(self, link: str, *, context: bytes = b"", timeout: float = 30) -> ID:
        """Invites the peer that made an invitation link."""
        return await self._invite(_invitation(link=link.encode()), None, context, timeout)

    async def invite_known(self, peer: ID, *, context: bytes = b"", timeout: float = 30) -> ID:
        """Invites a peer of the file of known peers, at the addresses at which it could last be dialled."""
        return await self._invite(_invitation(known=c_key(peer)), None, context, timeout)

    async def _invite(
        self, invitation: _abi.Invitation, expecting: ID | None, context: bytes, timeout: float
    ) -> ID:
        invitation.expected, invitation.timeout_ms = c_key(expecting), c_milliseconds(timeout)
        invitation.context, invitation.context_size = c_bytes(context), len(context)
        done = await self._operate(library.sw_session_invite, byref(invitation))
        assert done.peer is not None
        return done.peer

    def keep_inviting(self, host: str, port: int) -> None:
        """Invites the peer at an address until it joins; InvitationFailed names failures."""
        library.sw_session_keep_inviting(self.handle, byref(_address(host, port)))

    def keep_inviting_candidate(self, candidate: str) -> None:
        """Invites a service until it joins, as long as it is in sight."""
        library.sw_session_keep_inviting(self.handle, byref(_invitation(candidate=candidate.encode())))

    def invitation_link(self, passcode: str | None = None) -> str:
        """A link with which others invite this peer; with a passcode in it, it is as secret as that."""
        link = c_void_p()
        library.sw_session_invitation_link(self.handle, c_text(passcode), byref(link))
        try:
            return string_at(link.value or 0).decode()
        finally:
            library.sw_text_destroy(link)

    async def resolve(self, candidate: str, *, timeout: float = 5) -> list[str]:
        """Where a candidate can be dialled, as HOST:PORT, the most promising first."""
        arguments = (candidate.encode(), c_milliseconds(timeout))
        return ((await self._operate(library.sw_session_resolve, *arguments)).text or "").splitlines()

    def set_discovery_info(self, info: Mapping[str, str]) -> None:
        """Shows everybody on the network other keys and values than the configuration's `info`."""
        library.sw_session_set_discovery_info(self.handle, c_pairs(info), len(info))

    def answer(self, invitation: Invited, accept: bool, reason: str | None = None) -> None:
        """Answers an invitation; a reason tells a declined peer why.

        INVALID_ARGUMENT when it waits no more: an answer that comes too late is none to the next one of that peer.
        """
        library.sw_session_answer(self.handle, invitation.operation, int(accept), c_text(reason))

    def answer_code(self, code: CodeShown, is_same: bool) -> None:
        """Says whether the other screen shows the same code; INVALID_ARGUMENT when it waits no more."""
        library.sw_session_answer_code(self.handle, code.operation, int(is_same))

    def set_locked(self, locked: bool) -> None:
        """Closes the session for newcomers, or opens it; for the host alone."""
        library.sw_session_set_locked(self.handle, int(locked))

    async def request_host(self, *, timeout: float = 5) -> None:
        """Asks to host."""
        await self._operate(library.sw_session_request_host, c_milliseconds(timeout))

    async def hand_over(self, peer: ID, *, timeout: float = 5) -> None:
        """Hands the host's role to a member."""
        await self._operate(library.sw_session_hand_over, c_key(peer), c_milliseconds(timeout))

    def answer_question(self, question: HostRequested | OwnershipRequested, accept: bool) -> None:
        """Says whether a peer gets the role or the anchor that it asks for."""
        library.sw_session_answer_question(self.handle, question.operation, int(accept))

    def kick(self, peer: ID) -> None:
        """Removes a member for the life of the session; for the host alone."""
        library.sw_session_kick(self.handle, c_key(peer))

    def leave(self) -> None:
        """Begins to leave: Ended says that it is over, and the end of the block does not wait then."""
        library.sw_session_leave(self.handle)

    def unlock_passcode(self) -> None:
        """Lets strangers try the passcode again."""
        library.sw_session_unlock_passcode(self.handle)

    # Anchors.

    @property
    def anchors(self) -> list[Anchor]:
        """The anchors now, in the order of their ids."""
        return self._list("sw_session_anchors", "sw_anchor_list", read_anchor)

    @property
    def digest(self) -> bytes:
        """A hash of the anchors: equal on all peers that hold the same."""
        digest = _abi.Digest()
        library.sw_session_digest(self.handle, byref(digest))
        return bytes(digest)

    def place(self, name: str, transform: npt.ArrayLike) -> uuid.UUID:
        """Places an anchor (a 4 × 4 transform, or a position): here at once, and on its way to everybody."""
        anchor = _abi.AnchorID()
        library.sw_session_place(self.handle, name.encode(), c_transform(transform), byref(anchor))
        return read_uuid(anchor)

    def move(self, anchor: uuid.UUID | Anchor, transform: npt.ArrayLike) -> None:
        """Moves an anchor; of two concurrent moves the later one stands."""
        library.sw_session_move(self.handle, byref(c_anchor_id(anchor)), c_transform(transform))

    def rename(self, anchor: uuid.UUID | Anchor, name: str) -> None:
        """Gives an anchor another name."""
        library.sw_session_rename(self.handle, byref(c_anchor_id(anchor)), name.encode())

    def remove(self, anchor: uuid.UUID | Anchor) -> None:
        """Removes an anchor permanently; a removal wins over any concurrent edit."""
        library.sw_session_remove(self.handle, byref(c_anchor_id(anchor)))

    def set_payload(self, anchor: uuid.UUID | Anchor, content_type: str | None, data: bytes = b"") -> None:
        """Gives an anchor another payload (at most 64 KiB), or none without a content type."""
        identifier = byref(c_anchor_id(anchor))
        library.sw_session_set_payload(self.handle, identifier, c_text(content_type), data, len(data))

    @property
    def participants(self) -> list[Anchor]:
        """The devices of other peers that tell where they are."""
        return self._list("sw_session_participants", "sw_anchor_list", read_anchor)

    def update_pose(self, transform: npt.ArrayLike | None) -> None:
        """Shows everybody where this peer's device is; None ends that."""
        library.sw_session_update_pose(self.handle, None if transform is None else c_transform(transform))

    def drag(self, anchor: uuid.UUID | Anchor) -> Drag:
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

    # Maps.

    async def share_map(self, map: Map, peer: ID | None = None) -> ID:
        """Shares a map with one member, or with all and every later joiner; gives the name of this revision."""
        done = await self._operate(library.sw_session_share_map, map.handle, c_key(peer))
        assert done.map is not None
        return done.map

    async def share_capture(
        self, points: npt.ArrayLike, identifiers: npt.ArrayLike | None = None, *, views: int = 0
    ) -> ID:
        """Shares the session's anchors and points of this peer's frame with all, once the place is mapped well enough.

        The code is MAP_NOT_READY before, NOT_CONNECTED while nobody else is there.
        """
        positions, numbers = c_cloud(points, identifiers)
        done = await self._operate(
            library.sw_session_share_capture, c_array(positions, c_float), c_array(numbers, c_uint64), len(positions), views)
        assert done.map is not None
        return done.map

    @property
    def map(self) -> Map | None:
        """The session's map, or the latest one sent to this peer alone; None before one is complete."""
        pointer = c_void_p()
        try:
            library.sw_session_map(self.handle, byref(pointer))
        except SharedWorldError as error:
            if error.code == Code.NO_MAP:
                return None
            raise
        return Map(pointer, library.sw_map_destroy)

    def cancel_map(self, map: ID) -> None:
        """Stops fetching a map."""
        library.sw_session_cancel_map(self.handle, byref(c_id(_abi.MapID, map)))

    def set_relocalized(self, relocalized: bool) -> None:
        """Tells everybody that this program has found where it is in the session's map, or has lost it."""
        library.sw_session_set_relocalized(self.handle, int(relocalized))


def _invitation(**target: Any) -> _abi.Invitation:
    return _abi.Invitation(size=sizeof(_abi.Invitation), **target)


def _address(host: str, port: int) -> _abi.Invitation:
    # A number that does not fit would be cut without a word.
    if not 0 < port < 65_536:
        raise ValueError(f"a port is 1 to 65,535, not {port}")
    return _invitation(host=host.encode(), port=port)
