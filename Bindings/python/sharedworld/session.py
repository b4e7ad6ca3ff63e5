"""One peer's part in a shared world."""

from ctypes import byref, c_float, c_uint64, c_void_p, sizeof, string_at
from typing import Any

import numpy.typing as npt

from . import _abi
from ._abi_enums import Code
from ._library import library
from .discovery import Network
from .errors import SharedWorldError
from .events import CodeShown, HostRequested, Invited, OwnershipRequested
from .frames import Frames
from .maps import Map, c_array, c_cloud
from .messages import Messages, Subscription
from .resources import Resources
from .roles import Roles
from .snapshot import Snapshots
from .statistics import Measured
from .streams import Stream
from .values import ID, Peer, c_bytes, c_id, c_key, c_milliseconds, c_text, read_id, read_peer
from .world import World


class Session(World, Messages, Resources, Frames, Roles, Network, Snapshots, Measured):
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

    def answer(self, invitation: Invited, accept: bool, reason: str | None = None) -> None:
        """Answers an invitation; a reason tells a declined peer why.

        INVALID_ARGUMENT when it waits no more: an answer that comes too late is none to the next one of that peer.
        """
        library.sw_session_answer(self.handle, invitation.operation, int(accept), c_text(reason))

    def answer_code(self, code: CodeShown, is_same: bool) -> None:
        """Says whether the other screen shows the same code; INVALID_ARGUMENT when it waits no more."""
        library.sw_session_answer_code(self.handle, code.operation, int(is_same))

    def lock(self) -> None:
        """Takes no newcomers any more; for the host, and in a creator's session for those whose part allows it."""
        library.sw_session_lock(self.handle)

    def unlock(self) -> None:
        """Takes newcomers again."""
        library.sw_session_unlock(self.handle)

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

    # Streams.

    async def open_stream(self, peer: ID, name: str, *, timeout: float = 10) -> Stream:
        """Opens a stream to a member, whose program has to accept it.

        The code is UNHANDLED when nothing there accepts streams of this name.
        """
        done = await self._operate(library.sw_session_open_stream, c_key(peer), name.encode(), c_milliseconds(timeout))
        assert done.stream is not None
        return done.stream

    def accept_streams(self, names: str | None = None) -> Subscription:
        """Accepts the streams that others open from now on, each with a StreamReceived.

        In `names` a word "*" between slashes stands for any one word, "**" at the end for any; None is "**".
        """
        number = c_uint64()
        library.sw_session_accept_streams(self.handle, c_text(names), byref(number))
        return Subscription(self, number.value)

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

    async def decode_map(self) -> None:
        """Decodes that map in the background, so that `map` does not wait for it; the code is NO_MAP before one is here."""
        await self._operate(library.sw_session_decode_map)

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
