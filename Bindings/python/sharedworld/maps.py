"""Maps: clouds of feature points with static anchors."""

import os
import uuid
from ctypes import POINTER, byref, c_float, c_int, c_uint32, c_uint64, c_void_p, sizeof
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from . import _abi
from ._abi_enums import HitKind, MappingLacks, MappingStatus
from ._handles import Handle
from ._library import library
from .anchors import Anchor, take_anchors
from .values import ID, Transform, c_transform, read_id, read_transform, read_uuid


def c_points(points: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Positions as the C interface has them."""
    positions = np.ascontiguousarray(points, dtype=np.float32)
    if positions.ndim != 2 or positions.shape[1] != 3:
        raise ValueError(f"points are an array of n × 3 numbers, not of shape {positions.shape}")
    return positions


def c_array(array: npt.NDArray[Any], kind: type[Any]) -> Any:
    """An array as an argument: where its first number of this kind is."""
    return array.ctypes.data_as(POINTER(kind))


def c_cloud(
    points: npt.ArrayLike, identifiers: npt.ArrayLike | None
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint64]]:
    """Positions, and an identifier for each: 0, 1, 2 … unless given."""
    positions = c_points(points)
    count = len(positions)
    numbers = np.arange(count, dtype=np.uint64) if identifiers is None else np.asarray(identifiers)
    if numbers.shape != (count,) or not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"{count} points have as many identifiers, which are whole numbers")
    return positions, np.ascontiguousarray(numbers, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Mapping:
    """How well a place is mapped."""

    status: MappingStatus
    #: What a LIMITED map lacks.
    lacks: MappingLacks
    #: How far it has come towards MAPPED, 0-1.
    progress: float


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """A surface under a point of the screen."""

    kind: HitKind
    #: A place on the surface, whose y axis is its normal.
    transform: Transform
    #: From the camera along the ray (metres).
    distance: float
    #: The plane anchor of the map that was hit, if one was.
    anchor_id: uuid.UUID | None


class Map(Handle):
    """A cloud of feature points and static anchors; it never changes."""

    @classmethod
    def from_points(cls, points: npt.ArrayLike, identifiers: npt.ArrayLike | None = None) -> Self:
        """A map of points, n × 3 numbers in metres, each with an identifier (0, 1, 2 … unless given)."""
        positions, numbers = c_cloud(points, identifiers)
        pointer = c_void_p()
        points, names = c_array(positions, c_float), c_array(numbers, c_uint64)
        library.sw_map_create(points, names, len(positions), byref(pointer))
        return cls(pointer, library.sw_map_destroy)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a .worldmap file; waits for the disk."""
        pointer = c_void_p()
        library.sw_map_load(os.fsencode(path), byref(pointer))
        return cls(pointer, library.sw_map_destroy)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .worldmap file; waits for the disk."""
        library.sw_map_save(self.handle, os.fsencode(path))

    def __len__(self) -> int:
        """How many feature points there are."""
        return int(library.sw_map_point_count(self.handle))

    @property
    def anchor_count(self) -> int:
        """How many static anchors there are."""
        return int(library.sw_map_anchor_count(self.handle))

    @property
    def anchors(self) -> list[Anchor]:
        """The static anchors, in the order of their ids."""
        return take_anchors("sw_map_anchors", self.handle)

    @property
    def provider(self) -> ID | None:
        """The peer that shared it in a session; None of one that this program has made or read."""
        peer = _abi.PeerID()
        library.sw_map_provider(self.handle, byref(peer))
        return read_id(peer)

    def mapping(self, views: int = 0) -> Mapping:
        """How well the place is mapped; it reads all points.

        `views` is how many camera views they were built from; 0 is what the map knows of that.
        """
        status, lacks, progress = c_uint32(), c_uint32(), c_float()
        library.sw_map_mapping(self.handle, views, byref(status), byref(lacks), byref(progress))
        return Mapping(MappingStatus(status.value), MappingLacks(lacks.value), progress.value)

    def hit_test(
        self, pose: npt.ArrayLike, x: float, y: float, *, focal_length: float, aspect_ratio: float
    ) -> Hit | None:
        """The nearest surface under a point of the screen: (0, 0) is the top left corner, (1, 1) the bottom right.

        The camera looks along the -z axis of its pose; the focal length is in picture heights, the aspect ratio the width
        over the height. The first call for a map builds its index.
        """
        hit, found = _abi.Hit(size=sizeof(_abi.Hit)), c_int()
        place = c_transform(pose)
        library.sw_map_hit_test(self.handle, place, focal_length, aspect_ratio, x, y, byref(hit), byref(found))
        if not found.value:
            return None
        anchor = read_uuid(hit.anchor) if hit.has_anchor else None
        return Hit(HitKind(hit.kind), read_transform(hit.transform), hit.distance, anchor)

    @property
    def points(self) -> npt.NDArray[np.float32]:
        """A copy of the positions, n × 3, in metres."""
        positions = np.empty((len(self), 3), dtype=np.float32)
        library.sw_map_copy_points(self.handle, 0, len(positions), c_array(positions, c_float), None)
        return positions

    @property
    def identifiers(self) -> npt.NDArray[np.uint64]:
        """A copy of the points' identifiers, in the order of `points`."""
        numbers = np.empty(len(self), dtype=np.uint64)
        library.sw_map_copy_points(self.handle, 0, len(numbers), None, c_array(numbers, c_uint64))
        return numbers
