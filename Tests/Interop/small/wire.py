"""Fields and frames: the notation of PROTOCOL.md."""

import struct
from collections.abc import Container
from functools import partialmethod
from typing import NamedTuple


class Refused(Exception):
    """Bytes or a frame that the protocol does not allow: they end the link with goodbye 8."""


class UnknownKind(Exception):
    """A kind inside a frame that a newer peer may know: the frame is skipped."""


def check(condition: bool, what: str) -> None:
    """Refuses what breaks a rule of the protocol."""
    if not condition:
        raise Refused(what)


def know(kind: int, kinds: Container[int]) -> None:
    """Skips a frame of a kind that is none of those known here."""
    if kind not in kinds:
        raise UnknownKind(kind)


class Node(NamedTuple):
    """One start of one peer; nodes compare by id, then by incarnation."""

    id: bytes
    incarnation: int

    @property
    def actor(self) -> bytes:
        """Its name in operations: numbers big-endian, unlike on the rest of the wire."""
        return self.id[:8] + self.incarnation.to_bytes(8, "big")

    def __bytes__(self) -> bytes:
        return self.id + u64(self.incarnation)


class Reader:
    """Takes fields from a body, one after the other, and refuses what is not as the pages say.

    A text that is not UTF-8 raises UnicodeDecodeError, which ends the link as Refused does.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> int:
        """How many bytes were not read yet."""
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        check(count <= self.left, "a body ends inside a field")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, size: int, most: int = 2**64 - 1) -> int:
        value = int.from_bytes(self.take(size), "little")
        check(value <= most, f"{value} is above {most}")
        return value

    u8 = partialmethod(number, 1)
    u16 = partialmethod(number, 2)
    u32 = partialmethod(number, 4)
    u64 = partialmethod(number, 8)

    def varint(self) -> int:
        value = shift = 0
        while (byte := self.u8()) > 127:
            value |= (byte & 127) << shift
            shift += 7
        value |= byte << shift
        check(value < 2**64 and (byte > 0 or shift == 0), "a varint is too long")
        return value

    def blob(self, limit: int) -> bytes:
        size = self.varint()
        check(size <= limit, f"{size} bytes, at most {limit}")
        return self.take(size)

    def text(self, limit: int) -> str:
        return self.blob(limit).decode()

    def node(self) -> Node:
        return Node(self.take(32), self.u64())

    def rest(self) -> bytes:
        return self.take(self.left)

    def end(self) -> None:
        check(self.left == 0, "bytes after the last field")


u8, u16, u32, u64 = (struct.Struct(form).pack for form in ("<B", "<H", "<I", "<Q"))


def varint(value: int) -> bytes:
    return u8(value) if value < 128 else u8(value & 127 | 128) + varint(value >> 7)


def blob(data: bytes) -> bytes:
    return varint(len(data)) + data


def text(value: str) -> bytes:
    return blob(value.encode())
