"""Coordinate frames of devices, and how they lie to each other."""

from collections.abc import Callable
from ctypes import byref, c_float, c_size_t, sizeof
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _abi
from ._abi_enums import AlignmentState, Hold
from ._core import Core
from ._library import library
from .anchors import Anchor, take_anchors
from .maps import c_array, c_points
from .values import ID, Transform, c_key, c_transform, read_transform


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How a frame lies in this peer's; the numbers are 0 in one frame."""

    state: AlignmentState
    #: That frame to this peer's, None unless aligned.
    transform: Transform | None
    #: Root of the sum of the squared residuals on the way (metres).
    residual: float
    #: Standard deviations of positions (metres) and orientations (radians).
    position: float
    orientation: float
    #: Session time of the oldest measurement on the way (milliseconds).
    time: int
    #: Behind the weakest measurement on the way.
    observations: int
    #: Measurements that are held back because they contradict others.
    contradictions: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FrameFit:
    """A measured transform, of the frame that is measured to this peer's."""

    transform: npt.ArrayLike
    #: The middle of what was measured, in this peer's frame (metres).
    center: tuple[float, float, float] = (0, 0, 0)
    observations: int = 1
    #: Standard deviations of the position of `center` (metres) and of the orientation (radians).
    position: float = 0.02
    orientation: float = 0.01
    #: Root mean square of the distances that remain (metres).
    residual: float = 0


class Frames(Core):
    """The frame of a session, and how those of others lie in it. Where a peer may be None, it is the shared frame."""

    def begin_frame(self) -> None:
        """Begins a frame of this device's own; poses from now on are in it."""
        library.sw_session_begin_frame(self.handle)

    def use_shared_frame(self) -> None:
        """Returns to the frame of the session's map, in which every program begins."""
        library.sw_session_use_shared_frame(self.handle)

    def alignment(self, peer: ID | None = None) -> Alignment:
        """How the frame of a peer, or the shared one, lies in this peer's."""
        result = _abi.Alignment(size=sizeof(_abi.Alignment))
        library.sw_session_alignment(self.handle, c_key(peer), byref(result))
        return _read_alignment(result)

    def align(self, peer: ID | None, fit: FrameFit) -> Alignment:
        """Records how a frame lies in this peer's, as the program has measured it; both peers should."""
        measured = _abi.FrameFit(size=sizeof(_abi.FrameFit), observations=fit.observations)
        measured.transform, measured.center = c_transform(fit.transform), (c_float * 3)(*fit.center)
        measured.position, measured.orientation, measured.residual = fit.position, fit.orientation, fit.residual
        result = _abi.Alignment(size=sizeof(_abi.Alignment))
        library.sw_session_align(self.handle, c_key(peer), byref(measured), byref(result))
        return _read_alignment(result)

    async def relocalize(self, points: npt.ArrayLike, *, has_gravity: bool = True) -> Alignment:
        """Finds a cloud of this peer's frame, n × 3 metres, in the session's map, and lines up with it.

        `has_gravity` says whether y is straight up in both. The code is NOT_RELOCALIZED when it is not found.
        """
        return await self._look(library.sw_session_relocalize, points, has_gravity)

    async def keep_aligned(self, points: npt.ArrayLike, *, has_gravity: bool = True) -> Alignment:
        """The same where it is needed: pass each cloud as the device walks.

        Nothing is searched while the cloud is where it is believed to be, nor sooner than `realign_interval_ms` after
        the last search; what a search finds replaces the alignment only if it is better.
        """
        return await self._look(library.sw_session_keep_aligned, points, has_gravity)

    async def _look(self, begin: Callable[..., None], points: npt.ArrayLike, has_gravity: bool) -> Alignment:
        positions = c_points(points)
        await self._operate(begin, c_array(positions, c_float), len(positions), int(has_gravity))
        return self.alignment()

    def meet(self, peer: ID, *, hold: Hold = Hold.TOGETHER, has_gravity: bool = True) -> Alignment:
        """Lines up with a peer whose device is held to this one now; both tell their poses, and both call this."""
        result = _abi.Alignment(size=sizeof(_abi.Alignment))
        library.sw_session_meet(self.handle, c_key(peer), int(hold), int(has_gravity), byref(result))
        return _read_alignment(result)

    def touch(self, name: str, position: tuple[float, float, float], *, has_gravity: bool = True) -> int:
        """Records that the user touches a point of the room which others name alike.

        Two points, or three without gravity, line up; gives with how many peers there are enough.
        """
        aligned = c_size_t()
        point = (c_float * 3)(*np.asarray(position, dtype=np.float32))
        library.sw_session_touch(self.handle, name.encode(), point, int(has_gravity), byref(aligned))
        return aligned.value

    @property
    def unaligned_anchors(self) -> list[Anchor]:
        """The anchors that have no place in this peer's frame, in those of their authors."""
        return take_anchors("sw_session_unaligned_anchors", self.handle)


def _read_alignment(value: Any) -> Alignment:
    state = AlignmentState(value.state)
    transform = read_transform(value.transform) if state == AlignmentState.ALIGNED else None
    return Alignment(
        state, transform, value.residual, value.position, value.orientation, value.time, value.observations,
        value.contradictions)
