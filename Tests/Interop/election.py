"""The part of Documentation/Protocol/election.md that a peer plays which cannot host: it follows."""

from collections.abc import Callable

from fields import optional_node, read_optional_node
from small.wire import Node, Reader, know, u8, u32, u64

BEAT, ACK, PRE_CLAIM, PRE_NACK, STEP_DOWN, OFFER, WIN, YIELD, HANDOVER, RESIGN, REQUEST, SEAT = range(1, 13)
#: How long a follower believes in its host after a Beat (seconds).
LEASE = 2.0
#: The largest epoch and session time.
MOST = 2**62

#: Sends a message of the election to one node, or to all: kind and fields, destination.
Send = Callable[[bytes, Node | None], None]


class Follower:
    """Whom this peer follows. Its sender is a present member, as the caller checks."""

    def __init__(self, me: Node, send: Send) -> None:
        self.me, self._send = me, send
        self.host: Node | None = None
        self.epoch = self.place = self._seen = 0
        self._lease_end = 0.0
        #: Session time less this peer's own clock, and the latest one that it has shown (ms).
        self._ahead, self._shown = 0.0, 0

    def session_time(self, now: float) -> int:
        """Session time in ms; it never runs back."""
        self._shown = max(self._shown, int(now * 1_000 + self._ahead))
        return self._shown

    def tick(self, now: float) -> None:
        """Ends a lease that is over."""
        if self.host and now >= self._lease_end:
            self.host = None

    def gone(self, peer: bytes) -> None:
        """A peer has left the session or was removed."""
        if self.host and self.host.id == peer:
            self.host = None

    def receive(self, sender: Node, body: bytes, now: float) -> None:
        """Acts on a message as the state table says."""
        reader = Reader(body)
        kind = reader.u8()
        self.tick(now)
        if kind == BEAT:
            self._beat(sender, reader, now)
        elif kind in (ACK, YIELD):  # They are for a host: who is it?
            self._name_host(sender, reader.u64(MOST), now)
        elif kind == PRE_CLAIM:
            reader.take(5)
            self._pre_claim(sender, reader.u64(MOST), now)
        elif kind in (PRE_NACK, STEP_DOWN):
            host = read_optional_node(reader) if kind == PRE_NACK else reader.node()
            self._change(sender, kind, host, reader, now)
        elif kind == RESIGN:
            if self._believes(epoch := reader.u64(MOST)) and sender == self.host and epoch >= self.epoch:
                self.host = None
        elif kind == SEAT:
            place = reader.u32()
            if sender == self.host and self.place == 0 and 0 < place <= 2**31:
                self.place = place
        else:  # Offers, wins and requests concern hosts, a handover those that can host.
            know(kind, (OFFER, WIN, HANDOVER, REQUEST))

    def _believes(self, epoch: int) -> bool:
        """Records the epoch unless it would use the epochs up."""
        if epoch > 2**32 and epoch > self._seen + 2**20:
            return False
        self._seen = max(self._seen, epoch)
        return True

    def _follow(self, node: Node, epoch: int, sequence: int, lease: float, now: float) -> None:
        self.host, self.epoch, self._lease_end = node, epoch, now + lease
        self._send(u8(ACK) + u64(epoch) + u32(sequence) + u32(self.place) + u64(self.session_time(now)), node)

    def _beat(self, sender: Node, reader: Reader, now: float) -> None:
        epoch, sequence, _, _ = reader.u64(MOST), reader.u32(), reader.u16(), reader.u8()
        time = reader.u64(MOST)
        if self._believes(epoch) and (self.host is None or sender == self.host and epoch >= self.epoch):
            self._ahead = time - now * 1_000
            self._follow(sender, epoch, sequence, LEASE, now)

    def _name_host(self, node: Node, ended: int, now: float) -> None:
        if self._believes(ended) and self.host and self.host != node:
            lease = u32(int((self._lease_end - now) * 1_000))
            self._send(u8(STEP_DOWN) + bytes(self.host) + u64(self.epoch) + lease + u64(ended), node)

    def _pre_claim(self, sender: Node, highest: int, now: float) -> None:
        if not self._believes(highest):
            return
        if sender == self.host:
            self.host = None
        elif self.host:
            lease = u32(int((self._lease_end - now) * 1_000))
            self._send(u8(PRE_NACK) + optional_node(self.host) + u64(self.epoch) + lease, sender)

    def _change(self, sender: Node, kind: int, host: Node | None, reader: Reader, now: float) -> None:
        """Another peer hosts, says the former host or one that follows."""
        epoch, lease = reader.u64(MOST), reader.u32() / 1_000
        if not self._believes(epoch):
            return
        if kind == STEP_DOWN:
            if sender != self.host or reader.u64(MOST) < self.epoch:
                return
            self.host = None
        if self.host is None and host not in (None, self.me) and lease > 0:
            self._follow(host, epoch, 0, min(LEASE, lease), now)
