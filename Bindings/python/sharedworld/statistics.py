"""What the connections of a session carry."""

from ctypes import byref, c_void_p
from dataclasses import dataclass

from ._core import Core
from ._library import library
from .values import ID


@dataclass(frozen=True, slots=True)
class Link:
    """A direct connection of this peer."""

    peer: ID
    name: str
    #: A small message there and back (seconds), None before it is measured.
    round_trip: float | None
    bytes_sent: int
    bytes_received: int
    #: Wait to be sent: a number that stays high says that the network is too slow.
    queued_bytes: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """The connections of a session at one moment."""

    #: The direct connections of this peer, in the order of the ids.
    links: list[Link]
    #: Every direct connection in the session that this peer knows of, the lower id first.
    connections: list[tuple[ID, ID]]
    #: Turns of the protocol so far.
    turns: int


class Measured(Core):
    """What a session measures of itself."""

    @property
    def statistics(self) -> Statistics:
        """The connections of the session, and what this peer's own ones carry."""
        found = c_void_p()
        library.sw_session_statistics(self.handle, byref(found))
        try:
            links = [_link(found, index) for index in range(library.sw_statistics_link_count(found))]
            pairs = [
                library.sw_statistics_connection(found, index).contents
                for index in range(library.sw_statistics_connection_count(found))]
            connections = [(ID(bytes(pair.one)), ID(bytes(pair.other))) for pair in pairs]
            return Statistics(links, connections, library.sw_statistics_turns(found))
        finally:
            library.sw_statistics_destroy(found)


def _link(statistics: c_void_p, index: int) -> Link:
    link = library.sw_statistics_link(statistics, index).contents
    round_trip = link.round_trip_ns / 1e9 if link.round_trip_ns >= 0 else None
    return Link(
        ID(bytes(link.peer)), link.name.decode(), round_trip, link.bytes_sent, link.bytes_received, link.queued_bytes)
