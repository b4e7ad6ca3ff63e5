"""Streams of bytes between two peers."""

import asyncio
from collections.abc import Callable
from ctypes import byref, c_size_t, c_uint8, c_void_p, string_at
from typing import Any, Self

from ._abi_enums import Code
from ._handles import Handle
from ._library import library
from .errors import SharedWorldError
from .values import ID, c_text

#: The most that the library takes over at once (bytes).
PART = 262_144
#: When a writer looks again that was told of bytes to read, which nobody reads (seconds).
PAUSE = 0.005


class Stream(Handle):
    """A stream of bytes to and from another peer, under a name.

    The bytes of each direction arrive exactly once and in order, also over broken connections; where that fails both
    directions end with an error. One that is closed before its end is reset. One task reads at a time, and one writes.
    """

    def __init__(self, pointer: c_void_p, name: str, peer: ID) -> None:
        super().__init__(pointer, library.sw_stream_destroy)
        self.name, self.peer = name, peer
        self._descriptor = int(library.sw_stream_fd(pointer))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[asyncio.Future[None]] = []

    async def read(self, size: int = PART) -> bytes:
        """The bytes that are here, at least one and at most `size`; none when the other side has finished."""
        buffer, count = (c_uint8 * size)(), c_size_t()
        await self._call(library.sw_stream_read, buffer, size, byref(count))
        return string_at(buffer, count.value)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if data := await self.read():
            return data
        raise StopAsyncIteration

    async def write(self, data: bytes) -> None:
        """Writes all of these bytes, and waits while the other side does not read."""
        at, count = 0, c_size_t()
        while at < len(data):
            part = data[at:at + PART]
            await self._call(library.sw_stream_write, part, len(part), byref(count), pause=PAUSE)
            at += count.value

    async def finish(self) -> None:
        """Says that this side writes nothing more, and waits until that has left; the other direction goes on."""
        await self._call(library.sw_stream_finish, pause=PAUSE)

    def reset(self, code: str = "reset", message: str | None = None) -> None:
        """Ends both directions at once, with a word for the program of the other side and a sentence for people."""
        library.sw_stream_reset(self.handle, code.encode(), c_text(message))

    def close(self) -> None:
        """Gives it back; a direction that has not ended is reset."""
        self._stop_watching()
        for waiting in self._waiting:
            _resolve(waiting)
        super().close()

    async def _call(self, function: Callable[..., None], *arguments: Any, pause: float = 0) -> None:
        """Calls a function until it does not ask to wait."""
        is_told = False
        while True:
            try:
                return function(self.handle, *arguments)
            except SharedWorldError as error:
                if error.code == Code.STREAM_RESET:
                    raise SharedWorldError(error.code, str(error), self._reset_code()) from None
                if error.code != Code.WOULD_BLOCK:
                    raise
            if is_told:
                # The descriptor told of something else, and may go on telling.
                await asyncio.sleep(pause)
            await self._news()
            is_told = True

    async def _news(self) -> None:
        """Waits until the descriptor is readable."""
        self._loop = asyncio.get_running_loop()
        waiting = self._loop.create_future()
        self._waiting.append(waiting)
        self._loop.add_reader(self._descriptor, self._wake)
        try:
            await waiting
        finally:
            self._waiting.remove(waiting)
            if not self._waiting:
                self._stop_watching()

    def _wake(self) -> None:
        for waiting in self._waiting:
            _resolve(waiting)

    def _stop_watching(self) -> None:
        # The number of a closed descriptor may be that of another one by now.
        if self._finalizer.alive and self._loop is not None:
            self._loop.remove_reader(self._descriptor)

    def _reset_code(self) -> str:
        code = c_void_p()
        library.sw_stream_reset_code(self.handle, byref(code))
        try:
            return string_at(code.value or 0).decode()
        finally:
            library.sw_text_destroy(code)


def _resolve(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
