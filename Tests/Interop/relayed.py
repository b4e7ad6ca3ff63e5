"""Messages on their way through members, who may drop them: Documentation/Protocol/messages.md."""

from small.messages import REPORT, Conversation

#: Before what was not reported is sent again: at first and at most (seconds).
FIRST_PAUSE, LAST_PAUSE = 0.25, 4.0


class RelayedConversation(Conversation):
    """A conversation with a member to which there is no link."""

    _waits_for = 0
    _pause = _repeat_at = 0.0

    def tick(self, now: float) -> None:
        """Sends everything again that was not reported, after pauses that grow until something is."""
        first = self.waiting[0][0] if self.waiting else 0
        if first != self._waits_for:
            self._waits_for, self._pause, self._repeat_at = first, FIRST_PAUSE, now + FIRST_PAUSE
        elif first and now >= self._repeat_at:
            self._pause = min(LAST_PAUSE, 2 * self._pause)
            self._last_sent, self._repeat_at = 0, now + self._pause
            self._pump()

    def _report(self, kind: int, track: int) -> None:
        # An answer speaks of a link; to a question that came through members the answer is a report.
        super()._report(REPORT, track)
