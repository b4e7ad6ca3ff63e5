"""Who this device is."""

import os
from ctypes import byref, c_void_p
from typing import Self

from . import _abi
from ._handles import Handle
from ._library import library
from .values import ID


class Identity(Handle):
    """A key pair that is kept in a file, and a name for people."""

    @classmethod
    def load_or_create(cls, name: str, directory: str | os.PathLike[str] | None = None) -> Self:
        """Reads the identity called `name` from a folder, or makes one and keeps it there.

        Without a folder it is $XDG_STATE_HOME/sharedworld, else ~/.local/state/sharedworld.
        """
        pointer = c_void_p()
        folder = None if directory is None else os.fsencode(directory)
        library.sw_identity_load_or_create(name.encode(), folder, byref(pointer))
        return cls(pointer, library.sw_identity_destroy)

    @property
    def peer_id(self) -> ID:
        """The id that other peers know this identity by."""
        peer = _abi.PeerID()
        library.sw_identity_peer_id(self.handle, byref(peer))
        return ID(bytes(peer))
