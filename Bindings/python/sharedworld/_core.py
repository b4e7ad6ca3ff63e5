"""A running session: its beginning and end, its events, and the operations that end with one of them."""

import asyncio
import weakref
from collections import deque
from collections.abc import Callable
from ctypes import POINTER, byref, c_uint64, c_void_p
from types import TracebackType
from typing import Any, Self

from . import _abi
from ._abi_enums import Code
from ._handles import Handle, take_list
from ._library import library
from ._reading import read_event
from .config import Config
from .errors import SharedWorldError
from .events import Done, Event, Room
from .identity import Identity

#: How much the events may take that came while an operation waits and nobody reads (bytes, about). Beyond it they stay
#: in the library, and the operation waits until some are read.
UNREAD_LIMIT = 64 << 20


class Core:
    """What all parts of a session use."""

    def __init__(self, identity: Identity, config: Config | None = None) -> None:
        self._identity, self._config = identity, config or Config()
        self._pointer: c_void_p | None = None
        self._handles: weakref.WeakSet[Handle] = weakref.WeakSet()
        self._unread: deque[Event] = deque()
        self._unread_size = 0
        self._operations: dict[int, asyncio.Future[Done]] = {}
        self._senders: list[asyncio.Future[None]] = []
        self._reader: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watched: int | None = None

    async def __aenter__(self) -> Self:
        start, pointer = c_void_p(), c_void_p()
        self._loop = asyncio.get_running_loop()
        library.sw_session_start_async(self._identity.handle, byref(self._config.c_structure()), byref(start))
        try:
            await until_readable(library.sw_start_fd(start))
            library.sw_start_finish(start, byref(pointer))
        finally:
            # A cancelled start ends in the background; of one that has finished nothing is left.
            library.sw_start_cancel(start)
        self._pointer = pointer
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pointer, self._pointer = self._pointer, None
        for handle in self._handles:
            handle.close()
        self._abandon(SharedWorldError(Code.ENDED, "the session was left before this had ended"))
        # A task that is cancelled here leaves nevertheless, in the background.
        await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(library.sw_session_stop, pointer)))

    @property
    def handle(self) -> c_void_p:
        """What the functions of the library take."""
        if self._pointer is None:
            raise SharedWorldError(Code.ENDED, "the session runs between the beginning and the end of its block alone")
        return self._pointer

    def _list(self, function: str, kind: str, read: Callable[[Any], Any]) -> list[Any]:
        return take_list(kind, read, function, self.handle)

    # Operations.

    async def _operate(self, begin: Callable[..., None], *arguments: Any) -> Done:
        """Begins an operation and waits for its end; a cancelled wait gives it up."""
        number = c_uint64()
        begin(self.handle, *arguments, byref(number))
        ending = asyncio.get_running_loop().create_future()
        self._operations[number.value] = ending
        self._watch()
        try:
            done: Done = await ending
        except asyncio.CancelledError:
            # Its event still comes, and is taken then.
            if self._pointer is not None:
                library.sw_session_cancel(self._pointer, number)
            raise
        if done.failure is not None:
            raise SharedWorldError(done.failure, done.text or "", done.name)
        return done

    async def _until_room(self) -> None:
        """Waits until what was refused with WOULD_BLOCK may fit."""
        room = asyncio.get_running_loop().create_future()
        self._senders.append(room)
        self._watch()
        try:
            await room
        finally:
            self._senders.remove(room)
            self._watch()

    def _settle(self, event: Event) -> bool:
        """Whether an event was the end of an operation; its coroutine goes on then, and at room so do all that send."""
        if isinstance(event, Room):
            for room in self._senders:
                _resolve(room)
        if not isinstance(event, Done) or event.operation not in self._operations:
            return False
        ending = self._operations.pop(event.operation)
        if not ending.done():
            ending.set_result(event)
        return True

    def _abandon(self, error: SharedWorldError) -> None:
        """No event comes any more."""
        for waiting in (*self._operations.values(), *self._senders):
            if not waiting.done():
                waiting.set_exception(error)
        self._operations.clear()
        if self._reader is not None:
            _resolve(self._reader)
        self._watch()

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
        handle = self.handle
        if self._unread:
            event = self._unread.popleft()
            self._unread_size -= _size(event)
            self._watch()
            return event
        while (taken := _take(handle)) is not None and self._settle(taken):
            pass
        return taken

    def fileno(self) -> int:
        """A descriptor that is readable while events wait, for select and poll; neither read nor close it.

        Coroutines take events too: after one, call `next_event` until it gives None before waiting here.
        """
        return int(library.sw_session_events_fd(self.handle))

    async def _readable(self) -> None:
        """Waits until an event is there."""
        if self._reader is not None:
            raise RuntimeError("another task reads the events of this session")
        self._reader = asyncio.get_running_loop().create_future()
        self._watch()
        try:
            await self._reader
        finally:
            self._reader = None
            self._watch()

    def _wants_events(self) -> bool:
        if self._pointer is None:
            return False
        is_read = self._reader is not None and not self._reader.done()
        return is_read or bool(self._operations or self._senders) and self._unread_size < UNREAD_LIMIT

    def _watch(self) -> None:
        """Has the loop watch the descriptor while somebody waits: it stays readable until its events are taken."""
        if self._wants_events() == (self._watched is not None) or self._loop is None:
            return
        if self._watched is not None:
            self._loop.remove_reader(self._watched)
            self._watched = None
        else:
            self._watched = self.fileno()
            self._loop.add_reader(self._watched, self._pump)

    def _pump(self) -> None:
        """Takes some of the events that wait, no more at a time than the loop can bear."""
        for _ in range(64):
            if not self._wants_events():
                break
            try:
                event = _take(self.handle)
            except SharedWorldError as error:
                self._abandon(error)
                break
            if event is None:
                break
            if not self._settle(event):
                self._unread.append(event)
                self._unread_size += _size(event)
                if self._reader is not None:
                    _resolve(self._reader)
        self._watch()


def _take(handle: c_void_p) -> Event | None:
    """Copies the next event out of the library."""
    event = POINTER(_abi.Event)()
    library.sw_session_next_event(handle, byref(event))
    if not event:
        return None
    try:
        return read_event(event.contents)
    finally:
        library.sw_event_destroy(event)


def _size(event: Event) -> int:
    """What an event takes, about (bytes)."""
    carried = getattr(event, "data", None) or getattr(event, "payload", None) or b""
    if (sent := getattr(event, "object", None)) is not None:
        carried = sent.data
    return 1024 + len(carried)


async def until_readable(descriptor: int) -> None:
    """Waits until there is something to read, which it leaves there."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(descriptor, _resolve, ready)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


def _resolve(reader: asyncio.Future[None]) -> None:
    if not reader.done():
        reader.set_result(None)
