"""Rooms: sessions whose peers invite and accept each other by themselves, once they have proven the code of the room."""

from ._abi_enums import Code
from .config import Config
from .errors import SharedWorldError
from .identity import Identity
from .session import Session


def join(room: str, code: str | None = None, *, name: str, at: str | None = None) -> Session:
    """A session in a room: with everybody on this network who names the same room and proves the same code.

    `room` is a name of 1 to 15 letters, digits and hyphens, or a link of somebody in it, which may have the code. `name` is this
    device's for people. `at` is where somebody of the room listens, as HOST:PORT, or a link: for networks without multicast.
    """
    if code is None and "://" not in room:
        raise SharedWorldError(Code.INVALID_ARGUMENT, f"the room '{room}' has a code: give it, or host a room of your own")
    return Session(Identity.load_or_create(name), Config(room=room, code=code, place=at, ends_on_signals=True))


def host(room: str, *, name: str) -> Session:
    """A session in a new room, whose `code` lets others in."""
    if "://" in room:
        raise SharedWorldError(Code.INVALID_ARGUMENT, "a new room has a name")
    return Session(Identity.load_or_create(name), Config(room=room, ends_on_signals=True))
