"""The anchor set: Documentation/Protocol/anchors.md and synchronization.md."""

import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from fields import read_flag
from small.author import Author
from small.wire import Reader, Refused, blob, check, text, u8, u32, u64, varint

#: An actor and the number of an operation of its.
Dot = tuple[bytes, int]
#: A clock and the actor that wrote it.
Stamp = tuple[int, bytes]


class Register(IntEnum):
    """The fields that are written again, in the order of the page."""

    POSE, NAME, PAYLOAD, FLAGS, LOCK, KIND = range(6)


#: The lock of an anchor that nobody has owned.
FREE = bytes(25)


@dataclass
class Anchor:
    """One anchor. The registers hold the bytes of the wire, since those are what is compared."""

    id: bytes
    creator: bytes | None
    origin: bytes | None
    created: Stamp
    values: list[bytes]
    stamps: list[Stamp]

    @property
    def name(self) -> str:
        return Reader(self.values[Register.NAME]).text(256)

    @property
    def position(self) -> tuple[float, float, float]:
        return struct.unpack("<3f", self.values[Register.POSE][36:])

    def write(self, register: Register, value: bytes, stamp: Stamp) -> None:
        """Writes a register if what is written is later; of two locks first the higher (epoch, number) wins."""
        later = stamp > self.stamps[register]
        if register == Register.KIND and is_participant(self.values[register]):
            return
        if register == Register.LOCK:
            ours, theirs = (struct.unpack_from("<QQ", lock) for lock in (self.values[register], value))
            later = theirs > ours or theirs == ours and later
        if later:
            self.values[register], self.stamps[register] = value, stamp

    def encoded(self, key: Dot, name: Callable[[bytes], bytes]) -> bytes:
        """As in a snapshot, with actors as `name` writes them."""
        pose, title, payload, flags, lock, kind = self.values
        parts = (self.creator is not None) | bool(payload) << 1 | (self.origin is not None) << 2 | (lock != FREE) << 3
        changed = [register for register in Register if self.stamps[register] != self.created]
        return b"".join([
            name(key[0]), varint(key[1]), self.id, u64(self.created[0]), u8(parts), self.creator or b"", pose, title,
            flags, kind, payload, self.origin or b"", lock if lock != FREE else b"",
            u8(sum(1 << register for register in changed)),
            *(u64(self.stamps[register][0]) + name(self.stamps[register][1]) for register in changed)])


@dataclass
class Operation:
    """One operation: what it does to the set, and what it needs to be known before."""

    dot: Dot
    clock: int
    key: Dot
    added: Anchor | None = None
    register: Register | None = None
    value: bytes = b""


class AnchorSet(Author):
    """The anchors after all operations that this peer has applied, its own among them."""

    def __init__(self, actor: bytes) -> None:
        super().__init__(actor)
        self.anchors: dict[Dot, Anchor] = {}
        self.vector: dict[bytes, int] = {}
        self._waiting: list[Operation] = []
        #: The beginning of an operation in parts: actor, number, size of the whole, bytes.
        self._part: tuple[bytes, int, int, bytes] = (b"", 0, 0, b"")

    def named(self, name: str) -> Anchor | None:
        """An anchor by its name."""
        return next((anchor for anchor in self.anchors.values() if anchor.name == name), None)

    # What this peer writes.

    def remove(self, identifier: bytes, session_time: int) -> None:
        """Removes every anchor of that id."""
        for key in [key for key, anchor in self.anchors.items() if anchor.id == identifier]:
            is_mine = key[0] == self.actor
            stamps = b"".join(u64(clock) for clock, _ in self.anchors[key].stamps)
            self._write(2 if is_mine else 0x82, (b"" if is_mine else key[0]) + u64(key[1]) + stamps, session_time)

    def _write(self, code: int, fields: bytes, session_time: int) -> None:
        super()._write(code, fields, session_time)
        self._apply(read_operation(Reader(self.written[-1]), (self.actor, len(self.written))))

    # What others write.

    def receive(self, body: bytes) -> None:
        """Applies a batch of operations; those wait that edit an unknown anchor, and what their actors wrote next."""
        for operation in self._batch(Reader(body)):
            for dot in (operation.dot, operation.key):
                check(dot[0] != self.actor or covers(self.vector, dot), "an operation of mine that I never wrote")
            before = (operation.dot[0], operation.dot[1] - 1)
            is_next = covers(self.vector, before) or any(other.dot == before for other in self._waiting)
            check(is_next, "a gap between operations")
            self._waiting.append(operation)
        check(len(self._waiting) < 4_096, "too many operations wait")
        self._apply_waiting()

    def _batch(self, reader: Reader) -> Iterator[Operation]:
        while reader.left:
            tag, actor, first = reader.u8(2), reader.take(16), reader.u64(2**48 - 1)
            if tag == 2:
                yield from self._take_part(reader, actor, first)
                return reader.end()
            check(tag == 1 and first > 0, "neither a run nor a part")
            count, inner = reader.u16(), Reader(reader.take(reader.u32()))
            for number in range(first, first + count):
                yield read_operation(inner, (actor, number))
            inner.end()

    def _take_part(self, reader: Reader, actor: bytes, number: int) -> Iterator[Operation]:
        total, offset, size = reader.u32(), reader.u32(), reader.u32()
        check(total <= 73_728 and 0 < size <= total - offset, "a part outside its operation")
        before = self._part if offset else (actor, number, total, b"")
        check(before[:3] == (actor, number, total) and len(before[3]) == offset, "a part is missing")
        data = before[3] + reader.take(size)
        self._part = (actor, number, total, data)
        if len(data) == total:
            yield read_operation(Reader(data), (actor, number))

    def _apply_waiting(self) -> None:
        """Applies what has come to its turn; one operation may be what others wait for."""
        progress = True
        while progress:
            waiting, self._waiting = self._waiting, []
            for operation in waiting:
                number, applied = operation.dot[1], self.vector.get(operation.dot[0], 0)
                if number == applied + 1 and (operation.added or covers(self.vector, operation.key)):
                    self._apply(operation)
                elif number > applied:
                    self._waiting.append(operation)
            progress = len(self._waiting) < len(waiting)

    def _apply(self, operation: Operation) -> None:
        self.vector[operation.dot[0]] = operation.dot[1]
        self._see(operation.clock)
        if operation.added is not None:
            self.anchors[operation.key] = operation.added
        elif operation.register is None:
            self.anchors.pop(operation.key, None)
        elif anchor := self.anchors.get(operation.key):
            anchor.write(operation.register, operation.value, (operation.clock, operation.dot[0]))

    def _see(self, clock: int) -> None:
        if clock <= 2**58 or clock <= self._clock + 2**48:
            self._clock = max(self._clock, clock)

    def merge(self, data: bytes) -> None:
        """Merges a snapshot."""
        reader = Reader(data)
        check(reader.u8() == 1, "a snapshot of another version")
        vector = read_vector(reader)
        check(vector.get(self.actor, 0) <= len(self.written), "a number of mine that I never wrote")
        count = reader.varint()
        check(count <= 131_072, "too many anchors")
        theirs = dict(read_anchor(reader, list(vector)) for _ in range(count))
        reader.end()
        for key in [key for key in self.anchors if key not in theirs and covers(vector, key)]:
            del self.anchors[key]
        for key, anchor in theirs.items():
            check(covers(vector, key), "an anchor outside the vector")
            for clock, _ in anchor.stamps:
                self._see(clock)
            if mine := self.anchors.get(key):
                for register in Register:
                    mine.write(register, anchor.values[register], anchor.stamps[register])
            elif not covers(self.vector, key):
                self.anchors[key] = anchor
        self.vector = {actor: max(vector.get(actor, 0), self.vector.get(actor, 0)) for actor in vector | self.vector}
        self._apply_waiting()

    # What is compared.

    @property
    def digest(self) -> bytes:
        hashes = (hashlib.sha256(anchor.encoded(key, bytes)).digest() for key, anchor in self.anchors.items())
        return (sum(int.from_bytes(one, "big") for one in hashes) % 2**256).to_bytes(32, "big")

    @property
    def encoded_vector(self) -> bytes:
        return varint(len(self.vector)) + b"".join(actor + varint(self.vector[actor]) for actor in sorted(self.vector))

    @property
    def snapshot(self) -> bytes:
        places = {actor: varint(place) for place, actor in enumerate(sorted(self.vector))}
        anchors = [self.anchors[key].encoded(key, places.__getitem__) for key in sorted(self.anchors)]
        return b"\x01" + self.encoded_vector + varint(len(anchors)) + b"".join(anchors)


def covers(vector: dict[bytes, int], dot: Dot) -> bool:
    return vector.get(dot[0], 0) >= dot[1]


def read_operation(reader: Reader, dot: Dot) -> Operation:
    """One operation of a run or a part, which say its dot."""
    code, clock = reader.u8(), reader.u64(2**63 - 1)
    if code == 1:
        identifier, parts = reader.take(16), reader.u8(7)
        return Operation(dot, clock, dot, added=read_fields(reader, identifier, (clock, dot[0]), parts))
    check(code & 0x7f in range(2, 9), "an operation of an unknown code")
    key = (reader.take(16) if code & 0x80 else dot[0], reader.u64(2**48 - 1))
    check(bool(code & 0x80) == (key[0] != dot[0]) and 0 < key[1], "a key in the wrong form")
    if code & 0x7f == 2:
        reader.take(48)
        return Operation(dot, clock, key)
    register = Register((code & 0x7f) - 3)
    reader.u64()
    return Operation(dot, clock, key, register=register, value=read_register(reader, register))


def read_anchor(reader: Reader, actors: list[bytes]) -> tuple[Dot, Anchor]:
    """An anchor of a snapshot, with its key."""
    key = (read_actor(reader, actors), reader.varint())
    identifier, created, parts = reader.take(16), (reader.u64(2**63 - 1), key[0]), reader.u8(15)
    anchor = read_fields(reader, identifier, created, parts)
    if parts & 8:
        anchor.values[Register.LOCK] = read_register(reader, Register.LOCK)
    changed = reader.u8(63)
    check(not (changed >> Register.KIND & 1 and is_participant(anchor.values[Register.KIND])), "a device that changed")
    for register in Register:
        if changed >> register & 1:
            anchor.stamps[register] = (reader.u64(2**63 - 1), read_actor(reader, actors))
    return key, anchor


def read_fields(reader: Reader, identifier: bytes, created: Stamp, parts: int) -> Anchor:
    """What an addition and an anchor of a snapshot have in common."""
    creator = reader.take(32) if parts & 1 else None
    pose, name = read_register(reader, Register.POSE), read_register(reader, Register.NAME)
    flags, kind = reader.take(4), read_kind(reader)
    payload = read_payload(reader) if parts & 2 else b""
    origin = reader.take(16) if parts & 4 else None
    return Anchor(identifier, creator, origin, created, [pose, name, payload, flags, FREE, kind], [created] * 6)


def read_actor(reader: Reader, actors: list[bytes]) -> bytes:
    place = reader.varint()
    check(place < len(actors), "an actor outside the vector")
    return actors[place]


def read_register(reader: Reader, register: Register) -> bytes:
    """The bytes of a register's value, as an operation carries them."""
    if register == Register.NAME:
        return text(reader.text(256))
    if register == Register.PAYLOAD:
        return read_payload(reader) if read_flag(reader) else b""
    if register == Register.LOCK:
        start = reader.at
        reader.take(24)
        reader.take(32 if read_flag(reader) else 0)
        return reader.data[start:reader.at]
    if register == Register.KIND:
        kind = read_kind(reader)
        check(not is_participant(kind), "an anchor becomes a device")
        return kind
    return reader.take(48 if register == Register.POSE else 4)


def read_payload(reader: Reader) -> bytes:
    return text(reader.text(127)) + blob(reader.blob(65_536))


def read_kind(reader: Reader) -> bytes:
    """The bytes of a kind (worldmap-format.md)."""
    start, kind = reader.at, reader.u8(5)
    if kind == 1:
        reader.take(10)
        reader.take(8 * reader.varint())
    elif kind in (2, 3, 4):
        reader.text(256)
        reader.take(8 if kind == 2 else 12)
        if kind == 4:
            reader.blob(32)
    elif kind == 5:
        reader.take(32)
    return reader.data[start:reader.at]


def is_participant(kind: bytes) -> bool:
    return kind[0] == 5


def read_vector(reader: Reader) -> dict[bytes, int]:
    """A vector, its actors in rising order."""
    count = reader.varint()
    check(count <= 4_096, "too many actors")
    pairs = [(reader.take(16), reader.varint()) for _ in range(count)]
    check(all(one[0] < other[0] for one, other in zip(pairs, pairs[1:])), "actors out of order")
    return dict(pairs)


@dataclass
class Chunks:
    """Puts the chunks of a vector or a snapshot together."""

    limit: int
    total: int = 0
    data: bytes = field(default=b"")

    def add(self, body: bytes) -> bytes | None:
        """The whole, once its last chunk is here."""
        reader = Reader(body)
        total, offset, piece = reader.u32(), reader.u32(), reader.rest()
        if offset == 0:
            self.total, self.data = total, b""
        if not (total == self.total <= self.limit and offset == len(self.data) and 0 < len(piece) <= total - offset):
            raise Refused("a chunk that does not continue")
        self.data += piece
        return self.data if len(self.data) == total else None


def chunks(data: bytes) -> Iterator[bytes]:
    """The bodies that carry a vector or a snapshot."""
    for offset in range(0, len(data), 32_760):
        yield u32(len(data)) + u32(offset) + data[offset:offset + 32_760]
