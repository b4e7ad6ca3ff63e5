"""Who belongs to the session: the roster and rules of Documentation/Protocol/membership.md."""

from dataclasses import dataclass, replace

from fields import read_addresses, read_flag
from small.member import NO_ADDRESSES, PRESENT, encode_record
from small.wire import Node, Reader, check, u8, u32, varint

KICKED = 2
#: How many steps a version may be ahead of the known one, and the highest there is, which 1 follows.
JUMP, HIGHEST = 65_536, 2**31


@dataclass(frozen=True)
class Record:
    """One peer's entry in the roster."""

    version: int
    status: int
    incarnation: int
    name: str
    addresses: bytes = NO_ADDRESSES

    def encoded(self, peer: bytes) -> bytes:
        return encode_record(Node(peer, self.incarnation), self.version, self.status, self.name, self.addresses)

    @property
    def rank(self) -> tuple[int, int, int, bytes]:
        """Of two records of a peer with one version the one of higher rank stands."""
        return self.version, self.status, self.incarnation, self.encoded(b"")

    def replaces(self, known: "Record") -> bool:
        """Whether this record stands, and not the known one."""
        if self.version == known.version:
            return self.rank > known.rank
        ahead = (self.version - known.version) % HIGHEST
        is_apart = min(ahead, HIGHEST - ahead) > JUMP
        return 1 <= ahead <= JUMP or is_apart and self.status == KICKED != known.status

    @property
    def next_version(self) -> int:
        """The version of the next change."""
        return self.version + 1 if self.version < HIGHEST else 1


class Roster:
    """The records, as a peer has them whose one neighbour is always the nearest to the host: it believes that one."""

    def __init__(self, me: bytes, mine: Record) -> None:
        self._me, self._truth = me, mine
        self.records = {me: mine}

    @property
    def encoded(self) -> bytes:
        """The body of a frame with everything; a session has few peers."""
        return varint(len(self.records)) + b"".join(record.encoded(peer) for peer, record in self.records.items())

    def incarnation(self, peer: bytes) -> int | None:
        """The start of a present member's process."""
        record = self.records.get(peer)
        return record.incarnation if record and record.status == PRESENT else None

    def admit(self, peer: bytes, incarnation: int, name: str, addresses: bytes) -> None:
        """Records the peer at the other end of the link as a member."""
        self.records[peer] = Record(1, PRESENT, incarnation, name, addresses)

    def merge(self, body: bytes) -> list[tuple[bytes, Record]]:
        """Gives the records of a frame that are news, those about this peer among them."""
        reader, news = Reader(body), []
        count = reader.varint()
        check(count <= 1_024, "too many records")
        for _ in range(count):
            peer = reader.take(32)
            record = Record(reader.u32(), reader.u8(KICKED), reader.u64(), reader.text(63), read_addresses(reader))
            check(record.version > 0, "a version of 0")
            known = self.records.get(peer)
            if record.version <= HIGHEST and (not known or record.replaces(known)):
                self.records[peer] = record
                news.append((peer, record))
        reader.end()
        return news

    def correct(self) -> bytes | None:
        """The frame that corrects what others say of this peer, if anything is to be corrected."""
        said = self.records[self._me]
        if replace(said, version=self._truth.version) == self._truth:
            return None
        self.records[self._me] = self._truth = replace(self._truth, version=said.next_version)
        return varint(1) + self._truth.encoded(self._me)


@dataclass
class Rules:
    """The one record of rules of a session."""

    version: int = 0
    locked: bool = False
    limit: int = 64

    @property
    def encoded(self) -> bytes:
        return u32(self.version) + u8(self.locked) + u8(self.limit)

    def receive(self, body: bytes, follows: bool) -> None:
        """Takes the rules that the neighbour sends: of the host that this peer follows, or those that win."""
        reader = Reader(body)
        theirs = Rules(reader.u32(), read_flag(reader), reader.u8(64))
        reader.end()
        check(theirs.limit >= 2 and (theirs.version > 0 or theirs == Rules()), "rules out of range")
        rank = (theirs.version, theirs.locked, -theirs.limit)
        wins = rank > (self.version, self.locked, -self.limit) and theirs.version <= self.version + JUMP
        if theirs.version <= HIGHEST and (follows or wins):
            self.version, self.locked, self.limit = theirs.version, theirs.locked, theirs.limit
