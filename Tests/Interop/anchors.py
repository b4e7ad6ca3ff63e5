"""The anchor set: Documentation/Protocol/anchors.md and synchronisation.md."""

import hashlib
import math
import struct
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from wire import Reader, Refused, blob, check, text, u8, u16, u32, u64, varint

#: An actor and the number of an operation of its.
Dot = tuple[bytes, int]
#: A clock and the actor that wrote it.
Stamp = tuple[int, bytes]


class Register(IntEnum):
    """The fields that are written again, in the order of the page."""

    POSE, NAME, PAYLOAD, FLAGS, LOCK = range(5)


#: The lock of an anchor that nobody has owned.
FREE = bytes(25)
#: Bytes of a batch that this peer sends.
BATCH = 32_768
#: How far ahead of its time a peer may stamp what it writes: 60 s in the units of a clock.
AHEAD = 60_000 * 65_536


@dataclass
class Anchor:
    """One anchor. The registers hold the bytes of the wire, since those are what is compared."""

    id: bytes
    creator: bytes | None
    kind: bytes
    origin: bytes | None
    created: Stamp
    values: list[bytes]
    stamps: list[Stamp]

    @property
    def name(self) -> str:
        reader = Reader(self.values[Register.NAME])
        return reader.text(256)

    @property
    def position(self) -> tuple[float, float, float]:
        return struct.unpack("<3f", self.values[Register.POSE][36:])

    def encoded(self, key: Dot, name: Callable[[bytes], bytes]) -> bytes:
        """As in a snapshot, with actors as `name` writes them."""
        pose, title, payload, flags, lock = self.values
        parts = (self.creator is not None) | bool(payload) << 1 | (self.origin is not None) << 2 | (lock != FREE) << 3
        changed = [register for register in Register if self.stamps[register] != self.created]
        return b"".join([
            name(key[0]), varint(key[1]), self.id, u64(self.created[0]), u8(parts), self.creator or b"", pose, title,
            flags, self.kind, payload, self.origin or b"", lock if lock != FREE else b"",
            u8(sum(1 << register for register in changed)),
            *(u64(self.stamps[register][0]) + name(self.stamps[register][1]) for register in changed)])


@dataclass
class Operation:
    """One operation: what it does to the set, and what it needs to be known before."""

    dot: Dot
    clock: int
    data: bytes
    key: Dot
    added: Anchor | None = None
    register: Register | None = None
    value: bytes = b""


class AnchorSet:
    """What this peer has applied. Sends nothing and reads no clock: the caller does."""

    def __init__(self, actor: bytes) -> None:
        self.actor = actor
        self.anchors: dict[Dot, Anchor] = {}
        self.vector: dict[bytes, int] = {}
        self.last = 0
        #: What was applied, in that order, as long as this process lives.
        self.log: list[Operation] = []
        self._waiting: dict[bytes, list[Operation]] = {}
        #: The beginning of an operation in parts: actor, number, size of the whole, bytes.
        self._part: tuple[bytes, int, int, bytes] | None = None

    def covers(self, dot: Dot) -> bool:
        return covers(self.vector, dot)

    def place(self, name: str, pose: bytes, creator: bytes, session_time: int) -> bytes:
        """Adds an anchor of this peer and gives its id."""
        identifier = uuid.uuid4().bytes
        data = u8(1) + u64(self._next_clock(session_time)) + identifier + u8(1) + creator + pose + text(name) + u32(0)
        self._apply(read_operation(Reader(data + u8(0)), (self.actor, self.vector.get(self.actor, 0) + 1)))
        return identifier

    def remove(self, identifier: bytes, session_time: int) -> None:
        """Removes every anchor of that id."""
        for key, anchor in [pair for pair in self.anchors.items() if pair[1].id == identifier]:
            short = key[0] == self.actor
            data = u8(2 if short else 0x82) + u64(self._next_clock(session_time)) + (b"" if short else key[0])
            data += u64(key[1]) + b"".join(u64(clock) for clock, _ in anchor.stamps)
            self._apply(read_operation(Reader(data), (self.actor, self.vector.get(self.actor, 0) + 1)))

    def receive(self, body: bytes, writer: bytes, session_time: int | None) -> None:
        """Applies a batch of operations.

        `writer` is how the actor of the peer on this link begins; `session_time` is None while clocks are not judged.
        """
        operations = list(self._batch(Reader(body)))
        for operation in operations:
            for dot in (operation.dot, operation.key):
                check(dot[0] != self.actor or self.covers(dot), "an operation of mine that I never wrote")
            if session_time is not None and operation.dot[0].startswith(writer):
                limit = max(session_time * 65_536, self.last) + AHEAD
                check(operation.clock <= limit, "a stamp too far ahead")
        for operation in operations:
            self._accept(operation)

    def _batch(self, reader: Reader) -> Iterator[Operation]:
        while reader.left:
            tag, actor, first = reader.u8(), reader.take(16), reader.u64(2**48 - 1)
            check(tag in (1, 2) and first > 0, "neither a run nor a part")
            if tag == 2:
                yield from self._take_part(reader, actor, first)
                return reader.end()
            self._part = None
            count, size = reader.u16(), reader.u32()
            check(count > 0, "an empty run")
            inner = Reader(reader.take(size))
            for number in range(first, first + count):
                yield read_operation(inner, (actor, number))
            inner.end()

    def _take_part(self, reader: Reader, actor: bytes, number: int) -> Iterator[Operation]:
        total, offset, size = reader.u32(), reader.u32(), reader.u32()
        check(total <= 73_728 and 0 < size <= total - offset, "a part outside its operation")
        before = (actor, number, total)
        if offset == 0:
            self._part = (*before, b"")
        if self._part is None or self._part[:3] != before or len(self._part[3]) != offset:
            raise Refused("a part is missing")
        data = self._part[3] + reader.take(size)
        self._part = (*before, data) if len(data) < total else None
        if self._part is None:
            whole = Reader(data)
            yield read_operation(whole, (actor, number))
            whole.end()

    def _accept(self, operation: Operation) -> None:
        actor, number = operation.dot
        if self.covers(operation.dot):
            return
        waiting = self._waiting.setdefault(actor, [])
        expected = self.vector.get(actor, 0) + len(waiting) + 1
        if number < expected:
            return
        check(number == expected, "a gap between operations")
        check(len(waiting) < 4_096, "too many operations wait")
        waiting.append(operation)
        self._apply_waiting()

    def _apply_waiting(self) -> None:
        """Applies what has come to its turn; one operation may be what others wait for."""
        progress = True
        while progress:
            progress = False
            for waiting in self._waiting.values():
                while waiting and (waiting[0].added or self.covers(waiting[0].key)):
                    self._apply(waiting.pop(0))
                    progress = True

    def _apply(self, operation: Operation) -> None:
        self.vector[operation.dot[0]] = operation.dot[1]
        self.log.append(operation)
        self._see(operation.clock)
        stamp = (operation.clock, operation.dot[0])
        if operation.added is not None:
            self.anchors[operation.key] = operation.added
        elif operation.register is None:
            self.anchors.pop(operation.key, None)
        elif anchor := self.anchors.get(operation.key):
            write(anchor, operation.register, operation.value, stamp)

    def _see(self, clock: int) -> None:
        if clock <= 2**58 or clock <= self.last + 2**48:
            self.last = max(self.last, clock)

    def _next_clock(self, session_time: int) -> int:
        self.last = max(self.last + 1, session_time * 65_536)
        return self.last

    def missing(self, vector: dict[bytes, int]) -> Iterator[bytes]:
        """The batches that bring a peer with that vector up to date."""
        batch = b""
        for actor, number, data in ((*entry.dot, entry.data) for entry in self.log if not covers(vector, entry.dot)):
            run = u8(1) + actor + u64(number) + u16(1) + u32(len(data)) + data
            if batch and len(batch) + len(run) > BATCH:
                yield batch
                batch = b""
            if len(run) <= BATCH:
                batch += run
                continue
            head = u8(2) + actor + u64(number) + u32(len(data))
            for offset in range(0, len(data), BATCH):
                piece = data[offset:offset + BATCH]
                yield head + u32(offset) + u32(len(piece)) + piece
        if batch:
            yield batch

    def merge(self, data: bytes) -> None:
        """Merges a snapshot."""
        reader = Reader(data)
        check(reader.u8() == 1, "a snapshot of another version")
        vector = read_vector(reader)
        check(vector.get(self.actor, 0) <= self.vector.get(self.actor, 0), "a number of mine that I never wrote")
        actors = list(vector)
        count = reader.varint()
        check(count <= 131_072, "too many anchors")
        theirs = dict(read_anchor(reader, actors) for _ in range(count))
        reader.end()
        for key in [key for key in self.anchors if key not in theirs and covers(vector, key)]:
            del self.anchors[key]
        for key, anchor in theirs.items():
            check(covers(vector, key), "an anchor outside the vector")
            for clock, _ in anchor.stamps:
                self._see(clock)
            if mine := self.anchors.get(key):
                for register in Register:
                    write(mine, register, anchor.values[register], anchor.stamps[register])
            elif not self.covers(key):
                self.anchors[key] = anchor
        self.vector = {actor: max(vector.get(actor, 0), self.vector.get(actor, 0)) for actor in vector | self.vector}
        for actor, waiting in self._waiting.items():
            waiting[:] = [operation for operation in waiting if not self.covers(operation.dot)]
        self._apply_waiting()

    @property
    def digest(self) -> bytes:
        total = sum(
            int.from_bytes(hashlib.sha256(anchor.encoded(key, bytes)).digest(), "big")
            for key, anchor in self.anchors.items())
        return (total % 2**256).to_bytes(32, "big")

    @property
    def encoded_vector(self) -> bytes:
        return varint(len(self.vector)) + b"".join(actor + varint(self.vector[actor]) for actor in sorted(self.vector))

    @property
    def snapshot(self) -> bytes:
        places = {actor: varint(place) for place, actor in enumerate(sorted(self.vector))}
        anchors = [self.anchors[key].encoded(key, places.__getitem__) for key in sorted(self.anchors)]
        return b"\x01" + self.encoded_vector + varint(len(anchors)) + b"".join(anchors)

    def named(self, name: str) -> Anchor | None:
        """An anchor by its name."""
        return next((anchor for anchor in self.anchors.values() if anchor.name == name), None)


def covers(vector: dict[bytes, int], dot: Dot) -> bool:
    return vector.get(dot[0], 0) >= dot[1]


def write(anchor: Anchor, register: Register, value: bytes, stamp: Stamp) -> None:
    """Writes a register if what is written is later; of two locks first the higher (epoch, number) wins."""
    later = stamp > anchor.stamps[register]
    if register == Register.LOCK:
        ours, theirs = (struct.unpack_from("<QQ", lock) for lock in (anchor.values[register], value))
        later = theirs > ours or theirs == ours and later
    if later:
        anchor.values[register], anchor.stamps[register] = value, stamp


def read_operation(reader: Reader, dot: Dot) -> Operation:
    """One operation of a run or a part, which say its dot."""
    start, code = reader.at, reader.u8()
    clock = reader.u64(2**63 - 1)
    if code == 1:
        anchor = read_addition(reader, dot, clock)
        return Operation(dot, clock, reader.data[start:reader.at], dot, added=anchor)
    check(code & 0x7f in range(2, 8), "an operation of an unknown code")
    owner = reader.take(16) if code & 0x80 else dot[0]
    key = (owner, reader.u64(2**48 - 1))
    check(bool(code & 0x80) == (owner != dot[0]) and key[1] > 0, "a key in the wrong form")
    check(owner != dot[0] or key[1] < dot[1], "a key that is not before its edit")
    if code & 0x7f == 2:
        reader.take(40)
        return Operation(dot, clock, reader.data[start:reader.at], key)
    register = Register((code & 0x7f) - 3)
    reader.u64()
    value = read_register(reader, register)
    return Operation(dot, clock, reader.data[start:reader.at], key, register=register, value=value)


def read_addition(reader: Reader, dot: Dot, clock: int) -> Anchor:
    identifier, parts = reader.take(16), reader.u8(7)
    return read_fields(reader, identifier, (clock, dot[0]), parts)


def read_anchor(reader: Reader, actors: list[bytes]) -> tuple[Dot, Anchor]:
    """An anchor of a snapshot, with its key."""
    key = (read_actor(reader, actors), reader.varint())
    identifier, created, parts = reader.take(16), (reader.u64(2**63 - 1), key[0]), reader.u8(15)
    anchor = read_fields(reader, identifier, created, parts)
    if parts & 8:
        anchor.values[Register.LOCK] = read_register(reader, Register.LOCK)
    changed = reader.u8(31)
    for register in Register:
        if changed >> register & 1:
            anchor.stamps[register] = (reader.u64(2**63 - 1), read_actor(reader, actors))
            check(anchor.stamps[register] != created, "a stamp that need not be there")
    return key, anchor


def read_fields(reader: Reader, identifier: bytes, created: Stamp, parts: int) -> Anchor:
    """What an addition and an anchor of a snapshot have in common."""
    creator = reader.take(32) if parts & 1 else None
    check(creator is None or creator[:8] == created[1][:8], "a creator that is not the writer")
    pose, name = read_register(reader, Register.POSE), read_register(reader, Register.NAME)
    flags, kind = reader.take(4), read_kind(reader, created[1])
    payload = read_payload(reader) if parts & 2 else b""
    origin = reader.take(16) if parts & 4 else None
    return Anchor(identifier, creator, kind, origin, created, [pose, name, payload, flags, FREE], [created] * 5)


def read_actor(reader: Reader, actors: list[bytes]) -> bytes:
    place = reader.varint()
    check(place < len(actors), "an actor outside the vector")
    return actors[place]


def read_register(reader: Reader, register: Register) -> bytes:
    """The bytes of a register's value, as an operation carries them."""
    if register == Register.POSE:
        return check_pose(reader.take(48))
    if register == Register.NAME:
        return text(reader.text(256))
    if register == Register.PAYLOAD:
        return read_payload(reader) if reader.flag() else b""
    if register == Register.FLAGS:
        return reader.take(4)
    start = reader.at
    reader.take(24)
    if reader.flag():
        reader.take(32)
    return reader.data[start:reader.at]


def read_payload(reader: Reader) -> bytes:
    return text(reader.text(127)) + blob(reader.blob(65_536))


def read_kind(reader: Reader, actor: bytes) -> bytes:
    """The bytes of a kind (worldmap-format.md)."""
    start, kind = reader.at, reader.u8(5)
    if kind == 1:
        reader.u8(2), reader.u8(7), reader.take(8)
        corners = reader.varint()
        check(corners == 0 or 3 <= corners <= 256, "a plane has 0 or 3 to 256 corners")
        reader.take(8 * corners)
    elif kind in (2, 3, 4):
        check(reader.text(256) != "", "a reference without a name")
        reader.take(8 if kind == 2 else 12)
        check(kind != 4 or len(reader.blob(32)) in (0, 32), "the hash of a mesh has 32 bytes")
    elif kind == 5:
        check(reader.take(32)[:8] == actor[:8], "a participant that is not the writer")
    return reader.data[start:reader.at]


def check_pose(pose: bytes) -> bytes:
    """Refuses a pose that is not rigid."""
    numbers = struct.unpack("<12f", pose)
    for number in numbers:
        check(math.isfinite(number) and (number == 0 or abs(number) >= 2.0**-126), "a number of a pose is out of range")
    axes = [numbers[3 * axis:3 * axis + 3] for axis in range(3)]
    for i, first in enumerate(axes):
        for j, second in enumerate(axes):
            product = sum(a * b for a, b in zip(first, second))
            check(abs(product - (i == j)) <= 0.001, "the axes of a pose are not those of a rigid body")
    (a, b, c), (d, e, f), (g, h, i) = axes
    check(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0, "the axes of a pose are left-handed")
    return pose


def read_vector(reader: Reader) -> dict[bytes, int]:
    """A vector, its actors in rising order."""
    count = reader.varint()
    check(count <= 4_096, "too many actors")
    pairs = [(reader.take(16), reader.varint()) for _ in range(count)]
    check(all(0 < number < 2**48 for _, number in pairs), "a number of a vector is out of range")
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
        total, offset = reader.u32(), reader.u32()
        piece = reader.rest()
        if offset == 0:
            self.total, self.data = total, b""
        fits = total == self.total <= self.limit and offset == len(self.data) and 0 < len(piece) <= total - offset
        check(fits, "a chunk that does not continue")
        self.data += piece
        return self.data if len(self.data) == total else None


def chunks(data: bytes) -> Iterator[bytes]:
    """The bodies that carry a vector or a snapshot."""
    for offset in range(0, len(data), 32_760):
        yield u32(len(data)) + u32(offset) + data[offset:offset + 32_760]
