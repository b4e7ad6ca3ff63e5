"""How a session finds others and treats them."""

import ctypes
import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import _abi
from ._abi_enums import Authority, Discovery, Invitations, InvitePolicy, LogLevel, MapProviders, Newcomers, Role, Trust
from ._library import library
from .values import ID, c_id, c_pairs


Path = str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The fields are those of sw_session_config, and explained there."""

    discovery: Discovery = Discovery.AUTOMATIC
    service: str | None = None
    listen_host: str | None = None
    listen_port: int = 0
    host_priority: int = 1
    can_host: bool = True
    advertises_name: bool = False
    invitations: Invitations = Invitations.DECLINE
    member_limit: int = 0
    map_providers: MapProviders = MapProviders.ANYONE
    journal: Path = None
    state: Path = None
    map_cache: Path = None
    map_cache_limit: int = 0
    grace_time_s: int = 600
    keeps_orphaned_ownership: bool = False
    trust: Trust = Trust.ANYONE
    shows_codes: bool | None = None
    storage: Path = None
    known_peers: Path = None
    admitted: Sequence[ID] = ()
    passcode: str | None = None
    role: Role = Role.BOTH
    invite_policy: InvitePolicy = InvitePolicy.NONE
    hides_device: bool = False
    announces: bool = False
    announce_port: int = 0
    asks_host: bool = False
    asks_ownership: bool = False
    invite_timeout_ms: int = 0
    probes: Sequence[str] = ()
    info: Mapping[str, str] = dataclasses.field(default_factory=dict)
    resource_folder: Path = None
    map_memory_limit: int = 0
    authority: Authority = Authority.HOST
    newcomers: Newcomers = Newcomers.MEMBERS
    log: LogLevel = LogLevel.NONE
    realign_interval_ms: int = 0
    passcode_file: Path = None
    room: str | None = None
    code: str | None = None
    place: str | None = None
    ends_on_signals: bool = False
    attachment_count_limit: int = 0
    attachment_size_limit: int = 0

    def c_structure(self) -> _abi.SessionConfig:
        """The structure with these values in place of the library's defaults."""
        result = _abi.SessionConfig()
        library.sw_session_config_init(ctypes.byref(result), ctypes.sizeof(result))
        for name, kind, *_ in _abi.SessionConfig._fields_:
            value = getattr(self, name, None)
            if value is None or name in ("admitted", "probes", "info"):
                continue
            if kind is ctypes.c_char_p:
                setattr(result, name, os.fsencode(value))
                continue
            setattr(result, name, int(value))
            # A number that does not fit would be cut without a word.
            if getattr(result, name) != int(value):
                raise ValueError(f"{name} is out of range: {value}")
        # ctypes keeps the arrays alive with the structure.
        result.admitted = (_abi.PeerID * len(self.admitted))(*(c_id(_abi.PeerID, peer) for peer in self.admitted))
        result.admitted_count = len(self.admitted)
        result.probes = (ctypes.c_char_p * len(self.probes))(*(probe.encode() for probe in self.probes))
        result.probe_count = len(self.probes)
        result.info, result.info_count = c_pairs(self.info), len(self.info)
        return result
