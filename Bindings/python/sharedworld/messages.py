"""Messages, groups, objects and requests."""

from collections.abc import Iterable
from ctypes import byref, c_uint64, sizeof
from typing import Any, Self

from . import _abi
from ._abi_enums import Code, Mode
from ._core import Core
from ._library import library
from .errors import SharedWorldError
from .events import Request
from .values import ID, Object, c_key, c_keys, c_milliseconds, c_object, c_text, read_id


class Subscription:
    """Objects or requests that a session reads until this is closed, or its block ends."""

    def __init__(self, session: Core, number: int) -> None:
        self._session, self.number = session, number

    def close(self) -> None:
        """Reads no more; once is enough, and a session that was left has closed it."""
        if self._session._pointer is not None:
            library.sw_session_cancel(self._session.handle, self.number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Messages(Core):
    """What a session sends to others."""

    async def send(self, data: bytes, to: Iterable[ID] | None = None) -> int:
        """Sends at most 60 KiB to some members, or to all; waits while a receiver has too many messages unread.

        Gives the number that MessagesFailed names.
        """
        peers = None if to is None else list(to)
        while True:
            try:
                return self.send_now(data, peers)
            except SharedWorldError as error:
                if error.code != Code.WOULD_BLOCK:
                    raise
            await self._until_room()

    def send_now(
        self, data: bytes, to: Iterable[ID] | None = None, *, mode: Mode = Mode.RELIABLE, key: str | None = None,
        group: str | None = None,
    ) -> int:
        """The same without waiting (the error's code is WOULD_BLOCK); gives the number that MessagesFailed names.

        Critical ones overtake the reliable ones that wait. Of unreliable ones, at most 16 KiB, some may be lost, and
        none of a key comes behind a newer one. A message for a group goes to its other members.
        """
        number = c_uint64()
        library.sw_session_send(self.handle, data, len(data), _delivery(to, mode, key, group), byref(number))
        return number.value

    # Groups.

    def join_group(self, group: str) -> None:
        """Gets what is sent to this group from now on; at most 16 groups."""
        library.sw_session_join_group(self.handle, group.encode())

    def leave_group(self, group: str) -> None:
        """Gets nothing more that is sent to this group."""
        library.sw_session_leave_group(self.handle, group.encode())

    @property
    def groups(self) -> dict[str, list[ID]]:
        """The groups and who is in them, this peer included."""
        return dict(self._list("sw_session_groups", "sw_group_list", _read_group))

    # Objects and requests.

    def send_object(
        self, value: Object, to: Iterable[ID] | None = None, *, mode: Mode = Mode.RELIABLE, key: str | None = None,
        group: str | None = None,
    ) -> int:
        """Sends an object as `send_now` sends bytes; MessageReturned tells of a receiver that does not read such."""
        number = c_uint64()
        delivery = _delivery(to, mode, key, group)
        library.sw_session_send_object(self.handle, byref(c_object(value)), delivery, byref(number))
        return number.value

    def read_objects(self, type: str, endpoints: str | None = None) -> Subscription:
        """Reads the objects of a type from now on, each as an ObjectReceived.

        In `endpoints` a word "*" between slashes stands for any one word, "**" at the end for any; None is "**".
        """
        number = c_uint64()
        library.sw_session_read_objects(self.handle, type.encode(), c_text(endpoints), byref(number))
        return Subscription(self, number.value)

    def serve_requests(self, type: str, endpoints: str | None = None) -> Subscription:
        """Answers the requests of a type from now on: each comes as a Request."""
        number = c_uint64()
        library.sw_session_serve_requests(self.handle, type.encode(), c_text(endpoints), byref(number))
        return Subscription(self, number.value)

    def respond(self, request: Request, answer: Object) -> None:
        """Answers a request."""
        library.sw_session_respond(self.handle, request.operation, byref(c_object(answer)))

    def refuse(self, request: Request, code: str, message: str | None = None) -> None:
        """Answers a request by an error: a word for programs and a sentence for people."""
        library.sw_session_refuse(self.handle, request.operation, code.encode(), c_text(message))

    async def request(self, peer: ID, question: Object, *, timeout: float = 10) -> Object:
        """Asks a member and gives its answer; when the task is cancelled, so is the work of the peer."""
        arguments = (c_key(peer), byref(c_object(question)), c_milliseconds(timeout))
        return (await self._operate(library.sw_session_request, *arguments)).object


def _delivery(to: Iterable[ID] | None, mode: Mode, key: str | None, group: str | None) -> Any:
    result = _abi.Delivery(size=sizeof(_abi.Delivery), mode=mode, key=c_text(key), group=c_text(group))
    if (peers := c_keys(to)) is not None:
        result.peers, result.peer_count = peers, len(peers)
    return byref(result)


def _read_group(group: _abi.Group) -> tuple[str, list[ID]]:
    members = (read_id(group.members[index]) for index in range(group.member_count))
    return group.name.decode(), [member for member in members if member is not None]
