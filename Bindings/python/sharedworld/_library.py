"""Loads the library and gives its functions their signatures."""

import ctypes
import ctypes.util
import os
import pathlib
from typing import Any

from ._abi import ABI_VERSION
from ._abi_enums import Code
from ._abi_functions import SIGNATURES, Status
from .errors import SharedWorldError

NAME = "libCSharedWorld.so"


def _path() -> str:
    """Where the library is: where SHAREDWORLD_LIBRARY says, in this package, or where the system has it."""
    if named := os.environ.get("SHAREDWORLD_LIBRARY"):
        return named
    carried = pathlib.Path(__file__).with_name(NAME)
    if carried.exists():
        return str(carried)
    return ctypes.util.find_library("CSharedWorld") or NAME


def _raise_failure(status: Status, function: Any, arguments: Any) -> None:
    """Turns a status into an exception; the message is that of the calling thread."""
    if status.value != 0:
        raise SharedWorldError(Code(status.value), library.sw_last_error_message().decode())


def _load() -> ctypes.CDLL:
    loaded = ctypes.CDLL(_path())
    for name, (result, *arguments) in SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
        if result is Status:
            function.errcheck = _raise_failure
    if loaded.sw_abi_version() != ABI_VERSION:
        raise ImportError(f"{_path()} has version {loaded.sw_abi_version()} of the interface, not {ABI_VERSION}: "
                          "install a sharedworld package of the same build")
    return loaded


library = _load()
