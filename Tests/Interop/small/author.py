"""The operations that this peer writes: Documentation/Protocol/anchors.md."""

import uuid
from collections.abc import Iterator

from .wire import text, u8, u16, u32, u64

ADD = 1


class Author:
    """Writes operations on anchors. The caller sends them, and reads the clock."""

    def __init__(self, actor: bytes) -> None:
        self.actor = actor
        #: The operations so far; their numbers begin at 1.
        self.written: list[bytes] = []
        self._clock = 0

    def place(self, name: str, pose: bytes, creator: bytes, session_time: int) -> bytes:
        """Adds an anchor of this peer and gives its id."""
        identifier = uuid.uuid4().bytes
        # A creator and nothing else that is optional; no flags, and no kind.
        self._write(ADD, identifier + u8(1) + creator + pose + text(name) + u32(0) + u8(0), session_time)
        return identifier

    def _write(self, code: int, fields: bytes, session_time: int) -> None:
        self._clock = max(self._clock + 1, session_time * 65_536)
        self.written.append(u8(code) + u64(self._clock) + fields)

    def missing(self, known: int) -> Iterator[bytes]:
        """The batches with the operations of this peer after that number."""
        for first in range(known, len(self.written), 64):
            run = self.written[first:first + 64]
            data = b"".join(run)
            yield u8(1) + self.actor + u64(first + 1) + u16(len(run)) + u32(len(data)) + data
