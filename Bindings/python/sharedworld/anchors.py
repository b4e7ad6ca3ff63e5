"""Anchors, with their kinds and payloads."""

import ctypes
import uuid
from ctypes import byref, c_float, c_void_p, sizeof
from dataclasses import dataclass
from typing import Any

from . import _abi, kinds
from ._abi_enums import Kind, PlaneAlignment, Surface
from ._library import library
from .values import ID, Transform, c_bytes, c_id, c_text, read_id, read_transform, read_uuid


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """A named place in the world."""

    id: uuid.UUID
    name: str
    transform: Transform
    #: The peer that placed it, None when that is not known.
    creator: ID | None
    #: What it marks, one of `kinds`; None for a place.
    kind: kinds.Kind | None = None
    payload: bytes = b""
    #: The media type of the payload, None for no payload.
    content_type: str | None = None

    @property
    def position(self) -> tuple[float, float, float]:
        """In metres."""
        x, y, z = (float(number) for number in self.transform[:3, 3])
        return x, y, z


def take_anchors(function: str, handle: c_void_p) -> list[Anchor]:
    """Copies a list of anchors out of the library."""
    pointer = c_void_p()
    getattr(library, function)(handle, byref(pointer))
    try:
        return [
            read_anchor(
                library.sw_anchor_list_get(pointer, index).contents, library.sw_anchor_list_content(pointer, index))
            for index in range(library.sw_anchor_list_count(pointer))]
    finally:
        library.sw_anchor_list_destroy(pointer)


def read_anchor(value: _abi.Anchor, pointer: Any) -> Anchor:
    """An anchor with the kind and payload behind a pointer."""
    content, name = pointer.contents, (value.name or b"").decode()
    payload = ctypes.string_at(content.payload, content.payload_size) if content.payload_size else b""
    content_type = None if content.content_type is None else content.content_type.decode()
    transform, creator = read_transform(value.transform), read_id(value.creator)
    return Anchor(read_uuid(value.id), name, transform, creator, _read_kind(content), payload, content_type)


def _read_kind(content: _abi.AnchorContent) -> kinds.Kind | None:
    reference, (x, y, z) = (content.reference or b"").decode(), content.extent
    match Kind(content.kind):
        case Kind.PLAIN:
            return None
        case Kind.PLANE:
            numbers = content.corners[:2 * content.corner_count] if content.corner_count else []
            corners = tuple(zip(numbers[::2], numbers[1::2]))
            return kinds.Plane(
                (x, y), PlaneAlignment(content.plane_alignment), Surface(content.plane_surface), corners)
        case Kind.IMAGE:
            return kinds.Image(reference, (x, y))
        case Kind.OBJECT:
            return kinds.Object(reference, (x, y, z))
        case Kind.MESH:
            return kinds.Mesh(reference, (x, y, z), read_id(content.mesh))
        case Kind.PARTICIPANT:
            return kinds.Participant(ID(bytes(content.participant)))


def c_content(kind: kinds.Kind | None, content_type: str | None = None, payload: bytes = b"") -> _abi.AnchorContent:
    """The kind and payload of an anchor as the C interface wants them."""
    result = _abi.AnchorContent(size=sizeof(_abi.AnchorContent), content_type=c_text(content_type))
    result.payload, result.payload_size = c_bytes(payload), len(payload)
    match kind:
        case kinds.Plane():
            result.kind, result.plane_alignment, result.plane_surface = Kind.PLANE, kind.alignment, kind.surface
            numbers = [number for corner in kind.corners for number in corner]
            result.corners, result.corner_count = (c_float * len(numbers))(*numbers), len(kind.corners)
        case kinds.Image():
            result.kind = Kind.IMAGE
        case kinds.Object():
            result.kind = Kind.OBJECT
        case kinds.Mesh():
            result.kind = Kind.MESH
            if kind.digest is not None:
                result.mesh = c_id(_abi.Digest, kind.digest)
        case kinds.Participant():
            result.kind, result.participant = Kind.PARTICIPANT, c_id(_abi.PeerID, kind.peer)
    if isinstance(kind, kinds.Image | kinds.Object | kinds.Mesh):
        result.reference = kind.reference.encode()
    if kind is not None and not isinstance(kind, kinds.Participant):
        result.extent = (c_float * 3)(*kind.extent)
    return result


def c_anchor_id(anchor: uuid.UUID | Anchor) -> _abi.AnchorID:
    identifier = anchor.id if isinstance(anchor, Anchor) else anchor
    return _abi.AnchorID.from_buffer_copy(identifier.bytes)
