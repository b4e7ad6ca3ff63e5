"""Objects of the library that have to be given back."""

import weakref
from collections.abc import Callable
from ctypes import byref, c_void_p
from types import TracebackType
from typing import Any, Self

from ._library import library


def take_list(kind: str, read: Callable[[Any], Any], function: str, handle: c_void_p | bytes | None) -> list[Any]:
    """Copies a list out of the library."""
    pointer = c_void_p()
    getattr(library, function)(handle, byref(pointer))
    try:
        get, count = getattr(library, f"{kind}_get"), getattr(library, f"{kind}_count")
        return [read(get(pointer, index).contents) for index in range(count(pointer))]
    finally:
        getattr(library, f"{kind}_destroy")(pointer)


class Handle:
    """Something of the library: closed at the end of a `with` block, or with the last reference to it."""

    def __init__(self, pointer: c_void_p, destroy: Callable[[c_void_p], None]) -> None:
        self._pointer = pointer
        self._finalizer = weakref.finalize(self, destroy, pointer)

    @property
    def handle(self) -> c_void_p:
        """What the functions of the library take."""
        if not self._finalizer.alive:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._pointer

    def close(self) -> None:
        """Gives it back; once is enough, and more often does no harm."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
