"""Reliable messages of an app: Documentation/Protocol/messages.md."""

from collections.abc import Callable

from .frames import Frame
from .wire import Reader, check, know, u8, u32, u64

#: What may be on its way before the receiver has reported, and what others may have on their way here (bytes of cost).
FIRST_WINDOW, WINDOW = 262_144, 1_048_576
#: The most bytes of a message, what each costs besides, and the bytes of its fields.
MOST, OVERHEAD, HEAD = 61_440, 64, 21
REPORT, QUESTION, ANSWER = range(3)
#: The chains besides that of ordinary messages, as a report names them, and the chain of each kind of message.
CRITICAL, STREAMS = 0x80, 0x40
CHAINS = {0: 0, 1: 0, 2: STREAMS, 0x80: CRITICAL, 0x81: CRITICAL}


class Conversation:
    """The messages between this peer and another one; the app gets those that arrive at once."""

    def __init__(self, chain: int, send: Callable[[int, bytes], None], hand_over: Callable[[bytes], None]) -> None:
        self._chain, self._send, self._hand_over = chain, send, hand_over
        self._previous, self._last_sent, self._window = 0, 0, FIRST_WINDOW
        #: The messages that the other side has not reported yet, each with its number.
        self.waiting: list[tuple[int, bytes]] = []
        #: Chain and number of what was handed over last, for each chain of the other side.
        self._received: dict[int, tuple[int, int]] = {}

    def send(self, number: int, data: bytes) -> None:
        """Sends a message under a number above that of the one before."""
        assert len(data) <= MOST, f"{len(data)} bytes, at most {MOST}"
        self.waiting.append((number, u32(self._chain) + u64(self._previous) + u64(number) + u8(0) + data))
        self._previous = number
        self._pump()

    def receive(self, body: bytes) -> None:
        """Accepts the next message of a chain, or the first of a new one, and reports how far that chain is here."""
        reader = Reader(body)
        chain, previous, number, kind = reader.u32(), reader.u64(), reader.u64(2**62), reader.u8()
        data = reader.rest()
        check(kind != CRITICAL | 2 and previous < number and len(data) <= MOST, "a malformed message")
        know(kind, CHAINS)
        followed, last = self._received.get(CHAINS[kind], (0, 0))
        if (chain == followed and previous == last) or (chain > followed and previous == 0):
            self._received[CHAINS[kind]] = (chain, number)
            if kind in (0, CRITICAL):  # Envelopes and streams are ignored by a peer that reads only bytes.
                self._hand_over(data)
        self._report(REPORT, CHAINS[kind])

    def receive_report(self, body: bytes) -> None:
        """Handles a report of the other side, or its question for one."""
        reader = Reader(body)
        kind, chain, last, window = reader.u8(), reader.u32(), reader.u64(2**62), reader.u32()
        reader.end()
        track, kind = kind & (CRITICAL | STREAMS), kind & 63
        check(track != CRITICAL | STREAMS, "a report about two chains")
        know(kind, (REPORT, QUESTION, ANSWER))
        if kind == QUESTION:
            self._report(ANSWER, track)
        elif chain == self._chain and track == 0:
            self.waiting = [message for message in self.waiting if message[0] > last]
            self._window = window
            self._pump()

    def _report(self, kind: int, track: int) -> None:
        chain, last = self._received.get(track, (0, 0))
        window = FIRST_WINDOW if track == CRITICAL else WINDOW
        self._send(Frame.MESSAGE_REPORT, u8(kind | track) + u32(chain) + u64(last) + u32(window))

    def _pump(self) -> None:
        """Sends what the window of the receiver has room for."""
        cost = 0
        for number, body in self.waiting:
            cost += len(body) - HEAD + OVERHEAD
            if number > self._last_sent and cost <= self._window:
                self._last_sent = number
                self._send(Frame.MESSAGE, body)
