"""The leaf of PROTOCOL.md, a full replica: the small peer with handlers for further frames.

It merges the roster and follows the host, applies the operations of all others and compares digests, acknowledges, and
reaches every member through the one that it dialled. It cannot host, shows no codes, knows no passcode, and uses no
frame of its own. It believes the member that it dialled: it judges neither poses, nor stamps of the future, nor records
that others dispute.
"""

from functools import partial

import zstd
from anchors import AnchorSet, Chunks, chunks, read_vector
from election import Follower
from fields import optional_node, read_addresses, read_flag, read_optional_node
from membership import KICKED, Record, Roster, Rules
from relayed import RelayedConversation
from small.frames import Frame
from small.member import BYE_LEFT, PRESENT, Member, Phase
from small.messages import Conversation
from small.wire import Node, Reader, check, know, u8, u16, u32, u64

#: Between vectors (seconds).
EXCHANGE = 5.0


class Leaf(Member):
    """A peer with one link and all that the others have."""

    def __init__(self, me: Node, other: bytes, name: str, service: str) -> None:
        super().__init__(me, other, name, service, zstd.codecs())
        #: How many exchanges of vectors there were since it joined.
        self.exchanges = 0
        self.anchors = AnchorSet(me.actor)
        self.election = Follower(me, partial(self._flood, Frame.ELECTION))
        self.roster = Roster(me.id, Record(1, PRESENT, me.incarnation, name))
        self.rules = Rules()
        self._next_exchange = 0.0
        self._announced = self._announced_place = self._nonce = 0
        self._seen: dict[Node, int] = {}
        self._vectors, self._snapshots = Chunks(131_072), Chunks(201_424_960)
        self._questions: dict[Node, tuple[int, int]] = {}
        #: The last word on the map's status, and how many there were; none before there is a map.
        self._said_status = bytes(34)
        self._words_said = 0
        #: The messages to and from members that this peer has no link to.
        self._relayed: dict[Node, RelayedConversation] = {}
        self._handlers |= {
            Frame.ROSTER: self._merge_roster, Frame.INVITE: self._invite, Frame.LINK_ANNOUNCEMENT: self._links,
            Frame.ELECTION: self._election,
            Frame.RULES: lambda body: self.rules.receive(body, self.election.host is not None),
            Frame.OPERATIONS: self._operations, Frame.SNAPSHOT: self._snapshot,
            Frame.ACKNOWLEDGEMENT: self._acknowledgement, Frame.RELAYED_MESSAGE: self._take_relayed,
            Frame.RELAYED_REPORT: partial(self._take_relayed, is_report=True)}

    @property
    def session_time(self) -> int:
        return self.election.session_time(self._now)

    # For the app.

    def remove(self, identifier: bytes) -> None:
        """Removes an anchor."""
        self.anchors.remove(identifier, self.session_time)
        self._stream()

    def send(self, data: bytes, to: Node | None = None) -> None:
        """Sends a message to a member, or to the peer at the other end."""
        self._number += 1
        self.conversation_with(to or self.other).send(self._number, data)

    def conversation_with(self, node: Node) -> Conversation:
        """The messages between this peer and a member."""
        if node == self.other:
            return self.conversation
        if node not in self._relayed:
            self._relayed[node] = RelayedConversation(
                len(self._relayed) + 2, partial(self._send_relayed, node),
                lambda data: self.messages.append((node, data)))
        return self._relayed[node]

    def members(self) -> dict[str, Node]:
        """The other present members by name."""
        present = {peer: record for peer, record in self.roster.records.items() if record.status == PRESENT}
        return {record.name: Node(peer, record.incarnation) for peer, record in present.items() if peer != self.me.id}

    # Time.

    def tick(self, now: float) -> None:
        super().tick(now)
        if self.phase != Phase.MEMBER:
            return
        self.election.tick(now)
        for conversation in self._relayed.values():
            conversation.tick(now)
        if self.election.place != self._announced_place:
            self._announce()
        self._say_status()
        if now >= self._next_exchange:
            self._exchange(now)

    def _exchange(self, now: float) -> None:
        self._next_exchange = now + EXCHANGE
        self.exchanges += 1
        self._send_vector()
        if self.rules.version > 0 or self.election.host != self.other:
            self._send(Frame.RULES, self.rules.encoded)

    # Admission.

    def _hello(self, body: bytes) -> None:
        super()._hello(body)
        reader = Reader(self._their_addresses)
        read_addresses(reader)
        reader.end()

    def _invite(self, body: bytes) -> None:
        """Both sides invite each other: to accept takes no decision, and the other side, which accepts too, admits."""
        reader = Reader(body)
        number, _, _ = reader.u64(), reader.u32(), reader.blob(4_096)
        reader.end()
        self._send(Frame.INVITE_ANSWER, u64(number) + u8(1))

    def _become_member(self) -> None:
        self.roster.admit(*self.other, self._their_name, self._their_addresses)
        self._send(Frame.ROSTER, self.roster.encoded)
        self._announce()
        self._next_exchange = self._now + EXCHANGE
        self._send_vector()
        self._say_status()

    # Membership and presence.

    def _merge_roster(self, body: bytes) -> None:
        host = self.election.host
        for peer, record in self.roster.merge(body):
            if peer == self.me.id and record.status == KICKED and host in (None, self.other):
                return self.end(BYE_LEFT, "removed by the host")
            if record.status != PRESENT:
                self.election.gone(peer)
        if correction := self.roster.correct():
            self._send(Frame.ROSTER, correction)

    def _announce(self) -> None:
        self._announced += 1
        self._announced_place = self.election.place
        self._announce_links(self._announced, self._announced_place)

    def _links(self, body: bytes) -> None:
        """What others announce decides nothing for a leaf, but for forgeries in its own name."""
        reader = Reader(body)
        node, version = reader.node(), reader.u32()
        if node == self.me and self._announced < version <= self._announced + 65_536:
            self._announced = version
            self._announce()

    def is_member(self, node: Node) -> bool:
        """Whether it is a member; all that are not at the other end of the link are reached through it."""
        return self.roster.incarnation(node.id) == node.incarnation

    def _flood(self, kind: int, message: bytes, to: Node | None = None) -> None:
        self._nonce += 1
        self._send(kind, bytes(self.me) + u64(self._nonce) + u32(self._announced) + optional_node(to) + message)

    def _election(self, body: bytes) -> None:
        reader = Reader(body)
        origin, nonce, _, to = reader.node(), reader.u64(), reader.u32(), read_optional_node(reader)
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
        wants_answer, digest, vector = read_flag(reader), reader.take(32), read_vector(reader)
        reader.end()
        # What was sent before should be in it; if it is not, it is sent again.
        self._streamed = vector.get(self.me.actor, 0)
        check(self._streamed <= len(self.anchors.written), "a vector covers what I never wrote")
        if wants_answer:
            self._send_vector()
        if vector == self.anchors.vector and digest != self.anchors.digest:
            for part in chunks(self.anchors.snapshot):
                self._send(Frame.SNAPSHOT, part)
        super()._vector(body)

    def _snapshot(self, body: bytes) -> None:
        if whole := self._snapshots.add(body):
            self.anchors.merge(whole)
            self._answer_questions()

    def _send_vector(self) -> None:
        for body in chunks(u8(0) + self.anchors.digest + self.anchors.encoded_vector):
            self._send(Frame.VECTOR, body)

    def _acknowledgement(self, body: bytes) -> None:
        reader = Reader(body)
        _, sender, to, kind, number = reader.u8(), reader.node(), reader.node(), reader.u8(), reader.u64()
        know(kind, (0, 1))
        reader.end()
        if kind == 0 and to == self.me and self.is_member(sender):
            self._questions[sender] = (number, 0)
            self._answer_questions()

    def _answer_questions(self) -> None:
        """Says how far this peer has applied the operations of those that ask, until they have what they wait for."""
        for node, (wanted, answered) in list(self._questions.items()):
            applied = self.anchors.vector.get(node.actor, 0)
            if applied > answered:
                self._send(Frame.ACKNOWLEDGEMENT, u8(0) + bytes(self.me) + bytes(node) + u8(1) + u64(applied))
                self._questions[node] = (wanted, applied)
            if applied >= wanted:
                del self._questions[node]

    # Maps and messages.

    @property
    def _status(self) -> bytes:
        """Map id, stage and percentage: the body of the word on the map's status."""
        if not self.map.id:
            return bytes(34)
        verified = sum(map(len, self.map.chunks.values()))
        return self.map.id + u8(2 if self.map.data else 1) + u8(100 * verified // self.map.size)

    def _say_status(self) -> None:
        """Says how far it has come, when that is news; its neighbour passes the word on, and keeps it."""
        if self._status == self._said_status:
            return
        self._said_status = self._status
        self._words_said += 1
        # Topic 2, no key, the version with its highest byte first.
        word = u8(2) + bytes(self.me) + u8(0) + u16(len(self._status)) + self._words_said.to_bytes(8, "big")
        self._send(Frame.WORDS, word + self._status)

    def _send_relayed(self, to: Node, kind: int, body: bytes) -> None:
        is_report = kind == Frame.MESSAGE_REPORT
        relayed = Frame.RELAYED_REPORT if is_report else Frame.RELAYED_MESSAGE
        self._send(relayed, u8(0) + bytes(self.me) + bytes(to) + body)

    def _take_relayed(self, body: bytes, is_report: bool = False) -> None:
        reader = Reader(body)
        _, sender, to = reader.u8(), reader.node(), reader.node()
        if to == self.me and self.is_member(sender):
            conversation = self.conversation_with(sender)
            take = conversation.receive_report if is_report else conversation.receive
            take(reader.rest())
