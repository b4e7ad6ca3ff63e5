"""Chunks that are compressed with zstd (Documentation/Protocol/maps.md): the C library that worldpeer itself uses."""

import ctypes
import ctypes.util

from small.maps import RAW, Codecs
from small.wire import check


def load() -> ctypes.CDLL | None:
    """The library; without it a holder has to send chunks raw."""
    name = ctypes.util.find_library("zstd")
    if not name:
        return None
    library = ctypes.CDLL(name)
    library.ZSTD_decompress.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    library.ZSTD_decompress.restype = ctypes.c_size_t
    return library


LIBRARY = load()


def expand(stored: bytes, size: int) -> bytes:
    """The raw bytes of a chunk that has to have that size."""
    raw = ctypes.create_string_buffer(size)
    check(LIBRARY.ZSTD_decompress(raw, size, stored, len(stored)) == size, "a damaged chunk")
    return raw.raw


def codecs() -> Codecs:
    """What this process can expand."""
    return {**RAW, 1: expand} if LIBRARY else RAW
