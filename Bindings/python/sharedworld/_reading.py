"""Events out of the C structure."""

import ctypes
import dataclasses
from collections.abc import Callable
from typing import Any

from . import _abi
from ._abi_enums import AttachmentState, Code, Field, LogLevel, MapStage, PeerRole, Recognition
from ._event import EVENTS
from ._library import library
from .anchors import read_anchor
from .events import Event, UnknownEvent
from .streams import Stream
from .values import ID, Object, Transform, read_id, read_transform, read_uuid


def _text(event: _abi.Event) -> str | None:
    return None if event.text is None else event.text.decode()


def _name(event: _abi.Event) -> str | None:
    return None if event.name is None else event.name.decode()


def _content_type(event: _abi.Event) -> str | None:
    return None if event.content_type is None else event.content_type.decode()


def _object(event: _abi.Event) -> Object:
    pairs = event.fields[:event.field_count] if event.field_count else []
    return Object(
        endpoint=(event.endpoint or b"").decode(), type=(event.object_type or b"").decode(), data=_data(event),
        content_type=_content_type(event) or "", transform=_placement(event),
        fields={pair.key.decode(): pair.value.decode() for pair in pairs})


def _placement(event: _abi.Event) -> Transform | None:
    return read_transform(event.anchor.transform) if event.has_transform else None


def _data(event: _abi.Event) -> bytes:
    return ctypes.string_at(event.data, event.data_size) if event.data_size else b""


def _numbers(event: _abi.Event) -> tuple[int, ...]:
    data = _data(event)
    return tuple(int.from_bytes(data[at:at + 8], "little") for at in range(0, len(data), 8))


def _stream(event: _abi.Event) -> Stream | None:
    """Takes the stream out of an event, which would take it along at its end."""
    if not event.stream:
        return None
    pointer = ctypes.c_void_p()
    library.sw_event_take_stream(ctypes.byref(event), ctypes.byref(pointer))
    return Stream(pointer, _name(event) or "", ID(bytes(event.peer)))


#: How the field of a class is read.
READERS: dict[str, Callable[[_abi.Event], Any]] = {
    **dict.fromkeys(("backend", "candidate", "digits", "key", "origin", "reason", "state", "text"), _text),
    **dict.fromkeys(("host", "owner", "peer", "sender"), lambda event: read_id(event.peer)),
    **dict.fromkeys(("context", "data", "payload"), _data),
    **dict.fromkeys(("is_confirmed", "is_repeated", "is_sent"), lambda event: bool(event.flags & 1)),
    "anchor": lambda event: read_anchor(event.anchor, event.content),
    "anchor_id": lambda event: read_uuid(event.anchor.id),
    "attachment": lambda event: AttachmentState(event.flags),
    "content_type": _content_type,
    "digest": lambda event: bytes(event.digest),
    "done": lambda event: event.done,
    "epoch": lambda event: event.epoch,
    "failure": lambda event: Code(event.status) if event.status else None,
    "field": lambda event: Field(event.field),
    "flags": lambda event: event.flags,
    "groups": lambda event: tuple((_text(event) or "").splitlines()),
    "known_key": lambda event: ID(_data(event)),
    "level": lambda event: LogLevel(event.flags),
    "map": lambda event: read_id(event.map),
    "name": _name,
    "number": lambda event: event.sequence,
    "numbers": _numbers,
    "object": _object,
    "observations": lambda event: event.observations,
    "omitted": lambda event: event.total,
    "operation": lambda event: event.operation,
    "peer_name": lambda event: None if event.peer_name is None else event.peer_name.decode(),
    "percent": lambda event: event.percent,
    "placement": _placement,
    "rate": lambda event: event.rate,
    "recognition": lambda event: Recognition(event.recognition),
    "removed": lambda event: read_uuid(event.other),
    "residual": lambda event: event.residual,
    "resource": lambda event: read_id(event.digest),
    "role": lambda event: PeerRole[(_text(event) or "none").upper()],
    "sequence": lambda event: event.sequence,
    "stream": _stream,
    "stage": lambda event: MapStage(event.stage),
    "status": lambda event: Code(event.status),
    "subsystem": _name,
    "target": _name,
    "time": lambda event: event.time,
    "total": lambda event: event.total,
    "transform": lambda event: read_transform(event.anchor.transform),
}


def read_event(event: _abi.Event) -> Event:
    """Copies an event out of the library."""
    kind = EVENTS.get(event.type)
    if kind is None:
        return UnknownEvent(event.type)
    return kind(**{field.name: READERS[field.name](event) for field in dataclasses.fields(kind)})
