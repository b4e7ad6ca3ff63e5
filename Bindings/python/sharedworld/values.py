"""Ids, anchors, peers and transforms."""

import ctypes
import uuid
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from . import _abi

Structure = TypeVar("Structure", bound=ctypes.Structure)

#: A rigid transform, 4 × 4: the last column is the position, in metres.
Transform = npt.NDArray[np.float32]


class ID(bytes):
    """32 bytes that name a peer or a map, printed in hexadecimal."""

    def __str__(self) -> str:
        return self.hex()

    def __repr__(self) -> str:
        return f"ID.fromhex({self.hex()!r})"


class PeerState(IntEnum):
    """How well a peer can be reached."""

    CONNECTING = 0
    CONNECTED = 1
    RECONNECTING = 2
    LOST = 3


class Recognition(IntEnum):
    """How a key compares with those that this device has admitted before."""

    UNTRACKED = 0
    KNOWN = 1
    NEVER_SEEN = 2
    NEW_DEVICE = 3
    REFUSED = 4


class MapStage(IntEnum):
    """How far a peer has come with the session's map."""

    NONE = 0
    TRANSFERRING = 1
    RECEIVED = 2
    RELOCALISED = 3


class Field(IntEnum):
    """Which part of an anchor an edit wrote."""

    NONE = 0
    TRANSFORM = 1
    NAME = 2
    PAYLOAD = 3
    FLAGS = 4
    OWNERSHIP = 5


@dataclass(frozen=True, slots=True)
class Peer:
    """A member of the session other than this peer."""

    id: ID
    name: str
    state: PeerState
    is_direct: bool
    #: Of the direct connection (seconds), None before it is measured.
    round_trip: float | None
    recognition: Recognition


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """A named place in the world."""

    id: uuid.UUID
    name: str
    transform: Transform
    #: The peer that placed it, None when that is not known.
    creator: ID | None

    @property
    def position(self) -> tuple[float, float, float]:
        """In metres."""
        x, y, z = (float(number) for number in self.transform[:3, 3])
        return x, y, z


def translation(x: float, y: float, z: float) -> Transform:
    """A transform without rotation."""
    transform = np.eye(4, dtype=np.float32)
    transform[:3, 3] = x, y, z
    return transform


def read_id(value: ctypes.Structure) -> ID | None:
    """A peer or map id; all zero is nobody, or none."""
    identifier = ID(bytes(value))
    return identifier if any(identifier) else None


def read_uuid(value: _abi.AnchorID) -> uuid.UUID:
    return uuid.UUID(bytes=bytes(value))


def read_transform(value: ctypes.Array[ctypes.c_float]) -> Transform:
    """The C interface has columns one after the other, numpy rows."""
    return np.array(value, dtype=np.float32).reshape(4, 4).T


def read_anchor(value: _abi.Anchor) -> Anchor:
    name = (value.name or b"").decode()
    return Anchor(read_uuid(value.id), name, read_transform(value.transform), read_id(value.creator))


def read_peer(value: _abi.Peer) -> Peer:
    round_trip = value.round_trip_ns / 1e9 if value.round_trip_ns >= 0 else None
    name, state = (value.name or b"").decode(), PeerState(value.state)
    return Peer(ID(bytes(value.id)), name, state, bool(value.is_direct), round_trip, Recognition(value.recognition))


def c_transform(transform: npt.ArrayLike) -> ctypes.Array[ctypes.c_float]:
    """A 4 × 4 transform, or a position alone, as the C interface wants it."""
    matrix = np.asarray(transform, dtype=np.float32)
    if matrix.shape == (3,):
        matrix = translation(*matrix)
    if matrix.shape != (4, 4):
        raise ValueError(f"a transform is a 4 × 4 matrix or a position of 3 numbers, not of shape {matrix.shape}")
    return (ctypes.c_float * 16)(*matrix.T.ravel())


def c_anchor_id(anchor: uuid.UUID | Anchor) -> _abi.AnchorID:
    identifier = anchor.id if isinstance(anchor, Anchor) else anchor
    return _abi.AnchorID.from_buffer_copy(identifier.bytes)


def c_id(kind: type[Structure], value: bytes) -> Structure:
    if len(value) != 32:
        raise ValueError(f"an id of a peer or a map has 32 bytes, not {len(value)}")
    return kind.from_buffer_copy(value)
