"""One map, fetched from the one neighbour: Documentation/Protocol/maps.md."""

import ctypes
import ctypes.util
import hashlib
from collections.abc import Callable

from wire import Reader, Refused, check, u8, u32

ANNOUNCE, MANIFEST_REQUEST, MANIFEST, REQUEST, PIECE = range(48, 53)
#: The largest chunk, and the largest part of one in a frame (bytes).
CHUNK, PIECE_BYTES = 262_144, 16_256
#: Chunks that may be asked for at a time.
ASKED = 8

Send = Callable[[int, bytes], None]


def load_zstd() -> ctypes.CDLL | None:
    """The C library with which worldpeer itself expands chunks; without it a holder has to send them raw."""
    name = ctypes.util.find_library("zstd")
    if not name:
        return None
    library = ctypes.CDLL(name)
    library.ZSTD_decompress.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    library.ZSTD_decompress.restype = ctypes.c_size_t
    return library


ZSTD = load_zstd()


def expand(codec: int, stored: bytes, size: int) -> bytes:
    """The raw bytes of a chunk that has to have that size."""
    if codec == 0:
        return stored
    if codec != 1 or ZSTD is None:
        raise Refused("a chunk of a codec that was not agreed on")
    raw = ctypes.create_string_buffer(size)
    check(ZSTD.ZSTD_decompress(raw, size, stored, len(stored)) == size, "a damaged chunk")
    return raw.raw


class SharedMap:
    """A map on its way here. Nobody fetches it from a peer with one link, which leads to a holder."""

    def __init__(self, announcement: bytes, send: Send) -> None:
        reader = Reader(announcement)
        self.id, epoch, revision = reader.take(32), reader.u64(2**62), reader.u64(2**62)
        self._size, self._count, provider, bits = reader.u64(2**29), reader.u32(), reader.take(32), reader.u8(3)
        reader.end()
        check(self._count <= 65_536 and self._count <= self._size <= self._count * CHUNK, "a map of impossible size")
        #: Of two maps of a session the one of higher rank is the current one.
        self.rank = (epoch, revision, provider, self.id)
        #: Whether the sender has all of it, and has not shared it with this peer alone.
        self.is_whole_and_for_all = bits == 0 and self._count > 0
        #: The whole map, once it is verified; None before.
        self.bytes: bytes | None = None
        # Epoch, revision and size stand in the announcement as they do in the manifest.
        self._manifest, self._send = announcement[32:56], send
        self._names: list[tuple[int, bytes]] = []
        self._chunks: dict[int, bytes] = {}
        self._partial: dict[int, bytes] = {}
        self._asked: set[int] = set()

    @property
    def status(self) -> bytes:
        """Map id, stage and percentage, as a status frame has them."""
        verified = sum(map(len, self._chunks.values()))
        return self.id + u8(1 if self.bytes is None else 2) + u8(100 * verified // self._size)

    def request_names(self) -> None:
        self._send(MANIFEST_REQUEST, self.id + u32(len(self._names)))

    def take_names(self, reader: Reader) -> None:
        """Takes the sizes and hashes of some chunks."""
        if reader.u32() != len(self._names):
            return
        self._manifest += reader.data[reader.at:]
        while reader.left:
            self._names.append((reader.u32(), reader.take(32)))
        if len(self._names) < self._count:
            return self.request_names()
        check(hashlib.sha256(self._manifest).digest() == self.id, "a manifest that does not hash to the map id")
        sizes = [size for size, _ in self._names]
        check(sum(sizes) == self._size and all(0 < size <= CHUNK for size in sizes), "sizes do not add up")
        self._request()

    def _request(self) -> None:
        """Asks for the next chunks, so that 8 are on their way."""
        wanted = [chunk for chunk in range(self._count) if chunk not in self._chunks and chunk not in self._asked]
        if fresh := wanted[:ASKED - len(self._asked)]:
            self._asked.update(fresh)
            self._send(REQUEST, self.id + b"".join(map(u32, fresh)))

    def take_piece(self, reader: Reader) -> None:
        """Takes a part of a chunk that was asked for."""
        chunk, codec, stored_size = reader.u32(), reader.u8(1), reader.u32()
        offset, data = reader.u32(), reader.rest()
        check(stored_size <= CHUNK and 0 < len(data) <= min(PIECE_BYTES, stored_size - offset), "an impossible piece")
        stored = self._partial.get(chunk, b"") if offset else b""
        if chunk not in self._asked or len(stored) != offset:
            return
        self._partial[chunk] = stored + data
        if offset + len(data) == stored_size:
            size, name = self._names[chunk]
            raw = expand(codec, self._partial.pop(chunk), size)
            check(len(raw) == size and hashlib.sha256(raw).digest() == name, "a chunk with another hash")
            self._chunks[chunk] = raw
            self._asked.discard(chunk)
            self._request()
        if len(self._chunks) == self._count:
            self.bytes = b"".join(self._chunks[number] for number in range(self._count))


class MapExchange:
    """The current map of the session."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.current: SharedMap | None = None

    @property
    def status(self) -> bytes:
        return self.current.status if self.current else bytes(34)

    def receive(self, kind: int, body: bytes) -> None:
        """Handles a frame from the holder; a later map replaces the one before."""
        if kind == ANNOUNCE:
            announced = SharedMap(body, self._send)
            if announced.is_whole_and_for_all and (self.current is None or announced.rank > self.current.rank):
                self.current = announced
                announced.request_names()
            return
        reader = Reader(body)
        identifier = reader.take(32)
        if self.current and identifier == self.current.id:
            {MANIFEST: self.current.take_names, PIECE: self.current.take_piece}[kind](reader)
