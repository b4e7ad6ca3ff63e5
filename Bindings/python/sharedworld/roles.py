"""Creators' sessions, which a peer with `authority` in its configuration begins, and the parts of peers in them."""

from ctypes import byref, c_uint32, c_uint64

from . import _abi
from ._abi_enums import PeerRole
from ._core import Core
from ._library import library
from .values import ID, c_key, read_id


class Roles(Core):
    """Who began a creator's session, and who may do what in it."""

    @property
    def creator(self) -> ID | None:
        """The peer that began a creator's session; None in an open one."""
        creator = _abi.PeerID()
        library.sw_session_creator(self.handle, byref(creator))
        return read_id(creator)

    def role(self, peer: ID) -> PeerRole:
        """The part of a peer, this one included."""
        role = c_uint32()
        library.sw_session_role(self.handle, c_key(peer), byref(role), None)
        return PeerRole(role.value)

    def role_time(self, peer: ID) -> float | None:
        """How long a peer has its part from now (seconds); None for one without an end."""
        left = c_uint64()
        library.sw_session_role(self.handle, c_key(peer), byref(c_uint32()), byref(left))
        return left.value / 1000 if left.value else None

    def set_role(self, peer: ID, role: PeerRole, seconds: float | None = None) -> None:
        """Gives a peer a part, for so many seconds from now or for good; RoleChanged tells everybody.

        The creator names moderators, for good, and makes them members again. With any other part a peer is admitted also
        before it comes, and after it was removed, by the creator or a moderator. Else the code is NOT_PERMITTED.
        """
        time = 0 if seconds is None else max(1, round(seconds * 1000))
        library.sw_session_set_role(self.handle, c_key(peer), int(role), time)
