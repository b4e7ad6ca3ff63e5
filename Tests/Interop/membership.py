"""Who belongs to the session: the roster and rules of Documentation/Protocol/membership.md."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wire import Reader, check, text, u8, u32, u64, varint

PRESENT, LEFT, KICKED = range(3)
#: How far a version may be above the known one, and the highest there is.
JUMP, HIGHEST = 65_536, 2**31


@dataclass(frozen=True)
class Record:
    """One peer's entry in the roster."""

    version: int
    status: int
    incarnation: int
    name: str
    addresses: bytes = b"\x00"

    def encoded(self, peer: bytes) -> bytes:
        return peer + u32(self.version) + u8(self.status) + u64(self.incarnation) + text(self.name) + self.addresses

    def stands_over(self, other: "Record") -> bool:
        """Whether this one replaces another record of the same peer."""
        return self._rank > other._rank

    @property
    def _rank(self) -> tuple[int, int, int, bytes]:
        return self.version, self.status, self.incarnation, self.encoded(b"")

    @property
    def next_version(self) -> int:
        """The version of the next change."""
        return self.version + 1 if self.version < HIGHEST else 1


class Roster:
    """The records, as a peer with one link has them: its one neighbour is always the nearest to the host.

    What such a peer leaves out: it contradicts nobody else's record, it keeps it until it may be accepted.
    """

    def __init__(self, me: bytes, mine: Record) -> None:
        self._me, self._truth = me, mine
        self.records = {me: mine}
        self._disputed: dict[bytes, Record] = {}

    @property
    def encoded(self) -> list[bytes]:
        """Bodies of roster frames with everything."""
        entries = [record.encoded(peer) for peer, record in self.records.items()]
        parts = (entries[first:first + 128] for first in range(0, len(entries), 128))
        return [varint(len(part)) + b"".join(part) for part in parts]

    def incarnation(self, peer: bytes) -> int | None:
        """The start of a present member's process."""
        record = self.records.get(peer)
        return record.incarnation if record and record.status == PRESENT else None

    def admit(self, peer: bytes, incarnation: int, name: str, addresses: bytes) -> None:
        """Records the peer at the other end of the link as a member."""
        known = self.records.get(peer)
        fresh = Record(1, PRESENT, incarnation, name, addresses)
        if known and known != replace(fresh, version=known.version):
            fresh = replace(fresh, version=known.next_version)
        self.records[peer] = fresh

    def left(self, peer: bytes) -> None:
        """Records that a peer has said so itself."""
        if known := self.records.get(peer):
            self.records[peer] = replace(known, version=known.next_version, status=LEFT)

    def merge(self, body: bytes, neighbour: bytes, host: bytes | None) -> Iterator[tuple[bytes, Record]]:
        """Gives the records of a frame that are news, corrections of this peer's own record among them."""
        for peer, record in [*read_roster(Reader(body)), *self._disputed.items()]:
            known = self.records.get(peer)
            if not (is_in_reach(record, known, peer == neighbour) and (not known or record.stands_over(known))):
                continue
            if peer != self._me and not believable(peer, known, record, neighbour, host):
                self._disputed[peer] = record
                continue
            self._disputed.pop(peer, None)
            self.records[peer] = record
            yield peer, record

    def correct(self) -> bytes | None:
        """The frame that corrects what others say of this peer, if anything is to be corrected."""
        said = self.records[self._me]
        if replace(said, version=self._truth.version) == self._truth:
            return None
        self._truth = replace(self._truth, version=said.next_version)
        self.records[self._me] = self._truth
        return varint(1) + self._truth.encoded(self._me)


def read_roster(reader: Reader) -> list[tuple[bytes, Record]]:
    count = reader.varint()
    check(count <= 1_024, "too many records")
    entries = []
    for _ in range(count):
        peer = reader.take(32)
        record = Record(reader.u32(), reader.u8(KICKED), reader.u64(), reader.text(63), reader.addresses())
        entries.append((peer, record))
    reader.end()
    return entries


def is_in_reach(record: Record, known: Record | None, is_own_link: bool) -> bool:
    """Whether the version is near enough, so that nobody uses up the numbers of others."""
    if record.version > HIGHEST:
        return False
    if is_own_link and record.status == PRESENT and (known is None or known.status == PRESENT):
        return True
    free = known is None and record.status == PRESENT
    return free or record.version <= (known.version if known else 0) + JUMP


def believable(peer: bytes, known: Record | None, record: Record, neighbour: bytes, host: bytes | None) -> bool:
    """The table under "Disputes", for a peer whose only neighbour speaks for the host that it follows."""
    before = known.status if known else LEFT
    if KICKED in (before, record.status):
        return before == record.status or (host is not None and peer != host)
    return not (before == PRESENT and record.status == LEFT and peer == neighbour)


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
        theirs = Rules(reader.u32(), reader.flag(), reader.u8(64))
        reader.end()
        check(theirs.limit >= 2 and (theirs.version > 0 or theirs == Rules()), "rules out of range")
        rank = (theirs.version, theirs.locked, -theirs.limit)
        wins = rank > (self.version, self.locked, -self.limit) and theirs.version <= self.version + JUMP
        if theirs.version <= HIGHEST and (follows or wins):
            self.version, self.locked, self.limit = theirs.version, theirs.locked, theirs.limit
