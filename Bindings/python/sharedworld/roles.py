"""Owned sessions, which a peer with `owned` in its configuration begins, and the parts of peers in them."""

from ctypes import byref, c_uint32

from . import _abi
from ._core import Core
from ._library import library
from .values import ID, PeerRole, c_key, read_id


class Roles(Core):
    """Who owns a session, and who may do what in it."""

    @property
    def owner(self) -> ID | None:
        """The peer that owns the session; None in an open one."""
        owner = _abi.PeerID()
        library.sw_session_owner(self.handle, byref(owner))
        return read_id(owner)

    def role(self, peer: ID) -> PeerRole:
        """The part of a peer, this one included."""
        role = c_uint32()
        library.sw_session_role(self.handle, c_key(peer), byref(role))
        return PeerRole(role.value)

    def set_role(self, peer: ID, role: PeerRole) -> None:
        """Gives a peer a part; RoleChanged tells everybody.

        The creator names moderators, and makes them members again. As a member a peer is admitted also before it comes,
        and after it was removed, by the creator or a moderator. Else the code is NOT_PERMITTED.
        """
        library.sw_session_set_role(self.handle, c_key(peer), int(role))
