"""New passcodes, the peers that this device has admitted, and the keys in links."""

import ctypes
import os
from dataclasses import dataclass
from datetime import date
from typing import Any

from . import _abi
from ._abi_enums import Passcode
from ._handles import take_list
from ._library import library
from .values import ID, c_id


@dataclass(frozen=True, slots=True)
class KnownPeer:
    """A peer in a file of known peers; its name is the one that it gave itself on the day of its admission (UTC)."""

    id: ID
    day: date
    name: str


def generate_passcode() -> str:
    """A new passcode of 40 random bits, such as 7KQF-3M9X."""
    buffer = ctypes.create_string_buffer(Passcode.SIZE)
    library.sw_passcode_generate(buffer, len(buffer))
    return buffer.value.decode()


def known_peers(path: str | os.PathLike[str] | None = None) -> list[KnownPeer]:
    """The peers in a file of known peers, in its order; by default the file beside the identities of the default folder."""
    return take_list("sw_known_peer_list", _read, "sw_known_peers_list", None if path is None else os.fsencode(path))


def remove_known_peer(peer: ID, path: str | os.PathLike[str] | None = None) -> None:
    """Removes a peer from such a file; a session that runs retains it until its end."""
    library.sw_known_peers_remove(None if path is None else os.fsencode(path), ctypes.byref(c_id(_abi.PeerID, peer)))


def link_peer(link: str) -> ID:
    """The key that must answer at an invitation link."""
    peer = _abi.PeerID()
    library.sw_link_peer(link.encode(), ctypes.byref(peer))
    return ID(bytes(peer))


def _read(peer: Any) -> KnownPeer:
    return KnownPeer(ID(bytes(peer.id)), date.fromisoformat(peer.day.decode()), peer.name.decode())
