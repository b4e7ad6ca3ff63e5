"""A peer of the protocol without input and output: bytes and moments in, bytes out.

It is written from PROTOCOL.md and its pages alone. It is a leaf: it dials one member, has this one link, and reaches
all others through that member. It cannot host, shows no codes, knows no passcode, and uses no frame of its own.

It checks the form of what it receives, and believes the member that it dialled: it judges neither poses, nor stamps of
the future, nor records that others dispute.
"""

import secrets
import struct
from collections.abc import Callable
from enum import Enum
from functools import partial

import maps
from anchors import AnchorSet, Chunks, chunks, read_vector
from election import Follower
from membership import KICKED, PRESENT, Record, Roster, Rules
from messages import Mailbox
from wire import MEMBER_LIMIT, STRANGER_LIMIT, Node, Reader, Refused, check, optional_node, text, u8, u16, u32, u64

HELLO, GOODBYE, ADMIT, PING, PONG, ROSTER, _, INVITE, INVITE_ANSWER, INVITE_CANCEL, ATTACH, RULES = range(1, 13)
ELECTION, LINKS, OPERATIONS, VECTOR, SNAPSHOT, ACKNOWLEDGEMENT, STATUS = 16, 17, 32, 33, 34, 41, 55
MESSAGE, MESSAGE_REPORT, RELAYED_MESSAGE, RELAYED_REPORT = 64, 65, 66, 67

#: Capabilities: maps, chunks compressed with zstd; the bits that end a link with a peer that lacks them.
HAS_MAPS, HAS_ZSTD, HAS_PASSCODE, ASKS_FOR_CODE = 1, 2, 8, 32
#: Reasons of goodbye that this peer gives.
BYE_LEFT, BYE_VERSION, BYE_IDENTITY, BYE_PROTOCOL, BYE_TIMED_OUT, BYE_SERVICE, BYE_LOCKED = 1, 3, 4, 8, 9, 11, 14
BYE_LOST, BYE_PASSCODE, BYE_CODE = 12, 15, 18
#: How long an invitation waits, how long a link may be silent, and between vectors (seconds).
INVITATION, SILENCE, EXCHANGE = 30.0, 4.0, 5.0


class Phase(Enum):
    """How far the link is."""

    GREETING, STRANGER, MEMBER, ENDED = range(4)


#: Types that the protocol knows. Those of a phase that nothing here handles are read over, as unknown ones are.
KNOWN = {*range(1, 23), 32, 33, 34, *range(40, 48), *range(48, 68)}
ALLOWED = {
    Phase.GREETING: {HELLO, GOODBYE},
    Phase.STRANGER: {GOODBYE, ADMIT, PING, PONG, INVITE, INVITE_ANSWER, INVITE_CANCEL},
    Phase.MEMBER: KNOWN - {HELLO, ATTACH, *range(13, 16), *range(18, 22)}}


class Leaf:
    """A peer that has dialled another one and invites it."""

    def __init__(self, me: Node, other: bytes, name: str, service: str, now: float) -> None:
        self.me, self.name, self.service = me, name, service
        self.phase = Phase.GREETING
        #: The goodbye of either side, and more about it.
        self.reason: tuple[int, str] | None = None
        self.other = Node(other, 0)
        self.output = bytearray()
        #: What apps have sent to this peer, and the senders.
        self.messages: list[tuple[Node, bytes]] = []
        #: How many exchanges of vectors there were since it joined.
        self.exchanges = 0
        self.anchors = AnchorSet(me.actor)
        self.maps = maps.MapExchange(self._send)
        self.election = Follower(me, partial(self._flood, ELECTION))
        self.mailbox = Mailbox(self._route_message, lambda sender, data: self.messages.append((sender, data)))
        self.roster = Roster(me.id, Record(1, PRESENT, me.incarnation, name))
        self.rules = Rules()
        self._now = self._heard = self._sent = now
        self._next_exchange = now + EXCHANGE
        self._input = bytearray()
        self._invitation = secrets.randbits(64)
        self._said_admit = self._got_admit = False
        self._announced = self._announced_place = self._nonce = 0
        self._seen: dict[Node, int] = {}
        self._vectors, self._snapshots = Chunks(131_072), Chunks(201_424_960)
        self._questions: dict[Node, tuple[int, int]] = {}
        #: How many of its own operations the other side has; None before its first vector.
        self._streamed: int | None = None
        self._sent_status = b""
        self._handlers: dict[int, Callable[[bytes], None]] = {
            HELLO: self._hello, GOODBYE: self._goodbye, ADMIT: self._admit, PING: self._ping,
            ROSTER: self._roster, RULES: lambda body: self.rules.receive(body, self.election.host is not None),
            INVITE: self._invite, INVITE_ANSWER: self._answer, ELECTION: self._election, LINKS: self._links,
            OPERATIONS: self._operations, VECTOR: self._vector, SNAPSHOT: self._snapshot,
            ACKNOWLEDGEMENT: self._acknowledgement,
            MESSAGE: lambda body: self.mailbox.receive(self.other, body),
            MESSAGE_REPORT: lambda body: self.mailbox.receive_report(self.other, body, True, self._now),
            RELAYED_MESSAGE: self._relayed, RELAYED_REPORT: partial(self._relayed, is_report=True),
            **{kind: partial(self.maps.receive, kind) for kind in (maps.ANNOUNCE, maps.MANIFEST, maps.PIECE)}}
        capabilities = HAS_MAPS | (HAS_ZSTD if maps.ZSTD else 0)
        self._send(HELLO, b"SWLD" + u16(1) + u16(1) + u64(capabilities) + bytes(me) + text(service) + text(name)
                   + text("") + u8(0))

    # What the app does.

    def place(self, name: str, position: tuple[float, float, float]) -> bytes:
        """Places an anchor without rotation; gives its id."""
        pose = struct.pack("<12f", 1, 0, 0, 0, 1, 0, 0, 0, 1, *position)
        identifier = self.anchors.place(name, pose, self.me.id, self.election.session_time(self._now))
        self._stream()
        return identifier

    def remove(self, identifier: bytes) -> None:
        """Removes an anchor."""
        self.anchors.remove(identifier, self.election.session_time(self._now))
        self._stream()

    def send(self, to: Node, data: bytes) -> int:
        """Sends bytes to a member."""
        return self.mailbox.send(to, data, self._now)

    def members(self) -> dict[str, Node]:
        """The other present members by name."""
        present = {peer: record for peer, record in self.roster.records.items() if record.status == PRESENT}
        return {record.name: Node(peer, record.incarnation) for peer, record in present.items() if peer != self.me.id}

    def leave(self) -> None:
        """Leaves the session."""
        self._end(BYE_LEFT)

    # Bytes and time.

    def lose(self) -> None:
        """The connection is over; nothing can be said any more."""
        if self.phase != Phase.ENDED:
            self.phase, self.reason = Phase.ENDED, (BYE_LOST, "the connection is lost")

    def receive(self, data: bytes, now: float) -> None:
        """Takes bytes from the link."""
        self._now = self._heard = now
        self._input += data
        try:
            while self.phase != Phase.ENDED and self._take_frame():
                pass
        except Refused as error:
            self._end(BYE_PROTOCOL, str(error))

    def tick(self, now: float) -> None:
        """Does what is due; to be called every tenth of a second."""
        if now - self._now > 0.5:  # This process stood still: the other side is not to blame.
            self._heard = min(now, self._heard + now - self._now)
        self._now = now
        if self.phase in (Phase.GREETING, Phase.ENDED):
            return
        if now - self._heard > SILENCE:
            return self._end(BYE_TIMED_OUT)
        if now - self._sent >= 1:
            self._send(PING, secrets.token_bytes(8))
        if self.phase == Phase.MEMBER:
            self._member_tick(now)

    def _member_tick(self, now: float) -> None:
        self.election.tick(now)
        self.mailbox.tick(now)
        if self.election.place != self._announced_place:
            self._announce_links()
        if self.maps.status != self._sent_status:
            self._send_status()
        if now >= self._next_exchange:
            self._next_exchange = now + EXCHANGE
            self.exchanges += 1
            self._send_vector()
            self._send_status()
            if self.rules.version > 0 or self.election.host != self.other:
                self._send(RULES, self.rules.encoded)

    def _take_frame(self) -> bool:
        if len(self._input) < 5:
            return False
        size, kind = struct.unpack_from("<IB", self._input)
        check(size <= (MEMBER_LIMIT if self.phase == Phase.MEMBER else STRANGER_LIMIT), "a frame over the limit")
        if len(self._input) < 5 + size:
            return False
        body = bytes(self._input[5:5 + size])
        del self._input[:5 + size]
        check(kind in ALLOWED[self.phase] or kind not in KNOWN, f"frame {kind} is not allowed in {self.phase.name}")
        if handler := self._handlers.get(kind):
            handler(body)
        return True

    def _send(self, kind: int, body: bytes) -> None:
        self.output += u32(len(body)) + u8(kind) + body
        self._sent = self._now

    def _end(self, reason: int, why: str = "") -> None:
        if self.phase != Phase.ENDED:
            self._send(GOODBYE, u8(reason) + u16(1) + u16(1))
            self.phase, self.reason = Phase.ENDED, (reason, why)

    # Connection: hello, invitation, admission.

    def _hello(self, body: bytes) -> None:
        reader = Reader(body)
        check(reader.take(4) == b"SWLD", "not a hello")
        lowest, highest, capabilities, node = reader.u16(), reader.u16(), reader.u64(), reader.node()
        service, name, _, addresses = reader.text(63), reader.text(63), reader.text(63), reader.addresses()
        reader.end()
        faults = [
            (not lowest <= 1 <= highest, BYE_VERSION), (node.id != self.other.id, BYE_IDENTITY),
            (service != self.service, BYE_SERVICE), (capabilities & HAS_PASSCODE, BYE_PASSCODE),
            (capabilities & ASKS_FOR_CODE, BYE_CODE)]
        if fault := next((reason for is_fault, reason in faults if is_fault), None):
            return self._end(fault)
        self.phase, self.other = Phase.STRANGER, node
        self._their_name, self._their_addresses = name, addresses
        self._send(INVITE, u64(self._invitation) + u32(int(INVITATION * 1_000)) + text(""))

    def _invite(self, body: bytes) -> None:
        """Both sides invite each other: to accept takes no decision."""
        reader = Reader(body)
        number, _, _ = reader.u64(), reader.u32(), reader.blob(4_096)
        reader.end()
        self._send(INVITE_ANSWER, u64(number) + u8(1))
        self._say_admit()

    def _answer(self, body: bytes) -> None:
        reader = Reader(body)
        number, verdict = reader.u64(), reader.u8(2)
        why = reader.text(255) if verdict == 0 else "busy"
        reader.end()
        if number != self._invitation or self.phase != Phase.STRANGER:
            return
        if verdict == 1:
            self._say_admit()
        else:
            self._end(BYE_LEFT, f"declined: {why}")

    def _say_admit(self) -> None:
        if self.rules.locked and not self._got_admit:
            return self._end(BYE_LOCKED)
        if not self._said_admit:
            self._said_admit = True
            self._send(ADMIT, b"")
        if self._got_admit and self.phase == Phase.STRANGER:
            self._become_member()

    def _admit(self, body: bytes) -> None:
        Reader(body).end()
        self._got_admit = True
        # An admission of a peer that this one has invited counts as accepting.
        self._say_admit()

    def _become_member(self) -> None:
        self.phase = Phase.MEMBER
        self.roster.admit(*self.other, self._their_name, self._their_addresses)
        self._send(ROSTER, self.roster.encoded)
        self._announce_links()
        self._send_vector()
        self._send_status()

    def _ping(self, body: bytes) -> None:
        check(len(body) == 8, "a ping has 8 bytes")
        self._send(PONG, body)

    def _goodbye(self, body: bytes) -> None:
        self.phase, self.reason = Phase.ENDED, (Reader(body).u8(), "goodbye of the other side")

    # Membership and presence.

    def _roster(self, body: bytes) -> None:
        host = self.election.host
        for peer, record in self.roster.merge(body):
            if peer == self.me.id and record.status == KICKED and host in (None, self.other):
                return self._end(BYE_LEFT, "removed by the host")
            if record.status != PRESENT:
                self.election.gone(peer)
        if correction := self.roster.correct():
            self._send(ROSTER, correction)

    def _announce_links(self) -> None:
        """Says that this peer has one link, and that it cannot host."""
        self._announced += 1
        self._announced_place = self.election.place
        self._send(LINKS, bytes(self.me) + u32(self._announced) + u8(0) + u8(0) + u32(self._announced_place)
                   + u16(1) + u64(self.other.incarnation))

    def _links(self, body: bytes) -> None:
        """What others announce decides nothing for a leaf, but for forgeries in its own name."""
        reader = Reader(body)
        node, version = reader.node(), reader.u32()
        if node == self.me and self._announced < version <= self._announced + 65_536:
            self._announced = version
            self._announce_links()

    def is_member(self, node: Node) -> bool:
        """Whether it is a member; all that are not at the other end of the link are reached through it."""
        return self.roster.incarnation(node.id) == node.incarnation

    def _flood(self, kind: int, message: bytes, to: Node | None = None) -> None:
        self._nonce += 1
        self._send(kind, bytes(self.me) + u64(self._nonce) + u32(self._announced) + optional_node(to) + message)

    def _election(self, body: bytes) -> None:
        reader = Reader(body)
        origin, nonce, _, to = reader.node(), reader.u64(), reader.u32(), reader.optional_node()
        # One link brings each message once, but for what this peer sent itself: a rising nonce is memory enough.
        is_new = origin != self.me and (nonce > self._seen.get(origin, 0) or origin == self.other)
        if is_new and self.is_member(origin) and to in (None, self.me):
            self._seen[origin] = nonce
            self.election.receive(origin, reader.rest(), self._now)

    # Anchors.

    def _operations(self, body: bytes) -> None:
        self.anchors.receive(body)
        self._answer_questions()

    def _vector(self, body: bytes) -> None:
        if (whole := self._vectors.add(body)) is None:
            return
        reader = Reader(whole)
        wants_answer, digest, vector = reader.flag(), reader.take(32), read_vector(reader)
        reader.end()
        self._streamed = vector.get(self.me.actor, 0)
        check(self._streamed <= self.anchors.vector.get(self.me.actor, 0), "a vector covers what I never wrote")
        if wants_answer:
            self._send_vector()
        if vector == self.anchors.vector and digest != self.anchors.digest:
            for part in chunks(self.anchors.snapshot):
                self._send(SNAPSHOT, part)
        self._stream()

    def _snapshot(self, body: bytes) -> None:
        if whole := self._snapshots.add(body):
            self.anchors.merge(whole)
            self._answer_questions()

    def _send_vector(self) -> None:
        for body in chunks(u8(0) + self.anchors.digest + self.anchors.encoded_vector):
            self._send(VECTOR, body)

    def _stream(self) -> None:
        """Sends what the other side lacks: operations of this peer, since it had all others before."""
        if self._streamed is None:
            return
        for batch in self.anchors.missing(self._streamed):
            self._send(OPERATIONS, batch)
        # What was sent arrives, or the next vector says otherwise.
        self._streamed = self.anchors.vector.get(self.me.actor, 0)

    def _acknowledgement(self, body: bytes) -> None:
        reader = Reader(body)
        kind, _, sender, to, number = reader.u8(1), reader.u8(), reader.node(), reader.node(), reader.u64()
        reader.end()
        if kind == 0 and to == self.me and self.is_member(sender):
            self._questions[sender] = (number, 0)
            self._answer_questions()

    def _answer_questions(self) -> None:
        """Says how far this peer has applied the operations of those that ask, until they have what they wait for."""
        for node, (wanted, answered) in list(self._questions.items()):
            applied = self.anchors.vector.get(node.actor, 0)
            if applied > answered:
                self._send(ACKNOWLEDGEMENT, u8(1) + u8(0) + bytes(self.me) + bytes(node) + u64(applied))
                self._questions[node] = (wanted, applied)
            if applied >= wanted:
                del self._questions[node]

    # Maps and messages.

    def _send_status(self) -> None:
        self._sent_status = self.maps.status
        self._flood(STATUS, self._sent_status)

    def _route_message(self, to: Node, is_report: bool, body: bytes) -> bool:
        if to == self.other:
            self._send(MESSAGE_REPORT if is_report else MESSAGE, body)
        else:
            self._send(RELAYED_REPORT if is_report else RELAYED_MESSAGE, u8(0) + bytes(self.me) + bytes(to) + body)
        return to == self.other

    def _relayed(self, body: bytes, is_report: bool = False) -> None:
        reader = Reader(body)
        _, sender, to = reader.u8(), reader.node(), reader.node()
        if to != self.me or not self.is_member(sender):
            return
        if is_report:
            self.mailbox.receive_report(sender, reader.rest(), False, self._now)
        else:
            self.mailbox.receive(sender, reader.rest())
