"""Fields and frames: the notation of PROTOCOL.md."""

import struct
from typing import NamedTuple

#: The largest body before a link is a member's, and on a member's link (bytes).
STRANGER_LIMIT, MEMBER_LIMIT = 4_608, 66_560


class Refused(Exception):
    """Bytes or a frame that the protocol does not allow: they end the link with goodbye 8."""


def check(condition: bool, what: str) -> None:
    """Refuses what breaks a rule of the protocol."""
    if not condition:
        raise Refused(what)


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
    """Takes fields from a body, one after the other, and refuses what is not as the pages say."""

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

    def u8(self, most: int = 255) -> int:
        return self.number(1, most)

    def u16(self) -> int:
        return self.number(2)

    def u32(self) -> int:
        return self.number(4)

    def u64(self, most: int = 2**64 - 1) -> int:
        return self.number(8, most)

    def flag(self) -> bool:
        return self.u8(1) == 1

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
        try:
            return self.blob(limit).decode()
        except UnicodeDecodeError as error:
            raise Refused("a text is not UTF-8") from error

    def node(self) -> Node:
        return Node(self.take(32), self.u64())

    def optional_node(self) -> Node | None:
        return self.node() if self.flag() else None

    def addresses(self) -> bytes:
        """The bytes of a list of addresses, which nobody here dials."""
        start = self.at
        for _ in range(self.u8(8)):
            size = self.u8()
            check(size in (4, 16), "an address has 4 or 16 bytes")
            self.take(size + 2)
        return self.data[start:self.at]

    def rest(self) -> bytes:
        return self.take(self.left)

    def end(self) -> None:
        check(self.left == 0, "bytes after the last field")


def u8(value: int) -> bytes:
    return bytes([value])


def u16(value: int) -> bytes:
    return struct.pack("<H", value)


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


def u64(value: int) -> bytes:
    return struct.pack("<Q", value)


def varint(value: int) -> bytes:
    return u8(value) if value < 128 else u8(value & 127 | 128) + varint(value >> 7)


def blob(data: bytes) -> bytes:
    return varint(len(data)) + data


def text(value: str) -> bytes:
    return blob(value.encode())


def optional_node(node: Node | None) -> bytes:
    return b"\x00" if node is None else b"\x01" + bytes(node)
