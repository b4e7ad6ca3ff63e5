"""Edits of anchors that can be taken back."""

import uuid
from ctypes import byref, c_int

import numpy.typing as npt

from . import _abi, kinds
from ._handles import Handle
from ._library import library
from .anchors import Anchor, c_anchor_id, c_content
from .values import c_transform, read_uuid


class UndoHistory(Handle):
    """Remembers the edits of anchors that are made through it, and takes them back.

    Edits of others stay: taking a move back puts the anchor where it was before that move. An anchor that comes back has
    another id; the methods take the old one too.
    """

    def place(
        self, name: str, transform: npt.ArrayLike, *, kind: kinds.Kind | None = None, content_type: str | None = None,
        payload: bytes = b"",
    ) -> uuid.UUID:
        """Places an anchor, as `Session.place` does."""
        anchor, content = _abi.AnchorID(), byref(c_content(kind, content_type, payload))
        library.sw_undo_history_place(self.handle, name.encode(), c_transform(transform), content, byref(anchor))
        return read_uuid(anchor)

    def move(self, anchor: uuid.UUID | Anchor, transform: npt.ArrayLike) -> None:
        """Moves an anchor."""
        library.sw_undo_history_move(self.handle, byref(c_anchor_id(anchor)), c_transform(transform))

    def remove(self, anchor: uuid.UUID | Anchor) -> None:
        """Removes an anchor."""
        library.sw_undo_history_remove(self.handle, byref(c_anchor_id(anchor)))

    def record_move(self, anchor: uuid.UUID | Anchor, start: npt.ArrayLike, end: npt.ArrayLike) -> None:
        """Remembers a move that was made otherwise, as a drag that has ended."""
        places = (c_transform(start), c_transform(end))
        library.sw_undo_history_record_move(self.handle, byref(c_anchor_id(anchor)), *places)

    def undo(self) -> bool:
        """Takes the last edit back; False when there is none. UNKNOWN_ANCHOR when somebody else has removed the anchor."""
        done = c_int()
        library.sw_undo_history_undo(self.handle, byref(done))
        return bool(done.value)

    def redo(self) -> bool:
        """Makes the edit again that was taken back last; False when there is none."""
        done = c_int()
        library.sw_undo_history_redo(self.handle, byref(done))
        return bool(done.value)

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return bool(library.sw_undo_history_can_undo(self.handle))

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to make again."""
        return bool(library.sw_undo_history_can_redo(self.handle))

    def current(self, anchor: uuid.UUID | Anchor) -> uuid.UUID:
        """The id under which an anchor lives now."""
        now = _abi.AnchorID()
        library.sw_undo_history_current(self.handle, byref(c_anchor_id(anchor)), byref(now))
        return read_uuid(now)
