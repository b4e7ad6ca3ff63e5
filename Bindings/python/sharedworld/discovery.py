"""Peers on the network, before any connection, and what may keep this device from finding them."""

from collections.abc import Mapping
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any

from . import _abi
from ._abi_enums import FindingWeight, Standing, Way
from ._core import Core, until_readable
from ._library import library
from .values import ID, c_milliseconds, c_pairs, c_text, read_id


@dataclass(frozen=True, slots=True)
class Candidate:
    """A service on the network that may be invited. All that it says of itself is a hint: anybody may advertise anything."""

    id: str
    #: What it calls itself, None if it shows no name.
    name: str | None
    #: Who answered when this session dialled it, None before that.
    peer: ID | None
    #: The known peer that it seems to be, and the recorded name of that; it alone is invited then.
    seen_before: ID | None
    seen_before_name: str | None
    #: The key that signed its announcement; it alone is invited then.
    announced_key: ID | None
    standing: Standing
    #: The ways by which it was found.
    ways: Way
    #: The highest that it speaks, 0 if it does not say.
    protocol_version: int
    asks_for_passcode: bool
    #: The words of its app.
    info: dict[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    #: A word that does not change between versions, such as "daemon".
    subject: str
    text: str
    #: What to do, None where nothing has to be done.
    advice: str | None
    weight: FindingWeight


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What may keep this device from finding others, in the order in which discovery depends on it."""

    #: Whether a peer on another machine can be found.
    can_find_peers: bool
    findings: list[Finding]


async def diagnose(service: str | None = None) -> Diagnosis:
    """Looks at interfaces, daemon and network for a service ("sharedworld" by default) for some seconds."""
    diagnosing, found = c_void_p(), c_void_p()
    library.sw_diagnose_async(c_text(service), byref(diagnosing))
    try:
        await until_readable(library.sw_diagnosing_fd(diagnosing))
        library.sw_diagnosing_finish(diagnosing, byref(found))
    finally:
        # Of one that has finished nothing is left.
        library.sw_diagnosing_cancel(diagnosing)
    try:
        findings = [_read_finding(found, index) for index in range(library.sw_diagnosis_count(found))]
        return Diagnosis(bool(library.sw_diagnosis_can_find_peers(found)), findings)
    finally:
        library.sw_diagnosis_destroy(found)


class Network(Core):
    """What a session sees of its network, and shows there."""

    @property
    def candidates(self) -> list[Candidate]:
        """The services in sight now, in the order of their ids."""
        return self._list("sw_session_candidates", "sw_candidate_list", _read_candidate)

    async def resolve(self, candidate: str, *, timeout: float = 5) -> list[str]:
        """Where a candidate can be dialled, as HOST:PORT, the most promising first."""
        arguments = (candidate.encode(), c_milliseconds(timeout))
        return ((await self._operate(library.sw_session_resolve, *arguments)).text or "").splitlines()

    def set_discovery_info(self, info: Mapping[str, str]) -> None:
        """Shows everybody on the network other keys and values than the configuration's `info`."""
        library.sw_session_set_discovery_info(self.handle, c_pairs(info), len(info))

    async def diagnose(self) -> tuple[bool, list[str]]:
        """Whether a peer on another machine can be found, and what is doubtful or bad, with what to do, the worst first."""
        done = await self._operate(library.sw_session_diagnose)
        return bool(done.flags), (done.text or "").splitlines()


def _read_candidate(value: _abi.Candidate) -> Candidate:
    pairs = value.info[:value.info_count] if value.info_count else []
    return Candidate(
        value.id.decode(), _text(value.name), read_id(value.peer), read_id(value.seen_before), _text(value.seen_before_name),
        read_id(value.announced_key), Standing(value.standing), Way(value.ways), value.protocol_version,
        bool(value.asks_for_passcode), {pair.key.decode(): pair.value.decode() for pair in pairs})


def _read_finding(diagnosis: c_void_p, index: int) -> Finding:
    finding = library.sw_diagnosis_get(diagnosis, index).contents
    return Finding(
        finding.subject.decode(), finding.text.decode(), _text(finding.advice), FindingWeight(finding.weight))


def _text(value: Any) -> str | None:
    return None if value is None else str(value.decode())
