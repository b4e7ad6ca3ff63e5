"""Reliable messages of an app: Documentation/Protocol/messages.md."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from wire import Node, Reader, check, u8, u32, u64

#: What may be on its way before the receiver has reported, and what others may have on their way here (bytes of cost).
FIRST_WINDOW, WINDOW = 262_144, 1_048_576
#: The most bytes of a message, and what each costs besides.
MOST, OVERHEAD = 61_440, 64
REPORT, QUESTION, ANSWER = range(3)
#: The chains besides that of ordinary messages, as a report names them.
CRITICAL, STREAMS = 0x80, 0x40
STREAM = 2

#: Sends a message (False) or a report (True) to a node; gives whether that node is at the other end of the link.
Send = Callable[[Node, bool, bytes], bool]


@dataclass
class Chain:
    """Messages to one node that it has not reported yet."""

    number: int
    previous: int = 0
    window: int = FIRST_WINDOW
    waiting: deque[tuple[int, bytes]] = field(default_factory=deque)
    #: How many of those have left.
    sent: int = 0
    repeat_at: float = 0
    pause: float = 0.25


class Mailbox:
    """What this peer sends and receives; what arrives is handed over at once."""

    def __init__(self, send: Send, hand_over: Callable[[Node, bytes], None]) -> None:
        self._send, self._hand_over = send, hand_over
        self._number = 0
        self._chains: dict[Node, Chain] = {}
        #: Chain and number of what was handed over last, for each sender and each of its chains.
        self._received: dict[tuple[Node, int], tuple[int, int]] = {}

    def send(self, to: Node, data: bytes, now: float) -> int:
        """Sends a message and gives its number."""
        if len(data) > MOST:
            raise ValueError(f"{len(data)} bytes, at most {MOST}: send a resource instead")
        self._number += 1
        chain = self._chains.setdefault(to, Chain(len(self._chains) + 1))
        body = u32(chain.number) + u64(chain.previous) + u64(self._number) + u8(0) + data
        chain.previous = self._number
        chain.waiting.append((self._number, body))
        self._pump(to, chain, now)
        return self._number

    def unreported(self, to: Node) -> int:
        """How many messages that node has not reported yet."""
        return len(self._chains[to].waiting) if to in self._chains else 0

    def tick(self, now: float) -> None:
        """Repeats what nobody has reported of messages on their way through members, who may drop them."""
        for to, chain in self._chains.items():
            if chain.sent and now >= chain.repeat_at:
                chain.sent, chain.pause = 0, min(4, 2 * chain.pause)
                self._pump(to, chain, now)

    def receive(self, sender: Node, body: bytes) -> None:
        """Takes the next message of a chain, or the first of a new one, and says how far that chain is here."""
        reader = Reader(body)
        chain, previous, number, kind = reader.u32(), reader.u64(), reader.u64(2**62), reader.u8()
        track, data = STREAMS if kind == STREAM else kind & CRITICAL, reader.rest()
        check((kind & 127 < 2 or kind == STREAM) and previous < number and len(data) <= MOST, "a malformed message")
        followed, last = self._received.get((sender, track), (0, 0))
        if (chain == followed and previous == last) or (chain > followed and previous == 0):
            self._received[sender, track] = (chain, number)
            # Envelopes and streams are ignored by a peer that reads only bytes.
            if kind & 127 == 0:
                self._hand_over(sender, data)
        self._report(sender, REPORT, track)

    def receive_report(self, sender: Node, body: bytes, is_direct: bool, now: float) -> None:
        """Handles what a receiver has, or a question what this peer has."""
        reader = Reader(body)
        kind, number, last, window = reader.u8(), reader.u32(), reader.u64(2**62), reader.u32()
        reader.end()
        track, kind = kind & (CRITICAL | STREAMS), kind & 63
        check(kind <= ANSWER and track != CRITICAL | STREAMS, "a report of an unknown kind")
        chain = self._chains.get(sender)
        if kind == QUESTION:
            self._report(sender, ANSWER if is_direct else REPORT, track)
        elif chain and chain.number == number and not track:
            while chain.waiting and chain.waiting[0][0] <= last:
                chain.waiting.popleft()
                chain.sent = max(0, chain.sent - 1)
                chain.pause = 0.25
            chain.window = window
            self._pump(sender, chain, now)

    def _report(self, to: Node, kind: int, track: int) -> None:
        number, last = self._received.get((to, track), (0, 0))
        window = FIRST_WINDOW if track == CRITICAL else WINDOW
        self._send(to, True, u8(kind | track) + u32(number) + u64(last) + u32(window))

    def _pump(self, to: Node, chain: Chain, now: float) -> None:
        """Sends what the window of the receiver has room for, in bytes of messages without their heads of 21."""
        room = chain.window
        for place, (_, body) in enumerate(list(chain.waiting)):
            room -= len(body) - 21 + OVERHEAD
            if room < 0:
                return
            if place == chain.sent:
                chain.sent += 1
                is_direct = self._send(to, False, body)
                chain.repeat_at = float("inf") if is_direct else now + chain.pause
