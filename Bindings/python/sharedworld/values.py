"""Ids, peers and transforms."""

import ctypes
import json
import os
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from . import _abi
from ._abi_enums import AttachmentState, PeerState, Recognition

Structure = TypeVar("Structure", bound=ctypes.Structure)

#: A rigid transform, 4 × 4: the last column is the position, in metres.
Transform = npt.NDArray[np.float32]


class ID(bytes):
    """32 bytes that name a peer, a map or a resource, printed in hexadecimal."""

    def __str__(self) -> str:
        return self.hex()

    def __repr__(self) -> str:
        return f"ID.fromhex({self.hex()!r})"


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


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file or bytes that belong to the session: every member has them, those that come later too."""

    id: ID
    author: ID
    #: The author's choice: for people, and no path.
    name: str
    size: int
    state: AttachmentState
    #: Its file, to be left where it is; None while it is not here, and of bytes that this peer attached.
    path: str | None


@dataclass(frozen=True, slots=True, eq=False)
class LivePose:
    """Where an anchor that is dragged, or a peer's device, is at the moment."""

    #: The dragged anchor, or the id under which the device is shown.
    anchor_id: uuid.UUID
    #: Who drags it, or whose device it is.
    peer: ID
    transform: Transform
    #: Session time (milliseconds).
    time: int
    #: Counts the live poses of a peer.
    sequence: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Object:
    """Encoded bytes for a place in the receiving app; to a Swift app the JSON of the type of that name."""

    #: The place, such as "draw/strokes"; of an answer it is that of the request.
    endpoint: str = ""
    type: str
    data: bytes
    content_type: str = "application/json"
    #: A placement in the world.
    transform: npt.ArrayLike | None = None
    #: At most 16 header fields.
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_json(cls, endpoint: str, type: str, value: Any, **others: Any) -> Self:
        """An object of a value that JSON can have."""
        data = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        return cls(endpoint=endpoint, type=type, data=data, **others)

    @property
    def value(self) -> Any:
        """What the JSON says; ValueError when it is none."""
        return json.loads(self.data)


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


def read_peer(value: _abi.Peer) -> Peer:
    round_trip = value.round_trip_ns / 1e9 if value.round_trip_ns >= 0 else None
    name, state = (value.name or b"").decode(), PeerState(value.state)
    return Peer(ID(bytes(value.id)), name, state, bool(value.is_direct), round_trip, Recognition(value.recognition))


def read_attachment(value: _abi.Attachment) -> Attachment:
    name, path = (value.name or b"").decode(), os.fsdecode(value.path) if value.path else None
    author, state = ID(bytes(value.author)), AttachmentState(value.state)
    return Attachment(ID(bytes(value.id)), author, name, value.size, state, path)


def read_live_pose(value: _abi.LivePose) -> LivePose:
    transform = read_transform(value.transform)
    return LivePose(read_uuid(value.anchor), ID(bytes(value.peer)), transform, value.time, value.sequence)


def c_transform(transform: npt.ArrayLike) -> ctypes.Array[ctypes.c_float]:
    """A 4 × 4 transform, or a position alone, as the C interface wants it."""
    matrix = np.asarray(transform, dtype=np.float32)
    if matrix.shape == (3,):
        matrix = translation(*matrix)
    if matrix.shape != (4, 4):
        raise ValueError(f"a transform is a 4 × 4 matrix or a position of 3 numbers, not of shape {matrix.shape}")
    return (ctypes.c_float * 16)(*matrix.T.ravel())


def c_id(kind: type[Structure], value: bytes) -> Structure:
    if len(value) != 32:
        raise ValueError(f"an id of a peer, a map or a resource has 32 bytes, not {len(value)}")
    return kind.from_buffer_copy(value)


def c_key(peer: ID | None) -> Any:
    """A peer id as an argument, NULL for nobody."""
    return None if peer is None else ctypes.pointer(c_id(_abi.PeerID, peer))


def c_keys(peers: Iterable[ID] | None) -> Any:
    """Peer ids as an argument, NULL for all."""
    if peers is None:
        return None
    keys = [c_id(_abi.PeerID, peer) for peer in peers]
    return (_abi.PeerID * len(keys))(*keys)


def c_object(value: Object) -> _abi.Object:
    result = _abi.Object(size=ctypes.sizeof(_abi.Object), endpoint=value.endpoint.encode(), type=value.type.encode())
    result.content_type = value.content_type.encode()
    result.bytes, result.byte_count = c_bytes(value.data), len(value.data)
    if value.transform is not None:
        result.transform = c_transform(value.transform)
    result.fields, result.field_count = c_pairs(value.fields), len(value.fields)
    return result


def c_pairs(pairs: Mapping[str, str]) -> ctypes.Array[_abi.Pair]:
    """Keys and values as the C interface has them."""
    return (_abi.Pair * len(pairs))(*((key.encode(), value.encode()) for key, value in pairs.items()))


def c_bytes(data: bytes) -> ctypes.Array[ctypes.c_uint8]:
    """A copy of bytes for a structure, which keeps it alive; a function takes bytes as they are."""
    return (ctypes.c_uint8 * len(data)).from_buffer_copy(data)


def c_text(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def c_milliseconds(seconds: float) -> int:
    """A time as the C interface has it, where 0 is its default."""
    if not 0 < seconds <= 4_000_000:
        raise ValueError(f"a time is over 0 and at most 4,000,000 seconds, not {seconds}")
    return max(1, int(seconds * 1_000))
