"""Files and large bytes that a peer offers to others, or attaches to the session."""

import os
from collections.abc import Iterable
from ctypes import byref

from . import _abi
from ._core import Core
from ._library import library
from .values import ID, Attachment, c_id, c_keys, c_text, read_attachment


class Resources(Core):
    """What a session offers, and what is offered to it."""

    async def offer_file(self, path: str | os.PathLike[str], to: Iterable[ID], *, name: str | None = None) -> ID:
        """Offers a file to some members; gives the resource's id.

        ResourceProgress follows, and one ResourceSettled for each receiver. The name is for people; by default it is
        the last part of the path.
        """
        peers = c_keys(to)
        arguments = (os.fsencode(path), c_text(name), peers, len(peers))
        return _id((await self._operate(library.sw_session_offer_file, *arguments)).resource)

    async def offer_bytes(self, data: bytes, name: str, to: Iterable[ID]) -> ID:
        """Offers bytes, which are copied, as `offer_file` offers a file."""
        peers = c_keys(to)
        arguments = (data, len(data), name.encode(), peers, len(peers))
        return _id((await self._operate(library.sw_session_offer_bytes, *arguments)).resource)

    async def accept_resource(self, resource: ID) -> None:
        """Accepts what a ResourceOffered offered; ResourceReceived has the path, or ResourceFailed says why not."""
        await self._operate(library.sw_session_accept_resource, byref(c_id(_abi.Digest, resource)))

    def decline_resource(self, resource: ID) -> None:
        """Declines an offer."""
        library.sw_session_decline_resource(self.handle, byref(c_id(_abi.Digest, resource)))

    def cancel_resource(self, resource: ID) -> None:
        """Takes back a resource of this peer from those that do not have it yet, or gives up one that is on its way."""
        library.sw_session_cancel_resource(self.handle, byref(c_id(_abi.Digest, resource)))

    @property
    def attachments(self) -> list[Attachment]:
        """What is attached to the session now, in the order of names."""
        return self._list("sw_session_attachments", "sw_attachment_list", read_attachment)

    async def attach_file(self, path: str | os.PathLike[str], *, name: str | None = None) -> ID:
        """Attaches a file to the session: every member gets it by itself, and so does every later one; gives its id.

        The file must stay as it is. The name is for people; by default it is the last part of the path.
        """
        return _id((await self._operate(library.sw_session_attach_file, os.fsencode(path), c_text(name))).resource)

    async def attach_bytes(self, data: bytes, name: str) -> ID:
        """Attaches bytes, which are copied, as `attach_file` attaches a file."""
        arguments = (data, len(data), name.encode())
        return _id((await self._operate(library.sw_session_attach_bytes, *arguments)).resource)

    def detach(self, attachment: ID) -> None:
        """Removes an attachment from the session, with the copies of all members; its author may, and the host."""
        library.sw_session_detach(self.handle, byref(c_id(_abi.Digest, attachment)))

    def fetch_attachment(self, attachment: ID) -> None:
        """Fetches an attachment that did not come by itself, or failed."""
        library.sw_session_fetch_attachment(self.handle, byref(c_id(_abi.Digest, attachment)))


def _id(resource: ID | None) -> ID:
    assert resource is not None
    return resource
