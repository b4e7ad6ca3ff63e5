"""One peer's part in a shared world."""

import asyncio
import uuid
import weakref
from collections.abc import Callable, Iterable
from ctypes import POINTER, byref, c_uint64, c_void_p
from types import TracebackType
from typing import Any, Self

import numpy.typing as npt

from . import _abi
from ._handles import Handle
from ._library import library
from .config import Config
from .errors import Code, SharedWorldError
from .events import Event, read_event
from .identity import Identity
from .maps import Map
from .values import ID, Anchor, Peer, c_anchor_id, c_id, c_transform, read_anchor, read_id, read_peer, read_uuid


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


class Session:
    """A session during an `async with` block, and an asynchronous iterator of its events.

    What waits for others is a coroutine, run in a thread, so that a loop never stands still. Everything else returns
    at once. One task reads the events. A call of which the task was cancelled still runs to its end, and the end of
    the block waits for it.
    """

    def __init__(self, identity: Identity, config: Config | None = None) -> None:
        self._identity, self._config = identity, config or Config()
        self._pointer: c_void_p | None = None
        self._calls: set[asyncio.Future[Any]] = set()
        self._drags: weakref.WeakSet[Drag] = weakref.WeakSet()
        self._is_waiting = False

    async def __aenter__(self) -> Self:
        pointer = c_void_p()
        config = self._config.c_structure()
        start = asyncio.to_thread(library.sw_session_start, self._identity.handle, byref(config), byref(pointer))
        starting = asyncio.ensure_future(start)
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            # The thread goes on: what it starts has to be stopped.
            loop = asyncio.get_running_loop()
            starting.add_done_callback(lambda _: loop.run_in_executor(None, library.sw_session_stop, pointer))
            raise
        self._pointer = pointer
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pointer, self._pointer = self._pointer, None
        for drag in self._drags:
            drag.close()
        # A task that is cancelled here leaves nevertheless, in the background.
        await asyncio.shield(asyncio.ensure_future(self._stop(pointer)))

    async def _stop(self, pointer: c_void_p | None) -> None:
        await asyncio.gather(*self._calls, return_exceptions=True)
        await asyncio.to_thread(library.sw_session_stop, pointer)

    @property
    def handle(self) -> c_void_p:
        """What the functions of the library take."""
        if self._pointer is None:
            raise SharedWorldError(Code.ENDED, "the session runs between the beginning and the end of its block alone")
        return self._pointer

    async def _wait(self, function: Callable[..., None], *arguments: Any) -> None:
        """Calls a function that waits, in a thread."""
        call = asyncio.ensure_future(asyncio.to_thread(function, self.handle, *arguments))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        await asyncio.shield(call)

    # Events.

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while True:
            try:
                event = self.next_event()
            except SharedWorldError as error:
                if error.code == Code.ENDED:
                    raise StopAsyncIteration from None
                raise
            if event is not None:
                return event
            await self._readable()

    def next_event(self) -> Event | None:
        """The next event, None when none waits."""
        event = POINTER(_abi.Event)()
        library.sw_session_next_event(self.handle, byref(event))
        if not event:
            return None
        try:
            return read_event(event.contents)
        finally:
            library.sw_event_destroy(event)

    def fileno(self) -> int:
        """A descriptor that is readable while events wait, for select and poll; neither read nor close it."""
        return int(library.sw_session_events_fd(self.handle))

    async def _readable(self) -> None:
        """Waits until an event is there.

        The descriptor stays readable until then, so the loop watches it only while somebody waits.
        """
        if self._is_waiting:
            raise RuntimeError("another task reads the events of this session")
        loop, descriptor = asyncio.get_running_loop(), self.fileno()
        readable = loop.create_future()
        self._is_waiting = True
        loop.add_reader(descriptor, _resolve, readable)
        try:
            await readable
        finally:
            loop.remove_reader(descriptor)
            self._is_waiting = False

    # Members.

    @property
    def port(self) -> int:
        """The TCP port on which the session listens."""
        return int(library.sw_session_port(self.handle))

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
        return await self._invite("sw_session_invite", (host.encode(), port), expecting, context, timeout)

    async def invite_candidate(
        self, candidate: str, *, expecting: ID | None = None, context: bytes = b"", timeout: float = 30
    ) -> ID:
        """Invites a service that CandidateFound named, by default under the key that has answered there before."""
        return await self._invite("sw_session_invite_candidate", (candidate.encode(),), expecting, context, timeout)

    async def _invite(
        self, function: str, target: tuple[Any, ...], expecting: ID | None, context: bytes, timeout: float
    ) -> ID:
        if expecting is not None:
            function, target = f"{function}_expecting", (*target, _key(expecting))
        peer = _abi.PeerID()
        await self._wait(getattr(library, function), *target, context, len(context), int(timeout * 1_000), byref(peer))
        return ID(bytes(peer))

    def answer(self, peer: ID, accept: bool, reason: str | None = None) -> None:
        """Answers the invitation of a peer; a reason tells a declined peer why."""
        library.sw_session_answer(self.handle, _key(peer), int(accept), None if reason is None else reason.encode())

    def answer_code(self, peer: ID, is_same: bool) -> None:
        """Says whether the other screen shows the same code."""
        library.sw_session_answer_code(self.handle, _key(peer), int(is_same))

    def set_locked(self, locked: bool) -> None:
        """Closes the session for newcomers, or opens it; for the host alone."""
        library.sw_session_set_locked(self.handle, int(locked))

    def unlock_passcode(self) -> None:
        """Lets strangers try the passcode again."""
        library.sw_session_unlock_passcode(self.handle)

    # Messages.

    async def send(self, data: bytes, to: Iterable[ID] | None = None) -> None:
        """Sends at most 60 KiB to some members, or to all; waits while a receiver has too many messages unread."""
        peers = _keys(to)
        await self._wait(library.sw_session_send, data, len(data), peers, len(peers or ()))

    def send_now(self, data: bytes, to: Iterable[ID] | None = None) -> int:
        """The same without waiting (the error's code is WOULD_BLOCK); gives the number that MessagesFailed names."""
        peers, number = _keys(to), c_uint64()
        library.sw_session_send_now(self.handle, data, len(data), peers, len(peers or ()), byref(number))
        return number.value

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

    def update_pose(self, transform: npt.ArrayLike | None) -> None:
        """Shows everybody where this peer's device is; None ends that."""
        library.sw_session_update_pose(self.handle, None if transform is None else c_transform(transform))

    def drag(self, anchor: uuid.UUID | Anchor) -> Drag:
        """Takes an anchor in the hand: it is shown to all at up to 60 poses a second, and stays where it is let go."""
        pointer = c_void_p()
        library.sw_session_begin_drag(self.handle, byref(c_anchor_id(anchor)), byref(pointer))
        drag = Drag(pointer, library.sw_drag_destroy)
        self._drags.add(drag)
        return drag

    async def request_ownership(
        self, anchor: uuid.UUID | Anchor, *, lease: float | None = None, timeout: float = 10
    ) -> None:
        """Asks to own an anchor, for a time (seconds) or until it is released; no edit is refused because of it."""
        arguments = (int((lease or 0) * 1_000), int(timeout * 1_000))
        await self._wait(library.sw_session_request_ownership, byref(c_anchor_id(anchor)), *arguments)

    async def release_ownership(self, anchor: uuid.UUID | Anchor, *, timeout: float = 10) -> None:
        """Gives an anchor back."""
        await self._wait(library.sw_session_release_ownership, byref(c_anchor_id(anchor)), int(timeout * 1_000))

    # Maps.

    async def share_map(self, map: Map, peer: ID | None = None) -> ID:
        """Shares a map with one member, or with all and every later joiner; gives the name of this revision."""
        identifier = _abi.MapID()
        await self._wait(library.sw_session_share_map, map.handle, _key(peer), byref(identifier))
        return ID(bytes(identifier))

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

    def set_relocalised(self, relocalised: bool) -> None:
        """Tells everybody that this program has found where it is in the session's map, or has lost it."""
        library.sw_session_set_relocalised(self.handle, int(relocalised))

    def _list(self, function: str, kind: str, read: Callable[[Any], Any]) -> list[Any]:
        """Copies a list out of the library."""
        pointer = c_void_p()
        getattr(library, function)(self.handle, byref(pointer))
        try:
            get, count = getattr(library, f"{kind}_get"), getattr(library, f"{kind}_count")
            return [read(get(pointer, index).contents) for index in range(count(pointer))]
        finally:
            getattr(library, f"{kind}_destroy")(pointer)


def _resolve(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)


def _key(peer: ID | None) -> Any:
    """A peer id as an argument, NULL for nobody."""
    return None if peer is None else byref(c_id(_abi.PeerID, peer))


def _keys(peers: Iterable[ID] | None) -> Any:
    """Peer ids as an argument, NULL for all."""
    if peers is None:
        return None
    keys = [c_id(_abi.PeerID, peer) for peer in peers]
    return (_abi.PeerID * len(keys))(*keys)
