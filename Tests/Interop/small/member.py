"""A peer of the protocol without input and output: bytes and moments in, bytes out.

It has one link, to the member that it dialled, and believes that one. It checks the form of each field that it reads
and skips the frames that it has no use for; "A leaf" in PROTOCOL.md names the price.
"""

import contextlib
import secrets
import struct
from collections.abc import Callable, Iterator
from enum import Enum

from . import maps
from .author import Author
from .frames import LARGEST, Frame, legal
from .messages import Conversation
from .wire import Node, Reader, Refused, UnknownKind, check, know, text, u8, u16, u32, u64, varint

#: Capabilities: maps, chunks compressed with zstd; the bits that end a link with a peer that lacks them.
HAS_MAPS, HAS_ZSTD, HAS_PASSCODE, ASKS_FOR_CODE, HAS_DRIVER = 1, 2, 8, 32, 64
#: Reasons of goodbye that this peer gives.
BYE_LEFT, BYE_VERSION, BYE_IDENTITY, BYE_PROTOCOL, BYE_TIMED_OUT, BYE_SERVICE = 1, 3, 4, 8, 9, 11
BYE_LOST, BYE_PASSCODE, BYE_CODE, BYE_DRIVER = 12, 15, 18, 21
#: How long an invitation waits, and how long a link may be silent (seconds).
INVITATION, SILENCE = 30.0, 4.0
#: The status of a record, and a list of addresses without one.
PRESENT, NO_ADDRESSES = 0, u8(0)


class Phase(Enum):
    """How far the link is."""

    GREETING, STRANGER, MEMBER, ENDED = range(4)


#: The frames that a phase allows. This peer accepts no second connection, and takes no part in proofs, which are legal
#: between strangers alone.
ALLOWED = {Phase.GREETING: legal("greeting") - {Frame.ATTACH}, Phase.STRANGER: legal("stranger") & legal("member"),
           Phase.MEMBER: legal("member")}
#: The largest body (bytes).
LIMITS = {Phase.GREETING: 4_608, Phase.STRANGER: 4_608, Phase.MEMBER: 66_560}


def encode_record(node: Node, version: int, status: int, name: str, addresses: bytes = NO_ADDRESSES) -> bytes:
    """An entry of a roster."""
    return node.id + u32(version) + u8(status) + u64(node.incarnation) + text(name) + addresses


class Member:
    """A peer that has dialled another one and invites it."""

    def __init__(self, me: Node, other: bytes, name: str, service: str, codecs: maps.Codecs = maps.RAW) -> None:
        self.me, self.name, self.service = me, name, service
        #: The peer at the other end; its incarnation is known after its hello.
        self.other = Node(other, 0)
        self.phase = Phase.GREETING
        #: The goodbye of either side, and more about it.
        self.reason: tuple[int, str] | None = None
        #: Bytes that are to leave, and bytes that arrived and are no whole frame yet.
        self.output, self._input = bytearray(), bytearray()
        #: The messages that arrived, with their senders.
        self.messages: list[tuple[Node, bytes]] = []
        self.anchors = Author(me.actor)
        self.map = maps.MapFetch(self._send, codecs)
        self.conversation = Conversation(1, self._send, lambda data: self.messages.append((self.other, data)))
        self._now = self._heard = self._sent = 0.0
        self._invitation = secrets.randbits(64)
        self._number = 0
        #: Whether the other side has said what it has; how many operations of this peer it was sent.
        self._is_streaming, self._streamed = False, 0
        self._handlers: dict[int, Callable[[bytes], None]] = {
            Frame.HELLO: self._hello, Frame.GOODBYE: self._goodbye, Frame.ADMIT: self._admit, Frame.PING: self._ping,
            Frame.INVITE_ANSWER: self._answer, Frame.VECTOR: self._vector, Frame.MAP_ANNOUNCE: self.map.announce,
            Frame.MANIFEST: self.map.take_names, Frame.CHUNK_PIECE: self.map.take_piece,
            Frame.MESSAGE: self.conversation.receive, Frame.MESSAGE_REPORT: self.conversation.receive_report}
        self._send(Frame.HELLO, b"SWLD" + u16(1) + u16(1) + u64(HAS_MAPS | (HAS_ZSTD if 1 in codecs else 0)) + bytes(me)
                   + text(service) + text(name) + text("") + NO_ADDRESSES)

    @property
    def session_time(self) -> int:
        """Milliseconds of its own clock, which counts as long as a peer follows no host."""
        return int(self._now * 1_000)

    # For the app.

    def place(self, name: str, position: tuple[float, float, float]) -> bytes:
        """Places an anchor without rotation; gives its id."""
        pose = struct.pack("<12f", 1, 0, 0, 0, 1, 0, 0, 0, 1, *position)
        identifier = self.anchors.place(name, pose, self.me.id, self.session_time)
        self._stream()
        return identifier

    def send(self, data: bytes) -> None:
        """Sends a message to the peer at the other end."""
        self._number += 1
        self.conversation.send(self._number, data)

    def end(self, reason: int = BYE_LEFT, why: str = "") -> None:
        """Leaves the session, or ends the link for another reason."""
        if self.phase != Phase.ENDED:
            self._send(Frame.GOODBYE, u8(reason) + u16(1) + u16(1))
            self.phase, self.reason = Phase.ENDED, (reason, why)

    # Bytes and time.

    def receive(self, data: bytes, now: float) -> None:
        """Handles bytes from the link; none mean that the connection is over."""
        self._now = self._heard = now
        self._input += data
        try:
            for kind, body in self._frames():
                if handler := self._handlers.get(kind):
                    with contextlib.suppress(UnknownKind):
                        handler(body)
        except (Refused, UnicodeDecodeError) as error:
            self.end(BYE_PROTOCOL, str(error))
        if not data and self.phase != Phase.ENDED:
            self.phase, self.reason = Phase.ENDED, (BYE_LOST, "the connection is lost")

    def _frames(self) -> Iterator[tuple[int, bytes]]:
        while self.phase != Phase.ENDED and len(self._input) >= 5:
            size, kind = struct.unpack_from("<IB", self._input)
            check(size <= min(LIMITS[self.phase], LARGEST.get(kind, size)), "a frame over the limit")
            if len(self._input) < 5 + size:
                return
            body = bytes(self._input[5:5 + size])
            del self._input[:5 + size]
            check(kind in ALLOWED[self.phase] or kind not in LARGEST, f"frame {kind} is illegal in {self.phase.name}")
            yield kind, body

    def tick(self, now: float) -> None:
        """Does what is due; to be called every tenth of a second."""
        if now - self._now > 0.5:  # This process stood still: the other side is not to blame.
            self._heard = min(now, self._heard + now - self._now)
        self._now = now
        if self.phase in (Phase.STRANGER, Phase.MEMBER):
            if now - self._sent >= 1:
                self._send(Frame.PING, secrets.token_bytes(8))
            if now - self._heard > SILENCE:
                self.end(BYE_TIMED_OUT)

    def _send(self, kind: int, body: bytes) -> None:
        self.output += u32(len(body)) + u8(kind) + body
        self._sent = self._now

    # Connection: hello, invitation, admission.

    def _hello(self, body: bytes) -> None:
        reader = Reader(body)
        check(reader.take(4) == b"SWLD", "not a hello")
        lowest, highest, capabilities, node = reader.u16(), reader.u16(), reader.u64(), reader.node()
        service, self._their_name, _ = reader.text(63), reader.text(63), reader.text(63)
        self._their_addresses = reader.rest()
        faults = {
            BYE_VERSION: not lowest <= 1 <= highest, BYE_IDENTITY: node.id != self.other.id,
            BYE_SERVICE: service != self.service, BYE_PASSCODE: capabilities & HAS_PASSCODE,
            BYE_DRIVER: capabilities & HAS_DRIVER, BYE_CODE: capabilities & ASKS_FOR_CODE}
        if reasons := [reason for reason, holds in faults.items() if holds]:
            return self.end(reasons[0])
        self.phase, self.other = Phase.STRANGER, node
        self._send(Frame.INVITE, u64(self._invitation) + u32(int(INVITATION * 1_000)) + text(""))

    def _answer(self, body: bytes) -> None:
        """Ends the link if the invitation is declined, or if the other side is busy. An admission comes by itself."""
        reader = Reader(body)
        number, verdict = reader.u64(), reader.u8()
        know(verdict, range(3))
        why = reader.text(255) if verdict == 0 else "busy"
        reader.end()
        if number == self._invitation and verdict != 1 and self.phase == Phase.STRANGER:
            self.end(BYE_LEFT, f"declined: {why}")

    def _admit(self, body: bytes) -> None:
        """The other side admits this peer, which has invited it and so admits it too."""
        Reader(body).end()
        if self.phase == Phase.STRANGER:
            self._send(Frame.ADMIT, b"")
            self.phase = Phase.MEMBER
            self._become_member()

    def _become_member(self) -> None:
        self._send(Frame.ROSTER, varint(1) + encode_record(self.me, 1, PRESENT, self.name))
        self._announce_links()

    def _announce_links(self, version: int = 1, place: int = 0) -> None:
        """Says that this peer has one link, and that it cannot host."""
        self._send(Frame.LINK_ANNOUNCEMENT, bytes(self.me) + u32(version) + u8(0) + u8(0) + u32(place) + u16(1)
                   + u64(self.other.incarnation))

    def _ping(self, body: bytes) -> None:
        check(len(body) == 8, "a ping has 8 bytes")
        self._send(Frame.PONG, body)

    def _goodbye(self, body: bytes) -> None:
        self.phase, self.reason = Phase.ENDED, (Reader(body).u8(), "goodbye of the other side")

    # Anchors.

    def _vector(self, body: bytes) -> None:
        """Begins to send operations: before its first vector the other side may be sent none."""
        self._is_streaming = True
        self._stream()

    def _stream(self) -> None:
        """Sends what the other side lacks: operations of this peer, since it had all others before."""
        if self._is_streaming:
            for batch in self.anchors.missing(self._streamed):
                self._send(Frame.OPERATIONS, batch)
            self._streamed = len(self.anchors.written)
