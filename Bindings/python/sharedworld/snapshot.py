"""Views of a session at one moment, for loops that draw."""

from collections.abc import Callable
from ctypes import byref, c_void_p, sizeof
from functools import cached_property
from typing import Any

from . import _abi
from ._abi_enums import MapStage
from ._core import Core
from ._handles import Handle
from ._library import library
from .anchors import Anchor, read_anchor
from .values import ID, LivePose, Peer, read_id, read_live_pose, read_peer


class Snapshot(Handle):
    """A session at one moment: everything in it is of the same turn and never changes. A list is copied once it is read."""

    def __init__(self, pointer: c_void_p) -> None:
        super().__init__(pointer, library.sw_snapshot_destroy)
        self._state = _abi.State(size=sizeof(_abi.State))
        library.sw_snapshot_state(pointer, byref(self._state))

    @property
    def revision(self) -> int:
        """Counts the views of a session, from 1."""
        return int(self._state.revision)

    @property
    def host(self) -> tuple[ID | None, int]:
        """The host, None while an election runs, and the number of that host."""
        return read_id(self._state.host), int(self._state.epoch)

    @property
    def session_time(self) -> int:
        """The time that all members share (milliseconds)."""
        return int(self._state.session_time)

    @property
    def map(self) -> ID | None:
        """Names the session's map, None before one is here."""
        return read_id(self._state.map)

    @property
    def map_stage(self) -> tuple[MapStage, int]:
        """How far this peer has come with the map, and the share that is here while it comes (per cent)."""
        return MapStage(self._state.map_stage), int(self._state.map_percent)

    @property
    def map_points(self) -> int:
        """How many feature points the map has."""
        return int(self._state.map_points)

    @property
    def member_limit(self) -> int:
        """The most peers of the session."""
        return int(self._state.member_limit)

    @property
    def digest(self) -> bytes:
        """A hash of the anchors: equal on all peers that hold the same."""
        return bytes(self._state.digest)

    @property
    def is_synchronized(self) -> bool:
        """Whether all is here that the connected peers had when they connected."""
        return bool(self._state.is_synchronized)

    @property
    def is_locked(self) -> bool:
        """Whether newcomers are turned away."""
        return bool(self._state.is_locked)

    @property
    def has_ended(self) -> bool:
        """Whether the session is over; then this is what it was last."""
        return bool(self._state.has_ended)

    @cached_property
    def anchors(self) -> list[Anchor]:
        """The anchors, in the order of their ids."""
        count = library.sw_snapshot_anchor_count(self.handle)
        contents = [library.sw_snapshot_anchor_content(self.handle, index) for index in range(count)]
        anchors = [library.sw_snapshot_anchor(self.handle, index).contents for index in range(count)]
        return [read_anchor(anchor, content) for anchor, content in zip(anchors, contents)]

    @cached_property
    def peers(self) -> list[Peer]:
        """The other members, in the order of their ids."""
        return self._list("peer", read_peer)

    @cached_property
    def drags(self) -> list[LivePose]:
        """The anchors that other peers drag."""
        return self._list("drag", read_live_pose)

    @cached_property
    def devices(self) -> list[LivePose]:
        """The devices of other peers."""
        return self._list("device", read_live_pose)

    def _list(self, kind: str, read: Callable[[Any], Any]) -> list[Any]:
        get, count = getattr(library, f"sw_snapshot_{kind}"), getattr(library, f"sw_snapshot_{kind}_count")
        return [read(get(self.handle, index).contents) for index in range(count(self.handle))]


class Snapshots(Core):
    """What a loop that draws reads."""

    def snapshot(self, after: int = 0) -> Snapshot | None:
        """The latest view, None when its revision is not over `after`: that of the view that was drawn last.

        It never waits. The first call says that views are wanted, and has none yet.
        """
        pointer = c_void_p()
        library.sw_session_snapshot(self.handle, after, byref(pointer))
        return Snapshot(pointer) if pointer else None
